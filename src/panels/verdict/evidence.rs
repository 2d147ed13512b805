//! The measurements behind predictions for an accelerator, in a sentence.

use crate::panels::accuracy::words::differs;
use crate::words::correction;
use catalog::accuracy::{self, Evidence, Measured, Stack};
use charts::views::{Measure, ScoredRows};
use engine::format;
use engine::scenario::Scenario;

/// Returns the evidence for a prediction: the nearest measured run with the error of its
/// prediction, once the rows are loaded, and the runs on the accelerator; and the differences of
/// the nearest run.
pub fn nearest(scenario: &Scenario, rows: Option<&ScoredRows>) -> (String, Option<String>) {
    let on_accelerator = on_accelerator(scenario);
    let Some((run, steps)) = rows.and_then(|rows| rows.nearest(scenario)) else { return (on_accelerator, None) };
    let other = run.row.scenario();
    let off = run.pair(Measure::StepTime).map_or(String::new(), |(measured, predicted)| {
        format!(", {:+.1}{}% off", 100.0 * (predicted / measured - 1.0), format::THIN_SPACE)
    });
    let far = if steps > FAR { "Nothing measured near; nearest" } else { "Nearest measured" };
    let (model, gpus) = (&run.row.model, format::count(f64::from(other.gpus)));
    let length = format::count(f64::from(other.seq_len));
    let said = format!("{far}: {model}, {length} tokens, {gpus} GPUs{off}. {on_accelerator}");
    (said, Some(format!("{}: {}", run.name, differs(scenario, &other))))
}

/// Distance in steps ([`analysis::similar_runs`]) beyond which a measured run is weak evidence.
const FAR: f64 = 4.0;

/// Returns the runs on the accelerator, and whether the prediction is corrected.
pub fn evidence(scenario: &Scenario) -> String {
    let corrected =
        correction(scenario).map(|said| format!("; corrected by a measurement: {said}")).unwrap_or_default();
    on_accelerator(scenario) + &corrected
}

/// Returns the runs on the accelerator: `1,291 measured runs on H100 SXM, median error 5.1 %`, or
/// that there is none; and the parts of the run without measurements.
fn on_accelerator(scenario: &Scenario) -> String {
    let name = |id: &str| catalog::accelerator(id).map_or("this accelerator", |entry| entry.name);
    let own = name(scenario.accelerator.id);
    let said = match accuracy::evidence(scenario) {
        Evidence::Runs(of) => format!("{} on {own}{}", runs(of), error(of)),
        Evidence::SameSilicon(of) => {
            format!(
                "No measured run on {own}; {} on {}, of the same silicon{}",
                runs(of),
                name(of.accelerator),
                error(of)
            )
        }
        Evidence::DataSheet => format!("Data sheet only: no measured run on {own}"),
    };
    let rollout = if scenario.objective.task.generates() { "; rollout: not measured" } else { "" };
    let stack = Stack::of(scenario);
    let wider = if !stack.is_measured() {
        format!("; none of {} on this silicon: wider ranges", stack.name())
    } else if scenario.accelerator.values.generation.is_fitted() {
        String::new()
    } else {
        "; wider ranges".to_owned()
    };
    said + rollout + &wider
}

/// Returns how a measurement corrects the prediction, and how far its run is from the scenario if
/// it was brought to this page: `Corrected by your run (4 times the GPUs): 1.30x time.`
pub fn corrected(scenario: &Scenario, measured: Option<&Scenario>) -> Option<String> {
    let said = correction(scenario)?;
    let by = match measured.map(|measured| differs(scenario, measured)) {
        None => "a measurement".to_owned(),
        Some(differences) => format!("your run ({differences})"),
    };
    Some(format!("Corrected by {by}: {said}. "))
}

fn runs(of: &Measured) -> String {
    let plural = if of.runs == 1 { "" } else { "s" };
    format!("{} measured run{plural}", format::count(f64::from(of.runs)))
}

/// Returns the median error of the step time if it is known, else that of the peak memory.
fn error(of: &Measured) -> String {
    let percent = |error: f64| format!("{error:.1}{}%", format::THIN_SPACE);
    match (of.step_error, of.peak_error) {
        (Some(error), _) => format!(", median error {}", percent(error)),
        (None, Some(error)) => format!(", median error of the peak memory {}", percent(error)),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::{ACCELERATORS, default_scenario};
    use engine::model::anchor::Anchor;

    #[test]
    fn a_correction_says_how_far_its_run_is() {
        let plain = default_scenario();
        assert_eq!(corrected(&plain, None), None);
        let measured = Scenario { anchor: Anchor { time: 1.3, memory: 1.0 }, ..plain };
        let larger = Scenario { gpus: 4 * plain.gpus, ..measured };
        assert_eq!(corrected(&larger, None).as_deref(), Some("Corrected by a measurement: 1.30x time. "));
        let said = corrected(&larger, Some(&measured)).unwrap();
        assert!(said.starts_with("Corrected by your run (1/4 the GPUs"), "{said}");
        assert!(said.ends_with("): 1.30x time. "), "{said}");
    }

    #[test]
    fn every_accelerator_says_what_it_stands_on() {
        for entry in ACCELERATORS {
            let said = evidence(&Scenario { accelerator: entry.pick(), ..default_scenario() });
            assert!(said.contains(entry.name) && said.contains("measured run"), "{said}");
            let is_fitted = entry.values.generation.is_fitted();
            let is_measured = Stack::of(&Scenario { accelerator: entry.pick(), ..default_scenario() }).is_measured();
            assert_eq!(said.ends_with("wider ranges"), !(is_fitted && is_measured), "{said}");
        }
        let mut custom = default_scenario();
        custom.accelerator.id = engine::scenario::CUSTOM;
        assert!(evidence(&custom).starts_with("No measured run on this accelerator; "), "{}", evidence(&custom));
    }
}
