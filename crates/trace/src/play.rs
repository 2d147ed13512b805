//! A trace played: what is alive at its peak, and what PyTorch's allocator reserves for it.

use super::event::{Category, Event, Moment, Phase, Place};
use super::step::Trace;
use crate::allocator::{Allocator, BlockId, Segments, Stream};
use enum_map::EnumMap;

/// Steps after which the reserved bytes no longer grow.
pub const STEPS: u32 = 3;
/// cuBLAS's workspace of the compute stream, on Hopper (`CUBLAS_WORKSPACE_CONFIG`): 32 MiB.
pub(super) const WORKSPACE: u64 = 32 << 20;

/// What is alive at the peak of a steady step.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    /// Bytes.
    pub allocated: u64,
    /// Of these, by category.
    pub by: EnumMap<Category, u64>,
    /// When.
    pub moment: Moment,
    /// The operator that allocated last.
    pub operator: &'static str,
}

impl Trace {
    /// The events of a step, counted from 1: the gradients of the one before are freed first.
    pub(super) fn events_of(&self, step: u32) -> impl Iterator<Item = Event> + '_ {
        let freed = if step > 1 { self.gradients.as_slice() } else { &[] };
        let update = if step > 1 { &self.update } else { &self.first_update };
        let freed = freed.iter().map(|tensor| Event::Free { tensor: *tensor });
        freed.chain(self.pass.iter().chain(update).copied())
    }

    /// Hands every event of so many steps to `each`, with the step's number: 0 at rest.
    fn steps(&self, steps: u32, mut each: impl FnMut(u32, Event)) {
        self.rest.iter().for_each(|event| each(0, *event));
        for step in 1..=steps {
            self.events_of(step).for_each(|event| each(step, event));
        }
    }

    /// The peak of a steady step: the second.
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

    /// Bytes that PyTorch's caching allocator reserves at most over the first steps.
    pub fn reserved(&self, segments: Segments) -> u64 {
        reserved(segments, &[self; STEPS as usize])
    }
}

/// Bytes that PyTorch's caching allocator reserves at most over these steps of one model: its
/// tensors are the same in all of them, but for their sizes.
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
