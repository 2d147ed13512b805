//! One GPU's part of the model: the split of weights and tokens by tensor, context and pipeline
//! parallelism.

use super::adapters;
use super::layer::{self, Block, Layers};
use super::setup::Setup;
use super::transformer::Architecture;
use super::transformer::pattern::{LayerKind, Mlp};
use super::unit_params::Units;

/// The parameters of one GPU before data parallelism shards them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalParams {
    /// All parameters on the GPU, including adapters.
    pub held: Units,
    /// Trained parameters, averaged over all layers.
    pub trained: Units,
    /// Layers below the lowest trained one, which gradients do not reach.
    pub below: f64,
    /// Size of the larger neighbour of the largest layer, as a share of the largest layer's
    /// parameters.
    pub neighbour: f64,
}

impl LocalParams {
    /// Returns the frozen parameters.
    pub fn frozen(&self) -> Units {
        self.held.minus(&self.trained)
    }
}

/// Returns the parameters on each GPU of a stage of `layers` layers with these `blocks`,
/// optionally with embedding and head: matrices divided by tp, routed experts by ep and etp, norms
/// and routers whole. A tied head on a stage without the embedding is a copy of it.
///
/// ```
/// # use engine::model::stages::stages;
/// let setup = catalog::default_scenario().setup();
/// // On one stage without tensor parallelism: the model.
/// assert_eq!(stages(&setup).first.params.held.all(), setup.architecture.params() as f64);
/// ```
pub fn params(setup: &Setup, layers: u32, blocks: &Layers, embedding: bool, head: bool) -> LocalParams {
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let LayerParams { matrices, norms } = LayerParams::new(setup, blocks);
    let (mut expert, mut expert_unit) = (0.0, 0.0);
    if blocks.have_experts() && layers > 0 {
        expert_unit = arch.routed_params_per_layer() as f64 / f64::from(setup.mesh.expert_group());
        expert = blocks.experts() * expert_unit;
    }
    let table = arch.embedding_params() as f64 / tp;
    let outer_norms = arch.outer_norm_params() as f64;
    let final_norm = arch.norm_params() as f64;
    let own_head = !(arch.tie_word_embeddings && embedding);
    let beside = arch.position_params() as f64 + (outer_norms - final_norm);
    let embedded = if setup.tensor.splits_embedding { table } else { table * tp };
    let before = if embedding { embedded + beside + beside_tables(arch, tp) } else { 0.0 };
    let head_biases = arch.head_bias_params() as f64 / tp;
    let has_scalar_head = setup.objective.has_scalar_head();
    // A module that predicts further tokens also needs the embedding.
    let mtp = if setup.mtp > 0 {
        let copy = if embedding { 0.0 } else { table };
        copy + arch.mtp_projection_params() as f64 / tp
    } else {
        0.0
    };
    let after = match head {
        // One output instead of the vocabulary.
        true if has_scalar_head => final_norm + f64::from(arch.hidden_size),
        true => final_norm + head_biases + if own_head { table } else { 0.0 } + mtp,
        false => 0.0,
    };
    let own_head = own_head && !has_scalar_head;
    let Largest { unit, neighbour } = largest_layer(setup, matrices + norms, expert_unit);
    let model = Units {
        layers: f64::from(layers),
        layer: matrices + norms,
        layer_matrices: matrices,
        unit,
        expert,
        expert_unit,
        root: before + after,
        head: if head && !has_scalar_head { table } else { 0.0 },
    };
    if setup.trained.is_all() {
        return LocalParams { held: model, trained: model, below: 0.0, neighbour };
    }
    // A smaller embedding trains no more than it has.
    let trained_table = table + beside_tables(arch, tp).min(0.0);
    let tables = if embedding { trained_table } else { 0.0 } + if head && own_head { table } else { 0.0 };
    LocalParams { neighbour, ..with_trained(setup, model, blocks, tables) }
}

/// Returns the parameters outside the layers that no field of the architecture describes, on a GPU
/// with the embedding: whole, except that a negative number, a smaller embedding, is split like the
/// embedding.
fn beside_tables(arch: &Architecture, tp: f64) -> f64 {
    let extra = arch.extra_outer_params() as f64;
    if extra < 0.0 { extra / tp } else { extra }
}

/// Parameters of one layer on one GPU without its routed experts, averaged over layers.
struct LayerParams {
    /// Matrices, with their biases and the vectors of mixers.
    matrices: f64,
    /// Norms.
    norms: f64,
}

