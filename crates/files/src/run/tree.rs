//! A file as a flat list of keys and values with their positions in the text, independent of the
//! syntax.

mod arithmetic;
mod python;
mod shell;
mod toml;
mod wrapped;
mod yaml;

use std::collections::HashMap;
use std::ops::Range;

use super::File;
use super::spelling::plain;
pub(super) use python::TRAINERS;
pub(super) use shell::{COMMAND, LAUNCHER, STARTED, is_launcher};

/// Key of the files that a file continues, of Hydra and of programs that follow it.
pub(super) const DEFAULTS: &str = "defaults";

/// The longest file, in bytes.
pub(super) const MOST_BYTES: usize = 1_000_000;
/// The deepest nesting.
const DEEPEST: usize = 48;
/// The most values of a file; each item of a list and each word of a script counts.
pub(super) const MOST_VALUES: usize = 5_000;
/// The most values that YAML's aliases repeat.
const MOST_REPEATED: usize = 2_000;

/// Syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    Yaml,
    Toml,
    Python,
    Shell,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    /// A number, a boolean or a text, as written, without quotes.
    Scalar {
        text: String,
        quoted: bool,
    },
    /// A list of scalars.
    List(Vec<String>),
}

impl Value {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new(text.into(), false)
    }

    fn new(text: String, quoted: bool) -> Self {
        let is_null = !quoted && matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL" | "None");
        if is_null { Self::Null } else { Self::Scalar { text, quoted } }
    }

    /// Returns the value as shown to users.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Scalar { text, .. } => text.clone(),
            Self::List(items) => items.join(", "),
        }
    }

    /// Returns how many values it counts as.
    fn count(&self) -> usize {
        match self {
            Self::Null | Self::Scalar { .. } => 1,
            Self::List(items) => items.len().max(1),
        }
    }
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The keys, outermost first, separated by dots: in lower case with underscores if the syntax
    /// ignores the difference.
    pub(super) path: String,
    pub(super) value: Value,
    /// Position of the value in the text, in bytes; `None` for a value made of several parts.
    pub(super) span: Option<Range<usize>>,
    /// Whether another entry of this path takes precedence: this one comes from YAML's merge key, a
    /// file that is continued, or a variable that its script uses.
    pub(super) merged: bool,
    /// The Python function that contains the entry.
    pub(super) scope: Option<String>,
}

/// A parsed file.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) name: String,
    pub(super) syntax: Syntax,
    pub(super) entries: Vec<Entry>,
    /// Sentences about what the reader assumed.
    pub(super) remarks: Vec<String>,
    /// The script inside the file: a notebook's code, a job's command.
    pub(super) inner: Option<String>,
    /// Whether another file of the run continues this one and holds its entries.
    pub(super) is_base: bool,
    /// Places of entries by the last part of their normalised path.
    places: HashMap<String, Vec<usize>>,
}

/// Returns the last part of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

impl Tree {
    fn new(name: &str, syntax: Syntax, entries: Vec<Entry>, remarks: Vec<String>, inner: Option<String>) -> Self {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, entry) in entries.iter().enumerate() {
            places.entry(plain(last_part(&entry.path))).or_default().push(place);
        }
        Self { name: name.to_owned(), syntax, entries, remarks, inner, is_base: false, places }
    }

    /// Returns the places of a key's entries in ascending order; `*` and a name match the last part
    /// or parts of a path.
    pub(super) fn places(&self, key: &str) -> Vec<usize> {
        let (end, is_whole) = key.strip_prefix('*').map_or((key, true), |end| (end, false));
        let end = plain(end);
        let is_named = |place: &usize| {
            let path = self.entries.get(*place).map(|entry| plain(&entry.path)).unwrap_or_default();
            let before = path.strip_suffix(end.as_str());
            before.is_some_and(|before| before.is_empty() || !is_whole && before.ends_with('.'))
        };
        let candidates = self.places.get(last_part(&end)).into_iter().flatten();
        candidates.copied().filter(is_named).collect()
    }

    /// Adds the values of the file that this one continues; its own take precedence.
    pub(super) fn continue_from(&mut self, base: &Self) {
        self.add_below(base.entries.iter().filter(|entry| entry.path != DEFAULTS).cloned());
    }

    /// Adds values over which the tree's own take precedence.
    pub(super) fn add_below(&mut self, base: impl IntoIterator<Item = Entry>) {
        for entry in base {
            self.places.entry(plain(last_part(&entry.path))).or_default().push(self.entries.len());
            self.entries.push(Entry { span: None, merged: true, ..entry });
        }
    }
}

