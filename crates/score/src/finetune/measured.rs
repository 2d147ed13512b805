//! What of a fine-tuning row's measurements can be compared.

use super::completed::is_unnamed;
use super::scope::loads_whole;
use super::source::Source;
use crate::row::Row;
use crate::text::has;
use engine::units::Bytes;

/// Whether a warning of a tuned model's row is of its speed alone, and the row has a peak: what is slow, or counted otherwise.
pub fn is_of_time(row: &Row) -> bool {
    let warning = row.notes.split_once("CAUTION").map(|(_, warning)| warning);
    let of_speed = |text: &str| has(text, &["slow", "mfu", "tflop", "throughput", "tokens/s", "speed", "step time"]);
    let of_memory = |text: &str| has(text, &["memory", "peak", "gib", "contradict", "degrees"]);
    let tuned = !row.trainable.is_empty() && row.peak_mem_gib.is_some();
    tuned && warning.is_some_and(|text| of_speed(text) && !of_memory(text))
}

/// Whether a warning is of a rate alone beside a step time, which it does not spoil.
pub fn is_of_rate(row: &Row) -> bool {
    let warning = row.notes.split_once("CAUTION").map(|(_, warning)| warning);
    let of_rate = |text: &str| has(text, &["mfu", "tflop", "tokens/s", "throughput"]);
    let of_run = |text: &str| {
        has(text, &["slow", "step time", "memory", "peak", "degrees", "balanced", "iterations", "rounded"])
    };
    row.step_time_s.is_some() && warning.is_some_and(|text| of_rate(text) && !of_run(text))
}

/// What a table calls GB over what it was read as: torchtitan logs GiB, and the script that makes torchao's tables of such
/// logs copies them (benchmarks/float8/training/parse_torchtitan_logs.py: `memory: ([\d.]+)GiB`).
fn printed(row: &Row) -> f64 {
    let copied = has(&row.framework, &["torchtitan"]) && has(&row.mem_kind, &["gb assumed 1e9"]);
    // LitGPT's benchmark divides by 1e9 before it prints; a collector may have converted it.
    let decimal = has(&row.mem_kind, &["divided by 1e9", "divides by 1e9"]) && !has(&row.mem_kind, &["converted"]);
    match (copied, decimal) {
        (true, _) => 1.0 / Bytes::new(1e9).gib(),
        (false, true) => Bytes::new(1e9).gib(),
        (false, false) => 1.0,
    }
}

fn forget_time(row: &mut Row) {
    row.step_time_s = None;
    row.tokens_per_s = None;
    row.tokens_per_s_per_gpu = None;
    row.tflops_per_gpu = None;
    row.mfu_pct = None;
}

/// Returns a row, `run` with what its source documents beside it, with the measurements of a full step of the scenario alone.
pub fn comparable(row: &Row, run: &Row) -> Row {
    let mut kept = run.clone();
    kept.peak_mem_gib = kept.peak_mem_gib.map(|peak| peak * printed(row));
    if is_of_rate(row) {
        (kept.tokens_per_s, kept.tokens_per_s_per_gpu, kept.tflops_per_gpu) = (None, None, None);
        (kept.mfu_pct, kept.hfu_pct) = (None, None);
    }
    let Some(source) = Source::of(row) else { return kept };
    // Samples shorter than the longest, which sets the memory, take a time that their unknown lengths set.
    let shorter = matches!(source, Source::LitTables | Source::LitHub | Source::PeftMethods | Source::PeftReadme)
        || has(&row.notes, &["no packing", "unpacked:"]);
    if shorter || is_unnamed(&run.gpu) {
        forget_time(&mut kept);
    }
    // Whether of one GPU or of all, this README does not say.
    let of_all = source == Source::TorchtuneEarly && row.num_gpus.is_some_and(|gpus| gpus > 1);
    // What universal-llm-trainer calls a step is not said.
    if of_all || source == Source::Universal {
        kept.step_time_s = None;
        kept.tokens_per_s = None;
        kept.tokens_per_s_per_gpu = None;
    }
    // src/trainer/trainer.py prints `memory_reserved() / 1E9`; the page calls it GiB, and 16 of them the weights of Llama 3.1 8B in bf16.
    if source == Source::Universal {
        kept.peak_mem_gib = row.peak_mem_gib.map(|decimal| Bytes::new(decimal * 1e9).gib());
    }
    // 18.9 GiB on one GPU and 37.4 on another, of the same recipe; with adapters 16.2 and 30.3 ([`super::completed`]).
    if source == Source::Torchtune && row.trainable == "full" && has(&row.gpu, &["a6000"]) {
        kept.peak_mem_gib = None;
    }
    if is_of_time(row) && !is_of_rate(row) {
        forget_time(&mut kept);
    }
    // FLOP/s of frozen matrices are counted in several ways.
    if row.trainable != "full" && (row.step_time_s.is_some() || row.tokens_per_s_per_gpu.is_some()) {
        kept.tflops_per_gpu = None;
        kept.mfu_pct = None;
    }
    // The peak of samples that are not packed is that of the longest, whose length is not said; the update's is none of theirs.
    let at_update = row.trainable == "full" && row.micro_batch == Some(1);
    if has(&row.notes, &["no packing", "unpacked:"]) && !at_update || loads_whole(row, source) {
        kept.peak_mem_gib = None;
    }
    // 80 GiB may be what the author asks for (README of the tables).
    if has(&row.notes, &["may be what the author asks for"]) {
        kept.peak_mem_gib = None;
    }
    kept
}
