//! Waterfall of a step's time: from the peak down to the model FLOPs utilisation.

use std::rc::Rc;

use crate::names;
use crate::spec::{Axis, ChartSpec, Fall, Falls, Grain, Quantity};
use engine::format;
use engine::model::report::Report;
use engine::model::step::waterfall::{StepPart, Waterfall, waterfall as split};
use engine::params::{Scale, Unit};
use engine::scenario::Scenario;
use engine::units::Seconds;

/// Parts below this share of the step are left out of the sentence.
const LEAST: f64 = 0.005;
/// A difference in MFU that is more than rounding.
const ROUNDING: f64 = 1e-9;

/// Returns the waterfall of a scenario's step.
pub fn waterfall(scenario: &Scenario, report: &Report) -> ChartSpec {
    split_chart(scenario, report, &split(&scenario.setup(), report))
}

/// Returns the figure of a step that has been split.
pub fn split_chart(scenario: &Scenario, report: &Report, split: &Waterfall) -> ChartSpec {
    // Of the run's cost, the updates have the share of their time.
    let updates = report.whole().updates * report.update.time.step / report.whole().time;
    let cost = updates * scenario.run_of(report).cost.get();
    let mut left = 100.0;
    let parts = StepPart::ALL.into_iter().filter(|&part| part == StepPart::Useful || split.get(part) > Seconds::ZERO);
    let bars: Vec<Fall> = parts
        .map(|part| {
            let share = 100.0 * split.share(part);
            left -= share;
            // The last bar starts on the axis: the remainder is rounding.
            let from = if part == StepPart::Useful { 0.0 } else { left.max(0.0) };
            Fall { part, from, share, time: split.get(part), cost: cost * split.share(part) }
        })
        .collect();
    let axis = |label: &str, max| Axis {
        label: label.into(),
        unit: Unit::Percent,
        scale: Scale::Linear,
        min: 0.0,
        max,
        key: None,
        grain: Grain::Digits,
        own: None,
    };
    ChartSpec {
        title: names::of_update(report, "Where the step’s time goes", "Where the update’s time goes").into(),
        caption: caption(report, split),
        x: axis(names::of_update(report, "Share of the step", "Share of the update"), 100.0),
        y: Axis { unit: Unit::None, ..axis("Part", bars.len() as f64) },
        value: Quantity { label: "Time", unit: Unit::Seconds },
        falls: Some(Rc::new(Falls { bars })),
        ..ChartSpec::empty()
    }
}

/// Writes the caption: `37.6 % of the 5.02 s step trains the model at the peak. Most is lost to
/// kernels below the peak (1.30 s), all-gathers that compute does not hide (610 ms) and
/// recomputation (480 ms).`
fn caption(report: &Report, split: &Waterfall) -> String {
    let mut lost: Vec<StepPart> = StepPart::ALL.into_iter().filter(|part| *part != StepPart::Useful).collect();
    lost.sort_by(|one, other| split.get(*other).get().total_cmp(&split.get(*one).get()));
    let named = lost.into_iter().filter(|part| split.share(*part) >= LEAST).take(3);
    let named: Vec<String> =
        named.map(|part| format!("{} ({})", names::lost_to(part), format::seconds(split.get(part)))).collect();
    let useful = split.share(StepPart::Useful);
    let of_step = format!(
        "{} of the {} {} trains the model at the peak.",
        format::percent(useful),
        format::seconds(split.step),
        if report.rollout.is_some() { "update" } else { "step" }
    );
    let most = match named.as_slice() {
        [] => String::new(),
        [one] => format!(" The rest is lost to {one}."),
        several => format!(" Most is lost to {}.", format::listed(several)),
    };
    let more = if report.update.mfu > useful + ROUNDING {
        format!(" The MFU of {} also counts score pairs that a causal mask skips.", format::percent(report.update.mfu))
    } else {
        String::new()
    };
    let condition = if report.fits() { "" } else { "If memory were no limit: " };
    format!("{condition}{of_step}{most}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readout::readout;
    use crate::{describe, table};
    use catalog::{MODELS, SCENARIOS, default_scenario};
    use links::decode;

    #[test]
    fn bars_fall_from_the_peak_to_the_mfu_without_a_gap() {
        for entry in SCENARIOS {
            let scenario = decode(entry.link).scenario;
            let report = scenario.report();
            let spec = waterfall(&scenario, &report);
            let falls = spec.falls.clone().unwrap();
            let mut left = 100.0;
            for bar in &falls.bars {
                assert!((bar.from + bar.share - left).abs() < 1e-6, "{}: {falls:?}", entry.id);
                left = bar.from;
            }
            let last = falls.bars.last().unwrap();
            assert!(last.part == StepPart::Useful && last.from == 0.0);
            assert!((last.share - 100.0 * report.update.mfu).abs() < 1e-6, "{}", entry.id);
            let (time, cost): (f64, f64) =
                falls.bars.iter().map(|bar| (bar.time.get(), bar.cost)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            assert!((time / report.update.time.step.get() - 1.0).abs() < 1e-9);
            let updates = report.whole().updates * report.update.time.step / report.whole().time;
            assert!((cost / (updates * scenario.run_report().cost.get()) - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn every_bar_is_in_the_readout_the_table_and_the_csv() {
        let scenario = default_scenario();
        let spec = waterfall(&scenario, &scenario.report());
        let falls = spec.falls.clone().unwrap();
        let (table, csv) = (table::chart(&spec), table::csv(&spec));
        assert_eq!(table.rows.len(), falls.bars.len() + 1);
        for (place, bar) in falls.bars.iter().enumerate() {
            let (x, y) = falls.middle(place).unwrap();
            assert_eq!(falls.at(y), Some(place));
            let said = readout(&spec, x, y);
            assert_eq!(said.place.first().unwrap().name, names::step_part(bar.part));
            assert!(csv.contains(&bar.time.get().to_string()), "{csv}");
            assert_eq!(table.rows.get(place).unwrap().first().unwrap(), names::step_part(bar.part));
        }
        let down = falls.step(falls.middle(0).unwrap(), 0, -1);
        assert_eq!(down, falls.middle(1));
        assert_eq!(falls.step(falls.middle(0).unwrap(), 0, 6), falls.middle(0));
    }

    #[test]
    fn every_model_has_a_sentence_without_nan() {
        for model in MODELS {
            let scenario = default_scenario().with_model(model.pick());
            let spec = waterfall(&scenario, &scenario.report());
            for text in [&spec.caption, &describe::chart(&spec)] {
                assert!(text.ends_with('.') && !text.contains("NaN") && text.contains('%'), "{text}");
            }
        }
    }
}
