//! Gathers and reductions of a stage over its data-parallel groups.

use super::groups::{Groups, everyone};
use crate::model::collectives::{self, Group, Ring};
use crate::model::cost::{Cost, Traffic};
use crate::model::flops::backward::Backward;
use crate::model::host;
use crate::model::per_rank::LocalParams;
use crate::model::schedule::CommTimes;
use crate::model::setup::Setup;
use crate::model::states::{self, FrozenBytes, gathered_layer_bytes};
use crate::model::sync::GradientSyncPlan;
use crate::model::training::{Reshard, Sharding};
use crate::model::unit_params::Units;
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Gathers and reductions of a stage over its data-parallel groups. Routed experts are reduced
/// within the groups that hold the same experts, after the dense parts of their layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DataParallelComm<C = Seconds> {
    /// Communication of a micro-batch that both gathers and reduces.
    pub micro_batch: CommTimes<C>,
    /// One reduction of all gradients after the backward pass, if not overlapped with it.
    pub after_backward: C,
    /// The gather of the updated weights, if not overlapped with the next forward pass.
    pub after_update: C,
}

impl<C: Cost<Traffic>> DataParallelComm<C> {
    /// Returns the communication of a stage with these parameters.
    pub fn new(setup: &Setup, params: &LocalParams) -> Self {
        Self::over(setup, params, &Groups::new(setup, params.held.expert > 0.0), GradientSyncPlan::new(setup))
    }

    /// Returns the communication of a stage with these parameters over its groups.
    pub(in crate::model) fn over(setup: &Setup, params: &LocalParams, groups: &Groups, sync: GradientSyncPlan) -> Self {
        let of_lanes = match setup.sharding {
            Sharding::Ddp => Self::new_ddp(setup, params, groups, sync),
            Sharding::Zero1 | Sharding::Zero2 => Self::new_zero(setup, params, groups, sync),
            Sharding::Fsdp(reshard) => Self::new_fsdp(setup, params, groups, reshard),
        };
        let of_lanes = of_lanes.times(setup.stage_copies());
        Self { micro_batch: one_lane_on_shared_links(of_lanes.micro_batch, groups), ..of_lanes }
    }

    /// Returns the communication of `copies` copies of the stage.
    fn times(self, copies: f64) -> Self {
        if copies == 1.0 {
            return self;
        }
        let of = self.micro_batch;
        let micro_batch = CommTimes {
            gather_root: of.gather_root * copies,
            gather_layer: of.gather_layer * copies,
            regather_layer: of.regather_layer * copies,
            reduce_layer: of.reduce_layer * copies,
            reduce_root: of.reduce_root * copies,
            replicate_layer: of.replicate_layer * copies,
            replicate_root: of.replicate_root * copies,
        };
        Self { micro_batch, after_backward: self.after_backward * copies, after_update: self.after_update * copies }
    }

    fn new_ddp(setup: &Setup, params: &LocalParams, groups: &Groups, sync: GradientSyncPlan) -> Self {
        let bytes = states::recipe_bytes(setup.recipe);
        let params = &params.trained;
        let everyone = everyone(setup);
        let reduce = |params: f64, experts: f64| {
            let dense: C = collectives::all_reduce_cost(&groups.network, everyone, Bytes::new(bytes.reduced * params));
            dense + groups.reduce_experts(bytes.reduced * experts)
        };
        if !sync.overlap {
            return Self { after_backward: reduce(params.dense(), params.experts()), ..Self::default() };
        }
        let bucket = layers_in_a_bucket(setup, params);
        let micro_batch = CommTimes {
            reduce_layer: reduce(bucket * params.layer, bucket * params.expert) / bucket,
            reduce_root: reduce(params.root, 0.0),
            ..CommTimes::default()
        };
        Self { micro_batch, ..Self::default() }
    }

    fn new_zero(setup: &Setup, params: &LocalParams, groups: &Groups, sync: GradientSyncPlan) -> Self {
        let bytes = states::recipe_bytes(setup.recipe);
        let params = &params.trained;
        let (layer, root, expert) = (params.layer, params.root, params.expert);
        let shards = f64::from(setup.mesh.shard_group().max(1));
        let bucket = layers_in_a_bucket(setup, params);
        let reduce = |params: f64, experts: f64| -> C {
            groups.scatter::<C>(bytes.reduced * params) + groups.gather_experts(bytes.reduced * experts)
        };
        let across = |params: f64, experts: f64| -> C {
            groups.across::<C>(bytes.reduced * params / shards) + groups.experts_across(bytes.reduced * experts)
        };
        // Every rank keeps the weights at rest whole, in their own format.
        let of_layers = states::updated_layer_bytes(setup);
        let gather = |root: f64, layers: f64, experts: f64| -> C {
            groups.gather::<C>(bytes.weights * root + of_layers * layers) + groups.gather_experts(of_layers * experts)
        };
        let prefetched = sync.overlap && setup.traits().prefetches_updated_weights;
        let mut comm = Self::default();
        if sync.overlap {
            comm.micro_batch = CommTimes {
                reduce_layer: reduce(bucket * layer, bucket * expert) / bucket,
                reduce_root: reduce(root, 0.0),
                replicate_layer: across(bucket * layer, bucket * expert) / bucket,
                replicate_root: across(root, 0.0),
                ..CommTimes::default()
            };
        } else {
            let (dense, experts) = (params.dense(), params.experts());
            comm.after_backward = reduce(dense, experts) + across(dense, experts);
        }
        if prefetched {
            comm.micro_batch.gather_root = gather(root, 0.0, 0.0);
            comm.micro_batch.gather_layer = gather(0.0, bucket * layer, bucket * expert) / bucket;
        } else {
            comm.after_update = gather(root, params.layers * layer, params.experts());
        }
        comm
    }

