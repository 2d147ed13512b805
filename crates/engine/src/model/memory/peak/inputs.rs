//! Sizes of the memory parts at every point of a step at which memory can peak.

use super::checkpointed::Checkpointed;
use super::in_backward::InBackward;
use super::logits::{bytes_kept_per_logit, live_bytes_per_logit, logits};
use super::point::{Peak, Point};
use super::workspaces::{dequantized, workspaces};
use crate::model::framework::Traits;
use crate::model::layer::{self, Block};
use crate::model::memory::activations::{self, LayerBackward, LayerBytes, Moment};
use crate::model::memory::other_models::OtherModels;
use crate::model::memory::tower::TowerMemory;
use crate::model::per_rank::{self, LocalParams};
use crate::model::report::{MemoryPart, MemoryParts, PeakMoment};
use crate::model::setup::Setup;
use crate::model::software::RootUnit;
use crate::model::stages::Stage;
use crate::model::states::{
    FrozenBytes, RecipeBytes, States, base, expert_padding, expert_shard_degrees, gathered_layer_bytes, gpu_states,
    recipe_bytes, shard_degrees, update_bytes,
};
use crate::model::sync::GradientSyncPlan;
use crate::model::training::{Reshard, Sharding};
use crate::units::Bytes;

/// Elements of width H per token alive in addition to a layer's gradients at the end of its
/// backward pass: the gradients of its input, of its attention block, and of the residual.
/// PyTorch's tracker reports 6 H bytes in bf16.
const END_OF_LAYER_WIDTHS: f64 = 3.0;

/// The sizes from which the parts at every point are computed.
pub(super) struct PeakInputs {
    pub(super) params: LocalParams,
    pub(super) bytes: RecipeBytes,
    /// Trained parameters of a layer, over the mean of all layers.
    pub(super) of_trained: f64,
    /// Bytes of one layer's gradients at rest.
    pub(super) gradient_shard: f64,
    /// Bytes at rest of one gradient of the head.
    pub(super) head_shard: f64,
    /// Gathered bytes: the root unit, one layer, and the whole model.
    pub(super) gathered_root: f64,
    /// The part of the root unit that is final norm and head.
    pub(super) gathered_head: f64,
    pub(super) gathered_layer: f64,
    pub(super) gathered_all: f64,
    /// Bytes per parameter that is gathered module by module.
    pub(super) live_bytes: f64,
    pub(super) states: States,
    /// The frozen base at rest, and models besides the trained one.
    pub(super) base: Bytes,
    pub(super) sharding: Sharding,
    /// Whether embedding and head are tied, on this stage.
    is_tied: bool,
    /// Weights outside the layers that FSDP keeps gathered.
    pub(super) root_unit: RootUnit,
    pub(super) traits: &'static Traits,
    pub(super) offloaded: bool,
    pub(super) reduces_once: bool,
    pub(super) replicas_reduce: bool,
    /// GPUs over which the optimizer state is sharded.
    pub(super) optimizer_shards: f64,
    /// Whether other GPUs hold replicas of the experts.
    pub(super) experts_reduce: bool,
    pub(super) sharded_gather: bool,
    /// Trained parameters of a layer, including the padding of its experts.
    pub(super) padded: f64,
    /// Whether the weights are sharded by DeepSpeed's stage 3.
    pub(super) is_deepspeed_zero3: bool,
    /// Whether reductions overlap with compute, in buckets of their own.
    pub(super) overlaps: bool,
    /// Whether the update runs on the GPU, for which DeepSpeed flattens gradients.
    pub(super) flattens_gradients: bool,
    /// Whether FSDP's collectives run in this step, each on a stream of its own.
    pub(super) has_streams: bool,
    /// Micro-batches in flight besides the one in its backward pass.
    pub(super) other_micro_batches: f64,
    pub(super) kept: f64,
    /// Kept activations of the last layer, over the mean layer.
    last_kept: f64,
    /// Kept activations of the current layer, over the mean layer.
    current_kept: f64,
    /// Bytes that the current layer holds beyond its kept activations.
    working: f64,
    /// The checkpointed layers, if only some are recomputed.
    checkpointed: Option<Checkpointed>,
    pub(super) in_layer: f64,
    /// The current layer.
    pub(super) in_work: LayerBytes,
    /// Parameters of the current layer whose gradients are not yet reduced at that point.
    pub(super) computed_in_layer: f64,
    pub(super) end_of_layer: f64,
    pub(super) logits: f64,
    /// The logits in 16 bits, or their gradient.
    pub(super) half_logits: f64,
    /// Bytes that the losses of other micro-batches keep if all forward passes run first.
    pub(super) waiting_logits: f64,
    pub(super) activations_offloaded: bool,
    pub(super) accumulates: bool,
    /// Activations that are only alive at the loss.
    pub(super) at_loss: f64,
    /// Temporaries of the optimizer's update.
    pub(super) in_update: f64,
    /// The gradients alive if the update runs in the backward pass.
    pub(super) in_backward: Option<InBackward>,
    /// Workspaces of matrix products, alive throughout.
    pub(super) workspaces: f64,
    /// The 16-bit copy of a quantized matrix, alive during its products.
    pub(super) dequantized: f64,
    /// Models besides the trained one.
    pub(super) models: f64,
    /// The image encoder: whether the stage has it, its memory, and whether it has a backward pass.
    pub(super) has_tower: bool,
    pub(super) tower: TowerMemory,
    pub(super) passes_tower: bool,
    /// Whether XLA plans the step.
    pub(super) is_xla: bool,
    /// Elements of a layer's largest weight.
    pub(super) largest: f64,
}

