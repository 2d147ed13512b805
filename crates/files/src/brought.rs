//! Import of texts and files: a model, an adapter, lengths of texts, a whole scenario, a run, an
//! error, measurements.

mod diagnosed;
mod machine;
mod of_run;
mod spoken;
mod unwrapped;
pub mod words;

use catalog::hub::model_of;
use catalog::{MODELS, ModelEntry};
use engine::format;
use engine::scenario::{Model, Scenario};
use links::spelling::spell;
use links::{carried, v1};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use of_run::{CONTRADICTS, UNREAD, unread_question};
pub use spoken::{AssumedValue, Marked, Question, marks, units};

use crate::run::{self, File, may_be_json};
pub use crate::run::{Base, Changes, MissingValue, Severity, Spread};
use diagnose::{rates, snapshot};

use huggingface::{
    Imported, TextLengths, check_length, import, import_adapter, import_lengths, is_adapter, parse, text_of,
};

/// A pasted text, or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The file's name; `None` for a text that was pasted.
    pub name: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Kind of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportKind {
    /// A model, set in the current scenario.
    Model,
    /// Weights that an adapter trains, set in the current scenario.
    Adapter,
    /// Lengths of texts, set in the current scenario.
    Lengths,
    /// A scenario with its pins, which replaces the current scenario.
    Scenario,
    /// The configuration of a run: a scenario, on the current cluster if the files name none.
    Run,
    /// Measured links, set in the current cluster.
    Links,
    /// Measured rates of GPUs and their links, set in the current cluster.
    Rates,
    /// An error or a memory snapshot, explained; the scenario is unchanged.
    Error,
    /// A run in a person's own words: a scenario, based on the defaults if the sentence names a
    /// model.
    Sentence,
    /// Measurements of a run, compared with the scenario, which is unchanged.
    Measured,
}

/// Account of files or words, as lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Values that nobody said, each in a sentence.
    pub assumed: Vec<String>,
    /// Keys or words that were understood, each with its meaning.
    pub understood: Vec<String>,
    /// Keys or words that were passed over.
    pub ignored: Vec<String>,
    /// Keys or words that were not read and may decide.
    pub unread: Vec<String>,
}

impl Account {
    /// Returns the lists by their names, as a report has them.
    pub fn into_json(self) -> Option<serde_json::Map<String, Value>> {
        match serde_json::to_value(self) {
            Ok(Value::Object(lists)) => Some(lists),
            _ => None,
        }
    }
}

/// Sentences under a heading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading.
    pub title: String,
    /// The sentences, one per line.
    pub lines: Vec<String>,
}

/// A suggested change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SuggestedChange {
    /// The code of the finding ([`crate::run::RULES`]); `None` if the change concerns no setting.
    pub code: Option<String>,
    /// Severity of the finding; `None` if there is no code.
    pub severity: Option<Severity>,
    /// The change and its effect, in a sentence.
    pub what: String,
    /// The changed scenario, in the format of [`Import::scenario`]; `None` if the finding has no
    /// fix.
    pub scenario: Option<String>,
    /// Name and text of each imported file that the change alters, with the change applied.
    pub files: Vec<(String, String)>,
    /// Effect of the change on the training.
    pub changes: Changes,
    /// Relative gain of speed, of a run that fits; `None` if there is none to say.
    #[serde(default)]
    pub gain: Option<f64>,
    /// The keys that the change alters.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// The file that the finding concerns; empty for a text without a name.
    #[serde(default)]
    pub file: String,
    /// The line that it concerns, from 1: of the first key that it alters or names.
    #[serde(default)]
    pub line: Option<usize>,
}

impl SuggestedChange {
    /// Creates a finding, or an offer without a code, that changes nothing.
    #[must_use]
    pub fn new(code: Option<&str>, what: String) -> Self {
        Self {
            code: code.map(str::to_owned),
            severity: code.and_then(run::rule).map(|rule| rule.severity),
            what,
            scenario: None,
            files: Vec::new(),
            changes: Changes::Nothing,
            gain: None,
            edits: Vec::new(),
            file: String::new(),
            line: None,
        }
    }
}

/// A key of a file that a suggested change alters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// The file's name.
    pub file: String,
    /// The key, outermost part first.
    pub key: String,
    /// The value as written; `None` for a key that is added.
    pub from: Option<String>,
    /// The new value; `None` for a key that is left out.
    pub to: Option<String>,
    /// The key's line, from 1; `None` for a key that is added.
    pub line: Option<usize>,
}

