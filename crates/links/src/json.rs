//! Reads JSON as `key=value` pairs, with the same keys as a link.

use serde_json::{Map, Value};

use super::pairs::{Pairs, stray};
use engine::digits::shortest;
use engine::params::quantity::shorten;
use engine::scenario::issue::Severity;

/// Reads the pairs of a JSON text.
pub(super) fn read(text: &str) -> Pairs {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => pairs(&value),
        Err(error) => no_json(&format!("{error}")),
    }
}

/// Reads the pairs of an object, or of the scenario in a whole report.
pub(super) fn pairs(json: &Value) -> Pairs {
    // A whole report has its scenario in a field.
    let scenario = json.get("scenario").and_then(Value::as_object);
    match scenario.or(json.as_object()) {
        Some(entries) => from_object(entries),
        None => no_json("it is not an object"),
    }
}

fn no_json(reason: &str) -> Pairs {
    let message = format!("The JSON could not be read: {reason}. The page shows its first scenario instead.");
    Pairs { pairs: Vec::new(), issues: vec![stray(Severity::Error, message)] }
}

fn from_object(entries: &Map<String, Value>) -> Pairs {
    let mut read = Pairs::default();
    for (key, value) in entries {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.as_f64().map(shortest).unwrap_or_default(),
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                let message = format!("The value of “{}” is neither a number nor text. It was left out.", shorten(key));
                read.issues.push(stray(Severity::Error, message));
                continue;
            }
        };
        read.pairs.push((key.trim().to_ascii_lowercase(), text));
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_and_so_is_the_scenario_of_a_report() {
        for text in [r#"{"mem": "80 GiB", "v": 1}"#, r#"{"mfu": 0.5, "scenario": {"mem": "80 GiB", "v": 1}}"#] {
            let read = read(text);
            assert_eq!((read.value("v"), read.value("mem")), (Some("1"), Some("80 GiB")), "{text}");
            assert!(read.issues.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_said() {
        for text in ["{", r#"{"a": "#, "[1]", r#"{"mem": [80]}"#] {
            assert_eq!(read(text).issues.len(), 1, "{text}");
        }
    }
}
