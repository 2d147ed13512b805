//! Use of an argument by a program's reader, by the argument's last part: rows of `keys.toml`,
//! names in the code of a reader, `quiet.toml`, and the removed keys of `releases.toml`.

use anyhow::{Context as _, Result};
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{FOLDERS, rows, texts, toml};
use crate::shell::{below, files_with_extension, read_text, root};

/// Folder of the readers in Rust, with the file that says which program has which.
const READERS: &str = "crates/files/src/run/formats";
/// Reader of all files, for what launches a run.
const LAUNCHER: &str = "shared";
/// Reader by `keys.toml`, whose words are no keys.
const TABLE: &str = "table";

/// Use of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// A reader has its name.
    Read,
    /// It changes neither memory nor speed.
    Quiet,
    /// `releases.toml` lists it as removed.
    Gone,
    /// No reader knows it: a file that has it is read without it, and says so.
    Unknown,
}

impl std::fmt::Display for Standing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Read => "a reader knows it",
            Self::Quiet => "changes neither memory nor speed",
            Self::Gone => "removed, as releases.toml says",
            Self::Unknown => "NO READER KNOWS IT",
        })
    }
}

/// The names that a program's readers and lists have.
#[derive(Debug, Default)]
pub(super) struct Known {
    read: BTreeSet<String>,
    quiet: BTreeSet<String>,
    gone: BTreeSet<String>,
}

impl Known {
    /// Returns what is known of the program of a folder.
    ///
    /// # Errors
    /// When a table or a reader cannot be read.
    pub(super) fn of(folder: &str) -> Result<Self> {
        let programs = root().join(FOLDERS);
        let table = |name: &str| optional(&programs.join(folder).join(name));
        let (keys, releases) = (table("keys.toml")?, table("releases.toml")?);
        let readers = Readers::all()?;
        // Rows of other tables stand in place of a row that names one.
        let mut all: Vec<Value> = Vec::new();
        for row in rows(&keys, "key") {
            match row.get("include").and_then(Value::as_str) {
                Some(name) => all.extend(rows(&toml(&programs.join(name).with_extension("toml"))?, "key").cloned()),
                None => all.push(row.clone()),
            }
        }
        let functions = all.iter().filter_map(|row| row.get("call").and_then(Value::as_str));
        let mut modules = vec![LAUNCHER];
        modules.extend(functions.filter_map(|function| readers.of_function.get(function)).map(String::as_str));
        modules.extend(readers.of_program.get(&folder.replace('-', "")).map(String::as_str));
        let mut read = readers.names(&modules);
        read.extend(all.iter().flat_map(names_of_row));
        Ok(Self {
            read,
            quiet: quiet(&programs, folder)?,
            gone: rows(&releases, "gone").flat_map(|row| texts(row.get("keys"))).map(last_part).collect(),
        })
    }

    /// Returns what becomes of an argument. A key that is both read and removed counts as removed:
    /// files of a former release are still read.
    pub(super) fn standing(&self, argument: &str) -> Standing {
        let name = last_part(argument);
        match () {
            () if self.gone.contains(&name) => Standing::Gone,
            () if self.read.contains(&name) => Standing::Read,
            () if self.quiet.contains(&name) => Standing::Quiet,
            () => Standing::Unknown,
        }
    }
}

/// Returns the last part of a key as readers compare it.
fn last_part(key: &str) -> String {
    let last = key.rsplit(['.', '/']).next().unwrap_or_default();
    last.trim_start_matches(['-', '*', '_']).replace('-', "_").to_lowercase()
}

fn optional(file: &Path) -> Result<Value> {
    if file.is_file() { toml(file) } else { Ok(Value::Null) }
}

/// Returns the keys that a row of `keys.toml` reads, including those that it depends on.
fn names_of_row(row: &Value) -> Vec<String> {
    let of_when =
        row.get("when").and_then(Value::as_object).into_iter().flat_map(|when| when.keys().map(String::as_str));
    let factors = ["times", "over"].into_iter().flat_map(|field| texts(row.get(field)));
    let all = texts(row.get("name")).chain(of_when).chain(factors);
    all.flat_map(|names| names.split('|')).map(last_part).collect()
}

/// Returns the keys without an effect of a program, of those that it includes, and of all.
fn quiet(programs: &Path, folder: &str) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut tables = vec![toml(&programs.join("quiet.toml"))?];
    let mut next = Some(folder.to_owned());
    while let Some(folder) = next {
        let table = optional(&programs.join(folder).join("quiet.toml"))?;
        next = texts(table.get("also")).next().map(str::to_owned);
        tables.push(table);
    }
    for table in &tables {
        found.extend(["keys", "sections"].into_iter().flat_map(|list| texts(table.get(list))).map(last_part));
    }
    Ok(found)
}

/// The readers in Rust.
#[derive(Debug, Default)]
struct Readers {
    /// Module by program that has no table: its folder without dashes.
    of_program: BTreeMap<String, String>,
    /// Module by function that rows of tables name.
    of_function: BTreeMap<String, String>,
    /// Literals of each module, and the modules that it calls.
    modules: BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>,
}

