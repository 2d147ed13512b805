//! Communicated data at a point of the step: gradients that are not reduced yet, and gathered
//! weights.

use super::inputs::PeakInputs;
use super::point::Point;
use crate::model::framework::ReplicatedGradients;
use crate::model::software::RootUnit;
use crate::model::training::{Reshard, Sharding};

/// Elements that DeepSpeed reduces at once (`reduce_bucket_size`, default 5e8).
const REDUCE_BUCKET: f64 = 5e8;

/// Parameters of a GPU that DeepSpeed's stage 3 updates at once (`sub_group_size`, default 1e9).
const SUB_GROUP: f64 = 1e9;

/// Buckets of [`REDUCE_BUCKET`] elements that DeepSpeed's stage 1 holds if reductions overlap with
/// compute (`overlap_comm`): two that are reduced alternately, and one for the gather. Without
/// overlap a single bucket is reduced.
const ZERO1_BUCKETS: f64 = 3.0;
/// Copies of a GPU's share of the gradients at DeepSpeed's update, in units of the 16-bit share:
/// flattened, and cast to fp32.
const FLAT_SHARES: f64 = 3.0;

/// Gradients of a tied embedding and head: one of each, and their sum.
const TIED_GRADIENTS: f64 = 3.0;

/// Weights gathered for compute, in addition to those at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gathered {
    /// No gathered weights.
    Nothing,
    /// Bytes of the root unit, and a number of layers.
    Units(f64, f64),
    /// Bytes of the root unit and a number of layers, and the whole model sharded over a group of
    /// GPUs; at most the whole model.
    Grouped(f64, f64, f64),
    /// All of the model.
    All,
    /// A number of parameters, gathered module by module.
    Live(f64),
}

/// Parameters whose gradients are not reduced yet, by the format of the gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unreduced {
    /// In the format of compute.
    pub computed: f64,
    /// In the format of the reduction.
    pub reduced: f64,
    /// In the format at rest, as a second copy.
    pub copied: f64,
}

impl PeakInputs {
    /// Returns the bytes of gradients at rest: FSDP allocates each unit's shard at its first
    /// reduction and frees it after the update.
    pub(super) fn gradients(&self, point: Point) -> f64 {
        if let Some(alive) = self.updating(point) {
            return self.bytes.gradients * alive;
        }
        let shards = |layers: f64| layers * self.gradient_shard + self.reduced_head(point) * self.head_shard;
        self.reduced_layers(point).map_or(self.states.gradients.get(), shards)
    }

    /// Returns the head's parameters whose gradients are reduced before those of the root unit, if
    /// the head is a separate unit.
    pub(super) fn reduced_head(&self, point: Point) -> f64 {
        let is_done = match point {
            Point::InLayer(_) | Point::Embedding | Point::Root => true,
            Point::AfterLayer(left) => left <= self.params.held.layers,
            Point::Start | Point::Gather | Point::Loss | Point::Tower | Point::Update => false,
        };
        let is_done = is_done && self.root_unit == RootUnit::Head && self.reduced_layers(point).is_some();
        if is_done { self.params.trained.head } else { 0.0 }
    }

    /// Returns the parameters with gradients alive until their own update in the backward pass;
    /// `None` if the update runs after the backward pass.
    pub(super) fn updating(&self, point: Point) -> Option<f64> {
        self.in_backward.map(|gradients| gradients.at(point, self.params.held.layers))
    }

    /// Returns the layers whose gradients are at rest; `None` if all gradients are, including those
    /// of the root unit.
    pub(super) fn reduced_layers(&self, point: Point) -> Option<f64> {
        let transient = matches!(self.sharding, Sharding::Fsdp(_)) && !self.offloaded && !self.is_deepspeed_zero3;
        // From the second micro-batch on, the shards of the first exist.
        if !transient || (self.accumulates && !self.reduces_once) || self.in_backward.is_some() {
            return None;
        }
        let layers = self.params.trained.layers;
        match point {
            Point::Start | Point::Gather | Point::Loss => Some(0.0),
            Point::Tower if !self.passes_tower => Some(0.0),
            Point::InLayer(left) => Some(layers - left),
            Point::AfterLayer(left) => Some(layers - left + 1.0),
            // The root unit's own gradients are not reduced yet.
            Point::Embedding | Point::Root => Some(layers),
            Point::Tower | Point::Update => None,
        }
    }

