//! What one stage of the pipeline computes and communicates in a step: the inputs of its schedule.

use super::collectives::{self, Group, Ring};
use super::compute::{self, UnitTimes};
use super::exchange::{Exchange, Hiding};
use super::experts::exchange::ExpertExchange;
use super::hardware::Network;
use super::memory::activations;
use super::memory::states::{self, gathered_layer_bytes};
use super::report::Work;
use super::schedule::{self, CommTimes, ComputeTimes, Exchanges, Phases};
use super::setup::Setup;
use super::share::{self, Params};
use super::software::Framework;
use super::stages::Stage;
use super::sync::Sync;
use super::training::{Reshard, Sharding};
use crate::units::{Bytes, Seconds};

/// The inputs of the schedule of one stage, for the micro-batches of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StagePlan {
    /// Compute of one micro-batch.
    pub compute: ComputeTimes,
    /// The optimizer's update.
    pub optimizer: Seconds,
    /// One reduction of all gradients after the backward pass, where it does not run beside it.
    pub after_backward: Seconds,
    /// The gather of the updated weights, where it does not run beside the next forward pass.
    pub after_update: Seconds,
    /// What reduces gradients on the shard lane.
    pub reduction: Work,
    /// Whether the shard group crosses nodes.
    pub shard_crosses: bool,
    /// Whether its replicas do.
    pub replicate_crosses: bool,
    /// Of the exchanges of one micro-batch, what crosses nodes.
    pub exchange_between_nodes: Seconds,
    /// Communication of a micro-batch that both gathers and reduces.
    whole: CommTimes,
    sync: Sync,
    micro_batches: f64,
}

/// The data-parallel groups of a run.
struct Groups<'a> {
    network: &'a Network,
    /// GPUs that share the state.
    shard: Group,
    /// Their gathers and reductions.
    ring: Ring,
    /// Replicas of that state.
    replicas: Group,
    /// The groups of the routed experts, where the stage has any.
    experts: Option<ExpertGroups>,
}

/// The data-parallel groups of the routed experts: GPUs that hold the same ones.
struct ExpertGroups {
    ring: Ring,
    shards: f64,
    replicas: Group,
    /// All of them, shards and replicas.
    all: Group,
}

impl ExpertGroups {
    fn of(setup: &Setup) -> Self {
        let (mesh, network) = (&setup.mesh, &setup.network);
        let world = mesh.gpus();
        let (same, shards, replicas) = (mesh.expert_group(), mesh.expert_shard_group(), mesh.expert_replicas());
        Self {
            ring: Ring::of(network, Group::strided(shards, same, world, network)),
            shards: f64::from(shards),
            replicas: Group::strided(replicas, same.saturating_mul(shards), world, network),
            all: Group::strided(shards.saturating_mul(replicas), same, world, network),
        }
    }
}

impl<'a> Groups<'a> {
    fn of(setup: &'a Setup, has_experts: bool) -> Self {
        let (mesh, network) = (&setup.mesh, &setup.network);
        let world = mesh.gpus();
        let inner = mesh.tp.saturating_mul(mesh.shard_group());
        let shard = Group::strided(mesh.shard_group(), mesh.tp, world, network);
        Self {
            experts: has_experts.then(|| ExpertGroups::of(setup)),
            network,
            shard,
            ring: Ring::of(network, shard),
            replicas: Group::strided(mesh.dp_replicate, inner, world, network),
        }
    }

    fn gather(&self, bytes: f64) -> Seconds {
        self.ring.all_gather(Bytes::new(bytes))
    }

    fn scatter(&self, bytes: f64) -> Seconds {
        self.ring.all_gather(Bytes::new(bytes))
    }

    fn across(&self, bytes: f64) -> Seconds {
        collectives::all_reduce(self.network, self.replicas, Bytes::new(bytes))
    }

    /// The time of a collective of the experts' groups; none of no bytes.
    fn with_experts(&self, bytes: f64, time: impl Fn(&ExpertGroups) -> Seconds) -> Seconds {
        self.experts.as_ref().filter(|_| bytes > 0.0).map_or(Seconds::ZERO, time)
    }

