//! A published measurement.

use super::cells::Cells;
use super::linked::{End, Linked};
use links::spelling::spell;

/// Measurement columns; every table of training runs without links has at least one.
const MEASURED: [&str; 9] = [
    "step_time_s",
    "tokens_per_s_per_gpu",
    "tokens_per_s",
    "tflops_per_gpu",
    "mfu_pct",
    "peak_mem_gib",
    "measured_step_time_s",
    "ended",
    "outcome",
];

/// Returns whether a table with this header holds training runs.
pub fn is_training(header: &[&str]) -> bool {
    let names_model = |name: &&str| spell(name, "").pairs.iter().any(|(key, _)| key == "model");
    header.contains(&"link") || header.iter().any(names_model) && MEASURED.iter().any(|name| header.contains(name))
}

/// A published measurement. Blank cells are empty texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Identifier of the row in its file.
    pub row_id: String,
    /// Publisher of the measurement.
    pub source: String,
    /// GPU, as named by the source.
    pub gpu: String,
    /// Model, as named by the source.
    pub model: String,
    /// The row as a link.
    pub linked: Linked,
}

impl Row {
    /// Reads a row from its cells.
    pub fn from_cells(cells: &Cells<'_>) -> Self {
        let first = |names: [&str; 2]| names.map(|name| cells.get(name)).into_iter().find(|cell| !cell.is_empty());
        Self {
            row_id: first(["row_id", "case_id"]).unwrap_or_default().to_owned(),
            source: first(["source_key", "source"]).unwrap_or_default().to_owned(),
            gpu: cells.get("gpu").to_owned(),
            model: cells.get("model").to_owned(),
            linked: Linked::from_columns(cells),
        }
    }

    /// Returns whether the run failed or ran out of memory.
    pub fn failed(&self) -> bool {
        matches!(self.linked.end, Some(End::OutOfMemory | End::FailedWithoutCause))
    }

    /// Returns whether the run succeeded.
    pub fn succeeded(&self) -> bool {
        matches!(self.linked.end, Some(End::Ran | End::RanAtItsLimit))
    }
}
