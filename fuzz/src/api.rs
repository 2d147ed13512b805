//! Calls of Python, npm and the command line: any text and any set values, read in each of the
//! three ways.

use crate::{link_of, pair_of};
use api::{Given, Read, Reading, Refusal, axis, estimate, issues, link, parameters, sweep};
use engine::scenario::issue::Cause;
use links::decode;

/// Valid and invalid names.
const KEYS: [&str; 12] = [
    "model",
    "gpu",
    "cluster",
    "gpus",
    "nodes",
    "global_batch_size",
    "seq_len",
    "micro_batch",
    "batch_size",
    "mem",
    "precision",
    "",
];
/// Valid and invalid typed values.
const VALUES: [&str; 12] =
    ["llama-3-8b", "h100", "8xH100", "64", "8k", "1e400", "-1", "90 GiB", "bf16", "yes", "", "\u{1F600}=&"];

/// Reads the bytes as a call in each of the three ways, and checks the answers.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let (rest, values) = rest.split_at(rest.len() - rest.len().min(usize::from(kind / 4) % 4 * 3));
    let text = match kind % 4 {
        0 => String::from_utf8_lossy(rest).into_owned(),
        1 => format!("model=llama-3-8b&cluster=dgx-h100&gpus=64&{}", String::from_utf8_lossy(rest)),
        2 => link_of(rest),
        _ => format!("{}&model=llama-3-8b&cluster=dgx-h100&gpus=64&seq=4096&mbs=1&accum=1", link_of(rest)),
    };
    let set: Vec<(String, String)> = values.as_chunks::<3>().0.iter().map(|chunk| pair(*chunk)).collect();
    let of = |reading| Given { text: &text, set: &set, reading };
    let lenient = of(Reading::Lenient).read_scenario().expect("what is forgiven is read");
    let said = |refusal: &Refusal| {
        assert!(refusal.message.ends_with(['.', '?', '!']), "“{}” of {text} {set:?}", refusal.message);
        assert!(refusal.message.len() > 10 && !refusal.code.name().is_empty(), "{refusal}");
    };
    match of(Reading::Strict).read_scenario() {
        Err(refusal) => said(&refusal),
        Ok(Read { scenario, issues, .. }) => {
            assert_eq!(scenario, lenient.scenario, "{text} {set:?}");
            // A link that the page wrote keeps choices for later.
            let is_noted = |cause| matches!(cause, Cause::Scenario | Cause::NoEffect);
            assert!(issues.iter().all(|issue| is_noted(issue.cause)), "{issues:?} of {text} {set:?}");
            let of_link = link(&of(Reading::Strict)).expect("what was read has a link");
            assert_eq!(decode(&of_link).scenario, scenario, "{of_link} of {text} {set:?}");
        }
    }
    let given = of([Reading::Strict, Reading::Assuming, Reading::Lenient][usize::from(kind / 16 % 3)]);
    let answer = match kind % 5 {
        0 => parameters(&given),
        1 => issues(&given, std::slice::from_ref(&text)),
        _ => estimate(&given),
    };
    match answer {
        Err(refusal) => said(&refusal),
        Ok(json) => {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&json);
            assert!(parsed.is_ok(), "{parsed:?} of {text} {set:?}");
        }
    }
    for (key, value) in &set {
        let lenient = of(Reading::Lenient);
        match axis::key(key) {
            Err(refusal) => said(&refusal),
            Ok(key) => match axis::resolve(&lenient, &key, value) {
                Err(refusal) => said(&refusal),
                // The packages sweep the resulting numbers.
                Ok(json) => swept(&lenient, &key, &json),
            },
        }
    }
}

/// Asserts that there are numbers at every point.
fn swept(given: &Given, key: &str, resolved: &str) {
    let resolved: serde_json::Value = serde_json::from_str(resolved).expect("JSON");
    let numbers = resolved["numbers"].as_array().into_iter().flatten();
    let numbers: Vec<f64> = numbers.map(|number| number.as_f64().expect("a number")).collect();
    let table = sweep::sweep(given, key, &numbers, "", &[0.0], true);
    for number in table.expect("what is forgiven is swept") {
        // A run that does nothing but write checkpoints never ends.
        assert!(!number.is_nan(), "{key} {numbers:?} of {given:?}");
    }
}

/// A set value.
fn pair(bytes: [u8; 3]) -> (String, String) {
    let [kind, key, value] = bytes;
    let of = |names: &[&str], place: u8| names[usize::from(place) % names.len()].to_owned();
    if kind % 2 == 0 {
        return (of(&KEYS, key), of(&VALUES, value));
    }
    let pair = pair_of([key, kind, value]);
    pair.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).unwrap_or_default()
}
