//! Warnings about the whole run, which leave the numbers of the step unchanged.

use crate::model::run::{RunChoices, batch, checkpoint, host};
use crate::model::setup::Setup;
use crate::params::ParamId;
use crate::scenario::issue::Issue;
use crate::units::Bytes;

/// Tokens in a million.
const MILLION: f64 = 1e6;
/// GiB in a TiB.
const GIB_PER_TIB: f64 = 1024.0;
/// Host memory of a DGX H100 (its data sheet), among the largest of training nodes.
const HOST_MEMORY: Bytes = Bytes::from_gib(2.0 * GIB_PER_TIB);

/// The batch exceeds the critical batch size, so tokens are wasted.
pub(super) fn critical_batch(setup: &Setup, choices: &RunChoices) -> Option<Issue> {
    let (batch, critical) = (batch::global_batch_tokens(setup), choices.critical_batch_tokens);
    if batch <= critical {
        return None;
    }
    let kept = 100.0 * batch::token_efficiency(batch, critical);
    let message = format!(
        "A step takes {:.1}M tokens, more than the critical batch of {:.1}M: a token teaches {kept:.0} % of what it does in small batches.",
        batch / MILLION,
        critical / MILLION,
    );
    Some(Issue::note(ParamId::CriticalBatch, message))
}

/// The run needs more host memory than nodes have.
pub(super) fn host_memory(setup: &Setup, choices: &RunChoices) -> Option<Issue> {
    let size = checkpoint::size(setup);
    let needs = [
        (
            ParamId::ShardedCheckpoint,
            "Gathering a checkpoint on one rank",
            host::checkpoint(setup, size, choices.sharded_checkpoint),
        ),
        (ParamId::DeferredInit, "Building the model on every rank", host::initialisation(setup, choices.deferred_init)),
        (ParamId::OffloadOptimizer, "What is offloaded", host::offload(setup)),
    ];
    needs.into_iter().find(|(_, _, bytes)| *bytes > HOST_MEMORY).map(|(id, what, bytes)| {
        let tib = format!("{:.1}", bytes.gib() / GIB_PER_TIB);
        let message = format!("{what} takes {tib} TiB of a node's host memory: a DGX H100 has 2 TiB.");
        Issue::note(id, message)
    })
}
