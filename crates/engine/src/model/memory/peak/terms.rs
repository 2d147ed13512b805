//! The factors of every part of the peak: what multiplies what. Nobody needs them but who asks why.

use super::ledger::Ledger;
use super::logits::{bytes_kept_per_logit, bytes_per_logit, logits};
use super::point::{Peak, Point};
use super::{
    Alive, Gathered, Held, Unreduced, communicators, context, dequantized, most_needy, switch_communicators, within,
    workspaces,
};
use crate::model::memory::activations::{self, LayerBytes};
use crate::model::memory::moments::moment_bytes;
use crate::model::memory::states::{
    self, FrozenBytes, RecipeBytes, ShardDegrees, expert_shard_degrees, gathered_layer_bytes, recipe_bytes,
    shard_degrees,
};
use crate::model::other_models::OtherModels;
use crate::model::per_rank;
use crate::model::report::PeakMoment;
use crate::model::rollout::engine::engine_beside_training;
use crate::model::setup::Setup;
use crate::model::software::Cache;
use crate::model::stages::{Stage, stages};
use crate::units::Bytes;

/// What is in work at the peak, in bytes per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Working {
    /// Nothing.
    Nothing,
    /// At the loss: the final norm's tensors, and what an upcasting implementation holds there.
    Loss(f64),
    /// In a layer's backward pass.
    InLayer(LayerBytes),
    /// At its end: so many bytes of an activation.
    AfterLayer(f64),
    /// In the update: so many bytes of temporaries for each parameter's part of the optimizer
    /// state.
    Update(f64),
}

/// The factors of the parts of the peak, on the stage that needs most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeakTerms {
    /// That stage.
    pub stage: Stage,
    /// When its memory peaks.
    pub moment: PeakMoment,
    /// Bytes per parameter.
    pub bytes: RecipeBytes,
    /// Bytes of optimizer state per parameter: of matrices, of all else.
    pub optimizer: (f64, f64),
    /// Bytes per matrix parameter of the narrower copies of the weights.
    pub copies: f64,
    /// Bytes per frozen parameter at rest.
    pub frozen: FrozenBytes,
    /// Bytes per parameter of a layer as gathered.
    pub gathered_layer: f64,
    /// Bytes per parameter of what is gathered module by module.
    pub live_bytes: f64,
    /// Bytes of the root unit, of one layer and of the mean layer as gathered.
    pub gathered_units: [f64; 3],
    /// How many times the weights of routed experts are gathered.
    pub padding: f64,
    /// By how many GPUs the state is divided.
    pub degrees: ShardDegrees,
    /// By how many GPUs that of routed experts is.
    pub expert_degrees: ShardDegrees,
    /// Layers whose gradients are at rest; `None` where all gradients are.
    pub reduced_layers: Option<f64>,
    /// Parameters of the head whose gradients are at rest before the root's.
    pub reduced_head: f64,
    /// Parameters whose gradients wait for their own update; `None` where all are updated at once.
    pub updating: Option<f64>,
    /// Bytes of optimizer state that the driver pages: all of them, and those on the GPU.
    pub pages: [Bytes; 2],
    /// What is gathered.
    pub gathered: Gathered,
    /// What is not reduced yet.
    pub unreduced: Unreduced,
    /// Tokens of one micro-batch on this GPU.
    pub tokens: f64,
    /// Layers whose activations are kept, those of other micro-batches in flight too.
    pub layers_kept: f64,
    /// Bytes that one layer keeps of a token.
    pub kept: f64,
    /// What is in work.
    pub working: Working,
    /// Workspaces of matrix products, and the 16-bit copy of a quantized matrix in work.
    pub workspaces: Bytes,
    /// Logits on this GPU, in one micro-batch.
    pub logits: f64,
    /// Bytes of each at the peak.
    pub per_logit: f64,
    /// Losses of other micro-batches that wait for their backward pass, where all forward passes
    /// come first.
    pub waiting: f64,
    /// Bytes of each of their logits.
    pub per_waiting: f64,
    /// Communicators.
    pub communicators: f64,
    /// Communicators that can reduce in switches.
    pub switch_communicators: f64,
    /// What the allocator holds beyond what is alive.
    pub cache: Cache,
    /// Models beside the one that trains.
    pub models: OtherModels,
    /// Of the encoder of images: at rest, gathered, activations.
    pub tower: [Bytes; 3],
    /// What tensors occupy.
    pub alive: Alive,
    /// What decides how much the allocator holds.
    pub held: Held,
}

