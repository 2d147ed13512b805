//! Completes blanks of fine-tuning rows and users' runs that have one likely value, with notes.
//!
//! Rows of pretraining are not completed, as step times depend on these values.

use super::degrees;
use super::stack::{Stack, is_trainer};
use crate::Notes;
use crate::row::Row;
use crate::text::has;

/// Shortest supported sequence.
const SHORTEST: u32 = 128;
/// Default truncation length of most programs, and default sequence length of pretraining programs.
const CUT: u32 = 2048;
const PRETRAINED: u32 = 4096;
/// Memory in GB up to which a micro-batch has one sequence.
const SMALL: f64 = 24.0;
/// Tokens of a micro-batch if the program's default is unknown.
const TOKENS: u32 = 4096;
/// GPUs of a machine, and the most rented GPU.
const NODE: u32 = 8;
const USUAL: &str = "A100-80GB";
/// Abbreviated names of GPUs with the full names.
const SHORT: [(&str, &str); 3] =
    [("a6000", "RTX A6000"), ("a5000", "RTX A5000 24GB"), ("rtx 6000 ada", "RTX 6000 Ada 48GB")];
/// Parameters above which a run on few machines recomputes regardless of its program's default, as
/// activations do not fit next to its state; and sequence length above which fine-tuning
/// recomputes.
const LARGE: f64 = 30e9;
const LONG: u32 = 16_384;
const FEW_MACHINES: u32 = 2;

/// Completes blanks of a row with likely values.
pub(super) fn completed(mut row: Row, notes: &mut Notes) -> Row {
    lengthen(&mut row, notes);
    if let Some((_, full)) = SHORT.iter().find(|(short, _)| row.gpu.eq_ignore_ascii_case(short)) {
        (*full).clone_into(&mut row.gpu);
    }
    if row.trainable.is_empty() && !row.is_case() {
        return row;
    }
    if row.is_case() {
        hardware(&mut row, notes);
    }
    batch(&mut row, notes);
    degrees::spread(&mut row, notes);
    // prime-rl wraps layers in FSDP even on one GPU.
    if has(&row.framework, &["prime-rl"]) && matches!(row.sharding.as_str(), "" | "none") {
        "FSDP".clone_into(&mut row.sharding);
    }
    let stack = Stack::of(&row);
    degrees::complete(&mut row, stack, notes);
    checkpointing(&mut row, stack, notes);
    row
}

/// Replaces sequences below the minimum length by fewer sequences of minimum length.
fn lengthen(row: &mut Row, notes: &mut Notes) {
    let (Some(seq_len), Some(micro)) = (row.seq_len.filter(|length| *length < SHORTEST), row.micro_batch) else {
        return;
    };
    let sequences = seq_len.saturating_mul(micro).div_ceil(SHORTEST).max(1);
    notes.add(format!("{micro} sequences of {seq_len} tokens taken as {sequences} of {SHORTEST}"));
    (row.seq_len, row.micro_batch) = (Some(SHORTEST), Some(sequences));
    if row.grad_accum.is_none() && row.global_batch.is_some() {
        row.grad_accum = Some(1);
    }
    (row.global_batch, row.global_batch_tokens) = (None, None);
}

/// Completes GPU and number of GPUs of a user's run.
fn hardware(row: &mut Row, notes: &mut Notes) {
    let unnamed = row.gpu.is_empty() || has(&row.gpu, &["gpu", "unknown", "class", "(total)", "not said", "limit on"]);
    if unnamed && row.gpu_mem_gb.is_none() && !has(&row.gpu, &["100", "200", "gb"]) {
        notes.add(format!("a guess: {USUAL}, as the GPU is not stated"));
        USUAL.clone_into(&mut row.gpu);
    } else if row.gpu.is_empty() {
        "not said".clone_into(&mut row.gpu);
    }
    if row.num_gpus.is_none() {
        let by_nodes = row.num_nodes.map(|nodes| nodes.saturating_mul(row.gpus_per_node.unwrap_or(NODE)));
        let sharded = has(&format!("{} {}", row.sharding, row.framework), &["zero", "fsdp", "shard", "megatron"]);
        let degrees = [row.tp, row.pp, row.cp].iter().flatten().fold(1_u32, |all, one| all.saturating_mul(*one));
        let gpus = by_nodes.unwrap_or(if sharded { NODE } else { 1 }).next_multiple_of(degrees.max(1));
        notes.add(format!("a guess: {gpus} GPUs, as their number is not said"));
        row.num_gpus = Some(gpus);
    }
    if let (None, Some(gpus), Some(nodes)) = (row.gpus_per_node, row.num_gpus, row.num_nodes) {
        row.gpus_per_node = Some((gpus / nodes.max(1)).max(1));
    }
}

