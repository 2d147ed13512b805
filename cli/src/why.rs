//! `shardwise why`: explains a number of the report.

use clap::Args;
use engine::nearest::{did_you_mean, nearest};
use explain::{Card, Context, numbers, text};

use crate::Answer;
use crate::input::{Came, Input, Options, notes};
use crate::table::{lines, plain};

/// A number, and the scenario whose values are shown.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The number or term, as in mfu, step, needed; `list` lists all
    number: String,
    /// The run whose values are shown, as for `estimate` [default: the calculator's first scenario]
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    /// A value of the scenario, which counts more than what the inputs say
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        if self.number == "list" {
            let all = numbers().map(|number| format!("{}  {}", number.key, number.title));
            let terms = explain::TERMS.iter().map(|term| format!("{}  {}", term.key, term.name));
            return Ok(Answer::new(plain(&lines(all.chain(terms)))));
        }
        let card = named(&self.number)?;
        let (read, Came { said, .. }) =
            Input::new(self.inputs.clone(), Options { set: self.set.clone(), ..Options::default() })
                .read_or_default()?;
        let context = Context::new(&read.scenario, &read.scenario.report());
        let said = notes(&said, &read.issues);
        Ok(Answer::new(plain(&(said + &lines(text::lines(card, &context).into_iter())))))
    }
}

/// Returns the card of a number or a term, by its key or its title.
fn named(typed: &str) -> Result<Card, String> {
    explain::named(typed).ok_or_else(|| {
        let names = numbers().map(|number| number.key).chain(explain::TERMS.iter().map(|term| term.key));
        format!(
            "“{typed}” is no number that is explained.{} `shardwise why list` lists all.",
            did_you_mean(&nearest(typed, names))
        )
    })
}
