//! What each framework's code does, trait by trait: the formulas ask for these, never for a name.

use super::software::{Framework, RootUnit};

/// What a framework's code does beside the mathematics. What no field says is as in PyTorch without
/// fusion: operator by operator, nothing shared and nothing overlapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    // The layers and their kernels.
    /// Whose layers the traced step writes down.
    pub layers: Layers,
    /// XLA compiles the step to one program: it plans all buffers ahead, computes an activation
    /// where the next product reads it, and stacks the layers' gradients in a loop.
    pub is_one_program: bool,
    /// One kernel computes the MLP's activation, and where it is gated the product with the gate
    /// too: its output alone is kept beside its inputs.
    pub fused_activation: bool,
    /// GPT-2's activation runs operator by operator (`NewGELUActivation` of `modeling_gpt2.py`);
    /// models of the same shape in other code have one kernel (llm-foundry's `ffn.py`).
    pub new_gelu: bool,
    /// Kernels around an adapter's products are fused, without `torch.compile` too.
    pub fused_adapters: bool,
    /// Queries, keys and values are one matrix, gate and up another, whatever the model's own code
    /// has (`linear_qkv`, `linear_fc1`): each takes one adapter.
    pub fused_projections: bool,
    /// A norm is one kernel with the product after it (`TELayerNormColumnParallelLinear`) and no
    /// module that could be recomputed alone.
    pub fused_norms: bool,
    /// Adapters are PEFT's, on models of transformers: a module to save trains as a copy beside the
    /// original.
    pub peft_adapters: bool,
    /// A layer's experts are one stacked tensor, as in Hugging Face's models, which FSDP2 cuts
    /// along them: whole experts for every GPU, and padding where GPUs are left over.
    pub stacked_experts: bool,
    /// Grouped products run on Megablox, JAX's kernel for ragged groups.
    pub grouped_by_megablox: bool,

    // What layers keep for the backward pass.
    /// Products after a norm keep their gathered input under sequence parallelism. Megatron gathers
    /// it again (arXiv 2205.05198, section 4.2.2), and so does nanotron (`tp_recompute_allgather`);
    /// XLA keeps what each GPU computed.
    pub keeps_gathered_input: bool,
    /// Products in 8 or 4 bits keep their inputs in that format (github NVIDIA/TransformerEngine
    /// v2.9, `layernorm_linear.py`).
    pub keeps_narrow_inputs: bool,
    /// Before Hopper `flash-attn` keeps its output batch first, and the projection after it a copy
    /// with the sequence first.
    pub turns_attention_output: bool,
    /// An activation without a gate is multiplied by the router's probabilities in a kernel of its
    /// own, and both are kept (Megatron's `MLP.forward` with `per_token_scale`).
    pub scales_expert_activation: bool,
    /// The output projection of Mamba-2 stands outside the fused function and keeps its own input.
    pub projects_state_outside: bool,
    /// Selective recomputation keeps the outputs of all products but the last, and of attention's
    /// kernel none (`MaxText`'s `minimal`).
    pub selective_keeps_products: bool,
    /// Single modules can be recomputed by a setting (`--recompute-modules`).
    pub recomputes_modules: bool,
    /// Asynchronous tensor parallelism keeps no copies beside the buffers that its exchanges use:
    /// nanotron's are there for all layers (`MemoryBuffer`), and so are those of Transformer Engine
    /// (`initialize_ub`).
    pub asynchronous_in_shared_buffers: bool,

    // The loss.
    /// How the loss without fusion computes.
    pub loss: UnfusedLoss,
    /// Under tensor parallelism each GPU gathers the logits of the whole vocabulary (transformers'
    /// `_tp_plan = {"lm_head": "colwise_rep"}`, from 5.0 `colwise_gather_output`; DeepSpeed's
    /// `AutoTP`).
    pub gathers_logits: bool,

    // Gradients.
    /// Where gradients are between compute and their reduction over replicas with whole weights.
    pub replicated_gradients: ReplicatedGradients,
    /// Gradients are reduced in flat buckets of the framework's own, and not one by one: no update
    /// can run where one is ready, and weights and optimizer state lie in flat buffers too.
    pub flat_gradient_buckets: bool,
    /// A bucket has `max(40e6, 1e6 dp)` parameters: several small layers share its latency
    /// (Megatron-Core's `DistributedDataParallel`).
    pub joins_layers_in_buckets: bool,
    /// Gradients stay allocated between steps; PyTorch frees them after the update.
    pub keeps_gradient_buffers: bool,

    // Sharding.
    /// PyTorch's FSDP shards the weights: unit by unit, on streams whose memory no other one uses.
    pub shards_by_fsdp: bool,
    /// What FSDP keeps gathered outside the layers. Never [`RootUnit::Default`].
    pub root_unit: RootUnit,
    /// ZeRO-2 and ZeRO-3 are DeepSpeed's, with its buckets and units, its offloading to drives, and
    /// what it refuses.
    pub zero_by_deepspeed: bool,
    /// ZeRO-1's updated weights are gathered beside the next forward pass
    /// (`--overlap-param-gather`).
    pub prefetches_updated_weights: bool,
    /// ZeRO-1's updated weights are gathered in 8 bits where asked (`--fp8-param-gather`, which
    /// Megatron's `arguments.py` allows with the distributed optimizer).
    pub gathers_updates_in_8_bits: bool,
    /// Whole weights have copies in the products' narrow format, one of them transposed (github
    /// NVIDIA/TransformerEngine #1261, #1764, #1880).
    pub keeps_narrow_weights: bool,

    // Memory beside tensors.
    /// cuBLAS and Transformer Engine reserve workspaces that stay (`CublasHandlePool.cpp`,
    /// `get_cublas_workspace_size_bytes`), which Megatron-LM's continuous integration logs between
    /// steps.
    pub keeps_workspaces: bool,
    /// The host runs so far ahead that the allocator holds tensors which a stream of collectives
    /// has yet to reduce (`recordStream`; github huggingface/nanotron, branch nouamane/bench2).
    /// They are counted one by one; elsewhere what the allocator holds is a share.
    pub holds_reduced_tensors: bool,
    /// With texts of many lengths the allocator holds blocks that longer logits have outgrown.
    pub outgrows_blocks: bool,

    // Pipelines and other degrees.
    /// Stages are balanced by parameters, the output head among them, and not by layers.
    pub balances_parameters: bool,
    /// An interleaved schedule sends its messages beside compute (`overlap_p2p_comm`,
    /// Megatron-Core's default there).
    pub overlaps_messages: bool,
    /// Where in a step the host waits for the GPU.
    pub host_waits: HostWaits,
    /// Where exchanges of experts run beside another micro-batch, one layer's forward pass is
    /// paired with one layer's backward pass (`TransformerModelChunkSchedulePlan.run`, github
    /// NVIDIA/Megatron-LM d98e8a64).
    pub pairs_layers: bool,
    /// Trainers on it for objectives other than the next token (TRL, verl) have no pipelines.
    pub aligns_without_pipelines: bool,
    /// Tensor parallelism splits the encoder of images as it does the language model.
    pub splits_encoder: bool,
    /// An all-to-all of context parallelism hands out whole groups of queries with their keys;
    /// others repeat keys and values.
    pub hands_out_groups: bool,
}

