//! The moments of a step at which memory can peak, and what is alive at each.

use super::{RecipeBytes, ShardDegrees, States, kept_bytes, layer_bytes, recipe_bytes, shard_degrees, states};
use crate::model::report::{MemoryPart, MemoryParts, MemoryReport, PeakMoment};
use crate::model::setup::Setup;
use crate::model::training::{Reshard, Sharding};
use crate::model::transformer::UnitParams;
use crate::units::Bytes;

/// Bytes per logit alive at the loss without a fused cross-entropy: fp32 logits, their log-softmax and its gradient.
/// PyTorch's tracker finds 4 kept and 8 temporary for Llama with a 128,256 vocabulary.
const LOSS_BYTES_PER_LOGIT: f64 = 12.0;
/// Elements of width H per token alive beside a layer's gradients when its backward pass ends: the gradients of its
/// input and of its attention block, and the residual's. The tracker finds 6 H bytes in bf16.
const END_OF_LAYER_WIDTHS: f64 = 3.0;
/// Elements of width H per token alive in the MLP's backward pass beside its own: the residual's gradient and the
/// norm's.
const MLP_BACKWARD_WIDTHS: f64 = 2.0;
/// Elements that DeepSpeed reduces at once (`reduce_bucket_size`, default 5e8).
const ZERO2_BUCKET: f64 = 5e8;

/// Where in the step the memory is counted.
#[derive(Clone, Copy)]
enum Point {
    /// At the loss.
    Loss,
    /// In the middle of a layer's backward pass, with this many layers (this one among them) left to do.
    InLayer(f64),
    /// At the end of a layer's backward pass, its gradients ready to reduce; layers left as above.
    AfterLayer(f64),
    /// At the end of the backward pass, when the root unit's gradients are reduced.
    Root,
    /// At the optimizer's update.
    Update,
}

/// The memory of one GPU at the peak of a step.
///
/// Counts every point at which the peak can lie: the loss, the middle and the end of the first, the second and the
/// last layer's backward pass (between them memory is linear in the layer), the root unit's reduction, and the optimizer's
/// update.
pub fn peak(setup: &Setup, params: &UnitParams) -> MemoryReport {
    let ledger = Ledger::new(setup, params);
    let layers = ledger.layers;
    let second = if layers > 1.0 { layers - 1.0 } else { layers };
    let points = [
        (Point::Loss, PeakMoment::Loss),
        (Point::InLayer(layers), PeakMoment::Backward),
        (Point::AfterLayer(layers), PeakMoment::Backward),
        (Point::InLayer(second), PeakMoment::Backward),
        (Point::AfterLayer(second), PeakMoment::Backward),
        (Point::InLayer(1.0), PeakMoment::Backward),
        (Point::AfterLayer(1.0), PeakMoment::Backward),
        (Point::Root, PeakMoment::Backward),
        (Point::Update, PeakMoment::Optimizer),
    ];
    let mut parts = ledger.parts(Point::Update);
    let mut moment = PeakMoment::Optimizer;
    let mut allocated = parts.total();
    for (point, its_moment) in points {
        let candidate = ledger.parts(point);
        let total = candidate.total();
        if total > allocated {
            (parts, moment, allocated) = (candidate, its_moment, total);
        }
    }
    let parts = parts
        .with(MemoryPart::Context, context(setup))
        .with(MemoryPart::Fragmentation, allocated * setup.overheads.fragmentation);
    MemoryReport { parts, moment, allocated, peak: parts.total(), capacity: setup.accelerator.memory }
}

fn context(setup: &Setup) -> Bytes {
    let mut communicators = 0.0;
    if setup.mesh.dp_shard > 1 {
        communicators += 1.0;
    }
    if setup.mesh.dp_replicate > 1 {
        communicators += 1.0;
    }
    setup.overheads.context + communicators * setup.overheads.per_communicator
}

/// The sizes from which the parts of every point are put together.
struct Ledger {
    layers: f64,
    layer_params: f64,
    root_params: f64,
    head_params: f64,
    bytes: RecipeBytes,
    degrees: ShardDegrees,
    states: States,
    sharding: Sharding,
    transient_gradients: bool,
    replicas_reduce: bool,
    sharded_gather: bool,
    kept: f64,
    whole: f64,
    in_layer: f64,
    end_of_layer: f64,
    logits: f64,
}

