//! Regression tests for inputs that failed once (`cases/`, with commands and expected output in
//! `cases/cases.toml`), all in one run.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where its data is wrong")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

/// A command with its expected output.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// Subject of the case, if the file names do not show it.
    #[serde(default)]
    about: String,
    run: String,
    status: i32,
    says: Vec<String>,
    #[serde(default)]
    silent: Vec<String>,
    /// Reason for a case that still fails.
    open: Option<String>,
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Runs a case in its own copy of the inputs, as commands write to them, and returns the errors.
fn wrong(case: &Case, inputs: &Path) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("shardwise-case-{}-{}", case.id, std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    copy(inputs, &folder);
    copy(inputs, &folder.join("before"));
    let commands = Path::new(env!("CARGO_BIN_EXE_shardwise")).parent().unwrap();
    let path = format!("{}:{}", commands.display(), std::env::var("PATH").unwrap_or_default());
    let output = Command::new("bash").args(["-c", &case.run]).current_dir(&folder).env("PATH", path).output().unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let missing = case.says.iter().filter(|text| !said.contains(*text)).map(|text| format!("does not say {text:?}"));
    let present = case.silent.iter().filter(|text| said.contains(*text)).map(|text| format!("says {text:?}"));
    let mut wrong: Vec<String> = missing.chain(present).collect();
    if output.status.code() != Some(case.status) {
        wrong.push(format!("ends with {:?}, not {}", output.status.code(), case.status));
    }
    if !wrong.is_empty() {
        wrong.push(said);
    }
    wrong
}

#[test]
fn what_failed_once_does_not_fail_again() {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let table: Table = toml_edit::de::from_str(&fs::read_to_string(inputs.join("cases.toml")).unwrap()).unwrap();
    let failure = |case: &Case| {
        let wrong = wrong(case, &inputs);
        match (&case.open, wrong.is_empty()) {
            (None, true) | (Some(_), false) => None,
            (None, false) => Some(format!("{} ({}): {}", case.id, case.about, wrong.join("\n  "))),
            (Some(why), true) => Some(format!("{}: it no longer fails ({why}): take `open` away", case.id)),
        }
    };
    // On all processors: each case is a process.
    let cores = std::thread::available_parallelism().unwrap().get();
    let failed: Vec<String> = std::thread::scope(|scope| {
        let part = |from| table.case.iter().skip(from).step_by(cores).filter_map(failure).collect::<Vec<_>>();
        let parts: Vec<_> = (0..cores).map(|from| scope.spawn(move || part(from))).collect();
        parts.into_iter().flat_map(|part| part.join().unwrap()).collect()
    });
    assert!(table.case.len() >= 50, "{}", table.case.len());
    assert!(failed.is_empty(), "{} cases:\n{}", failed.len(), failed.join("\n"));
}
