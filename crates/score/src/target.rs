//! The measured values of a row: step time, memory kind, memory stage.

use super::conventions::Convention;
use super::row::Row;
use super::stack::Stack;
use super::text::has;
use engine::model::transformer::Architecture;
use engine::published::{MemoryKind, MemoryStage};

/// Returns the kind of a row's memory peak; reserved if the row does not state it, as training logs
/// print that.
pub fn memory_kind(row: &Row) -> MemoryKind {
    let kind = row.mem_kind.to_ascii_lowercase();
    if has(&kind, &["nvidia-smi", "smi", "gpu_mem", "process", "device", "max memory used by"]) {
        MemoryKind::Process
    } else if has(&kind, &["reserved"]) {
        MemoryKind::Reserved
    } else if has(&kind, &["allocated", "peak gpu memory allocated"]) {
        MemoryKind::Allocated
    } else {
        MemoryKind::Reserved
    }
}

/// Returns the stage where the peak was measured in a pipeline of `pp` stages.
pub fn memory_stage(row: &Row, stack: Stack, pp: u32) -> MemoryStage {
    let kind = row.mem_kind.to_ascii_lowercase();
    if pp > 1 && has(&kind, &["last"]) && !has(&kind, &["first"]) {
        MemoryStage::Last
    } else if stack == Stack::Nanotron {
        MemoryStage::First
    } else {
        MemoryStage::Most
    }
}

/// The column that a measured step time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeSource {
    /// The step time itself.
    StepTime,
    /// Throughput.
    Tokens,
    /// FLOP/s under the row's convention.
    Tflops,
    /// MFU under the row's convention.
    Mfu,
}

/// Returns the measured time of a step of `tokens` on `gpus`.
pub fn step_time(
    row: &Row,
    shape: &Architecture,
    seq_len: u32,
    tokens: f64,
    gpus: f64,
    peak: f64,
) -> Option<(f64, TimeSource)> {
    if let Some(time) = row.step_time_s {
        return Some((time, TimeSource::StepTime));
    }
    if let Some(rate) = row.tokens_per_s_per_gpu.or_else(|| Some(row.tokens_per_s? / gpus)) {
        return Some((tokens / (rate * gpus), TimeSource::Tokens));
    }
    let flops = |convention: Convention| convention.flops_per_token(shape, seq_len) * tokens / gpus;
    if let Some(rate) = row.tflops_per_gpu {
        return Some((flops(Convention::of_tflops(row)) / (rate * 1e12), TimeSource::Tflops));
    }
    row.mfu_pct.map(|mfu| (flops(Convention::Model) / (mfu / 100.0 * peak), TimeSource::Mfu))
}
