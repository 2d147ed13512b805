//! The moments of a step at which memory can peak, and what is alive at each.

mod cache;
mod context;
mod in_backward;
mod logits;
mod nanotron;
mod stage_3;
mod terms;
mod waiting;
mod workspaces;
mod xla;

use super::activations::{self, LayerBytes};
use super::states::{
    FrozenBytes, RecipeBytes, States, base, expert_padding, expert_shard_degrees, gathered_layer_bytes, of_gpu,
    of_update, paged, recipe_bytes, shard_degrees,
};
use crate::model::lengths::Lengths;
use crate::model::other_models::OtherModels;
use crate::model::per_rank::{self, LocalParams};
use crate::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use crate::model::rollout::engine::engine_beside_training;
use crate::model::setup::Setup;
use crate::model::software::{Cache, Framework, NormKernel};
use crate::model::stages::{ByStage, Stage};
use crate::model::sync::GradientSyncPlan;
use crate::model::tower::memory::TowerMemory;
use crate::model::training::Sharding;
use crate::units::Bytes;
use cache::within;
pub use cache::{Alive, Held, OUTGROWN};
use context::communicators;
pub use context::{SWITCH_BUFFERS, context, switch_communicators};
use in_backward::InBackward;
use logits::{bytes_kept_per_logit, bytes_per_logit, logits};
pub use terms::{PeakTerms, Working};
pub use waiting::{Gathered, Unreduced};
pub use workspaces::{dequantized, workspaces};

/// Elements of width H per token alive beside a layer's gradients when its backward pass ends: the gradients of its
/// input and of its attention block, and the residual's. The tracker finds 6 H bytes in bf16.
const END_OF_LAYER_WIDTHS: f64 = 3.0;
/// Elements that DeepSpeed reduces at once (`reduce_bucket_size`, default 5e8).
const REDUCE_BUCKET: f64 = 5e8;

/// Parameters of a GPU that its stage 3 updates at once (`sub_group_size`, default 1e9).
const SUB_GROUP: f64 = 1e9;

/// Bytes per token and layer, over H, that an upcasting implementation holds at the loss and no more in the backward pass:
/// the tracker finds 26 H at the loss, 24 H after it.
const UPCAST_AT_LOSS: f64 = 2.0;

/// Buckets of that size that its stage 1 holds: two that reduce in turn, one that gathers.
const ZERO1_BUCKETS: f64 = 3.0;
/// Its share of the gradients at the update, in sizes of the 16-bit one: flattened, and cast to fp32.
const FLAT_SHARES: f64 = 3.0;

/// Where in the step the memory is counted.
#[derive(Clone, Copy)]
enum Point {
    /// At the loss.
    Loss,
    /// In the middle of a layer's backward pass, with this many layers (this one among them) left to do.
    InLayer(f64),
    /// At the end of a layer's backward pass, its gradients ready to reduce; layers left as above, one more at the end of the head's.
    AfterLayer(f64),
    /// At the end of the backward pass, when the root unit's gradients are reduced.
    Root,
    /// In the encoder of images: in the backward pass where that trains, else in the forward pass.
    Tower,
    /// At the optimizer's update.
    Update,
}

/// The memory of one GPU at the peak of a step, on the stage that needs most.
///
/// Counts every point at which the peak can lie: the loss, the middle and the end of the backward pass of the last layer, of
/// the one before it, of the second and of the first (between them memory is linear in the layer), the root unit's
/// reduction, and the optimizer's update.
pub fn peak(setup: &Setup, stages: &ByStage<Stage>) -> MemoryReport {
    match setup.lengths {
        Lengths::Equal | Lengths::LongestOf { .. } => most_needy(setup, stages).1,
        Lengths::OfTexts { .. } => most_needy(&setup.at_longest(), stages).1,
    }
}

/// The stage that needs most memory, the earliest of equals, with its memory.
fn most_needy<'a>(setup: &Setup, stages: &'a ByStage<Stage>) -> (&'a Stage, MemoryReport) {
    let mut most = (&stages.first, of_stage(setup, &stages.first));
    for stage in stages.between.iter().chain(&stages.last) {
        let other = of_stage(setup, stage);
        if other.allocated > most.1.allocated {
            most = (stage, other);
        }
    }
    most
}

