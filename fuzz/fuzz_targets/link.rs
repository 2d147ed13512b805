//! Links: any text gives a scenario that is within its bounds, survives its link, and can be evaluated.

#![no_main]

use engine::catalog::{ACCELERATORS, CLUSTERS, MODELS};
use engine::params::{self, Kind};
use engine::scenario::{CUSTOM, Scenario};
use engine::share::{Decoded, decode, decode_json, encode, encode_with, to_json};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else { return };
    let text = if kind % 4 == 0 { String::from_utf8_lossy(rest).into_owned() } else { link_of(rest) };
    let Decoded { scenario, pins, .. } = decode(&text);
    let again = decode(&encode_with(&scenario, &pins));
    assert!(again.issues.is_empty(), "{:?} of {text}", again.issues);
    assert_eq!((again.scenario, &again.pins), (scenario, &pins), "{text}");
    for scenario in pins.iter().chain([&scenario]) {
        check(scenario);
    }
});

fn check(scenario: &Scenario) {
    for param in params::every().filter(|param| params::is_held(param, scenario)) {
        assert!(params::is_within_bounds(param, scenario), "{} in {}", param.key, encode(scenario));
    }
    assert_eq!(decode_json(&to_json(scenario)).scenario, *scenario);
    for issue in scenario.issues() {
        assert!(issue.message.ends_with('.'), "{}", issue.message);
    }
    let report = scenario.report();
    let positive = [report.time.step.get(), report.memory.peak.get(), report.tokens_per_s_per_gpu, report.mfu, report.hfu];
    let parts = report.memory.parts.iter().map(|(_, bytes)| bytes.get());
    assert!(positive.iter().all(|number| *number > 0.0 && number.is_finite()), "{} {report:?}", encode(scenario));
    assert!(parts.into_iter().all(|bytes| bytes >= 0.0 && bytes.is_finite()), "{} {report:?}", encode(scenario));
    let run = scenario.run_report();
    assert!([run.goodput, run.cost.get(), run.host_memory().get()].iter().all(|number| *number >= 0.0), "{run:?}");
}

/// A link of three bytes a pair: which key, and which value.
fn link_of(bytes: &[u8]) -> String {
    let count = params::every().count();
    let mut pairs = vec!["v=1".to_owned()];
    for chunk in bytes.chunks_exact(3) {
        let [key, high, low] = chunk else { continue };
        let (place, value) = (usize::from(*key), u16::from_be_bytes([*high, *low]));
        pairs.push(match params::every().nth(place) {
            Some(param) => format!("{}={}", param.key, value_of(&param.kind, value)),
            None => other(place - count, value),
        });
    }
    pairs.join("&")
}

/// The keys that are no parameters.
fn other(place: usize, value: u16) -> String {
    let index = usize::from(value);
    let entry = |ids: Vec<&'static str>| ids.get(index % (ids.len() + 1)).copied().unwrap_or(CUSTOM);
    match place % 6 {
        0 => format!("rev={}", value % 4),
        1 => format!("cluster={}", entry(CLUSTERS.iter().map(|entry| entry.id).collect())),
        2 => format!("gpu={}", entry(ACCELERATORS.iter().map(|entry| entry.id).collect())),
        3 => format!("model={}", entry(MODELS.iter().map(|entry| entry.id).collect())),
        4 => "pin=1".to_owned(),
        _ => "v=1".to_owned(),
    }
}

fn value_of(kind: &Kind, value: u16) -> String {
    match kind {
        Kind::Choice(choice) => {
            let options = choice.options;
            options.get(usize::from(value) % options.len()).map_or_else(String::new, |option| option.key.to_owned())
        }
        Kind::Number(number) => {
            let share = f64::from(value) / f64::from(u16::MAX);
            // Most values near the smaller bound, some beyond the larger one.
            (number.min + 1.01 * share.powi(6) * (number.max - number.min)).to_string()
        }
    }
}
