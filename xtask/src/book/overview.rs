//! The page of all programs, and their place in the table of contents.

use anyhow::{Result, bail};

use super::labels::{Labels, text};
use super::markdown::{prose, table as written};
use super::programs::{Marks, Program};
use serde_json::{Value, json};

/// The line of the table of contents below which the programs' pages stand.
const CHAPTER: &str = "(releases.md)\n";

/// All programs, a row each.
pub(super) fn table(programs: &[Program], marks: &Marks, labels: &Labels) -> Result<String> {
    let rows: Vec<[String; 4]> = programs.iter().map(|program| row(program, marks, labels)).collect::<Result<_>>()?;
    Ok(written("wide", ["Program", "Computed as", "Releases", "Its files"], &rows))
}

fn row(program: &Program, marks: &Marks, labels: &Labels) -> Result<[String; 4]> {
    let releases = match program.releases.as_slice() {
        [] => "none listed".to_owned(),
        [only] => format!("1: {}", text(only, "name")),
        [first, .., last] => {
            format!("{}, {} to {}", program.releases.len(), text(first, "name"), text(last, "name"))
        }
    };
    let rows = program.keys.as_ref().and_then(|keys| keys["key"].as_array());
    let files = match (rows, reading(program, marks)) {
        (Some(rows), _) => format!("read, by {} rows of keys", rows.len()),
        (None, Reading::ByCode) => "read, by code".to_owned(),
        (None, Reading::Refused(_)) => "recognised, not read".to_owned(),
        (None, Reading::Unknown) => "not recognised as such".to_owned(),
    };
    let name = format!("[{}]({}.md)", program.name, program.page());
    Ok([name, labels.value("framework", &json!(program.framework))?, releases, files])
}

/// What becomes of the files of a program without a table of keys.
pub(super) enum Reading<'a> {
    /// They are read.
    ByCode,
    /// They are recognised, and this is to be given instead.
    Refused(&'a str),
    /// They have no marks.
    Unknown,
}

/// What becomes of the files of a program without a table of keys.
pub(super) fn reading<'a>(program: &Program, marks: &'a Marks) -> Reading<'a> {
    match program.marks.iter().find_map(|row| marks.instead(row)) {
        Some(instead) => Reading::Refused(instead),
        None if program.marks.is_empty() => Reading::Unknown,
        None => Reading::ByCode,
    }
}

/// The programs that are recognised and refused, by what to give instead.
pub(super) fn refused(programs: &[Program], marks: &Marks) -> Result<String> {
    let Some(sentences) = marks.instead.as_object() else { bail!("Nothing is to be given instead of anything.") };
    let name = |row: &Value| {
        let name = text(row, "name");
        match programs.iter().find(|program| program.name == name) {
            Some(program) => format!("[{name}]({}.md)", program.page()),
            None => prose(row["what"].as_str().unwrap_or(name)),
        }
    };
    let rows: Vec<[String; 2]> = sentences
        .iter()
        .filter_map(|(key, sentence)| {
            let mut names: Vec<String> =
                marks.programs.iter().filter(|row| text(row, "instead") == key).map(name).collect();
            names.sort_by_key(|name| name.trim_start_matches('[').to_lowercase());
            Some([names.join(", "), prose(sentence.as_str()?)])
        })
        .collect();
    Ok(written("wide", ["What is recognised", "What to give instead"], &rows))
}

/// The table of contents with the programs' pages in it.
pub(super) fn contents(summary: &str, programs: &[Program]) -> Result<String> {
    let Some((before, after)) = summary.split_once(CHAPTER) else {
        bail!("SUMMARY.md lacks the chapter releases.md, below which the programs stand.");
    };
    let lines: Vec<String> =
        programs.iter().map(|program| format!("  - [{}]({}.md)\n", program.name, program.page())).collect();
    Ok(format!("{before}{CHAPTER}{}{after}", lines.concat()))
}
