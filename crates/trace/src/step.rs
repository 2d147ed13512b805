//! One training step, following the code of its training loop.

use super::checkpoint::Segment;
use super::event::{Category, Event, Moment, Phase, Place, TensorId};
use super::formats::Formats;
use super::node::{NONE, NodeKind};
use super::operators::FP32;
use super::policy::Checkpoint;
use super::shape::Shape;
use super::tape::{Tape, Value, Weight};
use super::units::{Sharding as Shards, Unit, Units};
use super::weights::{Layer, Root};
use super::{compiled, loss, optimizer, torchtitan, transformers};
use engine::model::framework::Layers;
use engine::model::memory::{OtherModels, message_buffers};
use engine::model::setup::Setup;
use engine::model::software::RootUnit;
use engine::model::stages::Stage;
use engine::model::states::{cast_gradient_bytes, optimizer_bytes, recipe_bytes, shard_degrees};
use engine::model::sync::GradientSyncPlan;
use engine::model::training::{Recompute, Reshard, Sharding};
use engine::model::transformer::Norm;
use engine::units::Bytes;

/// Number of micro-batches in the trace; all later ones equal the second.
const MICRO_BATCHES: u32 = 2;
/// Bytes of a token id, and of a label.
const TOKEN: u64 = 8;
/// Bytes per complex number in torchtitan's table of positions.
const COMPLEX: u64 = 8;
/// Weights in the head's unit: final norm and head.
const HEAD_WEIGHTS: u32 = 2;

/// Events of one training step on one GPU.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Events before the first step: weights, tables, inputs.
    pub rest: Vec<Event>,
    /// Forward and backward passes.
    pub pass: Vec<Event>,
    /// Gradients left by the passes, freed at the start of the next step.
    pub gradients: Vec<TensorId>,
    /// The first update, which allocates the optimizer state.
    pub first_update: Vec<Event>,
    /// The update of every later step.
    pub update: Vec<Event>,
    /// Number of tensors in the whole trace.
    pub tensors: usize,
}

/// Origin of the layers' code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Code {
    Torchtitan,
    /// torchtitan's layers, compiled.
    Compiled,
    Transformers,
}

impl Code {
    fn select(setup: &Setup) -> Self {
        match setup.traits().layers {
            _ if setup.kernels.compile => Self::Compiled,
            Layers::Transformers => Self::Transformers,
            Layers::Torchtitan | Layers::Own => Self::Torchtitan,
        }
    }
}

/// State while a step is recorded.
struct Step<'a> {
    setup: &'a Setup,
    code: Code,
    shape: Shape,
    tape: Tape,
    units: Units,
    layers: Vec<Layer>,
    root: Root,
    segments: Vec<Segment>,
    /// Rotary tables of the current micro-batch.
    tables: Vec<Value>,
    /// Inputs of layers and their gradients that stay until the end of the backward pass.
    left_behind: Vec<TensorId>,
    /// Number of weights outside the layers.
    root_weights: usize,
    /// Bytes of the models besides the trained one.
    other_models: Bytes,
    stage: Stage,
}

impl Trace {
    /// Records the step of a GPU of this stage.
    pub fn record(setup: &Setup, stage: &Stage) -> Self {
        Self::with(setup, stage, |formats| formats)
    }

    /// Records a step in which only the norms train, regardless of the setup. This checks frozen
    /// weights next to trained ones, in a combination that no scenario has.
    pub fn record_norms(setup: &Setup, stage: &Stage) -> Self {
        Self::with(setup, stage, Formats::for_norms)
    }

    fn with(setup: &Setup, stage: &Stage, trained: fn(Formats) -> Formats) -> Self {
        let mut step = Step::new(setup, stage, trained);
        let rest = step.rest();
        let accumulated = setup.batch.grad_accum_steps.min(MICRO_BATCHES);
        let each = GradientSyncPlan::new(setup).reduce_each;
        for micro_batch in 1..=accumulated {
            step.micro_batch(each || micro_batch == accumulated);
        }
        let gradients = step.gradients();
        let pass = step.pass();
        let moments = step.moments();
        let casts = step.cast_gradients();
        optimizer::update(&mut step.tape, setup, &moments, casts, true);
        let first_update = core::mem::take(&mut step.tape.events);
        optimizer::update(&mut step.tape, setup, &moments, casts, false);
        let update = core::mem::take(&mut step.tape.events);
        Self { rest, pass, gradients, first_update, update, tensors: step.tape.tensors() }
    }
}

