//! Points of a step at which memory is counted.

use crate::model::report::PeakMoment;
use crate::units::Bytes;

/// A point of a step at which memory is counted.
#[derive(Clone, Copy)]
pub(super) enum Point {
    /// The start of the forward pass, when FSDP copies the gathered weights of the root unit.
    Start,
    /// The copy of the head's gathered weights, while the layers' activations are in memory.
    Gather,
    /// The loss.
    Loss,
    /// The middle of a layer's backward pass, with this many layers left, including this one.
    InLayer(f64),
    /// The end of a layer's backward pass, with its gradients ready to reduce; layers left as
    /// above, plus one at the end of the head's backward pass.
    AfterLayer(f64),
    /// The backward pass of a tied embedding: its gradient is added to that of the head, and the
    /// sum is a third tensor.
    Embedding,
    /// The end of the backward pass, when the root unit's gradients are reduced.
    Root,
    /// The image encoder: its backward pass if it has one, otherwise its forward pass.
    Tower,
    /// The optimizer's update.
    Update,
}

/// The point at which most is allocated.
#[derive(Clone, Copy)]
pub(super) struct Peak {
    pub(super) point: Point,
    pub(super) moment: PeakMoment,
    /// Bytes allocated at the point.
    pub(super) allocated: Bytes,
    /// The most bytes allocated on the stream of the kernels, at any point.
    pub(super) compute: Bytes,
}
