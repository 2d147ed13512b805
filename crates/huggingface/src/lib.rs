//! Reads a Hugging Face `config.json` into a custom model: its architecture, the fields that were
//! used, and the fields that were not understood. PEFT's `adapter_config.json` is read too
//! ([`import_adapter`]), and lists of the lengths of texts ([`import_lengths`]).
//!
//! Fields that a config omits take the default of the model's class in `transformers`. The only
//! failure is an error sentence.

mod adapter;
mod attention;
mod class;
mod families;
mod fields;
mod layers;
mod leftover;
mod lengths;
mod projector;
mod stored;
mod text;
mod tower;

use serde_json::{Map, Value};

pub use adapter::{Adapter, import_adapter, is_adapter};
use catalog::names::refusal_of_type;
use engine::model::transformer::{Architecture, ExtraParams};
use engine::params::quantity::shorten;
use fields::Fields;
pub use lengths::{TextLengths, import_lengths};
pub use stored::Stored;
pub use text::text_of;

/// Longest text that is read, in characters. A `config.json` has a few thousand, or some hundred
/// thousand with the labels of a classifier.
pub const MOST_CHARACTERS: usize = 1_000_000;

/// Error for longer texts.
pub const TOO_LONG: &str = "This text is longer than a million characters; a config.json has a few thousand.";

/// Prefix of the `serde_json` error for a number that no 64-bit float holds.
const TOO_LARGE: &str = "number out of range";

/// The result of reading a config.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The model's name: the last part of `_name_or_path`, else its class, else its family.
    pub name: String,
    /// The model's architecture.
    pub architecture: Architecture,
    /// The fields that were read.
    pub used: Vec<&'static str>,
    /// Fields that were not understood and might matter. Fields that never change a shape (token
    /// ids, formats, versions, rotary positions) are left out.
    pub not_understood: Vec<String>,
    /// The format in which the weights are stored, where the config states one.
    pub stored: Option<Stored>,
}

/// Parses a text as JSON.
///
/// # Errors
///
/// A sentence if the text is empty, too long or not JSON, or if it holds a number larger than
/// 1.8e308.
pub fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Err("The input is empty: paste the text of a config.json.".into());
    }
    check_length(text)?;
    // Python writes numbers that JSON lacks: these are read as words, which are not sizes.
    let read = serde_json::from_str(text).or_else(|error| match with_words(text) {
        Some(text) => serde_json::from_str(&text).map_err(|_| error),
        None => Err(error),
    });
    read.map_err(|error| {
        let cause = error.to_string();
        // Numbers such as 1e400 are valid JSON, but `serde_json` has no error kind for them.
        let what = if cause.starts_with(TOO_LARGE) { "cannot be read" } else { "is not JSON" };
        format!("This {what}: {cause}.")
    })
}