/// Returns the bytes of activations that are alive when the first backward pass begins.
fn kept(pass: &[Event], tensors: usize) -> u64 {
    let mut alive = vec![0; tensors];
    for event in pass {
        match *event {
            Event::Allocate { moment, .. } if moment.phase == Phase::Backward => break,
            Event::Allocate { tensor, bytes, category: Category::Activation, .. } => {
                if let Some(slot) = alive.get_mut(tensor as usize) {
                    *slot = bytes;
                }
            }
            Event::Allocate { .. } => {}
            Event::Free { tensor } => {
                if let Some(slot) = alive.get_mut(tensor as usize) {
                    *slot = 0;
                }
            }
        }
    }
    alive.iter().sum()
}

impl<'a> Step<'a> {
    fn new(setup: &'a Setup, stage: &Stage, trained: fn(Formats) -> Formats) -> Self {
        let shape = Shape::new(setup, stage);
        let code = Code::select(setup);
        let bytes = recipe_bytes(setup.recipe);
        let group = if matches!(setup.sharding, Sharding::Fsdp(_)) { shard_degrees(setup).weights as u64 } else { 1 };
        let gradients = if group > 1 { Category::UnshardedGradient } else { Category::Gradient };
        let formats = trained(Formats::new(setup, group, shape.compute, shape.autocast, code == Code::Transformers));
        let mut tape = Tape::new(shape.compute, formats, gradients);
        tape.autocast = shape.autocast.then(Vec::new);
        tape.keeps_biased = setup.keeps_biased_products();
        tape.table_parts = if setup.tensor.splits_embedding { shape.tp } else { 1 };
        tape.groups = if group > 1 { [group, u64::from(setup.mesh.expert_shard_group())] } else { [1; 2] };
        let several = setup.batch.grad_accum_steps > 1;
        if shape.autocast || several && !(group > 1 && GradientSyncPlan::new(setup).reduce_each) {
            tape.accumulated = Some(bytes.reduced as u64);
        }
        let root = tape.root_weights(&shape);
        let root_end = tape.weights.len() as u32;
        let layer_norm = setup.architecture.norm != Norm::Rms;
        let mut units = Vec::new();
        let mut layers = Vec::new();
        let reshards = setup.sharding == Sharding::Fsdp(Reshard::Always);
        let root_unit = match setup.root_unit() {
            // PEFT's copies of the tables exist next to the originals.
            RootUnit::Head if tape.formats.copies_tables => RootUnit::Kept,
            root_unit => root_unit,
        };
        for index in 0..shape.layers {
            let first = tape.weights.len() as u32;
            layers.push(tape.layer_weights(&shape, &formats.layer_formats(index), layer_norm));
            let kept = root_unit == RootUnit::KeptWithLast && index + 1 == shape.layers;
            units.push(Unit::new((first, tape.weights.len() as u32), reshards && !kept));
        }
        // The embedding is a separate unit, or part of the head's unit.
        if root_unit == RootUnit::Head {
            let after_tables = root_end - u32::from(shape.head) * HEAD_WEIGHTS;
            units.push(Unit::new((0, after_tables), reshards));
            units.push(Unit::new((after_tables, root_end), false));
        } else {
            units.push(Unit::new((0, root_end), reshards && root_unit == RootUnit::Freed));
        }
        let sharding = Shards {
            group,
            stored: bytes.weights as u64,
            reduced: bytes.reduced as u64,
            offloaded: setup.offload.parameters,
            keeps_gathered: GradientSyncPlan::new(setup).keeps_gathered,
        };
        let units = Units::new(units, sharding);
        Self {
            setup,
            code,
            shape,
            tape,
            units,
            layers,
            root,
            segments: Vec::new(),
            tables: Vec::new(),
            left_behind: Vec::new(),
            root_weights: root_end as usize,
            other_models: OtherModels::new(setup, stage).total(),
            stage: *stage,
        }
    }

    /// Records the tensors at rest.
    fn rest(&mut self) -> Vec<Event> {
        let at_rest = |weight: &Weight| weight.shard_bytes(weight.format.stored);
        let shards: Vec<u64> = self.tape.weights.iter().map(at_rest).collect();
        for bytes in self.ordered(&shards).into_iter().filter(|_| !self.setup.offload.parameters) {
            self.tape.allocate("parameter", bytes, Category::Parameter);
        }
        self.tape.allocate("parameter", self.other_models.get() as u64, Category::OtherModel);
        if self.code != Code::Transformers {
            let table = self.shape.heads.sequence * self.shape.heads.width / 2 * COMPLEX;
            self.tape.allocate("freqs_cis", table, Category::Buffer);
        }
        let buffers = message_buffers(self.setup, &self.stage).get() as u64;
        self.tape.allocate("recv", buffers, Category::Buffer);
        for _ in 0..2 {
            self.tape.allocate("input", self.shape.tokens * TOKEN, Category::Input);
        }
        core::mem::take(&mut self.tape.events)
    }