/// Result of an import, for the page and the commands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// Kind of the import.
    pub kind: ImportKind,
    /// The imported scenario: the text of a link, or JSON ([`links::decode()`]).
    pub scenario: String,
    /// Summary of the import, with the parts that were not understood.
    pub said: String,
    /// The keys that were read.
    pub read: String,
    /// Details, by heading.
    pub sections: Vec<Section>,
    /// Suggested changes.
    pub offers: Vec<SuggestedChange>,
    /// Facts that decide whether the run fits and that no file states.
    pub open: Vec<MissingValue>,
    /// Questions about missing facts. While one is unanswered there is no verdict and no offer.
    pub missing: Vec<String>,
    /// Contradictory or impossible values, each with the value used instead.
    pub contradictions: Vec<String>,
    /// Results over the likely values of facts that no file states.
    pub spread: Option<Spread>,
    /// The understood parts of a sentence, in order.
    #[serde(default)]
    pub marks: Vec<Marked>,
    /// For a sentence with a goal, the page's query with its `?`: `?plan=cheapest&days=7`.
    #[serde(default)]
    pub plan: Option<String>,
    /// For a question that a view answers, the page's query with its `?`: `?view=agreement`.
    #[serde(default)]
    pub view: Option<String>,
    /// The answer of a plan or a view, as sentences; empty if a sentence asks for none.
    #[serde(default)]
    pub answer: String,
    /// Links of the other runs of a sentence that compares GPUs.
    #[serde(default)]
    pub compared: Vec<String>,
    /// Values that a sentence or the files do not say.
    #[serde(default)]
    pub assumed: Vec<AssumedValue>,
    /// Lines of files that were understood: `key = value: meaning`.
    #[serde(default)]
    pub understood: Vec<String>,
    /// Keys of files, or words, that were passed over.
    #[serde(default)]
    pub ignored: Vec<String>,
    /// Keys of files that were not read and may decide, as `key = value`, or words of a sentence
    /// that were not understood.
    #[serde(default)]
    pub unread: Vec<String>,
    /// Whether the text names the GPUs and their number.
    #[serde(default)]
    pub names_gpus: bool,
    /// The model that the text names and the catalog lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_model: Option<String>,
    /// Questions about parts of a sentence. While one is open, the scenario is not the sentence's.
    #[serde(default)]
    pub questions: Vec<Question>,
}

/// Headings of the questions about a run and about an error.
const MISSING: [&str; 2] =
    ["Missing: it decides whether the run fits, and nobody said it", "Missing: what would help depends on it"];

/// Heading of what no file says.
const ASSUMED: &str = "Assumed, as no file says it";

impl Import {
    const EMPTY: Self = Self {
        kind: ImportKind::Scenario,
        scenario: String::new(),
        said: String::new(),
        read: String::new(),
        sections: Vec::new(),
        offers: Vec::new(),
        open: Vec::new(),
        missing: Vec::new(),
        contradictions: Vec::new(),
        spread: None,
        marks: Vec::new(),
        plan: None,
        view: None,
        answer: String::new(),
        compared: Vec::new(),
        assumed: Vec::new(),
        understood: Vec::new(),
        ignored: Vec::new(),
        unread: Vec::new(),
        names_gpus: false,
        unknown_model: None,
        questions: Vec::new(),
    };

    /// Sets the questions about missing facts and shows them first; offers are removed if there is
    /// a question.
    pub fn ask(&mut self, questions: Vec<String>) {
        self.sections.retain(|section| !MISSING.contains(&section.title.as_str()));
        self.missing = questions;
        if !self.missing.is_empty() {
            self.offers.clear();
            let [of_run, of_error] = MISSING;
            let title = if self.kind == ImportKind::Error { of_error } else { of_run };
            self.sections.insert(0, Section { title: title.to_owned(), lines: self.missing.clone() });
        }
    }

    /// Returns the account of files or words: `assumed`, `understood`, `ignored` and `unread`, each
    /// a list of lines.
    pub fn account(&self) -> Account {
        Account {
            assumed: self.assumed.iter().map(AssumedValue::sentence).collect(),
            understood: self.understood.clone(),
            ignored: self.ignored.clone(),
            unread: self.unread.clone(),
        }
    }

