//! What a text or a file brings: a model, an adapter, lengths of texts, or a whole scenario.

pub mod words;

use engine::catalog::hub::model_of;
use engine::catalog::{MODELS, ModelEntry};
use engine::scenario::{Model, Scenario};
use engine::share;
use engine::share::carried;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::{
    Imported, TextLengths, check_length, import, import_adapter, import_lengths, is_adapter, parse, text_of,
};

/// A text from outside, or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The file's name; `None` for a text that was pasted.
    pub name: Option<String>,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What was brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A model, for the scenario at hand.
    Model,
    /// What an adapter trains, for the scenario at hand.
    Adapter,
    /// Lengths of texts, for the scenario at hand.
    Lengths,
    /// A scenario with its pins: it takes the place of the one at hand.
    Scenario,
}

/// Sentences under a heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// A line each.
    pub lines: Vec<String>,
}

/// A change that is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// What it changes and what that helps, in a sentence.
    pub what: String,
    /// The changed scenario, as [`Brought::scenario`]; none where the finding has no change.
    pub scenario: Option<String>,
    /// The files that came, with the change written into them: name and text of each that differs.
    pub files: Vec<(String, String)>,
}

/// What was read, as the page and the commands take it over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brought {
    /// What it is.
    pub kind: Kind,
    /// The scenario that it becomes: the text of a link, or JSON ([`engine::share::decode()`]).
    pub scenario: String,
    /// What came, and what was not understood of it.
    pub said: String,
    /// What it was read from.
    pub read: String,
    /// What there is to know of it.
    pub sections: Vec<Section>,
    /// What would be better.
    pub offers: Vec<Offer>,
}

impl Brought {
    /// What came and what it was read from, with nothing to offer.
    fn new(kind: Kind, scenario: String, said: String, read: String) -> Self {
        Self { kind, scenario, said, read, sections: Vec::new(), offers: Vec::new() }
    }
}

/// Reads what was brought, for a scenario: of several files each for what those before it made of the scenario.
///
/// # Errors
///
/// A sentence: what the text is instead, or what it lacks.
///
/// ```
/// use engine::catalog::default_scenario;
/// use files::brought::{Item, Kind, bring};
///
/// let text = Item { name: None, bytes: b"[512, 256, 1024, 256]".to_vec() };
/// let brought = bring(&[text], &default_scenario()).unwrap();
/// assert_eq!(brought.kind, Kind::Lengths);
/// assert!(brought.scenario.contains("texts="));
/// ```
pub fn bring(items: &[Item], scenario: &Scenario) -> Result<Brought, String> {
    let mut brought: Option<Brought> = None;
    for item in items {
        let scenario = brought.as_ref().map_or(*scenario, |before| share::decode(&before.scenario).scenario);
        let next = of_item(item, &scenario)?;
        brought = Some(match brought {
            None => next,
            Some(before) => before.and(next),
        });
    }
    brought.ok_or_else(|| words::NOTHING.to_owned())
}

/// Reads one text or file.
fn of_item(item: &Item, scenario: &Scenario) -> Result<Brought, String> {
    let named = |problem: String| match &item.name {
        Some(name) => words::of_file(name, &problem),
        None => problem,
    };
    text(&item.bytes).and_then(|text| of_text(&text, item.name.as_deref(), scenario)).map_err(named)
}

impl Brought {
    /// What came of one file, and then of another.
    fn and(self, next: Self) -> Self {
        let joined = |first: String, second: String| [first, second].join(" ").trim().to_owned();
        // A scenario stays one, whatever changes in it.
        let kind = if self.kind == Kind::Scenario { self.kind } else { next.kind };
        Self { kind, said: joined(self.said, next.said), read: joined(self.read, next.read), ..next }
    }
}

/// The text of a file; of a picture of pixels, the link in it.
fn text(bytes: &[u8]) -> Result<String, String> {
    if carried::is_png(bytes) {
        return carried::of_png(bytes).ok_or_else(|| words::NO_LINK.to_owned());
    }
    text_of(bytes.to_vec()).ok_or_else(|| words::NO_TEXT.to_owned())
}

