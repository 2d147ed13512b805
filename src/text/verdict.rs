//! The headline: does it fit, how fast is it, what limits it.

use engine::catalog::{self, accuracy};
use engine::format;
use engine::model::hardware::Accelerator;
use engine::model::report::{Limiter, Report};
use engine::scenario::{Model, Scenario};
use engine::units::Bytes;

/// The headline in three pieces, so that the verdict can stand out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// What runs on what.
    pub subject: String,
    /// Whether it fits.
    pub verdict: String,
    /// How fast, and what limits it.
    pub rest: String,
    /// Whether it fits.
    pub fits: bool,
}

impl Headline {
    /// All of it.
    pub fn sentence(&self) -> String {
        format!("{} {}{}", self.subject, self.verdict, self.rest)
    }
}

/// The headline of a scenario.
pub fn headline(scenario: &Scenario, report: &Report) -> Headline {
    let subject = format!("{} on {}", model(&scenario.model), hardware(scenario));
    let free = report.memory.free();
    let mfu = format::percent(report.mfu);
    if report.fits() {
        return Headline {
            subject,
            verdict: format!("fits with {} to spare", format::bytes(free)),
            rest: format!(" and trains at {mfu} MFU, limited by {}.", limited_by(report.limiter)),
            fits: true,
        };
    }
    Headline {
        subject,
        verdict: "does not fit".into(),
        rest: format!(" and needs {} more than each GPU has.", format::bytes(-free)),
        fits: false,
    }
}

/// What limits, as the end of “limited by …”.
pub fn limited_by(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Memory => "memory",
        Limiter::InterNode => "the network between nodes",
        Limiter::IntraNode => "the links inside a node",
        Limiter::Compute => "compute",
        Limiter::Launch => "kernel launches",
        Limiter::Bubble => "idle pipeline stages",
    }
}

pub(super) fn model(model: &Model) -> String {
    match model {
        Model::Preset { id, .. } => {
            catalog::model(id).map_or_else(|| (*id).to_string(), |entry| entry.name.to_string())
        }
        Model::Ladder { size } => format::params(*size),
        Model::Custom { .. } => format!("A model of {} parameters", format::params(model.size())),
    }
}

fn hardware(scenario: &Scenario) -> String {
    let entry = catalog::accelerator(scenario.accelerator.id);
    let Accelerator { memory, efficiency, .. } = scenario.accelerator.values;
    let own = entry.is_some_and(|entry| entry.values.memory == memory);
    // Other numbers of a data sheet than the memory make another GPU; what kernels reach of them does not.
    let name = match entry {
        Some(entry) if Accelerator { memory, efficiency, ..entry.values } == scenario.accelerator.values => {
            entry.name.to_owned()
        }
        _ => {
            let from = entry.map_or(String::new(), |entry| super::from(entry.name));
            format!("custom GPU{}{from}", if scenario.gpus == 1 { "" } else { "s" })
        }
    };
    let count = format::count(f64::from(scenario.gpus));
    if own {
        format!("{count} {name}")
    } else {
        format!("{count} {name} with {}", format::value(engine::params::Unit::Gib, memory.gib()))
    }
}

/// The figures of the tiles.
impl super::Tiles {
    /// From a scenario and its report.
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
        let (time, memory) = (accuracy::step_time(scenario), accuracy::peak_memory(scenario));
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