impl PeakTerms {
    /// The factors of [`super::peak`].
    pub fn of(setup: &Setup) -> Self {
        let setup = setup.at_longest();
        Self::of_stage(&setup, most_needy(&setup, &stages(&setup)).stage)
    }

    fn of_stage(setup: &Setup, stage: &Stage) -> Self {
        let ledger = Ledger::new(setup, stage, &stage.params);
        let peak = ledger.peak();
        let Peak { point, moment, .. } = peak;
        let bytes = recipe_bytes(setup.recipe);
        let tokens = per_rank::tokens(setup);
        let layers = ledger.params.held.layers;
        let (left, working) = match point {
            Point::Gather | Point::Loss => (layers, Working::Loss(ledger.at_loss / tokens)),
            Point::InLayer(left) => {
                let whole = || activations::layer(setup, bytes.activation, &stage.shares);
                let in_work = activations::in_work(setup, bytes.activation, &stage.shares);
                let layer = in_work.unwrap_or_else(whole);
                let gradients = ledger.in_layer / tokens;
                (
                    left,
                    Working::InLayer(LayerBytes {
                        gradients,
                        kept: layer.whole - ledger.working(left) / tokens,
                        ..layer
                    }),
                )
            }
            Point::AfterLayer(left) => (left - 1.0, Working::AfterLayer(ledger.end_of_layer / tokens)),
            Point::Update if ledger.in_update > 0.0 => (0.0, Working::Update(moment_bytes(setup))),
            Point::Start | Point::Embedding | Point::Tower | Point::Root | Point::Update => (0.0, Working::Nothing),
        };
        let in_passes = !matches!(point, Point::Root | Point::Update);
        let (cache, context, alive) = (ledger.cache(setup, stage, &peak), context(setup), ledger.alive(setup, &peak));
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
            live_bytes: ledger.live_bytes,
            gathered_units: [
                match ledger.what_is_gathered(point) {
                    Gathered::Units(root, _) | Gathered::Grouped(root, _, _) => root,
                    _ => ledger.gathered_root,
                },
                ledger.gathered_layer,
                if layers > 0.0 { (ledger.gathered_all - ledger.gathered_root) / layers } else { 0.0 },
            ],
            padding: states::expert_padding(setup),
            degrees: shard_degrees(setup),
            expert_degrees: expert_shard_degrees(setup),
            reduced_layers: ledger.reduced_layers(point),
            reduced_head: ledger.reduced_head(point),
            updating: ledger.updating(point),
            pages: {
                let paged = states::paged(setup, &stage.params);
                [paged, paged - super::evicted(setup, stage)]
            },
            gathered: ledger.what_is_gathered(point),
            unreduced: ledger.unreduced_params(point),
            tokens,
            layers_kept: if in_passes { ledger.layers_kept(left) } else { 0.0 },
            kept: ledger.kept / tokens,
            working,
            workspaces: workspaces(setup)
                + if matches!(point, Point::InLayer(_)) { dequantized(setup) } else { Bytes::ZERO },
            logits: logits(setup, stage),
            per_logit: match point {
                Point::Loss => bytes_per_logit(setup),
                Point::Gather if ledger.half_logits > 0.0 => bytes.activation,
                _ => 0.0,
            },
            waiting: if all_first { stage.in_flight - 1.0 } else { 0.0 },
            per_waiting: bytes_kept_per_logit(setup.kernels.loss),
            communicators: communicators(setup),
            switch_communicators: switch_communicators(setup),
            cache,
            models: OtherModels::of(setup, stage),
            tower: ledger.of_tower(point),
            alive,
            held,
        }
    }
}
