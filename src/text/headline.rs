//! The headline: does it fit, how fast is it, what limits it.

use engine::catalog::{self, accuracy, families};
use engine::format;
use engine::model::hardware::Accelerator;
use engine::model::memory::odds::Verdict;
use engine::model::report::{Limiter, Report};
use engine::names;
use engine::params::{Unit, quantity};
use engine::scenario::{Model, Scenario};

/// The headline in three pieces, so that the verdict can stand out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// The model and the hardware.
    pub subject: String,
    /// Whether the run fits, in words.
    pub verdict: String,
    /// MFU and limiter, or the memory that is missing.
    pub rest: String,
    /// Whether the run fits.
    pub fits: bool,
}

impl Headline {
    /// The whole sentence.
    pub fn sentence(&self) -> String {
        format!("{} {}{}", self.subject, self.verdict, self.rest)
    }
}

/// The headline of a scenario.
pub fn headline(scenario: &Scenario, report: &Report) -> Headline {
    let subject = format!("{} on {}", model_name(&scenario.model), hardware(scenario));
    let free = report.memory.free();
    let mfu = format::percent(report.mfu);
    let fits = report.fits();
    let (verdict, rest) = match accuracy::verdict(report) {
        Verdict::Fits => (
            format!("fits with {} to spare", format::bytes(free)),
            format!(" and trains at {mfu} MFU, limited by {}.", limited_by(report.limiter)),
        ),
        Verdict::Tight => (state(report).to_owned(), tight(report)),
        Verdict::DoesNotFit => {
            (state(report).to_owned(), format!(" and needs {} more than each GPU has.", format::bytes(-free)))
        }
    };
    Headline { subject, verdict, rest, fits }
}

/// The title of the page: model, GPUs, sequence length and verdict.
pub fn title(scenario: &Scenario, report: &Report) -> String {
    let length = quantity::with_unit(Unit::Tokens, f64::from(scenario.seq_len));
    let (model, gpus) = (model_name(&scenario.model), hardware(scenario));
    format!("{model} on {gpus} at {length} {} · shardwise", state(report))
}

/// The verdict in a word or three.
pub fn state(report: &Report) -> &'static str {
    match accuracy::verdict(report) {
        Verdict::Fits => "fits",
        Verdict::Tight => "is tight",
        Verdict::DoesNotFit => "does not fit",
    }
}

/// What is said of a tight run: its odds, in no more words than of any other, as a headline that grows moves the page. The memory
/// that is left or missing stands in the bar below, the cheapest way to be sure among what would help.
fn tight(report: &Report) -> String {
    let of_ten = (10.0 * accuracy::fit_odds(report)).round();
    let mfu = format::percent(report.mfu);
    format!(": about {of_ten} in 10 such runs fit, at {mfu} MFU.")
}

/// The limiter, as the end of “limited by …”.
pub fn limited_by(limiter: Limiter) -> &'static str {
    names::limiter(limiter).phrase
}

/// The model's name; of a scaled one the family's, and its size.
pub fn model_name(model: &Model) -> String {
    match model {
        Model::Preset { id, .. } => {
            catalog::model(id).map_or_else(|| (*id).to_string(), |entry| entry.name.to_string())
        }
        Model::Ladder { size } => format::params(*size),
        Model::Custom { .. } => format!("A model of {} parameters", format::params(model.size())),
        Model::Scaled { base, size, .. } => {
            let name = families::name_of(model).map_or_else(
                || format!("A model of {} parameters", format::params(base.params() as f64)),
                str::to_owned,
            );
            format!("{name} scaled to {}", format::params(*size))
        }
    }
}

fn hardware(scenario: &Scenario) -> String {
    format!("{} {}", format::count(f64::from(scenario.gpus)), gpu_name(scenario))
}

/// The GPU's name, with its memory where that is not its data sheet's.
pub(super) fn gpu_name(scenario: &Scenario) -> String {
    let entry = catalog::accelerator(scenario.accelerator.id);
    let Accelerator { memory, usable_percent, efficiency, .. } = scenario.accelerator.values;
    let own = entry.is_some_and(|entry| entry.values.memory == memory);
    // Other numbers of a data sheet than the memory make another GPU; what programs can use of it and
    // what kernels reach do not.
    let name = match entry {
        Some(entry)
            if Accelerator { memory, usable_percent, efficiency, ..entry.values } == scenario.accelerator.values =>
        {
            entry.name.to_owned()
        }
        _ => {
            let from = entry.map_or(String::new(), |entry| super::from(entry.name));
            format!("custom GPU{}{from}", if scenario.gpus == 1 { "" } else { "s" })
        }
    };
    if own { name } else { format!("{name} with {}", format::value(Unit::Gib, memory.gib())) }
}
