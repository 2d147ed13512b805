//! A small autograd: tensors that live as long as something refers to them, and a graph that keeps
//! what its backward pass needs.
//!
//! Operators ([`super::operators`]) allocate their outputs and record a node; a node holds the
//! tensors that PyTorch's node holds and frees them when its backward pass has run. Model code is
//! then written as in PyTorch, and lifetimes follow as they do there.

use super::event::{Category, Event, Moment, Phase, Place, TensorId};
use super::formats::{Format, Formats};
use super::node::{Edge, INPUTS, Kind, NONE, Node, SAVED, WeightId};
use crate::allocator::Stream;

/// A matrix or a vector, as this GPU computes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    /// Size of the dimension that FSDP shards.
    pub rows: u64,
    /// Elements of each row.
    pub columns: u64,
    /// Whether it is the embedding and the head at once.
    pub shared: bool,
    /// Whether it trains, and in which formats it is.
    pub format: Format,
    /// Its whole gradient, once computed.
    pub gradient: TensorId,
}

impl Weight {
    /// Bytes of one GPU's shard among `group`, whole rows of elements of so many bytes.
    pub(super) fn shard_bytes(&self, group: u64, bytes: f64) -> u64 {
        ((self.rows.div_ceil(group) * self.columns) as f64 * bytes) as u64
    }
}

/// A tensor as an operator sees it. Whoever holds one gives it back with [`Tape::drop`], or the
/// tensor lives on.
#[derive(Debug)]
pub(super) struct Value {
    /// Its storage.
    pub tensor: TensorId,
    /// The node that made it; [`NONE`] where no gradient flows to it.
    pub node: u32,
    /// Elements.
    pub elements: u64,
    /// Bytes of one.
    pub width: u64,
}

impl Value {
    /// Bytes of all elements.
    pub(super) fn bytes(&self) -> u64 {
        self.elements * self.width
    }
}

/// What becomes of what nodes save.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Saving {
    /// It is held.
    Hold,
    /// It is counted, and recomputed later.
    Count,
    /// It is given to the nodes of the first pass: the next node, and how many tensors are still to
    /// come.
    Again { node: u32, left: u32 },
}

/// Tensor's life.
#[derive(Clone, Copy, Debug)]
struct Life {
    references: u32,
}

/// The tape.
pub(super) struct Tape {
    pub events: Vec<Event>,
    lives: Vec<Life>,
    pub nodes: Vec<Node>,
    pub weights: Vec<Weight>,
    saving: Saving,
    pub moment: Moment,
    /// Bytes of a weight's element in compute.
    pub element: u64,
    /// The formats of weights, by their kind.
    pub formats: Formats,
    /// The 16-bit copies of weights that autocast has made, by weight; `None` where weights come in
    /// the format of compute.
    pub autocast: Option<Vec<(WeightId, TensorId)>>,
    /// Gradients of weights that the node at work has computed.
    pub computed: Vec<(WeightId, TensorId)>,
    /// Gradients that it has made for the nodes before it.
    pub given: Vec<(Edge, TensorId)>,
    /// The last node of a checkpointed layer that saves something, and what is held until it has
    /// run.
    pub checkpoint: (u32, Vec<TensorId>),
    /// Whether the layer at work was recomputed.
    pub recomputed: bool,
    /// Whether selective recomputation keeps outputs of products with a bias too.
    pub keeps_biased: bool,
    /// GPUs that split a layer.
    pub tp: u64,
    /// Bytes of an element of gradients that accumulate over micro-batches; `None` where each is
    /// reduced.
    pub accumulated: Option<u64>,
    /// What whole gradients are: unsharded, or at rest already.
    pub gradients: Category,
    /// Outputs that a policy keeps from the forward pass, in order.
    pub kept: std::collections::VecDeque<TensorId>,
    /// Which outputs the policy keeps, where there is one.
    pub policy: Option<super::policy::Policy>,
}

impl Tape {
    pub(super) fn new(element: u64, formats: Formats, gradients: Category) -> Self {
        Self {
            events: Vec::new(),
            lives: Vec::new(),
            nodes: Vec::new(),
            weights: Vec::new(),
            saving: Saving::Hold,
            moment: Moment { phase: Phase::Rest, place: Place::Embedding },
            element,
            formats,
            autocast: None,
            computed: Vec::new(),
            given: Vec::new(),
            checkpoint: (NONE, Vec::new()),
            recomputed: false,
            keeps_biased: true,
            tp: 1,
            accumulated: None,
            gradients,
            kept: std::collections::VecDeque::new(),
            policy: None,
        }
    }

    /// Allocates a tensor, to which one reference exists.
    pub(super) fn allocate(&mut self, operator: &'static str, bytes: u64, category: Category) -> TensorId {
        self.allocate_on(Stream::Compute, operator, bytes, category)
    }

    pub(super) fn allocate_on(
        &mut self,
        stream: Stream,
        operator: &'static str,
        bytes: u64,
        category: Category,
    ) -> TensorId {
        if self.is_stopped() || bytes == 0 {
            return NONE;
        }
        let tensor = self.lives.len() as TensorId;
        self.lives.push(Life { references: 1 });
        self.events.push(Event::Allocate { tensor, bytes, stream, category, operator, moment: self.moment });
        tensor
    }

    /// The category of what an operator makes now.
    pub(super) fn made(&self) -> Category {
        match self.moment.phase {
            Phase::Backward => Category::Temporary,
            Phase::Optimizer => Category::OptimizerTemporary,
            Phase::Rest | Phase::Forward | Phase::Loss => Category::Activation,
        }
    }

