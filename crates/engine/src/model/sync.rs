//! The micro-batches that gather weights and reduce gradients.

use super::setup::Setup;
use super::software::GradientSync;
use super::training::{Reshard, Sharding};

/// The micro-batches of a step that gather weights and reduce gradients over the data-parallel
/// GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradientSyncPlan {
    /// Whether every micro-batch gathers weights, instead of only the first.
    pub gather_each: bool,
    /// Whether every micro-batch reduces gradients, instead of only the last.
    pub reduce_each: bool,
    /// Whether FSDP keeps weights gathered from one micro-batch's backward pass to the next forward
    /// pass.
    pub keeps_gathered: bool,
    /// Whether both overlap with compute.
    pub overlap: bool,
}

impl GradientSyncPlan {
    /// Returns the plan of a setup. FSDP gathers and reduces in every micro-batch, overlapped with
    /// compute; in a pipeline it only reduces in the last, and only gathers in the first unless it
    /// reshards after the forward pass. ZeRO-2 reduces in every micro-batch, DDP and ZeRO-1 in the
    /// last. ZeRO's weights are gathered once, after the update or (overlapped) under the next
    /// forward pass.
    ///
    /// In a pipeline of PyTorch FSDP2 does not free a unit after its backward pass unless it
    /// reduces the unit's gradients then (torch/distributed/pipelining/stage.py at 88fa1e71,
    /// `backward_maybe_with_nosync`: `set_reshard_after_backward(False)`,
    /// `set_requires_gradient_sync(False)`).
    pub fn new(setup: &Setup) -> Self {
        let pipelined = setup.mesh.pp > 1;
        let by_default = match setup.sharding {
            Sharding::Fsdp(_) => !pipelined,
            Sharding::Zero2 => true,
            Sharding::Ddp | Sharding::Zero1 => false,
        };
        let reduce_each = match setup.communication.gradient_sync {
            GradientSync::Default => by_default,
            GradientSync::EveryMicroBatch => true,
            GradientSync::LastMicroBatch => false,
        };
        let fsdp = matches!(setup.sharding, Sharding::Fsdp(_));
        let gather_each = fsdp && !(pipelined && setup.sharding == Sharding::Fsdp(Reshard::Never));
        let several = setup.batch.grad_accum_steps > 1;
        let reduce_each = reduce_each || !several;
        let keeps_gathered = fsdp && pipelined && setup.traits().shards_by_fsdp && !reduce_each;
        Self { gather_each, reduce_each, keeps_gathered, overlap: fsdp || setup.communication.overlap }
    }
}