    /// Adds values that were taken without being said, before those that the files leave open.
    pub fn assume(&mut self, sentences: Vec<String>) {
        if sentences.is_empty() {
            return;
        }
        self.assumed.splice(0..0, sentences.iter().map(|said| AssumedValue::of_file(said)));
        match self.sections.iter_mut().find(|section| section.title == ASSUMED) {
            Some(section) => drop(section.lines.splice(0..0, sentences)),
            None => self.sections.push(Section { title: ASSUMED.to_owned(), lines: sentences }),
        }
    }

    /// Creates an import without offers.
    fn new(kind: ImportKind, scenario: String, said: String, read: String) -> Self {
        Self { kind, scenario, said, read, ..Self::EMPTY }
    }
}

/// Imports items into a scenario. Each of several items is applied to the scenario that the items
/// before it produced.
///
/// # Errors
///
/// A sentence that names what the text is instead, or what is missing.
///
/// ```
/// use catalog::default_scenario;
/// use files::brought::{ImportKind, Item, import_items};
///
/// let text = Item { name: None, bytes: b"[512, 256, 1024, 256]".to_vec() };
/// let brought = import_items(&[text], &default_scenario()).unwrap();
/// assert_eq!(brought.kind, ImportKind::Lengths);
/// assert!(brought.scenario.contains("texts="));
/// ```
pub fn import_items(items: &[Item], scenario: &Scenario) -> Result<Import, String> {
    bring_over(items, &Base::from(scenario))
}

/// Imports items like [`import_items`]; values set by hand take precedence over the files of a run.
///
/// # Errors
///
/// See [`import_items`].
pub fn bring_over(items: &[Item], base: &Base) -> Result<Import, String> {
    // What a machine says of its GPUs holds for the run beside it.
    if let Some(machine) = items.iter().position(|item| items.len() > 1 && is_machine(item, base))
        && let Some(item) = items.get(machine)
    {
        let first = import_item(item, base)?;
        let scenario = links::decode(&first.scenario).scenario;
        let rest: Vec<Item> = items.iter().filter(|other| !core::ptr::eq(*other, item)).cloned().collect();
        return Ok(first.and(bring_over(&rest, &Base { scenario, ..base.clone() })?));
    }
    // Files of one run are read together, before all other items.
    let (parts, rest): (Vec<&Item>, Vec<&Item>) =
        items.iter().partition(|item| items.len() > 1 && of_run::is_part(item));
    let mut brought = if parts.len() > 1 { of_run::together(&parts, base)? } else { None };
    let one_by_one = if brought.is_some() { rest } else { items.iter().collect() };
    for item in one_by_one {
        let scenario = brought.as_ref().map_or(base.scenario, |before| links::decode(&before.scenario).scenario);
        let next = import_item(item, &Base { scenario, ..base.clone() })?;
        brought = Some(match brought {
            None => next,
            Some(before) => before.and(next),
        });
    }
    brought.ok_or_else(|| words::NOTHING.to_owned())
}

/// Whether an item is what a machine says of its GPUs alone.
fn is_machine(item: &Item, base: &Base) -> bool {
    !of_run::is_part(item) && text(&item.bytes).is_ok_and(|text| machine::is_output(&text, &base.scenario))
}

/// Returns the relative paths of files that an item names and that belong to its run.
#[must_use]
pub fn named_files(item: &Item) -> Vec<String> {
    if of_run::is_part(item) { of_run::named_files(item) } else { Vec::new() }
}

/// Whether an item is a file of a run.
#[must_use]
pub fn is_of_run(item: &Item) -> bool {
    of_run::is_part(item)
}

/// Whether an item is a run of its own, and not a part of one: a launcher, options, a model.
#[must_use]
pub fn is_whole_run(item: &Item) -> bool {
    of_run::is_whole(item)
}

/// Reads one text or file.
fn import_item(item: &Item, base: &Base) -> Result<Import, String> {
    let scenario = &base.scenario;
    let named = |problem: String| match &item.name {
        Some(name) => words::prefix_file_name(name, &problem),
        None => problem,
    };
    if snapshot::is_pickle(&item.bytes) {
        return diagnosed::import_snapshot(snapshot::read_pickle(&item.bytes, scenario), scenario).map_err(named);
    }
    let read = text(&item.bytes).and_then(|text| import_text(&text, item.name.as_deref(), base));
    // A log may contain lines that are not valid UTF-8; these are skipped.
    let read =
        read.or_else(|problem| match printed(&item.bytes).and_then(|text| diagnosed::diagnosed(&text, scenario)) {
            Some(found) => found,
            None => Err(problem),
        });
    read.map_err(named)
}