impl Readers {
    fn all() -> Result<Self> {
        let folder = root().join(READERS);
        let dispatch = read_text(&folder.with_extension("rs"))?;
        let arms = dispatch.lines().filter_map(|line| line.trim().strip_prefix("Program::")?.split_once(" => "));
        let of_program =
            arms.filter_map(|(program, reader)| Some((program.to_lowercase(), reader.split_once("::")?.0)));
        let of_program = of_program.map(|(program, module)| (program, module.to_owned())).collect();
        // `("trl.length", |args, draft| trl::length(args.keys, draft))`
        let functions = dispatch.split("(\"").skip(1).filter_map(|text| {
            let (name, rest) = text.split_once('"')?;
            let module = rest.split_once("::")?.0.rsplit(|sign: char| !sign.is_alphanumeric() && sign != '_').next()?;
            Some((name.to_owned(), module.to_owned()))
        });
        let of_function = functions.collect();
        let mut modules = BTreeMap::new();
        for file in files_with_extension(&folder, "rs")? {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let inner = file.with_extension("");
            let parts = if inner.is_dir() { below(&inner)? } else { Vec::new() };
            let mut found = (BTreeSet::new(), BTreeSet::new());
            for part in parts.iter().chain([&file]) {
                let code: Option<TokenStream> = read_text(part)?.parse().ok();
                words(code.with_context(|| format!("{} is not Rust", part.display()))?, &mut found);
            }
            modules.insert(name, found);
        }
        Ok(Self { of_program, of_function, modules })
    }

    /// Returns the names that modules have, and those modules that they call.
    fn names(&self, modules: &[&str]) -> BTreeSet<String> {
        let (mut open, mut seen, mut literals) = (modules.to_vec(), BTreeSet::new(), BTreeSet::new());
        while let Some(module) = open.pop() {
            let Some((own, calls)) = self.modules.get(module) else { continue };
            if module != TABLE && seen.insert(module) {
                literals.extend(own.iter().map(String::as_str));
                open.extend(calls.iter().map(String::as_str));
            }
        }
        let plain = literals.iter().copied().filter(|literal| !literal.contains('{'));
        let made = literals.iter().flat_map(|literal| filled(literal, &literals));
        plain.map(last_part).chain(made).filter(|name| !name.is_empty()).collect()
    }
}

/// Returns the names that a format such as `{prefix}_kwargs` makes of the other literals; with more
/// than one blank in its last part it makes none.
fn filled(format: &str, literals: &BTreeSet<&str>) -> Vec<String> {
    let last = format.rsplit('.').next().unwrap_or_default();
    let Some((start, rest)) = last.split_once('{') else {
        return if format.contains('{') { vec![last_part(last)] } else { Vec::new() };
    };
    let Some((_, end)) = rest.split_once('}').filter(|(_, end)| !end.contains('{')) else { return Vec::new() };
    if start.is_empty() && end.is_empty() {
        return Vec::new();
    }
    let fills = literals.iter().filter(|literal| !literal.contains('{')).copied().chain([""]);
    fills.map(|fill| last_part(&format!("{start}{fill}{end}"))).collect()
}

/// Adds the literals of code that can be keys, and the modules whose functions it calls; without
/// unit tests.
fn words(code: TokenStream, found: &mut (BTreeSet<String>, BTreeSet<String>)) {
    let mut is_tests = false;
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match &token {
            TokenTree::Group(group) if !is_tests => words(group.stream(), found),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                found.0.extend(inner.filter(|inner| is_key(inner)).map(str::to_owned));
            }
            TokenTree::Ident(word) if matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == ':') => {
                found.1.insert(word.to_string());
            }
            _ => {}
        }
        is_tests = matches!(&token, TokenTree::Ident(word) if word == "tests");
    }
}

fn is_key(literal: &str) -> bool {
    !literal.is_empty() && literal.chars().all(|sign| sign.is_ascii_alphanumeric() || "_-.{}*$".contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readers_names_include_those_of_the_modules_that_it_calls() {
        let known = Known::of("trl").unwrap();
        // Of trl.rs, of trainer.rs, of shared.rs; made by a format; of quiet.toml and of
        // transformers'.
        for name in ["num_generations", "per_device_train_batch_size", "activation_checkpointing_kwargs"] {
            assert_eq!(known.standing(name), Standing::Read, "{name}");
        }
        for name in ["sapo_temperature_pos", "learning_rate", "--learning-rate"] {
            assert_eq!(known.standing(name), Standing::Quiet, "{name}");
        }
        assert_eq!(known.standing("max_seq_length"), Standing::Gone);
        assert_eq!(known.standing("no_such_argument"), Standing::Unknown);
        // Of another program's reader.
        assert_eq!(known.standing("moe_token_dispatcher_type"), Standing::Unknown);
    }

    #[test]
    fn a_table_has_the_names_of_its_rows_and_of_the_trainer_that_it_includes() {
        let known = Known::of("ms-swift").unwrap();
        for name in ["task_type", "per_device_train_batch_size"] {
            assert_eq!(known.standing(name), Standing::Read, "{name}");
        }
        assert_eq!(Known::of("verl").unwrap().standing("per_device_train_batch_size"), Standing::Unknown);
    }

    #[test]
    fn a_format_makes_names_of_the_other_literals() {
        let literals = BTreeSet::from(["fsdp_", "{name}_kwargs", "{a}{b}x", "{x}.offload"]);
        assert_eq!(filled("{name}_kwargs", &BTreeSet::from(["gradient", "{a}"])), ["gradient_kwargs", "kwargs"]);
        assert_eq!(filled("{x}.offload", &literals), ["offload"]);
        assert!(filled("{a}{b}x", &literals).is_empty() && filled("fsdp_", &literals).is_empty());
    }
}
