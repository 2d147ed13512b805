//! The schema of a scenario: the keys of links with bounds, options and meanings, and the other
//! names under which they are read.

use engine::params::{Choice, Number, Param, ParamKind, every, quantity};
use links::{spelling, v1};
use serde_json::{Map, Value, json};

use super::{described, into_map, titled};

/// Keys that are no parameters.
const OTHERS: [(&str, &str); 10] = [
    (v1::VERSION_KEY, "Version of links. A scenario with one counts as complete: what it lacks is the default."),
    (v1::REVISION_KEY, "Revision of the data sheets."),
    (v1::MODEL_KEY, "Model of the catalog by its id, name or repository; `ladder` for one by `size`; `custom`."),
    (v1::GPU_KEY, "GPU of the catalog, as in `h100`; its usual node is taken where `cluster` is missing."),
    (v1::CLUSTER_KEY, "Cluster or instance of the catalog, as in `dgx-h100` or `p5.48xlarge`."),
    (v1::NODES_KEY, "Number of nodes, from which the GPUs follow."),
    (v1::BATCH_KEY, "Sequences of a step over all GPUs, from which the accumulation steps follow."),
    ("scale", "Size of a named or custom model along its family, as in `13B`."),
    ("generation", "Silicon of a custom GPU, as in `hopper`."),
    ("blocks", "Layers of a custom model that are not alike, as in `3se.ae`."),
];

/// Returns the schema of a scenario.
pub fn scenario() -> Value {
    let about = "A training run. Any usual spelling of a key or a value is read; an unknown key is refused.";
    titled("Scenario", about, into_map(object()))
}

/// Returns the schema of a scenario as it is given, without its title.
fn object() -> Value {
    let mut properties = Map::new();
    for (key, about) in OTHERS {
        properties.insert(key.to_owned(), described(any(), about));
    }
    for param in every() {
        // A number may come with its unit, an option under the name that a framework has for it.
        let schema = match &param.kind {
            ParamKind::Number(number) => json!({ "anyOf": [within(number), { "type": "string" }] }),
            ParamKind::Choice(choice) => json!({ "anyOf": [one_of(choice), any()] }),
        };
        let names: Vec<&str> = spelling::names_of(param.id).filter(|name| *name != param.key).collect();
        let also = if names.is_empty() { String::new() } else { format!(" Also: {}.", names.join(", ")) };
        properties.insert(param.key.to_owned(), described(schema, &(meaning(param) + &also)));
    }
    // Other names of keys, whose values may be in other units. They are letters, digits and `_`.
    let names = spelling::known_names().filter(|name| !properties.contains_key(*name)).collect::<Vec<_>>();
    let names = format!("^({})$", names.join("|"));
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "patternProperties": { names: described(any(), "Another usual name of a key, from a framework or a table.") },
    })
}

/// Returns the schema of a scenario as reports have it: under the keys of links, numbers as
/// numbers, and every option by its key.
pub(super) fn written() -> Value {
    let mut properties = Map::new();
    for (key, about) in OTHERS {
        properties.insert(key.to_owned(), described(json!({ "type": ["string", "number"] }), about));
    }
    for param in every() {
        let schema = match &param.kind {
            ParamKind::Number(number) => within(number),
            ParamKind::Choice(choice) => one_of(choice),
        };
        properties.insert(param.key.to_owned(), described(schema, &meaning(param)));
    }
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

/// Returns the schema of a value that may be text, a number, or yes or no.
fn any() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

fn within(number: &Number) -> Value {
    let kind = if number.integer { "integer" } else { "number" };
    // Bounds that depend on the scenario are checked with it.
    match number.bounds {
        Some(_) => json!({ "type": kind }),
        None => json!({ "type": kind, "minimum": number.min, "maximum": number.max }),
    }
}

fn one_of(choice: &Choice) -> Value {
    let keys: Vec<&str> = choice.options.iter().map(|option| option.key).collect();
    json!({ "enum": keys })
}

/// Returns label, help and unit of a parameter.
fn meaning(param: &Param) -> String {
    let unit = param.number().map_or("", |number| quantity::unit_label(number.unit));
    let unit = if unit.is_empty() { String::new() } else { format!(" In {unit}.") };
    format!("{}: {}{unit}", param.label, param.help)
}
