//! Generation, and the phases of a step that generates its training data.

use serde_json::{Value, json};

use engine::model::rollout::RolloutReport;
use engine::names;

/// Writes the rollout: memory of a GPU while it generates, in bytes, and the phases of the step, in
/// seconds.
pub(super) fn rollout(rollout: &RolloutReport) -> Value {
    let memory = &rollout.memory;
    json!({
        "fits": rollout.fits(),
        "gpus": rollout.gpus,
        "own_gpus": rollout.own_gpus,
        "sequences": rollout.sequences,
        "tokens": rollout.tokens,
        "concurrent_sequences": rollout.concurrent,
        "tokens_per_s": rollout.tokens_per_s(),
        "memory_bytes": {
            "parts": memory.parts().map(|(part, bytes)| (names::generation_part(part).key, bytes.get())).into_iter().collect::<Value>(),
            "total": memory.total().get(),
            "capacity": memory.capacity.get(),
            "per_sequence": memory.per_sequence.get(),
        },
        "time_s": {
            "step": rollout.step().get(),
            "rollout": rollout.time().get(),
            "sync": rollout.sync.get(),
            "prefill": rollout.prefill.get(),
            "decode": rollout.decode.get(),
            "decode_step": rollout.decode_step.get(),
            "scoring": rollout.scoring.get(),
            "update": rollout.update.get(),
            "critic": rollout.critic.get(),
        },
    })
}