    /// The gather, or the reduction, of routed experts.
    fn gather_experts(&self, bytes: f64) -> Seconds {
        self.with_experts(bytes, |experts| experts.ring.all_gather(Bytes::new(bytes)))
    }

    fn reduce_experts(&self, bytes: f64) -> Seconds {
        self.with_experts(bytes, |experts| collectives::all_reduce(self.network, experts.all, Bytes::new(bytes)))
    }

    /// The reduction across replicas of the experts' shards, `bytes` being that of all shards.
    fn experts_across(&self, bytes: f64) -> Seconds {
        self.with_experts(bytes, |experts| {
            collectives::all_reduce(self.network, experts.replicas, Bytes::new(bytes / experts.shards))
        })
    }

    /// Where the shard group and its replicas use the same links, between nodes or inside one, they share a lane.
    fn share_links(&self) -> bool {
        collectives::uses_inter_node(self.network, self.shard)
            == collectives::uses_inter_node(self.network, self.replicas)
    }
}

impl StagePlan {
    /// The plan of a stage.
    pub fn new(setup: &Setup, units: &UnitTimes, stage: &Stage) -> Self {
        let params = stage.params;
        let sync = Sync::of(setup);
        let groups = Groups::of(setup, params.expert > 0.0);
        let bytes = states::recipe_bytes(setup.recipe);
        let moe_share = stage.moe_share();
        let experts = if moe_share > 0.0 { ExpertExchange::of(setup, units) } else { ExpertExchange::default() };
        let exchange = Exchange::of(
            setup,
            bytes.activation,
            &Hiding {
                matmul: units.layer_matmul,
                matmul_backward: units.layer_matmul_backward,
                attention: units.layer_attention,
            },
            moe_share,
        );
        let neighbours = neighbours(setup, bytes.activation);
        let (whole, after_backward, after_update) = communication(setup, &params, &groups, sync);
        Self {
            compute: compute_times(setup, units, stage, &exchange, &experts, neighbours.time),
            optimizer: compute::optimizer(setup, &params),
            after_backward,
            after_update,
            reduction: if setup.sharding == Sharding::Ddp { Work::AllReduce } else { Work::ReduceScatter },
            shard_crosses: collectives::uses_inter_node(
                groups.network,
                if setup.sharding == Sharding::Ddp { everyone(setup) } else { groups.shard },
            ),
            replicate_crosses: collectives::uses_inter_node(groups.network, groups.replicas),
            exchange_between_nodes: f64::from(stage.layers) * exchange.layer_between_nodes
                + if experts.crosses {
                    stage.moe_layers * (experts.exposed_forward + experts.exposed_backward)
                } else {
                    Seconds::ZERO
                }
                + if stage.embedding || stage.head { exchange.ends_between_nodes } else { Seconds::ZERO }
                + if neighbours.cross { neighbours.time } else { Seconds::ZERO },
            whole,
            sync,
            micro_batches: f64::from(setup.batch.grad_accum_steps),
        }
    }

    /// Of all layers in one micro-batch, both passes: time above the kernels' own because the host launches them too slowly.
    pub fn launch_bound(&self, units: &UnitTimes) -> Seconds {
        let inside = &self.compute.exchange;
        let above =
            |block: Seconds, kernels: Seconds, exchange: Seconds| (block - kernels - exchange).max(Seconds::ZERO);
        f64::from(self.compute.layers)
            * (above(self.compute.layer_forward, units.layer_forward, inside.layer_forward)
                + above(self.compute.layer_backward, units.layer_backward, inside.layer_backward))
    }

    /// Communication of a micro-batch of the step.
    pub fn comm(&self, is_first: bool, is_last: bool) -> CommTimes {
        let gathers = is_first || self.sync.gather_each;
        let comm = if gathers { self.whole } else { self.whole.without_gather() };
        if self.reduces(is_last) { comm } else { comm.without_reduction() }
    }

    /// Whether a micro-batch reduces gradients.
    pub fn reduces(&self, is_last: bool) -> bool {
        is_last || self.sync.reduce_each
    }

