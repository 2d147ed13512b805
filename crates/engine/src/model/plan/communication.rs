//! What a stage gathers and reduces over its data-parallel groups.

use super::groups::{Groups, everyone};
use crate::model::collectives::{self, Group};
use crate::model::memory::states::{self, gathered_layer_bytes};
use crate::model::schedule::CommTimes;
use crate::model::setup::Setup;
use crate::model::share::Params;
use crate::model::software::Framework;
use crate::model::sync::Sync;
use crate::model::training::{Reshard, Sharding};
use crate::units::{Bytes, Seconds};

/// A micro-batch's communication, shard group and replicas apart; a reduction after the backward pass, a gather after the update. Routed experts travel within the
/// groups that hold the same ones, one after the dense parts of their layer.
pub(super) fn communication(
    setup: &Setup,
    params: &Params,
    groups: &Groups,
    sync: Sync,
) -> (CommTimes, Seconds, Seconds) {
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
                (comm, zero)
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
            (comm, zero, zero)
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

/// Where shard group and replicas use the same links, what both do is one after the other on one lane.
pub(super) fn one_lane_on_shared_links(comm: CommTimes, groups: &Groups) -> CommTimes {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::decode;

    /// Megatron-LM's `bucket_size = max(40000000, 1000000 * dp_group.size())` counts the GPUs of context parallelism in the group:
    /// 32 x 2 of them reduce 64M parameters at once, of layers of 10M six.
    #[test]
    fn a_bucket_of_megatron_grows_with_context_parallelism() {
        let layers = |cp: u32| {
            let link = format!("gpus={}&cp={cp}&framework=megatron&size=13B", 32 * cp);
            let params = Params { layer: 10e6, layers: 40.0, ..Params::NONE };
            layers_in_a_bucket(&decode(&link).scenario.setup(), &params)
        };
        assert_eq!((layers(1), layers(2)), (4.0, 6.0));
    }
}
