//! The words of the table of what moves the result.

use crate::derived::Sensitivity;
use charts::names::in_sentence;
use charts::views::Metric;
use engine::analysis::sensitivity::{Effect, Knob};
use engine::format::{self, delta, delta_points, percent};
use engine::params::Kind;

/// The table's heading.
pub const TITLE: &str = "What moves the result most";
/// Where a number has no such value.
pub const NONE: &str = "–";

/// The heading of each column.
pub fn header(metric: Metric) -> [String; 3] {
    let name = in_sentence(metric.quantity().label);
    ["Number".into(), format!("{name}, +10 %"), format!("{name}, doubled")]
}

/// A number's value.
pub fn value(knob: &Knob) -> String {
    match &knob.param.kind {
        Kind::Number(number) => format::value(number.unit, knob.now),
        Kind::Choice(_) => String::new(),
    }
}

/// A change of the result: of a share in points, else in percent of what it was.
pub fn change(metric: Metric, now: f64, effect: Effect) -> String {
    if metric == Metric::Mfu {
        delta_points((effect.value - now) / 100.0)
    } else {
        delta(effect.value / now - 1.0, percent)
    }
}

/// Beside a change after which it fits, or no longer does.
pub fn fit(fits: bool) -> &'static str {
    if fits { "fits" } else { "does not fit" }
}

/// Said when a number stands on the axis of the curves.
pub fn shown(label: &str) -> String {
    format!("The curves now show {}.", in_sentence(label))
}

/// `MFU depends most on link bandwidth: +2.10 points with a tenth more, +12.1 points doubled. Doubled GPU memory would make it fit.`
pub fn caption(shown: &Sensitivity) -> String {
    let &Sensitivity { metric, now, fits, ref knobs } = shown;
    let name = in_sentence(metric.quantity().label);
    let moot = if fits { "" } else { "If memory were no limit: " };
    // What makes it fit is first, and said last.
    let makes_fit = |knob: &&Knob| !fits && [knob.tenth, knob.doubled].iter().flatten().any(|effect| effect.fits);
    let strongest = knobs.iter().find(|knob| !makes_fit(knob)).or(knobs.first());
    let Some(strongest) = strongest else { return format!("No number alone moves {name}.") };
    let said =
        |effect: Option<Effect>, how: &str| effect.map(|effect| format!("{} {how}", change(metric, now, effect)));
    let both: Vec<String> = [said(strongest.tenth, "with a tenth more"), said(strongest.doubled, "doubled")]
        .into_iter()
        .flatten()
        .collect();
    let label = in_sentence(strongest.param.label);
    let fitting = knobs.iter().find(|knob| !fits && knob.doubled.is_some_and(|effect| effect.fits));
    let fitting = fitting
        .map_or(String::new(), |knob| format!(" Twice the {} would make it fit.", in_sentence(knob.param.label)));
    let name = if fits { metric.quantity().label.to_string() } else { name };
    format!("{moot}{name} depends most on {label}: {}.{fitting}", both.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::derived::Analysis;
    use crate::view::View;
    use engine::catalog::{MODELS, default_scenario};

    #[test]
    fn every_model_and_metric_has_a_finding() {
        for model in MODELS {
            let scenario = default_scenario().with_model(model.pick());
            let report = scenario.report();
            for metric in Metric::ALL {
                let view = View::from_query("?embed=1&view=sensitivity");
                let shown = Analysis::of(&scenario, &report, &View { metric, ..view }).sensitivity;
                let caption = caption(&shown);
                assert!(caption.contains(" depends most on ") && caption.ends_with('.'), "{caption}");
                for knob in &shown.knobs {
                    for effect in [knob.tenth, knob.doubled].into_iter().flatten() {
                        let said = change(metric, shown.now, effect);
                        assert!(!said.contains("NaN") && !said.contains('('), "{said}");
                    }
                }
            }
        }
    }
}
