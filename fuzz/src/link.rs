//! Links: any text gives a scenario that is within its bounds, survives its link, and can be
//! evaluated.

use crate::link_of;
use engine::params;
use engine::scenario::Scenario;
use links::{Decoded, decode, decode_json, encode, encode_with, to_json};

/// Decodes the bytes as a link, and checks the scenario and its report.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let text = if kind % 4 == 0 { String::from_utf8_lossy(rest).into_owned() } else { link_of(rest) };
    let Decoded { scenario, pins, .. } = decode(&text);
    let again = decode(&encode_with(&scenario, &pins));
    assert!(again.issues.is_empty(), "{:?} of {text}", again.issues);
    assert_eq!((again.scenario, &again.pins), (scenario, &pins), "{text}");
    for scenario in pins.iter().chain([&scenario]) {
        check_scenario(scenario);
    }
}

fn check_scenario(scenario: &Scenario) {
    for param in params::every().filter(|param| params::is_held(param, scenario)) {
        assert!(params::is_within_bounds(param, scenario), "{} in {}", param.key, encode(scenario));
    }
    assert_eq!(decode_json(&to_json(scenario)).scenario, *scenario);
    for issue in scenario.issues() {
        assert!(issue.message.ends_with('.'), "{}", issue.message);
    }
    let report = scenario.report();
    let positive = [
        report.update.time.step.get(),
        report.memory.peak.get(),
        report.update.tokens_per_s_per_gpu,
        report.update.mfu,
        report.update.hfu,
    ];
    let parts = report.memory.parts.iter().map(|(_, bytes)| bytes.get());
    assert!(positive.iter().all(|number| *number > 0.0 && number.is_finite()), "{} {report:?}", encode(scenario));
    assert!(parts.into_iter().all(|bytes| bytes >= 0.0 && bytes.is_finite()), "{} {report:?}", encode(scenario));
    let run = scenario.run_report();
    assert!([run.goodput, run.cost.get(), run.host.needed().get()].iter().all(|number| *number >= 0.0), "{run:?}");
}
