//! A Hugging Face `config.json` as a model of the user's own: its shape, what was read, what was not understood, or a
//! sentence about what is wrong.
//!
//! What a config leaves out is what `transformers` takes for it, family by family. Reading never fails
//! but by a sentence.

mod attention;
mod families;
mod fields;
mod leftover;
mod text;

use serde_json::Value;

use crate::model::transformer::Architecture;
use crate::params::quantity::shorten;
use families::FAMILIES;
use fields::Fields;
pub use text::text_of;

/// Longer texts are not read: a `config.json` has a few thousand characters, with the labels of a classifier some hundred
/// thousand.
pub const MOST_CHARACTERS: usize = 1_000_000;

/// What is said of longer ones.
pub const TOO_LONG: &str = "This text is longer than a million characters, and a config.json has a few thousand.";

/// How `serde_json` begins its error about a number that no 64-bit float holds.
const TOO_LARGE: &str = "number out of range";

/// What a config says.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The model's name as far as the config knows it: the end of `_name_or_path`, else its class, else its family.
    pub name: String,
    /// The shape.
    pub architecture: Architecture,
    /// The fields that it was read from.
    pub used: Vec<&'static str>,
    /// Fields that were not understood and might matter. What never changes a shape (token ids, formats, versions, rotary
    /// positions) is not among them.
    pub not_understood: Vec<String>,
}

/// The JSON that a text is.
///
/// # Errors
///
/// A sentence: the text is empty, too long or no JSON, or it has a number larger than 1.8e308.
pub fn parse(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Err("There is nothing to read: paste the text of a config.json.".into());
    }
    check_length(text)?;
    serde_json::from_str(text).map_err(|error| {
        let cause = error.to_string();
        // Numbers such as 1e400 are JSON, but `serde_json` has no kind of error for them.
        let what = if cause.starts_with(TOO_LARGE) { "cannot be read" } else { "is not JSON" };
        format!("This {what}. The parser says: {cause}.")
    })
}

/// Whether a text is short enough to be read.
///
/// # Errors
///
/// A sentence: it is too long.
pub fn check_length(text: &str) -> Result<(), String> {
    if text.len() > MOST_CHARACTERS { Err(TOO_LONG.into()) } else { Ok(()) }
}

/// The shape that a config describes.
///
/// # Errors
///
/// A sentence: no object, no model, an unknown family, a missing field, a value out of its bounds.
pub fn import(config: &Value) -> Result<Imported, String> {
    let Value::Object(outer) = config else {
        return Err("This JSON is no model config, which is an object in braces with a model_type.".into());
    };
    // Models that also see or hear keep their text part apart.
    let inner = ["text_config", "llm_config", "language_config"].into_iter().find_map(|key| config.get(key));
    let mut fields = Fields::new(inner.and_then(Value::as_object), outer);
    let Some(types) = fields.model_types() else {
        return Err("This JSON is no model config: it has no model_type.".into());
    };
    let Some(family) = FAMILIES.iter().find(|family| types.iter().flatten().any(|kind| family.types.contains(kind)))
    else {
        let kind = types.into_iter().flatten().last().unwrap_or_default();
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        return Err(format!(
            "The page cannot read configs of the family “{}”. It reads {}.",
            shorten(kind),
            known.join(", ")
        ));
    };
    let architecture = (family.read)(&mut fields, family.style);
    match fields.problem() {
        Some(problem) => Err(problem),
        None => Ok(Imported {
            name: fields.name(family.name),
            architecture,
            not_understood: leftover::not_understood(&fields),
            used: fields.into_used(),
        }),
    }
}
