//! Memory events of a training step.

use crate::allocator::Stream;

/// Category of a tensor. All tables use this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, enum_map::Enum)]
pub enum Category {
    /// Weights at rest.
    Parameter,
    /// Gradients at rest.
    Gradient,
    /// Optimizer state.
    Optimizer,
    /// Tensors of the forward pass.
    Activation,
    /// Tensors with the width of the vocabulary.
    Logits,
    /// Gathered weights.
    UnshardedParameter,
    /// Unsharded gradients before their reduction, or while they accumulate.
    UnshardedGradient,
    /// Buffers of all-gather and reduce-scatter.
    Communication,
    /// Tensors of the backward pass, including recomputed activations.
    Temporary,
    /// Temporary tensors of the optimizer update.
    OptimizerTemporary,
    /// Tables without gradients.
    Buffer,
    /// Tokens and labels.
    Input,
    /// Models besides the trained one, with their states.
    OtherModel,
}

impl Category {
    /// Every category, in order.
    pub const ALL: [Self; 13] = [
        Self::Parameter,
        Self::Gradient,
        Self::Optimizer,
        Self::Activation,
        Self::Logits,
        Self::UnshardedParameter,
        Self::UnshardedGradient,
        Self::Communication,
        Self::Temporary,
        Self::OptimizerTemporary,
        Self::Buffer,
        Self::Input,
        Self::OtherModel,
    ];
}

/// A phase of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Before the first step.
    Rest,
    /// Forward pass of the layers and the head.
    Forward,
    /// The loss.
    Loss,
    /// The backward pass.
    Backward,
    /// The optimizer update.
    Optimizer,
}

/// Part of the model in which an operator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The embedding, including work after the last gradient.
    Embedding,
    /// A layer, numbered from 0.
    Layer(u32),
    /// The output head.
    Head,
    /// The loss; in the backward pass also the head.
    Loss,
}

/// Position of an operator in the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// Phase of the step.
    pub phase: Phase,
    /// Part of the model.
    pub place: Place,
}

/// Number of a tensor, in order of allocation.
pub type TensorId = u32;

/// Allocation or release of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A tensor is allocated.
    Allocate {
        /// The tensor.
        tensor: TensorId,
        /// Size in bytes.
        bytes: u64,
        /// Stream of the allocation.
        stream: Stream,
        /// Category of the tensor.
        category: Category,
        /// PyTorch's name of the allocating operator.
        operator: &'static str,
        /// Position in the step.
        moment: Moment,
    },
    /// A tensor is freed.
    Free {
        /// The tensor.
        tensor: TensorId,
    },
}