    fn new_fsdp(setup: &Setup, params: &LocalParams, groups: &Groups, reshard: Reshard) -> Self {
        let bytes = states::recipe_bytes(setup.recipe);
        let (frozen, of_frozen) = (params.frozen(), FrozenBytes::gathered(setup));
        let at_rest = FrozenBytes::at_rest(setup);
        let params = &params.trained;
        let (layer, root, expert) = (params.layer, params.root, params.expert);
        let shards = f64::from(setup.mesh.shard_group().max(1));
        let of_layer = gathered_layer_bytes(setup) * layer + of_frozen.layer_bytes(&frozen);
        let of_experts = gathered_layer_bytes(setup) * expert + of_frozen.matrices * frozen.expert;
        let of_root = bytes.gathered * root + of_frozen.others * frozen.root;
        let gather: C = groups.gather::<C>(of_layer) + groups.gather_experts(of_experts);
        let regather = match reshard {
            Reshard::Always => gather,
            Reshard::Never => C::default(),
            Reshard::To(group) => gather_among(setup, groups, group, [of_layer, of_experts]),
        };
        // Weights in host memory, or on drives, first cross the host's link shard by shard, and
        // their gradients return over it.
        let link = host::transfer_rate(setup);
        let drives = if setup.offload.weights_on_drives() { link.min(host::drive_rate(setup)) } else { link };
        let host = |rate: BytesPerSecond, bytes: f64| {
            C::waiting(if setup.offload.parameters { Bytes::new(bytes) / rate } else { Seconds::ZERO })
        };
        let expert_shards = groups.experts.as_ref().map_or(1.0, |experts| experts.shards);
        let shard = layer / shards + expert / expert_shards;
        let frozen_shard = at_rest.layer_bytes(&frozen) / shards + at_rest.matrices * frozen.expert / expert_shards;
        let (up, down) = (host(drives, bytes.weights * shard + frozen_shard), host(link, bytes.gradients * shard));
        let root_up = host(drives, bytes.weights * root / shards + at_rest.others * frozen.root / shards);
        let micro_batch = CommTimes {
            gather_root: groups.gather::<C>(of_root) + root_up,
            gather_layer: gather + up,
            regather_layer: if reshard == Reshard::Always { regather + up } else { regather }
                * Backward::new(setup).passed,
            reduce_layer: groups.scatter::<C>(bytes.reduced * layer)
                + groups.gather_experts(bytes.reduced * expert)
                + down,
            reduce_root: groups.scatter::<C>(bytes.reduced * root) + host(link, bytes.gradients * root / shards),
            replicate_layer: groups.across::<C>(bytes.reduced * layer / shards)
                + groups.experts_across(bytes.reduced * expert),
            replicate_root: groups.across(bytes.reduced * root / shards),
        };
        if setup.traits().is_one_program {
            // XLA stacks the layers' gradients in its loop, and reduces the stack across slices
            // after the loop.
            let (dense, experts) = (bytes.reduced * params.dense(), bytes.reduced * params.experts());
            return Self {
                after_backward: groups.across::<C>(dense / shards) + groups.experts_across(experts),
                micro_batch: CommTimes { replicate_layer: C::default(), replicate_root: C::default(), ..micro_batch },
                ..Self::default()
            };
        }
        Self { micro_batch, ..Self::default() }
    }
}

/// Returns the gather of a layer's weights and of its experts, in bytes, each among at most `most`
/// GPUs of their shard groups.
fn gather_among<C: Cost<Traffic>>(setup: &Setup, groups: &Groups, most: u32, [layer, experts]: [f64; 2]) -> C {
    let (mesh, network) = (&setup.mesh, &groups.network);
    let among = |shards: u32, stride: u32, bytes: f64| -> C {
        let group = Group::strided(most.min(shards), stride, mesh.gpus(), network);
        Ring::new(network, group).all_gather_cost(Bytes::new(bytes))
    };
    let of_layer = among(mesh.shard_group(), mesh.tp, layer);
    if experts > 0.0 { of_layer + among(mesh.expert_shard_group(), mesh.expert_group(), experts) } else { of_layer }
}

/// Returns the layers whose gradients Megatron's data parallelism reduces at once, in a bucket of
/// `max(40e6, 1e6 dp)` parameters, so that they share the latency; 1 for other frameworks.
pub fn layers_in_a_bucket(setup: &Setup, params: &Units) -> f64 {
    const LEAST: f64 = 40e6;
    const A_REPLICA: f64 = 1e6;
    if !setup.traits().joins_layers_in_buckets || params.layer <= 0.0 {
        return 1.0;
    }
    let replicas = A_REPLICA * f64::from(setup.mesh.replicas().saturating_mul(setup.mesh.cp));
    let bucket = if replicas > LEAST { replicas } else { LEAST };
    let layers = (bucket / params.layer).floor();
    let most = params.layers;
    let layers = if layers < most { layers } else { most };
    if layers > 1.0 { layers } else { 1.0 }
}

/// Adds up the communication of shard group and replicas on one lane if both use the same links, as
/// they then run one after the other.
fn one_lane_on_shared_links<C: Cost<Traffic>>(comm: CommTimes<C>, groups: &Groups) -> CommTimes<C> {
    if !groups.share_links() {
        return comm;
    }
    CommTimes {
        reduce_layer: comm.reduce_layer + comm.replicate_layer,
        reduce_root: comm.reduce_root + comm.replicate_root,
        replicate_layer: C::default(),
        replicate_root: C::default(),
        ..comm
    }
}
