//! How the model is trained: batch, sharding, recomputation, precision.

/// What data parallelism shards, in PyTorch's and DeepSpeed's terms (model.md section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharding {
    /// Nothing: every replica keeps everything (`DDP`, `NO_SHARD`).
    Ddp,
    /// The optimizer state (ZeRO-1, Megatron's distributed optimizer).
    Zero1,
    /// The optimizer state and the gradients (ZeRO-2).
    Zero2,
    /// Weights, gradients and optimizer state (ZeRO-3, FSDP); `reshard` says what becomes of gathered weights.
    Fsdp(Reshard),
}

/// What FSDP does with a unit's gathered weights after its forward pass (`reshard_after_forward`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reshard {
    /// Frees them and gathers them again for the backward pass (`True`, `FULL_SHARD`).
    Always,
    /// Keeps them until the backward pass (`False`, `SHARD_GRAD_OP`).
    Never,
    /// Reshards them over a smaller group of this many GPUs, inside the node where it fits (an integer).
    To(u32),
}

/// The data-parallel mesh; its axes multiply to the number of GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mesh {
    /// Replicas of the sharded state (`dp_replicate`).
    pub dp_replicate: u32,
    /// GPUs over which the state is sharded (`dp_shard`), placed innermost.
    pub dp_shard: u32,
}

impl Mesh {
    /// All GPUs.
    pub fn gpus(&self) -> u32 {
        self.dp_replicate.saturating_mul(self.dp_shard)
    }
}

/// Which activations are thrown away in the forward pass and recomputed in the backward pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recompute {
    /// Keep all.
    None,
    /// Keep attention and every second matrix product, recompute the rest (torchtitan, per operator).
    Selective,
    /// Keep each layer's input only.
    Full,
    /// Keep this share γ of the activations between full recomputation (0) and none (1).
    Fraction(f64),
}

/// Which number formats hold the state (model.md section 3's table).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// FSDP2 mixed precision: sharded fp32 weights, gathered in bf16, reduced in fp32.
    Fsdp2MixedBf16,
    /// The same, with gradients reduced in bf16 (`reduce_dtype=torch.bfloat16`).
    Fsdp2MixedBf16Reduce16,
    /// DeepSpeed ZeRO mixed precision: 16-bit weights and gradients, fp32 copy and moments.
    ZeroMixed,
    /// Megatron mixed precision: 16-bit weights, fp32 gradients, fp32 copy and moments.
    MegatronMixed,
    /// Everything in bf16.
    PureBf16,
    /// Everything in fp32.
    Fp32,
}

/// Which score pairs attention computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionMask {
    /// Only the past: flash attention executes about half of the score matrix.
    Causal,
    /// Every pair.
    Full,
}

/// Which FLOPs the MFU counts (model.md section 2).
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
