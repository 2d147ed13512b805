//! Runs of llm.q (IST-DASLab/llmq), a trainer in CUDA and C++ whose options the tables print as flags.

use super::LeftOut;
use super::row::Row;
use super::software::Software;
use super::text::has;
use engine::model::software::{
    AttentionKernel, Framework, Graphs, Kernels, Loss, NormKernel, Offload, RootUnit, Segments,
};
use engine::model::training::{OptimizerKernel, PrecisionPolicy};

/// Whether a row is of llm.q.
fn is_of(row: &Row) -> bool {
    has(&row.framework, &["llm.q", "llmq"])
}

/// Returns whether the flags of a row have an option.
fn flag(row: &Row, name: &str) -> bool {
    let words = format!("{} {}", row.notes, row.optimizer);
    has(&words, &[name])
}

/// Returns a row with the level of ZeRO that its flags name: 1 is llm.q's own, and weights and gradients have a flag each.
///
/// # Errors
///
/// Tables without flags: what is recomputed and offloaded decides whether these models fit at all.
pub(crate) fn completed(row: Row) -> Result<Row, LeftOut> {
    if !is_of(&row) {
        return Ok(row);
    }
    if has(&row.notes, &["flags: none given"]) {
        return Err(LeftOut::because("llm.q's options are not given"));
    }
    let level = match (flag(&row, "--shard-weights"), flag(&row, "--shard-gradients")) {
        _ if row.num_gpus == Some(1) => return Ok(row),
        (true, _) => "ZeRO-3",
        (false, true) => "ZeRO-2",
        (false, false) => return Ok(row),
    };
    Ok(Row { sharding: level.to_owned(), ..row })
}

/// Sets what llm.q does (its README, "Low-bit settings", "Offloading"): `--model-dtype=bf16` makes weights, activations and
/// gradients bf16, as these tables have both moments; each run of element-wise work is one kernel, and all buffers are made
/// once, at the start. The classifier overwrites the logits with their gradient, over `--lmhead-chunks` parts of the tokens.
pub(crate) fn complete(row: &Row, software: &mut Software) {
    if !is_of(row) {
        return;
    }
    let in_parts = flag(row, "lmhead-chunks=") && !flag(row, "lmhead-chunks=1 ");
    software.framework = Framework::Torchtitan;
    software.communication.root_unit = RootUnit::Freed;
    software.recipe = PrecisionPolicy::PureBf16;
    software.optimizer_kernel = OptimizerKernel::Fused;
    software.segments = Segments::Expandable;
    software.kernels = Kernels {
        // 16-bit logits that become their gradient where they lie: 2 bytes a logit, of which 1.5 are the nearest.
        loss: if in_parts { Loss::FusedLinear } else { Loss::Chunked },
        norms: NormKernel::Fused,
        compile: true,
        // "cudnn for fast attention".
        attention: AttentionKernel::FlashTuned,
        // A graph of a micro-batch's passes, captured once (`--no-use-cuda-graphs` turns it off).
        graphs: if flag(row, "no-use-cuda-graphs") { Graphs::None } else { Graphs::Step },
        ..software.kernels
    };
    software.offload = Offload {
        optimizer: flag(row, "offload-opt-m") && flag(row, "offload-opt-v"),
        // Sharded gradients on the host come with master weights there.
        parameters: flag(row, "offload-gradients") && flag(row, "offload-master"),
        activations: flag(row, "offload-residual"),
        ..Offload::NONE
    };
}