    /// Returns the gathered bytes of the root unit if FSDP reshards the layers. A single unit stays
    /// gathered through the backward pass; of two, the head's is freed before the layers' backward
    /// pass, and the embedding's is fetched in the first layer's.
    fn gathered_of_root(&self, point: Point) -> f64 {
        let apart = self.root_unit == RootUnit::Head;
        match point {
            // The all-gather's buffer, and the weights that are copied out of it.
            Point::Start if apart => 2.0 * (self.gathered_root - self.gathered_head),
            Point::Gather if apart => 2.0 * self.gathered_head,
            Point::Start | Point::Gather => 2.0 * self.gathered_root,
            Point::Loss if self.root_unit == RootUnit::Freed => 0.0,
            Point::Loss if apart => self.gathered_head,
            Point::InLayer(left) | Point::AfterLayer(left) if apart => {
                // Below frozen layers there is no backward pass.
                let is_first = left <= 1.0 && self.params.below <= 0.0;
                if is_first { self.gathered_root - self.gathered_head } else { 0.0 }
            }
            Point::Loss | Point::InLayer(_) | Point::AfterLayer(_) | Point::Embedding | Point::Tower => {
                self.gathered_root
            }
            Point::Root | Point::Update => 0.0,
        }
    }

    /// Returns the gathered bytes, including the current and the prefetched unit.
    pub(super) fn gathered(&self, what: Gathered) -> f64 {
        let whole = self.gathered_all;
        let of = |root: f64, units: f64| root + units * self.gathered_layer;
        match what {
            Gathered::Nothing => 0.0,
            Gathered::Units(root, units) => of(root, units),
            Gathered::Grouped(root, units, group) => {
                let (current, between) = (of(root, units), whole / group);
                if current + between < whole { current + between } else { whole }
            }
            Gathered::All => whole,
            Gathered::Live(params) => self.live_bytes * params,
        }
    }

    pub(super) fn what_is_gathered(&self, point: Point) -> Gathered {
        if !self.sharded_gather {
            return Gathered::Nothing;
        }
        if self.is_xla && matches!(self.sharding, Sharding::Fsdp(_)) {
            return self.gathered_by_xla(point);
        }
        if self.is_deepspeed_zero3 {
            let live = if self.optimizer_shards > 1.0 { self.live(point) } else { None };
            return live.map_or(Gathered::Nothing, Gathered::Live);
        }
        let units = match point {
            // The first layer's all-gather has started.
            Point::Start => f64::from(u8::from(self.root_unit != RootUnit::Head)),
            // The last layer is never freed, or not yet gathered.
            Point::Loss => f64::from(u8::from(self.root_unit == RootUnit::KeptWithLast)),
            Point::Gather | Point::Embedding | Point::Tower | Point::Root | Point::Update => 0.0,
            Point::InLayer(left) | Point::AfterLayer(left) => {
                if left > self.params.held.layers {
                    // During the head's backward pass the last layer is prefetched.
                    1.0
                } else if left > 1.0 {
                    1.0 + self.params.neighbour
                } else {
                    1.0
                }
            }
        };
        match (self.sharding, point) {
            // FSDP frees a unit's gathered weights before it reduces the unit's gradients; the root
            // unit is last.
            (_, Point::Update) | (Sharding::Fsdp(_), Point::Root) => Gathered::Nothing,
            (Sharding::Fsdp(Reshard::Always), Point::Loss) if self.root_unit == RootUnit::Freed => Gathered::Nothing,
            (Sharding::Fsdp(Reshard::Always), _) => Gathered::Units(self.gathered_of_root(point), units),
            (Sharding::Fsdp(Reshard::To(group)), _) => {
                // With resharding to a group, units are gathered from the group only for the
                // backward pass.
                let (root, units) = match point {
                    Point::Loss => (self.gathered_root, 0.0),
                    _ => (self.gathered_of_root(point), units),
                };
                Gathered::Grouped(root, units, f64::from(group.max(1)))
            }
            // Kept from forward to backward; without sharding these are the 16-bit copies of
            // autocast.
            (Sharding::Fsdp(Reshard::Never) | Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2, _) => Gathered::All,
        }
    }

