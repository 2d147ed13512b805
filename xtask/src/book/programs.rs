//! Reads the folders of training programs (`crates/programs/tables`) and the marks that identify
//! their files (`crates/files/data/programs.toml`).

use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};

use super::words::text;
use crate::shell::{entries, read_text, root};

/// Folder of all programs.
const FOLDERS: &str = "crates/programs/tables";
/// File with the marks of all programs.
const MARKS: &str = "crates/files/data/programs.toml";
/// Files by other authors whose values were verified by hand, one folder per program.
const RUNS: &str = "tests/runs";

/// A training program.
#[derive(Debug)]
pub(super) struct Program {
    /// Name of the folder, which is the program's key in links.
    pub(super) slug: String,
    /// Display name.
    pub(super) name: String,
    /// Framework of the engine that the program uses.
    pub(super) framework: String,
    /// Table of keys, if there is one.
    pub(super) keys: Option<Value>,
    /// Keys that change neither memory nor speed, if any are listed.
    pub(super) quiet: Value,
    /// Releases, earliest first.
    pub(super) releases: Vec<Value>,
    /// Keys removed from the program.
    pub(super) gone: Vec<Value>,
    /// Marks that identify files of the program.
    pub(super) marks: Vec<Value>,
    /// Files by other authors, with the expected values.
    pub(super) examples: Vec<Example>,
}

/// A file by another author.
#[derive(Debug)]
pub(super) struct Example {
    /// Name of the file, and the expected values.
    pub(super) expected: Value,
    /// First line of the file, which states its origin.
    pub(super) first_line: String,
}

impl Program {
    /// Returns the name of the program's page, without extension.
    pub(super) fn page(&self) -> String {
        format!("programs-{}", self.slug)
    }
}

/// Marks that identify the program of a file.
#[derive(Debug)]
pub(super) struct Marks {
    /// One row per program.
    pub(super) programs: Vec<Value>,
    /// Alternatives for files without a reader: sentences by name.
    pub(super) instead: Value,
}

impl Marks {
    /// Reads all marks.
    pub(super) fn all() -> Result<Self> {
        let mut table = toml(&root().join(MARKS))?;
        let instead = table.get_mut("instead").map(Value::take).unwrap_or_default();
        Ok(Self { programs: rows(&mut table, "program"), instead })
    }

    /// Returns the alternative to a program's files; `None` if the files are read.
    pub(super) fn instead(&self, program: &Value) -> Option<&str> {
        self.instead.get(text(program, "instead"))?.as_str()
    }
}

/// Returns all programs, by name.
pub(super) fn all() -> Result<Vec<Program>> {
    let marks = Marks::all()?;
    // A folder with neither keys nor releases has no page.
    let has_table = |path: &PathBuf| ["keys.toml", "releases.toml"].iter().any(|name| path.join(name).is_file());
    let folders = entries(&root().join(FOLDERS))?.into_iter().filter(has_table);
    let mut programs: Vec<Program> = folders.map(|folder| program(&folder, &marks)).collect::<Result<_>>()?;
    programs.sort_by_key(|program| program.name.to_lowercase());
    Ok(programs)
}

fn program(folder: &Path, marks: &Marks) -> Result<Program> {
    let slug = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let table = |name: &str| {
        let file = folder.join(name);
        file.is_file().then(|| toml(&file)).transpose()
    };
    let (mut keys, mut releases) = (table("keys.toml")?, table("releases.toml")?);
    if let Some(keys) = &mut keys {
        keys["key"] = Value::Array(included(rows(keys, "key"))?);
    }
    let program = toml(&folder.join("program.toml"))?;
    let [name, framework] = ["name", "framework"].map(|key| text(&program, key).to_owned());
    let is_its = |row: &&Value| text(row, "name") == name;
    let mut from = |key: &str| releases.as_mut().map(|table| rows(table, key)).unwrap_or_default();
    Ok(Program {
        releases: from("release"),
        gone: from("gone"),
        marks: marks.programs.iter().filter(is_its).cloned().collect(),
        examples: examples(folder, &slug)?,
        slug,
        name,
        framework,
        keys,
        quiet: table("quiet.toml")?.unwrap_or_default(),
    })
}

/// Returns rows with those of other tables in their places.
fn included(rows_of_program: Vec<Value>) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for row in rows_of_program {
        match text(&row, "include") {
            "" => all.push(row),
            name => all.append(&mut rows(&mut toml(&root().join(FOLDERS).join(name).with_extension("toml"))?, "key")),
        }
    }
    Ok(all)
}

fn examples(folder: &Path, slug: &str) -> Result<Vec<Example>> {
    let list = folder.join("expected.jsonl");
    if !list.is_file() {
        return Ok(Vec::new());
    }
    let list = read_text(&list)?;
    let lines = list.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let expected: Value = serde_json::from_str(line).with_context(|| format!("“{line}” is not JSON"))?;
            let file = read_text(&root().join(RUNS).join(slug).join(text(&expected, "file")))?;
            Ok(Example { expected, first_line: file.lines().next().unwrap_or_default().to_owned() })
        })
        .collect()
}

fn toml(file: &Path) -> Result<Value> {
    toml_edit::de::from_str(&read_text(file)?).with_context(|| format!("{} could not be read", file.display()))
}

fn rows(table: &mut Value, key: &str) -> Vec<Value> {
    match table.get_mut(key).map(Value::take) {
        Some(Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}