/// Quotes `Infinity`, `-Infinity` and `NaN` outside of strings; `None` if there are none.
fn with_words(text: &str) -> Option<String> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut written = String::with_capacity(text.len() + 16);
    let (mut rest, mut inside, mut found) = (text, false, false);
    while let Some(letter) = rest.chars().next() {
        let word = WORDS.iter().find(|word| !inside && rest.starts_with(**word));
        let length = match (word, letter) {
            (Some(word), _) => {
                found = true;
                written.extend(["\"", word, "\""]);
                word.len()
            }
            // An escaped character does not end a string.
            (None, '\\') if inside => {
                let length = 1 + rest.chars().nth(1).map_or(0, char::len_utf8);
                written.push_str(rest.get(..length).unwrap_or_default());
                length
            }
            (None, _) => {
                inside ^= letter == '"';
                written.push(letter);
                letter.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    found.then_some(written)
}

/// Checks that a text is short enough to be read.
///
/// # Errors
///
/// A sentence if the text is too long.
pub fn check_length(text: &str) -> Result<(), String> {
    if text.len() > MOST_CHARACTERS { Err(TOO_LONG.into()) } else { Ok(()) }
}

/// Reads the architecture that a config describes.
///
/// # Errors
///
/// A sentence if the value is not an object, describes no model or an unknown family, lacks a
/// field, or holds a value out of bounds.
pub fn import(config: &Value) -> Result<Imported, String> {
    /// Parts that turn text into speech, next to a model that reads and writes text.
    const SPEAKING: [&str; 3] = ["talker_config", "token2wav_config", "code2wav_config"];
    let Value::Object(outer) = config else {
        return Err("This JSON is not a model config: an object in braces with a model_type.".into());
    };
    // Models that also speak nest the part that reads and writes text; the part that produces
    // speech is a separate model.
    let thinker =
        outer.get("thinker_config").and_then(Value::as_object).filter(|part| part.contains_key("text_config"));
    let (whole, config) = (config, thinker.map_or(config, |_| &outer["thinker_config"]));
    let outer = thinker.unwrap_or(outer);
    let speaks = |name: &&str| thinker.is_some() && whole.get(*name).is_some_and(|part| !leftover::says_nothing(part));
    let others = SPEAKING.into_iter().filter(speaks).map(str::to_owned);
    // Multimodal models nest the config of their language model.
    let inner = ["text_config", "llm_config", "language_config"].into_iter().find_map(|key| config.get(key));
    let inner = inner.and_then(Value::as_object);
    let class = class_of(inner, outer);
    let mut fields = Fields::new(inner, outer, &class);
    let Some(types) = fields.model_types() else {
        return Err("This JSON is not a model config: it has no model_type.".into());
    };
    let Some(family) =
        types.iter().flatten().find_map(|kind| families::all().find(|family| family.types.contains(kind)))
    else {
        /// The most names in the sentence.
        const MOST_NAMED: usize = 30;
        let kind = types.into_iter().flatten().last().unwrap_or_default();
        if let Some(says) = types.into_iter().flatten().find_map(refusal_of_type) {
            return Err(format!("A model of the type “{}” {says}", shorten(kind)));
        }
        let known: Vec<&str> = families::all().map(|family| family.name).collect();
        return Err(format!(
            "The page cannot read configs of the family “{}”. It reads {} and {} more.",
            shorten(kind),
            known.iter().take(MOST_NAMED).copied().collect::<Vec<_>>().join(", "),
            known.len().saturating_sub(MOST_NAMED)
        ));
    };
    let text = family.read_shape(&mut fields);
    let projector::Beside { tower, outside } = projector::read_other_parts(&mut fields, &text);
    let outside = text.extra.outside.saturating_add(outside as i64);
    let architecture = Architecture { extra: ExtraParams { outside, ..text.extra }, tower, ..text };
    check_extra(&mut fields, &architecture);
    match fields.problem() {
        Some(problem) => Err(problem),
        None => Ok(Imported {
            name: fields.name(family.name),
            architecture,
            not_understood: leftover::not_understood(&fields).into_iter().chain(others).collect(),
            used: fields.into_used(),
            stored: Stored::of_config(whole),
        }),
    }
}

/// Returns the defaults of the language model's class: all of them for a nested config, since such
/// configs omit defaults; else without the sizes, which every config has.
fn class_of(inner: Option<&Map<String, Value>>, outer: &Map<String, Value>) -> Map<String, Value> {
    /// Sizes that every config of a model has.
    const NEEDED: [&str; 18] = [
        "num_hidden_layers",
        "n_layer",
        "n_layers",
        "num_layers",
        "hidden_size",
        "n_embd",
        "d_model",
        "embedding_dim",
        "num_attention_heads",
        "n_head",
        "n_heads",
        "num_heads",
        "attention_heads",
        "vocab_size",
        "intermediate_size",
        "num_blocks",
        "layers",
        "embed_dim",
    ];
    let named = |entries: &Map<String, Value>| entries.get("model_type").and_then(Value::as_str).map(class::values);
    if let Some(values) = inner.and_then(named) {
        return values;
    }
    let mut values = named(outer).unwrap_or_default();
    for name in NEEDED {
        values.remove(name);
    }
    values
}

/// Checks the bounds of the parameters that no field of a shape counts.
fn check_extra(fields: &mut Fields, shape: &Architecture) {
    /// Bound of the parameters in the table.
    const MOST: u64 = 1_000_000_000_000;
    let extra = shape.extra;
    if extra.layers.unsigned_abs() > MOST || extra.outside.unsigned_abs() > MOST {
        fields.fail("The config has more than a trillion parameters of an unsupported kind.".into());
    }
}