/// Where in a step, beside its end, the host waits for the GPU, so that it is no further ahead than
/// one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWaits {
    /// Nowhere.
    Never,
    /// At messages between the stages of a pipeline, where they do not run beside compute: Megatron
    /// synchronises after each batch of them (`batch_p2p_sync`), nanotron reads their shapes on the
    /// host.
    AtMessages,
    /// At gathers of weights, one layer ahead (`limit_all_gathers` of PyTorch's first FSDP).
    AtGathers,
}

/// Whose code a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layers {
    /// torchtitan's.
    Torchtitan,
    /// Those of transformers.
    Transformers,
    /// The framework's own, which the traced step does not write down.
    Own,
}

/// What a loss without fusion holds of fp32 logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfusedLoss {
    /// PyTorch's, operator by operator: logits, log-softmax and gradient, and one more tensor where
    /// GPUs share the vocabulary.
    Apart,
    /// Megatron-Core's: one copy, overwritten in place (`tensor_parallel/cross_entropy.py`).
    InPlace,
    /// The same in Megatron-LM of 2021 and nanotron, of which runs show more.
    InPlaceEarly,
}

/// Where gradients are between compute and their reduction under DDP and ZeRO-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicatedGradients {
    /// PyTorch's DDP copies them to its buckets, unless `gradient_as_bucket_view` is set.
    Copied,
    /// In the buckets from the start.
    InBuckets,
    /// As compute produced them, added to fp32 ones after the backward pass (nanotron's
    /// `FP32GradientAccumulator`).
    AddedAfterBackward,
    /// In the buckets, and under ZeRO-1 in those of DeepSpeed's stage 1 (`stage_1_and_2.py`,
    /// `bf16_optimizer.py`).
    OfStage1,
}

/// Nothing fused, shared or overlapped; a framework says what it does.
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
    flat_gradient_buckets: false,
    joins_layers_in_buckets: false,
    keeps_gradient_buffers: false,
    shards_by_fsdp: false,
    root_unit: RootUnit::Freed,
    zero_by_deepspeed: false,
    prefetches_updated_weights: false,
    gathers_updates_in_8_bits: false,
    keeps_narrow_weights: false,
    keeps_workspaces: false,
    holds_reduced_tensors: false,
    outgrows_blocks: false,
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
    root_unit: RootUnit::Head,
    outgrows_blocks: true,
    aligns_without_pipelines: true,
    ..PLAIN
};

const FSDP1: Traits = Traits {
    layers: Layers::Transformers,
    peft_adapters: true,
    gathers_logits: true,
    root_unit: RootUnit::Kept,
    host_waits: HostWaits::AtGathers,
    ..TORCHTITAN
};

const TRANSFORMERS: Traits =
    Traits { new_gelu: true, stacked_experts: true, root_unit: RootUnit::Freed, host_waits: HostWaits::Never, ..FSDP1 };

const DEEPSPEED: Traits = Traits {
    shards_by_fsdp: false,
    root_unit: RootUnit::Freed,
    zero_by_deepspeed: true,
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
    flat_gradient_buckets: true,
    keeps_gradient_buffers: true,
    host_waits: HostWaits::AtMessages,
    ..PLAIN
};

const NANOTRON: Traits = Traits {
    asynchronous_in_shared_buffers: true,
    loss: UnfusedLoss::InPlaceEarly,
    replicated_gradients: ReplicatedGradients::AddedAfterBackward,
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
    // No source says these three of MaxText, nor how its loss computes: they are assumed to be as
    // in PyTorch, which shards states alike. Nor does one say whether gradients can be updated one
    // by one, or stay.
    replicated_gradients: ReplicatedGradients::Copied,
    outgrows_blocks: true,
    aligns_without_pipelines: true,
    ..PLAIN
};

impl Framework {
    /// Returns what the framework's code does.
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
