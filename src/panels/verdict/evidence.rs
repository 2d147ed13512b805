//! The measurements behind predictions for an accelerator, in a sentence.

use crate::panels::accuracy::words::differs;
use crate::words::correction;
use charts::views::{Measure, ScoredRows};
use engine::format;
use engine::scenario::Scenario;
use explain::run::on_accelerator;

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

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::accuracy::Stack;
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
