//! Batch, recomputation and precision.

use super::{
    ChoiceOption, Group, PERCENT, Param, Scale, Unit, choice, count, number, option, position, switched, whole,
    with_fraction, with_fsdp,
};
use crate::model::software::Nvme;
use crate::model::training::{PrecisionPolicy, Recompute};

/// Sequences in one micro-batch.
pub(in crate::params) const MICRO_BATCH_SIZE: Param = Param {
    key: "mbs",
    label: "Micro-batch size",
    csv: "micro_batch_size",
    group: Group::Training,
    help: "Sequences in one forward and backward pass of a GPU; pairs where the objective compares two answers.",
    kind: count(
        Unit::None,
        (1.0, 1024.0),
        |scenario| f64::from(scenario.micro_batch_size),
        |scenario, value| scenario.micro_batch_size = whole(value),
    ),
    ..Param::DEFAULT
}
.window(1.0, 64.0);

/// Micro-batches in one step.
pub(in crate::params) const GRAD_ACCUM_STEPS: Param = Param {
    key: "accum",
    label: "Gradient accumulation steps",
    csv: "grad_accum_steps",
    group: Group::Training,
    help: "Micro-batches whose gradients are accumulated before one optimizer step.",
    kind: count(
        Unit::None,
        (1.0, 4096.0),
        |scenario| f64::from(scenario.grad_accum_steps),
        |scenario, value| scenario.grad_accum_steps = whole(value),
    ),
    ..Param::DEFAULT
}
.window(1.0, 256.0);

/// The recompute modes, in display order.
const RECOMPUTE_MODES: [Recompute; 6] = [
    Recompute::None,
    Recompute::AttentionCore,
    Recompute::Selective,
    Recompute::Full,
    Recompute::Fraction,
    Recompute::Modules,
];

/// The options of recomputation.
const RECOMPUTE_OPTIONS: &[ChoiceOption] = &[
    option("none", "None", "Keep every activation from the forward pass: most memory, no extra compute."),
    option(
        "attention",
        "Attention core",
        "Recompute scores and softmax alone, as Megatron does selectively; with flash attention there is nothing to drop.",
    ),
    option(
        "selective",
        "Selective",
        "Keep attention and every second matrix product and recompute the rest, as torchtitan does per operator.",
    ),
    option(
        "full",
        "Full",
        "Keep only each layer's input and run its forward pass again: least memory, a third more compute.",
    ),
    option("fraction", "A fraction", "Keep a chosen share of the activations between full recomputation and none."),
    option(
        "modules",
        "By module",
        "Recompute the modules chosen below in every layer, as Megatron-Core does (--recompute-modules).",
    ),
];

/// The activations that are recomputed.
pub(in crate::params) const RECOMPUTE: Param = Param {
    key: "recompute",
    label: "Activation checkpointing",
    csv: "recompute",
    group: Group::Training,
    help: "Which activations are dropped in the forward pass and recomputed in the backward pass \
           (torch.utils.checkpoint).",
    kind: choice(
        RECOMPUTE_OPTIONS,
        |scenario| position(&RECOMPUTE_MODES, &scenario.recompute),
        |scenario, index| scenario.recompute = RECOMPUTE_MODES.get(index).copied().unwrap_or(scenario.recompute),
    ),
    ..Param::DEFAULT
};

/// The share of activations that are kept.
pub(in crate::params) const KEEP_FRACTION: Param = Param {
    key: "keep",
    label: "Activations kept",
    csv: "activations_kept_percent",
    group: Group::Training,
    help: "Share of the activations that is kept rather than recomputed: 0 % is full checkpointing, 100 % is none.",
    kind: number(
        Unit::Percent,
        (0.0, 100.0),
        Scale::Linear,
        |scenario| scenario.keep_fraction * PERCENT,
        |scenario, value| scenario.keep_fraction = value / PERCENT,
    ),
    applies: with_fraction,
    ..Param::DEFAULT
};

