//! Pasted output of runs: out-of-memory messages, training logs, traces, tables of nccl-tests. Each
//! gives a reading or a sentence, and corrections of the scenario are part of its link.

use ::links::decode;
use diagnose::error::explain;
use diagnose::log::{compare, links, parse_log};

const SCENARIOS: [&str; 4] = [
    "",
    "model=llama-3-8b&cluster=dgx-h100&gpus=64&seq=8192",
    "model=mixtral-8x7b&gpus=16&ep=8&framework=megatron&recipe=megatron-mixed&strategy=zero1",
    "model=gemma-2-9b&gpus=8&strategy=zero2&framework=deepspeed&recipe=zero-mixed",
];

/// Reads the bytes as the output of a run, and checks each answer.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((which, text)) = data.split_first() else { return };
    let scenario = decode(SCENARIOS[usize::from(*which) % SCENARIOS.len()]).scenario;
    let text = String::from_utf8_lossy(text);
    match explain(&text, &scenario) {
        Ok(found) => assert!(found.sentence.ends_with('.'), "{}", found.sentence),
        Err(error) => assert!(error.ends_with('.'), "{error}"),
    }
    match parse_log(&text) {
        Ok(measured) => {
            let found = compare(&measured, &scenario);
            assert!(found.ratio.is_none_or(|ratio| ratio.is_finite() && ratio > 0.0), "{found:?}");
            if let Some(link) = found.corrected {
                let decoded = decode(&link);
                assert!(decoded.issues.is_empty(), "{link}: {:?}", decoded.issues);
            }
        }
        Err(error) => assert!(error.ends_with('.'), "{error}"),
    }
    match links::parse_points(&text).and_then(|points| links::fit(&points, &scenario)) {
        Ok(fitted) => assert!(decode(&fitted.link).issues.is_empty(), "{}", fitted.link),
        Err(error) => assert!(error.ends_with('.'), "{error}"),
    }
}
