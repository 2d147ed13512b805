//! The linter's configuration: `shardwise.toml`, or `[tool.shardwise]` of `pyproject.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use globset::{Glob, GlobMatcher};
use serde::Deserialize;

use super::Format;

/// Names of the file, the first counts.
const NAMES: [&str; 2] = ["shardwise.toml", "pyproject.toml"];

/// A configuration, as written, with its place.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    /// Its file; empty for none.
    file: PathBuf,
    keys: Keys,
}

/// The keys of a configuration.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    /// Codes of findings or their beginnings.
    #[serde(default)]
    select: Vec<String>,
    /// Codes that are left out.
    #[serde(default)]
    ignore: Vec<String>,
    /// Globs of files that a search of folders leaves out.
    #[serde(default)]
    exclude: Vec<String>,
    /// Demands on every run.
    #[serde(default)]
    assert: Vec<String>,
    /// A link or keys with values, for what no file says.
    #[serde(default)]
    scenario: Option<Scenario>,
    /// Values that count more than what files say.
    #[serde(default)]
    set: BTreeMap<String, Word>,
    /// How findings are printed.
    #[serde(default)]
    output_format: Option<String>,
    /// Codes that are left out of files, by globs.
    #[serde(default)]
    per_file_ignores: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Scenario {
    Link(String),
    Values(BTreeMap<String, Word>),
}

/// A value as a link has it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Word {
    Text(String),
    Whole(i64),
    Number(f64),
    Yes(bool),
}

impl Word {
    fn pair(&self, key: &str) -> String {
        match self {
            Self::Text(text) => format!("{key}={text}"),
            Self::Whole(number) => format!("{key}={number}"),
            Self::Number(number) => format!("{key}={number}"),
            Self::Yes(yes) => format!("{key}={}", if *yes { "yes" } else { "no" }),
        }
    }
}

/// `pyproject.toml`, of which everything else is passed over.
#[derive(Deserialize)]
struct Project {
    tool: Option<Tools>,
}

#[derive(Deserialize)]
struct Tools {
    shardwise: Option<Keys>,
}

impl Configuration {
    /// Returns the nearest configuration of a folder or one above it; an empty one if there is
    /// none.
    pub(super) fn nearest(folder: &Path) -> Result<Self, String> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(folder) = folder.canonicalize() else { return Ok(Self::default()) };
        for folder in folder.ancestors() {
            for name in NAMES {
                let file = folder.join(name);
                if file.is_file()
                    && let Some(keys) = keys(&file)?
                {
                    return Ok(Self { file, keys });
                }
            }
        }
        Ok(Self::default())
    }

    /// Reads a configuration.
    pub(super) fn read(file: &Path) -> Result<Self, String> {
        let keys = keys(file)?.ok_or_else(|| format!("{} has no [tool.shardwise].", file.display()))?;
        Ok(Self { file: file.to_owned(), keys })
    }

    /// Adds the file's name to a problem, as its codes and demands may be those of the command
    /// line, too.
    pub(super) fn located(&self, problem: String) -> String {
        let is_named = self.file.as_os_str().is_empty() || problem.starts_with(&self.file.display().to_string());
        if is_named { problem } else { format!("{}: {problem}", self.file.display()) }
    }

    /// Returns the selected codes; without any those of errors.
    pub(super) fn select(&self) -> Vec<String> {
        if self.keys.select.is_empty() { vec!["SW1".to_owned()] } else { self.keys.select.clone() }
    }

    /// Returns the codes that are left out of a file.
    pub(super) fn ignored(&self, file: Option<&str>) -> Result<Vec<String>, String> {
        let mut ignored = self.keys.ignore.clone();
        for (glob, codes) in &self.keys.per_file_ignores {
            let matcher = self.glob(glob)?;
            if file.is_some_and(|file| self.matches(&matcher, Path::new(file))) {
                ignored.extend(codes.iter().cloned());
            }
        }
        Ok(ignored)
    }

    /// Returns the demands on every run.
    pub(super) fn assertions(&self) -> &[String] {
        &self.keys.assert
    }

    /// Returns the scenario for what no file says, as the text of a link.
    pub(super) fn scenario(&self) -> Result<Option<String>, String> {
        match &self.keys.scenario {
            None => Ok(None),
            Some(Scenario::Link(link)) if link.contains('=') => Ok(Some(link.clone())),
            Some(Scenario::Link(text)) => Err(format!(
                "{}: scenario = “{text}” is neither a link nor keys with values, as in \"cluster=8xH100\".",
                self.file.display()
            )),
            Some(Scenario::Values(values)) => {
                Ok(Some(values.iter().map(|(key, word)| word.pair(key)).collect::<Vec<_>>().join("&")))
            }
        }
    }

    /// Returns the values that count more than what files say.
    pub(super) fn set(&self) -> Vec<String> {
        self.keys.set.iter().map(|(key, word)| word.pair(key)).collect()
    }

    /// Returns the output format.
    pub(super) fn output_format(&self) -> Result<Option<Format>, String> {
        let Some(name) = &self.keys.output_format else { return Ok(None) };
        Format::from_str(name, true).map(Some).map_err(|_| {
            let names: Vec<String> = Format::value_variants()
                .iter()
                .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
                .collect();
            format!("{}: output-format = “{name}” is none of {}.", self.file.display(), names.join(", "))
        })
    }

    /// Returns the globs of files that a search leaves out.
    pub(super) fn excluded(&self) -> Result<Vec<GlobMatcher>, String> {
        self.keys.exclude.iter().map(|glob| self.glob(glob)).collect()
    }

    /// Whether a file matches a glob, by its path from the configuration's folder or its name.
    pub(super) fn matches(&self, glob: &GlobMatcher, file: &Path) -> bool {
        let whole = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let folder = self.file.parent().and_then(|folder| folder.canonicalize().ok()).unwrap_or_default();
        let relative = whole.strip_prefix(&folder).unwrap_or(&whole);
        glob.is_match(relative) || relative.file_name().is_some_and(|name| glob.is_match(name))
    }

    fn glob(&self, glob: &str) -> Result<GlobMatcher, String> {
        let glob = Glob::new(glob).map_err(|cause| format!("{}: {cause}.", self.file.display()))?;
        Ok(glob.compile_matcher())
    }
}

/// Reads the keys of a file; `None` for a `pyproject.toml` without them.
fn keys(file: &Path) -> Result<Option<Keys>, String> {
    let said =
        |cause: String| format!("{}: {}.", file.display(), cause.trim().trim_end_matches('.').replace('\n', " "));
    let text = std::fs::read_to_string(file).map_err(|cause| said(cause.to_string()))?;
    if file.file_name().is_some_and(|name| name == "pyproject.toml") {
        let project: Project = toml_edit::de::from_str(&text).map_err(|cause| said(cause.to_string()))?;
        return Ok(project.tool.and_then(|tools| tools.shardwise));
    }
    toml_edit::de::from_str(&text).map(Some).map_err(|cause| said(cause.to_string()))
}
