//! Gradients that are not reduced yet at every point of the step.

use super::of_setup::OfSetup;
use super::point::{ByPoint, Ends, Point, Points};
use super::xla;
use crate::model::framework::ReplicatedGradients;
use crate::model::setup::Setup;
use crate::model::software::RootUnit;
use crate::model::stages::Stage;
use crate::model::states::cast_gradient_bytes;
use crate::model::training::Sharding;

/// Elements that DeepSpeed reduces at once (`reduce_bucket_size`, default 5e8).
const REDUCE_BUCKET: f64 = 5e8;

/// Parameters of a GPU that DeepSpeed's stage 3 updates at once (`sub_group_size`, default 1e9).
const SUB_GROUP: f64 = 1e9;

/// Copies of a GPU's share of the gradients at DeepSpeed's update, in units of the 16-bit share:
/// flattened, and cast to fp32.
const FLAT_SHARES: f64 = 3.0;

/// Gradients of a tied embedding and head: one of each, and their sum.
const TIED_GRADIENTS: f64 = 3.0;

/// Parameters whose gradients are not reduced yet, by the format of the gradients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Unreduced<T = f64> {
    /// In the format of compute.
    pub computed: T,
    /// In the format of the reduction.
    pub reduced: T,
    /// In the format at rest, as a second copy.
    pub copied: T,
}

impl Unreduced {
    const NONE: Self = Self { computed: 0.0, reduced: 0.0, copied: 0.0 };
}

/// Gradients of a stage that are not reduced yet at each point.
pub(super) enum Reductions {
    /// Equal in all passes, and other at the update; and parameters whose gradients a reduction in
    /// a layer's backward pass copies.
    Buckets { in_passes: Unreduced, at_update: Unreduced, reducing: f64 },
    /// Under FSDP.
    ByUnit(Units),
    /// In XLA's program, as computed.
    ByProduct(ByPoint),
}

/// Trained parameters of the units that FSDP reduces.
pub(super) struct Units {
    /// The largest layer, and with the padding of its experts.
    unit: f64,
    padded: f64,
    /// Size of a layer's larger neighbour over its own.
    neighbour: f64,
    /// Parameters of the layer in work whose gradients are computed and not yet reduced.
    in_layer: f64,
    /// The root unit, and the head, which is reduced with it unless it is a separate unit.
    root: f64,
    head: f64,
    head_apart: f64,
    passes_tower: bool,
    /// Parameters whose gradients accumulate unsharded, outside the layers and in each layer that
    /// gradients reach: none unless gradients are reduced once for all micro-batches.
    accumulated: [f64; 2],
    /// Whether all of them are reduced after the last backward pass.
    at_end: bool,
    /// Gradients that the update casts to fp32, in parameters of compute's format.
    cast: f64,
    /// Whether embedding and head of the stage are one weight.
    is_tied: bool,
    /// Parameters of the whole embedding, whose gradient a GPU with a part of it computes.
    whole_table: f64,
}

impl Units {
    fn new(of: &OfSetup<'_>, stage: &Stage, of_trained: f64, in_layer: f64) -> Self {
        let (params, trained) = (&stage.params, &stage.params.trained);
        let accumulated = [trained.root, of_trained * (trained.layer + trained.expert)];
        Self {
            unit: of_trained * trained.padded_layer(1.0),
            padded: of_trained * trained.padded_layer(of.padding),
            neighbour: params.neighbour,
            in_layer: if of.has_streams { in_layer } else { 0.0 },
            root: trained.root,
            head: trained.head,
            head_apart: if of.root_unit == RootUnit::Head { trained.head } else { 0.0 },
            passes_tower: of.passes_tower,
            accumulated: if of.reduces_once { accumulated } else { [0.0; 2] },
            at_end: of.keeps_gathered,
            cast: cast_gradient_bytes(of.setup) / of.bytes.gathered
                * (trained.dense() / of.degrees.optimizer + trained.experts() / of.expert_degrees.optimizer),
            is_tied: of.setup.architecture.tie_word_embeddings && stage.embedding && stage.head,
            whole_table: whole_table(of.setup, stage),
        }
    }

    /// Returns the parameters with gradients as computed.
    fn computed(&self) -> ByPoint {
        // Gradients of the head are reduced with those of the root unit, unless the head is a
        // separate unit.
        let head = self.head - self.head_apart;
        let root = self.root - self.head_apart;
        let ends = Ends {
            update: self.cast,
            after_head: self.head,
            embedding: if self.is_tied { TIED_GRADIENTS * self.head } else { self.whole_table + root },
            root: root + if self.at_end { self.whole_table } else { 0.0 },
            tower: if self.passes_tower { root } else { 0.0 },
            ..Ends::default()
        };
        ByPoint::new(ends, [head + self.in_layer; 4], [head + self.unit; 4])
    }

