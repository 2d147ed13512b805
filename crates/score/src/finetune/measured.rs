//! What of a fine-tuning row's measurements can be compared.

use super::completed::is_unnamed;
use super::source::Source;
use crate::row::Row;
use crate::text::has;

/// Returns a row, `run` with what its source documents beside it, with the measurements of a full step of the scenario alone.
pub fn comparable(row: &Row, run: &Row) -> Row {
    let Some(source) = Source::of(row) else { return run.clone() };
    let mut kept = run.clone();
    // Samples shorter than the longest, which sets the memory, take a time that their unknown lengths set.
    let shorter = matches!(source, Source::LitTables | Source::LitHub | Source::PeftMethods | Source::PeftReadme)
        || has(&row.notes, &["no packing"]);
    if shorter || is_unnamed(&row.gpu) {
        kept.step_time_s = None;
        kept.tokens_per_s = None;
        kept.tokens_per_s_per_gpu = None;
        kept.tflops_per_gpu = None;
        kept.mfu_pct = None;
    }
    // The seconds that universal-llm-trainer prints are those of a micro-batch: 16,384 tokens of Llama 2 13B in 9.8 s on H100.
    if source == Source::Universal {
        kept.step_time_s = row.step_time_s.map(|time| time * f64::from(row.grad_accum.unwrap_or(1)));
    }
    // FLOP/s of frozen matrices are counted in several ways.
    if row.trainable != "full" && (row.step_time_s.is_some() || row.tokens_per_s_per_gpu.is_some()) {
        kept.tflops_per_gpu = None;
        kept.mfu_pct = None;
    }
    // 80 GiB may be what the author asks for (README of the tables).
    if has(&row.notes, &["may be what the author asks for"]) {
        kept.peak_mem_gib = None;
    }
    kept
}
