//! Generates the releases of programs from the programs' own files. Each release holds all facts
//! that apply to it, including those that earlier releases introduced.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::programs::Program;

/// Choices, as keys and values of links.
type Choices = BTreeMap<String, String>;

/// Generates the tables of releases and of removed keys, from the `releases.toml` of each program.
pub(crate) fn tables(programs: &[Program]) -> Result<Vec<(&'static str, String)>, String> {
    let (mut table, mut gone) = (String::from("&[\n"), String::from("&[\n"));
    for program in programs {
        let file = program.folder.join("releases.toml");
        if file.is_file() {
            let (rows, went) = rows(&file, program).map_err(|error| format!("{}: {error}", file.display()))?;
            table.push_str(&rows);
            gone.push_str(&went);
        }
    }
    Ok(vec![("releases.rs", table + "]"), ("gone.rs", gone + "]")])
}

/// Writes the rows of one program's file: its releases, and the keys that were removed.
fn rows(file: &Path, program: &Program) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let table: Value = toml_edit::de::from_str(&text).map_err(|error| error.to_string())?;
    let Program { key, name: program_name, framework, .. } = program;
    let mut facts: Choices = BTreeMap::new();
    let mut where_: Vec<(Choices, Choices)> = Vec::new();
    let mut rows = String::new();
    let mut before = String::new();
    for release in table.get("release").and_then(Value::as_array).into_iter().flatten() {
        let [since, name, says, source] = ["since", "name", "says", "source"].map(|key| said(release, key));
        let since = since?;
        if since <= before || since.len() != 10 {
            return Err(format!("the release of {since} does not come after that of {before}"));
        }
        let set = choices(release.get("set"));
        check_changes(release, &set, &since)?;
        for (_, known) in &mut where_ {
            known.retain(|key, _| !set.contains_key(key));
        }
        facts.extend(set);
        for other in release.get("where").and_then(Value::as_array).into_iter().flatten() {
            let (when, set) = (choices(other.get("when")), choices(other.get("set")));
            where_.retain(|(known, _)| *known != when);
            where_.push((when, set));
        }
        where_.retain(|(_, set)| !set.is_empty());
        // The identifier has the month; the full date of the commit is kept in `since`.
        let month = since.get(..7).unwrap_or(&since);
        let _ = writeln!(
            rows,
            "    Release {{ id: {:?}, program: {program_name:?}, framework: {framework:?}, since: {since:?}, name: {:?}, says: {:?}, \
             source: {:?}, facts: &{:?}, depending: &{} }},",
            format!("{key}-{month}"),
            name?,
            says?,
            source?,
            facts.iter().collect::<Vec<_>>(),
            depending(&where_)
        );
        before = since;
    }
    let mut gone = String::new();
    for row in table.get("gone").and_then(Value::as_array).into_iter().flatten() {
        let [since, says, _] = ["since", "says", "source"].map(|key| said(row, key));
        let keys: Vec<&str> =
            row.get("keys").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let (since, says) = (since?, says?);
        let program = program.variant();
        let _ = writeln!(
            gone,
            "    Gone {{ program: Program::{program}, keys: &{keys:?}, since: {since:?}, says: {says:?} }},"
        );
    }
    Ok((rows, gone))
}

/// A release that sets nothing says why in `changes`, so that no fact is told and then forgotten.
fn check_changes(release: &Value, set: &Choices, since: &str) -> Result<(), String> {
    let wheres = release.get("where").and_then(Value::as_array).into_iter().flatten();
    let sets = !set.is_empty() || wheres.clone().any(|other| other.get("set").is_some());
    match (sets, said(release, "changes")) {
        (false, Err(_)) => Err(format!(
            "the release of {since} sets nothing: give its `set`, or say in `changes` why it has none, as in \
             changes = \"nothing computed: an option, off by default\""
        )),
        (true, Ok(reason)) => Err(format!(
            "the release of {since} has a `set` and a reason for having none, {reason:?}: leave one of them out"
        )),
        _ => Ok(()),
    }
}

fn depending(rows: &[(Choices, Choices)]) -> String {
    let pairs = |choices: &Choices| format!("&{:?}", choices.iter().collect::<Vec<_>>());
    let rows = rows.iter().map(|(when, set)| format!("({}, {})", pairs(when), pairs(set)));
    format!("[{}]", rows.collect::<Vec<_>>().join(", "))
}

fn said(table: &Value, key: &str) -> Result<String, String> {
    let text = table.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("a row lacks {key}: {table}"))
}

fn choices(table: Option<&Value>) -> Choices {
    let rows = table.and_then(Value::as_object).into_iter().flatten();
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    rows.map(|(key, value)| (key.clone(), text(value))).collect()
}
