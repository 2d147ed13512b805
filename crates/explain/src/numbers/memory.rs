//! Explanations of the parts of memory.

use super::super::{Context, Explanation};
use super::{always, is_next_token, number, when};
use engine::model::memory::{Gathered, ReservationLimit, Working};
use engine::units::Bytes;

const SECTION: &str = "docs/book/model/peak.md.";
const ZERO: &str =
    "docs/book/model/states.md; ZeRO (arXiv 1910.02054), section 3.1, and PyTorch FSDP (arXiv 2304.11277).";
const NO_SCALES: &str = "Scales of 8-bit formats, too small to count.";

fn narrow(c: &Context) -> bool {
    c.peak.at_rest.copies > 0.0
}

fn all_train(c: &Context) -> bool {
    c.setup.trained.is_all()
}

const fn dense(c: &Context) -> bool {
    c.peak.stage.params.held.expert <= 0.0
}

fn weights_here(c: &Context) -> bool {
    !c.setup.offload.parameters
}

fn state_here(c: &Context) -> bool {
    c.setup.offload.updates_here() && !pages(c)
}

fn is_uniform(c: &Context) -> bool {
    c.peak.at_rest.optimizer.0 == c.peak.at_rest.optimizer.1
}

fn all_gradients(c: &Context) -> bool {
    weights_here(c) && c.peak.at_rest.reduced_layers.is_none() && !in_turn(c)
}

/// Whether each parameter is updated in the backward pass, as soon as its gradient is complete.
const fn in_turn(c: &Context) -> bool {
    c.peak.at_rest.updating.is_some()
}

fn pages(c: &Context) -> bool {
    c.setup.offload.pages_state()
}

fn some_gradients(c: &Context) -> bool {
    c.peak.at_rest.reduced_layers.is_some()
}

fn copied(c: &Context) -> bool {
    c.peak.unreduced.copied > 0.0
}

fn switched(c: &Context) -> bool {
    c.peak.process.switch_communicators > 0.0
}

fn scratch(c: &Context) -> bool {
    c.peak.activations.workspaces > Bytes::ZERO
}

const fn in_layer(c: &Context) -> bool {
    matches!(c.peak.activations.working, Working::InLayer(_))
}

const fn after_layer(c: &Context) -> bool {
    matches!(c.peak.activations.working, Working::AfterLayer(_))
}

const fn at_loss(c: &Context) -> bool {
    matches!(c.peak.activations.working, Working::Loss(_))
}

const fn in_update(c: &Context) -> bool {
    matches!(c.peak.activations.working, Working::Update(_))
}

fn outgrows(c: &Context) -> bool {
    c.peak.process.alive.outgrown > Bytes::ZERO
}

fn has_base(c: &Context) -> bool {
    c.peak.process.alive.base > Bytes::ZERO
}

fn has_vocabulary(c: &Context) -> bool {
    !c.setup.objective.has_scalar_head()
}

fn waits(c: &Context) -> bool {
    c.peak.logits.waiting > 0.0
}