/// The memory of one GPU of a stage at the peak of a step.
pub fn of_stage(setup: &Setup, stage: &Stage) -> MemoryReport {
    let ledger = Ledger::new(setup, stage, &stage.params);
    let peak = ledger.peak();
    let cache = ledger.cache(setup, stage, &peak);
    let alive = ledger.alive(setup, &peak);
    let report = report(setup, ledger.parts(peak.point), peak.moment, &alive, (cache, cache.reserved(&alive)));
    with_pages(report, paged(setup, &stage.params))
}

/// The report with as much of the paged optimizer state as the GPU has room for beside all else. Unified memory yields to what PyTorch
/// allocates (QLoRA, arXiv 2305.14314, section 3): it is needed by nobody else, and not among what tensors occupy.
fn with_pages(report: MemoryReport, paged: Bytes) -> MemoryReport {
    if paged <= Bytes::ZERO {
        return report;
    }
    let free = (report.capacity - report.peak).max(Bytes::ZERO);
    let here = if paged < free { paged } else { free };
    MemoryReport { parts: report.parts.with(MemoryPart::Optimizer, here), peak: report.peak + here, ..report }
}

/// Bytes of paged optimizer state for which one GPU of a stage has no room at the peak: they wait in host memory.
///
/// ```
/// # use engine::{model::{memory::evicted, stages::stages}, share::decode};
/// let of = |link: &str| {
///     let setup = decode(link).scenario.setup();
///     evicted(&setup, &stages(&setup).first).gb().round()
/// };
/// // bitsandbytes' PagedAdamW8bit on Llama 3.1 8B: 16 GB of state are at home on 80 GB, and not beside 16 GB of weights on 24.
/// let tuning = "model=llama-3.1-8b&gpus=1&recipe=pure-bf16&optimizer=adamw-8bit&strategy=ddp&seq=2048&recompute=full&inbwd=yes";
/// assert_eq!(of(&format!("gpu=h100-sxm&{tuning}&paged=yes")), 0.0);
/// assert!((10.0..=16.0).contains(&of(&format!("gpu=rtx-4090&{tuning}&paged=yes"))));
/// assert_eq!(of(&format!("gpu=rtx-4090&{tuning}")), 0.0);
/// ```
pub fn evicted(setup: &Setup, stage: &Stage) -> Bytes {
    let paged = paged(setup, &stage.params);
    if paged > Bytes::ZERO {
        paged - of_stage(&setup.at_longest(), stage).parts.get(MemoryPart::Optimizer)
    } else {
        paged
    }
}

/// The report of these parts, alive at a moment, with what the process holds beside them: the context, and what the allocator
/// holds of what it reserves on a device without end.
pub(super) fn report(
    setup: &Setup,
    parts: MemoryParts,
    moment: PeakMoment,
    alive: &Alive,
    (cache, reserved): (Cache, Bytes),
) -> MemoryReport {
    let allocated = alive.allocated;
    let (nominal, capacity) = (setup.accelerator.memory, setup.accelerator.usable_memory());
    let (context, engine) = (context(setup), engine_beside_training(setup));
    let needed = cache.needed(alive);
    let (held, _) = within(capacity - context - engine, needed, reserved);
    let parts = parts
        .with(MemoryPart::Context, context)
        .with(MemoryPart::Fragmentation, held - allocated)
        .with(MemoryPart::Engine, engine);
    let needed = needed + context + engine;
    let predicted = MemoryReport { parts, moment, allocated, peak: parts.total(), needed, nominal, capacity };
    predicted.scaled(setup.measured_memory)
}

/// The point at which most is alive.
#[derive(Clone, Copy)]
struct Peak {
    point: Point,
    moment: PeakMoment,
    /// What is alive there.
    allocated: Bytes,
    /// The most that is alive on the stream of the kernels, wherever that is.
    compute: Bytes,
}

