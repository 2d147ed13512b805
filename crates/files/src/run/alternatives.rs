//! Evaluates a run over the likely values of facts that no file states.

use catalog::programs::{Part, Program};
use catalog::releases::{Known, RELEASES, Release};
use engine::format;
use engine::model::choices::Choices;
use engine::model::odds::Verdict;
use engine::model::report::Report;
use engine::model::training::Recompute;
use engine::params::ParamId;
use engine::params::quantity::with_unit;
use engine::scenario::Scenario;
use serde::{Deserialize, Serialize};

use super::sharding::as_zero3;
use super::{Base, File, MissingValue, Run, read_run};

/// Common sequence lengths, in tokens: short answers as of SQuAD, and documents.
pub(super) const LENGTHS: [u32; 5] = [256, 512, 2048, 4096, 8192];
/// Likely age of a run's release relative to the newest, in days.
const LIKELY_DAYS: i64 = 366;

/// Results over the likely values of facts that no file states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// A sentence for each missing fact: its likely values, and the memory that each needs.
    pub said: Vec<String>,
    /// The odds that each likely run fits, 0 to 1, the assumed values first.
    pub odds: Vec<f64>,
}

impl Spread {
    /// Returns the odds that the run fits: the mean over the likely runs, 0 to 1.
    pub fn share(&self) -> f64 {
        self.odds.iter().sum::<f64>() / self.odds.len().max(1) as f64
    }

    /// Whether the verdicts of the likely runs differ; then there is no verdict until the fact is
    /// stated.
    pub fn disagrees(&self) -> bool {
        let mut verdicts = self.odds.iter().map(|odds| Verdict::from_odds(*odds));
        let first = verdicts.next();
        verdicts.any(|other| Some(other) != first)
    }

    /// Returns the verdict over the likely runs: their common verdict, or tight if verdicts differ,
    /// independent of the mean odds.
    pub fn verdict(&self) -> Verdict {
        if self.disagrees() { Verdict::Tight } else { Verdict::from_odds(self.share()) }
    }
}

/// Evaluates a run over the likely values of facts that its files do not state: one fact at a time,
/// the others as assumed.
pub fn spread(run: &Run, files: &[File], base: &Base) -> Spread {
    let scenario = &run.scenario;
    let mut spread = Spread::default();
    if !run.formats.iter().any(|program| program.part() >= Part::Run) {
        return spread;
    }
    spread.odds.push(scenario.report().odds());
    // A program's own default is known where no key says another. A script around Hugging Face's
    // Trainer is its user's own, and may recompute what no key says.
    let is_free = run.formats.contains(&Program::Transformers)
        && !run.said.contains(&ParamId::Recompute)
        && !base.sets(ParamId::Recompute);
    let unit = ParamId::SequenceLength.param().number().map(|number| number.unit);
    let name = |length: u32| unit.map_or_else(|| length.to_string(), |unit| with_unit(unit, f64::from(length)));
    if run.open.contains(&MissingValue::Length) {
        let runs = around(scenario.seq_len, &LENGTHS).into_iter();
        let runs = runs.map(|length| (name(length), Scenario { seq_len: length, ..*scenario }));
        spread.over("No file says the length of sequences", scenario, runs);
    }
    if run.has_cut_off && !base.sets(ParamId::SequenceLength) {
        let shorter = LENGTHS.into_iter().filter(|length| *length < scenario.seq_len);
        let lengths = shorter.chain([scenario.seq_len]);
        let runs = lengths.map(|length| (name(length), Scenario { seq_len: length, ..*scenario }));
        let why = format!("{} is the cut-off of texts, not their length (set seq for that)", name(scenario.seq_len));
        spread.over(&why, scenario, runs);
    }
    if is_free && matches!(scenario.recompute, Recompute::None | Recompute::Full) {
        let runs = [("none", Recompute::None), ("all layers", Recompute::Full)];
        let runs = runs.map(|(name, recompute)| {
            (name.to_owned(), Scenario { choices: Choices { recompute, ..scenario.choices }, ..*scenario })
        });
        spread.over("No file says what is recomputed", scenario, runs.into_iter());
    }
    if run.assumes_ddp {
        let runs = [("DDP", *scenario), ("ZeRO-3", as_zero3(scenario))];
        spread.over("No file says the sharding", scenario, runs.map(|(name, run)| (name.to_owned(), run)).into_iter());
    }
    if run.takes_newest
        && let Some(Known(newest)) = scenario.release
    {
        let runs = recent(newest).filter_map(|release| {
            let mut base = base.clone();
            base.scenario.release = Some(Known(release));
            let run = read_run(files, base).ok()?;
            Some((release.name.to_owned(), run.scenario))
        });
        spread.over(&format!("No file says the release of {}", newest.program), scenario, runs);
    }
    spread
}

impl Spread {
    /// Adds the runs over the values of one fact, if their verdicts differ.
    fn over(&mut self, what: &str, taken: &Scenario, runs: impl Iterator<Item = (String, Scenario)>) {
        let runs: Vec<(String, Scenario)> = runs.collect();
        let others = runs.iter().filter(|(_, scenario)| scenario != taken);
        self.odds.extend(others.map(|(_, scenario)| scenario.report().odds()));
        let runs: Vec<(String, Report)> =
            runs.into_iter().map(|(value, scenario)| (value, scenario.report())).collect();
        let verdicts: Vec<Verdict> = runs.iter().map(|(_, report)| report.verdict()).collect();
        let Some((_, first)) = runs.first() else { return };
        // Skips a fact that changes nothing.
        if verdicts.iter().all(|other| Some(other) == verdicts.first()) {
            return;
        }
        let needs =
            |(value, report): &(String, Report)| format!("{value} needs {}", format::bytes(report.memory.needed));
        let needs: Vec<String> = runs.iter().map(needs).collect();
        let capacity = format::bytes(first.memory.capacity);
        self.said.push(format!("{what}: {}, of {capacity}.", needs.join(", ")));
    }
}

/// Returns the likely values and the assumed one, in order.
fn around(taken: u32, likely: &[u32]) -> Vec<u32> {
    let mut values = likely.to_vec();
    values.push(taken);
    values.sort_unstable();
    values.dedup();
    values
}

/// Returns the releases of a program within a year of its newest, with the newest.
fn recent(newest: &'static Release) -> impl Iterator<Item = &'static Release> {
    let oldest = days(newest.since) - LIKELY_DAYS;
    RELEASES.iter().filter(move |release| release.program == newest.program && days(release.since) >= oldest)
}

/// Converts a day of the form `2026-04-27` to a number of days, with months of 31 days.
fn days(day: &str) -> i64 {
    let mut parts = day.split('-').map(|part| part.parse::<i64>().unwrap_or_default());
    let mut next = || parts.next().unwrap_or_default();
    let (year, month, day) = (next(), next(), next());
    year * 366 + month * 31 + day
}
