//! Access to the keys of a file by name, with a record of which keys were read.

use std::collections::{BTreeMap, HashSet};

use super::UnderstoodKey;
use super::ignored_keys;
use super::program;
use super::spelling::{plain, shortened};
use super::tree::{Entry, Syntax, Tree, Value, last_part};
use super::unread;
use catalog::programs::Program;

/// The keys of one file; each list has a flag per entry.
pub(super) struct Keys<'a> {
    tree: &'a Tree,
    file: usize,
    used: Vec<bool>,
    /// Entries that were skipped without being read.
    skipped: Vec<bool>,
    /// Paths of which a value had the requested type.
    read: HashSet<&'a str>,
    /// Entries that were requested as a number and hold no usable one, by place.
    no_number: BTreeMap<usize, &'a str>,
}

/// A value with its key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyedValue<T> {
    pub(super) value: T,
    pub(super) file: usize,
    pub(super) key: String,
    /// The value as written in the file.
    pub(super) shown: String,
}

impl<T> KeyedValue<T> {
    /// Returns this key with another value.
    pub(super) fn with<U>(&self, value: U) -> KeyedValue<U> {
        KeyedValue { value, file: self.file, key: self.key.clone(), shown: self.shown.clone() }
    }

    /// Applies a function to the value and keeps the key.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> KeyedValue<U> {
        KeyedValue { value: change(self.value), file: self.file, key: self.key, shown: self.shown }
    }
}

impl<'a> Keys<'a> {
    pub(super) fn new(tree: &'a Tree, file: usize) -> Self {
        let none = vec![false; tree.entries.len()];
        Self { tree, file, used: none.clone(), skipped: none, read: HashSet::new(), no_number: BTreeMap::new() }
    }

    pub(super) fn syntax(&self) -> Syntax {
        self.tree.syntax
    }

    pub(super) fn name(&self) -> &str {
        &self.tree.name
    }

    /// Returns the last class with one of the endings that the file names, without the ending.
    pub(super) fn class_ending(&self, endings: &[&str]) -> Option<String> {
        let class = |entry: &Entry| {
            let name = entry.value.shown();
            let name = name.rsplit('.').next()?;
            endings.iter().find_map(|end| name.strip_suffix(end)).map(str::to_owned)
        };
        self.tree.entries.iter().rev().filter(|_| self.tree.syntax == Syntax::Python).find_map(class)
    }

    /// Returns the Python function that was read.
    pub(super) fn scope(&self) -> Option<&str> {
        self.tree.entries.iter().rev().find_map(|entry| entry.scope.as_deref())
    }

    /// Returns the index of a key's entry: the last one set in the file, before entries merged by
    /// YAML.
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