/// The recipes, in display order.
const RECIPES: [PrecisionPolicy; 8] = [
    PrecisionPolicy::Fsdp2MixedBf16,
    PrecisionPolicy::Fsdp2MixedBf16Reduce16,
    PrecisionPolicy::ZeroMixed,
    PrecisionPolicy::MegatronMixed,
    PrecisionPolicy::PureBf16,
    PrecisionPolicy::PureBf16Reduce32,
    PrecisionPolicy::AutocastBf16,
    PrecisionPolicy::Fp32,
];

/// The options of the precision recipe.
const RECIPE_OPTIONS: &[ChoiceOption] = &[
    option(
        "fsdp2-bf16",
        "FSDP2 mixed bf16",
        "PyTorch's MixedPrecisionPolicy: fp32 weights and Adam state, weights gathered in bf16, gradients reduced in fp32.",
    ),
    option(
        "fsdp2-bf16-reduce16",
        "FSDP2 mixed bf16, reduced in bf16",
        "The same with reduce_dtype=torch.bfloat16: gradients take half the traffic and half the buffers.",
    ),
    option(
        "zero-mixed",
        "DeepSpeed ZeRO mixed",
        "16-bit weights and gradients beside an fp32 copy and Adam state: 16 bytes a parameter.",
    ),
    option(
        "megatron-mixed",
        "Megatron mixed",
        "16-bit weights, fp32 gradients, an fp32 copy and Adam state: 18 bytes a parameter.",
    ),
    option("pure-bf16", "Pure bf16", "Weights, gradients and Adam state all in bf16: 8 bytes a parameter."),
    option(
        "bf16-reduce32",
        "Pure bf16, reduced in fp32",
        "The same with reduce_dtype=torch.float32: gradients take twice the traffic and twice the buffers.",
    ),
    option(
        "autocast",
        "bf16 by autocast",
        "fp32 weights, gathered and reduced in fp32, which torch.autocast casts on use (FSDP1, DDP): 16 bytes a parameter.",
    ),
    option("fp32", "fp32", "Everything in 32 bits: 16 bytes a parameter and a much lower compute peak."),
];

/// The number formats of the state.
pub(in crate::params) const RECIPE: Param = Param {
    key: "recipe",
    label: "Precision",
    csv: "recipe",
    group: Group::Training,
    help: "Which number formats hold weights, gradients and optimizer state, and which travel over the network.",
    kind: choice(
        RECIPE_OPTIONS,
        |scenario| position(&RECIPES, &scenario.recipe),
        |scenario, index| scenario.recipe = RECIPES.get(index).copied().unwrap_or(scenario.recipe),
    ),
    ..Param::DEFAULT
};

switched!(
    /// Optimizer state in host memory.
    OFFLOAD_OPTIMIZER, Training, offload.optimizer, "offloadopt", "Offload optimizer", "offload_optimizer", [],
    "Whether optimizer state is kept, and updated, in host memory (ZeRO-Offload)."
);
switched!(
    /// Sharded weights in host memory.
    OFFLOAD_PARAMETERS, Training, offload.parameters, "offloadparams", "Offload parameters", "offload_parameters",
    [when(with_fsdp)], "Whether sharded weights and gradients are kept in host memory (CPUOffloadPolicy of FSDP2)."
);
switched!(
    /// Kept activations in host memory.
    OFFLOAD_ACTIVATIONS, Training, offload.activations, "offloadact", "Offload activations", "offload_activations", [],
    "Whether kept activations are moved to host memory between forward and backward pass."
);
picked!(
    /// Part of the offloaded state on drives.
    OFFLOAD_NVME, Training, offload.nvme, "nvme", "Offload to NVMe", "offload_nvme", [],
    "What of the state that is offloaded lies on the host’s NVMe drives in place of its memory (DeepSpeed’s ZeRO-Infinity). Drives are \
     read and written in every step: slower, and far larger.",
    Nvme::Nothing => "no", "Nothing", "What is offloaded is in host memory.";
    Nvme::Optimizer => "optimizer", "Optimizer state", "Read for each update, and written back.";
    Nvme::All => "all", "Optimizer state and parameters", "Sharded weights too are read before each gather.";
);
