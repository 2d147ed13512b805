//! Tests of programs whose keys are listed in a table: files are read as a person read them by hand
//! (`programs/<program>/expected.jsonl`).

use std::path::Path;

use catalog::default_scenario;
use engine::params::{ParamKind, find};
use engine::scenario::Scenario;
use files::run::{File, Run, read_run};
use links::encode;
use serde_json::{Map, Value};

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/tables");
const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");

/// An example, read by hand.
#[derive(serde::Deserialize)]
struct Expected {
    file: String,
    /// Expected values, by keys of links.
    expect: Map<String, Value>,
    /// Which of model, GPUs and length the file does not state.
    open: Vec<String>,
}

/// Returns the value of a scenario for a key of links.
fn value(scenario: &Scenario, key: &str) -> String {
    if key == "model" {
        let link = encode(scenario);
        let model = link.split('&').find_map(|pair| pair.strip_prefix("model="));
        return model.unwrap_or("llama-2-13b").to_owned();
    }
    let param = find(key).unwrap_or_else(|| panic!("{key} is no key of links"));
    match &param.kind {
        ParamKind::Number(number) => (((number.get)(scenario) * 1e6).round() / 1e6).to_string(),
        ParamKind::Choice(_) => param.id.option(scenario).to_owned(),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the values that differ from the expected ones.
fn differences(run: &Run, expected: &Expected) -> Vec<String> {
    let is_open = |key: &str| expected.open.iter().any(|open| open == key);
    // A model described by its numbers is compared by those numbers.
    let shape = expected.expect.get("shape").and_then(Value::as_object);
    let parts = shape.into_iter().flatten();
    let whole = expected.expect.iter().filter(|(key, _)| *key != "shape" && !(shape.is_some() && *key == "model"));
    let values = whole.chain(parts).filter_map(|(key, value_expected)| {
        if value_expected.is_null() {
            return None;
        }
        let (found, expected) = (value(&run.scenario, key), text(value_expected));
        let is_left = matches!(key.as_str(), "model" | "gpus" | "seq") && is_open(key);
        (found != expected && !is_left).then(|| format!("{key} is {found}, not {expected}"))
    });
    let mut found: Vec<String> = values.collect();
    let open: Vec<String> =
        run.open.iter().map(|open| serde_json::to_value(open).unwrap().as_str().unwrap().to_owned()).collect();
    let open = open.iter().map(|open| if open == "length" { "seq" } else { open });
    let mut open: Vec<&str> = open.collect();
    // A number of GPUs derived from the batch is listed as not stated.
    if !open.contains(&"gpus") && run.assumed.iter().any(|said| said.contains("do not say how many GPUs")) {
        open.push("gpus");
    }
    let wanted = expected.open.iter().map(String::as_str).filter(|key| ["model", "gpus", "seq"].contains(key));
    let mut wanted: Vec<&str> = wanted.collect();
    open.sort_unstable();
    wanted.sort_unstable();
    if open != wanted {
        found.push(format!("open is {open:?}, not {wanted:?}"));
    }
    found
}

#[test]
fn examples_are_read_as_a_person_reads_them() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    let recorded = std::fs::read_to_string(format!("{RUNS}/recorded.jsonl")).unwrap();
    let mut folders: Vec<_> = std::fs::read_dir(PROGRAMS).unwrap().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.join("keys.toml").exists()) {
        let slug = folder.file_name().unwrap().to_string_lossy();
        // Examples that were not read by hand are at least recorded.
        let Ok(lines) = std::fs::read_to_string(folder.join("expected.jsonl")) else {
            let program = catalog::programs::Program::find(&slug).unwrap();
            let files = recorded.matches(&format!("\"format\":[\"{}\"", program.name())).count();
            let is_recorded = Path::new(RUNS).join(slug.as_ref()).exists();
            assert!(files >= 9 || !is_recorded, "{slug}: {files}");
            continue;
        };
        for line in lines.lines() {
            let expected: Expected =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{slug}: {error}: {line}"));
            let path = Path::new(RUNS).join(slug.as_ref()).join(&expected.file);
            let file = File::new(expected.file.as_str(), std::fs::read_to_string(&path).unwrap());
            count += 1;
            match read_run(&[file], &default_scenario()) {
                Ok(run) => {
                    let found = differences(&run, &expected);
                    wrong.extend(found.into_iter().map(|said| format!("{slug}/{}: {said}", expected.file)));
                }
                Err(said) => wrong.push(format!("{slug}/{}: {said}", expected.file)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} in {count}: {wrong:#?}", wrong.len());
    assert!(count >= 80, "{count}");
}
