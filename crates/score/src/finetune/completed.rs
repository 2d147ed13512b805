//! A fine-tuning row with what its source's scripts and configuration files set and its table does not print.

use std::borrow::Cow;

use super::mlperf;
use super::source::Source;
use super::trl;
use crate::hardware::gpu;
use crate::row::Row;
use crate::text::has;
use crate::{LeftOut, Notes};

/// The GPU that stands in where a source does not name one: memory does not depend on it.
const ANY_GPU: &str = "A100-80GB class (not stated)";

/// Returns a row with what its source's code sets.
///
/// # Errors
///
/// The reason why the row is left out.
pub fn completed<'a>(row: &'a Row, notes: &mut Notes) -> Result<Cow<'a, Row>, LeftOut> {
    let Some(source) = Source::of(row) else { return Ok(Cow::Borrowed(row)) };
    let mut full = row.clone();
    match source {
        Source::Mlperf => mlperf::complete(&mut full, notes)?,
        // `enable_activation_checkpointing: True` in every configuration of torchtune that the table names.
        Source::Torchtune | Source::TorchtuneEarly => {
            // 30.3 GiB on one GPU and 16.2 on another, of the same recipe.
            if has(&row.gpu, &["a6000"]) && row.trainable == "lora" {
                return Err(LeftOut::because("the source contradicts itself").about("one recipe, two peaks"));
            }
            set(&mut full.act_ckpt, "full", "activation checkpointing as in torchtune's configurations", notes);
        }
        // 51 iterations are of eight micro-batches (README, "Profiling of Memory and Speed").
        Source::Qwen => {
            set(&mut full.act_ckpt, "full", "", notes);
            // finetune.py: `modules_to_save = ["wte", "lm_head"]`.
            if has(&row.lora_targets, &["embedding+output"]) {
                "c_attn,attn.c_proj,w1,w2+wte,lm_head trainable".clone_into(&mut full.lora_targets);
            }
            if row.trainable == "qlora" {
                set_to(&mut full.sharding, "ZeRO-2", "ZeRO-2 as in finetune_qlora_single_gpu.sh", notes);
            }
        }
        Source::LitHub => {
            // `parallelize_fn` and `FSDPStrategy(activation_checkpointing_policy={Block})` with more than one device; one device
            // keeps all. Runs of several machines name `devices: 1` in their configurations: each GPU holds what one does.
            // 17 GB hold weights and gradients of 3.8 billion parameters in bf16, and no moment of AdamW.
            if row.trainable == "full" && row.num_gpus == Some(1) {
                return Err(LeftOut::because("the source contradicts itself").about("no memory left for the moments"));
            }
            // `devices: 1` in tiny-llama/full.yaml, 2 in the others.
            let sharded = has(&row.sharding, &["fsdp"]) && !has(&row.model, &["tiny-llama"]);
            if sharded {
                (full.num_gpus, full.dp, full.dp_shard) = (Some(2), Some(2), None);
            }
            let mode = if sharded { "full" } else { "none" };
            set(&mut full.act_ckpt, mode, "activation checkpointing as in litgpt/finetune", notes);
            if !sharded {
                (full.num_gpus, full.dp, full.dp_shard) = (Some(1), Some(1), None);
                "none".clone_into(&mut full.sharding);
            }
        }
        // finetune/lora.py: `activation_checkpointing_policy={Block}` with FSDP.
        Source::LitTables => {
            let mode = if has(&row.sharding, &["fsdp"]) { "full" } else { "none" };
            mode.clone_into(&mut full.act_ckpt);
        }
        Source::PeftReadme => {
            // examples/causal_language_modeling: `batch_size = 8`, `max_length = 64`, no checkpointing, no mixed precision. As many
            // tokens in sequences of the shortest length that the engine takes.
            full.seq_len = Some(128);
            full.micro_batch = Some(4);
            "fp32".clone_into(&mut full.precision);
            set(&mut full.act_ckpt, "none", "batch and length as in PEFT's example", notes);
        }
        Source::PeftMethods => set(&mut full.gpu, "L40S", "", notes),
        Source::Glm => glm(&mut full, notes),
        Source::Automodel if row.trainable == "lora" || has(&row.notes, &["lora"]) => {
            let large = has(&row.model, &["70b", "32b"]);
            let mode = if large { "full" } else { "none" };
            set(&mut full.act_ckpt, mode, "activation checkpointing as in examples/llm_benchmark", notes);
            if large {
                set(&mut full.compile, "yes", "", notes);
                set(&mut full.sp, "yes", "", notes);
            }
        }
        // The heads of these two scripts name the GPUs: `Env: 4 * A100`, `test env: 4 * A100`.
        Source::SwiftExamples if has(&row.location, &["packing/liger_kernel.sh", "train/liger/sft.sh"]) => {
            "A100-80GB".clone_into(&mut full.gpu);
        }
        Source::Unsloth => {
            full.grad_accum = Some(1);
            // "OUT OF MEMORY at any length".
            full.seq_len = row.seq_len.or(Some(128));
            if row.framework == "unsloth" {
                // `use_gradient_checkpointing = "unsloth"`, which the README's table is about, keeps checkpoints in host memory.
                full.notes.push_str("; activation offloading");
                "full".clone_into(&mut full.act_ckpt);
            }
        }
        Source::Universal if row.trainable == "qlora" => {
            // The norms' weights are cast to fp32 over a 16-bit residual, whose product every quantized matrix then keeps.
            return Err(LeftOut::because("activations in fp32 beside a quantized base: not modelled"));
        }
        Source::Atorch => set(&mut full.act_ckpt, "full", "", notes),
        Source::Other if trl::is_over_context(row) => trl::complete(&mut full, notes),
        _ => {}
    }
    hardware(&mut full, notes);
    if full.act_ckpt.starts_with("full (") {
        full.act_ckpt.truncate("full".len());
    }
    Ok(Cow::Owned(full))
}

