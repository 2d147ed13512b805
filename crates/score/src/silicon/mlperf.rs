//! `MLPerf`'s pre-training: GPT-3 175B, Llama 3.1 405B and 8B.
//!
//! NVIDIA's and its partners' are one family (github mlcommons/training_results_v3.1 to v5.1, NVIDIA/benchmarks): Megatron-Core with
//! sequence parallelism beside tensor parallelism, CUDA graphs, 8 bits, gathers in 8 bits. AMD's run `NeMo` on Megatron too, Intel's its
//! own fork of Megatron-DeepSpeed.

use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use crate::{LeftOut, Notes};
use engine::model::software::{AttentionKernel, Graphs, Kernels};

/// Returns the stack.
pub fn stack(row: &Row) -> Stack {
    if has(&row.gpu, &["mi3", "gaudi"]) { Stack::MegatronCore } else { Stack::Nemo }
}

/// Completes a row.
///
/// # Errors
///
/// A precision or a layout that no configuration of the submission tells.
pub fn complete(row: &mut Row, notes: &mut Notes) -> Result<(), LeftOut> {
    if has(&row.precision, &["two configs"]) {
        // NVFP4's configurations came with v5.1 beside those in 8 bits; the times of a GPU lie together, and with those of the rows
        // that name 4 bits.
        "nvfp4".clone_into(&mut row.precision);
        notes.add("4 bits, the faster of the two configurations of the submission");
    }
    if row.precision.is_empty() {
        "fp8".clone_into(&mut row.precision);
        notes.add("8 bits, as in the submissions' configurations");
    }
    if row.dp.is_none() {
        let (Some(gpus), Some(accum), Some(global)) = (row.num_gpus, row.grad_accum, row.global_batch) else {
            return Err(LeftOut::missing("dp"));
        };
        if has(&row.model, &["gpt-3"]) {
            // Its other configurations have tp 4 and one sequence a micro-batch: the stages follow.
            let replicas = (global / accum.max(1)).max(1);
            (row.tp, row.pp, row.cp, row.micro_batch) = (Some(4), Some(gpus / replicas / 4), Some(1), Some(1));
            row.dp = Some(replicas);
            row.vpp = row.pp.and_then(|stages| (48_u32).checked_div(stages));
            notes.add("tp 4 as in the submitter's other runs, stages from the batch, two layers a chunk");
        } else {
            let replicas = global / accum.max(1);
            (row.tp, row.pp, row.micro_batch) = (Some(1), Some(1), Some(1));
            (row.dp, row.cp) = (Some(replicas), Some(gpus / replicas.max(1)));
            notes.add(
                "context parallelism over the GPUs that the batch does not fill, as in the submission's configurations",
            );
        }
    }
    if row.dp.is_some_and(|dp| row.global_batch == Some(dp * row.micro_batch.unwrap_or(1))) {
        row.grad_accum = Some(1);
    }
    // The batch over replicas and micro-batches, where a log prints another number of accumulations.
    if let (Some(dp), Some(micro), Some(global)) = (row.dp, row.micro_batch, row.global_batch)
        && global % (dp * micro) == 0
    {
        row.grad_accum = Some(global / (dp * micro));
    }
    if has(&row.model, &["gpt-3"]) && row.vpp.is_none() && row.pp == Some(8) && !has(&row.gpu, &["gaudi"]) {
        row.vpp = Some(6);
        notes.add("six chunks a stage, as in the submitter's configuration of v4.1");
    }
    network(row, notes);
    if row.sp.is_empty() || row.tp == Some(1) {
        "yes".clone_into(&mut row.sp);
    }
    "distributed optimizer (ZeRO-1)".clone_into(&mut row.sharding);
    Ok(())
}

/// The network that the submission's system page names for compute: one card of 400 Gbit/s a GPU, of 800 beside GB300. The pages name
/// those for storage and management beside it, and PCIe.
fn network(row: &mut Row, notes: &mut Notes) {
    if has(&row.gpu, &["mi3", "gaudi"]) {
        return;
    }
    let fabric = if has(&row.inter_node_bw, &["roce"]) { "RoCE" } else { "InfiniBand" };
    let rate = if has(&row.gpu, &["gb300"]) { 800 } else { 400 };
    row.inter_node_bw = format!("{rate} Gb/s per GPU {fabric}");
    notes.add("one card a GPU for compute, as on the submission's system page");
}

/// Kernels that the configurations set: Llama 3.1 8B's on Blackwell capture layers as CUDA graphs and run attention in 8 bits
/// (config_common_cg.sh, config_common_fp8attn.sh of v5.1); GPT-3's capture layers (`LAYER_CUDA_GRAPH=1`, v4.1).
pub fn kernels(row: &Row, usual: Kernels) -> Kernels {
    if has(&row.gpu, &["mi3", "gaudi"]) {
        return usual;
    }
    let eight_bit = has(&row.model, &["8b"]) && has(&row.gpu, &["b200", "b300"]);
    let graphs = if eight_bit || has(&row.model, &["gpt-3"]) { Graphs::Layers } else { usual.graphs };
    let attention = if eight_bit { AttentionKernel::Flash8bit } else { usual.attention };
    Kernels { attention, graphs, ..usual }
}
