//! Symbols of memory formulas.

use super::ValueFormat::{Bytes, Count, Params, Percent, Tokens};
use super::{Symbol, new_symbol};
use crate::Context;
use engine::model::memory::{Gathered, SWITCH_BUFFERS, Working};
use engine::model::report::MemoryPart;
use engine::model::software::Cache;

fn part(c: &Context, part: MemoryPart) -> f64 {
    c.report.memory.parts.get(part).get()
}

/// The parts of memory and their sums.
pub(super) const PARTS: &[Symbol] = &[
    new_symbol("M_weights", "[weights] at rest", Bytes, |c| part(c, MemoryPart::Weights)),
    new_symbol("M_grad", "[gradients] at rest", Bytes, |c| part(c, MemoryPart::Gradients)),
    new_symbol("M_opt", "[optimizer state]", Bytes, |c| part(c, MemoryPart::Optimizer)),
    new_symbol("M_gathered", "[gathered weights]", Bytes, |c| part(c, MemoryPart::GatheredWeights)),
    new_symbol("M_unreduced", "[unreduced gradients]", Bytes, |c| part(c, MemoryPart::UnreducedGradients)),
    new_symbol("M_act", "kept [activations]", Bytes, |c| part(c, MemoryPart::Activations)),
    new_symbol("M_work", "[working set of a layer]", Bytes, |c| part(c, MemoryPart::WorkingSet)),
    new_symbol("M_logits", "[logits and loss]", Bytes, |c| part(c, MemoryPart::Logits)),
    new_symbol("M_context", "[CUDA context and NCCL]", Bytes, |c| part(c, MemoryPart::Context)),
    new_symbol("M_frag", "[fragmentation|fragmentation-part]", Bytes, |c| part(c, MemoryPart::Fragmentation)),
    new_symbol("M_kept", "[cache]", Bytes, |c| part(c, MemoryPart::Cache)),
    new_symbol("M_need", "[memory needed]", Bytes, |c| c.report.memory.needed.get()),
    new_symbol("M_shown", "what nvidia-smi shows", Bytes, |c| c.report.memory.peak.get()),
    new_symbol("M_GPU", "GPU memory that the driver leaves to programs", Bytes, |c| c.report.memory.capacity.get()),
    new_symbol("M_free", "free memory", Bytes, |c| c.report.memory.free().get()),
    new_symbol("M_missing", "missing memory", Bytes, |c| -c.report.memory.headroom().get()),
    new_symbol("P_fit", "odds that the run fits", Percent, |c| c.report.odds()),
    new_symbol("M_alloc", "memory of tensors at the peak (max_memory_allocated)", Bytes, |c| {
        c.peak.process.alive.allocated.get()
    }),
    new_symbol(
        "M_base",
        "frozen weights and [other models|other-models] at rest, loaded once and without gaps",
        Bytes,
        |c| c.peak.process.alive.base.get(),
    ),
    new_symbol("f_most", "measured over predicted peak, 90th percentile", Count, |c| {
        catalog::accuracy::peak_memory(&c.report).high
    }),
    new_symbol("M_high", "upper end of the range of the memory needed", Bytes, |c| {
        catalog::accuracy::peak_memory(&c.report).high * c.report.memory.needed.get()
    }),
];

