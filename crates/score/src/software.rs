//! Kernels, formats and overlap of a row: its own values, else the known defaults of its stack.

use super::model::mixture;
use super::recipes::{self, recomputed::Recomputed};
use super::recompute::recompute;
use super::row::Row;
use super::silicon::{self, maxtext};
use super::stack::Stack;
use super::text::{has, names};
use super::{LeftOut, Notes, atorch, attention, dated, finetune, llmq, paddle};
use engine::model::software::{
    AttentionKernel, Communication, Framework, GradientSync, Graphs, Kernels, Loss, NormKernel, Nvme, Offload,
    RepeatedHeads, RootUnit, Segments, StateKernel,
};
use engine::model::trained::Trained;
use engine::model::training::{ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, UpdatePlace};

/// The software configuration of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Software {
    /// The framework.
    pub framework: Framework,
    /// The kernels.
    pub kernels: Kernels,
    /// Formats of the state.
    pub recipe: PrecisionPolicy,
    /// The format of the layers' matrix products.
    pub compute_format: ComputeFormat,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// How its update runs.
    pub optimizer_kernel: OptimizerKernel,
    /// Where in the step it runs.
    pub update_place: UpdatePlace,
    /// How PyTorch's allocator reserves.
    pub segments: Segments,
    /// When gradients are reduced.
    pub communication: Communication,
    /// What is offloaded to host memory.
    pub offload: Offload,
    /// What of the model is trained.
    pub trained: Trained,
    /// Which activations are recomputed.
    pub recompute: Recomputed,
}

