//! One training step put together: memory, time, throughput, utilisation, limiter (model.md section 6).

use super::collectives::{self, Group};
use super::compute::{self, UnitTimes};
use super::flops;
use super::hardware::Network;
use super::memory;
use super::report::{Lane, Limiter, Report, Span, TimeReport, Work};
use super::schedule::{self, CommTimes, ComputeTimes};
use super::setup::Setup;
use super::timeline;
use super::training::{Reshard, Sharding};
use super::transformer::UnitParams;
use crate::units::{Bytes, Flops, Seconds};

/// Evaluates one step. Allocates nothing.
pub fn evaluate(setup: &Setup) -> Report {
    let params = setup.architecture.unit_params();
    let memory = memory::peak(setup, &params);
    let units = compute::unit_times(setup, &params);
    let plan = Plan::new(setup, &params, &units);
    let time = plan.time(setup, &units);

    let seq_len = f64::from(setup.batch.seq_len);
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let tokens_per_gpu = f64::from(setup.batch.micro_batch_size) * seq_len * micro_batches;
    let tokens_per_s_per_gpu = tokens_per_gpu / time.step.get();
    let model = flops::model_per_token(&setup.architecture, seq_len, setup.mfu_convention);
    let keys = flops::counted_keys(seq_len, setup.mfu_convention);
    let executed = model + flops::recomputed_per_token(&setup.architecture, keys, setup.recompute);
    let peak = compute::peak(&setup.accelerator, setup.recipe);
    let of_peak = |per_token: Flops| per_token.get() * tokens_per_s_per_gpu / peak.get();

    Report {
        memory,
        time,
        tokens_per_step: tokens_per_gpu * f64::from(setup.mesh.gpus()),
        tokens_per_s_per_gpu,
        model_flops_per_gpu: peak * of_peak(model),
        mfu: of_peak(model),
        hfu: of_peak(executed),
        limiter: if memory.fits() { time.limiter() } else { Limiter::Memory },
    }
}

/// Plays the step span by span, in the order in which spans start on each lane.
pub fn spans(setup: &Setup, sink: &mut impl FnMut(Span)) {
    let params = setup.architecture.unit_params();
    let units = compute::unit_times(setup, &params);
    let plan = Plan::new(setup, &params, &units);
    let mut now = Seconds::ZERO;
    let last = setup.batch.grad_accum_steps.saturating_sub(1);
    for micro_batch in 0..setup.batch.grad_accum_steps {
        let comm = if micro_batch == last { plan.comm } else { plan.earlier };
        now = timeline::play(&plan.compute, &comm, plan.reduction, micro_batch, now, sink);
    }
    let mut tail = |work, lane, time: Seconds| {
        if time > Seconds::ZERO {
            sink(Span { lane, work, layer: None, micro_batch: last, start: now, end: now + time });
            now += time;
        }
    };
    tail(Work::OptimizerStep, Lane::Compute, units.optimizer);
    tail(Work::AllGather, Lane::Shard, plan.after_update);
}

/// The inputs of the schedule for the micro-batches of one step.
struct Plan {
    compute: ComputeTimes,
    /// The last micro-batch's communication.
    comm: CommTimes,
    /// An earlier micro-batch's.
    earlier: CommTimes,
    /// The gather of updated weights that follows the update where only the optimizer is sharded.
    after_update: Seconds,
    /// What reduces gradients on the shard lane.
    reduction: Work,
    shard_crosses: bool,
    replicate_crosses: bool,
}

