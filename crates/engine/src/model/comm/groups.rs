//! The data-parallel groups of a run, and the collectives over them.

use crate::model::collectives::{self, Group, Ring};
use crate::model::cost::{Cost, Traffic};
use crate::model::hardware::Network;
use crate::model::setup::Setup;
use crate::model::training::Sharding;
use crate::units::Bytes;

/// The data-parallel groups of a run.
pub(in crate::model) struct Groups {
    /// The network with the rates that collectives reach while compute runs.
    pub(super) network: Network,
    /// GPUs over which the state is sharded.
    pub(super) shard: Group,
    /// Gathers and reductions over the shard group.
    pub(super) ring: Ring,
    /// Replicas of a shard.
    pub(super) replicas: Group,
    /// The groups of the routed experts, if the stage has any.
    pub(super) experts: Option<ExpertGroups>,
}

/// The data-parallel groups of the routed experts: GPUs that hold the same experts.
pub(super) struct ExpertGroups {
    pub(super) ring: Ring,
    pub(super) shards: f64,
    pub(super) replicas: Group,
    /// Shards and replicas together.
    pub(super) all: Group,
}

impl ExpertGroups {
    pub(super) fn new(setup: &Setup) -> Self {
        let (mesh, network) = (&setup.mesh, &beside_compute(setup));
        let world = mesh.gpus();
        let (same, shards, replicas) = (mesh.expert_group(), mesh.expert_shard_group(), mesh.expert_replicas());
        Self {
            ring: Ring::new(network, Group::strided(shards, same, world, network)),
            shards: f64::from(shards),
            replicas: Group::strided(replicas, same.saturating_mul(shards), world, network),
            all: Group::strided(shards.saturating_mul(replicas), same, world, network),
        }
    }
}

/// Returns the network for data-parallel collectives that overlap with compute. Compute takes
/// memory bandwidth and multiprocessors from the collectives, so that they reach less of the links
/// between nodes than alone ([`crate::model::setup::Overheads::rate_beside`]).
pub fn beside_compute(setup: &Setup) -> Network {
    let reached = setup.network.inter_node_efficiency * setup.overheads.rate_beside;
    Network { inter_node_efficiency: reached, ..setup.network }
}

impl Groups {
    pub(in crate::model) fn new(setup: &Setup, has_experts: bool) -> Self {
        let (mesh, network) = (&setup.mesh, &beside_compute(setup));
        let world = mesh.gpus();
        let inner = mesh.tp.saturating_mul(mesh.shard_group());
        let shard = Group::strided(mesh.shard_group(), mesh.tp, world, network);
        Self {
            experts: has_experts.then(|| ExpertGroups::new(setup)),
            network: *network,
            shard,
            ring: Ring::new(network, shard),
            replicas: Group::strided(mesh.dp_replicate, inner, world, network),
        }
    }

    pub(super) fn gather<C: Cost<Traffic>>(&self, bytes: f64) -> C {
        self.ring.all_gather_cost(Bytes::new(bytes))
    }

    pub(super) fn scatter<C: Cost<Traffic>>(&self, bytes: f64) -> C {
        self.ring.all_gather_cost(Bytes::new(bytes))
    }

    pub(super) fn across<C: Cost<Traffic>>(&self, bytes: f64) -> C {
        collectives::all_reduce_cost(&self.network, self.replicas, Bytes::new(bytes))
    }

    /// Returns the cost of a collective over the experts' groups; none for zero bytes.
    fn with_experts<C: Cost<Traffic>>(&self, bytes: f64, cost: impl Fn(&ExpertGroups) -> C) -> C {
        self.experts.as_ref().filter(|_| bytes > 0.0).map_or(C::default(), cost)
    }

    /// Returns the cost of the gather, or the reduction, of routed experts.
    pub(super) fn gather_experts<C: Cost<Traffic>>(&self, bytes: f64) -> C {
        self.with_experts(bytes, |experts| experts.ring.all_gather_cost(Bytes::new(bytes)))
    }

    pub(super) fn reduce_experts<C: Cost<Traffic>>(&self, bytes: f64) -> C {
        self.with_experts(bytes, |experts| collectives::all_reduce_cost(&self.network, experts.all, Bytes::new(bytes)))
    }

    /// Returns the cost of the all-reduce of the experts' shards across replicas; `bytes` is the
    /// sum over all shards.
    pub(super) fn experts_across<C: Cost<Traffic>>(&self, bytes: f64) -> C {
        self.with_experts(bytes, |experts| {
            collectives::all_reduce_cost(&self.network, experts.replicas, Bytes::new(bytes / experts.shards))
        })
    }

    /// Whether the collectives of the shard group, or of DDP's replicas, cross nodes.
    pub(in crate::model) fn shard_crosses(&self, setup: &Setup) -> bool {
        let group = if setup.sharding == Sharding::Ddp { everyone(setup) } else { self.shard };
        collectives::uses_inter_node(&self.network, group)
    }

    /// Whether reductions across replicas cross nodes.
    pub(in crate::model) fn replicas_cross(&self) -> bool {
        collectives::uses_inter_node(&self.network, self.replicas)
    }

    /// Whether the shard group and its replicas use the same links, between nodes or inside one,
    /// and therefore share a lane.
    pub(super) fn share_links(&self) -> bool {
        collectives::uses_inter_node(&self.network, self.shard) == self.replicas_cross()
    }
}

/// Returns the group over which DDP reduces: replicas and the GPUs of context parallelism.
pub(super) fn everyone(setup: &Setup) -> Group {
    let mesh = &setup.mesh;
    let ranks = mesh.dp_replicate.saturating_mul(mesh.cp);
    Group::strided(ranks, mesh.tp, mesh.gpus(), &setup.network)
}
