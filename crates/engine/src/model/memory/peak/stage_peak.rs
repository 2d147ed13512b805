//! The peak of a stage, and the stage of a pipeline that needs most memory.

use super::inputs::PeakInputs;
use super::nanotron;
use super::of_setup::{OfLayers, OfSetup};
use super::parts::StagePeak;
use crate::model::report::MemoryPart;
use crate::model::software::Cache;
use crate::model::stages::{ByStage, Stage};
use crate::units::Bytes;

impl<'a> StagePeak<'a> {
    pub(super) fn new(of: &'a OfSetup<'a>, stage: &'a Stage) -> Self {
        PeakInputs::new(of, &OfLayers::new(of.setup, &stage.blocks), stage).peak()
    }

    /// Returns the allocator's overhead: for nanotron it is counted block by block, except under
    /// the bounds, which assume none.
    pub(super) fn cache(&self) -> Cache {
        let setup = self.of.setup;
        match Cache::new(setup) {
            Cache::Share(share) if setup.traits().holds_reduced_tensors && share > 0.0 => {
                let kept = self.parts.get(MemoryPart::Activations).get();
                Cache::Share(nanotron::held_bytes(setup, self.stage, kept) / self.alive.allocated.get())
            }
            cache => cache,
        }
    }
}

/// No limit to the memory of a stage.
pub(super) const UNLIMITED: Bytes = Bytes::new(f64::INFINITY);

/// Returns the stage that needs most memory, the earliest if several are equal; or the first that
/// needs more than a limit.
pub(super) fn most_needy<'a>(of: &'a OfSetup<'a>, stages: &'a ByStage<Stage>, limit: Bytes) -> StagePeak<'a> {
    // Stages with equal blocks have equal layers.
    let mut of_layers = OfLayers::new(of.setup, &stages.first.blocks);
    let mut most = PeakInputs::new(of, &of_layers, &stages.first).peak();
    for stage in stages.between.iter().chain(&stages.last) {
        if most.alive.allocated > limit {
            break;
        }
        if stage.blocks != of_layers.layers {
            of_layers = OfLayers::new(of.setup, &stage.blocks);
        }
        let next = PeakInputs::new(of, &of_layers, stage).peak();
        if next.alive.allocated > most.alive.allocated {
            most = next;
        }
    }
    most
}
