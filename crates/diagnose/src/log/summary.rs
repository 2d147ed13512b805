//! Reads the table of `torch.cuda.memory_summary()`: peaks of allocated and reserved memory.

use super::Measured;
use crate::error::size_at;

/// Title of the table.
const TITLE: &str = "PyTorch CUDA memory summary";

/// Reads the first table of a text: peak allocated and reserved memory, reserved memory without a
/// tensor, and the number of allocation retries. *Non-releasable* memory is inactive pieces of
/// blocks in use (`c10/cuda/CUDACachingAllocator.cpp`, `inactive_split`).
pub(super) fn parse_memory_summary(text: &str) -> Option<Measured> {
    let table = text.get(text.find(TITLE)?..)?;
    let cell = |name: &str, column: usize| {
        let line = table.lines().take(LINES).find(|line| line.contains(name))?;
        Some(size_at(line.split('|').filter(|cell| !cell.trim().is_empty()).nth(column)?)?.bytes)
    };
    let (allocated, reserved) = (cell("Allocated memory", PEAK), cell("GPU reserved memory", PEAK));
    allocated.or(reserved)?;
    let current = |name| cell(name, CURRENT);
    let unused = || {
        let [tensors, held, pieces] = ["Allocated memory", "GPU reserved memory", "Non-releasable memory"].map(current);
        Some(((held? - tensors?).max(0.0), pieces?))
    };
    Some(Measured {
        peak_allocated: allocated,
        peak_reserved: reserved,
        retries: retries(table),
        unused: unused(),
        ..Measured::none("torch.cuda.memory_summary()")
    })
}

/// Lines of a table, and the indices of the columns of current and peak usage after the name.
const LINES: usize = 60;
const CURRENT: usize = 1;
const PEAK: usize = 2;

/// Parses `|            CUDA OOMs: 1            |        cudaMalloc retries: 3         |`.
fn retries(table: &str) -> Option<u32> {
    let phrase = "cudaMalloc retries: ";
    let rest = table.get(table.find(phrase)? + phrase.len()..)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