    /// Micro-batches that reduce gradients.
    pub fn reductions(&self) -> f64 {
        if self.sync.reduce_each { self.micro_batches } else { 1.0 }
    }

    fn gathers(&self) -> f64 {
        if self.sync.gather_each { self.micro_batches } else { 1.0 }
    }

    /// The phases of a micro-batch between the first and the last.
    pub fn steady(&self) -> Phases {
        schedule::phases(&self.compute, &self.comm(false, false))
    }

    /// The phases of all micro-batches, added up.
    pub fn all_micro_batches(&self) -> Phases {
        let of = |is_first, is_last| schedule::phases(&self.compute, &self.comm(is_first, is_last));
        if self.micro_batches <= 1.0 {
            return of(true, true);
        }
        let (first, last) = (of(true, false), of(false, true));
        let inner = if self.sync.gather_each {
            first
        } else if self.sync.reduce_each {
            last
        } else {
            of(false, false)
        };
        let inner_ones = self.micro_batches - 2.0;
        let sum = |time: fn(&Phases) -> Seconds| time(&first) + inner_ones * time(&inner) + time(&last);
        Phases { forward: sum(|p| p.forward), backward: sum(|p| p.backward), busy: sum(|p| p.busy) }
    }

    /// What the step takes on this stage beyond all of its micro-batches at the pace of a steady one: its gathers and
    /// reductions, the update.
    pub fn beyond_steady(&self, steady: Seconds) -> Seconds {
        let all = self.all_micro_batches();
        all.forward + all.backward - self.micro_batches * steady
            + self.reductions() * self.after_backward
            + self.optimizer
            + self.after_update
    }

    /// Time of all collectives on the shard lane beside compute.
    pub fn shard_lane(&self) -> Seconds {
        let comm = &self.whole;
        let layers = f64::from(self.compute.layers);
        let regathers = f64::from(self.compute.layers.saturating_sub(1));
        self.gathers() * (comm.gather_root + layers * comm.gather_layer + regathers * comm.regather_layer)
            + self.reductions() * (layers * comm.reduce_layer + comm.reduce_root)
    }

    /// Time of all collectives on the replicate lane.
    pub fn replicate_lane(&self) -> Seconds {
        let comm = &self.whole;
        self.reductions() * (f64::from(self.compute.layers) * comm.replicate_layer + comm.replicate_root)
    }
}

fn compute_times(
    setup: &Setup,
    units: &UnitTimes,
    stage: &Stage,
    exchange: &Exchange,
    experts: &ExpertExchange,
    neighbours: Seconds,
) -> ComputeTimes {
    let here = |is: bool, time: Seconds| if is { time } else { Seconds::ZERO };
    // Kept activations go to the host beside the forward pass and come back beside the backward pass: what takes longer than
    // the layer is waited for.
    let moe_share = stage.moe_share();
    let host = offloaded_activations(setup, moe_share);
    let layer_forward = exchange.layer_forward + moe_share * experts.exposed_forward;
    let layer_backward = exchange.layer_backward + moe_share * experts.exposed_backward;
    let waits = |block: Seconds| (host - block.max(units.launch)).max(Seconds::ZERO);
    let inside = Exchanges {
        embedding_forward: here(stage.embedding, exchange.embedding),
        layer_forward: layer_forward + waits(units.layer_forward + layer_forward),
        head: here(stage.head, exchange.head) + neighbours,
        layer_backward: layer_backward + waits(units.layer_backward + layer_backward),
    };
    ComputeTimes {
        layers: stage.layers,
        embedding_forward: here(stage.embedding, units.embedding) + inside.embedding_forward,
        layer_forward: (units.layer_forward + inside.layer_forward).max(units.launch),
        head: here(stage.head, units.head) + inside.head,
        layer_backward: (units.layer_backward + inside.layer_backward).max(units.launch),
        embedding_backward: here(stage.embedding, units.embedding),
        contention: setup.overheads.contention,
        exchange: inside,
    }
}

