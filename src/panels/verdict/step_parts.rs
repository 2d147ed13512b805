//! Parts of a step, for the line that shows a step at a glance.

use charts::palette::StepShare;
use engine::model::report::{Report, TimeReport};
use engine::units::Seconds;

/// Names of the two parts of what the network costs.
pub(super) const SLOWED: &str = "slowed kernels";
pub(super) const WAITING: &str = "waiting";

/// Splits the whole step into parts: each part, its name and its time. The times add up to the
/// step. Generation comes first, as far as training waits for it; of the update, the time that the
/// MFU counts comes first.
pub(super) fn step_parts(report: &Report) -> Vec<(StepShare, &'static str, Seconds)> {
    let update = update_parts(report);
    let Some(rollout) = &report.rollout else { return update.to_vec() };
    let whole = report.whole();
    let around = [
        (StepShare::Rollout, "rollout", (whole.time - whole.preparation - whole.update).max(Seconds::ZERO)),
        (StepShare::Scoring, "preparation", whole.preparation + rollout.critic),
    ];
    around.into_iter().chain(update.map(|(of, name, time)| (of, name, whole.updates * time))).collect()
}

fn update_parts(report: &Report) -> [(StepShare, &'static str, Seconds); 7] {
    let time: &TimeReport = &report.update.time;
    // The MFU counts some FLOPs that sliced or overlapping kernels take less time for.
    let useful = (time.step * report.update.mfu).min(time.compute);
    let slowed = time.contention.min(time.compute - useful);
    let launches = time.launch_bound.min(time.compute - useful - slowed);
    [
        (StepShare::Useful, "useful", useful),
        (StepShare::Compute, "other compute", time.compute - useful - slowed - launches),
        (StepShare::Launches, "host", launches),
        (StepShare::Loading, "waiting for data", time.loading),
        (StepShare::Slowed, SLOWED, slowed),
        (StepShare::Comm, WAITING, time.exposed_comm),
        (StepShare::Bubble, "bubble", time.bubble),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::{SCENARIOS, default_scenario};
    use links::decode;

    /// Generation in turns with training, and on GPUs of its own.
    const GRPO: &str = "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo&sleep=yes";
    const AHEAD: &str =
        "cluster=dgx-h100&model=qwen-2.5-7b&gpus=16&seq=8k&objective=ppo&rm=model&upd=2&gengpu=8&stale=1";

    #[test]
    fn the_parts_add_up_to_the_step_and_none_is_negative() {
        let examples = SCENARIOS.iter().map(|entry| decode(entry.link).scenario);
        for scenario in examples.chain([
            default_scenario(),
            decode("loader=1").scenario,
            decode(GRPO).scenario,
            decode(AHEAD).scenario,
        ]) {
            let report = scenario.report();
            let parts = step_parts(&report);
            let sum: f64 = parts.iter().map(|(.., time)| time.get()).sum();
            assert!((sum / report.whole().time.get() - 1.0).abs() < 1e-9, "{scenario:?}");
            assert!(parts.iter().all(|(.., time)| time.get() >= -1e-12), "{parts:?}");
        }
    }
}
