//! Signatures in a file that identify its program: keys, commands, imports.

use std::collections::HashMap;

use crate::run::spelling::plain;
use crate::run::tree::{MOST_VALUES, Syntax, Tree, Value, is_launcher, last_part};

/// Signatures of a file.
pub(super) struct FileSignatures<'a> {
    /// Keys that have a value, with their values, sorted.
    keys: Vec<(String, String)>,
    /// Places in `keys` by the last part of the key.
    lasts: HashMap<String, Vec<usize>>,
    /// Words of a shell script.
    words: Vec<&'a str>,
    /// Modules that Python imports.
    modules: Vec<&'a str>,
    /// Names that Python calls.
    called: Vec<&'a str>,
}

impl<'a> FileSignatures<'a> {
    pub(super) fn new(tree: &Tree, text: &'a str) -> Self {
        let has_value = |value: &Value| *value != Value::Null;
        let keys = tree.entries.iter().filter(|entry| has_value(&entry.value));
        // Comments are not run.
        let lines = || text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
        let quotes = |sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '`' | '(' | ')' | ';');
        let words = lines().flat_map(move |line| line.split(quotes)).filter(|word| !word.is_empty() && *word != "\\");
        let modules = lines().filter_map(|line| line.strip_prefix("from ").or_else(|| line.strip_prefix("import ")));
        let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.');
        let calls = lines().flat_map(move |line| {
            line.match_indices('(').filter_map(move |(at, _)| line.get(..at)?.rsplit(|sign| !is_name(sign)).next())
        });
        // A class is called by its own name, or by that of its function.
        let called = calls.flat_map(|call| {
            let (before, last) = call.rsplit_once('.').unwrap_or(("", call));
            let class = before.rsplit('.').next().filter(|_| last.starts_with(|sign: char| sign.is_ascii_lowercase()));
            [Some(last), class].into_iter().flatten()
        });
        let mut keys: Vec<_> = keys.map(|entry| (plain(&entry.path), entry.value.shown())).collect();
        keys.sort_unstable();
        let mut lasts: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, (path, _)) in keys.iter().enumerate() {
            lasts.entry(last_part(path).to_owned()).or_default().push(place);
        }
        Self {
            keys,
            lasts,
            words: if tree.syntax == Syntax::Shell { words.take(MOST_VALUES).collect() } else { Vec::new() },
            modules: if tree.syntax == Syntax::Python { modules.collect() } else { Vec::new() },
            called: if tree.syntax == Syntax::Python { called.collect() } else { Vec::new() },
        }
    }

    /// Whether the file has a key. A signature is a path or its first parts, or `*` with the last
    /// part; `=` and the start of the value may follow.
    pub(super) fn has_key(&self, signature: &str) -> bool {
        let (signature, start) = signature.split_once('=').unwrap_or((signature, ""));
        let has_start = |(_, value): &&(String, String)| value.starts_with(start);
        if let Some(last) = signature.strip_prefix('*') {
            let places = self.lasts.get(last).into_iter().flatten();
            return places.filter_map(|place| self.keys.get(*place)).any(|key| has_start(&key));
        }
        let first = self.keys.partition_point(|(path, _)| path.as_str() < signature);
        let rests = self.keys.iter().skip(first).map_while(|key| Some((key, key.0.strip_prefix(signature)?)));
        rests.filter(|(key, _)| has_start(key)).any(|(_, rest)| rest.is_empty() || rest.starts_with('.'))
    }

    /// Whether a script has consecutive words; a final `*` in a word matches any rest.
    pub(super) fn has_command(&self, command: &str) -> bool {
        let parts: Vec<&str> = command.split(' ').collect();
        let is_word = |(word, part): (&&str, &&str)| match part.strip_suffix('*') {
            // Programs are called by their paths as well.
            Some(start) => word.starts_with(start) || word.contains(&format!("/{start}")),
            None => word == part || word.strip_suffix(part).is_some_and(|before| before.ends_with('/')),
        };
        self.words.windows(parts.len()).any(|words| words.iter().zip(&parts).all(is_word))
    }

    /// Whether Python calls a class.
    pub(super) fn calls(&self, class: &str) -> bool {
        self.called.contains(&class)
    }

    /// Whether a script or a module of Python that the shell runs has one of the parts in its name,
    /// or none is run.
    pub(super) fn runs_script_of(&self, parts: &[String]) -> bool {
        let scripts = self.words.iter().filter_map(|word| word.strip_suffix(".py"));
        let modules = self.words.windows(2).filter_map(|words| match words {
            ["-m" | "--module", module] if !is_launcher(module) => Some(*module),
            _ => None,
        });
        let mut scripts = scripts.chain(modules).peekable();
        scripts.peek().is_none()
            || scripts.any(|script| {
                let name = script.to_ascii_lowercase();
                parts.iter().any(|part| name.contains(part.as_str()))
            })
    }

    /// Whether Python imports a module or a part of it.
    pub(super) fn imports(&self, module: &str) -> bool {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(['.', ' ', ',', ';', '\r']);
        self.modules.iter().any(|line| line.strip_prefix(module).is_some_and(ends))
    }
}