/// Returns the bytes that the current layer holds in its backward pass in addition to its kept
/// activations. The gradients of its experts (`of_experts` bytes) exist before the backward pass of
/// its mixer; at that point attention holds little, a recurrent mixer all tensors of its list.
///
/// Also returns the layer's parameters with gradients as computed, not yet reduced.
fn in_layer(setup: &Setup, in_work: &LayerBytes, of_experts: f64, bytes: f64) -> (f64, f64) {
    let tokens = per_rank::tokens(setup);
    if let Some(LayerBackward { mlp, attention }) = in_work.backward {
        let of = |moment: Moment| (moment.beside * tokens, moment.computed);
        let size = |moment: &Moment| moment.beside * tokens + bytes * moment.computed;
        return of(attention.filter(|attention| size(attention) > size(&mlp)).unwrap_or(mlp));
    }
    let most = in_work.gradients * tokens;
    if !setup.architecture.pattern.is_used() {
        return (most, 0.0);
    }
    let after_experts = in_work.last_block * tokens + in_work.experts * of_experts;
    (if after_experts > most { after_experts } else { most }, 0.0)
}

/// Returns the elements of a layer's largest weight on one GPU before sharding: of all experts
/// stacked, as in `MaxText`, or of another matrix.
fn largest_weight(setup: &Setup) -> f64 {
    let (arch, mesh) = (&setup.architecture, &setup.mesh);
    let local = f64::from(arch.experts.num_experts) / f64::from(mesh.ep.max(1));
    layer::largest(arch, mesh, |block| if block == Block::Routed { local } else { 1.0 })
}