    /// Sorts values of all weights in the order of `model.parameters()`: embedding, layers, final
    /// norm and head.
    fn ordered<T: Copy>(&self, of_weights: &[T]) -> Vec<T> {
        let (root, layers) = of_weights.split_at(self.root_weights.min(of_weights.len()));
        let (before, after) = root.split_at(usize::from(self.shape.embedding).min(root.len()));
        [before, layers, after].concat()
    }

    /// Returns the events of the passes. Around them are the activations of the other micro-batches
    /// in flight, as many bytes for each as the traced micro-batch keeps: a pipeline is full
    /// between its warm-up and its end.
    fn pass(&mut self) -> Vec<Event> {
        let mut pass = core::mem::take(&mut self.tape.events);
        let others = ((self.stage.in_flight - 1.0) * kept(&pass, self.tape.tensors()) as f64) as u64;
        if others > 0 {
            self.at(Phase::Forward, Place::Embedding);
            let tensor = self.tape.allocate("in flight", others, Category::Activation);
            self.tape.release(tensor);
            let freed = self.tape.events.pop();
            pass.splice(0..0, core::mem::take(&mut self.tape.events));
            pass.extend(freed);
        }
        pass
    }

    fn at(&mut self, phase: Phase, place: Place) {
        self.tape.moment = Moment { phase, place };
    }

    /// Returns the units of embedding and head, which may be equal.
    fn root_units(&self) -> [usize; 2] {
        [self.layers.len(), self.units.each.len() - 1]
    }

    fn micro_batch(&mut self, reduces: bool) {
        self.tape.nodes.clear();
        let (x, embedded) = self.forward();
        let loss = if self.shape.head { self.loss(x, embedded) } else { self.send(x, embedded) };
        self.tape.leave_autocast();
        self.backward(loss, reduces);
    }

    /// Computes the rotary tables of one micro-batch: cosines and sines.
    fn tables(&mut self) -> Vec<Value> {
        let Shape { heads, element, positions, .. } = self.shape;
        if self.code != Code::Transformers || positions > 0 {
            return Vec::new();
        }
        let elements = heads.sequence * heads.width;
        let angles = self.tape.make("mul", elements / 2 * FP32);
        let whole = self.tape.make("cat", elements * FP32);
        let scaled = ["cos", "sin"].map(|operator| {
            let wave = self.tape.make(operator, elements * FP32);
            let scaled = self.tape.make("mul", elements * FP32);
            self.tape.release(wave);
            scaled
        });
        let tables = (0..2).map(|_| self.tape.table("_to_copy", elements * element)).collect();
        for tensor in [angles, whole].into_iter().chain(scaled) {
            self.tape.release(tensor);
        }
        tables
    }

    fn checkpoint(&self, layer: u32) -> Checkpoint {
        let share = 1.0 - self.setup.kept_layers();
        match self.setup.recompute {
            Recompute::Selective => Checkpoint::Operators,
            // A share of the layers, evenly spaced: of two layers the second, as in torchtitan's
            // `selective_ac_option`.
            _ if (f64::from(layer + 1) * share).floor() > (f64::from(layer) * share).floor() => Checkpoint::Full,
            _ => Checkpoint::None,
        }
    }

    fn run_layer(&mut self, index: u32, x: &Value) -> Value {
        let Some(layer) = self.layers.get(index as usize) else { return self.tape.share(x) };
        match self.code {
            Code::Torchtitan => torchtitan::layer(&mut self.tape, &self.shape, layer, x),
            Code::Compiled => compiled::layer(&mut self.tape, &self.shape, layer, x),
            Code::Transformers => transformers::layer(&mut self.tape, &self.shape, layer, x),
        }
    }

