//! The folders of training programs (`crates/files/programs`), and the marks by which their files
//! are told (`crates/files/data/programs.toml`).

use anyhow::{Context as _, Result, anyhow};
use serde_json::Value;
use std::path::Path;

use super::page;
use super::words::{Labels, text};
use crate::shell::{entries, read, root, write};

/// The folder of all of them.
const FOLDERS: &str = "crates/files/programs";
/// Their marks.
const MARKS: &str = "crates/files/data/programs.toml";
/// The files that others wrote and that were read by hand, a folder a program.
const RUNS: &str = "tests/runs";
/// Programs whose marks stand under other names than their folder's.
const MARKED: [(&str, &[&str]); 2] =
    [("transformers", &["Hugging Face Trainer", "the Trainer's fsdp_config"]), ("trl", &["TRL"])];

/// A program.
#[derive(Debug)]
pub(super) struct Program {
    /// The name of its folder, which is its key in links.
    pub(super) slug: String,
    /// Its name as people say it.
    pub(super) name: String,
    /// The engine's framework that it runs.
    pub(super) framework: String,
    /// The table of its keys, if it has one.
    pub(super) keys: Option<Value>,
    /// Its releases, the earliest first.
    pub(super) releases: Vec<Value>,
    /// Keys that it knows no more.
    pub(super) gone: Vec<Value>,
    /// The marks of its files.
    pub(super) marks: Vec<Value>,
    /// Files of it that others wrote, and what a careful person reads in them.
    pub(super) examples: Vec<Example>,
}

/// A file that others wrote.
#[derive(Debug)]
pub(super) struct Example {
    /// The name of the file, and what is read in it.
    pub(super) expected: Value,
    /// Its first line, which says whence it is.
    pub(super) first_line: String,
}

impl Program {
    /// The name of its page, without its ending.
    pub(super) fn page(&self) -> String {
        format!("programs-{}", self.slug)
    }
}

/// Whose a file is.
#[derive(Debug)]
pub(super) struct Marks {
    /// A row a program.
    pub(super) programs: Vec<Value>,
    /// What to give instead of what has no reader: sentences by their names.
    pub(super) instead: Value,
}

impl Marks {
    /// Reads them.
    pub(super) fn all() -> Result<Self> {
        let mut table = toml(&root().join(MARKS))?;
        let instead = table.get_mut("instead").map(Value::take).unwrap_or_default();
        Ok(Self { programs: rows(&mut table, "program"), instead })
    }

    /// What to give instead of a program's files; `None` if they are read.
    pub(super) fn instead(&self, program: &Value) -> Option<&str> {
        self.instead.get(text(program, "instead"))?.as_str()
    }
}

/// Writes the pages into the sources of the book: a page a program, what the page of all includes,
/// and their lines in the table of contents.
pub(super) fn write_pages(book: &Path) -> Result<()> {
    let (programs, marks, labels) = (all()?, Marks::all()?, Labels::ask()?);
    for program in &programs {
        let text = page::page(program, &marks, &labels)
            .with_context(|| format!("The page of {} could not be made", program.name))?;
        write(&book.join(program.page() + ".md"), &text)?;
    }
    write(&book.join("releases-table.md"), &page::overview(&programs, &marks, &labels)?)?;
    write(&book.join("releases-refused.md"), &page::refused(&programs, &marks)?)?;
    let contents = book.join("SUMMARY.md");
    write(&contents, &page::contents(&read(&contents)?, &programs)?)
}

/// All programs, by name.
pub(super) fn all() -> Result<Vec<Program>> {
    let marks = Marks::all()?;
    let folders = entries(&root().join(FOLDERS))?.into_iter().filter(|path| path.is_dir());
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
    let (keys, mut releases) = (table("keys.toml")?, table("releases.toml")?);
    let first = keys.as_ref().or(releases.as_ref());
    let first = first.ok_or_else(|| anyhow!("{} has no table.", folder.display()))?;
    let [name, framework] = ["program", "framework"].map(|key| text(first, key).to_owned());
    let marked = MARKED.iter().find(|(other, _)| *other == slug);
    let is_its = |row: &&Value| match marked {
        Some((_, names)) => names.contains(&text(row, "name")),
        None => text(row, "name") == name,
    };
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
    })
}

fn examples(folder: &Path, slug: &str) -> Result<Vec<Example>> {
    let list = folder.join("expected.jsonl");
    if !list.is_file() {
        return Ok(Vec::new());
    }
    let list = read(&list)?;
    let lines = list.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let expected: Value = serde_json::from_str(line).with_context(|| format!("“{line}” is no JSON"))?;
            let file = read(&root().join(RUNS).join(slug).join(text(&expected, "file")))?;
            Ok(Example { expected, first_line: file.lines().next().unwrap_or_default().to_owned() })
        })
        .collect()
}

fn toml(file: &Path) -> Result<Value> {
    toml_edit::de::from_str(&read(file)?).with_context(|| format!("{} could not be read", file.display()))
}

fn rows(table: &mut Value, key: &str) -> Vec<Value> {
    match table.get_mut(key).map(Value::take) {
        Some(Value::Array(rows)) => rows,
        _ => Vec::new(),
    }
}
