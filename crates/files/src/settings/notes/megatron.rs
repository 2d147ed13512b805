//! Notes about features that Megatron-LM's flags cannot express.

pub(in crate::settings) const MEGATRON_RESHARDS: &str =
    "Megatron-FSDP always reshards after the forward pass: SHARD_GRAD_OP is not offered.";
pub(in crate::settings) const MEGATRON_NO_GROUP: &str = "Megatron-FSDP reshards to the whole group only.";
pub(in crate::settings) const MEGATRON_SCHEDULE: &str =
    "Megatron-LM runs 1F1B, interleaved where chunks are asked for: GPipe and zero-bubble schedules are not offered.";
pub(in crate::settings) const MEGATRON_ROUNDS: &str =
    "Interleaved 1F1B wants micro-batches in rounds of the stages: Megatron-LM refuses these at the first step.";
pub(in crate::settings) const MEGATRON_OVERLAP_SP: &str =
    "Overlap of tensor parallelism needs sequence parallelism: it is left out.";
pub(in crate::settings) const MEGATRON_EXPERTS_SP: &str =
    "Megatron-LM trains no experts under tensor parallelism without --sequence-parallel.";
pub(in crate::settings) const MEGATRON_ACROSS: &str = "Overlapping the experts' exchange with another micro-batch needs 16 bits, expert parallelism, no full recomputation of layers or experts and, in a pipeline, interleaving: it is left out.";
pub(in crate::settings) const MEGATRON_SYNC: &str =
    "When gradients are reduced is fixed: after every micro-batch under Megatron-FSDP, else after the last.";
pub(in crate::settings) const MEGATRON_MASTER: &str =
    "Megatron keeps 16-bit weights beside an fp32 copy, where FSDP2 has fp32 shards alone.";
pub(in crate::settings) const MEGATRON_PURE: &str =
    "Megatron keeps an fp32 copy of the weights and fp32 moments: states all in bf16 are not offered.";
pub(in crate::settings) const MEGATRON_AUTOCAST: &str =
    "Megatron casts weights once a step and not on use: 16-bit weights stand beside an fp32 copy.";
pub(in crate::settings) const MEGATRON_ADAFACTOR: &str = "Megatron-LM has no Adafactor; exported as Adam.";
pub(in crate::settings) const MEGATRON_FSDP_OPTIMIZER: &str = "Megatron-FSDP takes Adam or SGD; exported as Adam.";
pub(in crate::settings) const MEGATRON_OFFLOAD: &str =
    "Megatron-LM offloads optimizer state and activations, not parameters.";
pub(in crate::settings) const MEGATRON_OFFLOAD_ACTIVATIONS: &str =
    "Activations are offloaded where they are kept: under full recomputation nothing is.";
pub(in crate::settings) const MEGATRON_OFFLOAD_DDP: &str =
    "Offloading the optimizer works best with the distributed optimizer, which plain data parallelism lacks.";
pub(in crate::settings) const MEGATRON_SELECTIVE: &str =
    "Selective recomputation goes by module here: norms and MLP activations are recomputed, attention is kept.";
pub(in crate::settings) const MEGATRON_LINEAR: &str =
    "Megatron-LM's fused cross-entropy takes whole logits: fusing it with the head is left to the model's code.";
pub(in crate::settings) const MEGATRON_LOGITS: &str =
    "Megatron-LM's cross-entropy works in place on one fp32 copy of the logits: nobody keeps another.";
pub(in crate::settings) const MEGATRON_MODULE_GROUPED: &str =
    "Megatron-LM recomputes the experts' activation between grouped products alone: it is kept here.";
pub(in crate::settings) const MEGATRON_MODULE_DELAYED: &str = "Under delayed scaling, which an optimizer on the host asks for, Megatron-LM recomputes neither norms nor the experts' activation: they are kept here.";
pub(in crate::settings) const MEGATRON_COMPILE: &str = "Megatron-LM fuses with kernels of its own and torch.compile for small functions: the model is not compiled as a whole.";
pub(in crate::settings) const MEGATRON_EXPERT_BIAS: &str =
    "Megatron-LM refuses biases in experts together with expert tensor parallelism.";
pub(in crate::settings) const MEGATRON_GRAPHS: &str =
    "CUDA graphs of layers do not go together with full recomputation: they are left out.";
pub(in crate::settings) const MEGATRON_FP8_GATHER: &str =
    "Gathering in fp8 needs the distributed optimizer or FSDP: it is left out.";
pub(in crate::settings) const MEGATRON_SHAPE: &str =
    "Some of the model's norms or biases have no flag: parameters differ.";
pub(in crate::settings) const MEGATRON_ADAPTERS: &str = "Megatron-LM's pretrain_gpt.py has no adapters: everything trains with these flags. LoRA and DoRA are in Megatron-Bridge, in Python (megatron.bridge.peft).";
pub(in crate::settings) const MEGATRON_LAYERS: &str =
    "Megatron-LM's pretrain_gpt.py freezes no layers: everything trains with these flags.";
pub(in crate::settings) const MEGATRON_BASE: &str =
    "Frozen weights in a format of their own are not offered: they are stored as the others.";