/// Collects entries up to the bound.
#[derive(Default)]
struct Entries {
    list: Vec<Entry>,
    /// Values in `list`.
    count: usize,
}

impl Entries {
    /// Adds a value.
    ///
    /// # Errors
    ///
    /// A sentence if there are too many.
    fn add(&mut self, path: &str, value: Value, span: Option<Range<usize>>) -> Result<(), String> {
        self.count += value.count();
        if self.count > MOST_VALUES {
            return Err(too_many());
        }
        self.list.push(Entry { path: path.to_owned(), value, span, merged: false, scope: None });
        Ok(())
    }

    /// Counts a table, which may be empty.
    ///
    /// # Errors
    ///
    /// A sentence if there are too many values.
    fn count_table(&mut self) -> Result<(), String> {
        self.count += 1;
        if self.count > MOST_VALUES { Err(too_many()) } else { Ok(()) }
    }

    /// Removes the entries from a place on.
    fn truncate(&mut self, length: usize) {
        let removed = self.list.drain(length.min(self.list.len())..);
        self.count -= removed.map(|entry| entry.value.count()).sum::<usize>();
    }
}

fn too_many() -> String {
    format!("it has more than {MOST_VALUES} values, and a run's configuration has a few hundred")
}

/// Joins `a` and `b` to `a.b`.
fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Parses a file.
///
/// # Errors
///
/// A sentence if the file is empty, too long, binary, or does not parse.
pub(super) fn parse_file(file: &File) -> Result<Tree, String> {
    let text = file.text.trim_start_matches('\u{feff}');
    match wrapped::unwrapped(text) {
        Some((syntax, script)) if script.len() <= MOST_BYTES => inside(name(file), syntax, &script),
        _ => read_as_written(file),
    }
}

fn name(file: &File) -> &str {
    if file.name.trim().is_empty() { "the text" } else { file.name.trim() }
}

/// Splits a name into the path of a file and the requested function: `configs.py:llama3_8b`.
#[must_use]
pub fn split_function(name: &str) -> (&str, Option<&str>) {
    let is_name = |text: &str| {
        text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let is_python = |path: &str| std::path::Path::new(path).extension().is_some_and(|end| end == "py");
    match name.rsplit_once(':') {
        Some((path, function)) if is_python(path) && is_name(function) => (path, Some(function)),
        _ => (name, None),
    }
}

/// Parses a file by its own keys, ignoring a script inside.
pub(super) fn read_as_written(file: &File) -> Result<Tree, String> {
    let text = file.text.strip_prefix('\u{feff}').map_or(file.text.as_str(), |text| text);
    let name = name(file);
    if text.trim().is_empty() {
        return Err(format!("There is nothing to read in {name}: it is empty."));
    }
    if file.text.len() > MOST_BYTES {
        return Err(format!("{name} is larger than a megabyte, and a run's configuration has a few thousand letters."));
    }
    if file.text.contains('\0') || file.text.chars().filter(|letter| *letter == '\u{fffd}').count() > 3 {
        return Err(format!("{name} is no text: it looks like a binary file."));
    }
    let (path, function) = split_function(&file.name);
    let syntax = syntax_of(path, text);
    let offset = file.text.len() - text.len();
    let mut remarks = Vec::new();
    let entries = match syntax {
        Syntax::Json => yaml::read_json(text),
        Syntax::Yaml => yaml::parse_yaml(text),
        Syntax::Toml => toml::parse_toml(text),
        Syntax::Python => python::parse_python(text, path, function, &mut remarks),
        Syntax::Shell => shell::parse_shell(text, &mut remarks),
    };
    let mut entries = entries.map_err(|why| format!("{name} cannot be read as {}: {why}.", language(syntax)))?;
    for entry in &mut entries {
        if let Some(span) = entry.span.as_mut() {
            *span = span.start + offset..span.end + offset;
        }
        if let Value::Scalar { text, .. } = &mut entry.value
            && syntax == Syntax::Yaml
            && let Some(usual) = environment_default(text)
        {
            *text = usual;
        }
    }
    if syntax == Syntax::Yaml
        && let Some(usage) = usage(text)
    {
        let value = Value::plain(usage);
        entries.push(Entry { path: USAGE.to_owned(), value, span: None, merged: false, scope: None });
    }
    Ok(Tree::new(name, syntax, entries, remarks, None))
}

/// Key of the command in a comment that tells how torchtune starts a recipe.
const USAGE: &str = "__usage__";

/// Returns that command: `tune run full_finetune_single_device --config llama3/8B_full`.
fn usage(text: &str) -> Option<&str> {
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    comments.map(str::trim).find(|comment| comment.starts_with("tune run "))
}

/// Returns the default of an environment variable: `${SEQ_LENGTH:2048}`, `${oc.env:GPUS,8}`.
fn environment_default(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("${")?;
    let (inner, behind) = rest.split_once('}')?;
    let (name, usual) = match inner.strip_prefix("oc.env:") {
        Some(inner) => inner.split_once(',')?,
        None => inner.split_once(':')?,
    };
    let is_name = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    let usual = usual.trim_start_matches('-').trim();
    (!name.is_empty() && name.chars().all(is_name)).then(|| format!("{before}{usual}{behind}"))
}

/// Parses the script inside a file; values have no positions in the file's text.
fn inside(name: &str, syntax: Syntax, script: &str) -> Result<Tree, String> {
    let mut remarks = Vec::new();
    let entries = match syntax {
        Syntax::Python => python::parse_python(script, name, None, &mut remarks),
        _ => shell::parse_shell(script, &mut remarks),
    };
    let mut entries =
        entries.map_err(|why| format!("What {name} runs cannot be read as {}: {why}.", language(syntax)))?;
    for entry in &mut entries {
        entry.span = None;
    }
    Ok(Tree::new(name, syntax, entries, remarks, Some(script.to_owned())))
}

fn language(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Json => "JSON",
        Syntax::Yaml => "YAML",
        Syntax::Toml => "TOML",
        Syntax::Python => "Python",
        Syntax::Shell => "a shell script",
    }
}

