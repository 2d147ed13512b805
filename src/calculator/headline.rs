//! The headline: does it fit, how fast is it, what limits it.

use crate::words::{hardware, model_name, opening};
use analysis::answer::Answer;
use analysis::network::write_limiter;
use catalog::accuracy::Fit;
use engine::format;
use engine::model::odds::Verdict;
use engine::model::report::Report;
use engine::names;
use engine::params::{Unit, quantity};
use engine::scenario::Scenario;

/// The headline in three pieces, so that the verdict can be emphasized.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// The model and the hardware.
    pub subject: String,
    /// The verdict, in words.
    pub verdict: &'static str,
    /// Memory needed, odds, MFU and limiter.
    pub rest: String,
    /// The verdict.
    pub state: Verdict,
}

impl Headline {
    /// Returns the whole sentence.
    pub fn sentence(&self) -> String {
        format!("{} {}: {}", self.subject, self.verdict, self.rest)
    }
}

/// Returns the headline of a scenario: `13B on 64 A100 40 GB fits: needs 32.3 of 39.5 GiB, 91 % of
/// such runs fit. 50.0 % MFU, limited by compute; the network costs 15.6 %.` If the hosts are short
/// of memory: `… fits the GPUs, not the host: needs 32.3 of 39.5 GiB, 91 % of such runs fit their
/// GPUs, and 1,480 of 1,000 GiB of host memory.`
pub fn headline(scenario: &Scenario, report: &Report) -> Headline {
    let answer = Answer::new(scenario, report);
    let fit = answer.fit;
    let speed = match fit.verdict {
        Verdict::Fits | Verdict::Tight if report.rollout.is_some() => format!(
            ". A step takes {}, {} of it generating; limited by {}.",
            format::seconds(answer.step.time),
            format::percent(answer.step.rollout),
            write_limiter(report)
        ),
        Verdict::Fits | Verdict::Tight => format!(". {}, limited by {}.", answer.mfu(), write_limiter(report)),
        Verdict::HostDoesNotFit | Verdict::DoesNotFit => ".".to_owned(),
    };
    // If the GPUs are short too, the headline is about the GPUs, and a note is about the hosts.
    let of_host = match fit.short() {
        Some(short) if fit.verdict == Verdict::HostDoesNotFit => format!(" their GPUs, and {short}"),
        _ => String::new(),
    };
    Headline {
        subject: format!("{} on {}", model_name(&scenario.model), hardware(scenario)),
        verdict: fit.verdict.phrase(),
        rest: format!("{}{of_host}{speed}", needs(report)),
        state: fit.verdict,
    }
}

/// Returns the memory that a run needs, and its odds:
/// `needs 32.3 of 39.5 GiB, 91 % of such runs fit`.
pub fn needs(report: &Report) -> String {
    let memory = format::bytes_of(report.memory.needed, report.memory.capacity);
    format!("needs {memory}, {}", odds(report))
}

/// Returns the odds of a run: `91 % of such runs fit`.
pub fn odds(report: &Report) -> String {
    format!("{} of such runs fit", format::odds(report.odds()))
}

/// Returns a run in short: `Tight fit, 72 % of such runs fit · 50.0 % MFU · compute`.
pub fn in_short(scenario: &Scenario, report: &Report) -> String {
    let verdict = opening(state(scenario, report).trim_start_matches("is a "));
    let answer = Answer::new(scenario, report);
    let assumed = if answer.fit.fits { "" } else { " if it fit" };
    format!("{verdict}, {} · {}{assumed} · {}", odds(report), answer.mfu(), names::limiter(report.limiter).phrase)
}

/// Returns the title of the page: model, GPUs, sequence length and verdict.
pub fn title(scenario: &Scenario, report: &Report) -> String {
    let length = quantity::with_unit(Unit::Tokens, f64::from(scenario.seq_len));
    let (model, gpus) = (model_name(&scenario.model), hardware(scenario));
    format!("{model} on {gpus} at {length} {} · shardwise", state(scenario, report))
}

/// Returns the verdict in a few words.
pub fn state(scenario: &Scenario, report: &Report) -> &'static str {
    Fit::check(scenario, report).verdict.phrase()
}
