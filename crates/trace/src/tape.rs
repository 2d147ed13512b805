//! A minimal autograd: reference-counted tensors, and a graph that holds saved tensors for the
//! backward pass.
//!
//! Operators ([`super::operators`]) allocate their outputs and record a node. A node holds the
//! tensors that PyTorch's node holds and releases them after its backward pass. Model code can thus
//! be written as in PyTorch, and tensors have the lifetimes of PyTorch.

use super::event::{Category, Event, Moment, Phase, Place, TensorId};
use super::formats::{Format, Formats};
use super::node::{Edge, INPUTS, NONE, Node, NodeKind, SAVED, WeightId};
use crate::allocator::Stream;

/// A matrix or vector, in the part that this GPU computes with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    /// Size of the dimension that FSDP shards.
    pub rows: u64,
    /// Elements of each row.
    pub columns: u64,
    /// GPUs over which FSDP shards the weight; 1 without sharding.
    pub group: u64,
    /// Whether the weight is both embedding and head.
    pub shared: bool,
    /// Format of the weight, including whether it trains.
    pub format: Format,
    /// Unsharded gradient of the weight, once computed.
    pub gradient: TensorId,
}

impl Weight {
    /// Returns the elements of one GPU's shard: whole rows.
    pub(super) const fn shard(&self) -> u64 {
        self.rows.div_ceil(self.group) * self.columns
    }

    /// Returns the bytes of one GPU's shard with elements of `bytes` bytes.
    pub(super) fn shard_bytes(&self, bytes: f64) -> u64 {
        (self.shard() as f64 * bytes) as u64
    }
}

/// A tensor as seen by an operator. The holder must pass it to [`Tape::drop`], or the tensor is
/// never freed.
#[derive(Debug)]
pub(super) struct Value {
    /// Storage of the tensor.
    pub tensor: TensorId,
    /// Node that produced the value; [`NONE`] if no gradient flows to it.
    pub node: u32,
    /// Number of elements.
    pub elements: u64,
    /// Bytes per element.
    pub width: u64,
}

impl Value {
    /// Returns the bytes of all elements.
    pub(super) fn bytes(&self) -> u64 {
        self.elements * self.width
    }
}

/// Treatment of tensors that nodes save.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Saving {
    /// Saved tensors are held.
    Hold,
    /// Saved tensors are only counted, and recomputed later.
    Count,
    /// Saved tensors are attached to the nodes of the first pass: the next node, and the number of
    /// tensors still missing.
    Again { node: u32, left: u32 },
}

/// Reference count of a tensor.
#[derive(Clone, Copy, Debug)]
struct Life {
    references: u32,
}

