//! AMD's accelerators: Primus, torchtitan with torchao, llm-foundry, TRL.

use super::{fill, say};
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use crate::{LeftOut, Notes};

/// Returns the stack, where the framework's name does not tell it.
pub fn stack(row: &Row) -> Option<Stack> {
    if has(&row.framework, &["primus"]) {
        Some(Stack::MegatronCore)
    } else if has(&row.framework, &["trl"]) {
        Some(Stack::Peft)
    } else {
        None
    }
}

/// Completes a row.
///
/// # Errors
///
/// What was measured is not told by the row.
pub fn complete(row: &mut Row, notes: &mut Notes) -> Result<(), LeftOut> {
    if has(&row.notes, &["sequence lengths vary"]) {
        return Err(LeftOut::missing("seq_len"));
    }
    if has(&row.model, &["qwen3 235b"]) && has(&row.framework, &["primus"]) {
        // examples/megatron/configs/MI355X/qwen3_235B_A22B-BF16-pretrain.yaml: 4,096 tokens, 4 sequences, 3 layers of each stage again.
        fill(&mut row.seq_len, 4096, "sequence of Primus' configuration", notes);
        fill(&mut row.micro_batch, 4, "micro-batch of Primus' configuration", notes);
        fill(&mut row.grad_accum, 16, "16 micro-batches a step assumed", notes);
        say(&mut row.act_ckpt, "full", "all layers recomputed: fewer do not fit", notes);
    }
    if has(&row.model, &["llama 3.1 8b"]) && has(&row.framework, &["primus"]) {
        row.dp = row.num_gpus;
        (row.tp, row.pp) = (Some(1), Some(1));
        // "FSDP: no".
        "ZeRO-1".clone_into(&mut row.sharding);
        fill(&mut row.grad_accum, 1, "one micro-batch a step assumed, as the row has no global batch", notes);
    }
    if row.num_gpus == Some(1) {
        row.dp = row.dp.or(Some(1));
        fill(&mut row.grad_accum, 1, "one micro-batch a step", notes);
    }
    // The README of the benchmark and the post name 2,048 tokens for MPT.
    if has(&row.framework, &["foundry"]) {
        fill(&mut row.seq_len, 2048, "2,048 tokens, llm-foundry's benchmarks' usual length", notes);
        fill(&mut row.micro_batch, 4, "four sequences a die", notes);
        fill(&mut row.grad_accum, 1, "", notes);
        say(
            &mut row.act_ckpt,
            "full",
            "full recomputation, as llm-foundry's benchmarks of 7B on 64 GB and less",
            notes,
        );
        if has(&row.gpu, &["2 gcds"]) {
            // Each of the two dies is a GPU to PyTorch.
            row.num_gpus = row.num_gpus.map(|modules| 2 * modules);
            row.gpus_per_node = row.gpus_per_node.map(|modules| 2 * modules);
            row.tflops_per_gpu = row.tflops_per_gpu.map(|both| both / 2.0);
            row.gpu_mem_gb = None;
            notes.add("two dies a module");
        }
    }
    if has(&row.framework, &["torchtitan"]) {
        // `scaled_dot_product_attention` on ROCm runs AOTriton's kernels.
        say(&mut row.attention, "triton flash", "", notes);
        fill(&mut row.seq_len, 8192, "torchtitan's length for Llama 3", notes);
        fill(&mut row.micro_batch, 1, "torchtitan's micro-batch for Llama 3", notes);
        say(&mut row.act_ckpt, "selective per op", "torchtitan's checkpointing", notes);
    }
    Ok(())
}
