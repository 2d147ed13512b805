//! Kernels, formats and trained part of a row, with the defaults of its program.

use super::attention;
use super::recompute::{Recomputed, recompute};
use super::stack::Stack;
use crate::row::Row;
use crate::text::has;
use crate::{LeftOut, Notes};
use engine::model::experts::{Dispatcher, ExpertParallel};
use engine::model::software::{
    Communication, GradientSync, Graphs, Kernels, Loss, NormKernel, Offload, RepeatedHeads, RootUnit, Segments,
};
use engine::model::trained::{BaseFormat, Method, Targets, Trained};
use engine::model::training::{ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, UpdatePlace};
use engine::model::transformer::Architecture;

/// Software configuration of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Software {
    /// Kernels of the run.
    pub kernels: Kernels,
    /// Formats of the state.
    pub recipe: PrecisionPolicy,
    /// Compute format of the layers' matmuls.
    pub compute_format: ComputeFormat,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Kernel of the optimizer update.
    pub optimizer_kernel: OptimizerKernel,
    /// Point of the step at which the update runs.
    pub update_place: UpdatePlace,
    /// Segment type of PyTorch's allocator.
    pub segments: Segments,
    /// Options of gradient reduction and communication.
    pub communication: Communication,
    /// State offloaded to host memory.
    pub offload: Offload,
    /// Trained part of the model.
    pub trained: Trained,
    /// Recomputed activations.
    pub recompute: Recomputed,
}

