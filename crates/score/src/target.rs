//! The measured values of a row: step time, memory kind, memory stage.

use super::conventions::Convention;
use super::finetune::source::Source;
use super::row::Row;
use super::stack::Stack;
use super::text::has;
use engine::model::transformer::Architecture;
use engine::published::{MemoryKind, MemoryStage};

/// Words for each kind of memory peak, the most telling first: what a driver's tool read, the names of PyTorch's counters, and
/// words that are the whole device's where no counter is named. Torchtune's "active" bytes are those of live tensors.
const KINDS: [(MemoryKind, &[&str]); 4] = [
    (MemoryKind::Process, &["nvidia-smi", "smi", "memory.used"]),
    (MemoryKind::Reserved, &["reserved"]),
    (MemoryKind::Allocated, &["allocated", "memory active"]),
    (MemoryKind::Process, &["gpu_mem", "process", "device", "max memory used by", "vram"]),
];

/// Megatron-Bridge's skills print the peak of allocated bytes; some of their rows say only "peak".
const ALLOCATED_BY_CUSTOM: &str = "Megatron-Bridge skill";

/// Returns the kind of a row's memory peak; reserved if neither the row nor its source states it, as
/// training logs print that.
pub fn memory_kind(row: &Row) -> MemoryKind {
    let named = KINDS.iter().find(|(_, words)| has(&row.mem_kind, words)).map(|(kind, _)| *kind);
    // finetune/lora.py of Lit-GPT prints `max_memory_allocated`, torchtune logs `peak_memory_active`, Axolotl
    // `memory/max_active (GiB)`, PEFT's examples print `max_memory_allocated`.
    let active = [Source::LitTables, Source::Torchtune, Source::TorchtuneFlags, Source::Axolotl, Source::PeftReadme];
    if Source::of(row).is_some_and(|source| active.contains(&source)) {
        return MemoryKind::Allocated;
    }
    // Neither Qwen's nor GLM's code reads PyTorch's counters: their figures are those of the driver's tool.
    if let Some(Source::Qwen | Source::Glm) = Source::of(row) {
        return MemoryKind::Process;
    }
    let custom = || row.source.starts_with(ALLOCATED_BY_CUSTOM).then_some(MemoryKind::Allocated);
    named.or_else(custom).unwrap_or(MemoryKind::Reserved)
}

/// A source that states the memory of its first GPU: 13 GB on GPUs of 32 GB, of a run that is out of memory on GPUs of 16 GB.
const FIRST_GPU: &str = "BigScience tr3m";

/// Returns the stage where the peak was measured in a pipeline of `pp` stages.
pub fn memory_stage(row: &Row, stack: Stack, pp: u32) -> MemoryStage {
    let kind = row.mem_kind.to_ascii_lowercase();
    let is_of_rank_0 = pp > 1 && has(&kind, &["rank 0", "rank-0", "rank0"]) && !has(&kind, &["max over"]);
    if pp > 1 && has(&kind, &["last"]) && !has(&kind, &["first"]) {
        MemoryStage::Last
    } else if stack == Stack::Nanotron || row.source.starts_with(FIRST_GPU) || is_of_rank_0 {
        MemoryStage::First
    } else {
        MemoryStage::Most
    }
}

/// Returns the measured time of a step of `tokens` on `gpus`.
pub fn step_time(row: &Row, shape: &Architecture, seq_len: u32, tokens: f64, gpus: f64, peak: f64) -> Option<f64> {
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
