//! What a text or files bring: a model, an adapter, lengths of texts, a whole scenario, a run, an error, measurements.

mod diagnosed;
mod of_run;
pub mod words;

use engine::catalog::hub::model_of;
use engine::catalog::{MODELS, ModelEntry};
use engine::scenario::{Model, Scenario};
use engine::share;
use engine::share::carried;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::snapshot;

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
    /// The configuration of a run: a scenario, on the cluster at hand where it names none.
    Run,
    /// Measured links, for the cluster at hand.
    Links,
    /// An error or a memory snapshot, explained; the scenario stays.
    Error,
    /// What a run measured, against the scenario, which stays.
    Measured,
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
    // Files of one run are read together.
    if items.len() > 1
        && let Some(run) = of_run::together(items, scenario)
    {
        return Ok(run);
    }
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
    if snapshot::is_pickle(&item.bytes) {
        return diagnosed::of_snapshot(snapshot::of_pickle(&item.bytes, scenario), scenario).map_err(named);
    }
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

/// Reads a text: JSON, SVG, CSV, a link, an error, a log, a list of lengths, or the configuration of a run.
fn of_text(text: &str, file: Option<&str>, scenario: &Scenario) -> Result<Brought, String> {
    // A byte order mark is no part of the text.
    let text = text.trim_start_matches('\u{feff}');
    let length = check_length(text);
    if length.is_ok() {
        if text.trim_start().starts_with('<') {
            return carried::of_svg(text).map(|link| opened(&link, file)).ok_or_else(|| words::NO_LINK.to_owned());
        }
        if let Some(link) = carried::of_text(text) {
            return Ok(opened(link, file));
        }
    }
    if let Some(found) = diagnosed::diagnosed(text, scenario) {
        return found;
    }
    length?;
    if let Some(lengths) = import_lengths(text) {
        return lengths.map(|lengths| listed(&lengths, scenario));
    }
    if words::is_address(text) {
        return Err(words::not_fetched(text));
    }
    let json = match parse(text) {
        Ok(json) => json,
        Err(problem) => {
            let is_json = text.trim().is_empty() || text.trim_start().starts_with(['{', '[']);
            return of_run::alone(text, file, scenario).map_err(|said| if is_json { problem } else { said });
        }
    };
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
    match import(&json) {
        Ok(imported) => Ok(modelled(&imported, scenario)),
        // What names a kind of model is one.
        Err(problem) if json.get("model_type").is_some() => Err(problem),
        Err(problem) => of_run::alone(text, file, scenario).map_err(|_| problem),
    }
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
mod tests;