/// Completes sequence length, micro-batch and number of micro-batches.
fn batch(row: &mut Row, notes: &mut Notes) {
    let has_global = row.global_batch.is_some() || row.global_batch_tokens.is_some();
    if row.is_case() && row.seq_len.is_none() {
        let pretrains = has(&row.framework, &["megatron", "nanotron", "torchtitan", "nemo"]);
        let length = if pretrains { PRETRAINED } else { CUT };
        notes.add(format!("a guess: {length} tokens a sequence, the cut-off of most programs"));
        row.seq_len = Some(length);
    }
    if row.micro_batch.is_none() && (row.is_case() || has_global && row.grad_accum.is_none()) {
        let is_small = row.gpu_mem_gb.is_some_and(|memory| memory <= SMALL);
        let usual = if is_plain_trainer(row) {
            (TOKENS / row.seq_len.unwrap_or(CUT).max(1)).clamp(1, 4)
        } else if has(&row.framework, &["axolotl", "unsloth", "torchtune"]) {
            2
        } else {
            1
        };
        let micro = if is_small { 1 } else { usual };
        notes.add(format!("a guess: micro-batches of {micro} sequences"));
        row.micro_batch = Some(micro);
    }
    if row.micro_batch.is_some() && row.grad_accum.is_none() && !has_global {
        let accum = row.pp.unwrap_or(1);
        notes.add(format!("{accum} micro-batches a step assumed, as the row has no global batch"));
        row.grad_accum = Some(accum);
    }
}

/// Returns whether the run uses the trainer of Hugging Face or TRL with its defaults.
fn is_plain_trainer(row: &Row) -> bool {
    const PLAIN: [&str; 7] = ["hf ", "hugging", "transformers", "accelerate", "trainer", "peft", "trl"];
    const AROUND: [&str; 7] = ["llama-factory", "swift", "axolotl", "unsloth", "verl", "openrlhf", "prime-rl"];
    has(&row.framework, &PLAIN) && !has(&row.framework, &AROUND)
}

/// Returns whether a program recomputes by default or in its examples.
fn recomputes(row: &Row) -> bool {
    let is_quantized =
        row.trainable == "qlora" || !row.quantized_base.is_empty() || has(&row.precision, &["bit base", "nf4"]);
    let has_recipes = has(&row.framework, &["verl", "prime-rl", "torchtune", "llama-recipes"]);
    is_quantized || has_recipes || is_trainer(row) && !is_plain_trainer(row)
}

/// Completes the recomputation.
fn checkpointing(row: &mut Row, stack: Stack, notes: &mut Notes) {
    // Users' descriptions of full recomputation: every layer except norms, or layers in groups.
    if has(&row.act_ckpt, &["full", "yes", "unsloth"]) || row.act_ckpt == "on" {
        "full".clone_into(&mut row.act_ckpt);
    }
    if !row.act_ckpt.is_empty() || stack.is_megatron() || stack == Stack::Torchtitan {
        return;
    }
    let few = row.num_gpus.unwrap_or(1) <= FEW_MACHINES * NODE;
    let large = row.trainable == "full" && few && degrees::params(row, stack).is_some_and(|params| params >= LARGE);
    if recomputes(row) {
        notes.add("activation checkpointing assumed, as in the program's defaults and examples");
    } else if large || row.seq_len.is_some_and(|length| length >= LONG) {
        notes.add("a guess: activation checkpointing, as a run of this size and length needs it");
    } else {
        return;
    }
    "full".clone_into(&mut row.act_ckpt);
}
