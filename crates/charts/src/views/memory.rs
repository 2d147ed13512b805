//! The memory of one GPU at its peak, by part.

use crate::names;
use crate::spec::{BarSpec, PinnedBar};
use engine::catalog::accuracy;
use engine::format;
use engine::model::memory::odds::Verdict;
use engine::model::report::{MemoryPart, Report};

/// Advice if the logits are the largest part.
const LOGITS: &str = "A fused or chunked loss, tensor or context parallelism would shrink it.";

/// Returns the memory bar of a report: every part in display order, and the capacity across it.
pub fn memory_bar(report: &Report) -> BarSpec {
    let memory = &report.memory;
    let largest = memory.parts.iter().reduce(|most, part| if part.1 > most.1 { part } else { most });
    let logits = largest.is_some_and(|(part, _)| part == MemoryPart::Logits);
    let largest = largest.map_or(String::new(), |(part, bytes)| {
        format!(
            "; the largest part is {} ({})",
            names::in_sentence(engine::names::part_on(part, report.generation).name),
            format::bytes(bytes)
        )
    });
    let (peak, capacity) = (format::bytes(memory.peak), format::usable(memory.capacity, memory.nominal));
    let caption = if memory.fits() {
        let free = format::bytes(memory.free());
        let needed = format::bytes(memory.needed);
        if needed == peak {
            format!("The peak takes {peak} of {capacity} and leaves {free} free{largest}.")
        } else {
            format!(
                "The peak takes {peak} of {capacity}. Without what PyTorch only caches it is {needed}, which leaves {free} free{largest}."
            )
        }
    } else {
        format!("The peak takes {peak}, {} more than the GPU's {capacity}{largest}.", format::bytes(-memory.free()))
    };
    let caption = caption + &odds(report);
    let caption = if logits { format!("{caption} {LOGITS}") } else { caption };
    BarSpec {
        title: "Memory of one GPU at its peak".to_string(),
        caption,
        parts: shown(report),
        generation: report.generation,
        capacity: memory.capacity.get(),
        nominal: memory.nominal.get(),
        pins: Vec::new(),
    }
}

/// The parts of the bar: those that only some objectives have where they take something.
fn shown(report: &Report) -> Vec<(MemoryPart, f64)> {
    let parts = report.memory.parts.iter().map(|(part, bytes)| (part, bytes.get()));
    parts.filter(|(part, bytes)| !part.is_of_objective() || *bytes > 0.0).collect()
}

/// Says of a tight run how many such runs fit.
fn odds(report: &Report) -> String {
    if accuracy::verdict(report) != Verdict::Tight {
        return String::new();
    }
    format!(" By the errors of published peaks, about {:.0} in 10 such runs fit.", 10.0 * accuracy::fit_odds(report))
}

/// Returns the memory of a pinned scenario, drawn beneath the bar.
pub fn pinned_memory(name: &str, report: &Report) -> PinnedBar {
    let memory = &report.memory;
    PinnedBar { name: name.to_string(), parts: shown(report), capacity: memory.capacity.get() }
}
