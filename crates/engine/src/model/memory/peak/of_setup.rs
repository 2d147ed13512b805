//! Sizes that all stages of a setup share, and activations that all stages with equal blocks share.

use crate::model::layer::Layers;
use crate::model::memory::activations::{self, LayerBytes};
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::software::RootUnit;
use crate::model::states::{
    RecipeBytes, ShardDegrees, expert_padding, expert_shard_degrees, recipe_bytes, shard_degrees,
};
use crate::model::sync::GradientSyncPlan;
use crate::model::training::Sharding;

/// A setup with the sizes that all its stages share.
pub(super) struct OfSetup<'a> {
    pub(super) setup: &'a Setup,
    pub(super) bytes: RecipeBytes,
    /// GPUs over which the state is sharded: of all parameters but routed experts, and of those.
    pub(super) degrees: ShardDegrees,
    pub(super) expert_degrees: ShardDegrees,
    /// Factor by which padding increases the gathered weights of routed experts.
    pub(super) padding: f64,
    /// Tokens of one micro-batch on one GPU.
    pub(super) tokens: f64,
    /// Weights outside the layers that FSDP keeps gathered.
    pub(super) root_unit: RootUnit,
    pub(super) is_fsdp: bool,
    /// Whether the weights are sharded by DeepSpeed's stage 3.
    pub(super) is_deepspeed_zero3: bool,
    /// Whether FSDP's collectives run in this step, each on a stream of its own.
    pub(super) has_streams: bool,
    /// Whether gradients are reduced after the last micro-batch alone.
    pub(super) reduces_once: bool,
    /// Whether FSDP keeps units gathered after their backward pass.
    pub(super) keeps_gathered: bool,
    pub(super) accumulates: bool,
    /// Whether gradients pass the image encoder.
    pub(super) passes_tower: bool,
}

impl<'a> OfSetup<'a> {
    pub(super) fn new(setup: &'a Setup) -> Self {
        let degrees = shard_degrees(setup);
        let sync = GradientSyncPlan::new(setup);
        let (is_fsdp, traits) = (matches!(setup.sharding, Sharding::Fsdp(_)), setup.traits());
        Self {
            setup,
            bytes: recipe_bytes(setup.recipe),
            degrees,
            expert_degrees: expert_shard_degrees(setup),
            padding: expert_padding(setup),
            tokens: per_rank::tokens(setup),
            root_unit: setup.root_unit(),
            is_fsdp,
            is_deepspeed_zero3: is_fsdp && traits.zero_by_deepspeed,
            has_streams: is_fsdp && degrees.weights > 1.0 && traits.shards_by_fsdp,
            reduces_once: !sync.reduce_each,
            keeps_gathered: sync.keeps_gathered,
            accumulates: setup.batch.grad_accum_steps > 1,
            passes_tower: setup.gradients_pass_tower(),
        }
    }
}

/// Activation bytes per token and layer, for all stages with equal blocks.
#[derive(Clone, Copy)]
pub(super) struct OfLayers {
    pub(super) layers: Layers,
    /// The mean layer.
    pub(super) mean: LayerBytes,
    /// The layer in work where memory peaks.
    pub(super) in_work: LayerBytes,
    /// Kept activations of the last layer, over the mean layer.
    pub(super) last_kept: f64,
}

impl OfLayers {
    pub(super) fn new(setup: &Setup, layers: &Layers) -> Self {
        let (arch, element) = (&setup.architecture, recipe_bytes(setup.recipe).activation);
        let mean = activations::layer(setup, element, layers);
        let last_kept = match arch.pattern.last_among(arch.num_hidden_layers) {
            Some(kind) if mean.kept > 0.0 => {
                activations::layer(setup, element, &arch.layers_of_kind(kind)).kept / mean.kept
            }
            _ => 1.0,
        };
        let in_work = activations::in_work(setup, element, layers).unwrap_or(mean);
        Self { layers: *layers, mean, in_work, last_kept }
    }
}
