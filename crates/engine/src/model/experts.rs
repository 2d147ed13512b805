//! Mixtures of experts on many GPUs (docs/book/model/experts.md): token routing and exchange, and
//! compute of the experts.

pub mod exchange;
pub mod layer;
pub mod overlap;
pub mod routing;

pub use super::collectives::AllToAll;
pub use super::parallel::{Dispatcher, ExpertParallel};
pub use super::routing::{copies, local_experts, local_tokens, parts_reached, received};
