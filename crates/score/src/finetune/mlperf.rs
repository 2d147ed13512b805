//! `MLPerf`'s Llama 2 70B with adapters: what the submissions' configurations set.
//!
//! NVIDIA's and its partners' are one family (github mlcommons/training_results_v4.0 to v5.1,
//! NVIDIA/benchmarks/llama2_70b_lora/implementations/nemo): weights in 8 bits (`fp8_params`), one sequence a micro-batch (`MBS=1`), no
//! recomputation, sequence parallelism with tensor parallelism. AMD's recompute 21 of the 80 layers on MI300X (`ACG=full ACM=block
//! ACL=21`, config_MI300X_1x8x1.sh).

use crate::row::Row;
use crate::text::has;
use crate::{LeftOut, Notes};

/// Layers that AMD's configuration for MI300X recomputes, of 80.
pub const RECOMPUTED: (f64, f64) = (21.0, 80.0);

/// Completes a row.
///
/// # Errors
///
/// A precision that the submission's configurations do not tell, or degrees that do not follow from the batch.
pub fn complete(row: &mut Row, notes: &mut Notes) -> Result<(), LeftOut> {
    let blackwell = has(&row.gpu, &["b200", "b300"]);
    // Two sequences a GPU and step: only config_1xXE9680Lx8B200-SXM-180GB.sh (Dell, v5.1) has `MINIBS=2`, with `CP=2`, in 4 bits.
    if blackwell && row.precision.is_empty() && row.grad_accum == Some(2) {
        "nvfp4".clone_into(&mut row.precision);
    }
    // Since v5.1 there are configurations in 4 bits beside those in 8.
    if blackwell && (row.precision.is_empty() || has(&row.precision, &["two configs"])) {
        return Err(LeftOut::because("precision is missing"));
    }
    if row.precision.is_empty() {
        "fp8".clone_into(&mut row.precision);
        notes.add("8 bits, as in every configuration of the submissions on these GPUs");
    }
    row.micro_batch = row.micro_batch.or(Some(1));
    row.pp = row.pp.or(Some(1));
    if row.dp.is_none() {
        let (Some(gpus), Some(accum), Some(global)) = (row.num_gpus, row.grad_accum, row.global_batch) else {
            return Err(LeftOut::missing("dp"));
        };
        let replicas = global / accum.max(1);
        let degree = gpus / replicas.max(1);
        let tensor = if blackwell || has(&row.gpu, &["mi3"]) {
            1
        } else if has(&row.gpu, &["h200"]) {
            // v4.0: config_DGXH200_1x8x2xtp2pp1cp1.sh; v4.1 and later: tp1pp1cp2.
            if has(&row.location, &["v4.0"]) { degree.min(2) } else { 1 }
        } else {
            // config_DGXH100_1x8x4xtp4pp1cp1.sh and 8x8x1xtp4pp1cp2.sh.
            degree.min(4)
        };
        row.dp = Some(replicas);
        row.tp = Some(tensor);
        row.cp = Some(degree / tensor.max(1));
        notes.add("degrees from the batch, over the dimensions that NVIDIA's configurations use on these GPUs");
    }
    if row.act_ckpt.is_empty() {
        "none".clone_into(&mut row.act_ckpt);
    }
    if row.tp.is_some_and(|degree| degree > 1) && row.sp.is_empty() {
        "yes".clone_into(&mut row.sp);
    }
    Ok(())
}

/// Share of layers that are kept where the submission recomputes some as a whole.
pub fn kept(row: &Row) -> Option<f64> {
    let (again, of) = RECOMPUTED;
    (has(&row.gpu, &["mi300x"]) && row.cp.unwrap_or(1) == 1).then_some(1.0 - again / of)
}

/// Whether attention's products run in 8 bits: NVIDIA's config_common.sh sets `FP8_DPA=1` (v4.0, v5.0). Those for Hopper with context
/// parallelism turn it off (`FP8_DPA=0`, Azure's config_DGXH200_64x8x2xtp4pp1cp2.sh of v4.1; in v4.0 Transformer Engine had no such
/// attention), and so do those for L40S and AMD's.
pub fn has_8bit_attention(row: &Row) -> bool {
    let hopper = has(&row.gpu, &["h100", "h200"]) && row.cp.unwrap_or(1) == 1;
    hopper || has(&row.gpu, &["b200", "b300"])
}

/// Whether layers run as CUDA graphs: under context parallelism on Blackwell (`MCORE_CUDA_GRAPH=1`, NVIDIA's
/// config_GB300_128x4x1xtp1pp1cp8.sh; its guide to graphs in Transformer Engine has the runs on 36 GB200 and 64 B200), and from v4.1 on
/// beside tensor parallelism (`LAYER_CUDA_GRAPH=1`, Azure's config_DGXH200_64x8x2xtp4pp1cp2.sh).
pub fn captures_layers(row: &Row) -> bool {
    let blackwell = has(&row.gpu, &["b200", "b300"]);
    let beside_tensor = row.tp.is_some_and(|degree| degree > 1) && !has(&row.location, &["v4.0"]);
    row.cp.is_some_and(|degree| degree > 1) && (blackwell || beside_tensor)
}
