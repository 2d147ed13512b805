//! The points of a step at which memory is counted.

use crate::model::report::PeakMoment;
use crate::units::Bytes;

/// Where in the step the memory is counted.
#[derive(Clone, Copy)]
pub(super) enum Point {
    /// At the start of the forward pass, when FSDP copies what it gathered of the root unit.
    Start,
    /// When it copies the head's, with the layers' activations there.
    Gather,
    /// At the loss.
    Loss,
    /// In the middle of a layer's backward pass, with this many layers (this one among them) left
    /// to do.
    InLayer(f64),
    /// At the end of a layer's backward pass, its gradients ready to reduce; layers left as above,
    /// one more at the end of the head's.
    AfterLayer(f64),
    /// In the embedding's backward pass where it is the head too: its gradient is added to the
    /// head's, and the sum is a third.
    Embedding,
    /// At the end of the backward pass, when the root unit's gradients are reduced.
    Root,
    /// In the encoder of images: in the backward pass where that trains, else in the forward pass.
    Tower,
    /// At the optimizer's update.
    Update,
}

/// The point at which most is alive.
#[derive(Clone, Copy)]
pub(super) struct Peak {
    pub(super) point: Point,
    pub(super) moment: PeakMoment,
    /// What is alive there.
    pub(super) allocated: Bytes,
    /// The most that is alive on the stream of the kernels, wherever that is.
    pub(super) compute: Bytes,
}
