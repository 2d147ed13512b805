//! Mixtures of experts on many GPUs (docs/book/model/experts.md): token exchange, and compute of
//! the experts.

pub mod exchange;
pub mod layer;
pub mod overlap;
pub mod routing;

pub use super::collectives::AllToAll;
pub use super::parallel::{Dispatcher, ExpertParallel};
