//! What tensors of known sizes are, where no message names one.

use super::matching::{Asked, LIKELY, fitting, parts};
use super::size::Printed;
use super::tensors::{Tensor, kept, tensors};
use super::{Candidate, Doing, candidate};
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

/// What a size fits.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// The likeliest tensor.
    pub(crate) tensor: Candidate,
    /// The parts of memory that tensors as likely stand in: weights, gradients and moments may have
    /// one shape.
    pub(crate) parts: Vec<MemoryPart>,
}

impl Sizes {
    /// Lists the tensors of a scenario's step, with what it keeps.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let (setup, generation) = (scenario.setup(), scenario.report().generation);
        let mut all = tensors(&setup);
        all.extend(kept(&setup));
        Self { setup, tensors: all, generation }
    }

    /// What so many bytes are, which the allocator may have rounded up by less than `rounded`;
    /// nothing where no tensor explains them.
    pub(crate) fn of(&self, bytes: u64, rounded: u64, doing: Option<Doing>) -> Option<Fit> {
        let within = rounded as f64 / 2.0;
        let size = Printed { bytes: bytes as f64 - within, within };
        let asked = Asked { size, rounds: false, doing };
        let found = fitting(&self.setup, &self.tensors, asked);
        let first = found.first().filter(|first| first.rank <= LIKELY)?;
        let parts = parts(&self.setup, &self.tensors, asked, first);
        Some(Fit { tensor: candidate(first, self.generation), parts })
    }
}