/// Returns the software of a row.
///
/// # Errors
///
/// Returns an error for a kind of checkpointing that the engine does not model.
pub(super) fn software(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Software, LeftOut> {
    let compiles = has(&row.compile, &["yes", "true", "torch.compile", "inductor", "thunder", "dynamo"]);
    let pipelined = row.pp.is_some_and(|stages| stages > 1);
    let is_titan = stack == Stack::Torchtitan;
    // torchtune's only recipe for full training on one GPU: paged 8-bit states, updates in the
    // backward pass.
    let single = stack == Stack::Torchtune && row.trainable == "full" && row.num_gpus.is_none_or(|gpus| gpus == 1);
    Ok(Software {
        kernels: kernels(row, stack, compiles, notes),
        recipe: recipe(row, stack),
        compute_format: compute_format(row, stack),
        optimizer: if single { Optimizer::AdamW8bit } else { optimizer(row) },
        optimizer_kernel: optimizer_kernel(row, stack, compiles),
        update_place: if single { UpdatePlace::InBackward } else { UpdatePlace::AfterBackward },
        segments: if is_titan { Segments::Expandable } else { Segments::Fixed },
        communication: Communication {
            // PyTorch's pipeline stages reduce gradients after the last micro-batch.
            gradient_sync: if is_titan && pipelined { GradientSync::LastMicroBatch } else { GradientSync::Default },
            root_unit: root_unit(stack),
            overlap: stack.habits().overlaps,
        },
        offload: Offload { paged: single || has(&row.optimizer, &["paged"]), ..offload(row) },
        trained: trained(row, notes),
        recompute: recompute(row, stack, notes)?,
    })
}

fn kernels(row: &Row, stack: Stack, compiles: bool, notes: &mut Notes) -> Kernels {
    let habits = stack.habits();
    let is_tuned = !row.trainable.is_empty();
    let loss = if has(&row.framework, &["prime-rl", "unsloth", "axolotl"]) || has(&row.attention, &["liger"]) {
        Loss::FusedLinear
    } else if has(&row.framework, &["alst"]) {
        Loss::Tiled
    } else if compiles && (stack == Stack::Torchtitan || has(&row.framework, &["nanogpt"])) {
        // The loss is compiled with the model.
        Loss::Fused
    } else if stack == Stack::DeepSpeed && is_tuned && has_own_code(row) {
        Loss::Bf16Kept
    } else if stack == Stack::Fabric && is_tuned {
        Loss::Bf16
    } else {
        habits.loss
    };
    let is_fused = compiles && stack == Stack::Torchtitan || has(&row.framework, &["unsloth", "xtuner"]);
    let by_operator = habits.norms == NormKernel::Upcast || stack == Stack::DeepSpeed && is_tuned;
    Kernels {
        attention: attention::kernel(row, stack, notes),
        loss,
        norms: if by_operator && !is_fused { NormKernel::Upcast } else { NormKernel::Fused },
        compile: compiles || stack == Stack::MaxText,
        graphs: if stack == Stack::MaxText { Graphs::Step } else { Graphs::None },
        dropout: matches!(stack, Stack::MegatronEarly | Stack::MegatronDeepSpeed),
        repeated_heads: if stack == Stack::Torchtitan { RepeatedHeads::Yes } else { RepeatedHeads::Default },
        ..Kernels::USUAL
    }
}

/// Returns whether the model shipped its own code, as in 2023, with its own loss on 16-bit logits.
fn has_own_code(row: &Row) -> bool {
    has(&row.model, &["qwen-7b", "qwen-14b", "qwen-72b", "qwen-1", "qwen-vl", "baichuan", "chatglm"])
}

fn recipe(row: &Row, stack: Stack) -> PrecisionPolicy {
    let says = |words: &[&str]| has(&row.precision, words);
    if says(&["fp32", "float32"]) && !says(&["bf16", "fp16", "fp8", "float8"]) {
        return PrecisionPolicy::Fp32;
    }
    let is_pure = says(&["pure bf16", "pure_bf16", "bf16 only", "bf16 (pure)", "no mixed precision", "bf16 params"]);
    // Users' scripts with the trainer load weights in bf16 if they train in bf16.
    let by_script = stack == Stack::Peft && row.trainable == "full" && says(&["bf16"]) && !says(&["amp", "mixed"]);
    if is_pure || by_script {
        return PrecisionPolicy::PureBf16;
    }
    let wide = says(&["fp16"]) && !says(&["bf16"]);
    match stack {
        // With fp16, Megatron keeps and reduces gradients in 16 bits.
        Stack::MegatronDeepSpeed | Stack::MegatronEarly if row.precision.is_empty() || wide => {
            PrecisionPolicy::ZeroMixed
        }
        Stack::MegatronCore if wide => PrecisionPolicy::ZeroMixed,
        // FSDP1's `bfSixteen` reduces in bf16.
        Stack::Fsdp if says(&["bf16 reduce", "reduce bf16", "bfsixteen"]) => PrecisionPolicy::Fsdp2MixedBf16Reduce16,
        _ => stack.habits().formats,
    }
}

fn compute_format(row: &Row, stack: Stack) -> ComputeFormat {
    let says = |words: &[&str]| has(&row.precision, words);
    if says(&["fp4", "float4"]) {
        ComputeFormat::Fp4
    } else if says(&["fp8", "float8", "e4m3", "int8"]) {
        // NeMo's 8-bit recipes gather weights in 8 bits (`fp8_param_gather`).
        let gathers = stack == Stack::Nemo || says(&["all-gather", "all gather", "allgather"]);
        if gathers { ComputeFormat::Fp8Gather } else { ComputeFormat::Fp8 }
    } else {
        ComputeFormat::AsPolicy
    }
}

/// Words for optimizers, most specific first.
const OPTIMIZERS: [(&[&str], Optimizer); 6] = [
    (&["8bit", "8-bit"], Optimizer::AdamW8bit),
    (&["adafactor"], Optimizer::Adafactor),
    (&["lion"], Optimizer::Lion),
    (&["muon"], Optimizer::Muon),
    (&["sgd"], Optimizer::Sgd),
    (&["bf16 states", "16-bit states"], Optimizer::AdamW16bit),
];

fn optimizer(row: &Row) -> Optimizer {
    OPTIMIZERS.iter().find(|(words, _)| has(&row.optimizer, words)).map_or(Optimizer::AdamW, |(_, of)| *of)
}

/// Returns the kernel of the update; PyTorch's default if the trainer passes no options to the
/// constructor.
fn optimizer_kernel(row: &Row, stack: Stack, compiles: bool) -> OptimizerKernel {
    let fused = compiles || has(&row.optimizer, &["fused"]);
    let by_list = !row.trainable.is_empty() && matches!(stack, Stack::Peft | Stack::Fabric | Stack::PeftFsdp);
    let plain = has(&row.optimizer, &["foreach", "(torch)", "adamw_torch"]) || by_list;
    if plain && !fused { OptimizerKernel::ForEach } else { OptimizerKernel::Fused }
}

/// Returns the FSDP units outside the layers that stay gathered. Until mid-2025, FSDP2 kept its
/// root unit gathered regardless of settings.
const fn root_unit(stack: Stack) -> RootUnit {
    match stack {
        Stack::Torchtitan => RootUnit::KeptWithLast,
        Stack::Torchtune | Stack::Fabric | Stack::Fsdp => RootUnit::Kept,
        _ => RootUnit::Default,
    }
}

/// Returns the offloaded state according to the columns. An offloaded reference model does not
/// count, as its state is separate from the trained model's.
fn offload(row: &Row) -> Offload {
    let text = row.offload.to_ascii_lowercase();
    let is_none = text.is_empty() || text.starts_with("no") || text.starts_with("reference");
    let says = |words: &[&str]| !is_none && has(&text, words);
    let unnamed = !is_none && !has(&text, &["optim", "param", "activation"]);
    let sharded = has(&row.sharding, &["cpu offload", "cpu_offload", "offload to cpu"]);
    let alone = has(&row.sharding, &["optimizer cpu offload", "optimizer offload"]);
    Offload {
        optimizer: says(&["optim"]) || unnamed || sharded,
        parameters: says(&["param"]) || unnamed || sharded && !alone,
        activations: says(&["activation"]) || has(&row.act_ckpt, &["offloaded to cpu", "offloaded to host"]),
        ..Offload::NONE
    }
}

/// Returns the trained part of a row.
fn trained(row: &Row, notes: &mut Notes) -> Trained {
    if row.trainable.is_empty() || row.trainable.starts_with("full") {
        return Trained::ALL;
    }
    let targets = targets(&row.lora_targets);
    if row.lora_rank.is_none() || targets.is_none() {
        notes.add(
            "adapters of rank 16 on all matrices where the row does not say them: memory hardly depends on either",
        );
    }
    Trained {
        method: if has(&row.trainable, &["dora"]) { Method::Dora } else { Method::Lora },
        rank: row.lora_rank.unwrap_or(16),
        targets: targets.unwrap_or(Targets::AllLinear),
        base: base(row, notes),
        ..Trained::ALL
    }
}

/// Returns the adapter targets of a column; individual matrices map to the nearest set.
fn targets(text: &str) -> Option<Targets> {
    let names = |words: &[&str]| has(text, words);
    if names(&["all-linear", "all linear", "gate", "w1,w2", "mlp", "*"]) {
        Some(Targets::AllLinear)
    } else if text == "q,v" {
        Some(Targets::QueryValue)
    } else if names(&["o_proj", "c_proj", "linear_proj", "attention"]) {
        Some(Targets::Attention)
    } else if names(&["qkv", "c_attn", "k_proj", "default"]) {
        Some(Targets::QueryKeyValue)
    } else {
        None
    }
}

/// Returns the format of the frozen matrices, which sources state for the base, for the precision,
/// or only through the method.
fn base(row: &Row, notes: &mut Notes) -> BaseFormat {
    let text = [&row.quantized_base, &row.precision, &row.model].map(String::as_str).join(" ");
    let says = |words: &[&str]| has(&text, words);
    if says(&["8-bit base", "8bit base", "int8"]) {
        BaseFormat::Int8
    } else if says(&["int4", "awq", "gptq"]) {
        BaseFormat::Int4
    } else if row.trainable == "qlora" || says(&["4-bit", "4bit", "nf4"]) {
        BaseFormat::Nf4Double
    } else if !row.quantized_base.is_empty() {
        notes.add(format!("a guess: a base in NF4 for `{}`", row.quantized_base));
        BaseFormat::Nf4Double
    } else if row.precision == "fp32" {
        BaseFormat::Fp32
    } else {
        BaseFormat::Bf16
    }
}

/// Layout and execution of a row's experts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Experts {
    /// Expert-parallel degree.
    pub ep: u32,
    /// Expert tensor-parallel degree.
    pub etp: u32,
    /// Execution options of layers with experts.
    pub execution: ExpertParallel,
}

