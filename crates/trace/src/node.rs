//! The nodes of the graph: what each operator's backward pass is, whose gradients it makes and what
//! it keeps.

use super::event::TensorId;
use engine::model::software::Loss;

/// No tensor, or no node.
pub(super) const NONE: u32 = u32::MAX;
/// Inputs of a node that need a gradient, at most.
pub(super) const INPUTS: usize = 3;
/// Tensors that a node saves, at most.
pub(super) const SAVED: usize = 5;

/// A weight, by its place in [`super::tape::Tape::weights`].
pub(super) type WeightId = u32;

/// What a node computes in the backward pass; [`super::gradients`] says how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// The same storage in another shape.
    View,
    /// The same in another order: its gradient is copied back.
    Transpose,
    /// Another format.
    Cast,
    /// A sum.
    Add,
    /// A sum of a tensor and a wider one: the narrower one's gradient is cast.
    AddWider,
    /// A tensor that is asked to have a gradient, though nothing before it trains.
    Leaf,
    /// A dropout.
    Dropout,
    /// A product of two tensors of one shape.
    Multiply,
    /// A function of each element that keeps its input; its backward operator's name.
    Unary(&'static str),
    /// A function of each element that keeps its output; its backward operator's name.
    UnaryOfOutput(&'static str),
    /// A product with a constant.
    Scale,
    /// A matrix product with a weight; whether it adds a bias of this many elements.
    Linear(WeightId, WeightId),
    /// A table's rows.
    Embedding(WeightId),
    /// Rows times one number each.
    ScaleRows,
    /// Columns times a weight; whether the weight is the second factor.
    ScaleColumns(WeightId, bool),
    /// The inverse root of the mean square of each row.
    MeanSquare,
    /// A whole layer norm in one kernel: weight, bias.
    LayerNorm(WeightId, WeightId),
    /// A whole RMS norm in one kernel.
    FusedNorm(WeightId),
    /// Rotary positions as complex products.
    Complex,
    /// Keys or values repeated for the query heads that share them.
    Repeat,
    /// Rotary positions, half by half.
    Rotate,
    /// Flash attention.
    Attention(Attention),
    /// A batched matrix product of two tensors.
    Matmul,
    /// A softmax.
    Softmax,
    /// The sequence gathered over the tensor-parallel group: its gradient is scattered.
    GatherSequence(u64),
    /// Partial sums reduced and scattered over that group: its gradient is gathered.
    ScatterSequence,
    /// The logits of a whole vocabulary, of the parts of a tensor-parallel group.
    GatherLogits,
    /// A part of a tensor: its gradient is as wide as all of it.
    Slice,
    /// `silu(gate) up` of the halves of one tensor.
    Gated,
    /// Gated product in one kernel.
    GatedFused,
    /// Rows picked by an index.
    Pick,
    /// Rows times their experts' probabilities, in numbers of so many bytes.
    Weigh(u64),
    /// What a routing keeps.
    Routing,
    /// The sum of the copies of each token.
    SumCopies,
    /// Products of groups of rows with a stack of matrices.
    Grouped(WeightId),
    /// Logits capped by a tanh.
    Softcap,
    /// The loss.
    Loss(LossNode),
}

/// Sizes of flash attention's backward pass, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Attention {
    /// The accumulator of the queries' gradient in fp32.
    pub accumulator: u64,
    /// Row sums in fp32.
    pub sums: u64,
    /// Keys' gradient for every query head, where they share keys; 0 where they do not.
    pub expanded: u64,
}

/// An input of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The node that gets the gradient.
    pub node: u32,
    /// Its bytes.
    pub bytes: u64,
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: Kind,
    pub inputs: [Edge; INPUTS],
    pub saved: [TensorId; SAVED],
    /// Tensors that it saves, frozen weights among them.
    pub saves: u32,
    /// Whether it has them.
    pub has_saved: bool,
    /// The gradient of its output, as far as it has come.
    pub gradient: TensorId,
}

/// The loss of one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LossNode {
    pub loss: Loss,
    /// Whether each GPU of a tensor-parallel group holds its part of the vocabulary.
    pub parallel: bool,
    /// Logits on this GPU.
    pub logits: u64,
    /// Logits that the caller holds until the backward pass is over.
    pub held: TensorId,
}
