//! `shardwise mixed`: one run on two kinds of GPUs.

use analysis::mixed::{Divided, Mixed, Share, Split};
use api::Open;
use clap::Args;
use engine::format;
use engine::params::quantity::group_thousands;

use crate::Answer;
use crate::input::{Came, Input, notes};
use crate::table::{aligned, lines, plain};

/// A scenario, and the GPUs of it that are of another kind.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// Those of the run's GPUs that are of another kind: 'cluster=dgx-a100-80&gpus=8'
    #[arg(long, required = true, value_name = "KEY=VALUE")]
    others: Vec<String>,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// Column headings.
const HEADER: [&str; 7] = ["Split", "GPUs", "Micro-batch", "Steps", "Own step time", "Memory needed", "Odds to fit"];

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let (read, Came { said, .. }) = self.input.read_scenario(&Open::ALL)?;
        let (mixed, issues) = api::mixed::join(&read, &self.others).map_err(|refusal| refusal.message)?;
        let issues = [read.issues, issues].concat();
        let best = mixed.best();
        if self.json {
            return Ok(Answer::of(format!("{}\n", api::mixed::answer(&mixed, &issues)), best.is_some()));
        }
        let equal = mixed.equal();
        let named = [Some(("Equal", &equal)), best.as_ref().filter(|best| **best != equal).map(|best| ("Best", best))];
        let mut header = HEADER;
        if mixed.divided() == Divided::Layers {
            (header[2], header[3]) = ("Layers", "Micro-batches");
        }
        let rows = named.iter().flatten().flat_map(|(name, split)| rows(&mixed, name, split));
        let rows: Vec<[String; 7]> = core::iter::once(header.map(str::to_owned)).chain(rows).collect();
        let steps = named.iter().flatten().map(|(name, split)| {
            let speed = group_thousands(&format!("{:.0}", mixed.tokens() / split.step.get()));
            let verdict = if split.fits() { "" } else { ", and it does not fit" };
            format!("{name}: {} a step, {speed} tokens/s{verdict}.", format::seconds(split.step))
        });
        let fastest = match &best {
            Some(best) if *best == equal => Some("No other split that fits is faster.".to_owned()),
            Some(_) => None,
            None => Some("No split fits.".to_owned()),
        };
        let sentences = steps.chain(fastest).chain(mixed.notes(best.as_ref()));
        let text = notes(&said, &issues) + &aligned(&rows) + &lines(sentences);
        Ok(Answer::of(plain(&text), best.is_some()))
    }
}

/// Returns the rows of a split, one for each kind.
fn rows(mixed: &Mixed, title: &str, split: &Split) -> [[String; 7]; 2] {
    let is_by_layers = mixed.divided() == Divided::Layers;
    let row = |title: &str, name: &str, gpus: u32, share: &Share| {
        [
            title.to_owned(),
            format!("{gpus} {name}"),
            if is_by_layers { share.layers } else { share.micro_batch }.to_string(),
            share.micro_batches.to_string(),
            format::seconds(share.time),
            format!("{} of {}", format::bytes(share.memory.needed), format::bytes(share.memory.capacity)),
            format::odds(share.odds()),
        ]
    };
    let ([first, last], [gpus, others], [own, other]) = (mixed.names(), mixed.gpus(), &split.shares);
    [row(title, first, gpus, own), row("", last, others, other)]
}