/// Returns the software of a row.
///
/// # Errors
///
/// A checkpointing mode that the engine does not model.
pub fn software(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Software, LeftOut> {
    let of_stack = kernels(row, stack, notes);
    let mut kernels = silicon::kernels(row, finetune::software::kernels(row, stack, of_stack));
    let mut segments = segments(stack, notes);
    let mut communication = communication(row, stack);
    if stack == Stack::Torchtitan
        && let Some(then) = dated::software(row, "torchtitan", kernels)
    {
        (kernels.loss, segments) = (then.loss, then.segments);
        (kernels.repeated_heads, communication.root_unit) = (then.repeated_heads, then.root_unit);
    }
    let mut software = Software {
        framework: framework(stack),
        kernels,
        recipe: recipe(row, stack, notes),
        compute_format: compute_format(row, stack),
        optimizer: optimizer(row, stack),
        optimizer_kernel: finetune::software::optimizer_kernel(row, stack),
        update_place: finetune::software::update_place(row),
        segments,
        communication,
        offload: offload(row, stack, notes),
        trained: finetune::adapters::trained(row, notes),
        recompute: recompute(row, stack, notes)?,
    };
    atorch::complete(row, &mut software);
    llmq::complete(row, &mut software);
    paddle::complete(row, &mut software);
    Ok(software)
}

/// Returns the framework of a stack.
pub fn framework(stack: Stack) -> Framework {
    match stack {
        Stack::MegatronCore | Stack::Nemo => Framework::Megatron,
        Stack::MegatronEarly | Stack::MegatronDeepSpeed => Framework::MegatronLegacy,
        Stack::Nanotron => Framework::Nanotron,
        Stack::Composer | Stack::Modalities | Stack::FsdpQlora => Framework::Fsdp1,
        Stack::HuggingFace | Stack::Peft => Framework::Transformers,
        Stack::DeepSpeed | Stack::InternEvo => Framework::DeepSpeed,
        Stack::Torchtitan | Stack::Fsdp | Stack::Fabric | Stack::Torchtune => Framework::Torchtitan,
        Stack::MaxText => Framework::MaxText,
    }
}

/// XLA's: one program for the step, its element-wise work and loss fused.
const MAXTEXT: Kernels = Kernels {
    attention: AttentionKernel::FlashTuned,
    // Softmax and its gradient are computed where the products read them: no more than the 16-bit logits is written.
    loss: Loss::Chunked,
    compile: true,
    graphs: Graphs::Step,
    ..Kernels::USUAL
};

fn kernels(row: &Row, stack: Stack, notes: &mut Notes) -> Kernels {
    if stack == Stack::MaxText {
        return MAXTEXT;
    }
    // MosaicML's examples of early 2023 use PyTorch's own loss and norms, in fp32 under autocast;
    // llm-foundry runs norms in 16 bits and a fused loss.
    let early_composer = stack == Stack::Composer && has(&row.source, &["examples"]);
    let compile =
        has(&row.compile, &["yes", "true", "torch.compile", "inductor", "thunder", "dynamo"]) || recipes::compiles(row);
    // PyTorch had no kernel of its own for RMS norms when torchtitan's tables were measured.
    let by_operator = matches!(stack, Stack::HuggingFace | Stack::Modalities)
        || early_composer
        || (stack == Stack::Torchtitan && !compile);
    let loss = match stack {
        Stack::Composer if !early_composer => Loss::Fused,
        // torchtitan compiles the loss with the model.
        Stack::Torchtitan if compile => Loss::Fused,
        Stack::MegatronCore if has(&row.source, &["ci golden"]) => loss_of_test(row),
        Stack::Nemo | Stack::MegatronCore => Loss::Fused,
        // nanoGPT's models compute their loss, and are compiled as a whole.
        _ if compile && has(&row.framework, &["nanogpt"]) => Loss::Fused,
        // Its `SequenceTiledCompute` runs head and loss (ArcticTraining, `sft_trainer.py`).
        _ if has(&row.framework, &["alst"]) => Loss::Tiled,
        _ => Loss::Standard,
    };
    Kernels {
        attention: attention::kernel(row, stack, notes),
        loss,
        norms: if by_operator { NormKernel::Upcast } else { NormKernel::Fused },
        compile,
        graphs: super::experts::graphs(row, stack),
        // Megatron-LM's default is 0.1, which BLOOM's runs inherit (its README, train/tr11-176B-ml).
        dropout: matches!(stack, Stack::MegatronEarly | Stack::MegatronDeepSpeed) || drops_by_default(row),
        tiled_mlp: has(&row.notes, &["tiled mlp", "tiledmlp"]),
        state: StateKernel::Fused,
        // torchtitan's by its date; nearly all published rows are older than its change of January 2026.
        repeated_heads: if stack == Stack::Torchtitan { RepeatedHeads::Yes } else { RepeatedHeads::Default },
    }
}

/// The loss of Megatron-LM's continuous integration: the plain one unless the name says otherwise
/// or its configuration does (`--cross-entropy-loss-fusion`). Its own fused one, compiled by
/// `torch.compile`, writes the exponentials beside the fp32 logits.
fn loss_of_test(row: &Row) -> Loss {
    let proxy = mixture::has_experts(row) && has(&row.model, &["memory_speed", "deepseekv3_proxy"]);
    if proxy || has(&row.model, &["loss_fusion"]) { Loss::Fp32Logits } else { Loss::Standard }
}

/// Whether Megatron-LM's default dropout of 0.1 applies: its continuous integration keeps it but
/// with context parallelism, in the release runs, and for shapes of Llama's kind or mixtures with
/// rotary positions (`--attention-dropout` in its tests' model_config.yaml).
fn drops_by_default(row: &Row) -> bool {
    let rotary = has(&row.notes, &["position-embedding-type=rope"]);
    let llama = rotary && (has(&row.notes, &["swiglu=true"]) || mixture::has_experts(row));
    let off = row.cp.unwrap_or(1) > 1 || llama || has(&row.model, &["release"]);
    has(&row.source, &["ci golden"]) && !off
}

fn recipe(row: &Row, stack: Stack, notes: &mut Notes) -> PrecisionPolicy {
    let text = format!("{} {}", row.precision, row.precision_detail).to_ascii_lowercase();
    let says = |wanted: &[&str]| wanted.iter().any(|word| text.contains(word));
    if says(&["fp32", "float32"]) && !says(&["bf16", "fp16", "fp8", "float8"]) {
        return PrecisionPolicy::Fp32;
    }
    if says(&["pure bf16", "pure_bf16", "bf16 only", "bf16 (pure)", "no mixed precision"])
        || row.precision == "bf16 params"
    {
        return PrecisionPolicy::PureBf16;
    }
    if let Some(tuned) = finetune::software::formats(row, stack) {
        return tuned;
    }
    match stack {
        // FSDP1's `mixed_precision`: DEFAULT reduces in fp32, PURE in bf16.
        Stack::Composer if says(&["pure"]) => PrecisionPolicy::Fsdp2MixedBf16Reduce16,
        Stack::Composer if says(&["default", "amp"]) => PrecisionPolicy::Fsdp2MixedBf16,
        // `weight_dtype: bfloat16`, or fp32 weights, which XLA gathers and reduces in the activations' format.
        Stack::MaxText if says(&["bf16 weights"]) => PrecisionPolicy::PureBf16,
        Stack::Composer | Stack::Modalities | Stack::HuggingFace | Stack::MaxText => {
            PrecisionPolicy::Fsdp2MixedBf16Reduce16
        }
        Stack::Fsdp if says(&SIXTEEN) || reduces_in_16_bits(row) => PrecisionPolicy::Fsdp2MixedBf16Reduce16,
        Stack::Fsdp if recipes::is_automodel(row) => recipes::AUTOMODEL_STATES,
        Stack::Torchtitan | Stack::Fsdp => PrecisionPolicy::Fsdp2MixedBf16,
        Stack::Nemo if recipes::in_bf16(row, notes) => PrecisionPolicy::PureBf16,
        // The recipes of NeMo's and Megatron-Bridge's summaries set `grad_reduce_in_fp32` to false.
        Stack::InternEvo | Stack::DeepSpeed | Stack::Nemo => PrecisionPolicy::ZeroMixed,
        Stack::Peft => PrecisionPolicy::AutocastBf16,
        Stack::FsdpQlora | Stack::Fabric | Stack::Torchtune => PrecisionPolicy::PureBf16,
        // Under fp16 these stacks keep and reduce gradients in 16 bits; under bf16 they accumulate
        // them in fp32.
        Stack::MegatronDeepSpeed | Stack::MegatronEarly
            if row.precision.is_empty() || says(&["fp16"]) && !has(&row.precision, &["bf16"]) =>
        {
            PrecisionPolicy::ZeroMixed
        }
        Stack::MegatronCore if says(&["fp16"]) => PrecisionPolicy::ZeroMixed,
        Stack::MegatronDeepSpeed | Stack::MegatronEarly | Stack::MegatronCore | Stack::Nanotron => {
            PrecisionPolicy::MegatronMixed
        }
    }
}

/// Words for gradients that are reduced in bf16.
const SIXTEEN: [&str; 5] = ["bf16 reduce", "reduce bf16", "bfsixteen", "reduce_dtype=bf16", "reduce in bf16"];

/// Programs whose policy for FSDP is `bfSixteen`, with `reduce_dtype=torch.bfloat16`: fms-fsdp (fms_fsdp/policies/mixed_precision.py)
/// and llama-recipes (policies/mixed_precision.py).
fn reduces_in_16_bits(row: &Row) -> bool {
    has(
        &format!("{} {}", row.framework, row.source),
        &["fms-fsdp", "fms_fsdp", "foundation-model-stack", "llama-recipes"],
    ) || has(&row.notes, &["bfsixteen"])
}

fn compute_format(row: &Row, stack: Stack) -> ComputeFormat {
    let text = row.precision.to_ascii_lowercase();
    let says = |wanted: &[&str]| wanted.iter().any(|word| text.contains(word));
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

/// Returns what the row states to be in host memory, and what its stack is known to offload:
/// Megatron-Bridge's presets for Megatron-FSDP on Grace Blackwell offload the activations of 10 to
/// 40 layers (`cpu_offloading_num_layers`), which its tables do not state.
fn offload(row: &Row, stack: Stack, notes: &mut Notes) -> Offload {
    let all = has(
        &row.notes,
        &["full cpu offload", "cpu offload with fused optimizer", "cpu offload of parameters", "offload: true"],
    ) || has(&row.notes, &["cpu offload, cpu ram"])
        || has(&row.sharding, &["cpu offload", "cpu_offload"]);
    let preset = stack == Stack::Nemo && has(&row.sharding, &["megatron-fsdp"]) && has(&row.gpu, &["gb200", "gb300"]);
    if preset {
        notes.add("activations in host memory assumed, as in Megatron-Bridge's presets");
    }
    // The script of these runs checkpoints to host memory (experiments/gpt2-meg-ds-zero, `PA_CPU=true`).
    let in_host = has(&row.sharding, &["old megatron-zero3 branch"]) && !has(&row.notes, &["pa_cpu=n"]);
    if in_host {
        notes.add("activations in host memory, as in the script of these runs");
    }
    let tuned =
        has(&row.notes, &["activation offloading"]) || has(&row.act_ckpt, &["offloaded to cpu", "offloaded to host"]);
    let by_policy = stack == Stack::MaxText && maxtext::offloads(row);
    // Megatron-LM's recipe index says it in one word.
    let alone = stack.is_megatron() && row.notes.split(';').any(|clause| clause.trim().eq_ignore_ascii_case("offload"));
    let activations = by_policy
        || alone
        || preset
        || in_host
        || tuned
        || has(&row.notes, &["pa_cpu=y", "fine-grained-activation-offloading=true"]);
    // ZeRO-3 leaves parameters on the GPU where its configuration offloads the optimizer alone.
    let parameters = all && !has(&row.sharding, &["with optimizer cpu offload"]);
    let said = said_offload(row);
    Offload {
        optimizer: all || said.optimizer,
        parameters: parameters || said.parameters,
        activations: activations || said.activations,
        paged: finetune::software::is_paged(row) || has(&row.optimizer, &["paged"]),
        nvme: Nvme::Nothing,
    }
}

/// What the column of its own says to be in host memory. A reference model there is none of the trained one's.
fn said_offload(row: &Row) -> Offload {
    let text = row.offload.to_ascii_lowercase();
    let is_none = text.is_empty() || text.starts_with("no") || text.starts_with("reference");
    let says = |words: &[&str]| !is_none && words.iter().any(|word| text.contains(word));
    let names_part = says(&["optim", "param", "activation"]);
    Offload {
        optimizer: says(&["optim"]) || !is_none && !names_part,
        parameters: says(&["param"]) || !is_none && !names_part,
        activations: says(&["activation"]),
        paged: false,
        nvme: Nvme::Nothing,
    }
}

fn optimizer(row: &Row, stack: Stack) -> Optimizer {
    let text = format!("{} {}", row.optimizer, row.notes).to_ascii_lowercase();
    let named = |word: &str| row.optimizer.to_ascii_lowercase().contains(word);
    if let Some(known) = finetune::software::optimizer(row) {
        known
    } else if named("8bit") || named("8-bit") {
        Optimizer::AdamW8bit
    } else if named("adafactor") {
        Optimizer::Adafactor
    } else if named("lion") {
        Optimizer::Lion
    } else if named("muon") || text.contains("optimizer=muon") {
        Optimizer::Muon
    } else if named("sgd") {
        Optimizer::Sgd
    } else if stack == Stack::Nemo && names(&row.model, &["moonlight", "deepseekv3"]) {
        // Megatron-Bridge's recipes for both set its precision-aware optimizer.
        Optimizer::AdamW16bit
    } else {
        Optimizer::AdamW
    }
}

fn segments(stack: Stack, notes: &mut Notes) -> Segments {
    if stack == Stack::Torchtitan {
        notes.add("expandable segments, as torchtitan's run_train.sh sets");
        Segments::Expandable
    } else {
        Segments::Fixed
    }
}

fn communication(row: &Row, stack: Stack) -> Communication {
    let overlap = match stack {
        // Gradients are reduced after the backward pass; OneFlow overlaps the reduction with it.
        Stack::MegatronEarly | Stack::MegatronDeepSpeed => has(&row.framework, &["oneflow"]),
        Stack::MegatronCore if has(&row.notes, &["transformer-impl="]) => {
            has(&row.notes, &["overlap-grad-reduce=true"])
        }
        // FlagScale has Megatron's default, without `--overlap-grad-reduce` (its README of 2023).
        Stack::MegatronCore => {
            !has(&row.framework, &["flagscale"]) && !has(&row.notes, &["no overlap of communication"])
        }
        // deepspeed_zero_2.json of Optimum Habana's tests: `overlap_comm: false`.
        Stack::DeepSpeed if row.source == "gaudi" => false,
        _ => true,
    };
    // PyTorch's pipeline stages reduce gradients after their last micro-batch.
    let last = (stack == Stack::Torchtitan || recipes::is_automodel(row)) && row.pp.is_some_and(|stages| stages > 1);
    let gradient_sync = if last { GradientSync::LastMicroBatch } else { GradientSync::Default };
    Communication { gradient_sync, root_unit: root_unit(stack), overlap }
}

/// Returns what FSDP keeps gathered outside the layers, where the row bears no date: nearly all published rows
/// are of releases before mid-2025, when FSDP2 kept its root unit whatever it was told.
fn root_unit(stack: Stack) -> RootUnit {
    match stack {
        Stack::Torchtitan => dated::root_unit("torchtitan"),
        Stack::Torchtune => dated::root_unit("torchtune"),
        Stack::Fabric => dated::root_unit("litgpt"),
        Stack::Fsdp => RootUnit::Kept,
        _ => RootUnit::Default,
    }
}
