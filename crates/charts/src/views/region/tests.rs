//! Tests that headline, marker, colour and caption describe one model: the user's, over the whole
//! catalog.

use super::*;
use crate::layout::share;
use crate::spec::Cell;
use crate::views::metric::PERCENT;
use analysis::sweep::{self, assign};
use catalog::MODELS;
use engine::params::Number;
use engine::scenario::Model;
use links::decode;

/// Returns every model of the catalog, unchanged, scaled, and as a custom model, on large and small
/// clusters.
fn scenarios() -> impl Iterator<Item = Scenario> {
    let clusters = ["cluster=dgx-h100&gpus=64&seq=8192", "cluster=a100-40gb-200g&gpus=16&seq=2048&recompute=full"];
    MODELS.iter().enumerate().flat_map(move |(place, entry)| {
        let scenario = decode(clusters[place % clusters.len()]).scenario;
        let model = entry.pick();
        let others = [model.resized(1.31 * model.size()), Model::Custom { architecture: entry.architecture }];
        [model, others[place / 2 % 2]].map(|model| Scenario { model, ..scenario })
    })
}

fn number(id: ParamId) -> &'static Number {
    id.number().unwrap()
}

const AXES: [(ParamId, ParamId); 3] = [
    (ParamId::SequenceLength, ParamId::ModelSize),
    (ParamId::SequenceLength, ParamId::Gpus),
    (ParamId::ModelSize, ParamId::GpuMemory),
];

#[test]
fn a_map_at_the_marker_is_the_scenario() {
    for scenario in scenarios() {
        let report = scenario.report();
        for (x, y) in AXES {
            let spec = feasible_region(&scenario, x, y, false, &mut Scratch::with_grid(24, 18));
            let here = spec.here.unwrap_or_else(|| panic!("{:?}: no marker", scenario.model));
            assert_eq!(here, ((number(x).get)(&scenario), (number(y).get)(&scenario)));
            // As the map is evaluated: the row first.
            let mut row = scenario;
            assign(&mut row, number(y), here.1);
            let sample = sweep::sample_at(&row, number(x), here.0);
            assert!((sample.mfu / report.update.mfu - 1.0).abs() < 1e-9, "{:?} {x:?} {y:?}", scenario.model);
            assert_eq!(
                (sample.fits(), sample.limiter()),
                (report.fits(), report.limiter),
                "{:?} {x:?}",
                scenario.model
            );
        }
    }
}

/// Returns the nodes of the cell that contains the marker.
fn around(spec: &ChartSpec, place: (f64, f64)) -> Vec<Cell> {
    let field = spec.field.as_ref().unwrap();
    let between = |share: f64, count: usize| {
        let at = share * (count - 1) as f64;
        [at.floor() as usize, (at.ceil() as usize).min(count - 1)]
    };
    let columns = between(share(&spec.x, place.0), field.columns);
    let rows = between(share(&spec.y, place.1), field.rows);
    columns.iter().flat_map(|&column| rows.map(|row| *field.cell(column, row).unwrap())).collect()
}

#[test]
fn the_colour_under_the_marker_is_the_scenarios() {
    for scenario in scenarios() {
        let report = scenario.report();
        for (x, y) in [AXES[0], AXES[2]] {
            let spec = feasible_region(&scenario, x, y, false, &mut Scratch::with_grid(48, 33));
            let cells = around(&spec, spec.here.unwrap());
            let found = || cells.iter().map(|cell| cell.value);
            let (low, high) = (found().fold(f64::INFINITY, f64::min), found().fold(0.0, f64::max));
            let own = PERCENT * report.update.mfu;
            // Whole layers and heads step by a little between the nodes.
            let step = 3.5;
            assert!((low - step..=high + step).contains(&own), "{:?} {x:?}: {own} in {low}..{high}", scenario.model);
            // One of the four nodes has the verdict, or the edge runs through the cell by less than
            // whole layers take.
            let fits = cells.iter().any(|cell| (cell.limiter != Limiter::Memory) == report.fits());
            let near = (report.memory.needed / report.memory.most_needed() - 1.0).abs() < 0.02;
            assert!(fits || near, "{:?} {x:?}: {cells:?}", scenario.model);
        }
    }
}

#[test]
fn the_caption_says_of_the_scenario_what_its_report_says() {
    let mut told = [0, 0, 0];
    for scenario in scenarios() {
        let fits = scenario.report().fits();
        let spec = feasible_region(
            &scenario,
            ParamId::SequenceLength,
            ParamId::ModelSize,
            false,
            &mut Scratch::with_grid(48, 4),
        );
        let caption = &spec.caption;
        if caption.contains("every sequence length shown fits") {
            assert!(fits, "{caption}");
            told[0] += 1;
        } else if caption.contains("no sequence length shown fits") {
            assert!(!fits, "{caption}");
            told[1] += 1;
        } else if let Some(rest) = caption.split_once("sequences up to ").map(|(_, rest)| rest) {
            let digits: String = rest.chars().take_while(|one| one.is_ascii_digit() || *one == ',').collect();
            let most: f64 = digits.replace(',', "").parse().unwrap();
            let own = f64::from(scenario.seq_len);
            // The number is rounded down to three digits.
            assert!(fits == (own <= most) || (own / most - 1.0).abs() < 0.01, "{caption} {own} {fits}");
            told[2] += 1;
        }
        assert!(scenario.model.is_on_ladder() || caption.contains(" Other sizes are "), "{caption}");
        let family = catalog::families::name_of(&scenario.model);
        assert!(family.is_none_or(|name| caption.contains(&format!("Other sizes are {name}, scaled."))), "{caption}");
    }
    assert!(told[1] > 50 && told[2] > 200, "{told:?}");
}