/// The sizes from which the parts of every point are put together.
struct Ledger {
    params: LocalParams,
    bytes: RecipeBytes,
    /// One layer's gradients at rest.
    gradient_shard: f64,
    /// The root unit and one layer, gathered, and all of the model.
    gathered_root: f64,
    gathered_layer: f64,
    gathered_all: f64,
    /// Bytes per parameter of what is gathered module by module.
    live_bytes: f64,
    states: States,
    /// The frozen base at rest, and models beside the one that trains.
    base: Bytes,
    sharding: Sharding,
    framework: Framework,
    offloaded: bool,
    reduces_once: bool,
    replicas_reduce: bool,
    /// GPUs that share the optimizer state.
    shares: f64,
    /// Whether other GPUs hold the same experts.
    experts_reduce: bool,
    sharded_gather: bool,
    /// Parameters of a layer that train, with what pads its experts.
    padded: f64,
    /// Whether DeepSpeed's stage 3 holds the weights.
    is_stage_3: bool,
    /// Whether the update runs on the GPU, where DeepSpeed flattens gradients for it.
    flattens: bool,
    /// Whether FSDP's collectives run in this step, each on a stream of its own.
    has_streams: bool,
    /// Micro-batches in flight beside the one in its backward pass.
    others: f64,
    kept: f64,
    /// What the last layer keeps, over the mean layer.
    last_kept: f64,
    /// What the layer in work holds beyond what is kept of it.
    working: f64,
    in_layer: f64,
    end_of_layer: f64,
    logits: f64,
    /// What the losses of other micro-batches keep where all forward passes come first.
    waiting_logits: f64,
    activations_offloaded: bool,
    several: bool,
    /// Activations alive at the loss alone.
    at_loss: f64,
    /// Temporaries of the optimizer's update.
    in_update: f64,
    /// The gradients alive where it runs in the backward pass.
    in_backward: Option<InBackward>,
    /// Workspaces of matrix products, alive throughout.
    workspaces: f64,
    /// The 16-bit copy of a quantized matrix, alive during its products.
    dequantized: f64,
    /// Models beside the one that trains.
    models: f64,
    /// The encoder of images, and whether it has a backward pass.
    tower: TowerMemory,
    passes_tower: bool,
    /// Whether XLA plans the step.
    is_xla: bool,
    /// Elements of a layer's largest weight.
    largest: f64,
}

/// What the layer in work holds in its backward pass beside what it keeps. The gradients of its experts (`of_experts` bytes) are there
/// before its mixer's backward pass; that of attention keeps little by then, that of a state all that is listed.
fn in_layer(setup: &Setup, in_work: &LayerBytes, of_experts: f64) -> f64 {
    let tokens = per_rank::tokens(setup);
    let most = in_work.gradients * tokens;
    if !setup.architecture.pattern.is_used() {
        return most;
    }
    let after_experts = in_work.last_block * tokens + in_work.experts * of_experts;
    if after_experts > most { after_experts } else { most }
}