/// Returns the expert layout and execution of a row.
///
/// # Errors
///
/// Returns an error if the expert-parallel degree is blank on Megatron, where every mixture sets
/// the degree.
pub(super) fn experts(
    row: &Row,
    stack: Stack,
    shape: &Architecture,
    tp: u32,
    notes: &mut Notes,
) -> Result<Experts, LeftOut> {
    if !shape.has_experts() {
        return Ok(Experts { ep: 1, etp: 1, execution: ExpertParallel::USUAL });
    }
    let gpus = row.num_gpus.unwrap_or(1);
    let parallel = [row.tp, row.pp, row.cp].iter().flatten().fold(1_u32, |all, one| all.saturating_mul(*one));
    if row.ep.is_none() && stack.is_megatron() && gpus > parallel && !row.is_case() && row.etp.unwrap_or(1) == 1 {
        return Err(LeftOut::missing("ep"));
    }
    if row.ep.is_none() && gpus > 1 {
        notes.add("experts beside each other on every GPU, as no degree for them is named");
    }
    let is_bridge = has(&row.framework, &["bridge", "automodel"]);
    let fused = is_bridge || has(&format!("{} {}", row.framework, row.attention), &["deepep", "hybridep"]);
    if is_bridge {
        notes.add("DeepEP or HybridEP assumed, as in the recipes of Megatron-Bridge and AutoModel");
    }
    Ok(Experts {
        ep: row.ep.unwrap_or(1),
        // Megatron-LM shards experts like the other matrices; Megatron-Bridge's recipes do not.
        etp: row.etp.unwrap_or(if stack == Stack::MegatronCore { tp } else { 1 }),
        execution: ExpertParallel {
            dispatcher: if fused { Dispatcher::Fused } else { Dispatcher::AllToAll },
            // Megatron-LM runs experts one by one by default.
            grouped: !has(&row.framework, &["megatron-lm"]),
            ..ExpertParallel::USUAL
        },
    })
}
