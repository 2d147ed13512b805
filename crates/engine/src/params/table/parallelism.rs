//! Tensor, context and pipeline parallelism, and the reduction of gradients.

use super::{Group, Param, Unit, choice, count, option, position, switched, unsharded_weights, whole, with_fsdp};
use crate::model::parallel::{ContextExchange, LossParallel, Schedule};
use crate::model::software::{GradientSync, RootUnit};
use crate::scenario::Scenario;

/// For rows about tensor parallelism.
fn with_tp(scenario: &Scenario) -> bool {
    scenario.tp > 1
}

/// For rows about the units that FSDP gathers and frees.
fn by_units(scenario: &Scenario) -> bool {
    with_fsdp(scenario) && scenario.framework.traits().shards_by_fsdp
}

/// For rows about context parallelism.
fn with_cp(scenario: &Scenario) -> bool {
    scenario.cp > 1
}

/// For rows about the pipeline.
fn with_pp(scenario: &Scenario) -> bool {
    scenario.pp > 1
}

/// For rows about the chunks of an interleaved pipeline.
fn with_chunks(scenario: &Scenario) -> bool {
    with_pp(scenario) && scenario.pipeline.schedule == Schedule::Interleaved
}

/// For rows about more than one micro-batch.
fn with_accumulation(scenario: &Scenario) -> bool {
    scenario.grad_accum_steps > 1
}

/// Whether layers are split over GPUs.
fn is_tp_used(scenario: &Scenario) -> bool {
    scenario.degrees().tp > 1
}

/// For rows about head groups within context parallelism.
fn with_mixed_cp(scenario: &Scenario) -> bool {
    scenario.cp > 1 && scenario.context == ContextExchange::Mixed
}

/// Whether sequences are split over GPUs.
fn is_cp_used(scenario: &Scenario) -> bool {
    scenario.degrees().cp > 1
}

/// Whether there is a pipeline.
fn is_pp_used(scenario: &Scenario) -> bool {
    scenario.degrees().pp > 1
}

