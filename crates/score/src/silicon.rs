//! Rows on silicon beside NVIDIA's, and `MLPerf`'s pre-training on all of it: what their sources' scripts and configurations set and
//! their tables do not print. What is completed is said on the prediction.

pub mod gaudi;
pub mod maxtext;
pub mod mlperf;
pub mod neuron;
pub mod rocm;

use std::borrow::Cow;

use super::finetune::source::Source;
use super::row::Row;
use super::stack::Stack;
use super::text::has;
use super::{LeftOut, Notes};
use engine::model::software::Kernels;

/// A table of such rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// `MaxText` on TPUs, and on GPUs.
    MaxText,
    /// AWS's tables of Trainium 1.
    Neuron,
    /// Intel's table of Gaudi 2, and Optimum Habana's tests.
    Gaudi,
    /// Several publishers' runs on AMD's accelerators, and those beside them.
    Rocm,
    /// `MLPerf`'s pre-training.
    Mlperf,
}

impl Table {
    /// Returns the table of a row; `None` for rows of others.
    pub fn of(row: &Row) -> Option<Self> {
        if has(&row.framework, &["maxtext"]) {
            return Some(Self::MaxText);
        }
        match row.source.as_str() {
            "neuron" => Some(Self::Neuron),
            "gaudi" => Some(Self::Gaudi),
            "rocm" => Some(Self::Rocm),
            "mlperf" if Source::of(row).is_none() => Some(Self::Mlperf),
            _ => None,
        }
    }

    /// Returns the stack of a row; `None` where the framework's name tells it.
    pub fn stack(self, row: &Row) -> Option<Stack> {
        match self {
            Self::MaxText => Some(Stack::MaxText),
            // neuronx-distributed is written after Megatron: tensor parallelism over the sequence, its pipelines, its optimizer.
            Self::Neuron => Some(Stack::MegatronCore),
            Self::Gaudi => Some(gaudi::stack(row)),
            Self::Rocm => rocm::stack(row),
            Self::Mlperf => Some(mlperf::stack(row)),
        }
    }
}

/// Returns a row with what its source sets.
///
/// # Errors
///
/// The reason why the row is left out.
pub fn completed<'a>(row: &'a Row, notes: &mut Notes) -> Result<Cow<'a, Row>, LeftOut> {
    let Some(table) = Table::of(row) else { return Ok(Cow::Borrowed(row)) };
    let mut full = row.clone();
    match table {
        Table::MaxText => maxtext::complete(&mut full, notes)?,
        Table::Neuron => neuron::complete(&mut full, notes),
        Table::Gaudi => gaudi::complete(&mut full, notes)?,
        Table::Rocm => rocm::complete(&mut full, notes)?,
        Table::Mlperf => mlperf::complete(&mut full, notes)?,
    }
    Ok(Cow::Owned(full))
}

/// Returns the kernels that the source of a row sets.
pub fn kernels(row: &Row, usual: Kernels) -> Kernels {
    if Table::of(row) == Some(Table::Mlperf) { mlperf::kernels(row, usual) } else { usual }
}

/// Fills a blank cell, with a note.
fn fill<T>(cell: &mut Option<T>, value: T, note: &str, notes: &mut Notes) {
    if cell.is_none() {
        *cell = Some(value);
        if !note.is_empty() {
            notes.add(note);
        }
    }
}

/// Fills a blank text, with a note.
fn say(cell: &mut String, value: &str, note: &str, notes: &mut Notes) {
    if cell.is_empty() {
        value.clone_into(cell);
        if !note.is_empty() {
            notes.add(note);
        }
    }
}
