//! Traits of each framework's code: formulas depend on these traits, never on a framework's name.

use super::software::{Framework, RootUnit};

/// Behaviour of a framework's code beyond the mathematics. Where no field applies, the code behaves
/// like PyTorch without fusion: operator by operator, nothing shared and nothing overlapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    // The layers and their kernels.
    /// The implementation of the layers, for traces of a step.
    pub layers: Layers,
    /// XLA compiles the step to one program: it plans all buffers ahead, computes an activation at
    /// the point where the next product reads it, and stacks the layers' gradients in a loop.
    pub is_one_program: bool,
    /// One kernel computes the MLP's activation, including the product with the gate of a gated
    /// MLP: of its tensors only the output is kept besides the inputs.
    pub fused_activation: bool,
    /// GPT-2's activation runs operator by operator (`NewGELUActivation` of `modeling_gpt2.py`);
    /// implementations of similar models elsewhere have one kernel (llm-foundry's `ffn.py`).
    pub new_gelu: bool,
    /// Kernels around an adapter's products are fused, even without `torch.compile`.
    pub fused_adapters: bool,
    /// Queries, keys and values are one matrix, and gate and up another, whatever the model's own
    /// code has (`linear_qkv`, `linear_fc1`): each fused matrix has one adapter.
    pub fused_projections: bool,
    /// A norm is fused with the product after it (`TELayerNormColumnParallelLinear`), so that it is
    /// no module that could be recomputed alone.
    pub fused_norms: bool,
    /// Adapters are PEFT's, on models of transformers: a module to save is trained as a copy next
    /// to the original.
    pub peft_adapters: bool,
    /// A layer's experts are one stacked tensor, as in Hugging Face's models, which FSDP2 shards
    /// along the expert dimension: whole experts on every GPU, with padding if experts do not
    /// divide evenly.
    pub stacked_experts: bool,
    /// Grouped products run on Megablox, JAX's kernel for ragged groups.
    pub grouped_by_megablox: bool,

    // Tensors that layers keep for the backward pass.
    /// Products after a norm keep their gathered input under sequence parallelism. Megatron gathers
    /// it again in the backward pass (arXiv 2205.05198, section 4.2.2), as does nanotron
    /// (`tp_recompute_allgather`); XLA keeps the input that each GPU computed.
    pub keeps_gathered_input: bool,
    /// Products in 8 or 4 bits keep their inputs in the narrow format (github
    /// NVIDIA/TransformerEngine v2.9, `layernorm_linear.py`).
    pub keeps_narrow_inputs: bool,
    /// Before Hopper `flash-attn` keeps its output with the batch dimension first, and the
    /// projection after it a copy with the sequence dimension first.
    pub turns_attention_output: bool,
    /// An ungated activation is multiplied by the router's probabilities in a separate kernel, and
    /// both tensors are kept (Megatron's `MLP.forward` with `per_token_scale`).
    pub scales_expert_activation: bool,
    /// The output projection of Mamba-2 is outside the fused function and keeps its own input.
    pub projects_state_outside: bool,
    /// Selective recomputation keeps the outputs of all products but the last, and not that of
    /// attention's kernel (`MaxText`'s `minimal`).
    pub selective_keeps_products: bool,
    /// Single modules can be recomputed by a setting (`--recompute-modules`).
    pub recomputes_modules: bool,
    /// Asynchronous tensor parallelism keeps no copies besides the exchange buffers, which all
    /// layers share in nanotron (`MemoryBuffer`) and Transformer Engine (`initialize_ub`).
    pub asynchronous_in_shared_buffers: bool,

    // The loss.
    /// The implementation of the unfused loss.
    pub loss: UnfusedLoss,
    /// Under tensor parallelism each GPU gathers the logits of the whole vocabulary (transformers'
    /// `_tp_plan = {"lm_head": "colwise_rep"}`, from 5.0 `colwise_gather_output`; DeepSpeed's
    /// `AutoTP`).
    pub gathers_logits: bool,

    // Gradients.
    /// Storage of gradients between compute and their reduction over replicas with whole weights.
    pub replicated_gradients: ReplicatedGradients,
    /// Addition of a micro-batch's gradients to those of the step.
    pub accumulation: Accumulation,
    /// Gradients are reduced in the framework's own flat buckets instead of one by one: no update
    /// can run as soon as a gradient is ready, and weights and optimizer state are in flat buffers
    /// too.
    pub flat_gradient_buckets: bool,
    /// A bucket has `max(40e6, 1e6 dp)` parameters, so that several small layers share its latency
    /// (Megatron-Core's `DistributedDataParallel`).
    pub joins_layers_in_buckets: bool,
    /// Gradients stay allocated between steps; PyTorch frees them after the update.
    pub keeps_gradient_buffers: bool,

    // Sharding.
    /// PyTorch's FSDP shards the weights: unit by unit, on streams whose memory other streams
    /// cannot use.
    pub shards_by_fsdp: bool,
    /// FSDP copies each gathered buffer into the weights (FSDP2); elsewhere the weights are views
    /// of it ([`super::compute::copies`]).
    pub copies_gathered_weights: bool,
    /// Whether a unit without trained weights keeps its input and the input's gradient until the
    /// end of the backward pass: FSDP1 registers hooks on the inputs (PyTorch's
    /// `_register_post_backward_reshard_only_hook`), which with reentrant checkpointing are leaves
    /// of a graph of their own, and removes them in its final callback.
    pub keeps_inputs_of_frozen_units: bool,
    /// Weights outside the layers that FSDP keeps gathered. Never [`RootUnit::Default`].
    pub root_unit: RootUnit,
    /// ZeRO-2 and ZeRO-3 are DeepSpeed's, with its buckets and units, its offloading to drives, and
    /// its restrictions.
    pub zero_by_deepspeed: bool,
    /// The gather of ZeRO-1's updated weights overlaps with the next forward pass
    /// (`--overlap-param-gather`).
    pub prefetches_updated_weights: bool,
    /// ZeRO-1's updated weights can be gathered in 8 bits (`--fp8-param-gather`, which Megatron's
    /// `arguments.py` allows with the distributed optimizer).
    pub gathers_updates_in_8_bits: bool,
    /// Whole weights have copies in the narrow format of the products, one of them transposed
    /// (github NVIDIA/TransformerEngine #1261, #1764, #1880).
    pub keeps_narrow_weights: bool,

    // Memory besides tensors.
    /// cuBLAS and Transformer Engine reserve permanent workspaces (`CublasHandlePool.cpp`,
    /// `get_cublas_workspace_size_bytes`), which Megatron-LM's continuous integration logs between
    /// steps.
    pub keeps_workspaces: bool,
    /// The host runs so far ahead that the allocator cannot reuse tensors whose collective has not
    /// finished on its stream (`recordStream`; github huggingface/nanotron, branch
    /// nouamane/bench2). They are counted one by one; for other frameworks the allocator's overhead
    /// is a share.
    pub holds_reduced_tensors: bool,
    /// With texts of varying length the allocator retains blocks that are too small for longer
    /// logits.
    pub outgrows_blocks: bool,

    // Pipelines and other degrees.
    /// Tensor parallelism dispatches each operator on a `DTensor`, in Python unless compiled
    /// ([`super::compute::dtensor`]).
    pub dispatches_dtensors: bool,
    /// Each stage has a buffer for every message of a step, allocated before the first one
    /// (`_prepare_forward_infra` and `_prepare_backward_infra` of torch.distributed.pipelining,
    /// which pytorch/pytorch #196463 of September 2026 proposes to end).
    pub buffers_all_messages: bool,
    /// Stages are balanced by parameters, including the output head, instead of by layers.
    pub balances_parameters: bool,
    /// Messages of an interleaved schedule overlap with compute (`overlap_p2p_comm`,
    /// Megatron-Core's default there).
    pub overlaps_messages: bool,
    /// Points in a step at which the host synchronises with the GPU.
    pub host_waits: HostWaits,
    /// If exchanges of experts overlap with another micro-batch, one layer's forward pass is paired
    /// with one layer's backward pass (`TransformerModelChunkSchedulePlan.run`, github
    /// NVIDIA/Megatron-LM d98e8a64).
    pub pairs_layers: bool,
    /// Trainers built on the framework for objectives other than the next token (TRL, verl) have no
    /// pipelines.
    pub aligns_without_pipelines: bool,
    /// Tensor parallelism splits the image encoder like the language model.
    pub splits_encoder: bool,
    /// An all-to-all of context parallelism distributes whole groups of queries with their keys;
    /// other frameworks repeat keys and values.
    pub hands_out_groups: bool,
}

