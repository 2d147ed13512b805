//! Memory of a few published runs, term by term.

use std::fmt::Write as _;

use super::line;
use crate::prediction::Prediction;
use crate::summary::Entry;
use analysis::published::MemoryKind;
use engine::model::report::MemoryPart;
use engine::names;

/// One run of each kind of stack, by row identifier.
const RUNS: [&str; 5] = ["TT-0061", "OT-0012", "NT-0004", "BS-0012", "MG-0010"];

/// Writes a line for each run: measured memory, predicted memory of the same kind, and every part.
pub(super) fn section(text: &mut String, entries: &[&Entry]) {
    line(text, "\nMemory of five published runs, measured, predicted, and every part of the prediction, in GiB:\n");
    let parts: Vec<&str> =
        MemoryPart::ALL.into_iter().filter(|part| !part.is_of_objective()).map(|part| names::part(part).name).collect();
    let _ = writeln!(text, "| Run | Kind | Measured | Predicted | {} |", parts.join(" | "));
    line(text, &format!("|---|---|{}", "---:|".repeat(parts.len() + 2)));
    for run in RUNS {
        let entry = entries.iter().find(|entry| entry.row.row_id == run);
        let found = entry.and_then(|entry| Some((entry, entry.outcome.as_ref().ok()?)));
        if let Some((entry, prediction)) = found {
            account(text, entry, prediction);
        }
    }
}

/// Names the kind of measured memory.
const fn kind(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Allocated => "allocated",
        MemoryKind::Reserved => "reserved",
        MemoryKind::Process => "process",
    }
}

fn account(text: &mut String, entry: &Entry, prediction: &Prediction) {
    let memory = prediction.measured.stage.memory(&prediction.scenario.setup());
    let parts: Vec<String> = memory
        .parts
        .iter()
        .filter(|(part, _)| !part.is_of_objective())
        .map(|(_, bytes)| format!("{:.2}", bytes.gib()))
        .collect();
    let gpus = prediction.scenario.gpus;
    let _ = writeln!(
        text,
        "| {}: {} on {gpus} {} ({}) | {} | {:.1} | {:.1} | {} |",
        entry.source(),
        entry.row.model,
        entry.row.gpu,
        entry.row.row_id,
        kind(prediction.measured.kind),
        prediction.measured.peak_gib.unwrap_or(f64::NAN),
        prediction.peak_mem_gib,
        parts.join(" | ")
    );
}