    /// Runs the forward pass from the tokens to the output of the last layer. Also returns the
    /// embedded input if the model still holds it.
    fn forward(&mut self) -> (Value, Option<Value>) {
        let [embedding, head] = self.root_units();
        self.at(Phase::Forward, Place::Embedding);
        self.units.before_forward(&mut self.tape, embedding);
        let shape = self.shape;
        let x = self.tape.embedding(self.root.embedding, shape.tokens * shape.hidden, shape.element);
        let x = torchtitan::own_sequence(&mut self.tape, &shape, x);
        if embedding != head {
            self.units.after_forward(&mut self.tape, embedding);
        }
        // PEFT's models with checkpointing call `enable_input_require_grads`.
        let peft = self.code == Code::Transformers && self.tape.formats.adapters.is_some();
        let mut x = if peft && self.setup.recompute != Recompute::None { self.tape.require_gradient(x) } else { x };
        // Hugging Face's model keeps a reference to the embedded input.
        let embedded = (self.code == Code::Transformers).then(|| self.tape.share(&x));
        self.tables = self.tables();
        for index in 0..self.shape.layers {
            self.units.before_forward(&mut self.tape, index as usize);
            self.at(Phase::Forward, Place::Layer(index));
            let checkpoint = self.checkpoint(index);
            let first = self.tape.nodes.len() as u32;
            self.tape.enter(checkpoint);
            let out = self.run_layer(index, &x);
            let mut kept = self.tape.leave();
            let nodes = (first, self.tape.nodes.len() as u32);
            // Without nodes, nothing is recomputed, so no tensor is held.
            let has_nodes = nodes.0 < nodes.1;
            let input = if has_nodes && checkpoint != Checkpoint::None { self.tape.hold(x.tensor) } else { NONE };
            if !has_nodes {
                for tensor in kept.drain(..) {
                    self.tape.release(tensor);
                }
            }
            self.segments.push(Segment { nodes, checkpoint, input, input_node: x.node, kept });
            self.units.after_forward(&mut self.tape, index as usize);
            self.tape.drop(core::mem::replace(&mut x, out));
        }
        (x, embedded)
    }

    /// Sends the output of the last layer to the next stage; returns the node that receives its
    /// gradient.
    fn send(&mut self, x: Value, embedded: Option<Value>) -> u32 {
        let node = self.tape.node(NodeKind::View, [&x]);
        for value in core::iter::once(x).chain(embedded) {
            self.tape.drop(value);
        }
        let [_, head] = self.root_units();
        self.units.after_forward(&mut self.tape, head);
        node
    }

    /// Receives the gradient of [`Self::send`]'s output from the next stage.
    fn receive(&mut self, sent: u32) {
        let bytes = self.tape.nodes.get(sent as usize).map_or(0, |node| node.inputs[0].bytes);
        let gradient = self.tape.make("recv", bytes);
        if let Some(node) = self.tape.nodes.get_mut(sent as usize) {
            node.gradient = gradient;
        }
    }

    /// Runs the final norm, the head and the loss; returns the node of the loss.
    fn loss(&mut self, x: Value, embedded: Option<Value>) -> u32 {
        let shape = self.shape;
        let [_, head] = self.root_units();
        self.at(Phase::Forward, Place::Head);
        self.units.before_forward(&mut self.tape, head);
        let normal = match self.code {
            Code::Torchtitan | Code::Compiled => {
                torchtitan::norm(&mut self.tape, &shape, &x, x.elements / shape.hidden, self.root.norm)
            }
            Code::Transformers => transformers::residual_norm(&mut self.tape, &shape, &x, self.root.norm, None),
        };
        for value in core::iter::once(x).chain(embedded) {
            self.tape.drop(value);
        }
        let whole = torchtitan::whole_sequence(&mut self.tape, &shape, &normal);
        let shares = u64::from(self.setup.loss_parallel());
        let (parts, loss) = loss::parts(self.setup.kernels.loss, shape.tokens * shape.vocab * shape.tp / shares);
        let logits = self.tape.head(&whole, self.root.head, parts);
        self.tape.drop(whole);
        self.tape.drop(normal);
        let logits = if shape.softcap { self.tape.softcap(&logits) } else { logits };
        let logits = if shares < shape.tp { self.tape.gather_logits(logits, shape.tp) } else { logits };
        self.units.after_forward(&mut self.tape, head);
        self.at(Phase::Loss, Place::Head);
        self.tape.loss(logits, loss, shares > 1 && parts == 1)
    }

