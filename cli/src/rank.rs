//! `shardwise rank`: the fastest layouts on the same GPUs.

use analysis::ranking::Layout;
use analysis::settings::settings_beside;
use api::Open;
use api::rank::RankRequest;
use clap::Args;
use engine::params::labels;
use engine::scenario::Scenario;
use engine::{format, names};

use crate::Answer;
use crate::input::{Came, Input, notes, number, percent};
use crate::table::{aligned, plain};

/// A scenario, and how its layouts are printed.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The global batch in tokens per step, as in 4M [default: the scenario's]
    #[arg(long, value_parser = number)]
    batch: Option<f64>,
    /// Keys that every layout keeps as the scenario has them, as in tp,recompute
    #[arg(long, value_delimiter = ',', value_name = "KEYS")]
    hold: Vec<String>,
    /// The odds in percent that the best layout fits from which on the status is 0 [default: 50]
    #[arg(long, value_parser = percent)]
    sure: Option<f64>,
    /// How many
    #[arg(long, default_value_t = 10)]
    top: usize,
    /// As JSON, each with its whole report
    #[arg(long)]
    json: bool,
}

/// Column headings.
const HEADER: [&str; 9] = [
    "Layout",
    "Micro-batch",
    "Steps",
    "Recompute",
    "MFU",
    "Step time",
    "Memory needed",
    "Odds to fit",
    "Changed settings",
];

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let (read, Came { said, .. }) =
            self.input.read_scenario(&[Open::Model, Open::Gpus, Open::Length, Open::Hardware, Open::Node])?;
        let Self { batch, ref hold, sure, top: most, .. } = *self;
        let search = api::rank::search(&read.scenario, &RankRequest { batch, hold, most })?;
        let ranking = search.ranking();
        let yes = search.best().is_some_and(|best| sure.is_none_or(|sure| best.odds >= sure));
        if self.json {
            let text = api::rank::answers(&search, self.top, &read.issues) + "\n";
            return Ok(Answer::of(text, yes));
        }
        let best = ranking.best().iter().take(self.top);
        let own = search.scenario();
        let rows = best.clone().map(|layout| row(own, layout));
        let rows: Vec<[String; 9]> = core::iter::once(HEADER.map(str::to_owned)).chain(rows).collect();
        let [all, fitting] =
            [ranking.progress().of, ranking.progress().fitting].map(|count| format::count(count as f64));
        let mut text = notes(&said, &read.issues)
            + &format!("{fitting} of {all} layouts ({}) are valid and fit.\n", names::OF_LAYOUTS);
        let (sequences, gpus) = (search.sequences(), own.gpus.max(1));
        if ranking.progress().fitting == 0 && !sequences.is_multiple_of(gpus) {
            let near = sequences.div_ceil(gpus).saturating_mul(gpus);
            let tokens = format::count(f64::from(near) * f64::from(own.seq_len));
            let said = format!("The {sequences} sequences of a step do not divide evenly among {gpus} GPUs: {near} do");
            text.extend([&said, ", with --batch ", &tokens, ".\n"]);
        }
        if search.best().is_some() {
            text += &aligned(&rows);
            text.extend(best.take(1).map(|layout| format!("Best: {}\n", links::encode(&layout.scenario))));
        }
        Ok(Answer::of(plain(&text), yes))
    }
}

/// Names the settings of a layout that differ from those of the run as given.
pub(crate) fn settings(own: &Scenario, layout: &Scenario) -> String {
    let changed = settings_beside(own, layout);
    if changed.is_empty() { "–".to_owned() } else { changed.join(", ") }
}

/// Returns the cells of a layout.
fn row(own: &Scenario, layout: &Layout) -> [String; 9] {
    let Layout { scenario, report, odds, lack } = layout;
    let name = labels::layout(scenario);
    let framework = names::framework(scenario.framework);
    [
        if lack.is_some() { format!("{name} (not in {framework})") } else { name },
        scenario.micro_batch_size.to_string(),
        scenario.grad_accum_steps.to_string(),
        labels::recompute(scenario).to_owned(),
        format::percent(report.whole().mfu),
        format::seconds(report.whole().time),
        format::bytes(report.memory.needed),
        format::odds(*odds),
        settings(own, scenario),
    ]
}
