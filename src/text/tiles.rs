//! The headline figures as text.

use engine::catalog::accuracy;
use engine::format;
use engine::model::report::{Limiter, Report};
use engine::names;
use engine::scenario::Scenario;
use engine::units::Bytes;

/// The headline figures as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Model FLOPs utilisation.
    pub mfu: String,
    /// Throughput of one GPU.
    pub tokens: String,
    /// Time of one step.
    pub step: String,
    /// Memory at its peak.
    pub peak: String,
    /// The ranges in which measurements of the four figures above lie.
    pub bands: [String; 4],
    /// Memory left, with a minus where it is not enough.
    pub free: String,
    /// Whether the memory is enough.
    pub fits: bool,
}

impl Tiles {
    /// The headline figures of a scenario and its report.
    pub fn of(scenario: &Scenario, report: &Report) -> Self {
        let free: Bytes = report.memory.free();
        let step = |factor: f64| format::seconds(factor * report.time.step);
        let peak = |factor: f64| format::bytes(factor * report.memory.peak);
        let mfu = |factor: f64| format::percent(factor * report.mfu);
        // The name says the unit.
        let tokens = |factor: f64| -> String {
            let text = format::tokens_per_s(factor * report.tokens_per_s_per_gpu);
            text.strip_suffix("tokens/s").unwrap_or(&text).trim_end().into()
        };
        let (time, memory) = (accuracy::step_time(scenario), accuracy::peak_memory(report));
        let (slow, fast) = (1.0 / time.high, 1.0 / time.low);
        Self {
            mfu: mfu(1.0),
            tokens: tokens(1.0),
            step: step(1.0),
            peak: peak(1.0),
            bands: [
                format::range(&mfu(slow), &mfu(fast)),
                format::range(&tokens(slow), &tokens(fast)),
                format::range(&step(time.low), &step(time.high)),
                format::range(&peak(memory.low), &peak(memory.high)),
            ],
            free: if report.fits() {
                format::bytes(free)
            } else {
                format::delta(free.get(), |size| format::bytes(Bytes::new(size)))
            },
            fits: report.fits(),
        }
    }
}

/// How much of the step is what limits it: compute, communication that compute does not hide, or the pipeline's bubble; nothing
/// where memory is the limit.
pub fn limiter_share(report: &Report) -> Option<String> {
    let time = &report.time;
    let part = match report.limiter {
        Limiter::Memory => return None,
        Limiter::InterNode | Limiter::IntraNode => time.exposed_comm,
        Limiter::Compute => time.compute,
        Limiter::Launch => time.launch_bound,
        Limiter::Bubble => time.bubble,
    };
    Some(format!("{} of the step", format::percent(part / time.step)))
}

/// The limiter in a word or two.
pub fn limiter(limiter: Limiter) -> &'static str {
    names::limiter(limiter).tile
}
