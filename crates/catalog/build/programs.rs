//! Generates the enum of programs from their folders, each with its `program.toml`.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A program.
pub(crate) struct Program {
    pub(crate) folder: PathBuf,
    /// The name of the folder, which is the program's key.
    pub(crate) key: String,
    pub(crate) name: String,
    /// The key of the engine's framework that the program runs on.
    pub(crate) framework: String,
    /// The part of a run that its files are, if not the run itself.
    part: Option<String>,
}

impl Program {
    /// Returns the program's variant: `LlamaFactory` of `llama-factory`.
    pub(crate) fn variant(&self) -> String {
        let capital =
            |word: &str| word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect();
        self.key.split('-').map(capital).collect::<Vec<String>>().concat()
    }
}

/// Reads the folders of all programs, by key.
pub(crate) fn all(folder: &Path) -> Result<Vec<Program>, String> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders.into_iter().map(program).collect()
}

fn program(folder: PathBuf) -> Result<Program, String> {
    let file = folder.join("program.toml");
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(&file).map_err(|error| wrong(&error))?;
    let table: Value = toml_edit::de::from_str(&text).map_err(|error| wrong(&error))?;
    let mut fields = table.as_object().into_iter().flat_map(|fields| fields.keys());
    // The last three are of `cargo xtask packages`.
    let known = ["name", "framework", "part", "pypi", "sdist", "arguments"];
    if let Some(unknown) = fields.find(|field| !known.contains(&field.as_str())) {
        return Err(wrong(&format!("{unknown} is no field of a program")));
    }
    let field = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let required = |key: &str| field(key).ok_or_else(|| wrong(&format!("{key} is missing")));
    Ok(Program {
        key: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        name: required("name")?,
        framework: required("framework")?,
        part: field("part"),
        folder,
    })
}

/// Generates the enum.
pub(crate) fn table(programs: &[Program]) -> Result<String, String> {
    let mut variants = String::new();
    let [mut all, mut arms] = [const { String::new() }; 2];
    for program in programs {
        let Program { key, name, framework, part, .. } = program;
        let variant = program.variant();
        let part = match part.as_deref() {
            None => "Run",
            Some("model") => "Model",
            Some("adapter") => "Adapter",
            Some("launcher") => "Launcher",
            Some("options") => "Options",
            Some(other) => return Err(format!("{key}/program.toml: part is {other}, which no file is")),
        };
        let _ = writeln!(variants, "    #[doc = {name:?}]\n    {variant},");
        let _ = write!(all, "Self::{variant}, ");
        let _ = writeln!(arms, "            Self::{variant} => ({key:?}, {name:?}, {framework:?}, Part::{part}),");
    }
    Ok(format!(
        "/// A training program, or a file that programs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {{
{variants}}}

impl Program {{
    /// All programs, by key.
    pub const ALL: [Self; {}] = [{all}];

    /// Returns key, name, framework and part.
    const fn row(self) -> (&'static str, &'static str, &'static str, Part) {{
        match self {{
{arms}        }}
    }}
}}
",
        programs.len()
    ))
}
