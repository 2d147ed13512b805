use super::*;
use crate::layout;
use crate::spec::{PinMark, ZoneKind};
use crate::views::metric::PERCENT;
use crate::views::{Pinned, at_place, pin_places};
use analysis::best::NEARLY;
use analysis::network::NEARLY_ALL;
use catalog::default_scenario;
use engine::params::Number;
use links::decode;

const LLAMA: &str = "cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8192&strategy=full-shard";

fn map(scenario: &Scenario, moving: bool) -> ChartSpec {
    let mut scratch = Scratch::default();
    scratch.set_moving(moving);
    best_region(scenario, [None; 2], true, &mut scratch)
}

fn number(id: ParamId) -> &'static Number {
    id.number().unwrap()
}

/// Returns the best configuration at one place, by trying all.
fn tried(scenario: &Scenario, link: f64, memory: f64) -> Option<Candidate> {
    let mut moved = *scenario;
    sweep::assign(&mut moved, number(ParamId::LinkBandwidth), link);
    sweep::assign(&mut moved, number(ParamId::GpuMemory), memory);
    let mut candidates = Candidates::default();
    candidates.evaluate(&moved);
    candidates.best(moved.accelerator.values.usable_memory())
}

/// The colours are interpolated between the configurations that are tried, and the readout is not.
#[test]
fn every_node_is_near_what_a_search_at_its_place_finds_and_its_readout_is_that() {
    let scenario = decode(LLAMA).scenario;
    let spec = map(&scenario, false);
    let field = spec.field.as_ref().unwrap();
    for column in (0..field.columns).step_by(9) {
        for row in (0..field.rows).step_by(7) {
            let share = |at: usize, of: usize| at as f64 / (of - 1) as f64;
            let link = layout::value(&spec.x, share(column, field.columns));
            let memory = layout::value(&spec.y, share(row, field.rows));
            let cell = field.cell(column, row).unwrap();
            let mfu = |memory: f64| PERCENT * tried(&scenario, link, memory).unwrap().sample.mfu;
            if tried(&scenario, link, memory / 2.0).unwrap().sample.fits() {
                assert!(
                    mfu(memory / 2.0) - 1.0 <= cell.value && cell.value <= mfu(2.0 * memory) + 1.0,
                    "{link} {memory}"
                );
            }
            let (link, memory) = (spec.x.settled(link), spec.y.settled(memory));
            let (read, best) =
                (at_place(&spec, &scenario, (link, memory)).unwrap(), tried(&scenario, link, memory).unwrap());
            assert!((read.value / (PERCENT * best.sample.mfu) - 1.0).abs() < 1e-12, "{link} {memory}");
            assert_eq!(read.limiter == Limiter::Memory, !best.sample.fits(), "{link} {memory}");
            let fastest = tried(&unlimited(&scenario), 1e9, memory).unwrap().sample.mfu;
            let network = best.sample.fits() && best.sample.mfu < NEARLY_ALL * fastest;
            assert_eq!(read.limiter == Limiter::InterNode, network, "{link} {memory}");
        }
    }
    assert!(spec.zones.iter().any(|zone| zone.kind == ZoneKind::ComputeBound));
    assert_eq!(spec.here, Some((scenario.network.values.inter_node.gbit_per_s(), 80.0)));
}

/// More memory or a faster link is never slower, so neither are the colours.
#[test]
fn colours_rise_with_memory_and_with_the_link() {
    let spec = map(&decode(LLAMA).scenario, false);
    let field = spec.field.as_ref().unwrap();
    let value =
        |column: usize, row: usize| field.cell(column, row).filter(|cell| cell.margin >= 0.0).map(|cell| cell.value);
    for row in 0..field.rows {
        for column in 0..field.columns {
            for next in [value(column + 1, row), value(column, row + 1)].into_iter().flatten() {
                assert!(value(column, row).is_none_or(|value| next >= value), "{column} {row}");
            }
        }
    }
}

/// Reads the numbers of the sentence back, and tries both sides of each.
#[test]
fn the_thresholds_of_the_sentence_are_true() {
    let mut said = 0;
    for link in
        [LLAMA, "", "cluster=a100-40gb-200g&model=llama-3.1-8b&gpus=64", "cluster=dgx-h100&model=mixtral-8x7b&gpus=64"]
    {
        let scenario = decode(link).scenario;
        let caption = map(&scenario, false).caption;
        let number = |after: &str, before: &str| {
            let rest = caption.split_once(after)?.1.split_once(before)?.0;
            rest.replace([',', '\u{2009}', '\u{202f}', '\u{a0}'], "").parse::<f64>().ok()
        };
        let memory = scenario.accelerator.values.memory.gib();
        let own = scenario.network.values.inter_node.gbit_per_s();
        if let Some(from) = number(" from ", "Gbit/s") {
            let mfu = |link: f64| tried(&scenario, link, memory).unwrap().sample.mfu;
            let most = NEARLY_ALL * mfu(3200.0);
            assert!(mfu(0.98 * from) < most && mfu(from) >= most, "{caption}");
            said += 1;
        }
        let enough = number(" below ", "GiB").unwrap_or_else(|| panic!("{caption}"));
        let mfu = |memory: f64| {
            tried(&scenario, own, memory).filter(|best| best.sample.fits()).map_or(0.0, |best| best.sample.mfu)
        };
        assert!(mfu(0.98 * enough) < NEARLY * mfu(288.0) && mfu(1.02 * enough) >= NEARLY * mfu(288.0), "{caption}");
    }
    assert!(said > 0);
}

#[test]
fn the_best_is_no_slower_than_the_scenario_and_told_beside_it() {
    for entry in catalog::PLANS {
        let scenario = decode(entry.link).scenario;
        if !best_holds(&scenario) {
            continue;
        }
        let spec = map(&scenario, true);
        assert!(!spec.caption.contains("NaN") && spec.caption.ends_with('.'), "{}", spec.caption);
    }
    let caption = map(&default_scenario(), false).caption;
    assert!(caption.contains("; this scenario reaches ") && caption.contains("; memory limits below "), "{caption}");
}

#[test]
fn a_map_that_moves_has_the_same_finding() {
    let scenario = decode(LLAMA).scenario;
    let (rest, moving) = (map(&scenario, false), map(&scenario, true));
    assert_eq!((rest.caption, rest.here), (moving.caption, moving.here));
    assert!(moving.field.unwrap().columns < rest.field.unwrap().columns);
}

#[test]
fn one_node_has_no_network() {
    let scenario = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=8").scenario;
    let caption = map(&scenario, false).caption;
    assert!(caption.contains(" One node: the network between nodes is not used. Memory limits below "), "{caption}");
}

#[test]
fn a_pin_of_another_sequence_stands_on_the_same_map() {
    let entry = catalog::CLAIMS.iter().find(|entry| entry.view == "?view=best").unwrap();
    let decoded = decode(entry.link);
    let mut spec = map(&decoded.scenario, true);
    let pins = decoded.pins.iter().map(|scenario| Pinned { name: "A", scenario });
    pin_places(&mut spec, &decoded.scenario, pins);
    assert_eq!(spec.pins, [PinMark { place: 0, at: (100.0, 80.0), own: true }]);
}
