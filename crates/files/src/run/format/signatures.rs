//! Signatures in a file that identify its program: keys, commands, imports.

use crate::run::spelling::plain;
use crate::run::tree::{Syntax, Tree, Value};

/// Signatures of a file.
pub(super) struct Shown<'a> {
    /// Keys that have a value, with their values.
    keys: Vec<(String, String)>,
    /// Words of a shell script.
    words: Vec<&'a str>,
    /// Modules that Python imports.
    modules: Vec<&'a str>,
}

impl<'a> Shown<'a> {
    pub(super) fn of(tree: &Tree, text: &'a str) -> Self {
        let has_value = |value: &Value| *value != Value::Null;
        let keys = tree.entries.iter().filter(|entry| has_value(&entry.value));
        // Comments are not run.
        let lines = || text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
        let quotes = |sign: char| sign.is_whitespace() || matches!(sign, '"' | '\'' | '`' | '(' | ')' | ';');
        let words = lines().flat_map(move |line| line.split(quotes)).filter(|word| !word.is_empty() && *word != "\\");
        let modules = lines().filter_map(|line| line.strip_prefix("from ").or_else(|| line.strip_prefix("import ")));
        Self {
            keys: keys.map(|entry| (plain(&entry.path), entry.value.shown())).collect(),
            words: if tree.syntax == Syntax::Shell { words.collect() } else { Vec::new() },
            modules: if tree.syntax == Syntax::Python { modules.collect() } else { Vec::new() },
        }
    }

    /// Whether the file has a key. A signature is a path or its first parts, or `*` with the last
    /// part; `=` and the start of the value may follow.
    pub(super) fn has_key(&self, signature: &str) -> bool {
        let (signature, start) = signature.split_once('=').unwrap_or((signature, ""));
        self.keys.iter().filter(|(_, value)| value.starts_with(start)).any(|(path, _)| {
            match signature.strip_prefix('*') {
                Some(last) => path.rsplit('.').next() == Some(last),
                None => path.strip_prefix(signature).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
            }
        })
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

    /// Whether Python imports a module or a part of it.
    pub(super) fn imports(&self, module: &str) -> bool {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(['.', ' ', ',', ';', '\r']);
        self.modules.iter().any(|line| line.strip_prefix(module).is_some_and(ends))
    }
}