impl PeakInputs {
    pub(super) fn new(setup: &Setup, stage: &Stage, params: &LocalParams) -> Self {
        let arch = &setup.architecture;
        let bytes = recipe_bytes(setup.recipe);
        let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
        let shards_weights = matches!(setup.sharding, Sharding::Fsdp(_)) && degrees.weights > 1.0;
        let (gathered_layer, padding) = (gathered_layer_bytes(setup), expert_padding(setup));
        let (trained, frozen) = (&params.trained, params.frozen());
        let of_frozen = FrozenBytes::for_compute(setup, degrees.weights > 1.0);
        let gathered_root = bytes.gathered * trained.root + of_frozen.others * frozen.root;
        let frozen_layer = of_frozen.layer_bytes(&frozen);
        let gathered_unit = gathered_layer * trained.padded_layer(padding)
            + frozen_layer
            + of_frozen.matrices * padding * frozen.expert_unit;
        let mean_frozen = frozen_layer + of_frozen.matrices * padding * frozen.expert;
        let gathered_layers =
            trained.layers * gathered_layer * (trained.layer + padding * trained.expert) + frozen.layers * mean_frozen;
        // Trained parameters per layer are the mean over all layers, including frozen ones.
        let (held, below) = (params.held.layers, params.below);
        let of_trained = if held > below { held / (held - below) } else { 1.0 };
        let hidden = f64::from(arch.hidden_size);
        let tokens = per_rank::tokens(setup);
        let of_layer = activations::layer(setup, bytes.activation, &stage.blocks);
        let in_work = activations::in_work(setup, bytes.activation, &stage.blocks).unwrap_or(of_layer);
        let (in_layer, computed_in_layer) =
            in_layer(setup, &in_work, bytes.gathered * trained.expert_unit, bytes.gathered);
        let logits = logits(setup, stage);
        let models = OtherModels::new(setup, stage).total();
        let tower = TowerMemory::new(setup, stage);
        let replicas = setup.mesh.replicas().saturating_mul(setup.mesh.cp);
        Self {
            params: *params,
            bytes,
            of_trained,
            gradient_shard: of_trained
                * bytes.gradients
                * (trained.layer / degrees.gradients + trained.expert / of_experts.gradients),
            head_shard: bytes.gradients / degrees.gradients,
            gathered_root,
            gathered_head: bytes.gathered * trained.head + of_frozen.others * frozen.head,
            root_unit: setup.root_unit(),
            is_tied: arch.tie_word_embeddings && stage.embedding && stage.head && trained.head > 0.0,
            gathered_layer: gathered_unit,
            gathered_all: gathered_root + gathered_layers,
            live_bytes: if setup.trained.is_all() {
                bytes.gathered
            } else {
                (gathered_root + gathered_layers) / params.held.all()
            },
            states: gpu_states(setup, params),
            base: base(setup, params) + models + tower.frozen,
            sharding: setup.sharding,
            traits: setup.traits(),
            offloaded: setup.offload.parameters,
            reduces_once: !GradientSyncPlan::new(setup).reduce_each,
            replicas_reduce: replicas > 1,
            optimizer_shards: degrees.optimizer,
            experts_reduce: setup.mesh.expert_shard_group().saturating_mul(setup.mesh.expert_replicas()) > 1,
            padded: of_trained * trained.padded_layer(padding),
            is_deepspeed_zero3: matches!(setup.sharding, Sharding::Fsdp(_)) && setup.traits().zero_by_deepspeed,
            overlaps: setup.communication.overlap || !setup.traits().zero_by_deepspeed,
            flattens_gradients: !setup.offload.optimizer && !setup.offload.parameters,
            has_streams: shards_weights && setup.traits().shards_by_fsdp,
            sharded_gather: degrees.weights > 1.0 || bytes.gathered < bytes.weights || setup.offload.parameters,
            other_micro_batches: stage.in_flight - 1.0,
            kept: of_layer.kept * tokens,
            last_kept: match arch.pattern.last_among(arch.num_hidden_layers) {
                Some(kind) if of_layer.kept > 0.0 => {
                    activations::layer(setup, bytes.activation, &arch.layers_of_kind(kind)).kept / of_layer.kept
                }
                _ => 1.0,
            },
            current_kept: if of_layer.kept > 0.0 { in_work.kept / of_layer.kept } else { 1.0 },
            checkpointed: Checkpointed::new(setup, &of_layer),
            working: (in_work.whole - in_work.kept) * tokens,
            in_layer,
            in_work,
            computed_in_layer,
            end_of_layer: END_OF_LAYER_WIDTHS * hidden * per_rank::sequence_share(setup) * bytes.activation * tokens,
            // The logits of further tokens are kept while those of the next token are processed.
            logits: live_bytes_per_logit(setup) * logits
                + f64::from(setup.mtp) * bytes_kept_per_logit(setup.kernels.loss) * logits,
            half_logits: if setup.kernels.loss.is_unfused() { bytes.activation * logits } else { 0.0 },
            waiting_logits: if setup.forwards_first() {
                (stage.in_flight - 1.0) * bytes_kept_per_logit(setup.kernels.loss) * logits
            } else {
                0.0
            },
            activations_offloaded: setup.offload.activations,
            accumulates: setup.batch.grad_accum_steps > 1,
            in_update: update_bytes(setup, params).get(),
            in_backward: InBackward::new(setup, params),
            at_loss: tokens * of_layer.final_norm,
            workspaces: workspaces(setup).get(),
            dequantized: dequantized(setup).get(),
            models: models.get(),
            has_tower: arch.tower.is_used() && stage.embedding,
            tower,
            passes_tower: setup.gradients_pass_tower(),
            is_xla: setup.traits().is_one_program,
            largest: largest_weight(setup),
        }
    }

    /// Returns the point at which most is allocated.
    pub(super) fn peak(&self) -> Peak {
        self.peak_up_to(Bytes::new(f64::INFINITY))
    }

