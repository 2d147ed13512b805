//! The software of a step: framework, kernels, fusion and overlap.

/// The allocator's segments: `expandable_segments` in `PYTORCH_CUDA_ALLOC_CONF`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Segments {
    /// Segments of fixed size, the default.
    #[default]
    Fixed,
    /// One growing segment per pool.
    Expandable,
}

/// The training framework, whose code determines fusion, launches and memory beyond the
/// mathematics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    /// torchtitan and similar code on FSDP2 (`fully_shard`).
    Torchtitan,
    /// Hugging Face's models on FSDP2: Trainer, TRL, Accelerate.
    Transformers,
    /// PyTorch's first FSDP (`FullyShardedDataParallel`, flat parameters): Composer, Accelerate.
    Fsdp1,
    /// DeepSpeed's ZeRO.
    DeepSpeed,
    /// Megatron-Core with Transformer Engine, and `NeMo`.
    Megatron,
    /// Megatron-Core with Megatron-FSDP (`--use-megatron-fsdp`).
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
    /// FlashAttention before version 2 (arXiv 2205.14135), in CUDA.
    FlashFirstCuda,
    /// Triton's flash kernels of 2022 and 2023, and PyTorch's memory-efficient kernel.
    FlashFirst,
    /// FlashAttention-2 (arXiv 2307.08691) with the instructions of Ampere, as in PyTorch's
    /// `scaled_dot_product_attention`.
    Flash,
    /// Kernels tuned to the GPU: FlashAttention-3 (arXiv 2407.08608) and 4, cuDNN's and thereby
    /// Transformer Engine's; on Ampere FlashAttention-2.
    FlashTuned,
    /// Tuned kernels with products in 8 bits, in both passes: Transformer Engine's (`fp8_dpa` with
    /// `NVTE_FP8_DPA_BWD`).
    Flash8bit,
}

impl AttentionKernel {
    /// Whether it is a flash kernel older than FlashAttention-2.
    pub const fn is_before_the_second(self) -> bool {
        matches!(self, Self::FlashFirstCuda | Self::FlashFirst)
    }
}

/// Implementation of the cross-entropy over the vocabulary, with the bytes per logit that are alive
/// in its backward pass (from PyTorch's storages, one by one, on fake tensors).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// fp32 logits, their log-softmax and its gradient, all in memory: 12 bytes.
    Standard,
    /// Standard, with 16-bit logits that the trainer keeps: 14 bytes.
    KeptLogits,
    /// Standard, with fp32 logits that the model returns and the trainer keeps: 16 bytes.
    Fp32Logits,
    /// Logits, log-softmax and gradient in 16 bits: 6 bytes.
    Bf16,
    /// 16-bit logits, log-softmax and gradient, with logits that the trainer keeps: 8 bytes.
    Bf16Kept,
    /// One kernel that keeps only the 16-bit logits and overwrites them with their gradient
    /// (`torch.compile`): 4 bytes.
    Fused,
    /// Head and loss over eight chunks of the tokens, so that not all logits exist at once; 1.5
    /// bytes.
    Chunked,
    /// Head and loss in one kernel (Liger's, cut cross-entropy), which never materialises all
    /// logits.
    FusedLinear,
    /// Head and loss, forward and backward, over tiles of the sequence, each with 1 GiB of fp32
    /// logits (arXiv 2506.13996, section 3.1).
    Tiled,
}

impl Loss {
    /// Whether log-softmax and gradient are separate operators, each of which reads and writes all
    /// logits.
    pub const fn is_unfused(self) -> bool {
        match self {
            Self::Standard | Self::KeptLogits | Self::Fp32Logits | Self::Bf16 | Self::Bf16Kept => true,
            Self::Fused | Self::Chunked | Self::FusedLinear | Self::Tiled => false,
        }
    }
}

/// The implementation of norms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NormKernel {
    /// One kernel that keeps its input.
    Fused,
    /// Operator by operator in fp32 (Hugging Face's `LlamaRMSNorm`), keeping fp32 copies of the
    /// input.
    Upcast,
}

/// The kernels between the matrix products of a recurrent mixer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StateKernel {
    /// Specialised kernels: those of mamba-ssm, causal-conv1d and flash-linear-attention.
    Fused,
    /// Operator by operator, the library's own code without these packages (`mamba2_chunk_scan`,
    /// `torch_chunk_gated_delta_rule` and the like of transformers 5.23).
    Eager,
}

