//! Symbols of memory formulas.

use super::How::{Bytes, Count, Params, Percent, Tokens};
use super::{Symbol, of};
use crate::Context;
use engine::model::memory::{Gathered, SWITCH_BUFFERS, Working};
use engine::model::report::MemoryPart;
use engine::model::software::Cache;

fn part(c: &Context, part: MemoryPart) -> f64 {
    c.report.memory.parts.get(part).get()
}

/// The parts of memory and their sums.
pub(super) const PARTS: &[Symbol] = &[
    of("M_weights", "[weights] at rest", Bytes, |c| part(c, MemoryPart::Weights)),
    of("M_grad", "[gradients] at rest", Bytes, |c| part(c, MemoryPart::Gradients)),
    of("M_opt", "[optimizer state]", Bytes, |c| part(c, MemoryPart::Optimizer)),
    of("M_gathered", "[gathered weights]", Bytes, |c| part(c, MemoryPart::GatheredWeights)),
    of("M_unreduced", "[unreduced gradients]", Bytes, |c| part(c, MemoryPart::UnreducedGradients)),
    of("M_act", "kept [activations]", Bytes, |c| part(c, MemoryPart::Activations)),
    of("M_work", "[working set of a layer]", Bytes, |c| part(c, MemoryPart::WorkingSet)),
    of("M_logits", "[logits and loss]", Bytes, |c| part(c, MemoryPart::Logits)),
    of("M_context", "[CUDA context and NCCL]", Bytes, |c| part(c, MemoryPart::Context)),
    of("M_frag", "[fragmentation|fragmentation-part]", Bytes, |c| part(c, MemoryPart::Fragmentation)),
    of("M_kept", "[cache]", Bytes, |c| part(c, MemoryPart::Cache)),
    of("M_need", "[memory needed]", Bytes, |c| c.report.memory.needed.get()),
    of("M_shown", "what nvidia-smi shows", Bytes, |c| c.report.memory.peak.get()),
    of("M_GPU", "GPU memory that the driver leaves to programs", Bytes, |c| c.report.memory.capacity.get()),
    of("M_free", "free memory", Bytes, |c| c.report.memory.free().get()),
    of("M_missing", "missing memory", Bytes, |c| -c.report.memory.headroom().get()),
    of("M_alloc", "memory of tensors at the peak (max_memory_allocated)", Bytes, |c| c.peak.alive.allocated.get()),
    of("M_base", "frozen weights and [other models|other-models] at rest, loaded once and without gaps", Bytes, |c| {
        c.peak.alive.base.get()
    }),
    of("f_most", "measured over predicted peak, 90th percentile", Count, |c| {
        catalog::accuracy::peak_memory(&c.report).high
    }),
    of("M_high", "upper end of the range of the memory needed", Bytes, |c| {
        catalog::accuracy::peak_memory(&c.report).high * c.report.memory.needed.get()
    }),
];