impl Ledger {
    fn new(setup: &Setup, stage: &Stage, params: &LocalParams) -> Self {
        let arch = &setup.architecture;
        let bytes = recipe_bytes(setup.recipe);
        let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
        let shards_weights = matches!(setup.sharding, Sharding::Fsdp(_)) && degrees.weights > 1.0;
        let (gathered_layer, padding) = (gathered_layer_bytes(setup), expert_padding(setup));
        let (trained, frozen) = (&params.trained, params.frozen());
        let of_frozen = FrozenBytes::for_compute(setup, degrees.weights > 1.0);
        let gathered_root = bytes.gathered * trained.root + of_frozen.others * frozen.root;
        let frozen_layer = of_frozen.of_layer(&frozen);
        let gathered_unit = gathered_layer * trained.padded_layer(padding)
            + frozen_layer
            + of_frozen.matrices * padding * frozen.expert_unit;
        let mean_frozen = frozen_layer + of_frozen.matrices * padding * frozen.expert;
        let gathered_layers =
            trained.layers * gathered_layer * (trained.layer + padding * trained.expert) + frozen.layers * mean_frozen;
        let hidden = f64::from(arch.hidden_size);
        let tokens = per_rank::tokens(setup);
        let of_layer = activations::layer(setup, bytes.activation, &stage.shares);
        let in_work = activations::in_work(setup, bytes.activation, &stage.shares).unwrap_or(of_layer);
        let logits = logits(setup, stage);
        let upcast = if setup.kernels.norms == NormKernel::Upcast { UPCAST_AT_LOSS * hidden } else { 0.0 };
        let models = OtherModels::of(setup, stage).total();
        let tower = TowerMemory::of(setup, stage);
        let replicas = setup.mesh.replicas().saturating_mul(setup.mesh.cp);
        Self {
            params: *params,
            bytes,
            gradient_shard: bytes.gradients
                * (trained.layer / degrees.gradients + trained.expert / of_experts.gradients),
            gathered_root,
            gathered_layer: gathered_unit,
            gathered_all: gathered_root + gathered_layers,
            live_bytes: if setup.trained.is_all() {
                bytes.gathered
            } else {
                (gathered_root + gathered_layers) / params.held.all()
            },
            states: of_gpu(setup, params),
            base: base(setup, params) + models + tower.frozen,
            sharding: setup.sharding,
            framework: setup.framework,
            offloaded: setup.offload.parameters,
            reduces_once: !GradientSyncPlan::of(setup).reduce_each,
            replicas_reduce: replicas > 1,
            shares: degrees.optimizer,
            experts_reduce: setup.mesh.expert_shard_group().saturating_mul(setup.mesh.expert_replicas()) > 1,
            padded: trained.padded_layer(padding),
            is_stage_3: matches!(setup.sharding, Sharding::Fsdp(_)) && setup.framework == Framework::DeepSpeed,
            flattens: !setup.offload.optimizer && !setup.offload.parameters,
            has_streams: shards_weights
                && setup.framework.is_pytorch()
                && !matches!(setup.framework, Framework::DeepSpeed | Framework::MaxText),
            sharded_gather: degrees.weights > 1.0 || bytes.gathered < bytes.weights || setup.offload.parameters,
            others: stage.in_flight - 1.0,
            kept: of_layer.kept * tokens,
            last_kept: match arch.pattern.last() {
                Some(kind) if of_layer.kept > 0.0 => {
                    activations::layer(setup, bytes.activation, &arch.shares_of_kind(kind)).kept / of_layer.kept
                }
                _ => 1.0,
            },
            working: (in_work.whole - in_work.kept) * tokens,
            in_layer: in_layer(setup, &in_work, bytes.gathered * trained.expert_unit),
            end_of_layer: END_OF_LAYER_WIDTHS * hidden * per_rank::sequence_share(setup) * bytes.activation * tokens,
            // Those of further tokens wait while the next one's are in work.
            logits: bytes_per_logit(setup) * logits
                + f64::from(setup.mtp) * bytes_kept_per_logit(setup.kernels.loss) * logits,
            waiting_logits: if setup.forwards_first() {
                (stage.in_flight - 1.0) * bytes_kept_per_logit(setup.kernels.loss) * logits
            } else {
                0.0
            },
            activations_offloaded: setup.offload.activations,
            several: setup.batch.grad_accum_steps > 1,
            in_update: of_update(setup, params).get(),
            in_backward: InBackward::of(setup, params),
            at_loss: tokens
                * (of_layer.final_norm + (params.held.layers - params.below) * upcast * of_layer.kept / of_layer.whole),
            workspaces: workspaces(setup).get(),
            dequantized: dequantized(setup).get(),
            models: models.get(),
            tower,
            passes_tower: setup.gradients_pass_tower(),
            is_xla: setup.framework == Framework::MaxText,
            largest: xla::largest_weight(setup),
        }
    }

    /// The point at which most is alive.
    fn peak(&self) -> Peak {
        let (layers, below) = (self.params.held.layers, self.params.below);
        let second = if layers > below + 1.0 { layers - 1.0 } else { layers };
        let last_with_prefetch = if layers > below + 1.0 { below + 2.0 } else { layers };
        let (point, moment) = (Point::Update, PeakMoment::Optimizer);
        let mut most = Peak { point, moment, allocated: Bytes::ZERO, compute: Bytes::ZERO };
        let mut consider = |point, moment| {
            let (allocated, compute) = self.total(point);
            let compute = if compute > most.compute { compute } else { most.compute };
            most = if allocated > most.allocated {
                Peak { point, moment, allocated, compute }
            } else {
                Peak { compute, ..most }
            };
        };
        consider(point, moment);
        consider(Point::Loss, PeakMoment::Loss);
        // A stage of the head alone has no layers to be in.
        if layers > below {
            for left in [layers, second, last_with_prefetch, below + 1.0] {
                consider(Point::InLayer(left), PeakMoment::Backward);
                consider(Point::AfterLayer(left), PeakMoment::Backward);
            }
        }
        if self.in_backward.is_some_and(|gradients| gradients.head > 0.0) {
            consider(Point::AfterLayer(layers + 1.0), PeakMoment::Backward);
        }
        consider(Point::Root, PeakMoment::Backward);
        if self.tower.working > Bytes::ZERO {
            let moment = if self.passes_tower { PeakMoment::Backward } else { PeakMoment::Loss };
            consider(Point::Tower, moment);
        }
        most
    }

