//! The table that `torch.cuda.memory_summary()` prints: peaks of tensors and of the allocator.

use super::Measured;
use crate::error::size_at;

/// What marks the table.
const TITLE: &str = "PyTorch CUDA memory summary";

/// Reads the first table of a text: the column `Peak Usage` of allocated and of reserved memory, and how often the allocator had to
/// give memory back.
pub(super) fn read(text: &str) -> Option<Measured> {
    let table = text.get(text.find(TITLE)?..)?;
    let peak = |name: &str| {
        let line = table.lines().take(LINES).find(|line| line.contains(name))?;
        let column = line.split('|').filter(|cell| !cell.trim().is_empty()).nth(PEAK)?;
        Some(size_at(column)?.bytes)
    };
    let (allocated, reserved) = (peak("Allocated memory"), peak("GPU reserved memory"));
    allocated.or(reserved)?;
    Some(Measured {
        peak_allocated: allocated,
        peak_reserved: reserved,
        retries: retries(table),
        ..Measured::none("torch.cuda.memory_summary()")
    })
}

/// Lines of a table, and the place of the column of peaks after the name and the current use.
const LINES: usize = 60;
const PEAK: usize = 2;

/// `|            CUDA OOMs: 1            |        cudaMalloc retries: 3         |`.
fn retries(table: &str) -> Option<u32> {
    let phrase = "cudaMalloc retries: ";
    let rest = table.get(table.find(phrase)? + phrase.len()..)?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
