//! `shardwise plan`: from a deadline, a budget or the GPUs at hand to hardware and layout.

use analysis::plan::{FastestLayout, Hardware, Plan, Progress, Question, SearchKind, break_even};
use api::plan::{PlanRequest, Planned, search_with};
use api::{Open, Read};
use clap::{Args, ValueEnum};
use engine::format;
use engine::params::{Unit, labels};

use crate::Answer;
use crate::input::{Came, Input, notes, number, percent};
use crate::rank::settings;
use crate::table::{aligned, plain};

/// A question about a scenario, and how its answers are printed.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The question
    question: Name,
    #[command(flatten)]
    input: Input,
    /// The deadline of `cheapest` in days [default: 30]
    #[arg(long, value_parser = number, conflicts_with = "budget")]
    days: Option<f64>,
    /// The budget of `fastest` in US dollars, as in 100k [default: 100,000]
    #[arg(long, value_parser = number)]
    budget: Option<f64>,
    /// The global batch in tokens per step, as in 4M [default: the scenario's where it was chosen,
    /// else that of published runs]
    #[arg(long, value_parser = number)]
    batch: Option<f64>,
    /// The odds in percent that an answer fits and holds its limit [default: 80]
    #[arg(long, value_parser = percent)]
    sure: Option<f64>,
    /// A cluster of the catalog by its id, or `own`; several times for several [default: all of
    /// them]
    #[arg(long = "cluster", value_name = "ID")]
    clusters: Vec<String>,
    /// Keys that every layout keeps as the scenario has them, as in tp,recompute
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    hold: Vec<String>,
    /// How many answers
    #[arg(long, default_value_t = 10)]
    top: usize,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// The questions.
#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// The fewest GPUs that fit, on each cluster
    Fewest,
    /// The cheapest run by a deadline, on each cluster
    Cheapest,
    /// The fastest run within a budget, on each cluster
    Fastest,
    /// The longest sequences on the scenario's GPUs
    Context,
    /// The largest model of its family on the scenario's GPUs
    Model,
    /// The largest batch in one pass on the scenario's GPUs
    Batch,
}

impl Name {
    fn key(self) -> &'static str {
        match self {
            Self::Fewest => "fewest",
            Self::Cheapest => "cheapest",
            Self::Fastest => "fastest",
            Self::Context => "context",
            Self::Model => "model",
            Self::Batch => "batch",
        }
    }
}

impl Arguments {
    /// Runs the command. The answer is no if there are no answers to the question.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let question = self.question.key();
        match (self.question, self.days, self.budget) {
            (Name::Cheapest, _, None) | (Name::Fastest, None, _) | (_, None, None) => {}
            _ => {
                return Err(format!(
                    "Give --days only to `plan cheapest` and --budget only to `plan fastest`, not to `{question}`."
                ));
            }
        }
        let (read, Came { said, .. }) = self.input.read_scenario(&Open::OF_PLAN)?;
        let Self { batch, sure, ref clusters, ref hold, top: most, .. } = *self;
        let asked = PlanRequest { question, limit: self.days.or(self.budget), batch, sure, clusters, hold, most };
        answer(&read, &notes(&said, &read.issues), &asked, self.json)
    }
}

/// Searches a plan and prints its answers after the notes in `said`.
pub(crate) fn answer(read: &Read, said: &str, asked: &PlanRequest, is_json: bool) -> Result<Answer, String> {
    let mut progress = crate::terminal::Progress::start();
    let planned = search_with(&read.scenario, asked, |visited, of| progress.show(visited, of))?;
    drop(progress);
    let Planned { plan, question, .. } = &planned;
    let answers = plan.answers(*question);
    if is_json {
        let text = api::plan::answers(&planned, asked.most, &read.issues) + "\n";
        return Ok(Answer::of(text, !answers.is_empty()));
    }
    let mut text = said.to_owned() + &searched(plan);
    let Some(first) = answers.first() else {
        return Ok(Answer::of(plain(&(text + &missed(plan, *question))), false));
    };
    let mut rows = vec![header(question.kind())];
    rows.extend(answers.iter().take(asked.most).map(|found| row(plan, *question, found, first)));
    text += &aligned(&rows);
    if let Some(unchecked) = question.unchecked() {
        text.extend([unchecked, "\n"]);
    }
    if let Some(found) = planned.with_larger_batch() {
        let (now, then) = (format::params(plan.terms().batch), format::params(found.batch()));
        let (time, cost) = (format::duration(found.run.time), format::dollars(found.dollars()));
        let gpus = format::gpus(found.scenario.gpus);
        let limited = format!("Limited by the {now}-token batch: with {then} tokens per step {gpus}, {time}, {cost}.");
        text.extend([&limited, "\n"]);
    }
    text.extend(["Best: ", &links::encode(&first.scenario), "\n"]);
    Ok(Answer::of(plain(&text), true))
}