    /// Returns the point at which most is allocated, or the first that exceeds a limit.
    pub(super) fn peak_up_to(&self, limit: Bytes) -> Peak {
        let (point, moment) = (Point::Update, PeakMoment::Optimizer);
        let mut most = Peak { point, moment, allocated: Bytes::ZERO, compute: Bytes::ZERO };
        for (point, moment) in self.points().into_iter().flatten() {
            let (allocated, compute) = self.total(point);
            let compute = if compute > most.compute { compute } else { most.compute };
            most = if allocated > most.allocated {
                Peak { point, moment, allocated, compute }
            } else {
                Peak { compute, ..most }
            };
            if most.allocated > limit {
                break;
            }
        }
        most
    }

    /// Returns the points at which the peak can be.
    fn points(&self) -> [Option<(Point, PeakMoment)>; 16] {
        let (layers, below) = (self.params.held.layers, self.params.below);
        let second = match &self.checkpointed {
            // The next layer that is recomputed.
            Some(some) if some.highest(layers - 1.0) > below => some.highest(layers - 1.0),
            _ if layers > below + 1.0 => layers - 1.0,
            _ => layers,
        };
        let last_with_prefetch = if layers > below + 1.0 { below + 2.0 } else { layers };
        let first = below + 1.0;
        let backward = |is_met: bool, point| is_met.then_some((point, PeakMoment::Backward));
        // A stage with only the head has no layers; with few layers, several points coincide.
        let has_second = layers > below && second != layers;
        let has_prefetch = layers > below && last_with_prefetch != layers && last_with_prefetch != second;
        let has_first = layers > below && first != layers && first != second && first != last_with_prefetch;
        let by_units = self.has_streams && matches!(self.sharding, Sharding::Fsdp(Reshard::Always));
        let own_head = by_units && self.root_unit == RootUnit::Head && self.params.trained.head > 0.0;
        let gathers_head = by_units && matches!(self.root_unit, RootUnit::Head | RootUnit::Freed);
        let passes_head = own_head || self.in_backward.is_some_and(|gradients| gradients.head > 0.0);
        let tower = if self.passes_tower { PeakMoment::Backward } else { PeakMoment::Loss };
        [
            Some((Point::Update, PeakMoment::Optimizer)),
            Some((Point::Loss, PeakMoment::Loss)),
            by_units.then_some((Point::Start, PeakMoment::Loss)),
            gathers_head.then_some((Point::Gather, PeakMoment::Loss)),
            backward(layers > below, Point::InLayer(layers)),
            backward(layers > below, Point::AfterLayer(layers)),
            backward(has_second, Point::InLayer(second)),
            backward(has_second, Point::AfterLayer(second)),
            backward(has_prefetch, Point::InLayer(last_with_prefetch)),
            backward(has_prefetch, Point::AfterLayer(last_with_prefetch)),
            backward(has_first, Point::InLayer(first)),
            backward(has_first, Point::AfterLayer(first)),
            backward(passes_head, Point::AfterLayer(layers + 1.0)),
            backward(self.is_tied && by_units, Point::Embedding),
            backward(true, Point::Root),
            (self.tower.working > Bytes::ZERO).then_some((Point::Tower, tower)),
        ]
    }

    /// Returns the layers whose activations are kept at a point, in mean layers, with those of the
    /// other micro-batches in flight.
    pub(super) fn layers_kept(&self, point: Point) -> f64 {
        match point {
            Point::Gather | Point::Loss => self.first_layers(self.params.held.layers),
            Point::InLayer(left) => self.first_layers(left) + self.more_in_current(left),
            Point::AfterLayer(left) => self.first_layers(left - 1.0),
            Point::Tower => self.first_layers(0.0),
            Point::Start | Point::Embedding | Point::Root | Point::Update => 0.0,
        }
    }

    /// Returns the first `layers` layers and those of the other micro-batches in flight: with
    /// activations in host memory, two layers' are on the GPU, those of the current layer and of
    /// the one being transferred.
    fn first_layers(&self, layers: f64) -> f64 {
        const LAYERS_HERE: f64 = 2.0;
        let below = self.params.below;
        // If layers differ in kind, the last one is finished first.
        let layers = if self.is_last_finished(layers) { layers + 1.0 - self.last_kept } else { layers };
        let alive = match &self.checkpointed {
            _ if layers <= below => 0.0,
            Some(some) => some.kept(layers) - some.kept(below),
            None => layers - below,
        };
        let here = alive + self.other_micro_batches * (self.params.held.layers - below);
        if self.activations_offloaded && here > LAYERS_HERE { LAYERS_HERE } else { here }
    }

