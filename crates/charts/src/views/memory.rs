//! The memory of one GPU at its peak, by part.

use crate::names;
use crate::spec::{BarSpec, PinnedBar};
use engine::catalog::accuracy;
use engine::format;
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
    let range = accuracy::peak_memory(report);
    let caption = format!("{}{largest}.", sum(report));
    let caption = if logits { format!("{caption} {LOGITS}") } else { caption };
    BarSpec {
        title: "Memory of one GPU at its peak".to_string(),
        caption,
        parts: shown(report),
        generation: report.generation,
        capacity: memory.capacity.get(),
        nominal: memory.nominal.get(),
        range: [range.low, range.high].map(|factor| (factor * memory.needed).get()),
        pins: Vec::new(),
    }
}

/// The parts of the bar: those that only some objectives have where they take something.
fn shown(report: &Report) -> Vec<(MemoryPart, f64)> {
    let parts = report.memory.parts.iter().map(|(part, bytes)| (part, bytes.get()));
    parts.filter(|(part, bytes)| !part.is_of_objective() || *bytes > 0.0).collect()
}

/// The sum in words: `32.3 GiB needed + 6.13 GiB cache + 1.07 GiB free = 39.5 GiB usable (of 40 GiB);
/// nvidia-smi shows 38.4 GiB. 91 % of such runs fit`.
fn sum(report: &Report) -> String {
    let memory = &report.memory;
    let usable = format::usable(memory.capacity, memory.nominal);
    let needed = format::bytes(memory.needed);
    let odds = format::odds(accuracy::fit_odds(report));
    if memory.fits() {
        let [cache, free, shown] = [memory.cache(), memory.free(), memory.peak].map(format::bytes);
        format!(
            "{needed} needed + {cache} cache + {free} free = {usable}; nvidia-smi shows {shown}. \
             {odds} of such runs fit"
        )
    } else {
        let missing = format::bytes(-memory.headroom());
        format!("{needed} needed, {missing} more than {usable}. {odds} of such runs fit")
    }
}

/// Returns the memory of a pinned scenario, drawn beneath the bar.
pub fn pinned_memory(name: &str, report: &Report) -> PinnedBar {
    let memory = &report.memory;
    PinnedBar { name: name.to_string(), parts: shown(report), capacity: memory.capacity.get() }
}