pub(super) const MEMORY: &[Explanation] = &[
    number(
        "weights",
        "Weights",
        &[
            when(|c| weights_here(c) && all_train(c) && dense(c) && !narrow(c), "M_weights = b_w · P / Z_w"),
            when(
                |c| weights_here(c) && all_train(c) && !dense(c) && !narrow(c),
                "M_weights = b_w · (P / Z_w + P_expert / E_w)",
            ),
            when(
                |c| weights_here(c) && all_train(c) && dense(c) && narrow(c),
                "M_weights = b_w · P / Z_w + b_8 · P_matrix",
            ),
            when(
                |c| weights_here(c) && all_train(c) && !dense(c) && narrow(c),
                "M_weights = b_w · (P / Z_w + P_expert / E_w) + b_8 · (P_matrix + P_expert)",
            ),
            when(
                |c| weights_here(c) && !all_train(c) && dense(c) && !narrow(c),
                "M_weights = (b_w · P_train + b_base · P_base + b_rest · P_rest) / Z_w",
            ),
            when(
                |c| weights_here(c) && !all_train(c) && (!dense(c) || narrow(c)),
                "M_weights = (b_w · P_train + b_base · P_base + b_rest · P_rest) / Z_w + (b_w · X_train + b_base · X_base) / E_w + b_8 · (P_matrix + P_expert)",
            ),
            when(|c| !weights_here(c), "M_weights = 0"),
        ],
        [
            "This GPU’s part of the weights between steps. [DDP], [ZeRO-1] and [ZeRO-2] keep all weights on every GPU, [FSDP] keeps a shard, after tensor and pipeline parallelism divide them. Offloaded parameters are in host memory. Transformer Engine’s 8-bit and 4-bit products keep two additional narrower copies of each matrix. Frozen weights have the format of the base; adapters are additional.",
            ZERO,
            NO_SCALES,
        ],
    ),
    number(
        "gradients",
        "Gradients",
        &[
            when(|c| all_gradients(c) && dense(c), "M_grad = b_g · P_train / Z_g"),
            when(|c| all_gradients(c) && !dense(c), "M_grad = b_g · (P_train / Z_g + X_train / E_g)"),
            when(|c| some_gradients(c) && dense(c), "M_grad = b_g · (l_reduced · L_train + P_head) / Z_g"),
            when(
                |c| some_gradients(c) && !dense(c),
                "M_grad = b_g · ((l_reduced · L_train + P_head) / Z_g + l_reduced · R_train / E_g)",
            ),
            when(|c| weights_here(c) && in_turn(c), "M_grad = b_g · P_turn"),
            when(|c| !weights_here(c), "M_grad = 0"),
        ],
        [
            "Reduced gradients at the moment of the peak. [FSDP] allocates a layer’s shard when it reduces that layer and frees it after the update: few exist early in the backward pass, all of them from the second [micro-batch] on. If the optimizer updates in the backward pass, a gradient is freed after the update of its parameter.",
            ZERO,
            NO_SCALES,
        ],
    ),
    number(
        "optimizer",
        "Optimizer state",
        &[
            when(|c| state_here(c) && dense(c) && is_uniform(c), "M_opt = b_o · P_train / Z_o"),
            when(
                |c| state_here(c) && dense(c) && !is_uniform(c),
                "M_opt = (b_m · W_train + b_o · (P_train − W_train)) / Z_o",
            ),
            when(
                |c| state_here(c) && !dense(c),
                "M_opt = (b_m · W_train + b_o · (P_train − W_train)) / Z_o + b_m · X_train / E_o",
            ),
            when(|c| !state_here(c), "M_opt = 0"),
        ],
        [
            "The optimizer’s moments, and the fp32 copy of 16-bit weights: 8 bytes per parameter with AdamW on fp32 weights, 12 in mixed precision. [ZeRO-1] already shards it. Paged state is [cache]: the part without room on the GPU is in host memory and crosses the link twice in an update.",
            ZERO,
            "Temporary tensors of the update itself: fused and foreach kernels need a little more.",
        ],
    ),
    number(
        "gathered",
        "Gathered weights",
        &[
            when(|c| c.peak.gathered.what == Gathered::Nothing, "M_gathered = 0"),
            when(
                |c| all_train(c) && matches!(c.peak.gathered.what, Gathered::Units(..)),
                "M_gathered = S_root + u · b_l · P_wide",
            ),
            when(
                |c| all_train(c) && matches!(c.peak.gathered.what, Gathered::Grouped(..)),
                "M_gathered = min(S_root + u · b_l · P_wide + (b_c · P_root + l_all · b_l · P_mean) / G, b_c · P_root + l_all · b_l · P_mean)",
            ),
            when(|c| matches!(c.peak.gathered.what, Gathered::Live(_)), "M_gathered = b_live · P_live"),
            when(
                |c| all_train(c) && c.peak.gathered.what == Gathered::All,
                "M_gathered = b_c · P_root + l_all · b_l · P_mean",
            ),
            when(
                |c| !all_train(c) && matches!(c.peak.gathered.what, Gathered::Units(..)),
                "M_gathered = S_root + u · S_unit",
            ),
            when(
                |c| !all_train(c) && matches!(c.peak.gathered.what, Gathered::Grouped(..)),
                "M_gathered = min(S_root + u · S_unit + (S_root + l_all · S_mean) / G, S_root + l_all · S_mean)",
            ),
            when(|c| !all_train(c) && c.peak.gathered.what == Gathered::All, "M_gathered = S_root + l_all · S_mean"),
        ],
        [
            "Whole weights that this GPU holds for compute, in addition to those at rest: under FULL_SHARD, the current layer, the prefetched layer and the embedding and head kept by the root unit; under SHARD_GRAD_OP, all of them. At the loss, FULL_SHARD holds what its root unit keeps: nothing, norm and head, or all three. DeepSpeed’s stage 3 gathers each module separately and keeps those it uses again soon.",
            SECTION,
            "A prefetch of more than one layer, and units that wrap several layers.",
        ],
    ),
    number(
        "unreduced",
        "Unreduced gradients",
        &[
            when(|c| !copied(c), "M_unreduced = b_c · P_computed + b_r · P_reduced"),
            when(copied, "M_unreduced = b_g · P_copied"),
        ],
        [
            "Gradients before their reduction, and the buffers of the reduction: under [FSDP], those of the current layer and of the layer whose [reduce-scatter] runs; under DDP, a second copy in buckets; under ZeRO-2, one bucket; with no_sync, all gradients until the last [micro-batch].",
            SECTION,
            "gradient_as_bucket_view, which saves DDP’s copy, and buckets of other sizes than the default.",
        ],
    ),
    number(
        "activations",
        "Activations",
        &[always("M_act = l_kept · a_kept · n")],
        [
            "Tensors that autograd saves in the forward pass for the backward pass: inputs of norms and products, queries, keys, values, the output of attention. [Activation checkpointing] keeps fewer and recomputes the rest; a pipeline keeps several [micro-batch]es at once.",
            "docs/book/model/activations.md; arXiv 2205.05198, table 2, and PyTorch’s memory tracker.",
            "Implementations that save other tensors: a custom kernel can keep more or less.",
        ],
    ),
    number(
        "working",
        "Working set of a layer",
        &[
            when(|c| !scratch(c) && in_layer(c), "M_work = n · (a_whole − a_saved + a_grad)"),
            when(|c| !scratch(c) && after_layer(c), "M_work = n · a_end"),
            when(|c| !scratch(c) && at_loss(c), "M_work = n · a_loss"),
            when(|c| !scratch(c) && c.peak.activations.working == Working::Nothing, "M_work = 0"),
            when(|c| !scratch(c) && in_update(c), "M_work = b_root · (P_train / Z_o + X_train / E_o)"),
            when(|c| scratch(c) && in_layer(c), "M_work = n · (a_whole − a_saved + a_grad) + M_ws"),
            when(|c| scratch(c) && after_layer(c), "M_work = n · a_end + M_ws"),
            when(|c| scratch(c) && at_loss(c), "M_work = n · a_loss + M_ws"),
            when(|c| scratch(c) && in_update(c), "M_work = b_root · (P_train / Z_o + X_train / E_o) + M_ws"),
            when(|c| scratch(c) && c.peak.activations.working == Working::Nothing, "M_work = M_ws"),
        ],
        [
            "Memory of one layer during its backward pass in addition to its saved activations: recomputed tensors, and gradients of its hidden tensors. If memory peaks at the loss: the final norm’s tensors; if it peaks in the update: the temporaries of foreach. Megatron-Core adds workspaces of matrix products: 32 MiB each from Hopper on, two of PyTorch’s and those of Transformer Engine. A quantized base adds the 16-bit copy of the current matrix.",
            SECTION,
            "Elsewhere workspaces of matrix products, 8 to 32 MiB each.",
        ],
    ),
    number(
        "logits",
        "Logits and loss",
        &[
            when(|c| !waits(c) && has_vocabulary(c), "M_logits = b_logit · n · V / t"),
            when(|c| !has_vocabulary(c), "M_logits = 0"),
            when(|c| waits(c) && has_vocabulary(c), "M_logits = (b_logit + n_wait · b_wait) · n · V / t"),
        ],
        [
            "Scores over the vocabulary for every token, their softmax and its gradient: 12 bytes each with PyTorch’s cross-entropy in fp32, 6 in place as in Megatron-Core, 4 fused, 1.5 in chunks. They exist only at the loss: zero if memory peaks elsewhere.",
            SECTION,
            "Losses over other heads, such as multi-token prediction.",
        ],
    ),
    number(
        "context",
        "CUDA context and NCCL",
        &[
            when(|c| !switched(c), "M_context = M_CUDA + c · M_NCCL"),
            when(switched, "M_context = M_CUDA + c · M_NCCL + c_switch · M_NVLS"),
        ],
        [
            "Memory of the process before the first tensor: CUDA’s context and loaded kernels, NCCL’s buffers for each axis of the mesh, and those of reductions in the node’s switches (NVLS) for groups with more than two GPUs of a node. Accelerators without CUDA have a runtime and a library of collectives, assumed to need as much for lack of measurements.",
            "docs/book/model/peak.md; fitted to published peaks (docs/book/accuracy.md).",
            "More channels and another NCCL_BUFFSIZE change it, and NCCL_NVLS_ENABLE=0 saves the switches’ part.",
        ],
    ),
    number(
        "fragmentation-part",
        "Fragmentation",
        &[when(|c| !has_base(c), "M_frag = λ · M_alloc"), when(has_base, "M_frag = λ · (M_alloc − M_base)")],
        [
            "Gaps between blocks that PyTorch has reserved and can neither use nor release. expandable_segments reduces them.",
            "docs/book/model/peak.md; medians of the simulated allocator over traced steps (docs/book/accuracy.md).",
            "The gaps are a fixed share of allocated memory for each framework, except nanotron, whose held blocks are counted. The figure “memory over one step” simulates them.",
        ],
    ),
    number(
        "cache",
        "Cache",
        &[
            when(
                |c| !pages(c) && c.peak.process.held == ReservationLimit::Reserved && !outgrows(c),
                "M_kept = M_compute + φ · (M_compute − M_base) + M_pools − M_alloc − M_frag",
            ),
            when(
                |c| !pages(c) && c.peak.process.held == ReservationLimit::Reserved && outgrows(c),
                "M_kept = M_compute + φ · (M_compute − M_base) + M_pools + M_outgrown − M_alloc − M_frag",
            ),
            when(
                |c| !pages(c) && c.peak.process.held == ReservationLimit::Capacity && is_next_token(c),
                "M_kept = M_GPU − M_context − M_alloc − M_frag",
            ),
            when(
                |c| !pages(c) && c.peak.process.held == ReservationLimit::Capacity && !is_next_token(c),
                "M_kept = M_GPU − M_context − M_engine − M_alloc − M_frag",
            ),
            when(|c| !pages(c) && c.peak.process.held == ReservationLimit::Needed, "M_kept = 0"),
            when(pages, "M_kept = S_kept + S_state − S_out"),
        ],
        [
            "Memory that PyTorch’s allocator keeps for reuse, and releases if a run would not fit otherwise: mainly blocks that the streams of FSDP’s collectives have freed, which no other stream can use. A step that releases memory is slower. Paged optimizer state counts here too, as everything else can displace it.",
            "docs/book/model/peak.md; medians of the simulated allocator over traced steps (docs/book/accuracy.md).",
            "The share of allocated memory is the same for all runs of a framework; texts of many lengths add blocks too small for longer logits. The figure “memory over one step” simulates them.",
        ],
    ),
];