/// The part of a step that the host launches as CUDA graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Graphs {
    /// No part: kernel by kernel.
    None,
    /// Each layer without its routed experts, whose token counts are only available on the GPU.
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
    /// The part that the host launches as CUDA graphs.
    pub graphs: Graphs,
    /// Whether the model has dropout and keeps its masks.
    pub dropout: bool,
    /// Whether dense MLPs run tile by tile over the sequence, and again in the backward pass
    /// (`TiledMLP`, arXiv 2506.13996).
    pub tiled_mlp: bool,
    /// Whether a gated activation keeps its inputs, gate and up, in 8 bits
    /// (`activation_func_fp8_input_store` of Megatron-Core, `bias_swiglu_impl`).
    pub activation_input_8: bool,
    /// The kernels between the products of recurrent mixers.
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
        activation_input_8: false,
        state: StateKernel::Fused,
        repeated_heads: RepeatedHeads::Default,
    };
}

/// Whether keys and values are copied for the query heads that share them before attention, and
/// kept as copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RepeatedHeads {
    /// The default of the framework's newest release: only for attention without a flash kernel.
    Default,
    /// Always (`repeat_kv` in torchtitan before ff0829c10 of January 2026, and in transformers'
    /// SDPA before 4.48).
    Yes,
    /// Never: the kernel supports shared keys and values (`enable_gqa`).
    No,
}

/// The time at which gradients are reduced over the data-parallel GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradientSync {
    /// The strategy's default: FSDP and ZeRO-2 after every micro-batch, DDP and ZeRO-1 after the
    /// last.
    Default,
    /// After every micro-batch.
    EveryMicroBatch,
    /// Only after the last micro-batch (`no_sync`, `set_requires_gradient_sync(False)`): unsharded
    /// gradients are kept.
    LastMicroBatch,
}

/// Weights that FSDP keeps gathered from the forward to the backward pass when it reshards the
/// layers: the embedding, the final norm and the head are its root unit, or separate units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RootUnit {
    /// The framework's default ([`super::framework::Traits::root_unit`]).
    Default,
    /// None: the root is freed like the layers (FSDP2 with `reshard_after_forward=True` on the
    /// root, since mid-2025).
    Freed,
    /// The root unit (FSDP1's `_post_forward_reshard`; FSDP2 before mid-2025, whatever its
    /// setting).
    Kept,
    /// The root unit and the last layer (torchtitan before July 2025).
    KeptWithLast,
    /// The final norm and the head, a separate unit, as is the embedding (torchtitan 83e694105).
    Head,
}

/// Reduction of gradients, gathered weights, and overlap with compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Communication {
    /// The time at which gradients are reduced.
    pub gradient_sync: GradientSync,
    /// Weights outside the layers that stay gathered.
    pub root_unit: RootUnit,
    /// Whether reductions and gathers overlap with compute (`overlap_grad_reduce`,
    /// `overlap_param_gather`; FSDP always overlaps).
    pub overlap: bool,
}

impl Communication {
    /// The strategy's default, overlapped with compute.
    pub const USUAL: Self = Self { gradient_sync: GradientSync::Default, root_unit: RootUnit::Default, overlap: true };
}

/// Part of the offloaded state on a host's NVMe drives instead of in its memory (ZeRO-Infinity,
/// arXiv 2104.07857).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nvme {
    /// None: all offloaded state is in host memory.
    Nothing,
    /// Optimizer state.
    Optimizer,
    /// Optimizer state and sharded weights.
    All,
}

/// Data that is offloaded to host memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Offload {
    /// Optimizer state, and its update on the host (ZeRO-Offload).
    pub optimizer: bool,
    /// Sharded weights and gradients (FSDP's `CPUOffloadPolicy`).
    pub parameters: bool,
    /// Kept activations.
    pub activations: bool,
    /// Optimizer state in unified memory, which the driver pages out when the GPU is full
    /// (bitsandbytes' `is_paged`).
    pub paged: bool,
    /// Part of the offloaded state on the host's drives.
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

    /// Whether sharded weights are read from the host's drives.
    pub const fn weights_on_drives(&self) -> bool {
        self.parameters && matches!(self.nvme, Nvme::All)
    }

    /// Whether the driver pages the optimizer state; not if the state is offloaded, and therefore
    /// on the host anyway.
    pub const fn pages_state(&self) -> bool {
        self.paged && self.updates_here()
    }
}

/// An allocator's overhead beyond allocated tensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cache {
    /// A constant share of allocated bytes.
    Share(f64),
    /// PyTorch's caching allocator, in which every stream has its own pool: other streams cannot
    /// use memory that a stream has freed.
    Pools {
        /// Reserved bytes of the kernels' pool beyond its peak of allocated bytes, as a share of
        /// the peak.
        cached: f64,
        /// Share of allocated bytes that stays reserved after the allocator has released every
        /// completely free segment.
        lasting: f64,
    },
}
