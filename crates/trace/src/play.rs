//! Plays a trace: tensors alive at the peak, and bytes reserved by PyTorch's allocator.

use super::event::{Category, Event, Moment, Phase, Place};
use super::step::Trace;
use crate::allocator::{Allocator, BlockId, Segments, Stream};
use enum_map::EnumMap;

/// Number of steps after which reserved memory no longer grows.
pub const STEPS: u32 = 3;
/// cuBLAS workspace of the compute stream on Hopper (`CUBLAS_WORKSPACE_CONFIG`): 32 MiB.
pub(super) const WORKSPACE: u64 = 32 << 20;

/// Allocated memory at the peak of a steady step.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// Allocated bytes.
    pub allocated: u64,
    /// Allocated bytes by category.
    pub by: EnumMap<Category, u64>,
    /// Moment of the peak.
    pub moment: Moment,
    /// Operator of the last allocation.
    pub operator: &'static str,
}

impl Trace {
    /// Returns the events of a step, counted from 1. The gradients of the previous step are freed
    /// first.
    pub(super) fn events_of(&self, step: u32) -> impl Iterator<Item = Event> + '_ {
        let freed = if step > 1 { self.gradients.as_slice() } else { &[] };
        let update = if step > 1 { &self.update } else { &self.first_update };
        let freed = freed.iter().map(|tensor| Event::Free { tensor: *tensor });
        freed.chain(self.pass.iter().chain(update).copied())
    }

    /// Calls `each` for every event of the first `steps` steps, with the step's number; 0 before
    /// the first step.
    fn steps(&self, steps: u32, mut each: impl FnMut(u32, Event)) {
        self.rest.iter().for_each(|event| each(0, *event));
        for step in 1..=steps {
            self.events_of(step).for_each(|event| each(step, event));
        }
    }

    /// Returns the peak of the second step, which is steady.
    pub fn peak(&self) -> Peak {
        let mut sizes = vec![(0, Category::Input); self.tensors];
        let mut by = EnumMap::<Category, u64>::default();
        let mut now = 0;
        let moment = Moment { phase: Phase::Rest, place: Place::Embedding };
        let mut peak = Peak { allocated: 0, by, moment, operator: "" };
        let mut rising = false;
        self.steps(2, |step, event| match event {
            Event::Allocate { tensor, bytes, category, operator, moment, .. } => {
                if let Some(size) = sizes.get_mut(tensor as usize) {
                    *size = (bytes, category);
                }
                now += bytes;
                by[category] += bytes;
                if step > 1 && now > peak.allocated {
                    peak.allocated = now;
                    (peak.operator, peak.moment, rising) = (operator, moment, true);
                }
            }
            Event::Free { tensor } => {
                if rising {
                    (peak.by, rising) = (by, false);
                }
                let (bytes, category) = sizes.get(tensor as usize).copied().unwrap_or((0, Category::Input));
                now -= bytes;
                by[category] -= bytes;
            }
        });
        if rising {
            peak.by = by;
        }
        peak
    }

    /// Returns the peak bytes that PyTorch's caching allocator reserves over the first steps.
    pub fn reserved(&self, segments: Segments) -> u64 {
        reserved(segments, &[self; STEPS as usize])
    }
}

/// Returns the peak bytes that PyTorch's caching allocator reserves over these steps of one model.
/// The steps have equal tensors except for their sizes.
pub fn reserved_over(segments: Segments, steps: &[Trace]) -> u64 {
    reserved(segments, &steps.iter().collect::<Vec<_>>())
}

fn reserved(segments: Segments, steps: &[&Trace]) -> u64 {
    let mut allocator = Allocator::new(segments);
    allocator.allocate(WORKSPACE, Stream::Compute);
    let tensors = steps.iter().map(|step| step.tensors).max();
    let mut blocks: Vec<Option<BlockId>> = vec![None; tensors.unwrap_or(0)];
    let mut play = |event: Event| match event {
        Event::Allocate { tensor, bytes, stream, .. } => {
            let block = allocator.allocate(bytes, stream);
            if let Some(slot) = blocks.get_mut(tensor as usize) {
                *slot = Some(block);
            }
        }
        Event::Free { tensor } => {
            if let Some(block) = blocks.get_mut(tensor as usize).and_then(Option::take) {
                allocator.free(block);
            }
        }
    };
    for (step, number) in steps.iter().zip(1..) {
        if number == 1 {
            step.rest.iter().for_each(|event| play(*event));
        }
        step.events_of(number).for_each(&mut play);
    }
    allocator.peak_reserved()
}
