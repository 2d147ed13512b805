//! Reads a text from outside: a model's config, a link, or a file that this page saved.

use serde_json::Value;

use crate::text::import as words;
use engine::share::carried;
use engine::share::decode::{Decoded, decode_json, decode_link};
use files::config::{
    Adapter, Imported, TextLengths, check_length, import, import_adapter, import_lengths, is_adapter, parse,
};

/// What was read.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one is read at a time")]
pub(super) enum Read {
    /// A model.
    Model(Imported),
    /// An adapter.
    Adapter(Box<Adapter>),
    /// Lengths of texts.
    Lengths(TextLengths),
    /// A scenario with its pins, and the query of its link, where it came with one.
    Scenario(Box<Decoded>, Option<String>),
}

/// Reads a text: JSON, SVG, CSV or a link.
///
/// # Errors
///
/// A sentence: what the text is instead, or what it lacks.
pub(super) fn read_text(text: &str) -> Result<Read, String> {
    check_length(text)?;
    // A byte order mark is no part of the text.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return carried::of_svg(text).map(|link| opened(&link)).ok_or_else(|| words::NO_LINK.into());
    }
    if let Some(link) = carried::of_text(text) {
        return Ok(opened(link));
    }
    if let Some(lengths) = import_lengths(text) {
        return lengths.map(Read::Lengths);
    }
    if words::is_address(text) {
        return Err(words::not_fetched(text));
    }
    let json = parse(text)?;
    if let Some(link) = carried::of_json(&json) {
        return Ok(opened(link));
    }
    // A report without its link, or a scenario by itself.
    if json.get("scenario").is_some_and(Value::is_object) || json.get("rev").is_some() {
        return Ok(Read::Scenario(Box::new(decode_json(&json)), None));
    }
    if is_adapter(&json) {
        return import_adapter(&json).map(|adapter| Read::Adapter(Box::new(adapter)));
    }
    import(&json).map(Read::Model)
}

/// Reads a link.
fn opened(link: &str) -> Read {
    let page = link.split_once('#').map_or("", |(page, _)| page);
    Read::Scenario(Box::new(decode_link(link)), page.split_once('?').map(|(_, query)| query.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::catalog::default_scenario;
    use engine::share::decode::LONGEST_LINK;
    use files::config::{MOST_CHARACTERS, TOO_LONG};

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
    fn an_address_is_told_from_json_and_says_where_the_text_is() {
        let said = read_text("https://huggingface.co/Qwen/Qwen3-32B\n").unwrap_err();
        assert!(said.contains("https://huggingface.co/Qwen/Qwen3-32B/raw/main/config.json"), "{said}");
        let said = read_text("https://example.com/config.json").unwrap_err();
        assert!(said.starts_with("This page fetches nothing") && !said.contains("raw/main"), "{said}");
        let Ok(Read::Scenario(decoded, _)) = read_text("https://example.com/?map=seq.gpus#v=1&gpus=128") else {
            panic!("a link of ours")
        };
        assert_eq!(decoded.scenario.gpus, 128);
    }

    #[test]
    fn an_adapter_is_read_as_one() {
        let text = r#"{"peft_type": "LORA", "r": 64, "base_model_name_or_path": "meta-llama/Llama-3.2-1B"}"#;
        let Ok(Read::Adapter(adapter)) = read_text(text) else { panic!("this is an adapter") };
        assert_eq!((adapter.trained().rank, adapter.model().map(|entry| entry.id)), (64, Some("llama-3.2-1b")));
    }

    #[test]
    fn lengths_are_read_as_such() {
        let Ok(Read::Lengths(lengths)) = read_text("[100, 300]") else { panic!("these are lengths") };
        assert_eq!((lengths.count, lengths.longest), (2, 300.0));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let Ok(Read::Scenario(decoded, None)) = read_text("\u{feff}v=1&gpus=128") else { panic!("this is a link") };
        assert_eq!((decoded.scenario.gpus, decoded.issues), (128, vec![]));
    }
}