/// Points in a step, besides its end, at which the host synchronises with the GPU, so that it is at
/// most one pass ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWaits {
    /// No such points.
    Never,
    /// Messages between pipeline stages that do not overlap with compute: Megatron synchronises
    /// after each batch of them (`batch_p2p_sync`), nanotron reads their shapes on the host.
    AtMessages,
    /// Gathers of weights, one layer ahead (`limit_all_gathers` of PyTorch's first FSDP).
    AtGathers,
}

/// The implementation of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layers {
    /// torchtitan's layers.
    Torchtitan,
    /// The layers of transformers.
    Transformers,
    /// The framework's own layers, for which there is no trace of a step.
    Own,
}

/// The fp32 logits that an unfused loss holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfusedLoss {
    /// PyTorch's loss, operator by operator: logits, log-softmax and gradient, and one more tensor
    /// if GPUs share the vocabulary.
    Apart,
    /// Megatron-Core's loss: one copy, overwritten in place (`tensor_parallel/cross_entropy.py`).
    InPlace,
    /// The in-place loss in Megatron-LM of 2021 and nanotron, whose runs show more memory.
    InPlaceEarly,
}

/// Addition of a micro-batch's gradients to those of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulation {
    /// By the products of the weights' gradients (`gradient_accumulation_fusion`), or by the
    /// compiler.
    InProducts,
    /// By autograd, in the format of the gradients, from the second micro-batch on.
    ByAutograd,
    /// To an fp32 tensor in a kernel of its own, in every micro-batch: `param.main_grad.add_` of
    /// Megatron-LM of 2021, nanotron's `FP32GradientAccumulator`.
    InKernel,
}