    /// Allocates what an operator makes.
    pub(super) fn make(&mut self, operator: &'static str, bytes: u64) -> TensorId {
        self.allocate(operator, bytes, self.made())
    }

    /// Tensors so far.
    pub(super) fn tensors(&self) -> usize {
        self.lives.len()
    }

    /// One more reference.
    pub(super) fn hold(&mut self, tensor: TensorId) -> TensorId {
        if let Some(life) = self.lives.get_mut(tensor as usize) {
            life.references += 1;
        }
        tensor
    }

    /// One reference less; the last frees the tensor.
    pub(super) fn release(&mut self, tensor: TensorId) {
        if let Some(life) = self.lives.get_mut(tensor as usize) {
            life.references -= 1;
            if life.references == 0 {
                self.events.push(Event::Free { tensor });
            }
        }
    }

    /// Gives a value back: nobody uses it after.
    #[expect(clippy::needless_pass_by_value, reason = "a value is given back once")]
    pub(super) fn drop(&mut self, value: Value) {
        self.release(value.tensor);
    }

    /// Another name for a value.
    pub(super) fn share(&mut self, value: &Value) -> Value {
        Value { tensor: self.hold(value.tensor), ..*value }
    }

    /// A value of its own.
    #[expect(clippy::unused_self, reason = "read as the operators beside it")]
    pub(super) fn value(&self, tensor: TensorId, node: u32, elements: u64, width: u64) -> Value {
        Value { tensor, node, elements, width }
    }

    /// Whether a weight trains; one that is not here is another GPU's.
    pub(super) fn trains(&self, weight: WeightId) -> bool {
        self.weights.get(weight as usize).is_none_or(|weight| weight.format.trains)
    }

    /// Whether a node of this kind makes the gradient of a weight.
    fn trains_here(&self, kind: Kind) -> bool {
        match kind {
            Kind::Leaf => true,
            Kind::Linear(weight, bias) | Kind::LayerNorm(weight, bias) => {
                self.trains(weight) || bias != NONE && self.trains(bias)
            }
            Kind::Embedding(weight)
            | Kind::ScaleColumns(weight, _)
            | Kind::FusedNorm(weight)
            | Kind::Grouped(weight) => self.trains(weight),
            _ => false,
        }
    }

    /// Records a node, [`NONE`] where no gradient is wanted; in a recomputation, finds the one that
    /// the first pass recorded.
    pub(super) fn node<const N: usize>(&mut self, kind: Kind, inputs: [&Value; N]) -> u32 {
        if inputs.iter().all(|input| input.node == NONE) && !self.trains_here(kind) {
            return NONE;
        }
        if let Saving::Again { node, left } = self.saving {
            self.saving = Saving::Again { node: node + 1, left };
            return node;
        }
        let mut edges = [Edge { node: NONE, bytes: 0 }; INPUTS];
        for (edge, value) in edges.iter_mut().zip(inputs) {
            *edge = Edge { node: value.node, bytes: value.bytes() };
        }
        self.nodes.push(Node { kind, inputs: edges, saved: [NONE; SAVED], saves: 0, has_saved: false, gradient: NONE });
        self.nodes.len() as u32 - 1
    }

    /// Saves a tensor for the backward pass of a node.
    pub(super) fn save(&mut self, node: u32, tensor: TensorId) {
        if self.is_stopped() {
            return;
        }
        let saving = self.saving;
        let Some(of) = self.nodes.get_mut(node as usize) else { return };
        match saving {
            Saving::Count => of.saves += 1,
            Saving::Hold => {
                of.saves += 1;
                of.has_saved = true;
                if let Some(slot) = of.saved.iter_mut().find(|slot| **slot == NONE) {
                    *slot = tensor;
                }
                self.hold(tensor);
            }
            Saving::Again { node: next, left } => {
                of.has_saved = true;
                if let Some(slot) = of.saved.iter_mut().find(|slot| **slot == NONE) {
                    *slot = tensor;
                }
                self.hold(tensor);
                self.saving = Saving::Again { node: next, left: left - 1 };
            }
        }
    }

    /// Saves the input of an operator with a weight, which that weight's gradient needs; of a
    /// frozen weight, the weight itself, which the input's gradient needs and which is there
    /// anyway. bitsandbytes' product hides a quantized one from what checkpointing counts.
    pub(super) fn save_input(&mut self, node: u32, input: TensorId, weight: WeightId) {
        if self.weights.get(weight as usize).is_some_and(|weight| weight.format.is_quantized) {
            return;
        }
        let saved = if self.trains(weight) { input } else { NONE };
        self.save(node, saved);
    }

    /// Whether a recomputation has all that it is for: PyTorch stops it there.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.saving, Saving::Again { left: 0, .. })
    }

    /// Whether this is a recomputation.
    pub(super) fn is_again(&self) -> bool {
        matches!(self.saving, Saving::Again { .. })
    }

    /// Whether what nodes save is thrown away, to be recomputed.
    pub(super) fn is_counting(&self) -> bool {
        self.saving == Saving::Count
    }

    /// From here on, what nodes save is thrown away.
    pub(super) fn throw_away(&mut self) {
        self.saving = Saving::Count;
    }

    /// From here on, what nodes save is held.
    pub(super) fn hold_saved(&mut self) {
        self.saving = Saving::Hold;
    }

    /// From here on, nodes are those from `first` to before `end`, and get what they save.
    pub(super) fn recompute(&mut self, first: u32, end: u32) {
        let nodes = self.nodes.get(first as usize..end as usize).unwrap_or_default();
        let left = nodes.iter().map(|node| node.saves).sum();
        self.saving = Saving::Again { node: first, left };
    }
}