/// Reads a text: JSON, SVG, CSV, a list of lengths or a link.
fn of_text(text: &str, file: Option<&str>, scenario: &Scenario) -> Result<Brought, String> {
    check_length(text)?;
    // A byte order mark is no part of the text.
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return carried::of_svg(text).map(|link| opened(&link, file)).ok_or_else(|| words::NO_LINK.to_owned());
    }
    if let Some(link) = carried::of_text(text) {
        return Ok(opened(link, file));
    }
    if let Some(lengths) = import_lengths(text) {
        return lengths.map(|lengths| listed(&lengths, scenario));
    }
    if words::is_address(text) {
        return Err(words::not_fetched(text));
    }
    let json = parse(text)?;
    if let Some(link) = carried::of_json(&json) {
        return Ok(opened(link, file));
    }
    // A report without its link, or a scenario by itself.
    if json.get("scenario").is_some_and(Value::is_object) || json.get("rev").is_some() {
        return Ok(opened(text, file));
    }
    if is_adapter(&json) {
        let adapter = import_adapter(&json)?;
        let adapted = share::encode(&adapter.applied(scenario));
        return Ok(Brought::new(Kind::Adapter, adapted, words::adapted(&adapter), words::read(&adapter.used)));
    }
    import(&json).map(|imported| modelled(&imported, scenario))
}

/// A link, or a scenario in JSON.
fn opened(text: &str, file: Option<&str>) -> Brought {
    let pins = share::decode(text).pins.len();
    Brought::new(Kind::Scenario, text.to_owned(), words::restored(file, pins), String::new())
}

/// Lengths of texts.
fn listed(lengths: &TextLengths, scenario: &Scenario) -> Brought {
    let scenario = share::encode(&lengths.applied(scenario));
    Brought::new(Kind::Lengths, scenario, words::listed(lengths), String::new())
}

/// A model.
fn modelled(imported: &Imported, scenario: &Scenario) -> Brought {
    let entry = in_catalog(imported);
    let model = entry.map_or(Model::Custom { architecture: imported.architecture }, ModelEntry::pick);
    let scenario = share::encode(&scenario.with_model(model));
    Brought::new(Kind::Model, scenario, words::imported(imported, entry), words::read(&imported.used))
}

