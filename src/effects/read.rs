//! What a text from outside is: a model's config, a link, or a file that this page saved.

use serde_json::Value;

use crate::text::import as words;
use engine::import::{Imported, import, parse};
use engine::share::carried;
use engine::share::decode::{Decoded, decode_json, decode_link};

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// A model.
    Model(Imported),
    /// A scenario with its pins, and the query of its link, where it came with one.
    Scenario(Box<Decoded>, Option<String>),
}

/// Reads a text: JSON, SVG, CSV or a link.
///
/// # Errors
///
/// A sentence: what the text is instead, or what it lacks.
pub fn read_text(text: &str) -> Result<Read, String> {
    if text.trim_start().starts_with('<') {
        return carried::of_svg(text).map(|link| opened(&link)).ok_or_else(|| words::NO_LINK.into());
    }
    if let Some(link) = carried::of_text(text) {
        return Ok(opened(link));
    }
    let json = parse(text)?;
    if let Some(link) = carried::of_json(&json) {
        return Ok(opened(link));
    }
    // A report without its link, or a scenario by itself.
    if json.get("scenario").is_some_and(Value::is_object) || json.get("rev").is_some() {
        return Ok(Read::Scenario(Box::new(decode_json(&json)), None));
    }
    import(&json).map(Read::Model)
}

/// What a link opens.
fn opened(link: &str) -> Read {
    let page = link.split_once('#').map_or("", |(page, _)| page);
    Read::Scenario(Box::new(decode_link(link)), page.split_once('?').map(|(_, query)| query.to_owned()))
}
