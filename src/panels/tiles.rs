//! The headline figures as text.

use analysis::network;
use catalog::accuracy;
use engine::format;
use engine::model::report::{Limiter, Report};
use engine::names;
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The headline figures as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Model FLOPs utilisation.
    pub mfu: String,
    /// Throughput of one GPU.
    pub tokens: String,
    /// Time of one step.
    pub step: String,
    /// Memory needed, of the capacity.
    pub needed: String,
    /// Memory that nvidia-smi shows.
    pub shown: String,
    /// Ranges of measurements of MFU, throughput, step time and memory needed.
    pub bands: [String; 4],
    /// Whether the run fits.
    pub fits: bool,
}

impl Tiles {
    /// Returns the headline figures of a scenario and its report.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let (memory, whole) = (&report.memory, report.whole());
        let step = |factor: f64| format::seconds(factor * whole.time);
        let needed = |factor: f64| format::bytes(factor * memory.needed);
        let mfu = |factor: f64| format::percent(factor * whole.mfu);
        // The name has the unit.
        let tokens = |factor: f64| -> String {
            let text = format::tokens_per_s(factor * whole.tokens_per_s_per_gpu);
            text.strip_suffix("tokens/s").unwrap_or(&text).trim_end().into()
        };
        let (time, of_memory) = (accuracy::step_time(scenario), accuracy::peak_memory(report));
        let (slow, fast) = (1.0 / time.high, 1.0 / time.low);
        // The ranges are those of measured steps, and no rollout was measured.
        let measured = |range: String| if report.rollout.is_some() { NOT_MEASURED.to_owned() } else { range };
        Self {
            mfu: mfu(1.0),
            tokens: tokens(1.0),
            step: step(1.0),
            needed: format::bytes_of(memory.needed, memory.capacity),
            shown: format!("nvidia-smi shows {}", format::bytes(memory.peak)),
            bands: [
                report.rollout.map_or_else(
                    || format::range(&mfu(slow), &mfu(fast)),
                    |_| format!("update {}", format::percent(report.mfu)),
                ),
                measured(format::range(&tokens(slow), &tokens(fast))),
                measured(format::range(&step(time.low), &step(time.high))),
                format::range(&needed(of_memory.low), &needed(of_memory.high)),
            ],
            fits: report.fits(),
        }
    }
}

/// Text in place of a range without measurements.
const NOT_MEASURED: &str = "not measured";

/// Returns the share of the step that the limiter takes: rollout, compute and the network's cost,
/// the network, launches, the pipeline's bubble, data; or the missing memory, if memory is the
/// limit.
pub fn limiter_note(report: &Report) -> String {
    let time = &report.time;
    let of_step =
        |part: Seconds, does: &str| format!("{} of {} {does}", format::seconds(part), format::seconds(time.step));
    if let Some(rollout) = report.rollout.filter(|_| report.waits_for_rollout()) {
        return format!("{} of {}", format::seconds(rollout.time()), format::seconds(rollout.step()));
    }
    match report.limiter {
        Limiter::Memory if report.memory.fits() => "generation does not fit".to_owned(),
        Limiter::Memory => format::shortage(report.memory.headroom(), report.odds()),
        Limiter::InterNode | Limiter::IntraNode => of_step(time.network().total(), "lost to it"),
        Limiter::Compute => match network::cost_share(report) {
            Some(share) => format!("{}; network {share}", of_step(time.compute - time.contention, "compute")),
            None => of_step(time.compute, "compute"),
        },
        Limiter::Launch => of_step(time.launch_bound, "wait for launches"),
        Limiter::Bubble => of_step(time.bubble, "idle"),
        Limiter::Data => of_step(time.loading, "wait for data"),
    }
}

/// Returns the limiter in a word or two.
pub fn limiter(report: &Report) -> &'static str {
    if report.waits_for_rollout() { "Rollout" } else { names::limiter(report.limiter).tile }
}
