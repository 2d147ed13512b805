//! The software that runs the step: framework, kernels, what it fuses and what it overlaps.

/// How the allocator reserves: `expandable_segments` in `PYTORCH_CUDA_ALLOC_CONF`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Segments {
    /// Segments of a fixed size, as by default.
    #[default]
    Fixed,
    /// One segment a pool, which grows.
    Expandable,
}

/// The training framework, whose code decides what is fused, launched and held beside the
/// mathematics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    /// torchtitan and what is built as it is, on FSDP2 (`fully_shard`).
    Torchtitan,
    /// Hugging Face's models on FSDP2: Trainer, TRL, Accelerate.
    Transformers,
    /// PyTorch's first FSDP (`FullyShardedDataParallel`, flat parameters): Composer, Accelerate.
    Fsdp1,
    /// DeepSpeed's ZeRO.
    DeepSpeed,
    /// Megatron-Core with Transformer Engine, and `NeMo`.
    Megatron,
    /// The same with Megatron-FSDP (`--use-megatron-fsdp`).
    MegatronFsdp,
    /// Megatron-LM of 2021 and Megatron-DeepSpeed: 16-bit layers with few fused kernels.
    MegatronLegacy,
    /// nanotron.
    Nanotron,
    /// JAX with XLA: `MaxText`.
    MaxText,
}

/// The attention kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionKernel {
    /// Matrix products and a softmax over scores that are written to memory.
    Unfused,
    /// The first flash kernels (arXiv 2205.14135) and Triton's of 2023.
    FlashFirst,
    /// FlashAttention-2 (arXiv 2307.08691), which PyTorch's `scaled_dot_product_attention` runs:
    /// the instructions of Ampere.
    Flash,
    /// Kernels tuned to the GPU: FlashAttention-3 (arXiv 2407.08608) and 4, cuDNN's and with it
    /// Transformer Engine's; on Ampere FlashAttention-2.
    FlashTuned,
    /// The same with its products in 8 bits, in both passes: Transformer Engine's (`fp8_dpa` with
    /// `NVTE_FP8_DPA_BWD`).
    Flash8bit,
}

/// How the cross-entropy over the vocabulary is computed, with the bytes a logit that are alive in
/// its backward pass (PyTorch's storages, one by one, on fake tensors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// fp32 logits, their log-softmax and its gradient, all in memory: 12 bytes.
    Standard,
    /// The same where the trainer holds on to the 16-bit logits: 14 bytes.
    KeptLogits,
    /// The same where the model returns fp32 logits, which the trainer holds: 16 bytes.
    Fp32Logits,
    /// Logits, log-softmax and gradient in 16 bits: 6 bytes.
    Bf16,
    /// The same where the trainer holds on to the logits: 8 bytes.
    Bf16Kept,
    /// One kernel that keeps the 16-bit logits alone and overwrites them with their gradient
    /// (`torch.compile`): 4 bytes.
    Fused,
    /// Head and loss over eight chunks of the tokens: the logits never exist all at once; 1.5
    /// bytes.
    Chunked,
    /// Head and loss in one kernel (Liger's, cut cross-entropy): the logits never exist whole.
    FusedLinear,
    /// Head and loss, forward and backward, over tiles of the sequence, each with 1 GiB of fp32
    /// logits (arXiv 2506.13996, section 3.1).
    Tiled,
}

impl Loss {
    /// Whether log-softmax and gradient are operators of their own, each of which reads and writes
    /// all logits.
    pub const fn is_unfused(self) -> bool {
        match self {
            Self::Standard | Self::KeptLogits | Self::Fp32Logits | Self::Bf16 | Self::Bf16Kept => true,
            Self::Fused | Self::Chunked | Self::FusedLinear | Self::Tiled => false,
        }
    }
}

/// How norms compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormKernel {
    /// One kernel that keeps its input.
    Fused,
    /// Operator by operator in fp32 (Hugging Face's `LlamaRMSNorm`): keeps fp32 copies of its
    /// input.
    Upcast,
}

/// What runs between the matrix products of a mixer with a state of a fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateKernel {
    /// Kernels written for it: those of mamba-ssm, causal-conv1d and flash-linear-attention.
    Fused,
    /// Operator by operator, as the library's own code runs where these packages are missing
    /// (`mamba2_chunk_scan`, `torch_chunk_gated_delta_rule` and the like of transformers 5.23).
    Eager,
}

/// What the host launches at once as CUDA graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Graphs {
    /// Kernel by kernel.
    None,
    /// Each layer but its routed experts: what comes to them is known on the GPU alone.
    Layers,
    /// The whole step.
    Step,
}

/// The kernels of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kernels {
    /// The attention kernel.
    pub attention: AttentionKernel,
    /// The loss.
    pub loss: Loss,
    /// The norms.
    pub norms: NormKernel,
    /// Whether `torch.compile` fuses the element-wise work.
    pub compile: bool,
    /// What the host launches at once.
    pub graphs: Graphs,
    /// Whether the model drops activations at random and keeps the masks.
    pub dropout: bool,
    /// Whether dense MLPs run tile by tile over the sequence, forward and again in the backward
    /// pass (`TiledMLP`, arXiv 2506.13996).
    pub tiled_mlp: bool,
    /// Whose kernels run between the products of mixers with a state.
    pub state: StateKernel,
    /// Whether keys and values are copied for the query heads that share them.
    pub repeated_heads: RepeatedHeads,
}

