//! Bytes that the allocator reserves beyond allocated tensors.

use super::gradients_and_gathers::Gathered;
use super::inputs::PeakInputs;
use super::nanotron;
use super::point::{Peak, Point};
use crate::model::setup::Setup;
use crate::model::software::{Cache, RootUnit, Segments};
use crate::model::stages::Stage;
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
    /// The frozen base and models besides the trained one, which are loaded at the start and leave
    /// no gaps.
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

impl PeakInputs {
    /// Returns the allocated bytes at this peak.
    pub(super) fn alive(&self, setup: &Setup, peak: &Peak) -> Alive {
        let Peak { allocated, compute, .. } = *peak;
        Alive { allocated, compute, pools: self.pools(), base: self.base, outgrown: self.outgrown(setup) }
    }

    /// Returns the allocator's overhead: for nanotron it is counted block by block, except under
    /// the bounds, which assume none.
    pub(super) fn cache(&self, setup: &Setup, stage: &Stage, peak: &Peak) -> Cache {
        match Cache::new(setup) {
            Cache::Share(share) if setup.traits().holds_reduced_tensors && share > 0.0 => {
                let kept = self.activations(peak.point).0;
                Cache::Share(nanotron::held_bytes(setup, stage, kept) / peak.allocated.get())
            }
            cache => cache,
        }
    }

    /// Returns the bytes at a point that were allocated on the streams of FSDP's collectives: the
    /// shards of reduced gradients, and the prefetched layer.
    pub(super) fn other_stream_bytes(&self, point: Point, gradients: f64, gathered: Gathered) -> f64 {
        if !self.has_streams {
            return 0.0;
        }
        let ahead = match gathered {
            // Half of the bytes are copied already.
            Gathered::Units(twice, units) if matches!(point, Point::Start | Point::Gather) => {
                twice / 2.0 + units * self.gathered_layer
            }
            Gathered::Units(_, units) | Gathered::Grouped(_, units, _) if units > 1.0 => self.gathered_layer,
            _ => 0.0,
        };
        gradients + ahead
    }

    /// Returns the bytes of blocks that are too small for longer micro-batches. Other tensors reuse
    /// the blocks of layers; those of the logits, the largest of all, stay unused until the next
    /// short micro-batch. Expandable segments leave no such blocks.
    pub(super) fn outgrown(&self, setup: &Setup) -> Bytes {
        let varied =
            setup.lengths.spread() > 0.0 && setup.segments == Segments::Fixed && setup.traits().outgrows_blocks;
        Bytes::new(if varied { STALE_LOGIT_BLOCKS * self.logits } else { 0.0 })
    }

    /// Returns the bytes in the pools of FSDP's streams: two units gathered alternately, including
    /// the root unit, and the shards of all gradients, whose blocks no other stream can use between
    /// the update and the backward pass.
    pub(super) fn pools(&self) -> Bytes {
        if !self.has_streams {
            return Bytes::ZERO;
        }
        // Embedding and head are one unit, or two.
        let embedding = self.gathered_root - self.gathered_head;
        let of_root = match self.root_unit {
            RootUnit::Head if embedding > self.gathered_head => embedding,
            RootUnit::Head => self.gathered_head,
            _ => self.gathered_root,
        };
        let larger = if of_root > self.gathered_layer { of_root } else { self.gathered_layer };
        Bytes::new(larger + self.gathered_layer) + self.states.gradients
    }
}
