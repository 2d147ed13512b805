//! Plans from a deadline, a budget or available GPUs to hardware and layout.

use analysis::held::Held;
use analysis::plan::{FastestLayout, Hardware, Plan, Question, Terms, break_even, larger_batch};
use analysis::settings::settings_beside;
use catalog::names::{cluster_named, clusters_near};
use engine::nearest::did_you_mean;
use engine::params::labels;
use engine::params::quantity::shorten;
use engine::scenario::issue::Issue;
use engine::scenario::{Model, Scenario};
use export::report_json::issues_json;
use serde::Serialize;
use serde_json::Value;

use crate::given::Code;
use crate::{Given, Open, Read, Refusal, json};

/// Combinations per step of a search.
const COMBINATIONS: usize = 10_000;
/// Name for the scenario's own hardware in the list of clusters.
const OWN: &str = "own";

/// A question, its hardware and the number of answers.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// `fewest`, `cheapest`, `fastest`, `context`, `model` or `batch`.
    pub question: &'a str,
    /// Deadline in days for `cheapest`, budget in US dollars for `fastest`.
    pub limit: Option<f64>,
    /// Global batch in tokens per step. The default is the batch of the scenario, or of published
    /// runs of its size ([`analysis::plan::usual_batch`]).
    pub batch: Option<f64>,
    /// Minimum odds, 0 to 1, that an answer fits and meets its limit; 0.8 by default.
    pub sure: Option<f64>,
    /// Ids of catalog clusters, and `own` for the scenario's hardware; all of them if empty.
    pub clusters: &'a [String],
    /// Keys of parameters that every layout keeps as the scenario has them: `tp`, `recompute`.
    pub hold: &'a [String],
    /// Maximum number of answers.
    pub most: usize,
}

/// A completed search with its question.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Result of the search.
    pub plan: Plan,
    /// The question.
    pub question: Question,
    /// Result with the batch of published runs, if that batch is larger and the question is about
    /// clusters.
    pub larger: Option<Plan>,
}

/// Searches the answers to a question about a scenario.
///
/// # Errors
///
/// Returns a sentence for an invalid question, deadline, budget or cluster.
pub fn search(scenario: &Scenario, asked: &PlanRequest) -> Result<Planned, String> {
    search_with(scenario, asked, |_, _| {})
}

/// Searches like [`search`], and tells how many combinations were visited, and of how many.
///
/// # Errors
///
/// See [`search`].
pub fn search_with(
    scenario: &Scenario,
    asked: &PlanRequest,
    mut tell: impl FnMut(usize, usize),
) -> Result<Planned, String> {
    let question = question(asked)?;
    let kind = question.kind();
    let terms = terms(scenario, asked)?;
    let mut plan = match asked.clusters {
        [] => Plan::new(scenario, kind, terms),
        _ if kind != Question::FewestGpus.kind() => {
            return Err(format!("“{}” is about the scenario's GPUs, not about clusters.", question.key()));
        }
        ids => {
            let hardware = ids.iter().map(|id| hardware(scenario, id)).collect::<Result<_, _>>()?;
            Plan::over(scenario, kind, terms, merged(hardware))
        }
    };
    let batch = larger_batch(scenario).filter(|batch| *batch > terms.batch && kind == Question::FewestGpus.kind());
    let mut larger = batch.map(|batch| Plan::over(scenario, kind, Terms { batch, ..terms }, plan.hardware().to_vec()));
    for plan in core::iter::once(&mut plan).chain(&mut larger) {
        while !plan.advance(COMBINATIONS) {
            let progress = plan.progress();
            tell(progress.visited, progress.of);
        }
    }
    Ok(Planned { plan, question, larger })
}

/// Returns the parameters with these keys, for a search to hold.
///
/// # Errors
///
/// Returns a sentence for an unknown key.
pub(crate) fn held(keys: &[String]) -> Result<Held, String> {
    let unknown = keys.iter().find(|key| engine::params::find(key).is_none());
    match unknown {
        Some(key) => Err(format!("“{}” is not a key of a scenario, so a search cannot hold it.", shorten(key))),
        None => Ok(Held::from_keys(keys.iter().map(String::as_str))),
    }
}

fn terms(scenario: &Scenario, asked: &PlanRequest) -> Result<Terms, String> {
    let usual = Terms::usual(scenario);
    let held = held(asked.hold)?;
    let terms = Terms { batch: asked.batch.unwrap_or(usual.batch), sure: asked.sure.unwrap_or(usual.sure), held };
    if !(terms.batch > 0.0 && terms.batch.is_finite()) {
        return Err(format!("A global batch must be a number of tokens above 0, not {}.", terms.batch));
    }
    if !(0.0..=1.0).contains(&terms.sure) {
        return Err(format!("The odds of an answer must be between 0 and 1, not {}.", terms.sure));
    }
    Ok(terms)
}