impl LayerParams {
    fn new(setup: &Setup, layers: &Layers) -> Self {
        let arch = &setup.architecture;
        let tp = f64::from(setup.mesh.tp.max(1));
        let blocks =
            layers.sum(|block| if block == Block::Routed { 0.0 } else { layer::params_on_gpu(arch, block, tp) });
        // Parameters that are missing may be those of experts, which are on other GPUs.
        let extra = arch.extra_layer_params() as f64 / f64::from(arch.num_hidden_layers.max(1)) / tp;
        let outer = f64::from(arch.norms_per_layer) * arch.norm_params() as f64;
        let inner = arch.attention_norm_params() as f64;
        Self { matrices: (blocks + extra).max(0.0), norms: outer + layers.blocks(Block::Attention) * inner }
    }
}

/// The largest layer on one GPU.
struct Largest {
    /// The layer's parameters, without routed experts.
    unit: f64,
    /// Parameters of the larger neighbour, including experts, as a share of this layer's.
    neighbour: f64,
}

/// Returns the largest layer on one GPU, of those with experts (`experts` parameters) if there are
/// any; `mean` if layers only differ in their experts.
fn largest_layer(setup: &Setup, mean: f64, experts: f64) -> Largest {
    let arch = &setup.architecture;
    if !arch.pattern.is_used() {
        return Largest { unit: mean, neighbour: 1.0 };
    }
    let size = |kind: LayerKind| {
        let layer = arch.layers_of_kind(kind);
        let LayerParams { matrices, norms } = LayerParams::new(setup, &layer);
        (matrices + norms, layer.experts() * experts)
    };
    let all = |(layer, experts): (f64, f64)| layer + experts;
    let larger = |most: (LayerKind, (f64, f64)), next: (LayerKind, (f64, f64))| {
        if all(next.1) > all(most.1) { next } else { most }
    };
    let kinds = arch
        .pattern
        .distinct_among(arch.num_hidden_layers)
        .filter(|kind| kind.mlp == Mlp::Experts || !arch.has_experts());
    let Some((kind, most)) = kinds.map(|kind| (kind, size(kind))).reduce(larger) else {
        return Largest { unit: mean, neighbour: 1.0 };
    };
    let beside = arch.pattern.kinds_next_to(kind).map(|kind| all(size(kind)));
    let beside = beside.fold(0.0, |most, size| if size > most { size } else { most });
    Largest { unit: most.0, neighbour: if all(most) > 0.0 { beside / all(most) } else { 1.0 } }
}

/// Returns the parameters of a GPU with the trained ones: adapters in addition to the model, or
/// some of its layers, and embedding and head (of `tables` parameters) if they are trained.
fn with_trained(setup: &Setup, model: Units, blocks: &Layers, tables: f64) -> LocalParams {
    let trained = &setup.trained;
    let frozen_layers = f64::from(trained.frozen_layers);
    let frozen_layers = if frozen_layers < model.layers { frozen_layers } else { model.layers };
    let share = if model.layers > 0.0 { 1.0 - frozen_layers / model.layers } else { 0.0 };
    // Gradients pass every layer on their way to the embedding, or to images.
    let below = if trained.embeddings || setup.gradients_reach_images() { 0.0 } else { frozen_layers };
    let root = if trained.embeddings { tables } else { 0.0 };
    let head = if trained.embeddings { model.head } else { 0.0 };
    if !trained.has_adapters() {
        return LocalParams {
            held: model,
            trained: Units { root, head, ..model.scale_layers(share) },
            below,
            neighbour: 1.0,
        };
    }
    let adapters = adapters::layer_adapter_params(setup, blocks);
    let beside = Units { root, head, layers: model.layers, ..adapters }.scale_layers(share);
    // PEFT trains a copy of the modules to save and keeps the original.
    let copies = if setup.traits().peft_adapters { root } else { 0.0 };
    let held = Units {
        layer: model.layer + beside.layer,
        layer_matrices: model.layer_matrices + beside.layer_matrices,
        unit: model.unit + beside.unit,
        expert: model.expert + beside.expert,
        expert_unit: model.expert_unit + beside.expert_unit,
        root: model.root + copies,
        ..model
    };
    LocalParams { held, trained: beside, below, neighbour: 1.0 }
}

/// Returns the tokens that one GPU processes in one micro-batch, T = `micro_batch_size seq_len /
/// cp`.
pub fn tokens(setup: &Setup) -> f64 {
    f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len) / f64::from(setup.mesh.cp.max(1))
}

/// Returns the share of norms and residuals on one GPU: 1/tp with sequence parallelism, otherwise
/// 1.
pub fn sequence_share(setup: &Setup) -> f64 {
    if setup.tensor.sequence_parallel { 1.0 / f64::from(setup.mesh.tp.max(1)) } else { 1.0 }
}
