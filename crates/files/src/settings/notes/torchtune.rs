//! Notes about features that torchtune's files cannot express.

pub(in crate::settings) const TUNE_MODEL: &str = "torchtune has no builder for this model; exported as Llama 3.1's general one with this shape, and tokenizer and checkpoint are placeholders.";
pub(in crate::settings) const TUNE_SHAPE: &str =
    "Some of the model's norms, biases, ties or positions are not Llama 3.1's: parameters differ.";
pub(in crate::settings) const TUNE_EXPERTS: &str =
    "torchtune 0.6 has no mixtures of experts: the layers are dense here, and expert parallelism is left out.";
pub(in crate::settings) const TUNE_RSLORA: &str =
    "torchtune scales adapters by alpha over rank: alpha holds rsLoRA's root of the rank.";
pub(in crate::settings) const TUNE_FROZEN: &str =
    "torchtune puts adapters beside every layer: a range of layers is not offered.";
pub(in crate::settings) const TUNE_EMBEDDINGS: &str =
    "torchtune's recipes for adapters train nothing else: embedding and head are frozen.";
pub(in crate::settings) const TUNE_NF4: &str = "torchtune's NF4 is torchao's, whose scales are always quantized too.";
pub(in crate::settings) const TUNE_LAYERS: &str =
    "torchtune's recipes freeze no layers: everything trains with this file.";
pub(in crate::settings) const TUNE_BASE: &str = "torchtune quantizes a frozen base to NF4 alone; exported as 16 bits.";
pub(in crate::settings) const TUNE_SHARDS: &str = "torchtune's distributed recipes shard by FSDP2 over all GPUs, to the whole group or not at all: other strategies are not offered.";
pub(in crate::settings) const TUNE_REPLICAS: &str =
    "torchtune shards over all GPUs: there are no replicas of a shard group.";
pub(in crate::settings) const TUNE_PIPELINE: &str = "torchtune runs no pipeline: its stages are left out.";
pub(in crate::settings) const TUNE_CONTEXT: &str = "torchtune 0.6 has no context parallelism: it is left out.";
pub(in crate::settings) const TUNE_TP: &str =
    "torchtune's recipes for adapters have no tensor parallelism: it is left out.";
pub(in crate::settings) const TUNE_SP: &str =
    "torchtune's plan of tensor parallelism decides by itself how norms are split.";
pub(in crate::settings) const TUNE_FORMAT: &str =
    "torchtune holds weights, gradients and optimizer state in one format (dtype): there are no fp32 copies.";
pub(in crate::settings) const TUNE_FP16: &str =
    "torchtune's recipes refuse fp16; exported as fp32, as the GPU has no bf16.";
pub(in crate::settings) const TUNE_PAGED: &str =
    "bitsandbytes' paged AdamW and 8-bit AdamW run on one GPU here: state stays on the GPU.";
pub(in crate::settings) const TUNE_IN_BACKWARD: &str =
    "torchtune's recipes for adapters update after the backward pass.";
pub(in crate::settings) const TUNE_OPTIMIZER: &str =
    "The optimizer is any class that can be imported; one that does not shard reliably is exported as PyTorch's AdamW.";
pub(in crate::settings) const TUNE_RECOMPUTE: &str =
    "Whole layers are recomputed, all of them: a share or a policy by operator is not offered with adapters.";
pub(in crate::settings) const TUNE_ATTENTION: &str = "torchtune's attention is PyTorch's scaled_dot_product_attention (flex attention for packed data): its kernel is PyTorch's choice.";
pub(in crate::settings) const TUNE_OFFLOAD: &str =
    "torchtune offloads activations together with recomputation: it is left out.";
pub(in crate::settings) const TUNE_SYNC: &str = "torchtune reduces gradients in every micro-batch.";
pub(in crate::settings) const TUNE_FP8: &str = "torchtune 0.6 has no 8- or 4-bit products.";
pub(in crate::settings) const TUNE_NORMS: &str = "torchtune's RMSNorm casts to fp32 and back in one function.";
pub(in crate::settings) const TUNE_DROPOUT: &str =
    "Dropout of attention is an argument of the general builders alone (attn_dropout): it is 0.";
pub(in crate::settings) const TUNE_WHOLE: &str =
    "torchtune's last checkpoint is always whole: sharded ones are those in between (enable_async_checkpointing).";
