//! One training step, tensor by tensor: the model's code as its framework writes it, played on a
//! small autograd.
//!
//! [`Trace::of`] writes the step down; [`Trace::peak`] says what is alive when most is, and
//! [`Trace::reserved`] what PyTorch's caching allocator reserves for it. What a layer allocates
//! stands in one file a framework: `torchtitan`, `transformers`.

mod adapters;
pub mod allocator;
mod backward;
mod checkpoint;
mod compiled;
mod curve;
mod event;
mod formats;
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
mod tape;
#[cfg(test)]
mod tests;
mod torchtitan;
mod transformers;
mod units;
mod weights;

pub use curve::{Curve, Point, RunStep, Span};
pub use event::{Category, Event, Moment, Phase, Place, TensorId};
pub use play::{Peak, STEPS, reserved_over};
pub use simulated::{is_followed, simulated};
pub use step::Trace;
