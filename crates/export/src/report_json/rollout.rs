//! Generation, and the phases of a step that generates its training data.

use serde_json::{Value, json};

use engine::model::report::Report;
use engine::model::rollout::RolloutReport;
use engine::names;

/// Writes the rollout: memory of a GPU while it generates, in bytes, the phases of the step, in
/// seconds, and the update alone, whose figures are those of training on data that is there.
pub(super) fn rollout(rollout: &RolloutReport, report: &Report) -> Value {
    let (memory, update) = (&rollout.memory, &report.update);
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
            "moving": rollout.moving.get(),
            "scoring": rollout.scoring.get(),
            "update": rollout.update.get(),
            "critic": rollout.critic.get(),
        },
        "update": {
            "count": report.whole().updates,
            "time_s": update.time.step.get(),
            "mfu": update.mfu,
            "hfu": update.hfu,
            "tokens_per_s_per_gpu": update.tokens_per_s_per_gpu,
            "tflops_per_gpu": update.model_flops_per_gpu.tflops(),
            "limiter": names::limiter(update.time.limiter()).key,
        },
    })
}
