//! Identifies tensors by their size, without an error message.

use super::matching::{LIKELY, RequestedSize, fitting, parts};
use super::size::Printed;
use super::tensors::{Tensor, kept, tensors};
use super::{Activity, Candidate, candidate};
use engine::model::hardware::Generation;
use engine::model::report::MemoryPart;
use engine::model::setup::Setup;
use engine::scenario::Scenario;

/// The tensors of a scenario's step.
pub(crate) struct Sizes {
    setup: Setup,
    tensors: Vec<Tensor>,
    generation: Generation,
}

/// Tensor and memory parts that match a size.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// The likeliest tensor.
    pub(crate) tensor: Candidate,
    /// Memory parts of all tensors that are as likely: weights, gradients and moments may have
    /// equal shapes.
    pub(crate) parts: Vec<MemoryPart>,
}

impl Sizes {
    /// Lists the tensors of a scenario's step, including tensors kept between steps.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let (setup, generation) = (scenario.setup(), scenario.report().generation);
        let mut all = tensors(&setup);
        all.extend(kept(&setup));
        Self { setup, tensors: all, generation }
    }

    /// Identifies an allocation of `bytes` bytes, which the allocator may have rounded up by less
    /// than `rounded`. Returns `None` if no tensor is likely.
    pub(crate) fn identify(&self, bytes: u64, rounded: u64, doing: Option<Activity>) -> Option<Fit> {
        let within = rounded as f64 / 2.0;
        let size = Printed { bytes: bytes as f64 - within, within };
        let asked = RequestedSize { size, rounds: false, doing };
        let found = fitting(&self.setup, &self.tensors, asked);
        let first = found.first().filter(|first| first.rank <= LIKELY)?;
        let parts = parts(&self.setup, &self.tensors, asked, first);
        Some(Fit { tensor: candidate(first, self.generation), parts })
    }
}
