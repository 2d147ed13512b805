//! What the collectives of a step move: their own times on links of one byte a second.

use super::StagePlan;
use super::communication::communication;
use super::groups::{Groups, everyone};
use crate::model::experts::exchange;
use crate::model::hardware::{Accelerator, Network, Topology};
use crate::model::report::Work;
use crate::model::schedule::CommTimes;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::sync::Sync;
use crate::model::training::Sharding;
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// What one collective moves. One that follows another kind in the same span counts its bytes on the links alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// How long it takes by itself.
    pub time: Seconds,
    /// The whole buffer, S in nccl-tests: `algbw = S / time`. `None` where a span holds collectives of two kinds.
    pub size: Option<Bytes>,
    /// Bytes through the links of each GPU by nccl-tests' factors: `busbw = bus / time`.
    pub bus: Bytes,
    /// GPUs of the group.
    pub ranks: f64,
}

/// What every kind of collective of a step moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traffic {
    time: [CommTimes; 3],
    after_backward: [Seconds; 3],
    after_update: [Seconds; 3],
    /// One dispatch of a whole layer's tokens, or one combine, where a layer has experts.
    way: Option<Moved>,
    /// GPUs that gather and scatter, that reduce across replicas.
    ranks: [f64; 2],
    /// Whether a reduction on the shard lane is followed by one across replicas.
    both_kinds: bool,
    is_all_reduce: bool,
}

/// A network on which the time of a collective is the number of its bytes: with the factors of rings, or as the whole buffer.
fn of_bytes(setup: &Setup, topology: Topology) -> Setup {
    let one = BytesPerSecond::new(1.0);
    Setup {
        network: Network { intra_node: one, inter_node: one, ..setup.network.ideal(topology) },
        // What comes over the host's link is no part of the collective.
        accelerator: Accelerator { host_link: BytesPerSecond::new(f64::INFINITY), ..setup.accelerator },
        ..*setup
    }
}

impl Traffic {
    /// Of the collectives of a stage.
    pub fn of(setup: &Setup, stage: &Stage, plan: &StagePlan) -> Self {
        let sync = Sync::of(setup);
        let has_experts = stage.params.expert > 0.0;
        let priced = |setup: &Setup| communication(setup, &stage.params, &Groups::of(setup, has_experts), sync);
        let [bus, size] = [Topology::Aware, Topology::Flat].map(|topology| priced(&of_bytes(setup, topology)));
        let groups = Groups::of(setup, has_experts);
        let is_ddp = setup.sharding == Sharding::Ddp;
        let shards = if is_ddp { everyone(setup) } else { groups.shard };
        Self {
            time: [plan.whole, bus.0, size.0],
            after_backward: [plan.after_backward, bus.1, size.1],
            after_update: [plan.after_update, bus.2, size.2],
            way: (stage.moe_share() > 0.0).then(|| {
                let (sent, ranks) = exchange::sent(setup);
                Moved { time: exchange::way(setup), size: Some(sent), bus: sent * ((ranks - 1.0) / ranks), ranks }
            }),
            ranks: [shards.ranks, groups.replicas.ranks],
            both_kinds: !is_ddp && groups.share_links() && groups.replicas.ranks > 1.0,
            is_all_reduce: is_ddp,
        }
    }

    /// What one span moves that does this, for a layer or for the root unit, and takes so long: of several collectives of one kind the
    /// one whose time is nearest, or a part of it. `None` for what is no collective of this list.
    pub fn moved(&self, work: Work, is_layer: bool, time: Seconds) -> Option<Moved> {
        let [shards, replicas] = self.ranks;
        let unmerged = |pick: fn(&CommTimes) -> Seconds| self.time.each_ref().map(pick);
        let plain = |times: [Seconds; 3]| Self::read(times, 1.0, shards);
        let reduced = |times: [Seconds; 3], across: [Seconds; 3]| {
            let passes = if self.is_all_reduce { 2.0 } else { 1.0 };
            let alone = Self::read(times, passes, shards);
            if !self.both_kinds {
                return alone;
            }
            // The plan's own times hold both already.
            Moved { size: None, bus: alone.bus + Bytes::new(across[1].get()), ..alone }
        };
        let candidates = match (work, is_layer) {
            (Work::AllGather, true) => vec![plain(unmerged(|c| c.gather_layer)), plain(unmerged(|c| c.regather_layer))],
            (Work::AllGather, false) => vec![plain(unmerged(|c| c.gather_root)), plain(self.after_update)],
            (Work::ReduceScatter | Work::AllReduce, true) if (work == Work::AllReduce) == self.is_all_reduce => {
                vec![reduced(unmerged(|c| c.reduce_layer), unmerged(|c| c.replicate_layer))]
            }
            (Work::ReduceScatter | Work::AllReduce, false) if (work == Work::AllReduce) == self.is_all_reduce => {
                let after = Self::read(self.after_backward, if self.is_all_reduce { 2.0 } else { 1.0 }, shards);
                let size = after.size.filter(|_| self.is_all_reduce || replicas <= 1.0);
                vec![reduced(unmerged(|c| c.reduce_root), unmerged(|c| c.replicate_root)), Moved { size, ..after }]
            }
            (Work::AllReduce, true) => vec![Self::read(unmerged(|c| c.replicate_layer), 2.0, replicas)],
            (Work::AllReduce, false) => vec![Self::read(unmerged(|c| c.replicate_root), 2.0, replicas)],
            (Work::Dispatch | Work::Combine, _) => {
                // A chunk of a layer's tokens, on average over all layers, once or, with what is recomputed, twice.
                let whole = self.way.filter(|way| way.time > Seconds::ZERO)?;
                let part = time / whole.time;
                vec![Moved { time, size: whole.size.map(|size| part * size), bus: part * whole.bus, ..whole }]
            }
            _ => return None,
        };
        let away = |moved: &Moved| (moved.time - time).max(time - moved.time);
        let timed = candidates.into_iter().filter(|moved| moved.time > Seconds::ZERO);
        timed.reduce(|best, other| if away(&other) < away(&best) { other } else { best })
    }

    /// Times of a collective as planned, over rings of one byte a second, over a flat network of the same.
    fn read([time, bus, flat]: [Seconds; 3], passes: f64, ranks: f64) -> Moved {
        Moved { time, size: Some(Bytes::new(flat.get() / passes)), bus: Bytes::new(bus.get()), ranks }
    }
}