/// Searches and returns the answers as JSON ([`answers`]).
///
/// # Errors
///
/// Returns a refusal for invalid input or missing values, and the errors of [`search`].
pub fn plan(given: &Given, asked: &PlanRequest) -> Result<String, Refusal> {
    let Read { scenario, issues, .. } = given.answerable(&Open::OF_PLAN)?;
    let planned = search(&scenario, asked).map_err(|said| Refusal::new(Code::InvalidValue, said))?;
    Ok(answers(&planned, asked.most, &issues))
}

/// Returns the result as JSON: at most `most` `answers`, the best first, each with a `link`, its
/// values, and the range that contains 80 % of measured runs; the `front` of days against dollars;
/// the `nearest` miss if there are no answers; a sentence of what is left to the reader
/// (`unchecked`); the number of combinations `visited`, `evaluated` and `fit`; `refused` clusters
/// with reasons; and if the `batch` limits the best answer, the answer with the batch of published
/// runs (`with_larger_batch`).
pub fn answers(planned: &Planned, most: usize, issues: &[Issue]) -> String {
    let Planned { plan, question, .. } = planned;
    let mut answers = plan.answers(*question);
    answers.truncate(most);
    let first = answers.first().copied();
    let row = |found: &FastestLayout| Row::new(plan, found, *question, first);
    let larger = planned.larger.as_ref().zip(planned.with_larger_batch());
    let progress = plan.progress();
    let refused = |of: &Hardware| Some(Refused { cluster: of.name(), why: of.refused.clone()? });
    let nearest = if first.is_none() { plan.nearest_miss(*question) } else { None };
    json(&Answered {
        question: question.key(),
        limit: limit(*question),
        batch_tokens: plan.terms().batch,
        sure: plan.terms().sure,
        answers: answers.iter().map(|found| row(found)).collect(),
        nearest: nearest.map(row),
        with_larger_batch: larger.map(|(larger, found)| Row::new(larger, found, *question, None)),
        front: plan.front().into_iter().map(row).collect(),
        unchecked: question.unchecked(),
        visited: progress.visited,
        evaluated: progress.evaluated,
        fit: progress.fitting,
        refused: plan.hardware().iter().filter_map(refused).collect(),
        issues: issues_json(issues),
    })
}

impl Planned {
    /// Returns the best answer with the batch of published runs, if it is better than with the
    /// smaller requested batch.
    pub fn with_larger_batch(&self) -> Option<&FastestLayout> {
        self.plan.answer_in_a_larger_batch(self.larger.as_ref()?, self.question)
    }
}

/// Parses the question with its deadline or budget.
fn question(asked: &PlanRequest) -> Result<Question, String> {
    let Some(mut question) = Question::from_key(asked.question) else {
        let names = Question::ALL.map(Question::key).join(", ");
        return Err(format!("“{}” is not a question: the questions are {names}.", shorten(asked.question)));
    };
    let Some(given) = asked.limit else { return Ok(question) };
    if !(given > 0.0 && given.is_finite()) {
        return Err(format!("A deadline or a budget must be a number above 0, not {given}."));
    }
    match &mut question {
        Question::Cheapest { days: limit } | Question::Fastest { dollars: limit } => *limit = given,
        _ => return Err(format!("“{}” takes neither a deadline nor a budget.", question.key())),
    }
    Ok(question)
}

fn limit(question: Question) -> Option<f64> {
    match question {
        Question::Cheapest { days: limit } | Question::Fastest { dollars: limit } => Some(limit),
        _ => None,
    }
}

fn hardware(scenario: &Scenario, id: &str) -> Result<Hardware, String> {
    if id == OWN {
        return Ok(Hardware::own(scenario));
    }
    let cluster = cluster_named(id).and_then(|found| Hardware::cluster(scenario, found.entry));
    let near = || did_you_mean(&clusters_near(id));
    cluster.ok_or_else(|| format!("The catalog has no cluster “{}”.{}", shorten(id), near()))
}

/// Merges hardware of one name and price, as the catalog's rows of a plan are merged.
fn merged(all: Vec<Hardware>) -> Vec<Hardware> {
    let mut rows: Vec<Hardware> = Vec::with_capacity(all.len());
    for hardware in all {
        let is_same = |row: &&mut Hardware| row.name() == hardware.name() && row.price == hardware.price;
        match rows.iter_mut().find(is_same) {
            Some(row) => {
                row.most_gpus = row.most_gpus.max(hardware.most_gpus);
                row.clusters.extend(hardware.clusters);
            }
            None => rows.push(hardware),
        }
    }
    rows
}

