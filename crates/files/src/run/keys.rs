//! The keys of a file, read by name; what was read is marked.

use super::Line;
use super::format::Format;
use super::quiet;
use super::spelling::{plain, shortened};
use super::tree::{Entry, Syntax, Tree, Value};

/// The keys of one file.
pub(super) struct Keys<'a> {
    tree: &'a Tree,
    file: usize,
    used: Vec<bool>,
    /// What was skipped and not read.
    skipped: Vec<bool>,
}

/// A value with the key that it was found under.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) file: usize,
    pub(super) key: String,
    /// The value as the file has it.
    pub(super) shown: String,
}

impl<T> Found<T> {
    /// The same key with another value.
    pub(super) fn with<U>(&self, value: U) -> Found<U> {
        Found { value, file: self.file, key: self.key.clone(), shown: self.shown.clone() }
    }

    /// The same key with what becomes of the value.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Found<U> {
        Found { value: change(self.value), file: self.file, key: self.key, shown: self.shown }
    }
}

impl<'a> Keys<'a> {
    pub(super) fn new(tree: &'a Tree, file: usize) -> Self {
        let none = vec![false; tree.entries.len()];
        Self { tree, file, used: none.clone(), skipped: none }
    }

    pub(super) fn syntax(&self) -> Syntax {
        self.tree.syntax
    }

    pub(super) fn name(&self) -> &str {
        &self.tree.name
    }

    /// The function that was read, in Python.
    pub(super) fn scope(&self) -> Option<&str> {
        self.tree.entries.iter().rev().find_map(|entry| entry.scope.as_deref())
    }

    /// The place of a key: the last one that is set, before what YAML merges.
    fn place(&self, key: &str) -> Option<usize> {
        place(self.tree, key)
    }

    /// Whether a key has a value, or anything below it.
    pub(super) fn has(&self, key: &str) -> bool {
        let below = format!("{key}.");
        self.tree.entries.iter().any(|entry| {
            (entry.path.eq_ignore_ascii_case(key) && entry.value != Value::Null)
                || entry.path.get(..below.len()).is_some_and(|start| start.eq_ignore_ascii_case(&below))
        })
    }

