//! Tests of writing back into published files (`tests/runs`): all keys but the changed one keep
//! their values.

use catalog::default_scenario;
use files::run::{Change, File, read_run, values, write_back};
use std::path::{Path, PathBuf};

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|end| ["yaml", "json", "toml", "sh", "py"].iter().any(|of| end == *of)) {
            found.push(path);
        }
    }
}

/// Returns the other keys whose values a change of one key alters.
fn lost(file: &File, change: &Change) -> Vec<String> {
    let text = write_back(file, std::slice::from_ref(change));
    let before = values(file).unwrap();
    let after = match values(&File::new(&file.name, &text)) {
        Ok(after) => after,
        Err(said) => return vec![said],
    };
    let name = |key: &str| key.trim_start_matches('$').to_owned();
    // A variable changes every key that uses it, and a key set by a variable is changed at the
    // variable.
    let is_used = |key: &str| {
        [format!("${}", name(key)), format!("${{{}", name(key))].iter().any(|used| file.text.contains(used))
    };
    let own = before.iter().find(|(key, _)| *key == change.key).map(|(_, value)| value.clone());
    // So does a name of Python, and a variable that a test of the script compares.
    let is_constant = |key: &str| {
        file.name.rsplit_once('.').is_some_and(|(_, end)| end == "py")
            && (key.chars().all(|sign| sign.is_ascii_uppercase() || sign == '_')
                || ["=KEY", "= KEY", "(KEY", " KEY,"]
                    .iter()
                    .any(|use_of| file.text.contains(&use_of.replace("KEY", key))))
    };
    let is_tested = |(key, value): &(String, String)| {
        key.starts_with('$') && Some(value) == own.as_ref() && file.text.contains(&format!("[[ {key} "))
    };
    if before.iter().any(is_tested) {
        return Vec::new();
    }
    if is_used(&change.key) || is_constant(&change.key) {
        return Vec::new();
    }
    let holds_it =
        |key: &str, value: &String| key.starts_with('$') && (Some(value) == own.as_ref() || *value == change.to);
    let is_other = |(key, value): &&(String, String)| {
        name(key) != name(&change.key) && !value.starts_with('$') && !holds_it(key, value)
    };
    // A reference to another key is changed at that key.
    if before.iter().any(|(key, value)| *key == change.key && value.starts_with("${")) {
        return Vec::new();
    }
    let differs = |one: &[(String, String)], other: &[(String, String)]| -> Vec<String> {
        one.iter()
            .filter(is_other)
            .filter(|entry| !other.contains(entry))
            .map(|(key, value)| format!("{key}={value}"))
            .collect()
    };
    [differs(&before, &after), differs(&after, &before)].concat()
}

#[test]
fn all_other_keys_keep_their_values() {
    let mut paths = Vec::new();
    files_below(Path::new(RUNS), &mut paths);
    let (mut written, mut wrong) = (0, Vec::new());
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = File::new(name, std::fs::read_to_string(&path).unwrap());
        let Ok(run) = read_run(std::slice::from_ref(&file), &default_scenario()) else { continue };
        for line in &run.understood {
            for to in ["4", "true", ""] {
                let change = Change { file: 0, key: line.key.clone(), from: None, to: to.to_owned() };
                let lost = lost(&file, &change);
                written += 1;
                if !lost.is_empty() {
                    wrong.push(format!("{} {} → “{to}”: {}", path.display(), line.key, lost.join(", ")));
                }
            }
        }
    }
    assert!(written > 1_000, "{written}");
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong.join("\n"));
}
