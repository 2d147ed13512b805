//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.

use analysis::plan::{Found, Hardware, Plan, Question, Terms, break_even, larger_batch};
use catalog::names::{cluster_named, clusters_near};
use engine::nearest::did_you_mean;
use engine::params::labels;
use engine::params::quantity::shorten;
use engine::scenario::issue::Issue;
use engine::scenario::{Model, Scenario};
use serde::Serialize;
use serde_json::Value;

use crate::given::Code;
use crate::{Given, Open, Read, Refusal, axis, json};

/// Combinations of one piece of a search.
const COMBINATIONS: usize = 10_000;
/// The scenario's own hardware, among clusters.
const OWN: &str = "own";

/// What is asked, of which hardware, and how many answers are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// `fewest`, `cheapest`, `fastest`, `context`, `model` or `batch`.
    pub question: &'a str,
    /// The deadline in days of `cheapest`, the budget in US dollars of `fastest`.
    pub limit: Option<f64>,
    /// The global batch in tokens per step; where it is not said that of the scenario, or of
    /// published runs of its size ([`analysis::plan::usual_batch`]).
    pub batch: Option<f64>,
    /// The odds, 0 to 1, that an answer fits and holds its limit; 0.8 where they are not said.
    pub sure: Option<f64>,
    /// Clusters of the catalog by their ids, and `own` for the scenario's hardware; all of them
    /// where there are none here.
    pub clusters: &'a [String],
    /// The most answers.
    pub most: usize,
}

/// A plan that was searched to its end, with its question.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What was found.
    pub plan: Plan,
    /// What was asked.
    pub question: Question,
    /// The same with the batch of published runs, where it is larger and the question is about
    /// clusters.
    pub larger: Option<Plan>,
}

/// Searches what answers a question about a scenario.
///
/// # Errors
///
/// A sentence: what is no question, deadline, budget or cluster.
pub fn search(scenario: &Scenario, asked: &Asked) -> Result<Planned, String> {
    let question = question(asked)?;
    let kind = question.kind();
    let terms = terms(scenario, asked)?;
    let mut plan = match asked.clusters {
        [] => Plan::new(scenario, kind, terms),
        _ if kind != Question::FewestGpus.kind() => {
            return Err(format!("“{}” is asked of the scenario's own GPUs, not of clusters.", question.key()));
        }
        ids => {
            let hardware = ids.iter().map(|id| hardware(scenario, id)).collect::<Result<_, _>>()?;
            Plan::over(scenario, kind, terms, hardware)
        }
    };
    let batch = larger_batch(scenario).filter(|batch| *batch > terms.batch && kind == Question::FewestGpus.kind());
    let mut larger = batch.map(|batch| Plan::over(scenario, kind, Terms { batch, ..terms }, plan.hardware().to_vec()));
    for plan in core::iter::once(&mut plan).chain(&mut larger) {
        while !plan.advance(COMBINATIONS) {}
    }
    Ok(Planned { plan, question, larger })
}

fn terms(scenario: &Scenario, asked: &Asked) -> Result<Terms, String> {
    let usual = Terms::usual(scenario);
    let terms = Terms { batch: asked.batch.unwrap_or(usual.batch), sure: asked.sure.unwrap_or(usual.sure) };
    if !(terms.batch > 0.0 && terms.batch.is_finite()) {
        return Err(format!("A global batch is a number of tokens above 0, not {}.", terms.batch));
    }
    if !(0.0..=1.0).contains(&terms.sure) {
        return Err(format!("How sure an answer is lies between 0 and 1, not at {}.", terms.sure));
    }
    Ok(terms)
}

/// Plans as JSON ([`answers`]).
///
/// # Errors
///
/// What cannot be read or is missing; as of [`search`].
pub fn plan(given: &Given, asked: &Asked) -> Result<String, Refusal> {
    let Read { scenario, issues, .. } = given.answerable(&[Open::Model])?;
    let planned = search(&scenario, asked).map_err(|said| Refusal::new(Code::InvalidValue, said))?;
    Ok(answers(&planned, asked.most, &issues))
}

/// Returns what was found as JSON: at most so many `answers`, the best first, each with a `link`,
/// its figures, and their range in which 80 % of measured runs lie; the `front` of days against
/// dollars; where nothing answers the `nearest`; how many combinations were `visited`, `evaluated`
/// and `fit`; clusters that were `refused`, and why; where the `batch` limits the best answer, what
/// it would be with the batch of published runs (`with_larger_batch`).
pub fn answers(planned: &Planned, most: usize, issues: &[Issue]) -> String {
    let Planned { plan, question, .. } = planned;
    let mut answers = plan.answers(*question);
    answers.truncate(most);
    let first = answers.first().copied();
    let row = |found: &Found| Row::new(plan, found, *question, first);
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
        visited: progress.visited,
        evaluated: progress.evaluated,
        fit: progress.fitting,
        refused: plan.hardware().iter().filter_map(refused).collect(),
        issues: axis::said(issues),
    })
}

impl Planned {
    /// The best answer with the batch of published runs, where that is better than with the smaller
    /// one that was asked for.
    pub fn with_larger_batch(&self) -> Option<&Found> {
        self.plan.answer_in_a_larger_batch(self.larger.as_ref()?, self.question)
    }
}

/// The question of a name, with its deadline or budget.
fn question(asked: &Asked) -> Result<Question, String> {
    let Some(mut question) = Question::from_key(asked.question) else {
        let names = Question::ALL.map(Question::key).join(", ");
        return Err(format!("“{}” is no question: there are {names}.", shorten(asked.question)));
    };
    let Some(given) = asked.limit else { return Ok(question) };
    if !(given > 0.0 && given.is_finite()) {
        return Err(format!("A deadline or a budget is a number above 0, not {given}."));
    }
    match &mut question {
        Question::Cheapest { days: limit } | Question::Fastest { dollars: limit } => *limit = given,
        _ => return Err(format!("“{}” has no deadline and no budget.", question.key())),
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

/// An answer: units are in the names, as in a sweep.
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
    micro_batch_size: u32,
    grad_accum_steps: u32,
    recompute: &'static str,
    mfu: f64,
    step_time_s: f64,
    tokens_per_s_per_gpu: f64,
    needed_memory_bytes: f64,
    fit_odds: f64,
    /// The odds to fit and end in time, or cost no more than the budget, where the question has
    /// such a limit.
    limit_odds: Option<f64>,
    time_s: f64,
    time_low_s: f64,
    time_high_s: f64,
    gpu_hours: f64,
    price_usd_per_gpu_hour: Option<f64>,
    /// Whose price it is; of the scenario's own nobody's.
    price_source: Option<&'static str>,
    cost_usd: Option<f64>,
    cost_low_usd: Option<f64>,
    cost_high_usd: Option<f64>,
    /// The price of a GPU-hour here at which it costs as much as the first answer.
    break_even_usd_per_gpu_hour: Option<f64>,
    link: String,
}

impl Row {
    fn new(plan: &Plan, found: &Found, question: Question, first: Option<&Found>) -> Self {
        let scenario = &found.scenario;
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
            micro_batch_size: scenario.micro_batch_size,
            grad_accum_steps: scenario.grad_accum_steps,
            recompute: labels::recompute(scenario),
            mfu: found.report.mfu,
            step_time_s: found.report.time.step.get(),
            tokens_per_s_per_gpu: found.report.tokens_per_s_per_gpu,
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
    visited: usize,
    evaluated: usize,
    fit: usize,
    refused: Vec<Refused>,
    issues: Value,
}
