//! Reads JSON as `key=value` pairs, with the same keys as a link.

use core::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Value, from_str};

use super::pairs::{FIRST_SCENARIO, Pairs, stray};
use engine::digits::shortest;
use engine::params::quantity::shorten;
use engine::scenario::issue::{LEFT_OUT, Severity};

/// The entries of an object in their order. Unlike a map, they keep a key that is given twice, so
/// that the reader can say so.
struct Entries(Vec<(String, Value)>);

/// A whole report, which has its scenario in a field.
#[derive(serde::Deserialize)]
struct Report {
    scenario: Entries,
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Entries {
    type Value = Self;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some(entry) = map.next_entry()? {
            self.0.push(entry);
        }
        Ok(self)
    }
}

/// Reads the pairs of a JSON text.
pub(super) fn parse_json_pairs(text: &str) -> Pairs {
    let of_a_report = from_str::<Report>(text).map(|report| report.scenario);
    match of_a_report.or_else(|_| from_str::<Entries>(text)) {
        Ok(entries) => from_entries(entries.0.iter().map(|(key, value)| (key, value))),
        Err(_) => from_str::<Value>(text).map_or_else(|error| no_json(&format!("{error}")), |value| pairs(&value)),
    }
}

/// Reads the pairs of an object, or of the scenario in a whole report.
pub(super) fn pairs(json: &Value) -> Pairs {
    let scenario = json.get("scenario").and_then(Value::as_object);
    match scenario.or(json.as_object()) {
        Some(entries) => from_entries(entries.iter()),
        None => no_json("it is not an object"),
    }
}

fn no_json(reason: &str) -> Pairs {
    let issue = stray(Severity::Error, format!("The JSON could not be read: {reason}."));
    Pairs { pairs: Vec::new(), issues: vec![issue.uses(FIRST_SCENARIO)] }
}

fn from_entries<'a>(entries: impl Iterator<Item = (&'a String, &'a Value)>) -> Pairs {
    let mut read = Pairs::default();
    for (key, value) in entries {
        let text = match value {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.as_f64().map(shortest).unwrap_or_default(),
            Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::Null | Value::Array(_) | Value::Object(_) => {
                let message = format!("The value of “{}” is neither a number nor text.", shorten(key));
                read.issues.push(stray(Severity::Error, message).instead(LEFT_OUT));
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
            let read = parse_json_pairs(text);
            assert_eq!((read.value("v"), read.value("mem")), (Some("1"), Some("80 GiB")), "{text}");
            assert!(read.issues.is_empty(), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_said() {
        for text in ["{", r#"{"a": "#, "[1]", r#"{"mem": [80]}"#] {
            assert_eq!(parse_json_pairs(text).issues.len(), 1, "{text}");
        }
    }
}