/// Time in which one layer's kept activations cross the link to the host, one way; none where they stay.
fn offloaded_activations(setup: &Setup, moe_share: f64) -> Seconds {
    if !setup.offload.activations {
        return Seconds::ZERO;
    }
    let kept = activations::layer(setup, states::recipe_bytes(setup.recipe).activation, moe_share).kept;
    Bytes::new(kept * share::tokens(setup)) / setup.accelerator.host_link
}

/// What a stage passes to its neighbours in one micro-batch.
struct Neighbours {
    time: Seconds,
    cross: bool,
}

/// Activations forward and their gradients backward: `e T H / tp` bytes at each boundary of a model chunk, as every GPU of a
/// tensor-parallel group sends its part (arXiv 2104.04473, section 4.1).
fn neighbours(setup: &Setup, element: f64) -> Neighbours {
    let mesh = &setup.mesh;
    if mesh.pp <= 1 {
        return Neighbours { time: Seconds::ZERO, cross: false };
    }
    let nodes = mesh.gpus().div_ceil(setup.network.gpus_per_node.max(1));
    let (cross, beyond) = (nodes > 1, f64::from(nodes - 1));
    let width = f64::from(setup.architecture.hidden_size) / f64::from(mesh.tp.max(1));
    let size = Bytes::new(element * share::tokens(setup) * width);
    let passes = 2.0 * f64::from(setup.chunks());
    let message = collectives::point_to_point(&setup.network, cross, size) + beyond * setup.overheads.message;
    Neighbours { time: passes * message, cross }
}

/// The GPUs over which DDP reduces: replicas and those that share a sequence.
fn everyone(setup: &Setup) -> Group {
    let mesh = &setup.mesh;
    let ranks = mesh.dp_replicate.saturating_mul(mesh.cp);
    Group::strided(ranks, mesh.tp, mesh.gpus(), &setup.network)
}