    /// Returns the parameters with gradients in the format of the reduction: those being reduced,
    /// and those that accumulate unsharded across micro-batches until they are reduced.
    fn reduced(&self, points: &Points) -> ByPoint {
        let ([outside, layer], layers) = (self.accumulated, points.layers);
        let accumulated = |left: f64| {
            let above = if left > points.below { left - points.below } else { 0.0 };
            outside + above * layer
        };
        let all = accumulated(layers);
        if self.at_end {
            return ByPoint::all(all).with(Point::Update, 0.0);
        }
        let root = self.root - self.head_apart;
        let ends = Ends {
            start: all,
            gather: all,
            loss: all,
            after_head: self.head_apart + all,
            // The last layer's gradients are still being reduced.
            embedding: self.padded,
            root,
            tower: if self.passes_tower { root } else { all },
            update: 0.0,
        };
        // The head's gradients are still being reduced in the last layer's backward pass.
        let before = |left: f64| if left < layers { self.padded } else { self.head_apart };
        let beside = self.neighbour * self.padded;
        ByPoint::new(
            ends,
            points.left.map(|left| accumulated(left) + before(left)),
            points.left.map(|left| accumulated(left - 1.0) + beside),
        )
    }
}

/// Returns the parameters of the whole embedding on a stage that has a part of it: the gradient of
/// the whole is computed, and the part is copied.
pub(super) fn whole_table(setup: &Setup, stage: &Stage) -> f64 {
    let is_split = stage.embedding && setup.mesh.tp > 1 && setup.tensor.splits_embedding;
    if is_split { setup.architecture.embedding_params() as f64 } else { 0.0 }
}

impl Reductions {
    /// Returns the gradients of a stage; `of_trained` is the number of trained parameters of a
    /// layer over the mean of all layers, `in_layer` the parameters of the layer in work whose
    /// gradients are computed and not yet reduced.
    pub(super) fn new(of: &OfSetup<'_>, stage: &Stage, of_trained: f64, in_layer: f64) -> Self {
        let (setup, params) = (of.setup, &stage.params);
        let trained = &params.trained;
        let all = trained.all();
        let replicas_reduce = setup.mesh.replicas().saturating_mul(setup.mesh.cp) > 1;
        let replicated = setup.traits().replicated_gradients;
        let always = |unreduced| Self::Buckets { in_passes: unreduced, at_update: unreduced, reducing: 0.0 };
        match setup.sharding {
            // The buffer for gradients to be reduced exists from the start
            // (`contiguous_gradients`).
            Sharding::Fsdp(_) if of.is_deepspeed_zero3 => {
                let in_passes = Unreduced { reduced: REDUCE_BUCKET, ..Unreduced::NONE };
                let computed = flattened(of, all, SUB_GROUP);
                // The reduce-scatter has the bucket in the order of the GPUs
                // (`reduce_scatter_coalesced`).
                Self::Buckets { in_passes, at_update: Unreduced { computed, ..in_passes }, reducing: bucket(all) }
            }
            Sharding::Fsdp(_) if setup.traits().is_one_program => Self::ByProduct(xla::unreduced(setup, params)),
            Sharding::Fsdp(_) => Self::ByUnit(Units::new(of, stage, of_trained, in_layer)),
            // DDP's buckets are a second copy of all gradients.
            Sharding::Ddp | Sharding::Zero1 if replicas_reduce && replicated == ReplicatedGradients::Copied => {
                let others = setup.mesh.expert_shard_group().saturating_mul(setup.mesh.expert_replicas()) > 1;
                let experts = if others { trained.experts() } else { 0.0 };
                always(Unreduced { copied: trained.dense() + experts, ..Unreduced::NONE })
            }
            // The 16-bit gradients of compute are added to the fp32 gradients after a micro-batch's
            // backward pass, and their blocks are not reused. Without ZeRO the model is wrapped in
            // DDP, whose 16-bit buckets stay (`make_ddp` and `FP32GradientAccumulator`, github
            // huggingface/nanotron, branch nouamane/bench2).
            Sharding::Ddp | Sharding::Zero1 if replicated == ReplicatedGradients::AddedAfterBackward => {
                let buckets = if setup.sharding == Sharding::Ddp && replicas_reduce { all } else { 0.0 };
                Self::Buckets {
                    in_passes: Unreduced { computed: all + buckets, ..Unreduced::NONE },
                    at_update: Unreduced { computed: buckets, ..Unreduced::NONE },
                    reducing: 0.0,
                }
            }
            Sharding::Zero1 if replicated == ReplicatedGradients::OfStage1 => stage_1(of, all, replicas_reduce),
            // The buffer exists from the start to the end of the backward pass, whatever is
            // reduced, and a second one that is filled while the first is reduced
            // (`stage_1_and_2.py`, `setup_buckets`).
            Sharding::Zero2 if setup.traits().zero_by_deepspeed => Self::Buckets {
                in_passes: Unreduced { reduced: buckets(setup) * REDUCE_BUCKET, ..Unreduced::NONE },
                at_update: Unreduced { computed: flattened(of, all, f64::INFINITY), ..Unreduced::NONE },
                reducing: 0.0,
            },
            // Whole gradients, if they are reduced after the last micro-batch.
            Sharding::Zero2 if of.accumulates && of.reduces_once => {
                always(Unreduced { computed: all, ..Unreduced::NONE })
            }
            Sharding::Zero2 if replicas_reduce => always(Unreduced { reduced: bucket(all), ..Unreduced::NONE }),
            Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => always(Unreduced::NONE),
        }
    }

