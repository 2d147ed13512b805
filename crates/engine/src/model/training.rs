//! Training options: batch, sharding, recomputation, precision.

/// The states that data parallelism shards, in terms of PyTorch and DeepSpeed
/// (docs/book/model/states.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharding {
    /// Nothing: every replica keeps everything (`DDP`, `NO_SHARD`).
    Ddp,
    /// The optimizer state (ZeRO-1, Megatron's distributed optimizer).
    Zero1,
    /// The optimizer state and the gradients (ZeRO-2).
    Zero2,
    /// Weights, gradients and optimizer state (ZeRO-3, FSDP), with the treatment of gathered
    /// weights.
    Fsdp(Reshard),
}

/// FSDP's treatment of a unit's gathered weights after its forward pass (`reshard_after_forward`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reshard {
    /// Frees them and gathers them again for the backward pass (`True`, `FULL_SHARD`).
    Always,
    /// Keeps them until the backward pass (`False`, `SHARD_GRAD_OP`).
    Never,
    /// Reshards them over a smaller group of this many GPUs, inside the node if possible (an
    /// integer).
    To(u32),
}

impl Reshard {
    /// Returns FSDP2's interpretation of an integer: one is `False`, and all GPUs of the shard
    /// group are `True` (`_get_post_forward_mesh_info`,
    /// `torch/distributed/fsdp/_fully_shard/_fsdp_init.py`).
    ///
    /// ```
    /// # use engine::model::training::Reshard;
    /// assert_eq!([1, 8, 64].map(|group| Reshard::to(group, 64)), [Reshard::Never, Reshard::To(8), Reshard::Always]);
    /// ```
    pub const fn to(group: u32, shard_group: u32) -> Self {
        if group <= 1 {
            Self::Never
        } else if group >= shard_group {
            Self::Always
        } else {
            Self::To(group)
        }
    }
}

/// The activations that are dropped in the forward pass and recomputed in the backward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recompute {
    /// Keep all activations.
    None,
    /// Recompute only the attention core (Megatron's selective recomputation, arXiv 2205.05198):
    /// scores, softmax and dropout; nothing if attention is fused.
    AttentionCore,
    /// Keep attention and every second matrix product, recompute the rest (torchtitan, per
    /// operator).
    Selective,
    /// Keep each layer's input only.
    Full,
    /// Keep a share γ of the activations between full recomputation (0) and none (1):
    /// [`super::choices::Choices::keep_fraction`].
    Fraction,
    /// Recompute single modules of every layer: [`super::choices::Choices::recompute_modules`].
    Modules,
}

/// The modules that [`Recompute::Modules`] recomputes, under Megatron-Core's names
/// (`--recompute-modules`). Some keep their input and are recomputed as a whole; the others only
/// drop their output, which is recomputed when the backward pass reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecomputeModules {
    /// Attention's core: scores, softmax and dropout; nothing if attention is fused.
    pub core_attn: bool,
    /// The MLP of dense layers.
    pub mlp: bool,
    /// All of a layer's experts: router, exchanges, routed and shared experts.
    pub moe: bool,
    /// The activation of routed experts: its output.
    pub moe_act: bool,
    /// The norms before attention and before the MLP: their outputs. Megatron fuses some norms with
    /// the products after them.
    pub layernorm: bool,
    /// Latent attention's up-projections: queries, keys and values.
    pub mla_up_proj: bool,
    /// The shared experts.
    pub shared_experts: bool,
}

impl RecomputeModules {
    /// No modules.
    pub const NONE: Self = Self {
        core_attn: false,
        mlp: false,
        moe: false,
        moe_act: false,
        layernorm: false,
        mla_up_proj: false,
        shared_experts: false,
    };
    /// Megatron-Core's default.
    pub const USUAL: Self = Self { core_attn: true, ..Self::NONE };
}

