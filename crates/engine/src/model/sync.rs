//! Which micro-batches gather weights and reduce gradients.

use super::setup::Setup;
use super::software::GradientSync;
use super::training::{Reshard, Sharding};

/// Which micro-batches of a step gather weights and reduce gradients over the data-parallel GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GradientSyncPlan {
    /// Whether every micro-batch gathers weights, not the first alone.
    pub gather_each: bool,
    /// Whether every micro-batch reduces gradients, not the last alone.
    pub reduce_each: bool,
    /// Whether both run beside compute.
    pub overlap: bool,
}

impl GradientSyncPlan {
    /// FSDP gathers and reduces in every micro-batch, beside compute; under a pipeline it reduces
    /// in the last alone, and gathers in the first alone unless it reshards after the forward pass.
    /// ZeRO-2 reduces in every micro-batch, DDP and ZeRO-1 in the last. ZeRO's weights are gathered
    /// once, after the update or (overlapped) under the next forward pass.
    pub fn of(setup: &Setup) -> Self {
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
        Self { gather_each, reduce_each: reduce_each || !several, overlap: fsdp || setup.communication.overlap }
    }
}