/// Sets a column, in place of a blank or of a remark about defaults.
pub(super) fn set(column: &mut String, value: &str, note: &str, notes: &mut Notes) {
    if column.is_empty() || column.contains("default") {
        value.clone_into(column);
        if !note.is_empty() {
            notes.add(note);
        }
    }
}

/// Sets a column to another value than the table's.
fn set_to(column: &mut String, value: &str, note: &str, notes: &mut Notes) {
    value.clone_into(column);
    notes.add(note);
}

/// finetune/configs of GLM-4: lora.yaml has one sequence of 512 + 512 tokens a GPU and no checkpointing; sft.yaml the same. LLaMA-Factory
/// ran with its examples' `cutoff_len: 2048` and one sequence a GPU, under checkpointing (its default).
fn glm(row: &mut Row, notes: &mut Notes) {
    let factory = has(&row.framework, &["llama-factory"]);
    row.seq_len = Some(if factory { 2048 } else { 1024 });
    row.micro_batch = Some(1);
    set(&mut row.act_ckpt, if factory { "full" } else { "none" }, "batch and length as in finetune/configs", notes);
}

/// Completes the hardware where it matters for time alone, which [`super::measured`] then does not compare.
fn hardware(row: &mut Row, notes: &mut Notes) {
    if row.is_case()
        && is_unnamed(&row.gpu)
        && !row.gpu.is_empty()
        && gpu::memory_of(&row.gpu.to_ascii_lowercase()).is_some()
    {
        // A size of memory: the nearest GPU stands in.
        row.gpu_mem_gb = row.gpu_mem_gb.or(gpu::memory_of(&row.gpu.to_ascii_lowercase()));
    } else if is_unnamed(&row.gpu) {
        notes.add("the GPU is not stated: only memory is compared");
        ANY_GPU.clone_into(&mut row.gpu);
    }
    if has(&row.gpu, &["a6000 ada"]) {
        "RTX 6000 Ada 48GB".clone_into(&mut row.gpu);
    }
    if has(&row.gpu, &["a5000"]) {
        "RTX A5000 24GB".clone_into(&mut row.gpu);
    }
    let consumer = has(&row.gpu, &["rtx", "a5000", "a6000", "a10g", "l40", "pro 6000"]);
    if row.intra_node_link.is_empty() && consumer {
        "PCIe".clone_into(&mut row.intra_node_link);
    }
    if row.gpus_per_node.is_none() && row.num_nodes == Some(1) {
        row.gpus_per_node = row.num_gpus;
    }
}

/// Whether a text names no GPU: a blank, or a size of memory.
pub fn is_unnamed(gpu: &str) -> bool {
    gpu.is_empty() || has(gpu, &["class (not stated)", "gpu", "limit on"]) && !has(gpu, &["bm.gpu"])
}
