//! What a step does to memory, in order.

use crate::allocator::Stream;

/// What a tensor holds. The order is that of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, enum_map::Enum)]
pub enum Category {
    /// Weights at rest.
    Parameter,
    /// Gradients at rest.
    Gradient,
    /// Optimizer state.
    Optimizer,
    /// Made by the forward pass.
    Activation,
    /// As wide as the vocabulary.
    Logits,
    /// Gathered weights.
    UnshardedParameter,
    /// Whole gradients that wait for their reduction, or accumulate.
    UnshardedGradient,
    /// Buffers of the all-gather and of the reduce-scatter.
    Communication,
    /// Made by the backward pass, recomputed activations among them.
    Temporary,
    /// Made by the optimizer's update.
    OptimizerTemporary,
    /// Tables that no one trains.
    Buffer,
    /// Tokens and labels.
    Input,
}

impl Category {
    /// Every category, in order.
    pub const ALL: [Self; 12] = [
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
    ];
}

/// A part of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Before the first step.
    Rest,
    /// The layers' forward pass, and the head's.
    Forward,
    /// The loss.
    Loss,
    /// The backward pass.
    Backward,
    /// The update.
    Optimizer,
}

/// Where in the model an operator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The embedding, and what follows the last gradient.
    Embedding,
    /// A layer, counted from 0.
    Layer(u32),
    /// The output head.
    Head,
    /// The loss, and in the backward pass the head too.
    Loss,
}

/// The moment at which an operator runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment {
    /// The part of the step.
    pub phase: Phase,
    /// The part of the model.
    pub place: Place,
}

/// A tensor of the trace, by the order of its birth.
pub type TensorId = u32;

/// A tensor's birth or death.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// A tensor is allocated.
    Allocate {
        /// The tensor.
        tensor: TensorId,
        /// Its bytes.
        bytes: u64,
        /// The stream that asks.
        stream: Stream,
        /// What it holds.
        category: Category,
        /// The operator that makes it, as PyTorch names it.
        operator: &'static str,
        /// When.
        moment: Moment,
    },
    /// A tensor is freed.
    Free {
        /// The tensor.
        tensor: TensorId,
    },
}
