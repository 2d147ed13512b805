//! The measured values of a row: step time, memory kind, memory stage.

use super::conventions::Convention;
use super::stack::Stack;
use crate::row::Row;
use crate::text::has;
use analysis::published::{MemoryKind, MemoryStage};
use engine::model::transformer::Architecture;

/// Words for each kind of memory peak, most specific first: tools of the driver, names of PyTorch's
/// counters, and words that refer to the whole device if no counter is named. Torchtune's "active"
/// bytes are allocated to tensors.
const KINDS: [(MemoryKind, &[&str]); 4] = [
    (MemoryKind::Process, &["nvidia-smi", "smi", "memory.used"]),
    (MemoryKind::Reserved, &["reserved"]),
    (MemoryKind::Allocated, &["allocated", "memory active"]),
    (MemoryKind::Process, &["gpu_mem", "process", "device", "max memory used by", "vram"]),
];

/// Returns the kind of a row's memory peak. The default is reserved memory, which training logs
/// print.
pub(super) fn memory_kind(row: &Row) -> MemoryKind {
    let named = KINDS.iter().find(|(_, words)| has(&row.mem_kind, words)).map(|(kind, _)| *kind);
    named.unwrap_or(MemoryKind::Reserved)
}

/// Returns the stage where the peak was measured in a pipeline of `pp` stages.
pub(super) fn memory_stage(row: &Row, stack: Stack, pp: u32) -> MemoryStage {
    let kind = row.mem_kind.to_ascii_lowercase();
    let is_of_rank_0 = pp > 1 && has(&kind, &["rank 0", "rank-0", "rank0"]) && !has(&kind, &["max over"]);
    if pp > 1 && has(&kind, &["last"]) && !has(&kind, &["first"]) {
        MemoryStage::Last
    } else if stack == Stack::Nanotron || is_of_rank_0 {
        MemoryStage::First
    } else {
        MemoryStage::Most
    }
}

/// Returns the measured time of a step of `tokens` on `gpus`.
pub(super) fn step_time(
    row: &Row,
    shape: &Architecture,
    seq_len: u32,
    tokens: f64,
    gpus: f64,
    peak: f64,
) -> Option<f64> {
    if let Some(time) = row.step_time_s {
        return Some(time);
    }
    if let Some(rate) = row.tokens_per_s_per_gpu.or_else(|| Some(row.tokens_per_s? / gpus)) {
        return Some(tokens / (rate * gpus));
    }
    let flops = |convention: Convention| convention.flops_per_token(shape, seq_len) * tokens / gpus;
    if let Some(rate) = row.tflops_per_gpu {
        return Some(flops(Convention::of_tflops(row)) / (rate * 1e12));
    }
    row.mfu_pct.map(|mfu| flops(Convention::Model) / (mfu / 100.0 * peak))
}