    /// Whether all layers but the last are left.
    fn is_last_finished(&self, left: f64) -> bool {
        left == self.params.held.layers - 1.0
    }

    /// Returns the part of the current layer that the mean of the layers left lacks, if the current
    /// one is of the largest kind: none while all layers are left, and the whole difference where
    /// it is the only one.
    fn more_in_current(&self, left: f64) -> f64 {
        let others = self.params.held.layers - self.params.below - 1.0;
        let is_known = self.last_kept != 1.0 && self.is_last_finished(left);
        if others <= 0.0 || is_known || self.checkpointed.is_some() {
            return 0.0;
        }
        (self.current_kept - 1.0) * (self.params.held.layers - left) / others
    }

    /// Returns the bytes that the current layer, the last of `layers`, holds beyond its kept
    /// activations.
    pub(super) fn working(&self, layers: f64) -> f64 {
        match &self.checkpointed {
            Some(some) if some.is_last(layers) => some.again() * self.kept,
            Some(_) => 0.0,
            None => self.working,
        }
    }

    pub(super) fn parts(&self, point: Point) -> MemoryParts {
        let (activations, working_set, logits) = self.activations(point);
        MemoryParts::default()
            .with(MemoryPart::Weights, self.states.weights)
            .with(MemoryPart::Gradients, Bytes::new(self.gradients(point)))
            .with(MemoryPart::Optimizer, self.states.optimizer)
            .with(MemoryPart::GatheredWeights, Bytes::new(self.gathered(self.what_is_gathered(point))))
            .with(MemoryPart::UnreducedGradients, Bytes::new(self.unreduced(point)))
            .with(MemoryPart::Activations, Bytes::new(activations))
            .with(MemoryPart::WorkingSet, Bytes::new(working_set))
            .with(MemoryPart::Logits, Bytes::new(logits))
            .with(MemoryPart::Models, Bytes::new(self.models))
            .with(MemoryPart::Tower, self.tower_bytes(point).into_iter().sum())
    }

    /// Returns the sum of [`Self::parts`], in their order, and the part of it that was allocated on
    /// the stream of the kernels.
    pub(super) fn total(&self, point: Point) -> (Bytes, Bytes) {
        let (activations, working_set, logits) = self.activations(point);
        let (gradients, gathered) = (self.gradients(point), self.what_is_gathered(point));
        let states = self.states.weights.get() + gradients + self.states.optimizer.get();
        let sum =
            states + self.gathered(gathered) + self.unreduced(point) + activations + working_set + logits + self.models;
        let sum = if self.has_tower {
            let [at_rest, gathered, kept] = self.tower_bytes(point);
            sum + (at_rest + gathered + kept).get()
        } else {
            sum
        };
        (Bytes::new(sum), Bytes::new(sum - self.other_stream_bytes(point, gradients, gathered)))
    }

    /// Returns the memory of encoder and projection: at rest, gathered, activations. Their
    /// gradients at rest exist together with those of the root unit, and when all gradients are
    /// kept until the update.
    pub(super) fn tower_bytes(&self, point: Point) -> [Bytes; 3] {
        let gradients = self.in_backward.is_none() && self.reduced_layers(point).is_none();
        let (gathered, kept) = (self.tower.gathered, self.tower.kept);
        match point {
            Point::Start | Point::Gather | Point::Loss | Point::InLayer(_) | Point::AfterLayer(_) => {
                [self.tower.at_rest(gradients), gathered, kept]
            }
            Point::Tower => {
                [self.tower.at_rest(gradients), gathered + self.tower.gathered_unit, kept + self.tower.working]
            }
            Point::Embedding | Point::Root | Point::Update => [self.tower.at_rest(gradients), Bytes::ZERO, Bytes::ZERO],
        }
    }

    pub(super) fn activations(&self, point: Point) -> (f64, f64, f64) {
        let (waiting, always) = (self.waiting_logits, self.workspaces);
        let kept = self.layers_kept(point) * self.kept;
        match point {
            Point::Gather => (kept, always + self.at_loss, waiting + self.half_logits),
            Point::Loss => (kept, always + self.at_loss, waiting + self.logits),
            Point::InLayer(left) => (kept, always + self.dequantized + self.working(left) + self.in_layer, waiting),
            Point::AfterLayer(_) => (kept, always + self.end_of_layer, waiting),
            Point::Tower | Point::Start | Point::Embedding | Point::Root => (kept, always, 0.0),
            Point::Update => (kept, always + self.in_update, 0.0),
        }
    }
}
