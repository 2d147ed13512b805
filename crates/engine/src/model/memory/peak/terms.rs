//! Factors of each memory part at the peak, for explanations.

use super::at_rest::{GradientsAtRest, Shards};
use super::gathers::Gathered;
use super::inputs::PeakInputs;
use super::of_setup::{OfLayers, OfSetup};
use super::parts::StagePeak;
use super::point::Point;
use super::stage_peak::{UNLIMITED, most_needy};
use super::unreduced::Unreduced;
use super::{Alive, ReservationLimit, communicators, context, dequantized, switch_communicators, within};
use crate::model::memory::activations::LayerBytes;
use crate::model::memory::engine::engine_beside_training;
use crate::model::memory::logits::{bytes_kept_per_logit, live_bytes_per_logit, logits};
use crate::model::memory::other_models::OtherModels;
use crate::model::report::PeakMoment;
use crate::model::setup::Setup;
use crate::model::software::Cache;
use crate::model::stages::{Stage, stages};
use crate::model::states::moments::moment_bytes;
use crate::model::states::{self, FrozenBytes, RecipeBytes, ShardDegrees, gathered_layer_bytes};
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
    /// Weights, gradients and optimizer state at rest.
    pub at_rest: StateTerms,
    /// Gathered weights.
    pub gathered: GatheredTerms,
    /// Gradients that are not reduced yet.
    pub unreduced: Unreduced,
    /// Kept activations and working memory.
    pub activations: ActivationTerms,
    /// Logits.
    pub logits: LogitTerms,
    /// The process and its allocator.
    pub process: ProcessTerms,
    /// Models besides the trained one.
    pub models: OtherModels,
    /// Memory of the teacher's pass beyond that of the loss, at the loss.
    pub teacher_pass: Bytes,
    /// Memory of the image encoder: at rest, gathered, activations.
    pub tower: [Bytes; 3],
}

/// Factors of weights, gradients and optimizer state at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateTerms {
    /// Bytes of optimizer state per parameter: of matrices, and of all other parameters.
    pub optimizer: (f64, f64),
    /// Bytes per matrix parameter of copies of the weights in narrower formats.
    pub copies: f64,
    /// Bytes per frozen parameter at rest.
    pub frozen: FrozenBytes,
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
}

/// Factors of gathered weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatheredTerms {
    /// The gathered weights.
    pub what: Gathered,
    /// Bytes per parameter of a layer as gathered.
    pub per_param: f64,
    /// Bytes per parameter that is gathered module by module.
    pub live_bytes: f64,
    /// Gathered bytes of the root unit, of one layer and of the mean layer.
    pub units: [f64; 3],
    /// Factor by which padding increases the gathered weights of routed experts.
    pub padding: f64,
}

/// Factors of kept activations and of working memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivationTerms {
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
}

/// Factors of the logits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogitTerms {
    /// Logits on this GPU, in one micro-batch.
    pub count: f64,
    /// Bytes per logit at the peak.
    pub per_logit: f64,
    /// Losses of other micro-batches that are kept for their backward pass, if all forward passes
    /// run first.
    pub waiting: f64,
    /// Bytes per logit of the losses of other micro-batches.
    pub per_waiting: f64,
}

/// Factors of the process's memory besides its tensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessTerms {
    /// Communicators.
    pub communicators: f64,
    /// Communicators that can reduce in switches.
    pub switch_communicators: f64,
    /// The allocator's overhead beyond allocated tensors.
    pub cache: Cache,
    /// Allocated bytes, by the categories that matter to the allocator.
    pub alive: Alive,
    /// The quantity that determines the allocator's reserved bytes.
    pub held: ReservationLimit,
}

impl PeakTerms {
    /// Returns the factors of [`super::peak`].
    pub fn new(setup: &Setup) -> Self {
        let setup = setup.at_longest();
        let (of, stages) = (OfSetup::new(&setup), stages(&setup));
        let most = most_needy(&of, &stages, UNLIMITED);
        let (stage, point) = (most.stage, most.point);
        let inputs = &PeakInputs::new(&of, &OfLayers::new(&setup, &stage.blocks), stage);
        let Unreduced { computed, reduced, copied } = inputs.reductions.by_point(&inputs.points);
        Self {
            stage: *stage,
            moment: most.moment,
            bytes: of.bytes,
            at_rest: StateTerms::new(inputs, point),
            gathered: GatheredTerms::new(inputs, point),
            unreduced: Unreduced { computed: computed.at(point), reduced: reduced.at(point), copied: copied.at(point) },
            activations: ActivationTerms::new(inputs, point),
            logits: LogitTerms::new(inputs, point),
            process: ProcessTerms::new(&most),
            models: OtherModels::new(&setup, stage),
            teacher_pass: if point == Point::Loss { inputs.teacher_pass } else { Bytes::ZERO },
            tower: inputs.tower_bytes(point),
        }
    }
}

