//! `shardwise rank`: the fastest layouts on the same GPUs.

use analysis::ranking::Layout;
use api::Open;
use clap::Args;
use engine::params::labels;
use engine::{format, names};

use crate::Answer;
use crate::input::{Came, Input, notes};
use crate::table::{aligned, plain};

/// A scenario, and how its layouts are printed.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// How many
    #[arg(long, default_value_t = 10)]
    top: usize,
    /// As JSON, each with its whole report
    #[arg(long)]
    json: bool,
}

/// Column headings.
const HEADER: [&str; 8] =
    ["Layout", "Micro-batch", "Steps", "Recompute", "MFU", "Step time", "Memory needed", "Odds to fit"];

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let (read, Came { said, .. }) =
            self.input.read_scenario(&[Open::Model, Open::Gpus, Open::Length, Open::Hardware, Open::Node])?;
        let search = api::rank::search(&read.scenario);
        let ranking = search.ranking();
        let yes = search.best().is_some();
        if self.json {
            let text = api::rank::answers(ranking, self.top, &read.issues) + "\n";
            return Ok(Answer { text, yes });
        }
        let best = ranking.best().iter().take(self.top);
        let rows: Vec<[String; 8]> = core::iter::once(HEADER.map(str::to_owned)).chain(best.clone().map(row)).collect();
        let [all, fitting] =
            [ranking.progress().of, ranking.progress().fitting].map(|count| format::count(count as f64));
        let mut text = notes(&said, &read.issues)
            + &format!("{fitting} of {all} layouts ({}) are valid and fit.\n", names::OF_LAYOUTS);
        if yes {
            text += &aligned(&rows);
            text.extend(best.take(1).map(|layout| format!("Best: {}\n", links::encode(&layout.scenario))));
        }
        Ok(Answer { text: plain(&text), yes })
    }
}

/// Returns the cells of a layout.
fn row(layout: &Layout) -> [String; 8] {
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
    ]
}