/// The autograd tape.
pub(super) struct Tape {
    pub events: Vec<Event>,
    lives: Vec<Life>,
    pub nodes: Vec<Node>,
    pub weights: Vec<Weight>,
    saving: Saving,
    pub moment: Moment,
    /// Bytes per element of a weight in compute.
    pub element: u64,
    /// Formats of weights, by kind.
    pub formats: Formats,
    /// 16-bit copies made by autocast, by weight; `None` if weights are in the compute format.
    pub autocast: Option<Vec<(WeightId, TensorId)>>,
    /// Weight gradients computed by the current node.
    pub computed: Vec<(WeightId, TensorId)>,
    /// Gradients of earlier nodes computed by the current node.
    pub given: Vec<(Edge, TensorId)>,
    /// Last node of a checkpointed layer that saves a tensor, and the tensors held until the node
    /// has run.
    pub checkpoint: (u32, Vec<TensorId>),
    /// Whether the current layer was recomputed.
    pub recomputed: bool,
    /// Whether selective recomputation also keeps outputs of matmuls with a bias.
    pub keeps_biased: bool,
    /// GPUs over which tensor parallelism splits the embedding.
    pub table_parts: u64,
    /// GPUs over which FSDP shards weights, and experts.
    pub groups: [u64; 2],
    /// Bytes per element of gradients that accumulate over micro-batches; `None` if each gradient
    /// is reduced.
    pub accumulated: Option<u64>,
    /// Category of unsharded gradients: unsharded, or already at rest.
    pub gradients: Category,
    /// Outputs kept by the policy in the forward pass, in order.
    pub kept: std::collections::VecDeque<TensorId>,
    /// Policy for kept outputs, if any.
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
            table_parts: 1,
            groups: [1; 2],
            accumulated: None,
            gradients,
            kept: std::collections::VecDeque::new(),
            policy: None,
        }
    }

    /// Allocates a tensor with one reference.
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

    /// Returns the category of an operator's output at the current moment.
    pub(super) fn made(&self) -> Category {
        match self.moment.phase {
            Phase::Backward => Category::Temporary,
            Phase::Optimizer => Category::OptimizerTemporary,
            Phase::Rest | Phase::Forward | Phase::Loss => Category::Activation,
        }
    }

    /// Allocates an operator's output.
    pub(super) fn make(&mut self, operator: &'static str, bytes: u64) -> TensorId {
        self.allocate(operator, bytes, self.made())
    }

    /// Returns the number of tensors so far.
    pub(super) fn tensors(&self) -> usize {
        self.lives.len()
    }

    /// Adds a reference.
    pub(super) fn hold(&mut self, tensor: TensorId) -> TensorId {
        if let Some(life) = self.lives.get_mut(tensor as usize) {
            life.references += 1;
        }
        tensor
    }

    /// Removes a reference; the last one frees the tensor.
    pub(super) fn release(&mut self, tensor: TensorId) {
        if let Some(life) = self.lives.get_mut(tensor as usize) {
            life.references -= 1;
            if life.references == 0 {
                self.events.push(Event::Free { tensor });
            }
        }
    }

    /// Releases a value, which must not be used afterwards.
    #[expect(clippy::needless_pass_by_value, reason = "a value is released once")]
    pub(super) fn drop(&mut self, value: Value) {
        self.release(value.tensor);
    }

    /// Creates another reference to a value.
    pub(super) fn share(&mut self, value: &Value) -> Value {
        Value { tensor: self.hold(value.tensor), ..*value }
    }

    /// Creates a value.
    #[expect(clippy::unused_self, reason = "called like the other operators")]
    pub(super) fn value(&self, tensor: TensorId, node: u32, elements: u64, width: u64) -> Value {
        Value { tensor, node, elements, width }
    }

    /// Returns whether a weight trains. A missing weight belongs to another GPU.
    pub(super) fn trains(&self, weight: WeightId) -> bool {
        self.weights.get(weight as usize).is_none_or(|weight| weight.format.trains)
    }

    /// Returns whether a node of this kind computes the gradient of a weight.
    fn trains_here(&self, kind: NodeKind) -> bool {
        match kind {
            NodeKind::Leaf => true,
            NodeKind::Linear(weight, bias) | NodeKind::LayerNorm(weight, bias) => {
                self.trains(weight) || bias != NONE && self.trains(bias)
            }
            NodeKind::Embedding(weight)
            | NodeKind::ScaleColumns(weight, _)
            | NodeKind::FusedNorm(weight)
            | NodeKind::Grouped(weight) => self.trains(weight),
            _ => false,
        }
    }

    /// Records a node, or returns [`NONE`] if no gradient is needed; in a recomputation, returns
    /// the node of the first pass.
    pub(super) fn node<const N: usize>(&mut self, kind: NodeKind, inputs: [&Value; N]) -> u32 {
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

    /// Saves the input of an operator with a weight, for the weight's gradient. For a frozen
    /// weight, saves the weight itself, which the input's gradient needs and which takes no extra
    /// memory. bitsandbytes' matmul hides quantized weights from the count of checkpointing.
    pub(super) fn save_input(&mut self, node: u32, input: TensorId, weight: WeightId) {
        if self.weights.get(weight as usize).is_some_and(|weight| weight.format.is_quantized) {
            return;
        }
        let saved = if self.trains(weight) { input } else { NONE };
        self.save(node, saved);
    }

    /// Returns whether a recomputation has all required tensors; PyTorch stops it at that point.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.saving, Saving::Again { left: 0, .. })
    }

    /// Returns whether this is a recomputation.
    pub(super) fn is_again(&self) -> bool {
        matches!(self.saving, Saving::Again { .. })
    }

    /// Returns whether saved tensors are discarded, to be recomputed.
    pub(super) fn is_counting(&self) -> bool {
        self.saving == Saving::Count
    }

    /// Discards tensors that nodes save from here on.
    pub(super) fn throw_away(&mut self) {
        self.saving = Saving::Count;
    }

    /// Holds tensors that nodes save from here on.
    pub(super) fn hold_saved(&mut self) {
        self.saving = Saving::Hold;
    }

    /// Reuses the nodes in `first..end` from here on, and attaches the tensors that they save.
    pub(super) fn recompute(&mut self, first: u32, end: u32) {
        let nodes = self.nodes.get(first as usize..end as usize).unwrap_or_default();
        let left = nodes.iter().map(|node| node.saves).sum();
        self.saving = Saving::Again { node: first, left };
    }
}