/// Storage of gradients between compute and their reduction under DDP and ZeRO-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicatedGradients {
    /// Copied to the buckets of PyTorch's DDP, unless `gradient_as_bucket_view` is set.
    Copied,
    /// Computed in the buckets.
    InBuckets,
    /// Stored as computed, and added to fp32 gradients after the backward pass (nanotron's
    /// `FP32GradientAccumulator`).
    AddedAfterBackward,
    /// Computed in the buckets, under ZeRO-1 in those of DeepSpeed's stage 1 (`stage_1_and_2.py`,
    /// `bf16_optimizer.py`).
    OfStage1,
}

/// Defaults, nothing fused, shared or overlapped; each framework overrides the traits that it has.
const PLAIN: Traits = Traits {
    layers: Layers::Own,
    is_one_program: false,
    fused_activation: false,
    new_gelu: false,
    fused_adapters: false,
    fused_projections: false,
    fused_norms: false,
    peft_adapters: false,
    stacked_experts: false,
    grouped_by_megablox: false,
    keeps_gathered_input: false,
    keeps_narrow_inputs: false,
    turns_attention_output: false,
    scales_expert_activation: false,
    projects_state_outside: false,
    selective_keeps_products: false,
    recomputes_modules: false,
    asynchronous_in_shared_buffers: false,
    loss: UnfusedLoss::Apart,
    gathers_logits: false,
    replicated_gradients: ReplicatedGradients::InBuckets,
    accumulation: Accumulation::ByAutograd,
    flat_gradient_buckets: false,
    joins_layers_in_buckets: false,
    keeps_gradient_buffers: false,
    shards_by_fsdp: false,
    copies_gathered_weights: false,
    keeps_inputs_of_frozen_units: false,
    root_unit: RootUnit::Freed,
    zero_by_deepspeed: false,
    prefetches_updated_weights: false,
    gathers_updates_in_8_bits: false,
    keeps_narrow_weights: false,
    keeps_workspaces: false,
    holds_reduced_tensors: false,
    outgrows_blocks: false,
    dispatches_dtensors: false,
    buffers_all_messages: false,
    balances_parameters: false,
    overlaps_messages: false,
    host_waits: HostWaits::Never,
    pairs_layers: false,
    aligns_without_pipelines: false,
    splits_encoder: false,
    hands_out_groups: false,
};

const TORCHTITAN: Traits = Traits {
    layers: Layers::Torchtitan,
    keeps_gathered_input: true,
    replicated_gradients: ReplicatedGradients::Copied,
    shards_by_fsdp: true,
    copies_gathered_weights: true,
    root_unit: RootUnit::Head,
    outgrows_blocks: true,
    dispatches_dtensors: true,
    buffers_all_messages: true,
    aligns_without_pipelines: true,
    ..PLAIN
};

