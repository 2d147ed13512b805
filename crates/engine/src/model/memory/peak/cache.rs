//! What the allocator holds beyond what is alive.

use super::ledger::Ledger;
use super::nanotron;
use super::point::{Peak, Point};
use super::waiting::Gathered;
use crate::model::setup::Setup;
use crate::model::software::{Cache, RootUnit, Segments};
use crate::model::stages::Stage;
use crate::units::Bytes;

/// What the allocator holds beyond what is alive where several micro-batches come and go at once,
/// as a share.
const PIPELINE: f64 = 0.05;

/// Bytes of blocks that longer micro-batches have outgrown, over those of the longest's logits: the
/// median of the simulated allocator over the traced steps of ten layers and more, their lengths
/// evenly between none and all (a test holds it).
pub const OUTGROWN: f64 = 1.1;

impl Cache {
    /// That of a setup.
    pub fn of(setup: &Setup) -> Self {
        let pipeline = if setup.mesh.pp > 1 { PIPELINE } else { 0.0 };
        match setup.overheads.cache {
            Self::Share(share) => Self::Share(share + pipeline),
            Self::Pools { cached, lasting } => Self::Pools { cached: cached + pipeline, lasting },
        }
    }

    /// Bytes that the process cannot do without.
    pub fn needed(self, alive: &Alive) -> Bytes {
        match self {
            Self::Share(share) | Self::Pools { lasting: share, .. } => {
                alive.allocated + (alive.allocated - alive.base) * share
            }
        }
    }

    /// Bytes that it reserves on a device without end.
    pub fn reserved(self, alive: &Alive) -> Bytes {
        match self {
            Self::Share(_) => self.needed(alive),
            Self::Pools { cached, .. } => {
                alive.compute + (alive.compute - alive.base) * cached + alive.pools + alive.outgrown
            }
        }
    }
}

/// What tensors occupy, where it matters to the allocator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alive {
    /// All of it at the peak.
    pub allocated: Bytes,
    /// The most of it on the stream of the kernels, wherever that is.
    pub compute: Bytes,
    /// What the pools of the other streams hold.
    pub pools: Bytes,
    /// The frozen base and models beside the one that trains, which are there from the start and
    /// leave no gaps.
    pub base: Bytes,
    /// Blocks of the logits of shorter micro-batches, too small for those of longer ones.
    pub outgrown: Bytes,
}

/// What decides how much the allocator holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// What it reserves.
    Reserved,
    /// The capacity: before it exceeds that, it gives back what is not needed.
    Capacity,
    /// What is needed: more than the capacity, or than what is reserved.
    Needed,
}

/// Bytes that the allocator holds within a capacity, and what decides it.
pub(super) fn within(capacity: Bytes, needed: Bytes, reserved: Bytes) -> (Bytes, Held) {
    let (bytes, held) = if reserved < capacity { (reserved, Held::Reserved) } else { (capacity, Held::Capacity) };
    if bytes > needed { (bytes, held) } else { (needed, Held::Needed) }
}

impl Ledger {
    /// What tensors occupy at this peak.
    pub(super) fn alive(&self, setup: &Setup, peak: &Peak) -> Alive {
        let Peak { allocated, compute, .. } = *peak;
        Alive { allocated, compute, pools: self.pools(), base: self.base, outgrown: self.outgrown(setup) }
    }

    /// What the allocator holds beyond what is alive: nanotron's is counted block by block, but for
    /// the bounds, which assume none.
    pub(super) fn cache(&self, setup: &Setup, stage: &Stage, peak: &Peak) -> Cache {
        match Cache::of(setup) {
            Cache::Share(share) if setup.traits().holds_reduced_tensors && share > 0.0 => {
                let kept = self.activations(peak.point).0;
                Cache::Share(nanotron::held(setup, stage, kept) / peak.allocated.get())
            }
            cache => cache,
        }
    }

    /// Of what is alive at a point, what was allocated on the streams of FSDP's collectives: the
    /// shards of reduced gradients, and the layer fetched ahead.
    pub(super) fn of_other_streams(&self, point: Point, gradients: f64, gathered: Gathered) -> f64 {
        if !self.has_streams {
            return 0.0;
        }
        let ahead = match gathered {
            // Half of it is copied already.
            Gathered::Units(twice, units) if matches!(point, Point::Start | Point::Gather) => {
                twice / 2.0 + units * self.gathered_layer
            }
            Gathered::Units(_, units) | Gathered::Grouped(_, units, _) if units > 1.0 => self.gathered_layer,
            _ => 0.0,
        };
        gradients + ahead
    }

    /// What blocks hold that longer micro-batches have outgrown. Those of layers serve other
    /// tensors; those of the logits, the largest there are, wait for the next short one. Expandable
    /// segments leave none.
    pub(super) fn outgrown(&self, setup: &Setup) -> Bytes {
        let varied =
            setup.lengths.spread() > 0.0 && setup.segments == Segments::Fixed && setup.traits().outgrows_blocks;
        Bytes::new(if varied { OUTGROWN * self.logits } else { 0.0 })
    }

    /// What the pools of those streams hold: two units gathered in turn, the root's among them, and
    /// the shards of all gradients, whose blocks no other stream can use between the update and the
    /// backward pass.
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
