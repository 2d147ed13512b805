//! Simulates one training step, tensor by tensor: model code as in its framework, run on a minimal
//! autograd.
//!
//! [`Trace::record`] records the step. [`Trace::peak`] returns the tensors alive at the peak, and
//! [`Trace::reserved`] the bytes that PyTorch's caching allocator reserves. The layers of each
//! framework have a module: `torchtitan`, `transformers`.

mod adapters;
pub mod allocator;
mod backward;
mod checkpoint;
mod compiled;
mod curve;
mod event;
mod formats;
mod gaps;
mod gradients;
mod loss;
mod mixture;
mod node;
mod operators;
mod optimizer;
mod play;
mod policy;
mod shape;
mod simulated;
mod step;
mod step_memory;
mod tape;
#[cfg(test)]
mod tests;
mod torchtitan;
mod transformers;
mod units;
mod weights;

pub use curve::{Curve, Point, RunStep, Span};
pub use event::{Category, Event, Moment, Phase, Place, TensorId};
pub use gaps::{Gap, NotSimulated, is_followed};
pub use play::{Peak, STEPS, reserved_over};
pub use simulated::simulated;
pub use step::Trace;
pub use step_memory::{NotDrawn, StepMemory, step_memory};
