//! Keys of quantities that follow from a scenario: the number of nodes, and the sequences of a step
//! over all GPUs. Both are read from links and never written.

use super::keys::{BATCH_KEY, GPUS_KEY, NODES_KEY};
use engine::params::quantity::shorten;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;

/// Key of the derived quantity: the GPUs from the nodes, the micro-batches from the batch.
pub(super) fn key_of(key: &str) -> &'static str {
    if key == NODES_KEY { GPUS_KEY } else { "accum" }
}

/// Sets the GPUs from a number of nodes, or the micro-batches of a step from its sequences, in an
/// otherwise complete scenario; `said` is the value that the text itself gives for the GPUs or
/// micro-batches. Returns an issue if the number is invalid or contradicts other values.
pub(super) fn set(scenario: &mut Scenario, key: &str, typed: &str, said: Option<(&str, &str)>) -> Option<Issue> {
    let (name, key) = if key == NODES_KEY { ("nodes", NODES_KEY) } else { ("global batch", BATCH_KEY) };
    let Some(number) = typed.trim().parse::<u32>().ok().filter(|number| *number > 0) else {
        let message = format!("“{}” is not a number of {name}: give a whole number from 1.", shorten(typed));
        return Some(Issue::error(key, message));
    };
    let (found, place) = match key {
        NODES_KEY => (gpus(scenario, number), &mut scenario.gpus),
        _ => (micro_batches(scenario, number), &mut scenario.grad_accum_steps),
    };
    match found {
        Ok(found) if said.is_some() && *place != found => {
            let (other, value) = said.unwrap_or_default();
            let message =
                format!("{key}={number} makes {other} {found}, which contradicts {other}={}.", shorten(value));
            Some(Issue::error(key, message))
        }
        Ok(found) => {
            *place = found;
            None
        }
        Err(message) => Some(Issue::error(key, message)),
    }
}

/// Returns the GPUs of a number of nodes.
fn gpus(scenario: &Scenario, nodes: u32) -> Result<u32, String> {
    let node = scenario.network.values.gpus_per_node;
    let found = nodes.checked_mul(node).filter(|gpus| *gpus <= 131_072);
    found.ok_or_else(|| format!("{nodes} nodes of {node} GPUs are more than the limit of 131,072 GPUs."))
}

/// Returns the micro-batches of a step from its number of sequences.
fn micro_batches(scenario: &Scenario, sequences: u32) -> Result<u32, String> {
    let (replicas, micro) = (scenario.degrees().dp, scenario.micro_batch_size);
    let step = replicas.saturating_mul(micro).max(1);
    if sequences.is_multiple_of(step) && sequences / step <= 4096 {
        return Ok(sequences / step);
    }
    Err(format!(
        "A batch of {sequences} sequences is not a multiple of {replicas} data-parallel replicas × {micro} sequences \
         of a micro-batch: give a multiple of {step} up to {}, or other gpus, tp, pp, cp or mbs.",
        u64::from(step) * 4096
    ))
}

#[cfg(test)]
mod tests {
    use crate::decode;

    #[test]
    fn nodes_and_a_batch_set_what_follows_from_them() {
        let read = decode("cluster=dgx-h100&model=llama-3-8b&nodes=4&tp=2&mbs=2&global_batch_size=256");
        assert!(read.issues.is_empty(), "{:?}", read.issues);
        assert_eq!((read.scenario.gpus, read.scenario.grad_accum_steps), (32, 8));
        for wrong in ["nodes=0", "nodes=2&gpus=64&cluster=dgx-h100", "batch=3&gpus=8", "batch=many"] {
            assert_eq!(decode(wrong).issues.len(), 1, "{wrong}");
        }
        assert!(decode("cluster=dgx-h100&nodes=2&gpus=16").issues.is_empty());
    }
}
