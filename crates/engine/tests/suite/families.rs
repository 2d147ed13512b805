//! Every family of decoders in transformers, and random configurations of them, have the parameters that the library itself counts:
//! `tests/families/recorded.jsonl`, which `tests/families/ask.py` writes.

use engine::import::import;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const RECORD: &str = include_str!("../../../../tests/families/recorded.jsonl");

/// Families whose count is not that of the library, and why.
const NOT_EXACT: [(&str, &str); 2] = [
    ("blt", "three transformers of bytes and of patches, none of which is the model"),
    ("phi4_multimodal", "towers of vision and audio"),
];

/// Families whose active parameters are not what the record says, and why.
const ACTIVE_DIFFER: [(&str, &str); 3] = [
    ("deepseek_v2", "the class does not say how many experts a token is sent to: 6 here, as in the model"),
    ("jetmoe", "the experts of attention count as if a token used them all"),
    ("longcat_flash", "experts that do nothing have matrices in the class, and count as used"),
];

/// A configuration with other values; `null` where it lacks one.
fn merged(usual: &Value, other: &Value) -> Value {
    let (Value::Object(usual), Value::Object(other)) = (usual, other) else { return other.clone() };
    let mut all: Map<String, Value> = usual.clone();
    for (key, value) in other {
        let within = key.ends_with("_config") && all.get(key).is_some_and(|own| own.get("model_type").is_some());
        let value = if within && value.is_object() { merged(&all[key], value) } else { value.clone() };
        all.insert(key.clone(), value);
    }
    Value::Object(all)
}

/// A line of the record: its family, whether that one is of `AutoModelForCausalLM`, its parameters, all and active, and its configuration.
struct Row {
    kind: String,
    causal: bool,
    params: [u64; 2],
    config: Value,
}

/// The families, and the random configurations.
fn record() -> [Vec<Row>; 2] {
    let mut usual: BTreeMap<String, Value> = BTreeMap::new();
    let (mut families, mut others) = (Vec::new(), Vec::new());
    for line in RECORD.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let params = ["params", "active"].map(|key| row[key].as_u64().unwrap());
        if let Some(kind) = row["kind"].as_str() {
            usual.insert(kind.into(), row["config"].clone());
            let causal = row["causal"] == true;
            families.push(Row { kind: kind.into(), causal, params, config: row["config"].clone() });
        } else {
            let kind = row["of"].as_str().unwrap().to_owned();
            let config = merged(&usual[&kind], &row["with"]);
            others.push(Row { kind, causal: true, params, config });
        }
    }
    [families, others]
}

/// What is wrong with a configuration's count, if anything.
fn fault(row: &Row) -> Option<String> {
    let imported = match import(&row.config) {
        Ok(imported) => imported,
        Err(said) => return Some(said),
    };
    let (shape, [params, active]) = (imported.architecture, row.params);
    if shape.params() != params {
        return Some(format!("{} parameters, not {params}", shape.params()));
    }
    let known = ACTIVE_DIFFER.iter().any(|(kind, _)| *kind == row.kind);
    if shape.active_params() != active && !known {
        return Some(format!("{} active parameters, not {active}", shape.active_params()));
    }
    (!imported.not_understood.is_empty()).then(|| format!("not understood: {}", imported.not_understood.join(", ")))
}

/// Holds every row but those of [`NOT_EXACT`], which must have a fault; returns how many have none.
fn hold(rows: &[Row]) -> usize {
    let mut exact = 0;
    let mut wrong = Vec::new();
    for row in rows {
        let excused = NOT_EXACT.iter().any(|(kind, _)| *kind == row.kind);
        match fault(row) {
            None if excused => wrong.push(format!("{}: exact, so it is no exception", row.kind)),
            None => exact += 1,
            Some(_) if excused => {}
            Some(fault) => wrong.push(format!("{}: {fault}", row.kind)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    exact
}

#[test]
fn families_of_causal_models_have_the_parameters_that_the_library_counts() {
    let [families, _] = record();
    let causal: Vec<Row> = families.into_iter().filter(|row| row.causal).collect();
    let exact = hold(&causal);
    assert!(exact >= 134 && causal.len() >= 136, "{exact} of {}", causal.len());
}

#[test]
fn random_configurations_have_the_parameters_that_the_library_counts() {
    let [_, others] = record();
    let exact = hold(&others);
    assert!(exact >= 197 && others.len() >= 200, "{exact} of {}", others.len());
}
