//! What a text from outside is: a model's config, a link, or a file that this page saved. JSON is read by the browser's own parser.

use js_sys::{Array, JSON, Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::text::import as words;
use engine::import::{Imported, check_length, import, not_json};
use engine::json::Json;
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
    check_length(text)?;
    // A byte order mark is no part of the text.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return carried::of_svg(text).map(|link| opened(&link)).ok_or_else(|| words::NO_LINK.into());
    }
    if let Some(link) = carried::of_text(text) {
        return Ok(opened(link));
    }
    let parsed = JSON::parse(text).map_err(|error| {
        let cause = Reflect::get(&error, &"message".into()).ok().and_then(|message| message.as_string());
        not_json(&cause.unwrap_or_default())
    })?;
    let json = value(&parsed, 0);
    if let Some(link) = carried::of_json(&json) {
        return Ok(opened(link));
    }
    // A report without its link, or a scenario by itself.
    if json.get("scenario").is_some_and(|own| own.entries().is_some()) || json.get("rev").is_some() {
        return Ok(Read::Scenario(Box::new(decode_json(&json)), None));
    }
    import(&json).map(Read::Model)
}

/// What a link opens.
fn opened(link: &str) -> Read {
    let page = link.split_once('#').map_or("", |(page, _)| page);
    Read::Scenario(Box::new(decode_link(link)), page.split_once('?').map(|(_, query)| query.to_owned()))
}

/// A value of the browser's as one of ours.
fn value(from: &JsValue, depth: u32) -> Json {
    if Json::is_too_deep(depth) {
        return Json::Text(String::new());
    }
    if let Some(number) = from.as_f64() {
        Json::Number(number)
    } else if let Some(text) = from.as_string() {
        Json::Text(text)
    } else if let Some(flag) = from.as_bool() {
        Json::Bool(flag)
    } else if let Some(list) = from.dyn_ref::<Array>() {
        Json::List(list.iter().map(|entry| value(&entry, depth + 1)).collect())
    } else if let Some(object) = from.dyn_ref::<Object>() {
        let entry = |pair: JsValue| {
            let pair: Array = pair.unchecked_into();
            (pair.get(0).as_string().unwrap_or_default(), value(&pair.get(1), depth + 1))
        };
        Json::Object(Object::entries(object).iter().map(entry).collect())
    } else {
        Json::Null
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::catalog::default_scenario;
    use engine::import::{MOST_CHARACTERS, TOO_LONG};
    use engine::share::decode::LONGEST_LINK;

    /// A text without end: pairs of a link.
    fn pairs(length: usize) -> String {
        "v=1&gpus=8&".repeat(length.div_ceil(11))
    }

    #[test]
    fn a_text_of_megabytes_is_no_link() {
        let pairs = pairs(MOST_CHARACTERS);
        let svg = format!("<svg><metadata>{}</metadata></svg>", pairs.replace('&', "&amp;"));
        for text in [&pairs, &format!("a,b\n1,2\n# {pairs}\n"), &svg] {
            assert_eq!(read_text(text), Err(TOO_LONG.to_owned()));
        }
    }

    #[test]
    fn a_link_above_64_kb_brings_a_sentence_and_nothing_else() {
        let Ok(Read::Scenario(decoded, None)) = read_text(&pairs(LONGEST_LINK)) else { panic!("this is a link") };
        assert_eq!((decoded.scenario, decoded.pins), (default_scenario(), vec![]));
        assert_eq!(decoded.issues.len(), 1, "{:?}", decoded.issues);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let Ok(Read::Scenario(decoded, None)) = read_text("\u{feff}v=1&gpus=128") else { panic!("this is a link") };
        assert_eq!((decoded.scenario.gpus, decoded.issues), (128, vec![]));
    }
}
