//! The commands of `cargo xtask` with their flags, and the packages of the workspace.

use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};
use toml_edit::DocumentMut;

use crate::shell::{below, read_text, root};

/// The file that describes the commands.
const SOURCE: &str = "xtask/src/main.rs";

/// The file that names the parts of the tests. Read as text, since it uses this module.
const CHECKS: &str = "xtask/src/checks.rs";

/// Folders of the programs that parse their own arguments.
const PROGRAMS: [&str; 2] = ["cli/src", "crates/score/examples"];

/// Commands and packages.
pub(super) struct Commands {
    xtask: BTreeMap<String, Arguments>,
    packages: BTreeSet<String>,
    /// Names of the parts of the tests.
    parts: BTreeSet<String>,
    /// Sources of the programs that parse their own arguments.
    programs: String,
}

/// Arguments of a command.
#[derive(Default)]
struct Arguments {
    flags: BTreeSet<String>,
    /// Whether the arguments are those of another program.
    are_foreign: bool,
    /// Whether they are names of parts of the tests.
    are_parts: bool,
}

impl Commands {
    /// Reads commands and packages.
    pub(super) fn load() -> Result<Self> {
        let mut programs = String::new();
        for folder in PROGRAMS {
            for file in below(&root().join(folder))? {
                programs.push_str(&read_text(&file)?);
            }
        }
        Ok(Self {
            xtask: described(&read_text(&root().join(SOURCE))?),
            packages: packages()?,
            parts: parts()?,
            programs,
        })
    }

    /// Returns what is wrong with a line, if it holds a command of `cargo`.
    pub(super) fn fault(&self, line: &str) -> Option<String> {
        let line = line.split('#').next().unwrap_or_default();
        let (_, command) = line.split_once("cargo ")?;
        let words: Vec<&str> =
            command.split_whitespace().take_while(|word| !matches!(*word, ">" | "|" | "&&" | "--")).collect();
        match words.as_slice() {
            ["xtask", name, arguments @ ..] if !name.starts_with('-') => self.fault_of(name, arguments),
            words => words.windows(2).find_map(|pair| match pair {
                ["-p" | "--package", name] if !self.packages.contains(*name) => {
                    Some(format!("`{name}` is not a package; the packages are {}.", joined(&self.packages)))
                }
                _ => None,
            }),
        }
    }

    fn fault_of(&self, name: &str, arguments: &[&str]) -> Option<String> {
        let Some(known) = self.xtask.get(name) else {
            let names: Vec<&str> = self.xtask.keys().map(String::as_str).collect();
            return Some(format!("`cargo xtask {name}` is not a command; the commands are {}.", names.join(", ")));
        };
        arguments.iter().find_map(|argument| {
            if known.are_foreign {
                let is_missing = argument.starts_with("--") && !self.programs.contains(*argument);
                return is_missing.then(|| format!("`cargo xtask {name}` takes no {argument}: see its --help."));
            }
            if argument.starts_with("--") {
                let is_known = known.flags.contains(*argument);
                return (!is_known).then(|| match joined(&known.flags).as_str() {
                    "" => format!("`cargo xtask {name}` takes no {argument}, nor any other flag."),
                    flags => format!("`cargo xtask {name}` takes no {argument}; its flags are {flags}."),
                });
            }
            (known.are_parts && !self.parts.contains(*argument))
                .then(|| format!("`{argument}` is not a part of the tests; the parts are {}.", joined(&self.parts)))
        })
    }
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Reads the description that xflags compiles.
fn described(source: &str) -> BTreeMap<String, Arguments> {
    let mut commands: BTreeMap<String, Arguments> = BTreeMap::new();
    let mut current = String::new();
    for line in source.lines().map(str::trim).take_while(|line| *line != "fn main() -> ExitCode {") {
        let mut words = line.split([' ', ':', '}']).filter(|word| !word.is_empty()).peekable();
        while let Some(word) = words.next() {
            match (word, words.peek()) {
                ("//" | "///", _) => break,
                ("cmd", Some(name)) => (*name).clone_into(&mut current),
                ("optional" | "repeated" | "required", Some(name)) if name.starts_with("--") => {
                    commands.entry(current.clone()).or_default().flags.insert((*name).to_owned());
                }
                ("OsString", _) => commands.entry(current.clone()).or_default().are_foreign = true,
                ("TestPart", _) => commands.entry(current.clone()).or_default().are_parts = true,
                _ => {}
            }
        }
        if !current.is_empty() && current != "xtask" {
            commands.entry(current.clone()).or_default();
        }
    }
    commands
}

/// Returns the names of the parts of the tests: `"lint" => Self::Lint`.
fn parts() -> Result<BTreeSet<String>> {
    let source = read_text(&root().join(CHECKS))?;
    let arms = source.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" => Self::"));
    Ok(arms.map(|(name, _)| name.to_owned()).collect())
}

/// Returns the names of the workspace's packages.
fn packages() -> Result<BTreeSet<String>> {
    let manifest = |folder: &str| -> Result<DocumentMut> {
        read_text(&root().join(folder).join("Cargo.toml"))?.parse().with_context(|| format!("{folder} has no manifest"))
    };
    let workspace = manifest(".")?;
    let members = workspace.get("workspace").and_then(|table| table.get("members")?.as_array());
    let members = members.context("Cargo.toml has no members")?.iter().filter_map(|member| member.as_str());
    let mut names = BTreeSet::new();
    for folder in members.chain(["."]) {
        let package = manifest(folder)?;
        names.extend(package.get("package").and_then(|table| table.get("name")?.as_str().map(str::to_owned)));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_flags_parts_and_packages_are_known() {
        let commands = Commands::load().unwrap();
        for line in [
            "cargo xtask test lint   # and --bogus",
            "cargo xtask",
            "cargo xtask --help",
            "cargo xtask score tests/measured/*.csv --json > x",
            "cargo test --package engine -- --nocapture",
            "SHARDWISE_URL=x cargo xtask build",
            "pip install x",
        ] {
            assert_eq!(commands.fault(line), None, "{line}");
        }
        for (line, words) in [
            ("cargo xtask tset", "is not a command; the commands are accuracy, bench, book"),
            ("cargo xtask test --fats", "takes no --fats; its flags are --exports, --fast, --record"),
            ("cargo xtask accuracy --all", "nor any other flag"),
            ("cargo xtask score a.csv --row-s", "takes no --row-s: see its --help"),
            ("cargo xtask test lnt", "the parts are browser, docs, lint, native, nightly, packages"),
            ("cargo test -p engin", "`engin` is not a package"),
        ] {
            let fault = commands.fault(line).unwrap_or_default();
            assert!(fault.contains(words), "{line}: {fault}");
        }
    }
}