/// An answer. Names include units, as in a sweep.
#[derive(Serialize)]
struct Row {
    cluster: String,
    clusters: Vec<&'static str>,
    own: bool,
    model: Option<&'static str>,
    params: u64,
    gpus: u32,
    seq: u32,
    sequences_per_step: u32,
    tokens_per_step: f64,
    layout: String,
    /// Settings in which the run differs from the scenario: kernels, compilation, loss, schedule.
    settings: Vec<String>,
    micro_batch_size: u32,
    grad_accum_steps: u32,
    recompute: &'static str,
    mfu: f64,
    step_time_s: f64,
    tokens_per_s_per_gpu: f64,
    needed_memory_bytes: f64,
    fit_odds: f64,
    /// Odds that the run fits and meets the deadline or the budget, for questions with a limit.
    limit_odds: Option<f64>,
    time_s: f64,
    time_low_s: f64,
    time_high_s: f64,
    gpu_hours: f64,
    price_usd_per_gpu_hour: Option<f64>,
    /// Source of the price; `None` for the scenario's own price.
    price_source: Option<&'static str>,
    cost_usd: Option<f64>,
    cost_low_usd: Option<f64>,
    cost_high_usd: Option<f64>,
    /// Price of a GPU-hour at which this answer costs as much as the first answer.
    break_even_usd_per_gpu_hour: Option<f64>,
    link: String,
}

impl Row {
    fn new(plan: &Plan, found: &FastestLayout, question: Question, first: Option<&FastestLayout>) -> Self {
        let (scenario, whole) = (&found.scenario, found.report.whole());
        let of = plan.hardware().get(found.hardware);
        let (time, cost) = (found.run.time.get(), Some(found.dollars()).filter(|_| plan.has_price(found)));
        let first = first.filter(|first| plan.has_price(first) && first.hardware != found.hardware);
        Self {
            cluster: of.map_or_else(String::new, Hardware::name),
            clusters: of.map_or_else(Vec::new, |of| of.clusters.clone()),
            own: of.is_some_and(|of| of.is_own),
            model: match scenario.model {
                Model::Preset { id, .. } => Some(id),
                _ => None,
            },
            params: scenario.model.architecture().params(),
            gpus: scenario.gpus,
            seq: scenario.seq_len,
            sequences_per_step: found.sequences(),
            tokens_per_step: found.batch(),
            layout: labels::layout(scenario),
            settings: settings_beside(plan.scenario(), scenario),
            micro_batch_size: scenario.micro_batch_size,
            grad_accum_steps: scenario.grad_accum_steps,
            recompute: labels::recompute(scenario),
            mfu: whole.mfu,
            step_time_s: whole.time.get(),
            tokens_per_s_per_gpu: whole.tokens_per_s_per_gpu,
            needed_memory_bytes: found.report.memory.needed.get(),
            fit_odds: found.odds,
            limit_odds: found.limit_odds(question),
            time_s: time,
            time_low_s: found.band.low * time,
            time_high_s: found.band.high * time,
            gpu_hours: found.run.gpu_time.hours(),
            price_usd_per_gpu_hour: cost.map(|_| scenario.run.price_per_gpu_hour),
            price_source: of.and_then(|of| of.listed).map(|price| price.source),
            cost_usd: cost,
            cost_low_usd: cost.map(|cost| found.band.low * cost),
            cost_high_usd: cost.map(|cost| found.band.high * cost),
            break_even_usd_per_gpu_hour: first.and_then(|first| break_even(first, found)),
            link: links::encode(scenario),
        }
    }
}

#[derive(Serialize)]
struct Refused {
    cluster: String,
    why: String,
}

#[derive(Serialize)]
struct Answered {
    question: &'static str,
    limit: Option<f64>,
    batch_tokens: f64,
    sure: f64,
    answers: Vec<Row>,
    nearest: Option<Row>,
    with_larger_batch: Option<Row>,
    front: Vec<Row>,
    unchecked: Option<&'static str>,
    visited: usize,
    evaluated: usize,
    fit: usize,
    refused: Vec<Refused>,
    issues: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_of_one_name_and_price_are_one_row() {
        let scenario = catalog::default_scenario();
        let of_h100 = catalog::CLUSTERS.iter().filter(|entry| entry.accelerator == "h100-sxm");
        let all: Vec<Hardware> = of_h100.filter_map(|entry| Hardware::cluster(&scenario, entry)).collect();
        let clusters = all.len();
        let rows = merged(all);
        let names: Vec<String> = rows.iter().map(Hardware::name).collect();
        assert_eq!(rows.iter().map(|row| row.clusters.len()).sum::<usize>(), clusters);
        assert!(rows.len() < clusters && rows.len() > 3, "{names:?}");
        for (at, row) in rows.iter().enumerate() {
            let is_same = |other: &Hardware| other.name() == row.name() && other.price == row.price;
            assert_eq!(rows.iter().position(is_same), Some(at), "{names:?}");
        }
    }
}
