//! Lengths and batches that a row leaves blank.

use super::program::Program;
use crate::Notes;
use crate::row::Row;
use crate::text::has;

/// Shortest sequence that the engine takes.
const SHORTEST: u32 = 128;
/// The length at which most programs cut texts (LLaMA-Factory's `cutoff_len`, Axolotl's `sequence_len`, FastChat's `model_max_length`).
const CUT: u32 = 2048;
/// Memory of a small card, in GB.
const SMALL: f64 = 24.0;
/// The length of Megatron's and nanotron's examples.
const PRETRAINED: u32 = 4096;

/// Turns sequences under the shortest into as many tokens in sequences of that length, on which memory depends.
pub fn lengthen(row: &mut Row, notes: &mut Notes) {
    let Some(seq_len) = row.seq_len.filter(|length| *length < SHORTEST) else { return };
    let Some(micro) = row.micro_batch else { return };
    let tokens = seq_len.saturating_mul(micro);
    let sequences = tokens.div_ceil(SHORTEST).max(1);
    notes.add(format!("{micro} sequences of {seq_len} tokens taken as {sequences} of {SHORTEST}"));
    row.seq_len = Some(SHORTEST);
    row.micro_batch = Some(sequences);
    if row.grad_accum.is_none() && row.global_batch.is_some() {
        row.grad_accum = Some(1);
    }
    // The row's own count of sequences is of shorter ones.
    row.global_batch = None;
    row.global_batch_tokens = None;
}

/// Completes length and batch.
pub fn complete(row: &mut Row, notes: &mut Notes) {
    let has_global = row.global_batch.is_some() || row.global_batch_tokens.is_some();
    if row.is_case() && row.seq_len.is_none() {
        let length =
            if has(&row.framework, &["megatron", "nanotron", "torchtitan", "nemo"]) { PRETRAINED } else { CUT };
        notes.add(format!("a guess: {length} tokens a sequence, the cut-off of most programs"));
        row.seq_len = Some(length);
    }
    if row.micro_batch.is_none() && (row.is_case() || has_global && row.grad_accum.is_none()) {
        // On small cards people begin with one sequence.
        let is_small = row.gpu_mem_gb.is_some_and(|memory| memory <= SMALL);
        let usual = || Program::of(row).map_or(1, |program| program.micro_batch(row.seq_len.unwrap_or(CUT)));
        let micro = if is_small { 1 } else { usual() };
        notes.add(format!("a guess: micro-batches of {micro} sequences"));
        row.micro_batch = Some(micro);
    }
    if row.micro_batch.is_some() && row.grad_accum.is_none() && !has_global {
        // A pipeline needs as many micro-batches as stages to be filled; memory asks for no more.
        let accum = row.pp.unwrap_or(1);
        notes.add(format!("{accum} micro-batches a step assumed, as the row has no global batch"));
        row.grad_accum = Some(accum);
    }
}