impl StateTerms {
    fn new(inputs: &PeakInputs<'_>, point: Point) -> Self {
        let (setup, stage) = (inputs.of.setup, inputs.stage);
        let (reduced_layers, reduced_head, updating) = match &inputs.at_rest {
            GradientsAtRest::ByUnit(shards) if !shards.are_whole(point) => {
                (Some(Shards::layers(&inputs.points).at(point)), shards.heads().at(point), None)
            }
            GradientsAtRest::AtUpdate if point != Point::Update => (Some(0.0), 0.0, None),
            GradientsAtRest::Whole | GradientsAtRest::AtUpdate | GradientsAtRest::ByUnit(_) => (None, 0.0, None),
            GradientsAtRest::InBackward(alive) => (None, 0.0, Some(alive.by_point().at(point))),
        };
        let paged = states::paged(setup, &stage.params);
        Self {
            optimizer: states::optimizer_bytes(setup),
            copies: states::copy_bytes(setup),
            frozen: FrozenBytes::at_rest(setup),
            degrees: inputs.of.degrees,
            expert_degrees: inputs.of.expert_degrees,
            reduced_layers,
            reduced_head,
            updating,
            pages: [paged, paged - super::evicted(setup, stage)],
        }
    }
}

impl GatheredTerms {
    fn new(inputs: &PeakInputs<'_>, point: Point) -> Self {
        let (gathers, layers) = (&inputs.gathers, inputs.stage.params.held.layers);
        let what = gathers.at(&inputs.points, point);
        let root = match what {
            Gathered::Units(root, _) | Gathered::Grouped(root, _, _) => root,
            Gathered::Nothing | Gathered::All | Gathered::Live(_) => gathers.root,
        };
        let mean = if layers > 0.0 { (gathers.all - gathers.root) / layers } else { 0.0 };
        Self {
            what,
            per_param: gathered_layer_bytes(inputs.of.setup),
            live_bytes: gathers.live_bytes,
            units: [root, gathers.layer, mean],
            padding: inputs.of.padding,
        }
    }
}

impl ActivationTerms {
    fn new(inputs: &PeakInputs<'_>, point: Point) -> Self {
        let (setup, tokens, block) = (inputs.of.setup, inputs.of.tokens, &inputs.working);
        let working = match point {
            Point::Gather | Point::Loss => Working::Loss(block.at_loss / tokens),
            Point::InLayer(layer) => {
                let left = inputs.points.left.get(layer).copied().unwrap_or_default();
                let layer = OfLayers::new(setup, &inputs.stage.blocks).in_work;
                let (gradients, kept) = (block.in_layer / tokens, layer.whole - inputs.kept.working(left) / tokens);
                Working::InLayer(LayerBytes { kept, gradients, ..layer })
            }
            Point::AfterLayer(_) | Point::AfterHead => Working::AfterLayer(block.end_of_layer / tokens),
            Point::Update if block.in_update > 0.0 => Working::Update(moment_bytes(setup)),
            Point::Start | Point::Embedding | Point::Tower | Point::Root | Point::Update => Working::Nothing,
        };
        let dequantized = if matches!(point, Point::InLayer(_)) { dequantized(setup) } else { Bytes::ZERO };
        Self {
            tokens,
            layers_kept: inputs.kept.by_point(&inputs.points).at(point),
            kept: inputs.kept.mean / tokens,
            working,
            workspaces: Bytes::new(block.workspaces) + dequantized,
        }
    }
}

impl LogitTerms {
    fn new(inputs: &PeakInputs<'_>, point: Point) -> Self {
        let (setup, stage) = (inputs.of.setup, inputs.stage);
        let in_passes = !matches!(point, Point::Root | Point::Update);
        Self {
            count: logits(setup, stage),
            per_logit: match point {
                Point::Loss => live_bytes_per_logit(setup),
                Point::Gather if inputs.logits.half > 0.0 => inputs.of.bytes.activation,
                _ => 0.0,
            },
            waiting: if setup.forwards_first() && in_passes { stage.in_flight - 1.0 } else { 0.0 },
            per_waiting: bytes_kept_per_logit(setup),
        }
    }
}

impl ProcessTerms {
    fn new(stage: &StagePeak<'_>) -> Self {
        let (setup, cache, alive) = (stage.of.setup, stage.cache(), stage.alive);
        let context = context(setup);
        let capacity = setup.accelerator.usable_memory() - context - engine_beside_training(setup, context);
        let (_, held) = within(capacity, cache.needed(&alive), cache.reserved(&alive));
        Self {
            communicators: communicators(setup),
            switch_communicators: switch_communicators(setup),
            cache,
            alive,
            held,
        }
    }
}
