//! `catalog` and `parameters`: searches by words.

use api::Refusal;
use api::given::Code;
use catalog::names::{clusters_near, gpus_near, models_near};
use engine::nearest::{did_you_mean, letters};
use engine::params::quantity::shorten;
use export::catalog_json::catalog_json;
use export::params_json::params_json;
use links::spelling::keys_near;
use serde_json::{Map, Value, json};

use super::{Access, MOST, Tool, schema_of, text, top};
use crate::arguments::{Arguments, invalid};

pub(super) const CATALOG: Tool = Tool {
    name: "catalog",
    title: "Search models, GPUs, clusters and interconnects",
    about: "Entries whose id, name or family has all words, each with its numbers and their source.",
    arguments: &[
        ("search", text, "Words, as in \"llama 3.1\" or \"h100\"."),
        ("kind", kind, "One kind alone."),
        ("top", top, "How many entries, 5 if missing."),
    ],
    run: false,
    schema: |access| schema_of(&CATALOG, access, &["search"]),
    answer: catalog,
};

pub(super) const PARAMETERS: Tool = Tool {
    name: "parameters",
    title: "Search the keys of a scenario",
    about: "Keys of a scenario whose name, label, help or options have all words, each with meaning, unit, bounds or \
            options, default and other spellings.",
    arguments: &[
        ("search", text, "Words, as in \"offload\" or \"pipeline schedule\"."),
        ("top", top, "How many keys, 5 if missing."),
    ],
    run: false,
    schema: |access| schema_of(&PARAMETERS, access, &["search"]),
    answer: parameters,
};

/// Kinds of entries.
const KINDS: [&str; 5] = ["models", "accelerators", "clusters", "interconnects", "scenarios"];

/// Most other names of a key in an answer.
const MOST_NAMES: usize = 8;

fn kind() -> Value {
    json!({ "type": "string", "enum": KINDS })
}

/// Returns the words of a search.
fn wanted(arguments: Arguments) -> Result<(String, Vec<String>), Refusal> {
    let text = arguments.text("search")?.unwrap_or_default();
    let words: Vec<String> = text.split_whitespace().map(letters).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Err(Refusal::new(Code::Missing, "Search for what? Give `search` with a word or more."));
    }
    Ok((text.to_owned(), words))
}

/// Returns how well texts match all words: 0 if the first text is the words, then by the place of
/// the text that has them; `None` if a word is in none.
fn rank(texts: &[&str], words: &[String]) -> Option<usize> {
    let texts: Vec<String> = texts.iter().map(|text| letters(text)).collect();
    let whole = words.concat();
    if texts.iter().take(2).any(|text| *text == whole) {
        return Some(0);
    }
    if let Some(place) = texts.iter().position(|text| text.contains(&whole)) {
        return Some(place + 1);
    }
    let places = words.iter().map(|word| texts.iter().position(|text| text.contains(word.as_str())));
    places.collect::<Option<Vec<_>>>()?.into_iter().max().map(|place| place + 1 + texts.len())
}

/// Returns the best of some rows, at most `most`, with the number of all that match.
fn best(mut rows: Vec<(usize, Value)>, most: usize) -> Map<String, Value> {
    rows.sort_by_key(|row| row.0);
    let found = rows.len();
    let first: Vec<Value> = rows.into_iter().take(most).map(|row| row.1).collect();
    let mut answer = Map::new();
    answer.insert("found".to_owned(), found.into());
    answer.insert("entries".to_owned(), first.into());
    answer
}

fn catalog(arguments: Arguments, _: Access) -> Result<Value, Refusal> {
    let most = arguments.count("top", 5, MOST)?;
    let kind = arguments.text("kind")?;
    if let Some(kind) = kind.filter(|kind| !KINDS.contains(kind)) {
        return Err(invalid(format!("“{}” is no kind: there are {}.", shorten(kind), KINDS.join(", "))));
    }
    let (typed, words) = wanted(arguments)?;
    let all = serde_json::to_value(catalog_json()).unwrap_or_default();
    let mut rows = Vec::new();
    for own in KINDS.into_iter().filter(|own| kind.is_none_or(|kind| kind == *own)) {
        for entry in all.get(own).and_then(Value::as_array).into_iter().flatten() {
            let field = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
            let texts = [field("id"), field("name"), field("family"), field("accelerator"), field("scope")];
            if let Some(place) = rank(&texts, &words) {
                let mut row = Map::new();
                row.insert("kind".to_owned(), own.into());
                row.extend(entry.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
                rows.push((place, Value::Object(row)));
            }
        }
    }
    if rows.is_empty() {
        let near: Vec<&str> =
            [models_near(&typed), gpus_near(&typed), clusters_near(&typed)].concat().into_iter().take(3).collect();
        let message = format!("The catalog has nothing with “{}”.{}", shorten(&typed), did_you_mean(&near));
        return Err(Refusal::new(Code::UnknownName, message));
    }
    Ok(best(rows, most).into())
}

/// Returns the rows of the table of parameters, with their first other names.
fn rows() -> Vec<Value> {
    let all = serde_json::to_value(params_json(&catalog::default_scenario())).unwrap_or_default();
    let Value::Array(mut rows) = all else { return Vec::new() };
    for row in rows.iter_mut().filter_map(Value::as_object_mut) {
        // Those of a scenario that nobody asked about.
        row.retain(|key, _| key != "applies" && key != "value");
    }
    rows
}

/// Shortens the list of other names.
fn shortened(mut row: Value) -> Value {
    if let Some(names) = row.get_mut("names").and_then(Value::as_array_mut) {
        names.truncate(MOST_NAMES);
    }
    row
}

/// Returns the row of a key.
pub(super) fn parameter(key: &str) -> Option<Value> {
    rows().into_iter().find(|row| row.get("key").and_then(Value::as_str) == Some(key)).map(shortened)
}

fn parameters(arguments: Arguments, _: Access) -> Result<Value, Refusal> {
    let most = arguments.count("top", 5, MOST)?;
    let (typed, words) = wanted(arguments)?;
    let found = rows().into_iter().filter_map(|row| {
        let field = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let names: Vec<&str> =
            row.get("names").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let options = row.get("options").map(Value::to_string).unwrap_or_default();
        // Each other name alone, so that a whole one counts as such.
        let is_name = names.iter().any(|name| letters(name) == words.concat());
        let texts = [field("key"), field("name"), field("label"), names.join(" "), field("help"), options];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let place = if is_name { Some(0) } else { rank(&texts, &words) };
        place.map(|place| (place, row.clone()))
    });
    let found: Vec<(usize, Value)> = found.map(|(place, row)| (place, shortened(row))).collect();
    if found.is_empty() {
        let message = format!("No key of a scenario has “{}”.{}", shorten(&typed), did_you_mean(&keys_near(&typed)));
        return Err(Refusal::new(Code::UnknownKey, message));
    }
    Ok(best(found, most).into())
}
