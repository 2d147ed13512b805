//! Runs of PaddleNLP, whose layers under tensor and pipeline parallelism are written as Megatron's.

use super::Notes;
use super::row::Row;
use super::software::Software;
use super::text::has;
use engine::model::software::{Framework, NormKernel};

/// Returns a row of FlagPerf with what its configurations set.
///
/// Those for a pipeline have `recompute = False` beside `recompute_granularity = "full"`, which tables print
/// (training/nvidia/llama1_13B-paddle/config/config_TP2PP4SH1SP1A10080Gx1x8.py, and 7B's), and the stages' printed
/// peaks fall by a micro-batch's whole activations from one to the next.
pub(crate) fn completed(row: Row, notes: &mut Notes) -> Row {
    let piped = row.pp.is_some_and(|stages| stages > 1);
    if has(&row.framework, &["paddle"]) && has(&row.source, &["flagperf"]) && piped && row.act_ckpt == "full" {
        notes.add("no recomputation in the pipeline, as in FlagPerf's configuration of the run");
        return Row { act_ckpt: "none".to_owned(), ..row };
    }
    row
}

/// Sets what PaddleNLP does beside DeepSpeed's formats (fp16 weights and gradients, fp32 copies that its sharding cuts):
/// `use_fused_rms_norm = 1` in FlagPerf's configurations; stage 1 (`DygraphShardingOptimizer`) reduces gradients where
/// they lie, without the buckets of DeepSpeed's.
pub(crate) fn complete(row: &Row, software: &mut Software) {
    if has(&row.framework, &["paddle"]) {
        software.kernels.norms = NormKernel::Fused;
        if has(&row.sharding, &["stage1"]) {
            software.framework = Framework::Megatron;
        }
    }
}
