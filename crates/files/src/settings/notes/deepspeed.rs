//! Notes about features that DeepSpeed's files cannot express.

pub(in crate::settings) const DS_PIPELINE: &str = "A DeepSpeed pipeline is built in code, PipelineModule(layers, num_stages=...): \"stages\" here only repeats its size, and micro-batches are the gradient accumulation steps.";
pub(in crate::settings) const DS_PIPELINE_ZERO: &str =
    "DeepSpeed's pipeline does not run with ZeRO-2 or ZeRO-3; exported as ZeRO-1.";
pub(in crate::settings) const DS_SCHEDULE: &str = "DeepSpeed's pipeline runs 1F1B only.";
pub(in crate::settings) const DS_STAGES: &str =
    "Uneven stages are asked for in code (PipelineModule's partition_method).";
pub(in crate::settings) const DS_ZERO1_GROUP: &str = "DeepSpeed shards ZeRO-1 over all replicas, not in groups.";
pub(in crate::settings) const DS_SHARD_GRAD_OP: &str = "DeepSpeed has no SHARD_GRAD_OP: ZeRO-3 with limits that keep gathered weights until the backward pass comes closest.";
pub(in crate::settings) const DS_HYBRID: &str = "DeepSpeed has no HYBRID_SHARD since MiCS was removed; exported as ZeRO-3 with hpZ, which gathers inside the group for the backward pass, and shards states over all GPUs.";
pub(in crate::settings) const DS_TP: &str =
    "Tensor parallelism is AutoTP, which splits the layers of models that it knows.";
pub(in crate::settings) const DS_NO_SP: &str = "AutoTP does not split norms and residuals along the sequence.";
pub(in crate::settings) const DS_ULYSSES: &str = "Context parallelism is Ulysses: heads are exchanged by all-to-all, keys and values are neither passed around a ring nor gathered.";
pub(in crate::settings) const DS_EP: &str =
    "Expert parallelism is AutoEP, which replaces the expert layers of models that it knows.";
pub(in crate::settings) const DS_DISPATCHER: &str =
    "Tokens are sent by a collective all-to-all: AutoEP's DeepEP backend (\"comm_backend\") needs a build of its own.";
pub(in crate::settings) const DS_MASTER: &str =
    "DeepSpeed keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.";
pub(in crate::settings) const DS_PURE: &str = "States in bf16 need ZeRO: without it DeepSpeed keeps an fp32 copy.";
pub(in crate::settings) const DS_8BIT: &str =
    "8-bit AdamW is passed as a client optimizer (bitsandbytes); exported as AdamW.";
pub(in crate::settings) const DS_OFFLOAD: &str = "Offloading the optimizer needs ZeRO: it is left out.";
pub(in crate::settings) const DS_OFFLOAD_PARAMETERS: &str = "Offloading parameters needs ZeRO-3: it is left out.";
pub(in crate::settings) const DS_NVME: &str =
    "DeepSpeed offloads to NVMe under stage 3 alone: the optimizer state is in host memory.";
pub(in crate::settings) const DS_OFFLOAD_ACTIVATIONS: &str =
    "DeepSpeed offloads the inputs of checkpointed layers only: without recomputation there is nothing to offload.";
pub(in crate::settings) const DS_RECOMPUTE: &str = "Recomputation is switched on in the model (gradient_checkpointing_enable, deepspeed.checkpointing): the section here says how it stores what it keeps.";
pub(in crate::settings) const DS_RECOMPUTE_MODE: &str =
    "Recomputation goes by whole layers: a selective policy or a share of them is chosen in code.";
pub(in crate::settings) const DS_SYNC: &str = "When gradients are reduced follows the ZeRO stage: after every micro-batch for stages 2 and 3, after the last for the others (engine.no_sync() changes that for stages 0 and 1).";
pub(in crate::settings) const DS_FP8: &str =
    "DeepSpeed has no 8- or 4-bit products for training: convert the model with torchao or Transformer Engine.";
pub(in crate::settings) const DS_COMPILE: &str = "Call engine.compile() after initialisation: there is no key for it.";
pub(in crate::settings) const DS_INIT: &str =
    "The model is made whole on every rank unless it is made under deepspeed.zero.Init().";
