//! Tests of published configurations (`tests/runs`: keys and values, with their sources) against
//! the recorded results (`tests/runs/recorded.jsonl`, rewritten by `cargo xtask test --record`).

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use files::run::{Base, File, Severity, lint, read_run, write_back};
use links::decode::decode;
use serde_json::json;

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");
/// The cluster for which the files are read.
const BASE: &str = "cluster=dgx-h100&gpus=8";

/// Returns all files, by format and name.
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
        let run = read_run(std::slice::from_ref(&file), &base)
            .unwrap_or_else(|said| panic!("{folder}/{}: {said}", file.name));
        *counts.entry(folder.clone()).or_default() += 1;
        let report = run.scenario.report();
        let understood: Vec<_> =
            run.understood.iter().map(|line| json!([line.key, line.value, line.meaning])).collect();
        let line = json!({
            "file": format!("{folder}/{}", file.name),
            "format": run.formats.iter().map(|program| program.name()).collect::<Vec<_>>(),
            "link": links::encode(&run.scenario),
            "gib": (report.memory.needed.gib() * 10.0).round() / 10.0,
            "understood": understood,
            "assumed": run.assumed,
            "ignored": run.ignored,
            "unread": run.unread,
            "contradictions": run.contradictions,
        });
        writeln!(recorded, "{line}").unwrap();
    }
    // At least ten files of most programs, three of small ones.
    assert!(counts.len() >= 28 && counts.values().all(|count| *count >= 3), "{counts:?}");
    assert!(counts.values().filter(|count| **count >= 10).count() >= 19, "{counts:?}");
    expect_test::expect_file![format!("{RUNS}/recorded.jsonl")].assert_eq(&recorded);
}

/// Returns a file with one more key; `None` for a script without a command of several lines.
fn with_key(file: &File, key: &str, value: &str) -> Option<File> {
    let text = &file.text;
    let end = file.name.rsplit_once('.').map_or("", |(_, end)| end);
    let text = match end {
        "json" => text.replacen('{', &format!("{{\n\"{key}\": \"{value}\","), 1),
        "yaml" | "yml" => format!("{}\n{key}: {value}\n", text.trim_end()),
        "toml" => format!("{key} = \"{value}\"\n{text}"),
        "py" => format!("{text}\n{key} = \"{value}\"\n"),
        _ => {
            let place = text.lines().position(|line| {
                line.trim_start().starts_with("--") && line.ends_with('\\') && !line.contains(['"', '\''])
            })?;
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.insert(place + 1, format!("    --{key} {value} \\"));
            lines.join("\n")
        }
    };
    Some(File::new(file.name.clone(), text))
}

/// Whatever a file says besides, a key that no program has and that may decide is named.
#[test]
fn a_key_that_may_decide_is_named_in_every_file() {
    let base = decode(BASE).scenario;
    let words = ["parallel", "offload", "quant", "lora", "optim", "engine", "batch", "deepspeed", "seq", "dtype"];
    let mut random: u64 = 57;
    let (mut named, mut silent) = (0, Vec::new());
    for (folder, file) in examples() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = words[(random >> 33) as usize % words.len()];
        let key = format!("new{}_{word}_way", random >> 56);
        let Some(changed) = with_key(&file, &key, "4") else { continue };
        match read_run(&[changed], &base) {
            Ok(run) if run.unread.iter().any(|line| *line == format!("{key} = 4")) => named += 1,
            Ok(_) => silent.push(format!("{folder}/{} {key}", file.name)),
            // A refusal is no verdict.
            Err(_) => {}
        }
    }
    assert!(silent.is_empty() && named > 200, "{named} {silent:#?}");
}

#[test]
fn the_linters_fixes_of_others_files_do_what_they_say() {
    let base = decode(BASE).scenario;
    let mut fixes = 0;
    for (folder, file) in examples().into_iter().step_by(4) {
        let files = [file];
        let run = read_run(&files, &base).unwrap();
        let findings = lint(&run, &files, &base);
        // Another training is not suggested if settings suffice, and a run that fits keeps all of
        // the training but the batch.
        let is_mended = findings.iter().any(|finding| finding.code.starts_with("SW2"));
        let fits = run.scenario.report().fits();
        for finding in findings {
            let is_training = finding.code.starts_with("SW3");
            let is_right = if fits { matches!(finding.code, "SW303" | "SW305") } else { !is_mended };
            assert!(!is_training || is_right, "{folder}/{}: {finding:?}", files[0].name);
            assert_eq!(is_training, finding.severity == Severity::Note, "{finding:?}");
            assert!(finding.what.ends_with('.') && !finding.what.contains("NaN"), "{folder}: {finding:?}");
            if finding.fix.is_empty() {
                continue;
            }
            fixes += 1;
            let text = write_back(&files[0], &finding.fix);
            let fixed = read_run(&[File::new(files[0].name.clone(), text)], &base).unwrap();
            assert!(fixed.scenario.report().fits(), "{folder}/{}: {finding:?}", files[0].name);
        }
    }
    assert!(fixes > 20, "{fixes}");
}

/// Memory that Axolotl's pages state for its examples, against the prediction at the release of the
/// page's date: reserved memory, without the context.
#[test]
fn what_others_state_of_their_memory_is_predicted() {
    use engine::scenario::Scenario;
    let base = decode(BASE).scenario;
    let mut errors: Vec<f64> = Vec::new();
    let mut table = String::new();
    let mut rows = csv::Reader::from_path(format!("{RUNS}/stated.csv")).unwrap();
    for row in rows.records() {
        let row = row.unwrap();
        let (gpus, stated): (u32, f64) = (row[1].parse().unwrap(), row[2].parse().unwrap());
        let name = row[0].rsplit_once('.').unwrap().0.to_owned();
        let path = ["yaml", "yml"].map(|end| format!("{RUNS}/axolotl/{name}.{end}"));
        let text = path.iter().find_map(|path| std::fs::read_to_string(path).ok()).unwrap();
        let over = vec![("release".to_owned(), row[3].to_owned())];
        let of_its_day = Base { over, ..Base::from(&Scenario { gpus, ..base }) };
        let run = read_run(&[File::new("axolotl.yaml", text)], of_its_day).unwrap();
        let report = Scenario { gpus, ..run.scenario }.report();
        let context = 0.6;
        let predicted = report.memory.peak.gib() - context;
        writeln!(table, "{} {gpus}: stated {stated}, predicted {predicted:.1}", &row[0]).unwrap();
        errors.push((predicted / stated).ln().abs());
    }
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    assert!(errors.len() >= 12 && median < 0.15, "median {median:.2}\n{table}");
    println!("median {median:.2}\n{table}");
}