    fn backward(&mut self, loss: u32, reduces: bool) {
        self.at(Phase::Backward, Place::Loss);
        let at_end = self.units.sharding.keeps_gathered;
        let [embedding, head] = self.root_units();
        if loss == NONE {
            // No weight trains.
            self.tables.drain(..).for_each(|table| self.tape.drop(table));
            self.segments.clear();
            self.units.finish_backward(&mut self.tape, reduces);
            return;
        }
        if !self.shape.head {
            self.receive(loss);
        }
        self.tape.run_back(loss);
        self.units.before_backward(&mut self.tape, head, self.layers.len().checked_sub(1));
        let mut end = loss;
        let segments = core::mem::take(&mut self.segments);
        let mut of_head = embedding != head;
        for (index, segment) in segments.into_iter().enumerate().rev() {
            for node in (segment.nodes.1..end).rev() {
                self.tape.run_back(node);
            }
            if core::mem::take(&mut of_head) {
                self.units.after_backward(&mut self.tape, head, reduces && !at_end);
            }
            end = segment.nodes.0;
            if segment.nodes.0 == segment.nodes.1 {
                // No weight trains here or below.
                continue;
            }
            let next = index.checked_sub(1).or((embedding != head).then_some(embedding));
            self.units.before_backward(&mut self.tape, index, next);
            self.at(Phase::Backward, Place::Layer(index as u32));
            let (input, node) = (segment.input, segment.input_node);
            let input = if self.setup.keeps_inputs_of_frozen_units() { self.tape.hold(input) } else { NONE };
            self.layer_backward(index as u32, segment);
            if input != NONE {
                let gradient = self.tape.nodes.get(node as usize).map_or(NONE, |node| node.gradient);
                let gradient = self.tape.hold(gradient);
                self.left_behind.extend([input, gradient]);
            }
            self.units.after_backward(&mut self.tape, index, reduces && !at_end);
        }
        for table in core::mem::take(&mut self.tables) {
            self.tape.drop(table);
        }
        self.at(Phase::Backward, Place::Embedding);
        // Without a gradient, FSDP does not gather the embedding's weights.
        if embedding != head && end > 0 {
            self.units.before_backward(&mut self.tape, embedding, None);
        }
        for node in (0..end).rev() {
            self.tape.run_back(node);
        }
        self.units.after_backward(&mut self.tape, embedding, reduces && !at_end);
        if reduces && at_end {
            for unit in 0..self.units.each.len() {
                self.units.after_backward(&mut self.tape, unit, true);
            }
        }
        for tensor in core::mem::take(&mut self.left_behind) {
            self.tape.release(tensor);
        }
        self.units.finish_backward(&mut self.tape, reduces);
        // The trainer keeps the logits until the step's backward pass ends.
        if let Some(NodeKind::Loss(loss)) = self.tape.nodes.get(loss as usize).map(|node| node.kind) {
            self.tape.release(loss.held);
        }
    }

    fn layer_backward(&mut self, index: u32, mut segment: Segment) {
        let (first, end) = segment.nodes;
        self.tape.recomputed = segment.checkpoint != Checkpoint::None;
        for node in (first..end).rev() {
            if self.tape.lacks(node) {
                self.recompute(index, &mut segment);
                let kept = core::mem::take(&mut segment.kept);
                let held = kept.into_iter().chain([segment.input]).collect();
                self.tape.checkpoint = (self.tape.last_saving(first, end), held);
            }
            self.tape.run_back(node);
        }
        self.tape.recomputed = false;
    }

    /// Recomputes the forward pass of a checkpointed layer.
    fn recompute(&mut self, index: u32, segment: &mut Segment) {
        self.tape.enter_again(segment);
        let elements = self.shape.residual_tokens * self.shape.hidden;
        let input = self.tape.hold(segment.input);
        let input = self.tape.value(input, segment.input_node, elements, self.shape.element);
        let out = self.run_layer(index, &input);
        self.tape.drop(out);
        self.tape.drop(input);
        // Outputs that the policy kept but the recomputation did not use stay alive until the layer
        // is done.
        segment.kept = self.tape.leave();
    }

    /// Returns the gradients that are alive after the passes.
    fn gradients(&self) -> Vec<TensorId> {
        let shards = self.units.each.iter().map(|unit| unit.shard);
        let whole = self.tape.weights.iter().map(|weight| weight.gradient);
        shards.chain(whole).filter(|tensor| *tensor != NONE).collect()
    }

    /// Returns the bytes of the gradients that the update casts to fp32.
    fn cast_gradients(&self) -> u64 {
        let trained = self.tape.weights.iter().filter(|weight| weight.format.trains);
        trained.map(Weight::shard).sum::<u64>() * cast_gradient_bytes(self.setup) as u64
    }

    /// Returns the bytes of one moment of each parameter on this GPU.
    fn moments(&self) -> Vec<u64> {
        if !self.setup.offload.updates_here() || self.setup.offload.pages_state() {
            return Vec::new();
        }
        let (matrix, _) = optimizer_bytes(self.setup);
        let moment = (matrix / 2.0) as u64;
        // ZeRO cuts the flattened weights, FSDP each weight's rows.
        let flat = if self.units.sharding.group > 1 { 1 } else { shard_degrees(self.setup).optimizer as u64 };
        let of = |weight: &Weight| {
            let moment = if weight.format.trains { moment } else { 0 };
            (weight.shard() * moment).div_ceil(flat)
        };
        self.ordered(&self.tape.weights.iter().map(of).collect::<Vec<_>>())
    }
}