    /// Reads the first of some keys that has a value.
    fn take(&mut self, keys: &[&str]) -> Option<Found<&'a Value>> {
        let mut first = None;
        for key in keys {
            let Some(place) = self.place(key) else { continue };
            for (used, entry) in self.used.iter_mut().zip(&self.tree.entries) {
                *used |= is_named(entry, key);
            }
            let entry = self.tree.entries.get(place)?;
            let value = self.resolved(entry);
            if first.is_none() && *value != Value::Null {
                first = Some(Found { value, file: self.file, key: entry.path.clone(), shown: value.shown() });
            }
        }
        first
    }

    /// A value, or that of the key that it refers to as `${key}`.
    fn resolved(&self, entry: &'a Entry) -> &'a Value {
        let mut value = &entry.value;
        for _ in 0..4 {
            let Value::Scalar { text, .. } = value else { break };
            let Some(name) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else { break };
            let name = name.rsplit(':').next().unwrap_or(name).trim_start_matches('.');
            let places = [name.to_owned(), format!("variables.{name}")];
            match places.iter().find_map(|name| self.place(name)).and_then(|place| self.tree.entries.get(place)) {
                Some(other) => value = &other.value,
                None => break,
            }
        }
        value
    }

    /// A text.
    pub(super) fn text(&mut self, keys: &[&str]) -> Option<Found<String>> {
        self.take(keys).map(|found| found.map(|value| value.shown().trim().to_owned()))
    }

    /// A text in lower case.
    pub(super) fn word(&mut self, keys: &[&str]) -> Option<Found<String>> {
        self.text(keys).map(|found| found.map(|text| text.to_ascii_lowercase()))
    }

    /// A number; a value that is none is reported as `auto` by the caller's default.
    pub(super) fn number(&mut self, keys: &[&str]) -> Option<Found<f64>> {
        let found = self.take(keys)?;
        let number = number(found.value)?;
        Some(found.with(number))
    }

    /// A count of at least one.
    pub(super) fn count(&mut self, keys: &[&str]) -> Option<Found<u32>> {
        let found = self.number(keys)?;
        let whole = found.value >= 1.0 && found.value <= f64::from(u32::MAX) && found.value.fract() == 0.0;
        whole.then(|| found.with(found.value as u32))
    }

    /// A yes or no.
    pub(super) fn flag(&mut self, keys: &[&str]) -> Option<Found<bool>> {
        let found = self.take(keys)?;
        let Value::Scalar { text, .. } = found.value else { return None };
        let flag = match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" | "y" | "t" => true,
            "false" | "no" | "off" | "0" | "n" | "f" => false,
            _ => return None,
        };
        Some(found.with(flag))
    }

    /// A list of words: a list, or a text with commas or spaces between.
    pub(super) fn list(&mut self, keys: &[&str]) -> Option<Found<Vec<String>>> {
        let found = self.take(keys)?;
        let items = match found.value {
            Value::List(items) => items.clone(),
            Value::Scalar { text, .. } => {
                let inner = text.trim().trim_matches(['[', ']', '(', ')']);
                let parts = inner.split([',', ' ']).map(|item| item.trim().trim_matches(['"', '\'']));
                parts.filter(|item| !item.is_empty()).map(str::to_owned).collect()
            }
            Value::Null => return None,
        };
        Some(found.with(items))
    }

    /// Marks keys as read without a meaning of their own.
    pub(super) fn skip(&mut self, keys: &[&str]) {
        for (skipped, entry) in self.skipped.iter_mut().zip(&self.tree.entries) {
            *skipped |= keys.iter().any(|key| is_named(entry, key));
        }
    }

    /// Marks everything.
    pub(super) fn skip_all(&mut self) {
        self.skipped.fill(true);
    }

    /// Marks everything below a key.
    pub(super) fn skip_below(&mut self, key: &str) {
        let below = format!("{}.", plain(key));
        for (skipped, entry) in self.skipped.iter_mut().zip(&self.tree.entries) {
            *skipped |= plain(&entry.path).starts_with(&below);
        }
    }

    /// What was read without a meaning of its own: parts of a model's shape, switches that are off.
    pub(super) fn read_besides(&self, lines: &[Line]) -> Vec<Line> {
        let is_said = |entry: &Entry| lines.iter().any(|line| line.file == self.file && line.key == entry.path);
        let mut besides: Vec<Line> = Vec::new();
        for (entry, used) in self.tree.entries.iter().zip(&self.used) {
            let is_new = *used
                && entry.value != Value::Null
                && !is_said(entry)
                && besides.iter().all(|line| line.key != entry.path);
            if is_new && !entry.path.starts_with("__") {
                besides.push(Line {
                    file: self.file,
                    key: entry.path.clone(),
                    value: shortened(&self.resolved(entry).shown()),
                    meaning: "Taken into account".into(),
                });
            }
        }
        besides
    }

    /// What was not read and might matter.
    pub(super) fn ignored(&self, format: Format) -> Vec<String> {
        let mut ignored: Vec<String> = Vec::new();
        let seen = self.used.iter().zip(&self.skipped).map(|(used, skipped)| *used || *skipped);
        for (entry, used) in self.tree.entries.iter().zip(seen) {
            let says_nothing = entry.value == Value::Null || entry.value == Value::List(Vec::new());
            // What is called, in Python: its arguments are keys of their own.
            let below = format!("{}.", entry.path);
            let is_call = self.tree.syntax == Syntax::Python
                && self.tree.entries.iter().any(|other| other.path.starts_with(&below));
            if used || says_nothing || is_call || quiet::is_quiet(&entry.path, format) {
                continue;
            }
            let shown: String = entry.path.chars().filter(|sign| !sign.is_control()).take(LONGEST).collect();
            if !ignored.contains(&shown) {
                ignored.push(shown);
            }
        }
        ignored
    }
}

/// The longest key that is shown.
const LONGEST: usize = 80;

/// Whether an entry is that of a key; `*` and a name are the last part of a path.
fn is_named(entry: &Entry, key: &str) -> bool {
    match key.strip_prefix('*') {
        Some(last) => entry.path.rsplit('.').next().is_some_and(|name| plain(name) == plain(last)),
        None => plain(&entry.path) == plain(key),
    }
}

/// The entry of a key: the last one that is set, before what YAML merges.
pub(super) fn place(tree: &Tree, key: &str) -> Option<usize> {
    let is_it = |entry: &&Entry| is_named(entry, key);
    let own = tree.entries.iter().rposition(|entry| is_it(&entry) && !entry.merged);
    own.or_else(|| tree.entries.iter().rposition(|entry| is_it(&entry)))
}

/// A number as people write it: `8`, `1_000`, `8k` does not occur, `1e-5`, `2.0`.
fn number(value: &Value) -> Option<f64> {
    let Value::Scalar { text, .. } = value else { return None };
    let text = text.trim().replace('_', "");
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(number)
}
