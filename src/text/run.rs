//! The words of the whole run.

use engine::format::{self, bytes, duration, percent, rising};
use engine::model::run::RunReport;
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The panel's heading, and its controls'.
pub const TITLE: &str = "The whole run";

/// The finding: how long, for how much, and what failures leave of the time.
pub fn caption(scenario: &Scenario, fits: bool, run: &RunReport) -> String {
    let tokens = format::params(scenario.run.tokens);
    let moot = if fits { "" } else { "If memory were no limit: " };
    if !run.finishes() {
        let mtbf = duration(run.run_mtbf);
        return format!(
            "{moot}{tokens} tokens never finish: one failure every {mtbf} leaves no time to restart and catch up."
        );
    }
    let [time, cost, goodput] = [duration(run.time), dollars(run), percent(run.goodput)];
    format!("{moot}{tokens} tokens take {time} and {cost}; {goodput} of the time ends up in the model.")
}

/// Names and values.
pub fn rows(run: &RunReport) -> [(&'static str, String); 14] {
    let never = |time: Seconds| if time.get() < f64::INFINITY { duration(time) } else { "never".to_owned() };
    [
        ("Time to train", never(run.time)),
        ("Steps", format!("{} of {} tokens", amount(run.steps), amount(run.batch_tokens))),
        ("Batch efficiency", percent(run.batch_efficiency)),
        ("GPU-hours", amount(run.gpu_time.hours())),
        ("Cost", dollars(run)),
        ("Energy", rising(run.energy.mwh(), 1e3, &["MWh", "GWh"])),
        ("CO₂ equivalent", rising(run.emissions.tonnes(), 1e6, &["t"])),
        ("Goodput", percent(run.goodput)),
        ("Failures", format!("{}, one every {}", amount(run.interruptions), duration(run.run_mtbf))),
        ("Checkpoint", format!("{} in {}", bytes(run.checkpoint_size), duration(run.write_time))),
        ("Checkpoint every", never(run.interval)),
        ("Host memory per node, initialising", bytes(run.host_init)),
        ("Host memory per node, checkpointing", bytes(run.host_checkpoint)),
        ("Host memory per node, offloaded", bytes(run.host_offload)),
    ]
}

fn dollars(run: &RunReport) -> String {
    format::dollars(run.cost.get())
}

fn amount(value: f64) -> String {
    rising(value, 1e6, &["", "million", "billion"])
}