/// Returns the valid UTF-8 lines of a file that is not entirely UTF-8, such as a log with a
/// progress bar cut inside a character. `None` if the file is valid UTF-8 or has zero bytes.
fn printed(bytes: &[u8]) -> Option<String> {
    if bytes.contains(&0) || core::str::from_utf8(bytes).is_ok() {
        return None;
    }
    let lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r'));
    let lines: Vec<&str> = lines.filter_map(|line| core::str::from_utf8(line).ok()).collect();
    Some(lines.join("\n"))
}

impl Import {
    /// Merges the result of one item with the result of the next.
    fn and(self, next: Self) -> Self {
        let joined = |first: String, second: String| [first, second].join(" ").trim().to_owned();
        // Items after a scenario do not change its kind.
        let kind = if self.kind == ImportKind::Scenario { self.kind } else { next.kind };
        let lines = |first: Vec<String>, second: Vec<String>| [first, second].concat();
        Self {
            kind,
            said: joined(self.said, next.said),
            read: joined(self.read, next.read),
            assumed: [self.assumed, next.assumed].concat(),
            understood: lines(self.understood, next.understood),
            ignored: lines(self.ignored, next.ignored),
            unread: lines(self.unread, next.unread),
            names_gpus: self.names_gpus || next.names_gpus,
            ..next
        }
    }
}

/// Returns the text of a file, or the link inside a PNG.
fn text(bytes: &[u8]) -> Result<String, String> {
    if carried::is_png(bytes) {
        return carried::link_in_png(bytes).ok_or_else(|| words::NO_LINK.to_owned());
    }
    text_of(bytes.to_vec()).ok_or_else(|| words::NO_TEXT.to_owned())
}

/// Reads what stands inside a text: files below headings, a block between fences, a run beside the
/// environment that LLaMA-Factory prints.
fn import_inside(text: &str, file: Option<&str>, base: &Base) -> Option<Result<Import, String>> {
    let prefixed =
        |said: &str, read: Import| Import { read: format!("{said} {}", read.read).trim().to_owned(), ..read };
    if let Some(items) = unwrapped::headed(text, file) {
        let names: Vec<&str> = items.iter().filter_map(|item| item.name.as_deref()).collect();
        let said = format!("Read: {}, below their headings.", format::listed(&names));
        return Some(bring_over(&items, base).map(|read| prefixed(&said, read)));
    }
    if let Some(inside) = unwrapped::unwrapped(text, file) {
        let read = import_text(&inside.text, inside.name.as_deref(), base);
        return Some(read.map(|read| prefixed(inside.said, read)));
    }
    let rest = machine::without_env(text)?;
    if !run::is_known(&File::new(file.unwrap_or_default(), rest.as_str())) {
        return None;
    }
    let machine = machine::import(text, &base.scenario)?.ok()?;
    let scenario = links::decode(&machine.scenario).scenario;
    Some(import_text(&rest, file, &Base { scenario, ..base.clone() }).map(|read| machine.and(read)))
}

