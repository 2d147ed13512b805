//! Notes about features that torchtitan's files cannot express.

pub(in crate::settings) const TITAN_ZERO: &str = "torchtitan has no ZeRO-1 or ZeRO-2; exported as FSDP without resharding, which shards the weights too and gathers them once a micro-batch.";
pub(in crate::settings) const TITAN_RESHARD: &str =
    "torchtitan reshards to the whole group or not at all: \"always\" stands for resharding to a smaller group.";
pub(in crate::settings) const TITAN_REDUCES_32: &str = "torchtitan reduces gradients in fp32 only.";
pub(in crate::settings) const TITAN_AUTOCAST: &str =
    "torchtitan casts whole weights before it gathers them (FSDP2's policy), and by autocast without FSDP alone.";
pub(in crate::settings) const TITAN_FP16: &str =
    "torchtitan trains in bf16 or fp32: the GPU has no bf16, which is emulated.";
pub(in crate::settings) const TITAN_OPTIMIZER: &str =
    "torchtitan builds Adam and AdamW (and Muon for Kimi alone); exported as AdamW.";
pub(in crate::settings) const TITAN_OFFLOAD: &str = "torchtitan offloads no activations.";
pub(in crate::settings) const TITAN_ATTENTION_CORE: &str = "torchtitan does not recompute the attention core alone; its flash attention leaves nothing to drop, and nothing is recomputed here.";
pub(in crate::settings) const TITAN_BUDGET: &str =
    "The share of activations is a memory budget of torch.compile's partitioner, which counts in its own way.";
pub(in crate::settings) const TITAN_FRACTION: &str = "torchtitan keeps a share of the activations only under torch.compile (a memory budget); exported as selective recomputation.";
pub(in crate::settings) const TITAN_CP: &str =
    "torchtitan's context parallelism gathers keys and values (flex attention); it has no ring.";
pub(in crate::settings) const TITAN_ETP: &str =
    "torchtitan has no expert tensor parallelism: experts are split by ep alone.";
pub(in crate::settings) const TITAN_EP: &str = "torchtitan takes expert parallelism from the GPUs of a shard group and its tensor-parallel neighbours: the degree is cut to what divides them.";
pub(in crate::settings) const TITAN_SYNC: &str = "torchtitan reduces FSDP's gradients in every micro-batch.";
pub(in crate::settings) const TITAN_GRAPHS: &str =
    "torchtitan captures whole steps as CUDA graphs, not single layers: they are off here.";
pub(in crate::settings) const TITAN_NO_GRAPHS: &str = "torchtitan captures no CUDA graphs under a pipeline or under expert parallelism with this dispatcher: they are off here.";
pub(in crate::settings) const TITAN_ATTENTION: &str = "torchtitan's attention is flex attention; unfused, early or vendor-tuned kernels are not offered for these models.";
pub(in crate::settings) const TITAN_FP8_GATHER: &str =
    "torchtitan gathers weights in bf16 under its rowwise fp8 recipe.";
pub(in crate::settings) const TITAN_SHAPE: &str = "The model takes the closest of torchtitan's shapes (Llama 3, Qwen 3, DeepSeek V3), which lacks some of its norms, biases, positions, dense or shared parts: parameters differ.";
pub(in crate::settings) const TITAN_SHAPE_TIED: &str =
    "This shape of torchtitan's does not tie the output head to the embedding: it has one of its own.";
pub(in crate::settings) const TITAN_TIED: &str =
    "torchtitan does not tie the output head to the embedding across pipeline stages: it has one of its own.";
pub(in crate::settings) const TITAN_HEADS: &str =
    "torchtitan refuses tensor parallelism that does not divide the key and value heads.";
pub(in crate::settings) const TITAN_WINDOW: &str = "Sliding windows are left out: every layer sees the whole sequence.";
pub(in crate::settings) const TITAN_DORA: &str = "torchtitan has no DoRA; exported as LoRA.";
pub(in crate::settings) const TITAN_RSLORA: &str =
    "torchtitan scales adapters by alpha over rank: alpha holds rsLoRA's root of the rank.";
pub(in crate::settings) const TITAN_KEYS: &str =
    "torchtitan's keys and values share their configuration: keys have adapters too.";
pub(in crate::settings) const TITAN_LORA_DROPOUT: &str = "torchtitan has no dropout before adapters.";
pub(in crate::settings) const TITAN_EMBEDDINGS: &str =
    "torchtitan freezes everything but the adapters: embedding and head are frozen.";
pub(in crate::settings) const TITAN_FROZEN: &str =
    "torchtitan puts adapters beside every layer: a range of layers is not offered.";
pub(in crate::settings) const TITAN_LAYERS: &str =
    "torchtitan has no switch that freezes layers: everything trains with this file.";
pub(in crate::settings) const TITAN_BASE: &str =
    "torchtitan holds frozen weights in the format of the others: they cannot be chosen apart.";
pub(in crate::settings) const TITAN_EXPERTS_LORA: &str =
    "torchtitan's adapters stand beside linear layers: routed experts, one grouped parameter, have none.";
