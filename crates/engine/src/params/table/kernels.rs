//! The software that executes the step.

use super::architecture::recurrent::has_recurrent_layers;
use super::{Group, Param, choice, option, position, switched};
use crate::model::framework::Layers;
use crate::model::software::{
    AttentionKernel, Framework, Graphs, Loss, NormKernel, RepeatedHeads, Segments, StateKernel,
};
use crate::model::training::ComputeFormat;
use crate::scenario::Scenario;

/// For rows about layers of PyTorch.
fn by_pytorch(scenario: &Scenario) -> bool {
    scenario.framework.traits().layers != Layers::Own
}

picked!(
    /// The framework.
    FRAMEWORK, Kernels, framework, "framework", "Framework", "framework", [],
    "The training framework: it decides what is fused, launched and buffered.",
    Framework::Torchtitan => "pytorch", "torchtitan (FSDP2)", "PyTorch's FSDP2, fully_shard, on models of its own.";
    Framework::Transformers => "transformers", "Hugging Face Trainer / TRL / Accelerate (FSDP2)",
        "The models of transformers on FSDP2.";
    Framework::Fsdp1 => "fsdp1", "PyTorch FSDP1 (Composer, Accelerate)", "FullyShardedDataParallel, flat parameters.";
    Framework::DeepSpeed => "deepspeed", "DeepSpeed ZeRO", "Its buckets, prefetch and live parameters.";
    Framework::Megatron => "megatron", "Megatron-Core", "With Transformer Engine; NeMo.";
    Framework::MegatronFsdp => "megatron-fsdp", "Megatron-FSDP", "Megatron-Core sharded by --use-megatron-fsdp.";
    Framework::MegatronLegacy => "megatron-legacy", "Megatron-LM of 2021", "And Megatron-DeepSpeed: few fused kernels.";
    Framework::Nanotron => "nanotron", "nanotron", "Hugging Face's 3D-parallel trainer.";
    Framework::MaxText => "maxtext", "JAX, MaxText", "XLA: one program a step, weights gathered product by product.";
);
switched!(
    /// The MLP in tiles.
    TILED_MLP, Kernels, kernels.tiled_mlp, "tiledmlp", "Tiled MLP", "tiled_mlp", [],
    "Whether dense MLPs run over tiles of the sequence, each of about as many tokens as the model is wide, and again in the backward pass \
     (TiledMLP in DeepSpeed and ALST): what lies between their products exists for one tile only."
);
switched!(
    /// `torch.compile`.
    COMPILE, Kernels, kernels.compile, "compile", "torch.compile", "compile", [],
    "Whether torch.compile fuses the element-wise work of each layer."
);
picked!(
    /// CUDA graphs.
    GRAPHS, Kernels, kernels.graphs, "graphs", "CUDA graphs", "cuda_graphs", [],
    "What the host launches at once: launching kernels one by one slows small models and small experts down.",
    Graphs::None => "none", "None", "Kernel by kernel.";
    Graphs::Layers => "layers", "Layers", "But their routed experts (cuda_graph_scope in Megatron).";
    Graphs::Step => "step", "Whole step", "full_iteration in Megatron.";
);
picked!(
    /// The attention kernel.
    ATTENTION_KERNEL, Kernels, kernels.attention, "attnkernel", "Attention kernel", "attention_kernel", [],
    "How attention is computed: flash attention never writes the scores to memory.",
    AttentionKernel::Unfused => "unfused", "Unfused", "Scores and softmax in memory.";
    AttentionKernel::FlashFirst => "flash-1", "FlashAttention-1, Triton", "The first flash kernels, of 2022 and 2023.";
    AttentionKernel::Flash => "flash", "FlashAttention-2, SDPA", "The instructions of Ampere, on newer GPUs too.";
    AttentionKernel::FlashTuned => "flash-tuned", "FlashAttention-3/4, cuDNN, TE", "Tuned to the GPU; on Ampere FlashAttention-2.";
    AttentionKernel::Flash8bit => "flash-fp8", "FP8 attention", "cuDNN's under Transformer Engine (fp8_dpa), from Hopper on.";
);
picked!(
    /// The kernels of recurrent mixers.
    STATE_KERNEL, Kernels, kernels.state, "statekernel", "State kernels", "state_kernel", [relevant(has_recurrent_layers)],
    "How state mixers run between their products: without the packages that have kernels for them, Hugging Face's own code writes every \
     step of the scan to memory and keeps it for the backward pass.",
    StateKernel::Fused => "fused", "Fused", "Those of mamba-ssm, causal-conv1d and flash-linear-attention.";
    StateKernel::Eager => "eager", "Operator by operator", "PyTorch's own, where these packages are not installed.";
);
picked!(
    /// The loss.
    LOSS, Kernels, kernels.loss, "loss", "Loss", "loss_kernel", [],
    "How the cross-entropy over the vocabulary is computed: with a large one, logits can be the peak of memory.",
    Loss::Standard => "standard", "Standard", "fp32 logits, log-softmax and gradient in memory.";
    Loss::KeptLogits => "kept", "fp32, the trainer keeps the logits", "The same, beside the 16-bit logits that it refers to.";
    Loss::Fp32Logits => "fp32-logits", "The model returns fp32 logits", "The same, beside fp32 logits that the trainer keeps.";
    Loss::Bf16 => "bf16", "bf16 cross-entropy", "Logits, log-softmax and gradient in 16 bits.";
    Loss::Bf16Kept => "bf16-kept", "bf16, the trainer keeps the logits", "The same, beside the logits that it refers to.";
    Loss::Fused => "fused", "Fused", "16-bit logits, overwritten by their gradient.";
    Loss::Chunked => "chunked", "Chunked", "Head and loss a part of the tokens at a time.";
    Loss::FusedLinear => "fused-linear", "Fused with the head", "Liger, cut cross-entropy: the logits never exist whole.";
    Loss::Tiled => "tiled", "Tiled", "Head and loss over tiles of the sequence with 1 GiB of logits (ALST).";
);
picked!(
    /// Whether keys and values are copied for the query heads that share them.
    REPEATED_HEADS, Kernels, kernels.repeated_heads, "repeatkv", "Repeated KV heads", "repeated_kv_heads", [when(by_pytorch)],
    "Whether keys and values are copied for the query heads that share them before attention, and kept so.",
    RepeatedHeads::Default => "default", "Framework default", "As its newest release does: only without a flash kernel.";
    RepeatedHeads::Yes => "yes", "Repeated", "torchtitan before 2026, transformers before 4.48 with SDPA.";
    RepeatedHeads::No => "no", "As they are", "The kernel reads one head for several queries (enable_gqa).";
);
picked!(
    /// The norms.
    NORM_KERNEL, Kernels, kernels.norms, "normkernel", "Norms", "norm_kernel", [],
    "How norms are computed.",
    NormKernel::Fused => "fused", "Fused", "One kernel that keeps its input.";
    NormKernel::Upcast => "upcast", "Upcast to fp32", "Hugging Face's LlamaRMSNorm: keeps fp32 copies.";
);
switched!(
    /// Dropout.
    DROPOUT, Kernels, kernels.dropout, "dropout", "Dropout", "dropout", [],
    "Whether activations are dropped at random, whose masks take memory (GPT-2, GPT-3)."
);
picked!(
    /// The format of matrix products.
    COMPUTE, Kernels, compute_format, "compute", "Matmuls", "compute_format", [],
    "The format of the layers' matmuls.",
    ComputeFormat::AsPolicy => "recipe", "The precision's format", "bf16, or fp32.";
    ComputeFormat::Fp8 => "fp8", "fp8",
        "Cast before each product: Transformer Engine's DelayedScaling, Float8CurrentScaling, Float8BlockScaling and MXFP8BlockScaling; \
         torchao's tensorwise, rowwise, rowwise_with_gw_hp and mxfp8_rceil.";
    ComputeFormat::Fp8Gather => "fp8-gather", "fp8, gathered too",
        "The same with weights gathered in 8 bits: fp8_param_gather of Megatron, enable_fsdp_float8_all_gather under torchao's tensorwise.";
    ComputeFormat::Fp4 => "fp4", "fp4", "NVFP4: Transformer Engine's NVFP4BlockScaling, torchao's nvfp4_training.";
);
picked!(
    /// The allocator's segments.
    SEGMENTS, Kernels, segments, "segments", "Allocator segments", "allocator_segments", [],
    "How PyTorch's caching allocator takes memory from the driver: what it cannot reuse for another size stays reserved (fragmentation).",
    Segments::Fixed => "fixed", "Fixed", "Blocks are cut out of segments of fixed size, PyTorch's default.";
    Segments::Expandable => "expandable", "Expandable", "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
);