    /// Returns the bytes of gradients as computed, and of the buffers of their reduction.
    pub(super) fn unreduced(&self, point: Point) -> f64 {
        let Unreduced { computed, reduced, copied } = self.unreduced_params(point);
        self.bytes.gathered * computed + self.bytes.reduced * reduced + self.bytes.gradients * copied
    }

    #[expect(
        clippy::inline_always,
        reason = "its three numbers would be read together right after they were written separately"
    )]
    #[inline(always)]
    pub(super) fn unreduced_params(&self, point: Point) -> Unreduced {
        let params = self.params.trained.all();
        let none = Unreduced::default();
        let bucket = if params < REDUCE_BUCKET { params } else { REDUCE_BUCKET };
        let replicated = self.traits.replicated_gradients;
        match self.sharding {
            // The buffer for gradients to be reduced exists from the start
            // (`contiguous_gradients`).
            Sharding::Fsdp(_) if self.is_deepspeed_zero3 => {
                Unreduced { reduced: REDUCE_BUCKET, computed: self.flattened(point, SUB_GROUP), ..none }
            }
            Sharding::Fsdp(_) if self.is_xla => self.unreduced_by_xla(point),
            Sharding::Fsdp(_) => {
                // Gradients of the head are reduced with those of the root unit, unless the head is
                // a separate unit.
                let apart = self.root_unit == RootUnit::Head;
                let head = if apart { 0.0 } else { self.params.trained.head };
                let unit = self.of_trained * self.params.trained.padded_layer(1.0);
                // Gradients accumulate unsharded across micro-batches, in the format of the
                // reduction, until they are reduced.
                let accumulated = |layers: f64| {
                    let above = if layers > self.params.below { layers - self.params.below } else { 0.0 };
                    let layer = self.of_trained * (self.params.trained.layer + self.params.trained.expert);
                    let params = self.params.trained.root + above * layer;
                    if self.reduces_once { params } else { 0.0 }
                };
                let (computed, reduced) = match point {
                    Point::Update => (0.0, 0.0),
                    Point::Start | Point::Gather | Point::Loss => (0.0, accumulated(self.params.trained.layers)),
                    Point::InLayer(left) => {
                        let here = if self.has_streams { self.computed_in_layer } else { 0.0 };
                        (
                            head + here,
                            accumulated(left) + if left < self.params.trained.layers { self.padded } else { 0.0 },
                        )
                    }
                    Point::AfterLayer(left) if left > self.params.held.layers => {
                        let head = self.params.trained.head;
                        (head, if apart { head } else { 0.0 } + accumulated(self.params.trained.layers))
                    }
                    Point::AfterLayer(left) => {
                        (head + unit, accumulated(left - 1.0) + self.params.neighbour * self.padded)
                    }
                    // The last layer's gradients are still being reduced.
                    Point::Embedding => (TIED_GRADIENTS * self.params.trained.head, self.padded),
                    Point::Tower if !self.passes_tower => (0.0, accumulated(self.params.trained.layers)),
                    Point::Tower | Point::Root => {
                        let of_unit = self.params.trained.root - if apart { self.params.trained.head } else { 0.0 };
                        (of_unit, of_unit)
                    }
                };
                Unreduced { computed, reduced, ..none }
            }
            // DDP's buckets are a second copy of all gradients.
            Sharding::Ddp | Sharding::Zero1 if self.replicas_reduce && replicated == ReplicatedGradients::Copied => {
                let experts = if self.experts_reduce { self.params.trained.experts() } else { 0.0 };
                Unreduced { copied: self.params.trained.dense() + experts, ..none }
            }
            // The 16-bit gradients of compute are added to the fp32 gradients after a micro-batch's
            // backward pass, and their blocks are not reused. Without ZeRO the model is wrapped in
            // DDP, whose 16-bit buckets stay (`make_ddp` and `FP32GradientAccumulator`, github
            // huggingface/nanotron, branch nouamane/bench2).
            Sharding::Ddp | Sharding::Zero1 if replicated == ReplicatedGradients::AddedAfterBackward => {
                let buckets = if self.sharding == Sharding::Ddp && self.replicas_reduce { params } else { 0.0 };
                let produced = match point {
                    Point::Update => 0.0,
                    _ => params,
                };
                Unreduced { computed: produced + buckets, ..none }
            }
            Sharding::Zero1 if replicated == ReplicatedGradients::OfStage1 => self.stage_1(bucket, point),
            // The buffer exists from the start to the end of the backward pass, whatever is reduced
            // (`stage_1_and_2.py`, `ipg_buffer`).
            Sharding::Zero2 if self.traits.zero_by_deepspeed => {
                let reduced = if matches!(point, Point::Update) { 0.0 } else { REDUCE_BUCKET };
                Unreduced { computed: self.flattened(point, f64::INFINITY), reduced, ..none }
            }
            // Whole gradients, if they are reduced after the last micro-batch.
            Sharding::Zero2 if self.accumulates && self.reduces_once => Unreduced { computed: params, ..none },
            Sharding::Zero2 if self.replicas_reduce => Unreduced { reduced: bucket, ..none },
            Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => none,
        }
    }

    /// Returns the copies of gradients that DeepSpeed makes for the update, in parameters of
    /// compute's format: of this GPU's share, at most `most` at once, a flattened copy and its cast
    /// to fp32 (`flatten(averaged_gradients[i]).to(fp32)` in `stage_1_and_2.py` and `stage3.py`).
    fn flattened(&self, point: Point, most: f64) -> f64 {
        if !matches!(point, Point::Update) || !self.flattens_gradients {
            return 0.0;
        }
        let share = self.params.trained.all() / self.optimizer_shards;
        let copies = if self.bytes.gradients > self.bytes.gathered {
            self.bytes.gradients / self.bytes.gathered
        } else {
            FLAT_SHARES
        };
        copies * if share < most { share } else { most }
    }

    /// Returns the unreduced gradients of DeepSpeed's stage 1 under Megatron.
    ///
    /// - With 16-bit gradients (`stage_1_and_2.py`): its buckets, and at the update two copies of
    ///   this GPU's share of the gradients, flattened in 16 bits and cast to fp32. Both are larger
    ///   than any block that a layer frees, so that the allocator needs new blocks for them.
    /// - With fp32 gradients (`bf16_optimizer.py`): the 16-bit gradients of compute, which are
    ///   added to the fp32 gradients, and one bucket.
    fn stage_1(&self, bucket: f64, point: Point) -> Unreduced {
        let buckets = if self.replicas_reduce { bucket } else { 0.0 };
        let params = self.params.trained.all();
        if self.bytes.gradients > self.bytes.gathered {
            let produced = if matches!(point, Point::Update) { 0.0 } else { params };
            return Unreduced { computed: produced, reduced: buckets, copied: 0.0 };
        }
        let share = params / self.optimizer_shards;
        let several = if self.overlaps { ZERO1_BUCKETS } else { ZERO1_BUCKETS - 1.0 };
        Unreduced { computed: FLAT_SHARES * share, reduced: several * buckets, copied: 0.0 }
    }
}