/// Reads a text: JSON, SVG, CSV, a link, an error, a log, a list of lengths, or the configuration
/// of a run.
fn import_text(text: &str, file: Option<&str>, base: &Base) -> Result<Import, String> {
    let scenario = &base.scenario;
    // A byte order mark does not belong to the text.
    let text = text.trim_start_matches('\u{feff}');
    let length = check_length(text);
    if length.is_ok() {
        if text.trim_start().starts_with('<') {
            return carried::link_in_svg(text).map(|link| opened(&link, file)).ok_or_else(|| words::NO_LINK.to_owned());
        }
        if let Some(link) = carried::link_in_text(text) {
            return Ok(opened(link, file));
        }
    }
    if length.is_ok()
        && let Some(read) = import_inside(text, file, base)
    {
        return read;
    }
    if words::is_notebook(text, file) {
        return of_run::alone(text, file, base)
            .map_err(|refusal| if refusal.is_certain { refusal.sentence } else { words::NOTEBOOK.to_owned() });
    }
    if rates::is_script(text) {
        return Err(rates::IS_SCRIPT.to_owned());
    }
    // Log lines quoted in a script (comments, strings) are not a log.
    if !file.is_some_and(words::is_script)
        && let Some(found) = diagnosed::diagnosed(text, scenario)
    {
        return found;
    }
    if !run::is_known(&File::new(file.unwrap_or_default(), text))
        && let Some(other) = diagnosed::other_error(text, file, scenario)
    {
        return Ok(other);
    }
    length.map_err(|_| words::too_long())?;
    if let Some(lengths) = import_lengths(text) {
        return lengths.map(|lengths| import_text_lengths(&lengths, scenario));
    }
    if words::is_address(text) {
        return Err(words::not_fetched(text));
    }
    let json = match parse(text) {
        Ok(json) => json,
        Err(problem) => {
            let is_json = text.trim().is_empty() || may_be_json(file.unwrap_or_default(), text);
            let is_spoken = file.is_none() && spoken::may_be(text);
            if is_spoken
                && spoken::is_plain(text)
                && let Some(read) = spoken::spoken(text, scenario)
            {
                return Ok(read);
            }
            return of_run::alone(text, file, base).or_else(|refusal| {
                let spoken = (is_spoken && !refusal.is_certain).then(|| spoken::spoken(text, scenario)).flatten();
                spoken.ok_or_else(|| match refusal.sentence {
                    said if refusal.is_certain => said,
                    _ if is_spoken && spoken::is_of_words(text) => spoken::nothing(text),
                    _ if words::is_log(text) => words::no_known_log(text),
                    _ if is_json => problem,
                    said => said,
                })
            });
        }
    };
    if let Some(link) = carried::link_in_json(&json) {
        return Ok(opened(link, file));
    }
    // A report without its link, or a bare scenario.
    if json.get("scenario").is_some_and(Value::is_object) || json.get("rev").is_some() || is_scenario(&json) {
        return Ok(opened(text, file));
    }
    if is_adapter(&json) {
        let adapter = import_adapter(&json)?;
        let adapted = links::encode(&adapter.applied(scenario));
        return Ok(Import::new(
            ImportKind::Adapter,
            adapted,
            words::adapted(&adapter),
            words::list_read_keys(&adapter.used),
        ));
    }
    match import(&json) {
        Ok(imported) => Ok(modelled(&imported, scenario)),
        // JSON with `model_type` is a model config, even if its import fails.
        Err(problem) if json.get("model_type").is_some() => Err(problem),
        Err(problem) => of_run::alone(text, file, base)
            .map_err(|refusal| if refusal.is_certain { refusal.sentence } else { problem }),
    }
}

/// Whether JSON is a handwritten scenario: a flat object, mostly of keys of links (under any of
/// their names), with one key that no framework's configuration has.
fn is_scenario(json: &Value) -> bool {
    let Some(entries) = json.as_object() else { return false };
    let is_known = |key: &String| spell(key, "").pairs.iter().all(|(key, _)| v1::is_key(key));
    let known = entries.keys().filter(|key| is_known(key)).count();
    let is_flat = entries.values().all(|value| !value.is_object() && !value.is_array());
    is_flat
        && known * 2 > entries.len()
        && ["model", "cluster", "gpu", "gpus", "size"].iter().any(|key| entries.contains_key(*key))
}

/// Imports a link, or a scenario in JSON.
fn opened(text: &str, file: Option<&str>) -> Import {
    let pins = links::decode(text).pins.len();
    Import::new(ImportKind::Scenario, text.to_owned(), words::restored(file, pins), String::new())
}

/// Imports lengths of texts.
fn import_text_lengths(lengths: &TextLengths, scenario: &Scenario) -> Import {
    let scenario = links::encode(&lengths.applied(scenario));
    Import::new(ImportKind::Lengths, scenario, words::describe_lengths(lengths), String::new())
}

/// Imports a model.
fn modelled(imported: &Imported, scenario: &Scenario) -> Import {
    let entry = in_catalog(imported);
    let model = entry.map_or(Model::Custom { architecture: imported.architecture }, ModelEntry::pick);
    let scenario = links::encode(&scenario.with_model(model));
    Import::new(ImportKind::Model, scenario, words::imported(imported, entry), words::list_read_keys(&imported.used))
}

/// Returns the catalog's model of this shape; of several, the one of this name, else the first.
fn in_catalog(imported: &Imported) -> Option<&'static ModelEntry> {
    let is_same = |entry: &&ModelEntry| entry.architecture == imported.architecture;
    model_of(&imported.name).filter(is_same).or_else(|| MODELS.iter().find(is_same))
}

#[cfg(test)]
mod tests;