/// The model of the catalog with this shape; of several the one of this name, else the first.
fn in_catalog(imported: &Imported) -> Option<&'static ModelEntry> {
    let is_same = |entry: &&ModelEntry| entry.architecture == imported.architecture;
    model_of(&imported.name).filter(is_same).or_else(|| MODELS.iter().find(is_same))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{MOST_CHARACTERS, TOO_LONG};
    use engine::catalog::default_scenario;
    use engine::share::decode::LONGEST_LINK;

    /// What a pasted text brings.
    fn brought(text: &str) -> Result<Brought, String> {
        bring(&[Item { name: None, bytes: text.as_bytes().to_vec() }], &default_scenario())
    }

    /// A text without end: pairs of a link.
    fn pairs(length: usize) -> String {
        "v=1&gpus=8&".repeat(length.div_ceil(11))
    }

    #[test]
    fn a_text_of_megabytes_is_no_link() {
        let pairs = pairs(MOST_CHARACTERS);
        let svg = format!("<svg><metadata>{}</metadata></svg>", pairs.replace('&', "&amp;"));
        for text in [&pairs, &format!("a,b\n1,2\n# {pairs}\n"), &svg] {
            assert_eq!(brought(text), Err(TOO_LONG.to_owned()));
        }
    }

    #[test]
    fn a_link_above_64_kb_brings_a_sentence_and_nothing_else() {
        let link = brought(&pairs(LONGEST_LINK)).unwrap();
        assert_eq!(link.kind, Kind::Scenario);
        let decoded = share::decode(&link.scenario);
        assert_eq!((decoded.scenario, decoded.pins), (default_scenario(), vec![]));
        assert_eq!(decoded.issues.len(), 1, "{:?}", decoded.issues);
    }

    #[test]
    fn an_address_is_told_from_json_and_says_where_the_text_is() {
        let said = brought("https://huggingface.co/Qwen/Qwen3-32B\n").unwrap_err();
        assert!(said.contains("https://huggingface.co/Qwen/Qwen3-32B/raw/main/config.json"), "{said}");
        let said = brought("https://example.com/config.json").unwrap_err();
        assert!(said.starts_with("This page fetches nothing") && !said.contains("raw/main"), "{said}");
        let ours = brought("https://example.com/?map=seq.gpus#v=1&gpus=128").unwrap();
        assert_eq!((ours.kind, share::decode(&ours.scenario).scenario.gpus), (Kind::Scenario, 128));
    }

    #[test]
    fn an_adapter_is_read_as_one() {
        let text = r#"{"peft_type": "LORA", "r": 64, "base_model_name_or_path": "meta-llama/Llama-3.2-1B"}"#;
        let adapter = brought(text).unwrap();
        let scenario = share::decode(&adapter.scenario).scenario;
        assert_eq!((adapter.kind, scenario.trained.rank), (Kind::Adapter, 64));
        assert!(adapter.scenario.contains("model=llama-3.2-1b"), "{}", adapter.scenario);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let link = brought("\u{feff}v=1&gpus=128").unwrap();
        assert_eq!(share::decode(&link.scenario).scenario.gpus, 128);
    }

    #[test]
    fn a_file_is_named_where_it_cannot_be_read() {
        let file = |bytes: &[u8]| Item { name: Some("x.bin".into()), bytes: bytes.to_vec() };
        let said = bring(&[file(&[0xff, 0x00, 0x80])], &default_scenario()).unwrap_err();
        assert_eq!(said, format!("“x.bin”: {}", words::NO_TEXT));
        let said = bring(&[file(&carried::PNG)], &default_scenario()).unwrap_err();
        assert_eq!(said, format!("“x.bin”: {}", words::NO_LINK));
    }

    #[test]
    fn several_files_make_one_scenario() {
        let file = |name: &str, text: &str| Item { name: Some(name.into()), bytes: text.as_bytes().to_vec() };
        let adapter = file("adapter_config.json", r#"{"peft_type": "LORA", "r": 32}"#);
        let lengths = file("lengths.txt", "100 300");
        let brought = bring(&[adapter, lengths], &default_scenario()).unwrap();
        let scenario = share::decode(&brought.scenario).scenario;
        assert_eq!(scenario.trained.rank, 32);
        assert!(brought.scenario.contains("texts="), "{}", brought.scenario);
        assert!(brought.said.contains("rank 32") && brought.said.contains("2 texts"), "{}", brought.said);
        assert_eq!(bring(&[], &default_scenario()), Err(words::NOTHING.to_owned()));
    }

    #[test]
    fn sentences_name_what_was_read() {
        let imported = Imported {
            name: "Mixtral-8x7B-v0.1".into(),
            architecture: engine::catalog::model("mixtral-8x7b").unwrap().architecture,
            used: vec!["hidden_size"],
            not_understood: vec!["strange".into(), "stranger".into()],
        };
        assert_eq!(
            words::imported(&imported, None),
            "Mixtral-8x7B-v0.1: 32 layers, 46.7B parameters, 12.9B active. Not understood: strange, stranger."
        );
        assert_eq!(words::read(&imported.used), "Read: hidden_size.");
    }

    #[test]
    fn a_model_of_the_catalog_is_known_by_its_shape_and_told_by_its_name() {
        let imported = |name: &str, id| {
            let entry = MODELS.iter().find(|entry| entry.id == id).unwrap();
            Imported {
                name: name.into(),
                architecture: entry.architecture,
                used: Vec::new(),
                not_understood: Vec::new(),
            }
        };
        let known = |imported: &Imported| in_catalog(imported).map(|entry| entry.id);
        assert_eq!(known(&imported("Llama-3.1-8B", "llama-3-8b")), Some("llama-3.1-8b"));
        assert_eq!(known(&imported("my-model", "qwen-3-8b")), Some("qwen-3-8b"));
        let mut other = imported("Qwen3-8B", "qwen-3-8b");
        other.architecture.num_hidden_layers += 1;
        assert_eq!(known(&other), None);
    }
}