/// Whether a text with this name may be JSON that does not parse.
pub(crate) fn may_be_json(name: &str, text: &str) -> bool {
    let has_bracket = text.trim_start().starts_with(['{', '[']);
    has_bracket && matches!(syntax_of(name, text), Syntax::Json | Syntax::Yaml)
}

/// Returns the syntax of a file: by the extension, else by the start of its lines.
fn syntax_of(name: &str, text: &str) -> Syntax {
    let name = name.to_ascii_lowercase();
    let ends = [
        (".json", Syntax::Json),
        (".yaml", Syntax::Yaml),
        (".yml", Syntax::Yaml),
        (".toml", Syntax::Toml),
        (".py", Syntax::Python),
        (".sh", Syntax::Shell),
        (".bash", Syntax::Shell),
        (".slurm", Syntax::Shell),
        (".sbatch", Syntax::Shell),
    ];
    // Valid JSON is JSON whatever the name: notebooks and pasted texts may have any name.
    let start = text.trim_start();
    if start.starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
        return Syntax::Json;
    }
    if let Some((_, syntax)) = ends.iter().find(|(end, _)| name.ends_with(end)) {
        return *syntax;
    }
    if start.starts_with('{') {
        // YAML has braces too; `#` comments and Python's `True` and `False` are not JSON.
        let is_yaml =
            |line: &str| line.trim_start().starts_with('#') || line.contains("True") || line.contains("False");
        return if text.lines().any(is_yaml) { Syntax::Yaml } else { Syntax::Json };
    }
    if start.starts_with("#!") && !start.lines().next().unwrap_or_default().contains("python") {
        return Syntax::Shell;
    }
    let own = text.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let own: Vec<&str> = own.collect();
    let lines = || own.iter().copied();
    let begins = |words: &[&str]| lines().any(|line| words.iter().any(|word| line.starts_with(word)));
    if begins(&["def ", "import ", "from ", "class ", "return ", "@"]) {
        return Syntax::Python;
    }
    let is_table = |line: &str| {
        line.starts_with('[') && line.trim_end().ends_with(']') && !line.contains([',', ' ', '"', '\'', '$'])
    };
    if lines().any(is_table) && lines().any(|line| line.contains('=')) {
        return Syntax::Toml;
    }
    let is_key = |line: &str| {
        line.split_once(':').is_some_and(|(key, rest)| {
            !key.is_empty() && !key.contains([' ', '=', '$', '(']) && (rest.is_empty() || rest.starts_with(' '))
        })
    };
    let flags = lines().filter(|line| line.starts_with("--") && line.len() > 3 || line.contains(" --")).count();
    let keys = lines().filter(|line| is_key(line)).count();
    let is_call = |line: &str| {
        line.split_once('(').is_some_and(|(name, _)| {
            !name.is_empty()
                && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '=' | ' '))
        })
    };
    if flags > 0 && flags >= keys {
        Syntax::Shell
    } else if keys > 0 {
        Syntax::Yaml
    } else if lines().any(|line| line.contains(" = ") || is_call(line)) {
        Syntax::Python
    } else if lines().any(|line| line.contains('=')) {
        Syntax::Shell
    } else {
        Syntax::Yaml
    }
}
