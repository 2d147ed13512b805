//! JSON schemas (draft 2020-12) of a scenario, of the whole report and of the small one. The first
//! is made of the table of parameters, the second of the types of the JavaScript package, the third
//! of the fields that write it.

#[cfg(test)]
mod checked;
mod scenario;
mod types;

use serde_json::{Map, Value, json};

use crate::summary_json::{FIELDS, Kind, grades};

pub use scenario::scenario;

/// Dialect of the schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Names of the schemas.
pub const NAMES: [&str; 3] = ["scenario", "report", "summary"];

/// Returns a schema by its name.
///
/// ```
/// assert!(export::schema::NAMES.into_iter().all(|name| export::schema::named(name).is_some()));
/// assert!(export::schema::named("page").is_none());
/// ```
pub fn named(name: &str) -> Option<Value> {
    match name {
        "scenario" => Some(scenario()),
        "report" => Some(report()),
        "summary" => Some(summary()),
        _ => None,
    }
}

/// Returns the schema of the whole report ([`crate::report_json::report_json`]).
pub fn report() -> Value {
    let mut report = types::interface("Report").unwrap_or_default();
    let mut definitions = Map::new();
    definitions.insert("Scenario".to_owned(), scenario::written());
    for name in types::NAMED {
        definitions.insert(name.to_owned(), types::named(name).unwrap_or_default().into());
    }
    report.insert("$defs".to_owned(), definitions.into());
    titled("Report", "Everything that shardwise computes of a scenario.", report)
}

/// Returns the schema of the small report ([`crate::summary_json::summary_json`]).
pub fn summary() -> Value {
    let properties = FIELDS.iter().map(|field| (field.name.to_owned(), described(of_kind(field.kind), field.about)));
    let names: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
    let object = json!({
        "type": "object",
        "additionalProperties": false,
        "required": names,
        "properties": properties.collect::<Map<_, _>>(),
    });
    titled("Summary", "The small report of a scenario.", into_map(object))
}

fn of_kind(kind: Kind) -> Value {
    let maybe = json!({ "type": ["number", "null"] });
    match kind {
        Kind::Text => json!({ "type": "string" }),
        Kind::Word(words) => json!({ "type": "string", "enum": words() }),
        Kind::YesNo => json!({ "type": "boolean" }),
        Kind::Number => json!({ "type": "number" }),
        Kind::MaybeNumber => maybe,
        Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Figure => json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["value", "low", "high"],
            "properties": {
                "value": { "type": "number" },
                "low": described(maybe.clone(), "A tenth of measurements are below; null where they are too few."),
                "high": described(maybe, "A tenth of measurements are above; null where they are too few."),
            },
        }),
        Kind::Evidence => {
            let grade = |about: &str| described(json!({ "type": "string", "enum": grades() }), about);
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["grade", "step_time", "memory", "measured_runs"],
                "properties": {
                    "grade": grade("The weaker of both."),
                    "step_time": grade("Of step time, throughput and MFU."),
                    "memory": grade("Of the memory, and with it of the odds."),
                    "measured_runs": described(
                        json!({ "type": "integer", "minimum": 0 }),
                        "Published runs on the same accelerator.",
                    ),
                },
            })
        }
    }
}

/// Adds a description to a schema.
fn described(mut schema: Value, about: &str) -> Value {
    if let Some(object) = schema.as_object_mut().filter(|_| !about.is_empty()) {
        object.insert("description".to_owned(), about.into());
    }
    schema
}

fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Returns a schema with its dialect, title and description first.
fn titled(title: &str, about: &str, rest: Map<String, Value>) -> Value {
    let first = [("$schema", DIALECT), ("title", title), ("description", about)];
    let first = first.map(|(key, value)| (key.to_owned(), Value::from(value)));
    Value::Object(first.into_iter().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schemas are pages of the book, too.
    #[test]
    fn the_book_has_the_schemas() {
        for name in NAMES {
            let text = serde_json::to_string_pretty(&named(name).unwrap()).unwrap() + "\n";
            let path = format!("{}/../../docs/book/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
            expect_test::expect_file![path].assert_eq(&text);
        }
    }
}
