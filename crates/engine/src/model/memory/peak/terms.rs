//! Factors of each memory part at the peak, for explanations.

use super::inputs::PeakInputs;
use super::logits::{bytes_kept_per_logit, live_bytes_per_logit, logits};
use super::point::{Peak, Point};
use super::{
    Alive, Gathered, ReservationLimit, Unreduced, communicators, context, dequantized, most_needy,
    switch_communicators, within, workspaces,
};
use crate::model::memory::activations::LayerBytes;
use crate::model::memory::engine::engine_beside_training;
use crate::model::memory::other_models::OtherModels;
use crate::model::per_rank;
use crate::model::report::PeakMoment;
use crate::model::setup::Setup;
use crate::model::software::Cache;
use crate::model::stages::{Stage, stages};
use crate::model::states::moments::moment_bytes;
use crate::model::states::{
    self, FrozenBytes, RecipeBytes, ShardDegrees, expert_shard_degrees, gathered_layer_bytes, recipe_bytes,
    shard_degrees,
};
use crate::units::Bytes;

/// Working memory at the peak, in bytes per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Working {
    /// No working memory.
    Nothing,
    /// At the loss: the final norm's tensors, and those of an upcasting norm.
    Loss(f64),
    /// In a layer's backward pass.
    InLayer(LayerBytes),
    /// At the end of a layer's backward pass: the bytes of an element of an activation.
    AfterLayer(f64),
    /// In the update: the bytes of temporaries per parameter of the sharded optimizer state.
    Update(f64),
}

/// The factors of the parts of the peak, on the stage that needs most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakTerms {
    /// The stage that needs most.
    pub stage: Stage,
    /// The moment of the peak.
    pub moment: PeakMoment,
    /// Bytes per parameter.
    pub bytes: RecipeBytes,
    /// Bytes of optimizer state per parameter: of matrices, and of all other parameters.
    pub optimizer: (f64, f64),
    /// Bytes per matrix parameter of copies of the weights in narrower formats.
    pub copies: f64,
    /// Bytes per frozen parameter at rest.
    pub frozen: FrozenBytes,
    /// Bytes per parameter of a layer as gathered.
    pub gathered_layer: f64,
    /// Bytes per parameter that is gathered module by module.
    pub live_bytes: f64,
    /// Gathered bytes of the root unit, of one layer and of the mean layer.
    pub gathered_units: [f64; 3],
    /// Factor by which padding increases the gathered weights of routed experts.
    pub padding: f64,
    /// GPUs over which the state is sharded.
    pub degrees: ShardDegrees,
    /// GPUs over which the state of routed experts is sharded.
    pub expert_degrees: ShardDegrees,
    /// Layers whose gradients are at rest; `None` if all gradients are, including those of the root
    /// unit.
    pub reduced_layers: Option<f64>,
    /// Parameters of the head whose gradients are at rest before those of the root unit.
    pub reduced_head: f64,
    /// Parameters with gradients that are alive until their own update; `None` if all parameters
    /// are updated at once.
    pub updating: Option<f64>,
    /// Bytes of optimizer state that the driver pages: all pages, and those on the GPU.
    pub pages: [Bytes; 2],
    /// Gathered weights.
    pub gathered: Gathered,
    /// Gradients that are not reduced yet.
    pub unreduced: Unreduced,
    /// Tokens of one micro-batch on this GPU.
    pub tokens: f64,
    /// Layers with kept activations, including other micro-batches in flight.
    pub layers_kept: f64,
    /// Bytes per token that one layer keeps.
    pub kept: f64,
    /// Working memory.
    pub working: Working,
    /// Workspaces of matrix products, and the 16-bit copy of the current quantized matrix.
    pub workspaces: Bytes,
    /// Logits on this GPU, in one micro-batch.
    pub logits: f64,
    /// Bytes per logit at the peak.
    pub per_logit: f64,
    /// Losses of other micro-batches that are kept for their backward pass, if all forward passes
    /// run first.
    pub waiting: f64,
    /// Bytes per logit of the losses of other micro-batches.
    pub per_waiting: f64,
    /// Communicators.
    pub communicators: f64,
    /// Communicators that can reduce in switches.
    pub switch_communicators: f64,
    /// The allocator's overhead beyond allocated tensors.
    pub cache: Cache,
    /// Models besides the trained one.
    pub models: OtherModels,
    /// Memory of the image encoder: at rest, gathered, activations.
    pub tower: [Bytes; 3],
    /// Allocated bytes, by the categories that matter to the allocator.
    pub alive: Alive,
    /// The quantity that determines the allocator's reserved bytes.
    pub held: ReservationLimit,
}