counted!(
    /// Tensor parallelism.
    TP, Parallelism, tp, "tp", "Tensor parallel", "tensor_parallel_gpus", 1.0..=256.0, [window(1.0, 64.0), knob(is_tp_used)],
    "GPUs that split every layer's matrices (tp; tensor_model_parallel_size in Megatron): usually at most one node."
);
switched!(
    /// Sequence parallelism.
    SEQUENCE_PARALLEL, Parallelism, tensor.sequence_parallel, "sp", "Sequence parallel", "sequence_parallel", [when(with_tp)],
    "Whether tensor parallelism splits norms and residuals along the sequence, which divides their activations by tp too."
);
switched!(
    /// Asynchronous tensor parallelism.
    ASYNC_TP, Parallelism, tensor.asynchronous, "asynctp", "Async TP", "async_tensor_parallel", [when(with_tp)],
    "Whether the collectives of tensor parallelism overlap with its matmuls (async TP in torchtitan, tp-comm-overlap in \
     Megatron)."
);
picked!(
    /// The computation of the loss over a split vocabulary.
    LOSS_PARALLEL, Parallelism, tensor.loss, "lossparallel", "Loss parallel", "loss_parallel", [when(with_tp)],
    "Whether each GPU of a tensor-parallel group computes the loss of its part of the vocabulary, or gathers all logits.",
    LossParallel::Default => "default", "Framework default", "Parallel in torchtitan and Megatron; transformers and DeepSpeed gather all logits.";
    LossParallel::Yes => "yes", "Parallel", "Each GPU has the logits of its part of the vocabulary.";
    LossParallel::No => "no", "Gathered", "Each GPU has all logits of its tokens (disable_loss_parallel).";
);
switched!(
    /// Whether the embedding is split.
    EMBEDDING_TP, Parallelism, tensor.splits_embedding, "embedtp", "Embedding under TP", "tensor_parallel_embedding", [when(with_tp)],
    "Whether tensor parallelism splits the embedding too, as torchtitan and Megatron do. Several other plans leave it whole on every GPU."
);
counted!(
    /// Context parallelism.
    CP, Parallelism, cp, "cp", "Context parallel", "context_parallel_gpus", 1.0..=1024.0, [window(1.0, 64.0), knob(is_cp_used)],
    "GPUs that split every sequence (cp): each holds a part of its tokens and the whole layers."
);
picked!(
    /// The exchange of keys and values.
    CONTEXT_EXCHANGE, Parallelism, context, "cpcomm", "KV exchange", "context_exchange", [when(with_cp)],
    "How the GPUs that share a sequence exchange keys and values.",
    ContextExchange::Ring => "ring", "Ring", "Passed around, beside attention (ring attention).";
    ContextExchange::AllGather => "allgather", "All-gather", "Gathered before attention (Llama 3).";
    ContextExchange::AllToAll => "alltoall", "All-to-all (Ulysses)", "Tokens exchanged for heads: each GPU sees the whole sequence.";
    ContextExchange::Mixed => "mixed", "All-to-all and ring", "Heads exchanged in groups, keys and values passed among them.";
);
counted!(
    /// GPUs that split a sequence by heads.
    SEQUENCE_HEADS, Parallelism, sequence_heads, "cpheads", "GPUs that exchange heads", "context_parallel_head_gpus", 1.0..=1024.0,
    [window(1.0, 64.0), when(with_mixed_cp)],
    "Of the GPUs that share a sequence, those that exchange tokens for heads (the first of hierarchical_context_parallel_sizes in \
     Megatron): at most one for each head; the rest pass keys and values around."
);
counted!(
    /// Pipeline parallelism.
    PP, Parallelism, pp, "pp", "Pipeline stages", "pipeline_stages", 1.0..=512.0, [window(1.0, 64.0), knob(is_pp_used)],
    "Groups of GPUs that each hold a part of the layers (pp). The micro-batches are the gradient accumulation steps."
);
picked!(
    /// The order of passes.
    SCHEDULE, Parallelism, pipeline.schedule, "schedule", "Pipeline schedule", "pipeline_schedule", [when(with_pp)],
    "In which order the stages run forward and backward passes: it sets the bubble, and the activations in flight.",
    Schedule::GPipe => "gpipe", "GPipe", "All forward passes first: every micro-batch is in flight.";
    Schedule::OneForwardOneBackward => "1f1b", "1F1B", "One forward, one backward: at most pp micro-batches in flight.";
    Schedule::Interleaved => "interleaved", "Interleaved 1F1B", "Several chunks of layers on each GPU: a smaller bubble.";
    Schedule::ZeroBubble => "zero-bubble", "Zero bubble (ZB-H1)", "Weight gradients fill a part of the bubble.";
    Schedule::ZeroBubbleV => "zero-bubble-v", "Zero bubble V (ZB-V)", "Two chunks on each GPU, next to no bubble.";
    Schedule::DualPipe => "dualpipe", "DualPipe", "Micro-batches enter at both ends (DeepSeek-V3): two copies of the weights.";
    Schedule::DualPipeV => "dualpipe-v", "DualPipe-V", "The half of it in a V: two chunks on each GPU, one copy of the weights.";
);
counted!(
    /// Chunks of an interleaved pipeline.
    VIRTUAL_STAGES, Parallelism, pipeline.virtual_stages, "vpp", "Virtual stages", "virtual_pipeline_stages", 1.0..=64.0, [when(with_chunks), window(1.0, 16.0)],
    "Chunks of layers on each GPU under interleaved 1F1B."
);
counted!(
    /// Layers of the first stage.
    FIRST_LAYERS, Parallelism, pipeline.first_stage_layers, "firstlayers", "First stage layers", "first_stage_layers", 0.0..=100.0,
    [when(with_pp)], "Layers of the first stage, which holds the embedding too; 0 for an even share."
);
counted!(
    /// Layers of the last stage.
    LAST_LAYERS, Parallelism, pipeline.last_stage_layers, "lastlayers", "Last stage layers", "last_stage_layers", 0.0..=100.0, [when(with_pp)],
    "Layers of the last stage, which holds the output head too; 0 for an even share."
);
picked!(
    /// The time at which gradients are reduced.
    GRADIENT_SYNC, Parallelism, communication.gradient_sync, "sync", "Gradient reduction", "gradient_sync",
    [when(with_accumulation)], "After which micro-batches gradients are reduced over the data-parallel GPUs.",
    GradientSync::Default => "default", "Framework default", "FSDP and ZeRO-2 after each, DDP and ZeRO-1 after the last.";
    GradientSync::EveryMicroBatch => "every", "After each", "Sharded gradients, more traffic.";
    GradientSync::LastMicroBatch => "last", "After the last", "no_sync: less traffic, but whole gradients are kept.";
);
picked!(
    /// Weights outside the layers that FSDP keeps gathered.
    ROOT_UNIT, Parallelism, communication.root_unit, "rootunit", "Root unit", "fsdp_root_unit",
    [when(by_units)], "Which weights outside the layers FSDP keeps gathered from the forward to the backward pass, where it reshards.",
    RootUnit::Default => "default", "Framework default", "torchtitan keeps norm and head, FSDP1 the root unit; Accelerate frees it.";
    RootUnit::Freed => "freed", "Freed", "Nothing: the root unit is freed with the layers.";
    RootUnit::Kept => "kept", "Kept", "Embedding, norm and head are one unit, which stays gathered.";
    RootUnit::KeptWithLast => "kept-with-last", "Kept with the last layer", "The same, and the last layer (torchtitan before July 2025).";
    RootUnit::Head => "head", "Norm and head kept", "Norm and head are one unit, which stays gathered; the embedding is another.";
);
switched!(
    /// Whether gradient communication overlaps with compute.
    OVERLAP, Parallelism, communication.overlap, "overlap", "Overlapped reduction", "overlap_grad_reduce", [when(unsharded_weights)],
    "Whether gradients are reduced and weights gathered while compute runs (overlap_grad_reduce, overlap_param_gather). FSDP \
     always does."
);
