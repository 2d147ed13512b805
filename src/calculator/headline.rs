//! The headline: does it fit, how fast is it, what limits it.

use crate::view::{Door, View};
use crate::words::{hardware, model_name, opening};
use analysis::answer::Answer;
use analysis::network::write_limiter;
use analysis::plan::{Question, SearchKind};
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
/// such runs fit. 47.7 % MFU, limited by compute; the network costs 14.7 %.` If the hosts are short
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

/// Returns the headline of a plan: the model or the GPUs that it is about, and the question. It
/// judges nothing, as a plan is about other hardware than that on screen: `Plan for 32B: the
/// cheapest run within 30 days`. `None` unless the page shows the plan.
pub fn planned(scenario: &Scenario, view: &View) -> Option<String> {
    let plan = view.plan;
    let is_shown = view.door() == Door::Plan && !view.embed;
    is_shown.then(|| {
        let model = model_name(&scenario.model);
        let named = plan.gpu.and_then(catalog::accelerator).map(|entry| format!(" on {}", entry.name));
        let about = match plan.question().kind() {
            SearchKind::Runs => format!("{model}{}", named.unwrap_or_default()),
            SearchKind::Models => hardware(scenario),
            SearchKind::Contexts | SearchKind::Batches => format!("{model} on {}", hardware(scenario)),
        };
        let asked = match plan.question() {
            Question::FewestGpus => "the fewest GPUs that hold the run".to_owned(),
            Question::Cheapest { days } => format!("the cheapest run within {} days", format::count(days)),
            Question::Fastest { dollars } => format!("the fastest run for {}", format::dollars(dollars)),
            Question::LongestContext => "the longest context".to_owned(),
            Question::LargestModel => "the largest model".to_owned(),
            Question::LargestBatch => "the largest batch".to_owned(),
        };
        format!("Plan for {about}: {asked}")
    })
}

/// Returns the title of the page while it shows a plan.
pub fn title_of_plan(planned: &str) -> String {
    format!("{planned} · shardwise")
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

/// Returns a run in short: `Tight fit, 72 % of such runs fit · 47.7 % MFU · compute`.
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
