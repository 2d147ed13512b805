//! What a row measured: the time of a step, memory, whether it ran.

use super::conventions::Convention;
use super::row::Row;
use super::stack::Stack;
use super::text::has;
use crate::model::memory;
use crate::model::report::MemoryReport;
use crate::model::setup::Setup;
use crate::model::stages::stages;
use crate::model::transformer::Architecture;
use crate::units::Bytes;

/// What a measured peak counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Live tensors (`max_memory_allocated`).
    Allocated,
    /// What the caching allocator holds (`max_memory_reserved`).
    Reserved,
    /// What the process holds, CUDA context and libraries among it (nvidia-smi).
    Process,
}

impl MemoryKind {
    /// The kind of a row's peak; reserved where it does not say, as training logs print it.
    pub fn of(row: &Row) -> Self {
        let kind = row.mem_kind.to_ascii_lowercase();
        if has(&kind, &["nvidia-smi", "smi", "gpu_mem", "process", "device", "max memory used by"]) {
            Self::Process
        } else if has(&kind, &["reserved"]) {
            Self::Reserved
        } else if has(&kind, &["allocated", "peak gpu memory allocated"]) {
            Self::Allocated
        } else {
            Self::Reserved
        }
    }

    /// The engine's figure of this kind, of one stage.
    pub fn predicted(self, memory: &MemoryReport) -> Bytes {
        let context = memory.parts.get(crate::model::report::MemoryPart::Context);
        match self {
            Self::Allocated => memory.allocated,
            Self::Reserved => memory.peak - context,
            Self::Process => memory.peak,
        }
    }
}

/// The pipeline stage on which a row's memory was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryStage {
    /// The one that needs most, where the row does not say.
    Most,
    /// The first: nanotron logs rank 0.
    First,
    /// The last: a log of the last rank.
    Last,
}

impl MemoryStage {
    /// The stage of a row whose pipeline has `pp` of them.
    pub fn of(row: &Row, stack: Stack, pp: u32) -> Self {
        let kind = row.mem_kind.to_ascii_lowercase();
        if pp > 1 && has(&kind, &["last"]) && !has(&kind, &["first"]) {
            Self::Last
        } else if stack == Stack::Nanotron {
            Self::First
        } else {
            Self::Most
        }
    }

    /// The memory of that stage.
    pub fn memory(self, setup: &Setup) -> MemoryReport {
        let all = stages(setup);
        match self {
            Self::Most => memory::peak(setup, &all),
            Self::First => memory::of_stage(setup, &all.first),
            Self::Last => memory::of_stage(setup, all.last.as_ref().unwrap_or(&all.first)),
        }
    }
}

/// Where a measured step time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeSource {
    /// The column itself.
    StepTime,
    /// Throughput.
    Tokens,
    /// FLOP/s under the row's convention.
    Tflops,
    /// MFU under the row's convention.
    Mfu,
}

/// The measured time of a step of `tokens` on `gpus`.
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