/// The factors of the parts.
pub(super) const FACTORS: &[Symbol] = &[
    of("P", "parameters on one GPU before sharding, without routed experts", Params, |c| {
        c.peak.stage.params.held.dense()
    }),
    of("P_expert", "parameters of routed experts on one GPU before sharding", Params, |c| {
        c.peak.stage.params.held.experts()
    }),
    of("P_matrix", "matrices inside the layers, without routed experts", Params, |c| {
        c.peak.stage.params.held.layers * c.peak.stage.params.held.layer_matrices
    }),
    of("P_train", "trained parameters, without routed experts", Params, |c| c.peak.stage.params.trained.dense()),
    of("X_train", "trained parameters of routed experts", Params, |c| c.peak.stage.params.trained.experts()),
    of("W_train", "trained parameters in matrices of the layers, without routed experts", Params, |c| {
        c.peak.stage.params.trained.layers * c.peak.stage.params.trained.layer_matrices
    }),
    of("L_train", "trained parameters of one layer, without routed experts", Params, |c| {
        c.peak.stage.params.trained.layer
    }),
    of("R_train", "trained parameters of one layer’s routed experts, mean over the layers", Params, |c| {
        c.peak.stage.params.trained.expert
    }),
    of("P_base", "frozen parameters in matrices of the layers, without routed experts", Params, |c| {
        let frozen = c.peak.stage.params.frozen();
        frozen.layers * frozen.layer_matrices
    }),
    of("P_rest", "other frozen parameters: embedding, head, norms", Params, |c| {
        let frozen = c.peak.stage.params.frozen();
        frozen.dense() - frozen.layers * frozen.layer_matrices
    }),
    of("X_base", "frozen parameters of routed experts", Params, |c| c.peak.stage.params.frozen().experts()),
    of("b_base", "bytes of a frozen matrix’s weight, including scales", Count, |c| c.peak.frozen.matrices),
    of("b_rest", "bytes of another frozen parameter", Count, |c| c.peak.frozen.others),
    of("S_root", "embedding, head and their norms, as gathered", Bytes, |c| c.peak.gathered_units[0]),
    of("S_unit", "one layer as gathered, base and adapters", Bytes, |c| c.peak.gathered_units[1]),
    of("S_mean", "one layer as gathered, mean over the layers", Bytes, |c| c.peak.gathered_units[2]),
    of("b_live", "bytes of a weight gathered by module", Count, |c| c.peak.live_bytes),
    of("P_unit", "parameters of one layer on one GPU, with its experts", Params, |c| {
        c.peak.stage.params.held.layer + c.peak.stage.params.held.expert_unit
    }),
    of("P_wide", "parameters of one layer on one GPU as gathered, with its experts and padding", Params, |c| {
        c.peak.stage.params.held.padded_layer(c.peak.padding)
    }),
    of("P_mean", "parameters of one layer as gathered, mean over the layers", Params, |c| {
        c.peak.stage.params.held.layer + c.peak.padding * c.peak.stage.params.held.expert
    }),
    of("P_root", "parameters outside the layers: embedding, head, norms", Params, |c| c.peak.stage.params.held.root),
    of("P_computed", "parameters whose gradients are not yet reduced", Params, |c| c.peak.unreduced.computed),
    of("P_reduced", "parameters whose gradients are in a reduction buffer", Params, |c| c.peak.unreduced.reduced),
    of("P_copied", "parameters whose gradients are copied into buckets", Params, |c| c.peak.unreduced.copied),
    of("b_w", "bytes of a weight at rest in the recipe", Count, |c| c.peak.bytes.weights),
    of("b_8", "bytes of a matrix element in its narrower copies", Count, |c| c.peak.copies),
    of("b_g", "bytes of a gradient at rest in the recipe", Count, |c| c.peak.bytes.gradients),
    of("b_c", "bytes of a weight in compute", Count, |c| c.peak.bytes.gathered),
    of("b_l", "bytes of a layer’s weight as gathered", Count, |c| c.peak.gathered_layer),
    of("b_r", "bytes of a gradient as reduced", Count, |c| c.peak.bytes.reduced),
    of("b_m", "bytes of optimizer state for a matrix element", Count, |c| c.peak.optimizer.0),
    of("b_o", "bytes of optimizer state for another parameter", Count, |c| c.peak.optimizer.1),
    of("Z_w", "GPUs that share the weights", Count, |c| c.peak.degrees.weights),
    of("Z_g", "GPUs that share the gradients", Count, |c| c.peak.degrees.gradients),
    of("Z_o", "GPUs that share the optimizer state", Count, |c| c.peak.degrees.optimizer),
    of("E_w", "GPUs that share an expert’s weights", Count, |c| c.peak.expert_degrees.weights),
    of("E_g", "GPUs that share an expert’s gradients", Count, |c| c.peak.expert_degrees.gradients),
    of("E_o", "GPUs that share an expert’s optimizer state", Count, |c| c.peak.expert_degrees.optimizer),
    of("P_turn", "parameters on this GPU whose gradients wait for their update", Params, |c| {
        c.peak.updating.unwrap_or_default()
    }),
    of("S_state", "this GPU’s paged optimizer state", Bytes, |c| c.peak.pages[0].get()),
    of("S_kept", "memory that PyTorch’s allocator caches", Bytes, |c| {
        (c.report.memory.cache() - c.peak.pages[1]).get()
    }),
    of("S_out", "part of it in host memory", Bytes, |c| (c.peak.pages[0] - c.peak.pages[1]).get()),
    of("l_reduced", "layers whose gradients are already reduced", Count, |c| c.peak.reduced_layers.unwrap_or_default()),
    of("P_head", "parameters of the final norm and the head, if their gradients are already reduced", Params, |c| {
        c.peak.reduced_head
    }),
    of("l_all", "layers on the GPU", Count, |c| c.peak.stage.params.held.layers),
    of("u", "layers gathered: the current one and the prefetched one", Count, |c| match c.peak.gathered {
        Gathered::Units(_, units) | Gathered::Grouped(_, units, _) => units,
        Gathered::Nothing | Gathered::All | Gathered::Live(_) => 0.0,
    }),
    of("P_live", "parameters gathered by module: in use, prefetched, or soon used again", Params, |c| {
        match c.peak.gathered {
            Gathered::Live(params) => params,
            _ => 0.0,
        }
    }),
    of("G", "GPUs of the smaller group to which weights are resharded", Count, |c| match c.peak.gathered {
        Gathered::Grouped(_, _, group) => group,
        _ => 1.0,
    }),
    of("l_kept", "layers whose activations are kept, over all micro-batches in flight", Count, |c| c.peak.layers_kept),
    of("a_kept", "bytes that one layer keeps for a token", Bytes, |c| c.peak.kept),
    of("n", "tokens of one micro-batch on this GPU", Tokens, |c| c.peak.tokens),
    of("a_whole", "bytes that the current layer produces for a token", Bytes, |c| in_layer(c, 0)),
    of("a_saved", "part of them already kept", Bytes, |c| in_layer(c, 1)),
    of("a_grad", "bytes of gradients in addition", Bytes, |c| in_layer(c, 2)),
    of("a_end", "bytes of gradients for a token at the end of a layer’s backward pass", Bytes, |c| {
        match c.peak.working {
            Working::AfterLayer(bytes) => bytes,
            _ => 0.0,
        }
    }),
    of("a_loss", "bytes for a token at the loss: the final norm’s tensors", Bytes, |c| match c.peak.working {
        Working::Loss(bytes) => bytes,
        _ => 0.0,
    }),
    of("b_root", "bytes of the root of a second moment, which foreach computes for all at once", Count, |c| {
        match c.peak.working {
            Working::Update(bytes) => bytes,
            _ => 0.0,
        }
    }),
    of("M_ws", "workspaces of matrix products and the 16-bit copy of a quantized matrix", Bytes, |c| {
        c.peak.workspaces.get()
    }),
    of("b_logit", "bytes of one logit in the loss", Count, |c| c.peak.per_logit),
    of("b_wait", "bytes that the loss keeps for a logit until its backward pass", Count, |c| c.peak.per_waiting),
    of("n_wait", "micro-batches before their backward pass", Count, |c| c.peak.waiting),
    of("t", "GPUs of tensor parallelism, which share the vocabulary", Count, |c| f64::from(c.setup.mesh.tp)),
    of("M_CUDA", "CUDA context and libraries", Bytes, |c| c.setup.overheads.context.get()),
    of("M_NCCL", "buffers of one communicator", Bytes, |c| c.setup.overheads.per_communicator.get()),
    of("M_NVLS", "buffers of one communicator for reductions in switches", Bytes, |_| SWITCH_BUFFERS.get()),
    of("c_switch", "communicators with more than two GPUs in a node with reducing switches", Count, |c| {
        c.peak.switch_communicators
    }),
    of("c", "communicators: axes of the mesh with more than one GPU", Count, |c| c.peak.communicators),
    of("φ", "share that the compute stream’s pool reserves beyond its peak of tensors", Percent, |c| {
        match c.peak.cache {
            Cache::Share(share) | Cache::Pools { cached: share, .. } => share,
        }
    }),
    of("λ", "share that the allocator holds beyond tensors and cannot release", Percent, |c| match c.peak.cache {
        Cache::Share(share) | Cache::Pools { lasting: share, .. } => share,
    }),
    of("M_compute", "peak of tensors in the compute stream’s pool", Bytes, |c| c.peak.alive.compute.get()),
    of(
        "M_pools",
        "pools of FSDP’s collectives: two units gathered alternately, the shards of all gradients",
        Bytes,
        |c| c.peak.alive.pools.get(),
    ),
    of("M_outgrown", "blocks of shorter micro-batches’ logits, too small for longer ones", Bytes, |c| {
        c.peak.alive.outgrown.get()
    }),
];

/// Returns activations of the layer being computed: all activations, those kept, or their
/// gradients.
fn in_layer(c: &Context, which: u8) -> f64 {
    match (c.peak.working, which) {
        (Working::InLayer(bytes), 0) => bytes.whole,
        (Working::InLayer(bytes), 1) => bytes.kept,
        (Working::InLayer(bytes), _) => bytes.gradients,
        _ => 0.0,
    }
}
