//! Bytes that the allocator reserves beyond allocated tensors.

use super::inputs::PeakInputs;
use crate::model::setup::Setup;
use crate::model::software::{Cache, Segments};
use crate::units::Bytes;

/// Additional share that the allocator reserves if several micro-batches are in flight.
const PIPELINE: f64 = 0.05;

/// Bytes of blocks that are too small for longer micro-batches, over those of the longest's logits:
/// the median of the simulated allocator over the traced steps of ten layers and more, with lengths
/// uniform from zero to the maximum (checked by a test).
pub const STALE_LOGIT_BLOCKS: f64 = 1.1;

impl Cache {
    /// Returns the allocator's overhead for a setup.
    pub fn new(setup: &Setup) -> Self {
        let pipeline = if setup.mesh.pp > 1 { PIPELINE } else { 0.0 };
        match setup.overheads.cache {
            Self::Share(share) => Self::Share(share + pipeline),
            Self::Pools { cached, lasting } => Self::Pools { cached: cached + pipeline, lasting },
        }
    }

    /// Returns the bytes without which the process fails.
    pub fn needed(self, alive: &Alive) -> Bytes {
        match self {
            Self::Share(share) | Self::Pools { lasting: share, .. } => {
                alive.allocated + (alive.allocated - alive.base) * share
            }
        }
    }

    /// Returns the bytes reserved with unlimited memory.
    pub fn reserved(self, alive: &Alive) -> Bytes {
        match self {
            Self::Share(_) => self.needed(alive),
            Self::Pools { cached, .. } => {
                alive.compute + (alive.compute - alive.base) * cached + alive.pools + alive.outgrown
            }
        }
    }
}

/// Allocated bytes, by the categories that matter to the allocator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alive {
    /// All allocated bytes at the peak.
    pub allocated: Bytes,
    /// The most bytes allocated on the stream of the kernels, at any point.
    pub compute: Bytes,
    /// Bytes held in the pools of the other streams.
    pub pools: Bytes,
    /// The frozen base, models besides the trained one and buffers of messages, which are allocated
    /// at the start and leave no gaps.
    pub base: Bytes,
    /// Blocks of the logits of shorter micro-batches, too small for those of longer ones.
    pub outgrown: Bytes,
}

/// The quantity that determines the allocator's reserved bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReservationLimit {
    /// The bytes that the allocator would reserve with unlimited memory.
    Reserved,
    /// The capacity: the allocator releases unused blocks before it exceeds the capacity.
    Capacity,
    /// The needed bytes, which exceed the capacity or the reserved bytes.
    Needed,
}

/// Returns the bytes that the allocator holds within a capacity, and the quantity that determines
/// them.
pub(super) fn within(capacity: Bytes, needed: Bytes, reserved: Bytes) -> (Bytes, ReservationLimit) {
    let (bytes, held) = if reserved < capacity {
        (reserved, ReservationLimit::Reserved)
    } else {
        (capacity, ReservationLimit::Capacity)
    };
    if bytes > needed { (bytes, held) } else { (needed, ReservationLimit::Needed) }
}

impl PeakInputs<'_> {
    /// Returns the allocated bytes at a peak, of which all and those on the stream of the kernels
    /// are known.
    pub(super) fn alive(&self, [allocated, compute]: [Bytes; 2]) -> Alive {
        // The pools of FSDP's streams: two units gathered alternately, including the root unit, and
        // the shards of all gradients, whose blocks no other stream can use between the update and
        // the backward pass.
        let pools = if self.of.has_streams {
            Bytes::new(self.gathers.alternating()) + self.states.gradients
        } else {
            Bytes::ZERO
        };
        Alive { allocated, compute, pools, base: self.base, outgrown: self.outgrown() }
    }

    /// Returns the bytes of blocks that are too small for longer micro-batches. Other tensors reuse
    /// the blocks of layers; those of the logits, the largest of all, stay unused until the next
    /// short micro-batch. Expandable segments leave no such blocks.
    fn outgrown(&self) -> Bytes {
        let setup = self.of.setup;
        let varied =
            setup.lengths.spread() > 0.0 && setup.segments == Segments::Fixed && setup.traits().outgrows_blocks;
        Bytes::new(if varied { STALE_LOGIT_BLOCKS * self.logits.at_loss } else { 0.0 })
    }
}