    /// Returns the keys with one beginning and one ending.
    pub(super) fn paths(&self, start: &str, end: &str) -> Vec<String> {
        let all = self.tree.entries.iter().map(|entry| &entry.path);
        let mut paths: Vec<String> =
            all.filter(|path| path.starts_with(start) && path.ends_with(end)).cloned().collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// Reads the first of some keys that has a value, by a given conversion.
    fn take<T>(&mut self, keys: &[&str], read: impl FnOnce(&'a Value) -> Option<T>) -> Option<KeyedValue<T>> {
        let mut first = None;
        for key in keys {
            let Some(place) = self.place(key) else { continue };
            mark(&mut self.used, self.tree, key);
            let entry = self.tree.entries.get(place)?;
            let value = self.resolved(entry);
            if first.is_none() && *value != Value::Null {
                first =
                    Some((place, KeyedValue { value, file: self.file, key: entry.path.clone(), shown: value.shown() }));
            }
        }
        let (place, found) = first?;
        let value = read(found.value)?;
        self.read.insert(&self.tree.entries.get(place)?.path);
        Some(found.with(value))
    }

    /// Reads a number like [`Self::take`], and records an entry that holds no usable number.
    fn take_number<T>(&mut self, keys: &[&str], read: impl FnOnce(f64) -> Option<T>) -> Option<KeyedValue<T>> {
        let found = self.take(keys, |value| number(value).and_then(read));
        if found.is_none()
            && let Some(place) = keys.iter().filter_map(|key| self.place(key)).find(|place| self.has_value(*place))
        {
            let path = self.tree.entries.get(place)?.path.as_str();
            self.no_number.insert(place, path);
            self.read.remove(path);
        }
        found
    }

    fn has_value(&self, place: usize) -> bool {
        self.tree.entries.get(place).is_some_and(|entry| *self.resolved(entry) != Value::Null)
    }

    /// Returns the value of an entry, or of the key it refers to as `${key}`.
    fn resolved(&self, entry: &'a Entry) -> &'a Value {
        let mut value = &entry.value;
        for _ in 0..4 {
            let Value::Scalar { text, .. } = value else { break };
            let Some(name) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else { break };
            let name = name.rsplit(':').next().unwrap_or(name).trim_start_matches('.');
            let places = ["", "variables.", "parameters.", "parameters.variables."].map(|base| format!("{base}{name}"));
            match places.iter().find_map(|name| self.place(name)).and_then(|place| self.tree.entries.get(place)) {
                Some(other) => value = &other.value,
                None => break,
            }
        }
        value
    }

    /// Returns the text of a key without marking it as used; `__file__` is the name of the file.
    pub(super) fn peek(&self, key: &str) -> Option<String> {
        if key == "__file__" {
            return Some(self.tree.name.clone());
        }
        let entry = self.tree.entries.get(self.place(key)?)?;
        let value = self.resolved(entry);
        (*value != Value::Null).then(|| value.shown().trim().to_owned())
    }

    /// Reads a text.
    pub(super) fn text(&mut self, keys: &[&str]) -> Option<KeyedValue<String>> {
        self.take(keys, |value| Some(value.shown().trim().to_owned()))
    }

    /// Reads the text of the first entry of some keys, where other readers take the last.
    pub(super) fn first(&mut self, keys: &[&str]) -> Option<KeyedValue<String>> {
        let places = keys.iter().flat_map(|key| self.tree.places(key));
        let entries = places.filter_map(|place| Some((place, self.tree.entries.get(place)?)));
        let (_, entry) = entries.filter(|(_, entry)| entry.value != Value::Null).min_by_key(|(place, _)| *place)?;
        let found = self.text(keys)?;
        let shown = self.resolved(entry).shown();
        Some(KeyedValue { value: shown.trim().to_owned(), key: entry.path.clone(), shown, ..found })
    }

    /// Reads a text in lower case.
    pub(super) fn word(&mut self, keys: &[&str]) -> Option<KeyedValue<String>> {
        self.text(keys).map(|found| found.map(|text| text.to_ascii_lowercase()))
    }

    /// Reads a number.
    pub(super) fn number(&mut self, keys: &[&str]) -> Option<KeyedValue<f64>> {
        self.take_number(keys, Some)
    }

    /// Reads a count of at least one.
    pub(super) fn count(&mut self, keys: &[&str]) -> Option<KeyedValue<u32>> {
        self.take_number(keys, |value| {
            let whole = value >= 1.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
            whole.then_some(value as u32)
        })
    }

    /// Reads a flag.
    pub(super) fn flag(&mut self, keys: &[&str]) -> Option<KeyedValue<bool>> {
        self.take(keys, |value| {
            let Value::Scalar { text, .. } = value else { return None };
            match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" | "y" | "t" => Some(true),
                "false" | "no" | "off" | "0" | "n" | "f" => Some(false),
                _ => None,
            }
        })
    }

    /// Reads a list of words: a list, or a text separated by commas or spaces.
    pub(super) fn list(&mut self, keys: &[&str]) -> Option<KeyedValue<Vec<String>>> {
        self.take(keys, |value| match value {
            Value::List(items) => Some(items.clone()),
            Value::Scalar { text, .. } => {
                let inner = text.trim().trim_matches(['[', ']', '(', ')']);
                let parts = inner.split([',', ' ']).map(|item| item.trim().trim_matches(['"', '\'']));
                Some(parts.filter(|item| !item.is_empty()).map(str::to_owned).collect())
            }
            Value::Null => None,
        })
    }

    /// Marks keys as known, without reading them.
    pub(super) fn skip(&mut self, keys: &[&str]) {
        for key in keys {
            mark(&mut self.skipped, self.tree, key);
        }
    }

    /// Marks all keys below a key as known, whatever their names.
    pub(super) fn skip_section(&mut self, key: &str) {
        let below = format!("{}.", plain(key));
        for (skipped, entry) in self.skipped.iter_mut().zip(&self.tree.entries) {
            *skipped |= plain(&entry.path).starts_with(&below);
        }
    }

    /// Whether a key is set to nothing.
    pub(super) fn is_none(&self, key: &str) -> bool {
        self.tree.entries.iter().any(|entry| entry.path == key && entry.value == Value::Null)
    }

    /// Marks all keys as known.
    pub(super) fn skip_all(&mut self) {
        self.skipped.fill(true);
    }

    /// Marks all keys below a key as known, except those whose names may decide.
    pub(super) fn skip_below(&mut self, key: &str) {
        let below = format!("{}.", plain(key));
        for (skipped, entry) in self.skipped.iter_mut().zip(&self.tree.entries) {
            *skipped |=
                plain(&entry.path).starts_with(&below) && !unread::may_decide(&entry.path, &entry.value.shown());
        }
    }

    /// Whether an entry was requested as a number and has a name or an expression in its place.
    fn has_unknown_number(&self, entry: &Entry) -> bool {
        // A number of GPUs that no file has is asked for.
        let is_launched = LAUNCHED.contains(&plain(last_part(&entry.path)).as_str());
        !is_launched && self.no_number.values().any(|path| *path == entry.path) && self.fate(entry) == KeyFate::Ignored
    }

    /// Returns how the value of a requested entry was treated.
    fn fate(&self, entry: &'a Entry) -> KeyFate {
        if self.read.contains(entry.path.as_str()) {
            return KeyFate::Read;
        }
        if self.no_number.values().all(|path| *path != entry.path) {
            return KeyFate::Ignored;
        }
        let shown = self.resolved(entry).shown().trim().to_ascii_lowercase();
        let key = plain(&entry.path);
        let last = key.rsplit('.').next().unwrap_or_default();
        let is_size = SIZES.split(' ').any(|word| last.contains(word));
        let starts = |first: char| first.is_ascii_digit() || matches!(first, '-' | '.' | '+');
        // A name in Python refers to an unknown value.
        let is_word = self.tree.syntax != Syntax::Python && shown.chars().all(|letter| letter.is_ascii_alphabetic());
        let is_expression = self.tree.syntax == Syntax::Python && shown.contains(['*', '/', '%', '(']);
        match shown.as_str() {
            _ if is_expression => KeyFate::Ignored,
            "" | "auto" | "none" | "null" => KeyFate::Left,
            "0" | "-1" if !is_size => KeyFate::Left,
            _ if self.is_argument(&shown) => KeyFate::Wrong,
            _ if is_word || shown.starts_with(starts) => KeyFate::Wrong,
            _ => KeyFate::Ignored,
        }
    }

    /// Whether a value is an argument of a shell script, such as `$1` or `${2}`, whose value is
    /// unknown.
    fn is_argument(&self, value: &str) -> bool {
        let name = value.trim().strip_prefix('$').unwrap_or_default();
        let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
        self.tree.syntax == Syntax::Shell && matches!(name.as_bytes(), [b'1'..=b'9'])
    }

    /// Returns sentences about values that are not usable numbers.
    pub(super) fn wrong(&self, gpus_by_hand: bool) -> Vec<String> {
        // Of several values of a key, only the requested one is reported.
        let asked = self.no_number.keys().filter_map(|place| self.tree.entries.get(*place));
        let asked = asked.filter(|entry| entry.value != Value::Null);
        // A script's own argument for the GPUs is answered by hand.
        let is_answered = |entry: &&Entry| {
            gpus_by_hand
                && LAUNCHED.contains(&last_part(&entry.path))
                && self.is_argument(&self.resolved(entry).shown())
        };
        let asked = asked.filter(|entry| !is_answered(entry));
        let wrong = asked.filter(|entry| self.fate(entry) == KeyFate::Wrong).map(|entry| {
            let (key, value) = (shortened(&entry.path), self.resolved(entry).shown());
            let why = if self.is_argument(&value) {
                "an argument of the script: it is left out. Write its value there."
            } else {
                "which is no number that can be used: it is left out. Give a whole number from 1 on."
            };
            format!("{key} is {}, {why}", shortened(&value))
        });
        wrong.collect()
    }

    /// Returns the keys that were used without a recorded meaning: parts of a model's shape,
    /// switches that are off.
    pub(super) fn keys_used_indirectly(&self, lines: &[UnderstoodKey]) -> Vec<UnderstoodKey> {
        let own = lines.iter().filter(|line| line.file == self.file);
        let mut said: HashSet<&str> = own.map(|line| line.key.as_str()).collect();
        let mut besides: Vec<UnderstoodKey> = Vec::new();
        for (entry, used) in self.tree.entries.iter().zip(&self.used) {
            let is_new = *used
                && entry.value != Value::Null
                && !said.contains(entry.path.as_str())
                && !entry.path.starts_with("__");
            if !is_new {
                continue;
            }
            let meaning = match self.fate(entry) {
                KeyFate::Read => TAKEN,
                KeyFate::Left => "Left to the program",
                KeyFate::Wrong | KeyFate::Ignored => continue,
            };
            said.insert(&entry.path);
            besides.push(UnderstoodKey {
                file: self.file,
                key: entry.path.clone(),
                value: shortened(&self.resolved(entry).shown()),
                meaning: meaning.into(),
            });
        }
        besides
    }

    /// Returns the keys that were not read: those that may decide memory or speed as `key = value`,
    /// and all others. `text` is the script or the file.
    pub(super) fn unused(&self, of: Program, text: &str) -> Unused {
        let (mut unused, mut shown_keys) = (Unused::default(), HashSet::new());
        // A key in Python with keys below it is a call; its arguments are separate keys.
        let mut paths: Vec<&str> = match self.tree.syntax {
            Syntax::Python => self.tree.entries.iter().map(|entry| entry.path.as_str()).collect(),
            _ => Vec::new(),
        };
        paths.sort_unstable();
        let entries = self.tree.entries.iter().map(|entry| (entry.path.as_str(), entry.value.shown()));
        let off = unread::off_sections(entries);
        let seen = self.used.iter().zip(&self.skipped);
        for (entry, (used, skipped)) in self.tree.entries.iter().zip(seen) {
            let says_nothing = entry.value == Value::Null || entry.value == Value::List(Vec::new());
            let below = format!("{}.", entry.path);
            let next = paths.partition_point(|path| *path < below.as_str());
            let is_call = paths.get(next).is_some_and(|path| path.starts_with(&below));
            let is_read = *used && self.fate(entry) != KeyFate::Ignored;
            // A variable of a script counts where the script uses it.
            let is_variable = || self.place(&format!("${}", entry.path)).is_some();
            let is_variable = entry.merged && self.tree.syntax == Syntax::Shell && is_variable();
            if is_read
                || *skipped
                || is_variable
                || says_nothing
                || is_call
                || ignored_keys::is_irrelevant(&entry.path, of)
            {
                continue;
            }
            // The switch of a section is a key like others.
            let is_off =
                |section: &&str| entry.path.strip_prefix(*section).is_some_and(|key| !key.starts_with("enable"));
            if off.iter().any(is_off) || self.is_used_variable(&entry.path, text) {
                continue;
            }
            let shown: String = entry.path.chars().filter(|sign| !sign.is_control()).take(LONGEST).collect();
            if shown_keys.insert(shown.clone()) {
                let value = self.resolved(entry).shown();
                let line = format!("{shown} = {}", shortened(&value));
                // A name or an expression, whose value no file has.
                if self.has_unknown_number(entry) && unread::decides(&entry.path) {
                    let line = format!("{line}: no file has its value");
                    unused.unread.push((shown, line));
                    continue;
                }
                // Of a key of the program that was not read, another setting decides.
                let is_known = *used || program::has_row(of, &entry.path);
                if !is_known && unread::may_decide(&entry.path, &value) {
                    unused.unread.push((shown, line));
                    continue;
                }
                if !is_known && !unread::is_off(&value) {
                    unused.unknown.push((shown.clone(), line));
                }
                unused.ignored.push(shown);
            }
        }
        unused
    }

    /// Whether a key is a variable of a script that its other lines use.
    fn is_used_variable(&self, path: &str, text: &str) -> bool {
        match self.tree.syntax {
            Syntax::Python => !path.contains('.') && unread::is_used_variable(text, path, false),
            Syntax::Shell => unread::is_used_variable(text, path, true),
            Syntax::Json | Syntax::Yaml | Syntax::Toml => false,
        }
    }
}

/// Keys that were not read, each as its key, and as `key = value` where it is shown so.
#[derive(Debug, Default)]
pub(super) struct Unused {
    /// Keys that may decide memory or speed.
    pub(super) unread: Vec<(String, String)>,
    /// All others.
    pub(super) ignored: Vec<String>,
    /// Those of the others that are on and that the program's table does not know.
    pub(super) unknown: Vec<(String, String)>,
}

/// Treatment of a requested key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyFate {
    /// The value was read.
    Read,
    /// The value leaves the choice to the program: `auto`, -1.
    Left,
    /// The value is a literal, and not usable.
    Wrong,
    /// The value is unknown here, or another key takes precedence.
    Ignored,
}

/// Meaning shown for a value that affects the result without a meaning of its own.
const TAKEN: &str = "Read together with other keys";

/// Parts of keys whose value is a count of at least one, so that 0 is wrong.
const SIZES: &str = "micro per_device local_batch seq_len sequence_len max_length accum";

/// Flags of launchers for nodes and GPUs.
const LAUNCHED: [&str; 8] =
    ["nnodes", "num_nodes", "nodes", "num_machines", "nproc_per_node", "gpus_per_node", "num_gpus", "num_processes"];

/// The longest key that is shown.
const LONGEST: usize = 80;

/// Marks the entries of a key.
fn mark(marks: &mut [bool], tree: &Tree, key: &str) {
    for place in tree.places(key) {
        if let Some(mark) = marks.get_mut(place) {
            *mark = true;
        }
    }
}

/// Returns the index of a key's entry: the last one set in the file, before entries merged by YAML.
pub(super) fn place(tree: &Tree, key: &str) -> Option<usize> {
    let places = tree.places(key);
    let is_own = |place: &usize| tree.entries.get(*place).is_some_and(|entry| !entry.merged);
    places.iter().rev().copied().find(is_own).or_else(|| places.last().copied())
}

/// Parses a number: `8`, `1_000`, `1e-5`, `2.0`; not `8k`.
fn number(value: &Value) -> Option<f64> {
    let Value::Scalar { text, .. } = value else { return None };
    let text = text.trim().replace('_', "");
    let number: f64 = text.parse().ok()?;
    number.is_finite().then_some(number)
}