    /// Returns the parameters with gradients that are not reduced yet.
    pub(super) fn by_point(&self, points: &Points) -> Unreduced<ByPoint> {
        let none = ByPoint::all(0.0);
        match self {
            Self::Buckets { in_passes, at_update, reducing } => {
                let of = |passes, update| ByPoint::all(passes).with(Point::Update, update);
                let copied = ByPoint::new(Ends::default(), [*reducing; 4], [*reducing; 4]);
                Unreduced {
                    computed: of(in_passes.computed, at_update.computed),
                    reduced: of(in_passes.reduced, at_update.reduced).plus(1.0, &copied),
                    copied: of(in_passes.copied, at_update.copied),
                }
            }
            Self::ByUnit(units) => {
                Unreduced { computed: units.computed(), reduced: units.reduced(points), copied: none }
            }
            Self::ByProduct(computed) => Unreduced { computed: *computed, reduced: none, copied: none },
        }
    }
}

/// Returns the buckets of [`REDUCE_BUCKET`] elements that DeepSpeed's stages 1 and 2 reduce: two
/// alternately if reductions overlap with compute (`overlap_comm`).
fn buckets(setup: &Setup) -> f64 {
    let overlaps = setup.communication.overlap || !setup.traits().zero_by_deepspeed;
    if overlaps { 2.0 } else { 1.0 }
}

/// Returns the elements of a bucket of `params` gradients.
fn bucket(params: f64) -> f64 {
    if params < REDUCE_BUCKET { params } else { REDUCE_BUCKET }
}

/// Returns the copies of gradients that DeepSpeed makes for the update on the GPU, in parameters of
/// compute's format: of this GPU's share, at most `most` at once, a flattened copy and its cast to
/// fp32 (`flatten(averaged_gradients[i]).to(fp32)` in `stage_1_and_2.py` and `stage3.py`).
fn flattened(of: &OfSetup<'_>, params: f64, most: f64) -> f64 {
    let setup = of.setup;
    if setup.offload.optimizer || setup.offload.parameters {
        return 0.0;
    }
    let share = params / of.degrees.optimizer;
    let (gradient, computed) = (of.bytes.gradients, of.bytes.gathered);
    let copies = if gradient > computed { gradient / computed } else { FLAT_SHARES };
    copies * if share < most { share } else { most }
}

/// Returns the unreduced gradients of DeepSpeed's stage 1 under Megatron.
///
/// - With 16-bit gradients (`stage_1_and_2.py`): its buckets, one for the gather, and at the update
///   two copies of this GPU's share of the gradients, flattened in 16 bits and cast to fp32.
///   Both are larger than any block that a layer frees: the allocator needs new ones for them.
/// - With fp32 gradients (`bf16_optimizer.py`): the 16-bit gradients of compute, which are added to
///   the fp32 gradients, and one bucket.
fn stage_1(of: &OfSetup<'_>, params: f64, replicas_reduce: bool) -> Reductions {
    let reduced = if replicas_reduce { bucket(params) } else { 0.0 };
    let at_update = Unreduced { reduced, ..Unreduced::NONE };
    if of.bytes.gradients > of.bytes.gathered {
        return Reductions::Buckets {
            in_passes: Unreduced { computed: params, ..at_update },
            at_update,
            reducing: 0.0,
        };
    }
    let computed = FLAT_SHARES * (params / of.degrees.optimizer);
    let both = Unreduced { computed, reduced: (buckets(of.setup) + 1.0) * reduced, copied: 0.0 };
    Reductions::Buckets { in_passes: both, at_update: both, reducing: 0.0 }
}