/// The factors of the parts.
pub(super) const FACTORS: &[Symbol] = &[
    new_symbol("P", "parameters on one GPU before sharding, without routed experts", Params, |c| {
        c.peak.stage.params.held.dense()
    }),
    new_symbol("P_expert", "parameters of routed experts on one GPU before sharding", Params, |c| {
        c.peak.stage.params.held.experts()
    }),
    new_symbol("P_matrix", "matrices inside the layers, without routed experts", Params, |c| {
        c.peak.stage.params.held.layers * c.peak.stage.params.held.layer_matrices
    }),
    new_symbol("P_train", "trained parameters, without routed experts", Params, |c| {
        c.peak.stage.params.trained.dense()
    }),
    new_symbol("X_train", "trained parameters of routed experts", Params, |c| c.peak.stage.params.trained.experts()),
    new_symbol("W_train", "trained parameters in matrices of the layers, without routed experts", Params, |c| {
        c.peak.stage.params.trained.layers * c.peak.stage.params.trained.layer_matrices
    }),
    new_symbol("L_train", "trained parameters of one layer, without routed experts", Params, |c| {
        c.peak.stage.params.trained.layer
    }),
    new_symbol("R_train", "trained parameters of one layer’s routed experts, mean over the layers", Params, |c| {
        c.peak.stage.params.trained.expert
    }),
    new_symbol("P_base", "frozen parameters in matrices of the layers, without routed experts", Params, |c| {
        let frozen = c.peak.stage.params.frozen();
        frozen.layers * frozen.layer_matrices
    }),
    new_symbol("P_rest", "other frozen parameters: embedding, head, norms", Params, |c| {
        let frozen = c.peak.stage.params.frozen();
        frozen.dense() - frozen.layers * frozen.layer_matrices
    }),
    new_symbol("X_base", "frozen parameters of routed experts", Params, |c| c.peak.stage.params.frozen().experts()),
    new_symbol("b_base", "bytes of a frozen matrix’s weight, including scales", Count, |c| {
        c.peak.at_rest.frozen.matrices
    }),
    new_symbol("b_rest", "bytes of another frozen parameter", Count, |c| c.peak.at_rest.frozen.others),
    new_symbol("S_root", "embedding, head and their norms, as gathered", Bytes, |c| c.peak.gathered.units[0]),
    new_symbol("S_unit", "one layer as gathered, base and adapters", Bytes, |c| c.peak.gathered.units[1]),
    new_symbol("S_mean", "one layer as gathered, mean over the layers", Bytes, |c| c.peak.gathered.units[2]),
    new_symbol("b_live", "bytes of a weight gathered by module", Count, |c| c.peak.gathered.live_bytes),
    new_symbol("P_unit", "parameters of one layer on one GPU, with its experts", Params, |c| {
        c.peak.stage.params.held.layer + c.peak.stage.params.held.expert_unit
    }),
    new_symbol("P_wide", "parameters of one layer on one GPU as gathered, with its experts and padding", Params, |c| {
        c.peak.stage.params.held.padded_layer(c.peak.gathered.padding)
    }),
    new_symbol("P_mean", "parameters of one layer as gathered, mean over the layers", Params, |c| {
        c.peak.stage.params.held.layer + c.peak.gathered.padding * c.peak.stage.params.held.expert
    }),
    new_symbol("P_root", "parameters outside the layers: embedding, head, norms", Params, |c| {
        c.peak.stage.params.held.root
    }),
    new_symbol("P_computed", "parameters whose gradients are not yet reduced", Params, |c| c.peak.unreduced.computed),
    new_symbol("P_reduced", "parameters whose gradients are in a reduction buffer", Params, |c| {
        c.peak.unreduced.reduced
    }),
    new_symbol("P_copied", "parameters whose gradients are copied into buckets", Params, |c| c.peak.unreduced.copied),
    new_symbol("b_w", "bytes of a weight at rest in the recipe", Count, |c| c.peak.bytes.weights),
    new_symbol("b_8", "bytes of a matrix element in its narrower copies", Count, |c| c.peak.at_rest.copies),
    new_symbol("b_g", "bytes of a gradient at rest in the recipe", Count, |c| c.peak.bytes.gradients),
    new_symbol("b_c", "bytes of a weight in compute", Count, |c| c.peak.bytes.gathered),
    new_symbol("b_l", "bytes of a layer’s weight as gathered", Count, |c| c.peak.gathered.per_param),
    new_symbol("b_r", "bytes of a gradient as reduced", Count, |c| c.peak.bytes.reduced),
    new_symbol("b_m", "bytes of optimizer state for a matrix element", Count, |c| c.peak.at_rest.optimizer.0),
    new_symbol("b_o", "bytes of optimizer state for another parameter", Count, |c| c.peak.at_rest.optimizer.1),
    new_symbol("Z_w", "GPUs that share the weights", Count, |c| c.peak.at_rest.degrees.weights),
    new_symbol("Z_g", "GPUs that share the gradients", Count, |c| c.peak.at_rest.degrees.gradients),
    new_symbol("Z_o", "GPUs that share the optimizer state", Count, |c| c.peak.at_rest.degrees.optimizer),
    new_symbol("E_w", "GPUs that share an expert’s weights", Count, |c| c.peak.at_rest.expert_degrees.weights),
    new_symbol("E_g", "GPUs that share an expert’s gradients", Count, |c| c.peak.at_rest.expert_degrees.gradients),
    new_symbol("E_o", "GPUs that share an expert’s optimizer state", Count, |c| {
        c.peak.at_rest.expert_degrees.optimizer
    }),
    new_symbol("P_turn", "parameters on this GPU whose gradients wait for their update", Params, |c| {
        c.peak.at_rest.updating.unwrap_or_default()
    }),
    new_symbol("S_state", "this GPU’s paged optimizer state", Bytes, |c| c.peak.at_rest.pages[0].get()),
    new_symbol("S_kept", "memory that PyTorch’s allocator caches", Bytes, |c| {
        (c.report.memory.cache() - c.peak.at_rest.pages[1]).get()
    }),
    new_symbol("S_out", "part of it in host memory", Bytes, |c| {
        (c.peak.at_rest.pages[0] - c.peak.at_rest.pages[1]).get()
    }),
    new_symbol("l_reduced", "layers whose gradients are already reduced", Count, |c| {
        c.peak.at_rest.reduced_layers.unwrap_or_default()
    }),
    new_symbol(
        "P_head",
        "parameters of the final norm and the head, if their gradients are already reduced",
        Params,
        |c| c.peak.at_rest.reduced_head,
    ),
    new_symbol("l_all", "layers on the GPU", Count, |c| c.peak.stage.params.held.layers),
    new_symbol("u", "layers gathered: the current one and the prefetched one", Count, |c| match c.peak.gathered.what {
        Gathered::Units(_, units) | Gathered::Grouped(_, units, _) => units,
        Gathered::Nothing | Gathered::All | Gathered::Live(_) => 0.0,
    }),
    new_symbol("P_live", "parameters gathered by module: in use, prefetched, or soon used again", Params, |c| match c
        .peak
        .gathered
        .what
    {
        Gathered::Live(params) => params,
        _ => 0.0,
    }),
    new_symbol("G", "GPUs of the smaller group to which weights are resharded", Count, |c| {
        match c.peak.gathered.what {
            Gathered::Grouped(_, _, group) => group,
            _ => 1.0,
        }
    }),
    new_symbol("l_kept", "layers whose activations are kept, over all micro-batches in flight", Count, |c| {
        c.peak.activations.layers_kept
    }),
    new_symbol("a_kept", "bytes that one layer keeps for a token", Bytes, |c| c.peak.activations.kept),
    new_symbol("n", "tokens of one micro-batch on this GPU", Tokens, |c| c.peak.activations.tokens),
    new_symbol("a_whole", "bytes that the current layer produces for a token", Bytes, |c| in_layer(c, 0)),
    new_symbol("a_saved", "part of them already kept", Bytes, |c| in_layer(c, 1)),
    new_symbol("a_grad", "bytes of gradients in addition", Bytes, |c| in_layer(c, 2)),
    new_symbol("a_end", "bytes of gradients for a token at the end of a layer’s backward pass", Bytes, |c| {
        match c.peak.activations.working {
            Working::AfterLayer(bytes) => bytes,
            _ => 0.0,
        }
    }),
    new_symbol("a_loss", "bytes for a token at the loss: the final norm’s tensors", Bytes, |c| {
        match c.peak.activations.working {
            Working::Loss(bytes) => bytes,
            _ => 0.0,
        }
    }),
    new_symbol("b_root", "bytes of the root of a second moment, which foreach computes for all at once", Count, |c| {
        match c.peak.activations.working {
            Working::Update(bytes) => bytes,
            _ => 0.0,
        }
    }),
    new_symbol("M_ws", "workspaces of matrix products and the 16-bit copy of a quantized matrix", Bytes, |c| {
        c.peak.activations.workspaces.get()
    }),
    new_symbol("b_logit", "bytes of one logit in the loss", Count, |c| c.peak.logits.per_logit),
    new_symbol("b_wait", "bytes that the loss keeps for a logit until its backward pass", Count, |c| {
        c.peak.logits.per_waiting
    }),
    new_symbol("n_wait", "micro-batches before their backward pass", Count, |c| c.peak.logits.waiting),
    new_symbol("t", "GPUs of tensor parallelism, which share the vocabulary", Count, |c| f64::from(c.setup.mesh.tp)),
    new_symbol("M_CUDA", "CUDA context and libraries", Bytes, |c| c.setup.overheads.context.get()),
    new_symbol("M_NCCL", "buffers of one communicator", Bytes, |c| c.setup.overheads.per_communicator.get()),
    new_symbol("M_NVLS", "buffers of one communicator for reductions in switches", Bytes, |_| SWITCH_BUFFERS.get()),
    new_symbol("c_switch", "communicators with more than two GPUs in a node with reducing switches", Count, |c| {
        c.peak.process.switch_communicators
    }),
    new_symbol("c", "communicators: axes of the mesh with more than one GPU", Count, |c| c.peak.process.communicators),
    new_symbol("φ", "share that the compute stream’s pool reserves beyond its peak of tensors", Percent, |c| match c
        .peak
        .process
        .cache
    {
        Cache::Share(share) | Cache::Pools { cached: share, .. } => share,
    }),
    new_symbol("λ", "share that the allocator holds beyond tensors and cannot release", Percent, |c| {
        match c.peak.process.cache {
            Cache::Share(share) | Cache::Pools { lasting: share, .. } => share,
        }
    }),
    new_symbol("M_compute", "peak of tensors in the compute stream’s pool", Bytes, |c| {
        c.peak.process.alive.compute.get()
    }),
    new_symbol(
        "M_pools",
        "pools of FSDP’s collectives: two units gathered alternately, the shards of all gradients",
        Bytes,
        |c| c.peak.process.alive.pools.get(),
    ),
    new_symbol("M_outgrown", "blocks of shorter micro-batches’ logits, too small for longer ones", Bytes, |c| {
        c.peak.process.alive.outgrown.get()
    }),
];

/// Returns activations of the layer being computed: all activations, those kept, or their
/// gradients.
fn in_layer(c: &Context, which: u8) -> f64 {
    match (c.peak.activations.working, which) {
        (Working::InLayer(bytes), 0) => bytes.whole,
        (Working::InLayer(bytes), 1) => bytes.kept,
        (Working::InLayer(bytes), _) => bytes.gradients,
        _ => 0.0,
    }
}
