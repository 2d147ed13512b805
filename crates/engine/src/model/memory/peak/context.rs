//! GPU memory of a process besides its tensors: CUDA's context and NCCL's buffers.

use crate::model::collectives::Group;
use crate::model::collectives::nccl::NO_SWITCH;
use crate::model::setup::Setup;
use crate::units::Bytes;

/// Buffers of a communicator that can reduce in the switches of its node (NVLS): 16 channels, each
/// with two buffers of 1 MiB for 8 GPUs (NCCL's `src/transport/nvls.cc`).
pub const SWITCH_BUFFERS: Bytes = Bytes::from_gib(0.25);
/// Passes of an all-reduce in a ring; in-switch reduction needs fewer.
const RING_PASSES: f64 = 2.0;

/// Returns the number of mesh axes with a communicator.
pub(super) fn communicators(setup: &Setup) -> f64 {
    let mesh = &setup.mesh;
    let axes = [mesh.dp_shard, mesh.dp_replicate, mesh.cp, mesh.tp, mesh.pp, mesh.ep, mesh.etp];
    axes.into_iter().map(|degree| f64::from(u8::from(degree > 1))).sum()
}

/// Returns the number of data-, tensor- and context-parallel axes whose communicators have more
/// than two GPUs in a node with switches that reduce. Pipelines and token exchanges send point to
/// point and reduce nothing.
///
/// ```
/// # use links::decode;
/// # use engine::model::memory::switch_communicators;
/// let of = |link: &str| switch_communicators(&decode(link).scenario.setup());
/// assert_eq!(of("cluster=dgx-h100&gpus=64"), 1.0);
/// // Eight GPUs by tp, and one of each node for full sharding.
/// assert_eq!(of("cluster=dgx-h100&gpus=64&tp=8"), 1.0);
/// assert_eq!(of("cluster=dgx-h100&gpus=64&tp=2"), 1.0);
/// assert_eq!(of("cluster=dgx-h100&gpus=2") + of("cluster=dgx-a100-80&gpus=64"), 0.0);
/// ```
pub fn switch_communicators(setup: &Setup) -> f64 {
    let (mesh, network) = (&setup.mesh, &setup.network);
    if network.all_reduce_passes >= RING_PASSES {
        return 0.0;
    }
    let mut stride = 1_u32;
    let mut found = 0.0;
    for degree in [mesh.tp, mesh.cp, mesh.dp_shard, mesh.dp_replicate] {
        let group = Group::strided(degree, stride, mesh.gpus(), network);
        found += f64::from(u8::from(group.ranks_per_node > NO_SWITCH));
        stride = stride.saturating_mul(degree.max(1));
    }
    found
}

/// Returns the memory of CUDA's context and NCCL's buffers.
pub fn context(setup: &Setup) -> Bytes {
    // Without a context, only tensors count, as the bounds assume.
    let per_switch = if setup.overheads.per_communicator > Bytes::ZERO { SWITCH_BUFFERS } else { Bytes::ZERO };
    setup.overheads.context
        + communicators(setup) * setup.overheads.per_communicator
        + switch_communicators(setup) * per_switch
}
