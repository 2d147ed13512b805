//! Configurations that others wrote (`tests/runs`: their keys and values, with where they stand), and what is read of each
//! (`tests/runs/recorded.jsonl`; `SHARDWISE_WRITE=1` writes it anew).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use engine::share::decode::decode;
use files::run::{File, lint, read, write_back};
use serde_json::json;

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");
/// The cluster that they are read for.
const BASE: &str = "cluster=dgx-h100&gpus=8";

/// All files, by format and name.
fn examples() -> Vec<(String, File)> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in std::fs::read_dir(RUNS).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        paths.extend(std::fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path()));
    }
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths
        .iter()
        .map(|path| (name(path.parent().unwrap()), File::new(name(path), std::fs::read_to_string(path).unwrap())))
        .collect()
}

#[test]
fn what_is_read_of_others_files_is_this() {
    let base = decode(BASE).scenario;
    let mut recorded = String::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (folder, file) in examples() {
        let run =
            read(std::slice::from_ref(&file), &base).unwrap_or_else(|said| panic!("{folder}/{}: {said}", file.name));
        *counts.entry(folder.clone()).or_default() += 1;
        let report = run.scenario.report();
        let understood: Vec<_> =
            run.understood.iter().map(|line| json!([line.key, line.value, line.meaning])).collect();
        let line = json!({
            "file": format!("{folder}/{}", file.name),
            "format": run.formats,
            "link": engine::share::encode(&run.scenario),
            "gib": (report.memory.needed.gib() * 10.0).round() / 10.0,
            "understood": understood,
            "assumed": run.assumed,
            "ignored": run.ignored,
            "contradictions": run.contradictions,
        });
        writeln!(recorded, "{line}").unwrap();
    }
    assert!(counts.len() >= 13 && counts.values().all(|count| *count >= 10), "{counts:?}");
    let path = format!("{RUNS}/recorded.jsonl");
    if std::env::var_os("SHARDWISE_WRITE").is_some() {
        std::fs::write(&path, &recorded).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    for (found, expected) in recorded.lines().zip(expected.lines()) {
        assert_eq!(found, expected);
    }
    assert_eq!(recorded.lines().count(), expected.lines().count());
}

#[test]
fn the_linters_fixes_of_others_files_do_what_they_say() {
    let base = decode(BASE).scenario;
    let mut fixes = 0;
    for (folder, file) in examples().into_iter().step_by(4) {
        let files = [file];
        let run = read(&files, &base).unwrap();
        for finding in lint(&run, &files, &base) {
            assert!(finding.what.ends_with('.') && !finding.what.contains("NaN"), "{folder}: {finding:?}");
            if finding.fix.is_empty() {
                continue;
            }
            fixes += 1;
            let text = write_back(&files[0], &finding.fix);
            let fixed = read(&[File::new(files[0].name.clone(), text)], &base).unwrap();
            assert!(fixed.scenario.report().fits(), "{folder}/{}: {finding:?}", files[0].name);
        }
    }
    assert!(fixes > 20, "{fixes}");
}
