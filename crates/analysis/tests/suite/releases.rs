//! Releases of programs, against what their change logs say and what published runs of their day
//! needed.

use analysis::published::MemoryKind;
use catalog::releases::{RELEASES, Release, find, newest_of, predecessor};
use engine::model::report::Report;
use engine::names;
use engine::scenario::Scenario;
use engine::stats::median;
use links::decode::decode;
use serde::Deserialize;
use std::fmt::Write;

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");
/// The document with the table of published runs, and the text around the table.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/accuracy/releases.md");
const MARKER: &str = "<!-- releases -->";

fn rows<T: for<'row> Deserialize<'row>>(name: &str) -> Vec<T> {
    let mut rows = csv::Reader::from_path(format!("{RUNS}/{name}")).unwrap();
    rows.deserialize().collect::<Result<_, _>>().unwrap()
}

/// A run at a release.
fn at(link: &str, release: &Release) -> Scenario {
    let decoded = decode(&format!("{link}&release={}", release.id));
    assert!(decoded.issues.is_empty(), "{link} at {}: {:?}", release.id, decoded.issues);
    decoded.scenario
}

/// A release by its key, not by a month after it.
fn release(id: &str) -> &'static Release {
    let release = find(id).unwrap();
    assert_eq!(release.id, id);
    release
}

/// One release of a program after another, and its effect on a run by the change log.
#[derive(Deserialize)]
struct Step {
    from: String,
    to: String,
    link: String,
    changes: String,
    note: String,
    /// The feature that the engine lacks to reproduce the change.
    open: String,
}

/// The figures that a change log speaks of, by the keys that reports have.
fn figures(scenario: &Scenario) -> Vec<(&'static str, f64)> {
    let report = scenario.report();
    let run = scenario.run_of(&report);
    let parts = report.memory.parts.iter().map(|(part, bytes)| (names::part(part).key, bytes.get()));
    let others = [("step_time_s", report.update.time.step.get()), ("host_offload_bytes", run.host.offload.get())];
    parts.chain(others).collect()
}

/// Lists the differences between two scenarios, as the table writes them: the allocator's parts
/// follow the others, and so does the time.
fn differences(before: &Scenario, after: &Scenario) -> Vec<(&'static str, char)> {
    let pairs = figures(before).into_iter().zip(figures(after));
    let changed = pairs.filter(|((_, one), (_, other))| (one - other).abs() > 1e-3 * one.abs().max(1.0));
    changed.map(|((key, one), (_, other))| (key, if other > one { '+' } else { '-' })).collect()
}

#[test]
fn what_a_change_log_says_changes_is_what_changes() {
    let steps: Vec<Step> = rows("steps.csv");
    assert!(steps.len() >= 30);
    let mut wrong = Vec::new();
    for step in &steps {
        let [before, after] = [&step.from, &step.to].map(|id| release(id));
        assert_eq!(predecessor(after).map(|release| release.id), Some(before.id), "{} follows {}", step.to, step.from);
        let found = differences(&at(&step.link, before), &at(&step.link, after));
        let expected: Vec<&str> = step.changes.split(';').collect();
        let is_alone = expected.iter().any(|change| matches!(*change, "=" | "none"));
        let named = expected.iter().filter_map(|change| change.split_once(':'));
        let is_named = |key: &str| expected.iter().any(|change| change.starts_with(key));
        let holds = named.clone().all(|(key, sign)| found.iter().any(|(of, by)| *of == key && sign.starts_with(*by)));
        let follows = |key: &str| {
            // What the allocator holds follows what is held, and the time a smaller loss.
            step.changes != "none" && matches!(key, "cache" | "fragmentation" | "step_time_s")
        };
        let others = found.iter().filter(|(key, _)| !is_named(key) && !follows(key)).count();
        let agrees = holds && (!is_alone || others == 0);
        if agrees != step.open.is_empty() {
            wrong.push(format!(
                "{} to {}, {}: {} ({}); found {found:?}",
                step.from, step.to, step.link, step.changes, step.note
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), steps.len(), wrong.join("\n"));
    // A row notes the fact that the engine lacks.
    assert!(steps.iter().filter(|step| !step.open.is_empty()).count() <= 5);
}

/// A published run whose program and day are known.
#[derive(Deserialize)]
struct Published {
    program: String,
    date: String,
    release: String,
    what: String,
    link: String,
    kind: String,
    peak_gib: f64,
    source: String,
}

/// The peak that was measured, as predicted, in GiB.
fn peak(report: &Report, kind: &str) -> f64 {
    let kind = match kind {
        "allocated" => MemoryKind::Allocated,
        "reserved" => MemoryKind::Reserved,
        other => panic!("{other} is no kind of memory"),
    };
    kind.predicted(&report.memory).gib()
}

#[test]
fn published_runs_are_nearer_at_the_release_of_their_day() {
    let runs: Vec<Published> = rows("published.csv");
    assert!(runs.len() >= 12);
    let mut table = String::from(
        "| program | day | run | kind | measured, GiB | at its release | at the newest |\n|---|---|---|---|---:|---:|---:|\n",
    );
    let (mut dated, mut newest) = (Vec::new(), Vec::new());
    for run in &runs {
        let own = release(&run.release);
        let of_day = RELEASES.iter().rfind(|other| other.program == own.program && other.since <= run.date.as_str());
        assert_eq!(of_day.map(|release| release.id), Some(own.id), "{}", run.what);
        assert_eq!(own.program_key(), run.program, "{}", run.what);
        let address = run.source.split_whitespace().next().unwrap_or_default().trim_end_matches(';');
        assert!(address.starts_with("https://"), "{}", run.source);
        let [then, now] = [own, newest_of(own)].map(|release| peak(&at(&run.link, release).report(), &run.kind));
        let error = |predicted: f64| predicted / run.peak_gib - 1.0;
        dated.push(error(then).abs());
        newest.push(error(now).abs());
        let cell =
            |predicted: f64| format!("{predicted:.1} ({:+.0} %)", 100.0 * error(predicted)).replace("-0 %", "+0 %");
        writeln!(
            table,
            "| {} | [{}]({address}) | {} | {} | {:.1} | {} | {} |",
            own.program,
            run.date,
            run.what,
            run.kind,
            run.peak_gib,
            cell(then),
            cell(now)
        )
        .unwrap();
    }
    let [then, now] = [&dated, &newest].map(|errors| 100.0 * median(errors).unwrap());
    let mean = |errors: &[f64]| 100.0 * errors.iter().sum::<f64>() / errors.len() as f64;
    writeln!(
        table,
        "\nMedian error {then:.1} % (mean {:.1} %) at the release of its day, {now:.1} % ({:.1} %) at the newest.",
        mean(&dated),
        mean(&newest)
    )
    .unwrap();
    assert!(then < now && mean(&dated) < mean(&newest));
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let mut parts: Vec<&str> = document.split(MARKER).collect();
    assert_eq!(parts.len(), 3, "the document has two markers {MARKER}");
    let written = format!("\n\n{table}\n");
    parts[1] = &written;
    expect_test::expect_file![DOCUMENT].assert_eq(&parts.join(MARKER));
}