impl Ledger {
    fn new(setup: &Setup, params: &UnitParams) -> Self {
        let arch = &setup.architecture;
        let bytes = recipe_bytes(setup.recipe);
        let degrees = shard_degrees(setup);
        let layers = f64::from(arch.num_hidden_layers);
        let hidden = f64::from(arch.hidden_size);
        let vocabulary = f64::from(arch.vocab_size);
        let tokens = f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len);
        let matrices = if arch.gated_mlp { 3.0 } else { 2.0 };
        let mlp_backward = matrices * f64::from(arch.intermediate_size) + MLP_BACKWARD_WIDTHS * hidden;
        Self {
            layers,
            layer_params: params.layer,
            root_params: params.root,
            head_params: vocabulary * hidden,
            bytes,
            degrees,
            states: states(params.model, setup.recipe, degrees),
            sharding: setup.sharding,
            transient_gradients: matches!(setup.sharding, Sharding::Fsdp(_)) && setup.batch.grad_accum_steps <= 1,
            replicas_reduce: setup.mesh.gpus() > 1,
            sharded_gather: degrees.weights > 1.0 || bytes.gathered < bytes.weights,
            kept: kept_bytes(arch, setup.recompute, bytes.activation) * tokens,
            whole: layer_bytes(arch, bytes.activation) * tokens,
            in_layer: mlp_backward * bytes.activation * tokens,
            end_of_layer: END_OF_LAYER_WIDTHS * hidden * bytes.activation * tokens,
            logits: LOSS_BYTES_PER_LOGIT * tokens * vocabulary,
        }
    }

    fn parts(&self, point: Point) -> MemoryParts {
        let (activations, working_set, logits) = self.activations(point);
        MemoryParts::default()
            .with(MemoryPart::Weights, self.states.weights)
            .with(MemoryPart::Gradients, Bytes::new(self.gradients(point)))
            .with(MemoryPart::Optimizer, self.states.optimizer)
            .with(MemoryPart::GatheredWeights, Bytes::new(self.gathered(point)))
            .with(MemoryPart::UnreducedGradients, Bytes::new(self.unreduced(point)))
            .with(MemoryPart::Activations, Bytes::new(activations))
            .with(MemoryPart::WorkingSet, Bytes::new(working_set))
            .with(MemoryPart::Logits, Bytes::new(logits))
    }

    fn activations(&self, point: Point) -> (f64, f64, f64) {
        match point {
            Point::Loss => (self.layers * self.kept, 0.0, self.logits),
            Point::InLayer(left) => (left * self.kept, self.whole - self.kept + self.in_layer, 0.0),
            Point::AfterLayer(left) => ((left - 1.0) * self.kept, self.end_of_layer, 0.0),
            Point::Root | Point::Update => (0.0, 0.0, 0.0),
        }
    }

    /// Gradients at rest: FSDP allocates each unit's shard when it is first reduced and frees it after the update.
    fn gradients(&self, point: Point) -> f64 {
        if !self.transient_gradients {
            return self.states.gradients.get();
        }
        let shard = self.bytes.gradients * self.layer_params / self.degrees.gradients;
        match point {
            Point::Loss => 0.0,
            Point::InLayer(left) => (self.layers - left) * shard,
            Point::AfterLayer(left) => (self.layers - left + 1.0) * shard,
            Point::Root | Point::Update => self.states.gradients.get(),
        }
    }

    /// The root unit stays gathered; of the layers, the current one and the prefetched one are.
    fn gathered(&self, point: Point) -> f64 {
        if !self.sharded_gather {
            return 0.0;
        }
        let units = match point {
            Point::Loss => 1.0,
            Point::InLayer(left) | Point::AfterLayer(left) => {
                if left > 1.0 {
                    2.0
                } else {
                    1.0
                }
            }
            Point::Root | Point::Update => 0.0,
        };
        let current = self.bytes.gathered * (self.root_params + units * self.layer_params);
        let whole = self.bytes.gathered * (self.root_params + self.layers * self.layer_params);
        match (self.sharding, point) {
            // FSDP frees a unit's gathered weights before it reduces its gradients, the root's last.
            (_, Point::Update) | (Sharding::Fsdp(_), Point::Root) => 0.0,
            (Sharding::Fsdp(Reshard::Always), _) => current,
            (Sharding::Fsdp(Reshard::To(group)), _) => {
                let between = whole / f64::from(group.max(1));
                if current + between < whole { current + between } else { whole }
            }
            // Kept from forward to backward; without sharding it is the 16-bit copy that autocast holds.
            (Sharding::Fsdp(Reshard::Never) | Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2, _) => whole,
        }
    }

    /// Gradients as compute produced them, and the buffers of their reduction.
    fn unreduced(&self, point: Point) -> f64 {
        let params = self.root_params + self.layers * self.layer_params;
        match self.sharding {
            Sharding::Fsdp(_) => {
                let head = self.bytes.gathered * self.head_params;
                let reduction = self.bytes.reduced * self.layer_params;
                match point {
                    Point::Loss | Point::Update => 0.0,
                    Point::InLayer(left) => head + if left < self.layers { reduction } else { 0.0 },
                    Point::AfterLayer(_) => head + self.bytes.gathered * self.layer_params + reduction,
                    Point::Root => (self.bytes.gathered + self.bytes.reduced) * self.root_params,
                }
            }
            // DDP's buckets are a second copy of all gradients unless `gradient_as_bucket_view` is set.
            Sharding::Ddp if self.replicas_reduce => self.bytes.gradients * params,
            Sharding::Zero2 if self.replicas_reduce => {
                self.bytes.reduced * if params < ZERO2_BUCKET { params } else { ZERO2_BUCKET }
            }
            Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => 0.0,
        }
    }
}