impl Plan {
    fn new(setup: &Setup, params: &UnitParams, units: &UnitTimes) -> Self {
        let network = &setup.network;
        let bytes = memory::recipe_bytes(setup.recipe);
        let (layer, root) = (params.layer, params.root);
        let world = setup.mesh.gpus();
        let shard = Group::consecutive(setup.mesh.dp_shard, world, network);
        let replicas = Group::strided(setup.mesh.dp_replicate, setup.mesh.dp_shard, network);
        let gather = |params: f64| collectives::all_gather(network, shard, Bytes::new(bytes.gathered * params));
        let scatter = |params: f64| collectives::reduce_scatter(network, shard, Bytes::new(bytes.reduced * params));
        let across = |params: f64| collectives::all_reduce(network, replicas, Bytes::new(bytes.reduced * params));
        let shard_degree = f64::from(setup.mesh.dp_shard.max(1));

        let comm = match setup.sharding {
            Sharding::Ddp => {
                CommTimes { reduce_layer: across(layer), reduce_root: across(root), ..CommTimes::default() }
            }
            Sharding::Zero1 | Sharding::Zero2 => {
                CommTimes { reduce_layer: scatter(layer), reduce_root: scatter(root), ..CommTimes::default() }
            }
            Sharding::Fsdp(reshard) => {
                let regather = match reshard {
                    Reshard::Always => gather(layer),
                    Reshard::Never => Seconds::ZERO,
                    Reshard::To(group) => {
                        let group = Group::consecutive(group.min(setup.mesh.dp_shard), world, network);
                        collectives::all_gather(network, group, Bytes::new(bytes.gathered * layer))
                    }
                };
                let comm = CommTimes {
                    gather_root: gather(root),
                    gather_layer: gather(layer),
                    regather_layer: regather,
                    reduce_layer: scatter(layer),
                    reduce_root: scatter(root),
                    replicate_layer: across(layer / shard_degree),
                    replicate_root: across(root / shard_degree),
                };
                one_lane_on_shared_links(comm, network, shard, replicas)
            }
        };
        let reduces_once = matches!(setup.sharding, Sharding::Ddp | Sharding::Zero1);
        let after_update = match setup.sharding {
            // What every rank keeps whole is the weights at rest, in their own format.
            Sharding::Zero1 | Sharding::Zero2 => {
                collectives::all_gather(network, shard, Bytes::new(bytes.weights * params.model))
            }
            Sharding::Ddp | Sharding::Fsdp(_) => Seconds::ZERO,
        };
        let shard_group = if setup.sharding == Sharding::Ddp { replicas } else { shard };
        Self {
            compute: ComputeTimes {
                layers: setup.architecture.num_hidden_layers,
                embedding_forward: units.embedding_forward,
                layer_forward: units.layer_forward,
                head: units.head,
                layer_backward: units.layer_backward,
                embedding_backward: units.embedding_backward,
                contention: setup.overheads.contention,
            },
            comm,
            earlier: if reduces_once { comm.without_reduction() } else { comm },
            after_update,
            reduction: if setup.sharding == Sharding::Ddp { Work::AllReduce } else { Work::ReduceScatter },
            shard_crosses: collectives::uses_inter_node(network, shard_group),
            replicate_crosses: collectives::uses_inter_node(network, replicas),
        }
    }

    fn time(&self, setup: &Setup, units: &UnitTimes) -> TimeReport {
        let micro_batches = f64::from(setup.batch.grad_accum_steps);
        let earlier_ones = micro_batches - 1.0;
        let last = schedule::phases(&self.compute, &self.comm);
        let earlier = if self.earlier == self.comm { last } else { schedule::phases(&self.compute, &self.earlier) };

        let forward = earlier_ones * earlier.forward + last.forward;
        let backward = earlier_ones * earlier.backward + last.backward;
        let optimizer = units.optimizer + self.after_update;
        let compute = earlier_ones * earlier.compute + last.compute + units.optimizer;
        let step = forward + backward + optimizer;

        let shard = earlier_ones * shard_lane(&self.compute, &self.earlier)
            + shard_lane(&self.compute, &self.comm)
            + self.after_update;
        let replicate =
            earlier_ones * replicate_lane(&self.compute, &self.earlier) + replicate_lane(&self.compute, &self.comm);
        let crossing = |crosses: bool, time: Seconds| if crosses { time } else { Seconds::ZERO };
        TimeReport {
            step,
            forward,
            backward,
            optimizer,
            compute,
            comm: shard + replicate,
            exposed_comm: (step - compute).max(Seconds::ZERO),
            inter_node_comm: crossing(self.shard_crosses, shard) + crossing(self.replicate_crosses, replicate),
            longest_lane: shard.max(replicate),
            launch_bound: micro_batches * units.launch_bound,
        }
    }
}

/// Where the shard group and its replicas use the same links, between nodes or inside one, they share a lane.
fn one_lane_on_shared_links(comm: CommTimes, network: &Network, shard: Group, replicas: Group) -> CommTimes {
    if collectives::uses_inter_node(network, shard) != collectives::uses_inter_node(network, replicas) {
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

fn shard_lane(compute: &ComputeTimes, comm: &CommTimes) -> Seconds {
    let layers = f64::from(compute.layers);
    let regathers = f64::from(compute.layers.saturating_sub(1));
    comm.gather_root
        + layers * (comm.gather_layer + comm.reduce_layer)
        + regathers * comm.regather_layer
        + comm.reduce_root
}

fn replicate_lane(compute: &ComputeTimes, comm: &CommTimes) -> Seconds {
    f64::from(compute.layers) * comm.replicate_layer + comm.replicate_root
}