    /// What tensors occupy at this peak.
    fn alive(&self, setup: &Setup, peak: &Peak) -> Alive {
        let Peak { allocated, compute, .. } = *peak;
        Alive { allocated, compute, pools: self.pools(), base: self.base, outgrown: self.outgrown(setup) }
    }

    /// What the allocator holds beyond what is alive: nanotron's is counted block by block, but for the bounds, which assume none.
    fn cache(&self, setup: &Setup, stage: &Stage, peak: &Peak) -> Cache {
        match Cache::of(setup) {
            Cache::Share(share) if setup.framework == Framework::Nanotron && share > 0.0 => {
                let kept = self.activations(peak.point).0;
                Cache::Share(nanotron::held(setup, stage, kept) / peak.allocated.get())
            }
            cache => cache,
        }
    }

    /// Kept activations of this many layers, and of the micro-batches in flight beside: with activations in host memory, two
    /// layers' are on the GPU, the one in work and the one on its way.
    fn kept(&self, layers: f64) -> f64 {
        self.layers_kept(layers) * self.kept
    }

    fn layers_kept(&self, layers: f64) -> f64 {
        const LAYERS_HERE: f64 = 2.0;
        let below = self.params.below;
        // Of layers of several kinds the last one is done first.
        let layers = if layers == self.params.held.layers - 1.0 { layers + 1.0 - self.last_kept } else { layers };
        let alive = if layers > below { layers - below } else { 0.0 };
        let here = alive + self.others * (self.params.held.layers - below);
        if self.activations_offloaded && here > LAYERS_HERE { LAYERS_HERE } else { here }
    }

    fn parts(&self, point: Point) -> MemoryParts {
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
            .with(MemoryPart::Tower, self.of_tower(point).into_iter().sum())
    }

    /// [`Self::parts`] added up, in their order; and what of them was allocated on the stream of the kernels.
    fn total(&self, point: Point) -> (Bytes, Bytes) {
        let (activations, working_set, logits) = self.activations(point);
        let (gradients, gathered) = (self.gradients(point), self.what_is_gathered(point));
        let states = self.states.weights.get() + gradients + self.states.optimizer.get();
        let sum =
            states + self.gathered(gathered) + self.unreduced(point) + activations + working_set + logits + self.models;
        let tower: Bytes = self.of_tower(point).into_iter().sum();
        let sum = sum + tower.get();
        (Bytes::new(sum), Bytes::new(sum - self.of_other_streams(gradients, gathered)))
    }

    /// What encoder and projection hold: at rest, gathered, activations. Their gradients at rest are there with the root unit's, and with all that wait for the update.
    fn of_tower(&self, point: Point) -> [Bytes; 3] {
        let gradients = self.in_backward.is_none() && self.reduced_layers(point).is_none();
        let (gathered, kept) = (self.tower.gathered, self.tower.kept);
        match point {
            Point::Loss | Point::InLayer(_) | Point::AfterLayer(_) => [self.tower.at_rest(gradients), gathered, kept],
            Point::Tower => {
                [self.tower.at_rest(gradients), gathered + self.tower.gathered_unit, kept + self.tower.working]
            }
            Point::Root | Point::Update => [self.tower.at_rest(gradients), Bytes::ZERO, Bytes::ZERO],
        }
    }

    fn activations(&self, point: Point) -> (f64, f64, f64) {
        let (waiting, always) = (self.waiting_logits, self.workspaces);
        match point {
            Point::Loss => (self.kept(self.params.held.layers), always + self.at_loss, waiting + self.logits),
            Point::InLayer(left) => {
                (self.kept(left), always + self.dequantized + self.working + self.in_layer, waiting)
            }
            Point::AfterLayer(left) => (self.kept(left - 1.0), always + self.end_of_layer, waiting),
            Point::Tower => (self.kept(0.0), always, 0.0),
            Point::Root => (0.0, always, 0.0),
            Point::Update => (0.0, always + self.in_update, 0.0),
        }
    }
}
