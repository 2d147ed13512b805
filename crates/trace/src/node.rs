//! Nodes of the autograd graph: backward operator, inputs and saved tensors.

use super::event::TensorId;
use engine::model::software::Loss;

/// No tensor, or no node.
pub(super) const NONE: u32 = u32::MAX;
/// Maximum number of inputs of a node that need a gradient.
pub(super) const INPUTS: usize = 3;
/// Maximum number of tensors saved by a node.
pub(super) const SAVED: usize = 5;

/// Index of a weight in [`super::tape::Tape::weights`].
pub(super) type WeightId = u32;

/// Operator of a node. [`super::gradients`] implements the backward passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NodeKind {
    /// A view of the storage in another shape.
    View,
    /// A view with axes swapped; the gradient is copied back.
    Transpose,
    /// A cast to another format.
    Cast,
    /// A sum.
    Add,
    /// A sum of a tensor and a wider one; the gradient of the narrower one is cast.
    AddWider,
    /// A tensor that requires a gradient although nothing before it trains.
    Leaf,
    /// A dropout.
    Dropout,
    /// An element-wise product of two tensors.
    Multiply,
    /// An element-wise function that saves its input, with the name of the backward operator.
    Unary(&'static str),
    /// An element-wise function that saves its output, with the name of the backward operator.
    UnaryOfOutput(&'static str),
    /// A product with a constant.
    Scale,
    /// A matmul with a weight, and an optional bias.
    Linear(WeightId, WeightId),
    /// Rows of a table.
    Embedding(WeightId),
    /// Rows multiplied by one number each.
    ScaleRows,
    /// Columns multiplied by a weight, and whether the weight is the second factor.
    ScaleColumns(WeightId, bool),
    /// The inverse root mean square of each row.
    MeanSquare,
    /// A layer norm as one kernel: weight, bias.
    LayerNorm(WeightId, WeightId),
    /// An RMS norm as one kernel.
    FusedNorm(WeightId),
    /// Rotary positions as complex products.
    Complex,
    /// Keys or values repeated for the query heads that share them.
    Repeat,
    /// Rotary positions with rotated halves.
    Rotate,
    /// Flash attention.
    Attention(Attention),
    /// A batched matmul of two tensors.
    Matmul,
    /// A softmax.
    Softmax,
    /// The sequence gathered over the tensor-parallel group; the gradient is scattered.
    GatherSequence(u64),
    /// Partial sums reduced and scattered over the tensor-parallel group; the gradient is gathered.
    ScatterSequence,
    /// Logits of the whole vocabulary, gathered over a tensor-parallel group.
    GatherLogits,
    /// A slice of a tensor; the gradient has the size of the whole tensor.
    Slice,
    /// `silu(gate) up`, where gate and up are halves of one tensor.
    Gated,
    /// A gated product as one kernel.
    GatedFused,
    /// Rows selected by an index.
    Pick,
    /// Rows multiplied by the probabilities of their experts, in elements of this many bytes.
    Weigh(u64),
    /// Saved indices and probabilities of a routing.
    Routing,
    /// The sum of the copies of each token.
    SumCopies,
    /// Grouped matmul of rows with a stack of matrices.
    Grouped(WeightId),
    /// Logits capped by a tanh.
    Softcap,
    /// The loss.
    Loss(LossNode),
}

/// Sizes in the backward pass of flash attention, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Attention {
    /// fp32 accumulator of the gradient of the queries.
    pub accumulator: u64,
    /// Row sums in fp32.
    pub sums: u64,
    /// Gradient of the keys per query head, if query heads share keys; 0 otherwise.
    pub expanded: u64,
}

/// An input of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Node that receives the gradient.
    pub node: u32,
    /// Size of the gradient in bytes.
    pub bytes: u64,
}

/// A node of the graph.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub kind: NodeKind,
    pub inputs: [Edge; INPUTS],
    pub saved: [TensorId; SAVED],
    /// Number of tensors that the node saves, including frozen weights.
    pub saves: u32,
    /// Whether the saved tensors are present.
    pub has_saved: bool,
    /// Gradient of the node's output, accumulated so far.
    pub gradient: TensorId,
}

/// The loss of one micro-batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LossNode {
    pub loss: Loss,
    /// Whether each GPU of a tensor-parallel group holds a part of the vocabulary.
    pub parallel: bool,
    /// Number of logits on this GPU.
    pub logits: u64,
    /// Logits that the caller holds until the end of the backward pass.
    pub held: TensorId,
}
