//! Messages from a pipeline stage to its neighbours.

use crate::model::collectives::{self, Group};
use crate::model::parallel::Schedule;
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::units::{Bytes, Seconds};

/// Time of a stage's messages to its neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::model) struct StageMessageTimes {
    /// Exposed time in one micro-batch.
    pub(in crate::model) time: Seconds,
    /// Additional exposed time in one step, while the pipeline fills and drains.
    pub(in crate::model) filling: Seconds,
    pub(in crate::model) cross: bool,
}

/// Returns the time of the messages between stages, activations forward and their gradients
/// backward: `e T H / tp` bytes at each boundary of a model chunk, as every GPU of a
/// tensor-parallel group sends its part (arXiv 2104.04473, section 4.1).
///
/// Megatron-Core overlaps messages with the next chunk's compute under the interleaved schedule
/// (`overlap_p2p_comm`, its default there), but not in the `v pp - 1` passes each way in which the
/// pipeline fills and drains (`overlap_p2p_comm_warmup_flush` is off;
/// `forward_backward_pipelining_with_interleaving`). `DualPipe` overlaps messages with the passes
/// of the other direction. `passes` are the compute times of a micro-batch, forward and backward.
pub(in crate::model) fn stage_message_times(setup: &Setup, element: f64, passes: [Seconds; 2]) -> StageMessageTimes {
    let mesh = &setup.mesh;
    if mesh.pp <= 1 {
        return StageMessageTimes::default();
    }
    let nodes = mesh.gpus().div_ceil(setup.network.gpus_per_node.max(1));
    let (cross, beyond) = (nodes > 1, f64::from(nodes - 1));
    let width = f64::from(setup.architecture.hidden_size) / f64::from(mesh.tp.max(1));
    let size = Bytes::new(element * per_rank::tokens(setup) * width);
    // Each GPU of a tensor-parallel group sends its part.
    let host = beyond * f64::from(mesh.tp.max(1)) * setup.overheads.message;
    let stages = Group::strided(mesh.pp, mesh.gpus() / mesh.pp, mesh.gpus(), &setup.network);
    let message = collectives::point_to_point(&setup.network, stages, cross, size) + host;
    let chunks = f64::from(setup.chunks());
    let interleaved = setup.pipeline.schedule == Schedule::Interleaved && chunks > 1.0;
    let overlaps = interleaved && setup.traits().overlaps_messages || setup.pipeline.schedule.is_dual();
    if !overlaps {
        return StageMessageTimes { time: 2.0 * chunks * message, filling: Seconds::ZERO, cross };
    }
    let filling = chunks * f64::from(mesh.pp) - 1.0;
    let all = chunks * f64::from(setup.batch.grad_accum_steps);
    let filling = if filling < all { filling } else { all };
    let mut sent = StageMessageTimes { cross, ..StageMessageTimes::default() };
    for pass in passes {
        let shows = (message - pass / chunks).max(Seconds::ZERO);
        sent.time += chunks * shows;
        sent.filling += filling * (message - shows);
    }
    sent
}