/// The number formats of weights, gradients and optimizer state (docs/book/model/states.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrecisionPolicy {
    /// FSDP2 mixed precision: sharded fp32 weights, gathered in bf16, reduced in fp32.
    Fsdp2MixedBf16,
    /// FSDP2 mixed precision with gradients reduced in bf16 (`reduce_dtype=torch.bfloat16`).
    Fsdp2MixedBf16Reduce16,
    /// DeepSpeed ZeRO mixed precision: 16-bit weights and gradients, fp32 copy and moments.
    ZeroMixed,
    /// Megatron mixed precision: 16-bit weights, fp32 gradients, fp32 copy and moments.
    MegatronMixed,
    /// Everything in bf16.
    PureBf16,
    /// Everything at rest in bf16, with gradients reduced in fp32 (FSDP2 over a bf16 model,
    /// `reduce_dtype=torch.float32`).
    PureBf16Reduce32,
    /// fp32 weights, gathered and reduced in fp32, under `torch.autocast`: FSDP1 without a policy,
    /// DDP. Each product casts its weight on use.
    AutocastBf16,
    /// Everything in fp32.
    Fp32,
}

/// The 16-bit format of weights and products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HalfFormat {
    /// bf16, or fp16 on a GPU without bf16 units.
    OfGpu,
    /// bf16, emulated on a GPU without bf16 units.
    Bf16,
    /// fp16, under loss scaling: as fast as bf16 where both have units.
    Fp16,
}

impl PrecisionPolicy {
    /// Whether weights, gradients and optimizer state are all in bf16 at rest.
    pub const fn is_pure_bf16(self) -> bool {
        matches!(self, Self::PureBf16 | Self::PureBf16Reduce32)
    }
}

/// The score pairs that attention computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionMask {
    /// Only the past: flash attention executes about half of the score matrix.
    Causal,
    /// Every pair.
    Full,
}

/// The FLOPs that the MFU counts (docs/book/model/parameters.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MfuConvention {
    /// `6 P + 12 L H s`, PaLM's and Megatron's.
    FullAttention,
    /// `6 P + 6 L H s`: half of the attention term.
    CausalAttention,
    /// `6 P` only.
    ParametersOnly,
}

/// The batch of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Batch {
    /// Tokens in one sequence, s.
    pub seq_len: u32,
    /// Sequences in one micro-batch on one GPU.
    pub micro_batch_size: u32,
    /// Micro-batches in one step.
    pub grad_accum_steps: u32,
}

/// The format of the layers' matrix products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComputeFormat {
    /// The precision policy's own.
    AsPolicy,
    /// 8 bits (float8, MXFP8): inputs and weights are cast before each product; attention and the
    /// head are unchanged.
    Fp8,
    /// 8 bits, with weights also gathered in 8 bits (`enable_fsdp_float8_all_gather`).
    Fp8Gather,
    /// 4 bits (NVFP4).
    Fp4,
}

/// PyTorch's implementation of the optimizer's update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptimizerKernel {
    /// Operator by operator over lists of tensors (`foreach=True`): a temporary of one value for
    /// every parameter on the GPU.
    ForEach,
    /// One kernel (`fused=True`), without temporaries.
    Fused,
}

/// The point in the step at which the optimizer updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdatePlace {
    /// After the backward pass, all parameters at once.
    AfterBackward,
    /// In the backward pass, each parameter as soon as its gradient is computed, which is then
    /// freed (LOMO, arXiv 2306.09782; torchtune's `optimizer_in_bwd`;
    /// `Tensor.register_post_accumulate_grad_hook`).
    InBackward,
}

/// The optimizer, with the state that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Optimizer {
    /// Two moments (Adam, `AdamW`).
    AdamW,
    /// Two moments in 16 bits (arXiv 2412.19437, section 3.3.3; Megatron's precision-aware
    /// optimizer).
    AdamW16bit,
    /// Two moments in 8 bits with block scales (arXiv 2110.02861).
    AdamW8bit,
    /// Two moments in 4 bits with block scales (arXiv 2309.01507; torchao's `AdamW4bit`).
    AdamW4bit,
    /// A first moment, and one second moment for each head, row or neuron (arXiv 2406.16793).
    AdamMini,
    /// `AdamW` on gradients of matrices projected to a low rank (arXiv 2403.03507).
    GaLore,
    /// `GaLore` with moments in 8 bits.
    GaLore8bit,
    /// No state.
    Sgd,
    /// One momentum.
    SgdMomentum,
    /// A factored second moment: a row and a column a matrix (arXiv 1804.04235).
    Adafactor,
    /// One momentum (arXiv 2302.06675).
    Lion,
    /// One momentum on matrices, `AdamW` on the rest (Muon).
    Muon,
}
