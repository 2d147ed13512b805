//! Refit: the updated weights on their way from training to the engine.

use super::{HALF, engine_setup};
use crate::model::collectives::{self, Group};
use crate::model::compute::memory_rate;
use crate::model::pace;
use crate::model::setup::Setup;
use crate::model::stages::stages;
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Returns the time in which updated weights are sent to the engine, in 16 bits.
///
/// They are gathered over the shard group if they are sharded. On the training GPUs each GPU then
/// gets the weights that other tensor, expert and pipeline ranks hold, bucket by bucket, and the
/// engine copies its part of each bucket (CUDA IPC). Separate GPUs get all weights in a broadcast
/// (TRL, verl, NeMo RL). A bucket has one owner at a time, so it passes through one network card,
/// or over the links inside a node where the GPUs share one.
///
/// ```
/// # use links::decode;
/// # use engine::model::rollout::sync;
/// let seconds = |link: &str| sync(&decode(&format!("objective=grpo&strategy=zero1&{link}")).scenario.setup()).get();
/// // NeMo RL, DeepSeek-V3 from PP8 EP64 to TP64 on the training GPUs: 47.2 s, of which 12.2 gather and 33.5 hand over
/// // buckets, 692.5 before its optimizations (its blog of 2025-08-12, nemo-rl-refit-performance, table 1).
/// let colocated = seconds("cluster=dgx-h100&gpus=512&model=deepseek-v3&pp=8&ep=64&gentp=64");
/// assert!((0.7..1.1).contains(&(colocated / 47.2)), "{colocated}");
/// // To separate GPUs: 13 and 34 s, and 5.5 and 14 with gather and broadcast overlapped (github NVIDIA-NeMo/RL pull 1379).
/// for (model, [before, after]) in [("qwen-3-235b-a22b", [13.0, 5.5]), ("deepseek-v3", [34.0, 14.0])] {
///     let separate = seconds(&format!("cluster=dgx-h100&gpus=256&gengpu=256&model={model}&pp=8&ep=16&gentp=16"));
///     assert!(separate < 1.2 * before && separate > after, "{model}: {separate}");
/// }
/// // verl, 7B from twelve GPUs to four: mostly below 0.3 s (verl docs/advance/one_step_off.md).
/// assert!(seconds("cluster=dgx-h100&gpus=12&gengpu=4&model=qwen-2.5-7b") < 0.6);
/// ```
pub fn sync(setup: &Setup) -> Seconds {
    let gathered = pace::gather_all(setup);
    let whole = Bytes::new(HALF * setup.architecture.params() as f64);
    let mesh = &setup.mesh;
    let own = setup.objective.engine.gpus;
    if own > 0 {
        let all = mesh.gpus().saturating_add(own);
        return gathered + whole / rate(setup, Group::consecutive(all, all, &setup.network));
    }
    let least = stages(setup).iter().map(|stage| HALF * stage.params.held.all()).fold(f64::INFINITY, f64::min);
    let missing = (whole - Bytes::new(least)).max(Bytes::ZERO);
    // Stages are the outermost ranks of a mesh.
    let ranks = if mesh.pp > 1 { mesh.gpus() } else { mesh.tp.max(mesh.expert_group()) };
    let between = missing / rate(setup, Group::consecutive(ranks, mesh.gpus(), &setup.network));
    let (_, engine) = engine_setup(setup);
    // Read and written once.
    let copied = Bytes::new(2.0 * HALF * engine.params.held.all()) / memory_rate(setup);
    gathered + between + copied
}

/// Returns the rate of a bucket from its owner to the others of a group.
fn rate(setup: &Setup, group: Group) -> BytesPerSecond {
    let network = &setup.network;
    if collectives::uses_inter_node(network, group) {
        network.inter_node * network.inter_node_efficiency
    } else {
        collectives::bus_bandwidth(network, group)
    }
}