impl PeakTerms {
    /// Returns the factors of [`super::peak`].
    pub fn new(setup: &Setup) -> Self {
        let setup = setup.at_longest();
        Self::for_stage(&setup, most_needy(&setup, &stages(&setup)).stage)
    }

    fn for_stage(setup: &Setup, stage: &Stage) -> Self {
        let inputs = PeakInputs::new(setup, stage, &stage.params);
        let peak = inputs.peak();
        let Peak { point, moment, .. } = peak;
        let bytes = recipe_bytes(setup.recipe);
        let tokens = per_rank::tokens(setup);
        let layers = inputs.params.held.layers;
        let working = match point {
            Point::Gather | Point::Loss => Working::Loss(inputs.at_loss / tokens),
            Point::InLayer(left) => {
                let layer = inputs.in_work;
                let (gradients, kept) = (inputs.in_layer / tokens, layer.whole - inputs.working(left) / tokens);
                Working::InLayer(LayerBytes { kept, gradients, ..layer })
            }
            Point::AfterLayer(_) => Working::AfterLayer(inputs.end_of_layer / tokens),
            Point::Update if inputs.in_update > 0.0 => Working::Update(moment_bytes(setup)),
            Point::Start | Point::Embedding | Point::Tower | Point::Root | Point::Update => Working::Nothing,
        };
        let in_passes = !matches!(point, Point::Root | Point::Update);
        let (cache, context, alive) = (inputs.cache(setup, stage, &peak), context(setup), inputs.alive(setup, &peak));
        let capacity = setup.accelerator.usable_memory() - context - engine_beside_training(setup);
        let (_, held) = within(capacity, cache.needed(&alive), cache.reserved(&alive));
        let all_first = setup.forwards_first() && in_passes;
        Self {
            stage: *stage,
            moment,
            bytes,
            optimizer: states::optimizer_bytes(setup),
            copies: states::copy_bytes(setup),
            frozen: FrozenBytes::at_rest(setup),
            gathered_layer: gathered_layer_bytes(setup),
            live_bytes: inputs.live_bytes,
            gathered_units: [
                match inputs.what_is_gathered(point) {
                    Gathered::Units(root, _) | Gathered::Grouped(root, _, _) => root,
                    _ => inputs.gathered_root,
                },
                inputs.gathered_layer,
                if layers > 0.0 { (inputs.gathered_all - inputs.gathered_root) / layers } else { 0.0 },
            ],
            padding: states::expert_padding(setup),
            degrees: shard_degrees(setup),
            expert_degrees: expert_shard_degrees(setup),
            reduced_layers: inputs.reduced_layers(point),
            reduced_head: inputs.reduced_head(point),
            updating: inputs.updating(point),
            pages: {
                let paged = states::paged(setup, &stage.params);
                [paged, paged - super::evicted(setup, stage)]
            },
            gathered: inputs.what_is_gathered(point),
            unreduced: inputs.unreduced_params(point),
            tokens,
            layers_kept: inputs.layers_kept(point),
            kept: inputs.kept / tokens,
            working,
            workspaces: workspaces(setup)
                + if matches!(point, Point::InLayer(_)) { dequantized(setup) } else { Bytes::ZERO },
            logits: logits(setup, stage),
            per_logit: match point {
                Point::Loss => live_bytes_per_logit(setup),
                Point::Gather if inputs.half_logits > 0.0 => bytes.activation,
                _ => 0.0,
            },
            waiting: if all_first { stage.in_flight - 1.0 } else { 0.0 },
            per_waiting: bytes_kept_per_logit(setup.kernels.loss),
            communicators: communicators(setup),
            switch_communicators: switch_communicators(setup),
            cache,
            models: OtherModels::new(setup, stage),
            tower: inputs.tower_bytes(point),
            alive,
            held,
        }
    }
}
