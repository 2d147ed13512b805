//! Writes the keywords of the Python package with their types, from the table of parameters and
//! the other names of `data/spelling.toml`.

use engine::params::{ParamKind, every, find};
use links::spelling::{known_names, option_names, spell};

/// The module that is written.
const MODULE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../python/shardwise/_keys.py");
/// Width of a wrapped line, in columns.
const COLUMNS: usize = 100;
/// A value that no option has.
const NO_OPTION: &str = "no-such-option";
/// A number that no option has.
const NO_NUMBER: &str = "7919";
/// Values of a switch.
const SWITCH: [&str; 2] = ["yes", "no"];

/// First lines of the module.
const HEAD: &str = r#""""The keywords of scenarios with their types, from `data/parameters.toml` and `data/spelling.toml`.

Written by `crates/api/tests/types.rs` (`cargo xtask test --record`). Other spellings of a value,
such as capitals, are read as well: type checkers take them in a mapping, not as keywords.
"""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypedDict, Union

from ._values import Config, Dtype, Model, Number, Section, Switch, Text
"#;

/// Type of a keyword's values.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Model,
    Switch,
    /// Keys of a section: `zero_optimization` of `zero_optimization.stage`.
    Section,
    /// One of the options of this key.
    Choice(String),
}

impl Kind {
    fn of(name: &str) -> Self {
        let number = spell(name, NO_NUMBER).pairs;
        let target = |pairs: &[(String, String)]| pairs.first().map(|(key, _)| key.clone()).unwrap_or_default();
        let key = target(&spell(name, NO_OPTION).pairs);
        match key.as_str() {
            "model" => return Self::Model,
            "gpu" | "cluster" => return Self::Text,
            "nodes" | "batch" => return Self::Number,
            _ => {}
        }
        let is_number = find(&target(&number)).is_some_and(|param| matches!(param.kind, ParamKind::Number(_)));
        if is_number {
            return Self::Number;
        }
        if option_names(&key).all(|option| SWITCH.contains(&option)) { Self::Switch } else { Self::Choice(key) }
    }

    fn text(&self) -> String {
        match self {
            Self::Number => "Number".to_owned(),
            Self::Text => "Text".to_owned(),
            Self::Model => "Model".to_owned(),
            Self::Switch => "Switch".to_owned(),
            Self::Section => "Section".to_owned(),
            Self::Choice(key) => alias(key),
        }
    }
}

/// Name of the type of a choice: `mixed_precision` has `MixedPrecision`.
fn alias(key: &str) -> String {
    key.split('_')
        .filter_map(|word| word.split_at_checked(1))
        .map(|(first, rest)| first.to_uppercase() + rest)
        .collect()
}

/// The spellings of an option: with hyphens, and where there are some with underscores, and as
/// constants are written.
fn spellings(option: &str) -> Vec<String> {
    let spelled = option.replace('-', "_");
    let mut all = vec![option.to_owned()];
    if spelled != option && !option.contains(' ') && option.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        all.extend([spelled.clone(), spelled.to_ascii_uppercase()]);
    }
    all
}

/// Type of a choice: its options by all their names, and other objects that say one of them.
fn choice(key: &str) -> String {
    let options: Vec<&str> = option_names(key).collect();
    let mut words: Vec<String> = Vec::new();
    for option in &options {
        for spelled in spellings(option) {
            if !words.contains(&format!("\"{spelled}\"")) {
                words.push(format!("\"{spelled}\""));
            }
        }
    }
    words.extend(options.iter().filter(|option| option.parse::<u8>().is_ok()).map(|&option| option.to_owned()));
    let others = match key {
        "recipe" => "Dtype,\n    None,",
        // An adapter's configuration says what is trained.
        "train" => "Config,\n    None,",
        _ if options.iter().any(|option| SWITCH.contains(option)) => "Switch,",
        _ => "None,",
    };
    format!("{} = Union[\n    Enum,\n    {others}\n    Literal[\n{}\n    ],\n]\n", alias(key), wrapped(&words, 8))
}

/// Wraps the parts of a list, each followed by a comma.
fn wrapped(parts: &[String], indent: usize) -> String {
    let margin = " ".repeat(indent);
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        let one = format!("{part},");
        match lines.last_mut() {
            Some(line) if line.len() + 1 + one.len() <= COLUMNS => *line = format!("{line} {one}"),
            _ => lines.push(format!("{margin}{one}")),
        }
    }
    lines.join("\n")
}

/// Whether a name can be a keyword argument.
fn is_keyword(name: &str) -> bool {
    name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Checks the module against the tables.
pub(crate) fn check() {
    let own = ["v", "rev", "cluster", "gpu", "model", "nodes", "scale", "generation", "blocks"];
    let keys = own.into_iter().chain(every().map(|param| param.key)).chain(known_names());
    let mut rows: Vec<(&str, Kind)> = Vec::new();
    for name in keys.filter(|name| is_keyword(name)) {
        let kind = match name {
            "v" | "rev" | "scale" => Kind::Number,
            "generation" | "blocks" => Kind::Text,
            _ => Kind::of(name),
        };
        if rows.iter().all(|(known, _)| *known != name) {
            rows.push((name, kind));
        }
    }
    for (section, _) in known_names().filter_map(|name| name.split_once('.')) {
        if rows.iter().all(|(known, _)| *known != section) {
            rows.push((section, Kind::Section));
        }
    }
    let mut choices: Vec<&str> = Vec::new();
    for (_, kind) in &rows {
        if let Kind::Choice(key) = kind
            && !choices.contains(&key.as_str())
        {
            choices.push(key);
        }
    }
    let numbers: Vec<String> =
        rows.iter().filter(|(_, kind)| *kind == Kind::Number).map(|(name, _)| format!("\"{name}\"")).collect();
    let fields = rows.iter().map(|(name, kind)| format!("    {name}: {}\n", kind.text())).collect::<Vec<_>>().concat();
    let aliases = choices.into_iter().map(|key| format!("\n{}", choice(key))).collect::<Vec<_>>().concat();
    let text = format!(
        "{HEAD}{aliases}\n#: Names of numbers, for which true and false have no meaning.\nNUMBERS = frozenset([\n{}\n])\n\n\n\
         class StepValues(TypedDict, total=False):\n    \
         \"\"\"Values of a scenario, but for the sequences of a step.\"\"\"\n\n{fields}\n\n\
         class Values(StepValues, total=False):\n    \"\"\"Values of a scenario, by every name that is read.\"\"\"\n\n    \
         batch: Number\n",
        wrapped(&numbers, 4)
    );
    expect_test::expect_file![MODULE].assert_eq(&text);
}