const FSDP1: Traits = Traits {
    layers: Layers::Transformers,
    peft_adapters: true,
    gathers_logits: true,
    copies_gathered_weights: false,
    keeps_inputs_of_frozen_units: true,
    root_unit: RootUnit::Kept,
    host_waits: HostWaits::AtGathers,
    ..TORCHTITAN
};

const TRANSFORMERS: Traits = Traits {
    new_gelu: true,
    stacked_experts: true,
    copies_gathered_weights: true,
    keeps_inputs_of_frozen_units: false,
    root_unit: RootUnit::Freed,
    host_waits: HostWaits::Never,
    ..FSDP1
};

const DEEPSPEED: Traits = Traits {
    shards_by_fsdp: false,
    keeps_inputs_of_frozen_units: false,
    buffers_all_messages: false,
    root_unit: RootUnit::Freed,
    zero_by_deepspeed: true,
    // AutoTP replaces modules by its own, on plain tensors.
    dispatches_dtensors: false,
    flat_gradient_buckets: true,
    new_gelu: true,
    host_waits: HostWaits::Never,
    replicated_gradients: ReplicatedGradients::OfStage1,
    ..FSDP1
};

const MEGATRON: Traits = Traits {
    fused_activation: true,
    fused_adapters: true,
    fused_projections: true,
    fused_norms: true,
    keeps_narrow_inputs: true,
    turns_attention_output: true,
    scales_expert_activation: true,
    projects_state_outside: true,
    recomputes_modules: true,
    asynchronous_in_shared_buffers: true,
    loss: UnfusedLoss::InPlace,
    accumulation: Accumulation::InProducts,
    flat_gradient_buckets: true,
    joins_layers_in_buckets: true,
    keeps_gradient_buffers: true,
    prefetches_updated_weights: true,
    gathers_updates_in_8_bits: true,
    keeps_narrow_weights: true,
    keeps_workspaces: true,
    overlaps_messages: true,
    host_waits: HostWaits::AtMessages,
    pairs_layers: true,
    splits_encoder: true,
    hands_out_groups: true,
    ..PLAIN
};

const MEGATRON_FSDP: Traits = MEGATRON;

const MEGATRON_LEGACY: Traits = Traits {
    loss: UnfusedLoss::InPlaceEarly,
    replicated_gradients: ReplicatedGradients::OfStage1,
    accumulation: Accumulation::InKernel,
    flat_gradient_buckets: true,
    keeps_gradient_buffers: true,
    host_waits: HostWaits::AtMessages,
    ..PLAIN
};

const NANOTRON: Traits = Traits {
    asynchronous_in_shared_buffers: true,
    loss: UnfusedLoss::InPlaceEarly,
    replicated_gradients: ReplicatedGradients::AddedAfterBackward,
    accumulation: Accumulation::InKernel,
    flat_gradient_buckets: true,
    keeps_gradient_buffers: true,
    holds_reduced_tensors: true,
    balances_parameters: true,
    host_waits: HostWaits::AtMessages,
    ..PLAIN
};

const MAXTEXT: Traits = Traits {
    is_one_program: true,
    grouped_by_megablox: true,
    selective_keeps_products: true,
    asynchronous_in_shared_buffers: true,
    accumulation: Accumulation::InProducts,
    // There is no source for these three traits of MaxText, nor for its loss: they are assumed to
    // be as in PyTorch, which shards states alike. Neither is there one for updates of single
    // gradients, nor for gradients that stay allocated.
    replicated_gradients: ReplicatedGradients::Copied,
    outgrows_blocks: true,
    aligns_without_pipelines: true,
    ..PLAIN
};

impl Framework {
    /// Returns the traits of the framework's code.
    pub const fn traits(self) -> &'static Traits {
        match self {
            Self::Torchtitan => &TORCHTITAN,
            Self::Transformers => &TRANSFORMERS,
            Self::Fsdp1 => &FSDP1,
            Self::DeepSpeed => &DEEPSPEED,
            Self::Megatron => &MEGATRON,
            Self::MegatronFsdp => &MEGATRON_FSDP,
            Self::MegatronLegacy => &MEGATRON_LEGACY,
            Self::Nanotron => &NANOTRON,
            Self::MaxText => &MAXTEXT,
        }
    }
}
