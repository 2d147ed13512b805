//! AWS's tables of Trainium 1 (aws-neuron-sdk, `training_data_decoder.csv`): figures and degrees are of `NeuronCores`.

use super::{fill, say};
use crate::Notes;
use crate::row::Row;
use crate::text::has;

/// Completes a row.
pub fn complete(row: &mut Row, notes: &mut Notes) {
    say(&mut row.sp, "yes", "sequence parallelism as in neuronx-distributed's training scripts", notes);
    if has(&row.sharding, &["not stated"]) {
        "ZeRO-1".clone_into(&mut row.sharding);
        notes.add("ZeRO-1 as in neuronx-distributed's training scripts");
    }
    fill(&mut row.micro_batch, 1, "one sequence a micro-batch", notes);
    // `--selective_checkpoint_enabled` in tp_zero1_llama_hf_pretrain.sh; `--use_selective_checkpoint 1` beside pipelines since 2.18,
    // layers as a whole before (tp_pp_llama_hf_pretrain).
    say(
        &mut row.act_ckpt,
        "attention core",
        "the core of attention recomputed, as in neuronx-distributed's scripts",
        notes,
    );
    // `--use_flash_attention 1` came with 2.20; before it the compiler fuses the softmax with its products: releases differ little.
    say(&mut row.attention, "fused", "attention without scores in memory", notes);
    if has(&row.model, &["gpt-3 23b"]) && row.layers.is_none() {
        // megatron_gpt_23b.sh of neuronx-nemo-megatron.
        (row.layers, row.hidden, row.heads, row.ffn_hidden) = (Some(28), Some(8192), Some(64), Some(32_768));
        row.vocab = row.vocab.or(Some(50_304));
        notes.add("shape of gpt_23b.sh in neuronx-nemo-megatron");
    }
}