/// A micro-batch's communication, a reduction after the backward pass, a gather after the update. Routed experts travel within the
/// groups that hold the same ones, one after the dense parts of their layer.
fn communication(setup: &Setup, params: &Params, groups: &Groups, sync: Sync) -> (CommTimes, Seconds, Seconds) {
    let bytes = states::recipe_bytes(setup.recipe);
    let (layer, root, expert) = (params.layer, params.root, params.expert);
    let shards = f64::from(setup.mesh.shard_group().max(1));
    let zero = Seconds::ZERO;
    let bucket = layers_in_a_bucket(setup, params);
    match setup.sharding {
        Sharding::Ddp => {
            let everyone = everyone(setup);
            let reduce = |params: f64, experts: f64| {
                let dense = collectives::all_reduce(&setup.network, everyone, Bytes::new(bytes.reduced * params));
                dense + groups.reduce_experts(bytes.reduced * experts)
            };
            if sync.overlap {
                let comm = CommTimes {
                    reduce_layer: reduce(bucket * layer, bucket * expert) / bucket,
                    reduce_root: reduce(root, 0.0),
                    ..CommTimes::default()
                };
                (comm, zero, zero)
            } else {
                (CommTimes::default(), reduce(params.dense(), params.experts()), zero)
            }
        }
        Sharding::Zero1 | Sharding::Zero2 => {
            let reduce = |params: f64, experts: f64| {
                groups.scatter(bytes.reduced * params) + groups.gather_experts(bytes.reduced * experts)
            };
            let across = |params: f64, experts: f64| {
                groups.across(bytes.reduced * params / shards) + groups.experts_across(bytes.reduced * experts)
            };
            // What every rank keeps whole is the weights at rest, in their own format.
            let gather = |params: f64, experts: f64| {
                groups.gather(bytes.weights * params) + groups.gather_experts(bytes.weights * experts)
            };
            let prefetched = sync.overlap && setup.framework == Framework::Megatron;
            let (mut comm, after_backward) = if sync.overlap {
                let comm = CommTimes {
                    reduce_layer: reduce(bucket * layer, bucket * expert) / bucket,
                    reduce_root: reduce(root, 0.0),
                    replicate_layer: across(bucket * layer, bucket * expert) / bucket,
                    replicate_root: across(root, 0.0),
                    ..CommTimes::default()
                };
                (one_lane_on_shared_links(comm, groups), zero)
            } else {
                let (dense, experts) = (params.dense(), params.experts());
                (CommTimes::default(), reduce(dense, experts) + across(dense, experts))
            };
            if prefetched {
                comm.gather_root = gather(root, 0.0);
                comm.gather_layer = gather(bucket * layer, bucket * expert) / bucket;
            }
            (comm, after_backward, if prefetched { zero } else { gather(params.dense(), params.experts()) })
        }
        Sharding::Fsdp(reshard) => {
            let of_layer = gathered_layer_bytes(setup) * layer;
            let of_experts = gathered_layer_bytes(setup) * expert;
            let gather = groups.gather(of_layer) + groups.gather_experts(of_experts);
            let regather = match reshard {
                Reshard::Always => gather,
                Reshard::Never => zero,
                Reshard::To(group) => {
                    let (mesh, network) = (&setup.mesh, &setup.network);
                    let resharded = |most: u32, stride: u32, bytes: f64| {
                        let group = Group::strided(group.min(most), stride, mesh.gpus(), network);
                        collectives::all_gather(network, group, Bytes::new(bytes))
                    };
                    let experts = if expert > 0.0 {
                        resharded(mesh.expert_shard_group(), mesh.expert_group(), of_experts)
                    } else {
                        zero
                    };
                    resharded(mesh.shard_group(), mesh.tp, of_layer) + experts
                }
            };
            // With weights in host memory each shard comes over the host's link first, and its gradients go back over it.
            let host = |bytes: f64| {
                if setup.offload.parameters { Bytes::new(bytes) / setup.accelerator.host_link } else { zero }
            };
            let shard = layer / shards + expert / groups.experts.as_ref().map_or(1.0, |experts| experts.shards);
            let (up, down) = (host(bytes.weights * shard), host(bytes.gradients * shard));
            let comm = CommTimes {
                gather_root: groups.gather(bytes.gathered * root) + host(bytes.weights * root / shards),
                gather_layer: gather + up,
                regather_layer: if reshard == Reshard::Always { regather + up } else { regather },
                reduce_layer: groups.scatter(bytes.reduced * layer)
                    + groups.gather_experts(bytes.reduced * expert)
                    + down,
                reduce_root: groups.scatter(bytes.reduced * root) + host(bytes.gradients * root / shards),
                replicate_layer: groups.across(bytes.reduced * layer / shards)
                    + groups.experts_across(bytes.reduced * expert),
                replicate_root: groups.across(bytes.reduced * root / shards),
            };
            (one_lane_on_shared_links(comm, groups), zero, zero)
        }
    }
}

/// Layers whose gradients Megatron's data parallelism reduces at once, in a bucket of `max(40e6, 1e6 dp)` parameters, so that they
/// share its latency; one elsewhere.
fn layers_in_a_bucket(setup: &Setup, params: &Params) -> f64 {
    const LEAST: f64 = 40e6;
    const A_REPLICA: f64 = 1e6;
    if setup.framework != Framework::Megatron || params.layer <= 0.0 {
        return 1.0;
    }
    let replicas = A_REPLICA * f64::from(setup.mesh.replicas().saturating_mul(setup.mesh.cp));
    let bucket = if replicas > LEAST { replicas } else { LEAST };
    let layers = (bucket / params.layer).floor();
    let most = params.layers;
    let layers = if layers < most { layers } else { most };
    if layers > 1.0 { layers } else { 1.0 }
}

fn one_lane_on_shared_links(comm: CommTimes, groups: &Groups) -> CommTimes {
    if !groups.share_links() {
        return comm;
    }
    CommTimes {
        reduce_layer: comm.reduce_layer + comm.replicate_layer,
        reduce_root: comm.reduce_root + comm.replicate_root,
        replicate_layer: Seconds::ZERO,
        replicate_root: Seconds::ZERO,
        ..comm
    }
}
