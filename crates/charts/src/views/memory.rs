//! The memory of one GPU at its peak, by part.

use crate::names;
use crate::spec::{BarSpec, PinnedBar};
use catalog::accuracy;
use engine::format;
use engine::model::memory::beyond_typical;
use engine::model::report::{MemoryPart, Report};
use engine::scenario::Scenario;
use engine::units::Bytes;

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

/// Returns the parts of the bar; parts that only some objectives have are included if they are not
/// empty.
fn shown(report: &Report) -> Vec<(MemoryPart, f64)> {
    let parts = report.memory.parts.iter().map(|(part, bytes)| (part, bytes.get()));
    parts.filter(|(part, bytes)| !part.is_of_objective() || *bytes > 0.0).collect()
}

/// Writes the sum: `32.3 GiB needed + 6.13 GiB cache + 1.07 GiB free = 39.5 GiB usable (of 40 GiB);
/// nvidia-smi shows 38.4 GiB. 91 % of such runs fit`.
fn sum(report: &Report) -> String {
    let memory = &report.memory;
    let usable = format::usable(memory.capacity, memory.nominal);
    let needed = format::bytes(memory.needed);
    let odds = format::odds(report.odds());
    if memory.is_within() {
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

/// Writes the memory that texts of many lengths need beyond a typical step: ` The longest batch of
/// an epoch needs 9.40 GiB more than a typical one.`; empty if all texts have one length.
pub fn write_longest_batch(scenario: &Scenario) -> String {
    let more = beyond_typical(&scenario.setup());
    if more <= Bytes::ZERO {
        return String::new();
    }
    format!(" The longest batch of an epoch needs {} more than a typical one.", format::bytes(more))
}

/// Returns the memory of a pinned scenario, drawn beneath the bar.
pub fn pinned_memory(name: &str, report: &Report) -> PinnedBar {
    let memory = &report.memory;
    PinnedBar { name: name.to_string(), parts: shown(report), capacity: memory.capacity.get() }
}

#[cfg(test)]
mod tests {
    use super::write_longest_batch;
    use links::decode;

    #[test]
    fn texts_of_many_lengths_say_what_the_longest_batch_needs() {
        let said = |texts: &str| {
            let link =
                "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&mbs=1&train=lora&recompute=full&seq=8192&meanlen=512";
            write_longest_batch(&decode(&format!("{link}&texts={texts}")).scenario)
        };
        let grouped = said("grouped");
        assert!(grouped.starts_with(" The longest batch of an epoch needs 1"), "{grouped}");
        assert!(grouped.ends_with("\u{2009}GiB more than a typical one."), "{grouped}");
        assert_eq!([said("full"), said("packed")].concat(), "");
    }
}