/// Summarizes the search.
fn searched(plan: &Plan) -> String {
    let Progress { visited, evaluated, fitting, .. } = plan.progress();
    let [visited, evaluated, fitting] = [visited, evaluated, fitting].map(|number| format::count(number as f64));
    let refused = plan.hardware().iter().filter(|of| of.refused.is_some()).map(Hardware::name).collect::<Vec<_>>();
    let refused = match refused.as_slice() {
        [] => String::new(),
        names => format!(" Clusters that cannot run it: {}.", names.join(", ")),
    };
    let batch = format::params(plan.terms().batch);
    format!(
        "{evaluated} of {visited} combinations were evaluated, {fitting} fit; {batch} tokens per step, {} sure.{refused}\n",
        format::percent(plan.terms().sure)
    )
}

/// Describes the run that misses a deadline or a budget by least.
fn missed(plan: &Plan, question: Question) -> String {
    let Some(found) = plan.nearest_miss(question) else { return "No searched combination fits.\n".into() };
    let (time, cost) = (format::duration(found.run.time), format::dollars(found.dollars()));
    let (gpus, odds) = (format::gpus(found.scenario.gpus), found.limit_odds(question).unwrap_or_default());
    let odds = format::percent(odds);
    format!(
        "No run meets the limit with odds of {}. The nearest is {} with {gpus}: {time}, {cost}, odds {odds}.\n",
        format::percent(plan.terms().sure),
        cluster(plan, found)
    )
}

fn cluster(plan: &Plan, found: &FastestLayout) -> String {
    plan.hardware().get(found.hardware).map_or_else(String::new, Hardware::name)
}

/// Returns the column headings.
fn header(kind: SearchKind) -> [String; 11] {
    let first = match kind {
        SearchKind::Runs => "Cluster",
        SearchKind::Contexts => "Sequence",
        SearchKind::Models => "Model",
        SearchKind::Batches => "Sequences",
    };
    [
        first,
        "GPUs",
        "Layout",
        "MFU",
        "Odds to fit",
        "Odds in limit",
        "Time",
        "Cost",
        "$/GPU-hour",
        "Break-even",
        "Changed settings",
    ]
    .map(str::to_owned)
}

/// Returns the cells of an answer.
fn row(plan: &Plan, question: Question, found: &FastestLayout, first: &FastestLayout) -> [String; 11] {
    let scenario = &found.scenario;
    let count = |value: u32| format::count(f64::from(value));
    let what = match plan.kind() {
        SearchKind::Runs => cluster(plan, found),
        SearchKind::Contexts => format::value(Unit::Tokens, f64::from(scenario.seq_len)),
        SearchKind::Models => format::params(scenario.model.architecture().params() as f64),
        SearchKind::Batches => count(found.sequences()),
    };
    let layout = format!(
        "{}, {} x {}, {}",
        labels::layout(scenario),
        scenario.micro_batch_size,
        scenario.grad_accum_steps,
        labels::recompute(scenario)
    );
    let time = if found.run.finishes() { format::duration(found.run.time) } else { "never".into() };
    let dollars = |value: f64| format!("{value:.2}");
    let price = Some(scenario.run.price_per_gpu_hour).filter(|_| plan.has_price(found));
    let is_other = plan.kind() == SearchKind::Runs && found.hardware != first.hardware && plan.has_price(first);
    let even = break_even(first, found).filter(|_| is_other);
    [
        what,
        count(scenario.gpus),
        layout,
        format::percent(found.report.whole().mfu),
        format::odds(found.odds),
        found.limit_odds(question).map_or_else(|| "–".into(), format::percent),
        time,
        price.map_or_else(|| "–".into(), |_| format::dollars(found.dollars())),
        price.map_or_else(|| "–".into(), dollars),
        even.map_or_else(|| "–".into(), dollars),
        settings(plan.scenario(), scenario),
    ]
}