impl Kernels {
    /// PyTorch without `torch.compile`: flash attention, an unfused loss, fused norms, no dropout.
    pub const USUAL: Self = Self {
        attention: AttentionKernel::Flash,
        loss: Loss::Standard,
        norms: NormKernel::Fused,
        compile: false,
        graphs: Graphs::None,
        dropout: false,
        tiled_mlp: false,
        state: StateKernel::Fused,
        repeated_heads: RepeatedHeads::Default,
    };
}

/// Whether keys and values are copied for the query heads that share them before attention, and
/// kept so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepeatedHeads {
    /// As the newest release of the framework does: for attention without a flash kernel alone.
    Default,
    /// Always (`repeat_kv` in torchtitan before ff0829c10 of January 2026, and in transformers'
    /// SDPA before 4.48).
    Yes,
    /// Never: the kernel takes them as they are (`enable_gqa`).
    No,
}

/// When gradients are reduced over the data-parallel GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradientSync {
    /// As the strategy does by default: FSDP and ZeRO-2 after every micro-batch, DDP and ZeRO-1
    /// after the last.
    Default,
    /// After every micro-batch.
    EveryMicroBatch,
    /// After the last micro-batch alone (`no_sync`, `set_requires_gradient_sync(False)`): unsharded
    /// gradients are kept.
    LastMicroBatch,
}

/// What FSDP keeps gathered from the forward to the backward pass where it reshards the layers: the
/// embedding, the final norm and the head are its root unit, or units of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootUnit {
    /// As the framework does by default ([`super::framework::Traits::root_unit`]).
    Default,
    /// Nothing: the root is freed with the layers (FSDP2 with `reshard_after_forward=True` on the
    /// root, since mid-2025).
    Freed,
    /// The root unit (FSDP1's `_post_forward_reshard`; FSDP2's before mid-2025, whatever it was
    /// told).
    Kept,
    /// The root unit and the last layer (torchtitan before July 2025).
    KeptWithLast,
    /// The final norm and the head, a unit of their own as the embedding is (torchtitan 83e694105).
    Head,
}

/// When gradients travel and whether that runs beside compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Communication {
    /// When gradients are reduced.
    pub gradient_sync: GradientSync,
    /// What stays gathered outside the layers.
    pub root_unit: RootUnit,
    /// Whether reductions and gathers run beside compute (`overlap_grad_reduce`,
    /// `overlap_param_gather`; FSDP always does).
    pub overlap: bool,
}

impl Communication {
    /// As the strategy does by default, beside compute.
    pub const USUAL: Self = Self { gradient_sync: GradientSync::Default, root_unit: RootUnit::Default, overlap: true };
}

/// What of the offloaded state lies on a host's NVMe drives in place of its memory (ZeRO-Infinity,
/// arXiv 2104.07857).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nvme {
    /// Nothing: all of it is in host memory.
    Nothing,
    /// Optimizer state.
    Optimizer,
    /// Optimizer state and sharded weights.
    All,
}

/// What is kept in host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offload {
    /// Optimizer state, and its update on the host (ZeRO-Offload).
    pub optimizer: bool,
    /// Sharded weights and gradients (FSDP's `CPUOffloadPolicy`).
    pub parameters: bool,
    /// Kept activations.
    pub activations: bool,
    /// Optimizer state in unified memory, which the driver pages out where the GPU is full
    /// (bitsandbytes' `is_paged`).
    pub paged: bool,
    /// What of it lies on the host's drives.
    pub nvme: Nvme,
}

impl Offload {
    /// Everything stays on the GPU.
    pub const NONE: Self =
        Self { optimizer: false, parameters: false, activations: false, paged: false, nvme: Nvme::Nothing };

    /// Whether the update runs on the GPU.
    pub const fn updates_here(&self) -> bool {
        !self.optimizer && !self.parameters
    }

    /// Whether optimizer state is read from the host's drives for each update, and written back.
    pub const fn state_on_drives(&self) -> bool {
        !self.updates_here() && !matches!(self.nvme, Nvme::Nothing)
    }

    /// Whether sharded weights come from the host's drives.
    pub const fn weights_on_drives(&self) -> bool {
        self.parameters && matches!(self.nvme, Nvme::All)
    }

    /// Whether the driver pages the optimizer state: what is offloaded is on the host anyhow.
    pub const fn pages_state(&self) -> bool {
        self.paged && self.updates_here()
    }
}

/// What an allocator holds beyond what tensors occupy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cache {
    /// So much of what is allocated, always.
    Share(f64),
    /// PyTorch's caching allocator, in which every stream has a pool of its own: what one has freed
    /// no other can use.
    Pools {
        /// What the pool of the kernels reserves beyond the most that is alive in it, as a share of
        /// it.
        cached: f64,
        /// What stays of all that is allocated when the allocator gives back every segment that is
        /// free as a whole, as a share.
        lasting: f64,
    },
}
