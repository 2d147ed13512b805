//! Warnings about the whole run, which leave the numbers of the step unchanged.

use crate::format::{duration, host_memory as host};
use crate::model::run::checkpoint::{size, write_time};
use crate::model::run::{HostMemory, RunChoices, batch};
use crate::model::setup::Setup;
use crate::params::ParamId;
use crate::scenario::issue::Issue;
use crate::units::Seconds;

/// Tokens in a million.
const MILLION: f64 = 1e6;

/// Ratio of the batch to the critical batch above which a note is shown. Successful runs used up to
/// three times the default critical batch: DeepSeek-V3 62.9M tokens (arXiv 2412.19437, section
/// 4.2), at a token efficiency of a quarter.
const UNWISE: f64 = 4.0;

/// Returns a note if the batch is far above the critical one, so that most of the data's value is
/// lost.
pub(super) fn critical_batch(setup: &Setup, choices: &RunChoices) -> Option<Issue> {
    let (batch, critical) = (batch::global_batch_tokens(setup), choices.critical_batch_tokens);
    if batch <= UNWISE * critical {
        return None;
    }
    let kept = 100.0 * batch::token_efficiency(batch, critical);
    let message = format!(
        "A step takes {:.1}M tokens, more than the critical batch of {:.1}M: a token is worth {kept:.0} % of one in small batches.",
        batch / MILLION,
        critical / MILLION,
    );
    Some(Issue::note(ParamId::CriticalBatch, message))
}

/// Returns a note if the next checkpoint is due before one is written, so that the run only writes.
pub(super) fn checkpoint_interval(setup: &Setup, choices: &RunChoices) -> Option<Issue> {
    let interval = choices.checkpoint_interval;
    let write = write_time(setup, size(setup), choices.storage, choices.sharded_checkpoint);
    if interval <= Seconds::ZERO || interval > write {
        return None;
    }
    let message = format!(
        "A checkpoint takes {} to write, and the next one is due after {}: the run would never end. Enter a longer \
         interval, 0 for the one that loses least, or faster storage.",
        duration(write),
        duration(interval),
    );
    Some(Issue::note(ParamId::CheckpointInterval, message))
}

/// Advice for a run that offloads where there is nothing to offload to.
const ONE_MEMORY: &str = "Offload nothing, as both are one memory";

/// Returns a note if the run needs more memory than its hosts have.
pub(super) fn host_memory(setup: &Setup, choices: &RunChoices) -> Option<Issue> {
    let memory = HostMemory::new(setup, choices);
    if memory.fits() {
        return None;
    }
    let HostMemory { init, checkpoint, .. } = memory;
    let held = memory.offloaded_bytes();
    // The note refers to the largest part.
    let (key, most, change) = if setup.accelerator.unified && held >= init {
        (ParamId::OffloadOptimizer, "what is offloaded and what the GPU holds", ONE_MEMORY)
    } else if memory.gpus > init {
        (ParamId::HostMemory, "what the GPU holds, as its memory is the host's", "Train with less")
    } else if held >= init.max(checkpoint) {
        (ParamId::OffloadOptimizer, "offloaded state with its pinned buffers", "Offload less, or use more hosts")
    } else if checkpoint >= init && !choices.sharded_checkpoint {
        (ParamId::ShardedCheckpoint, "a checkpoint that one rank gathers", "Let every rank write its part")
    } else if init > checkpoint && !choices.deferred_init {
        (ParamId::DeferredInit, "the model, built on every rank", "Defer the initialisation")
    } else {
        (ParamId::HostMemory, "a checkpoint being written, or the model being built", "Use more hosts")
    };
    let message = format!(
        "The run needs {} of a host's memory, most of it for {most}. {change}, or enter more host memory.",
        host(memory.needed(), memory.capacity),
    );
    Some(Issue::note(key, message))
}
