//! shardwise in the shell: does a training run fit, how fast will it go, what limits it, what would
//! be faster?
//!
//! The exit status is 0 for yes, 1 for no (the run does not fit, or there are findings), and 2 if
//! an input could not be read, or what decides was not said.

mod annotation;
mod catalog;
mod estimate;
mod input;
#[cfg(feature = "mcp")]
mod mcp;
mod measure;
mod mixed;
mod params;
mod plan;
mod rank;
mod read;
mod schema;
mod spoken;
mod table;
mod write;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use engine::scenario::issue::visible;

/// Result of a command: printed text, and whether the answer is yes.
struct Answer {
    /// Text for standard output.
    text: String,
    /// Whether the answer is yes.
    yes: bool,
    /// Whether the text ends in questions, without which there is no answer.
    asks: bool,
}

impl Answer {
    /// Creates an answer to a command without a yes-or-no question.
    fn new(text: String) -> Self {
        Self::of(text, true)
    }

    /// Creates an answer to a yes-or-no question.
    fn of(text: String, yes: bool) -> Self {
        Self { text, yes, asks: false }
    }
}

/// Does a training run fit, how fast will it go, what limits it, and what would be faster?
///
/// INPUT is a link of the calculator, its fragment (v=1&model=llama-3-8b&gpus=64), a scenario in
/// JSON, or files: the configuration of a run (Axolotl, LLaMA-Factory, torchtune, TRL, Accelerate,
/// DeepSpeed, torchtitan, Megatron-LM, Megatron-Bridge, NeMo, llm-foundry, nanotron, MaxText,
/// ms-swift, verl, OpenRLHF, Unsloth, LitGPT, GPT-NeoX and others), a model's config.json, what the
/// calculator saved; `-` reads standard input.
///
/// A sentence does as well: shardwise "llama 3.1 8b qlora on 2x4090, 8k", or with a question:
/// shardwise "70B, 1T tokens, 30 days, cheapest". What was understood is said first.
///
/// The exit status is 0 for yes, 1 for no (it does not fit), 2 where something could not be
/// read, or what decides was not said.
#[derive(Parser)]
#[command(name = "shardwise", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Subcommand)]
enum Command {
    /// Does it fit, how fast, what limits it: status 1 where it does not fit
    Estimate(estimate::Arguments),
    /// The fastest layouts on the same GPUs: status 1 where none fits
    Rank(rank::Arguments),
    /// From a deadline, a budget or the GPUs at hand to hardware and layout: status 1 where nothing
    /// answers
    Plan(plan::Arguments),
    /// One run on two kinds of GPUs: its step, the best split, what each holds: status 1 where it
    /// does not fit
    Mixed(mixed::Arguments),
    /// Reads files: a run, a model, an error, a log, tables of nccl-tests, measured rates, for the
    /// scenario of a link
    Read(read::Arguments),
    /// Prints the script that measures the rates of your own GPUs, for `read`
    ///
    /// It needs PyTorch alone and takes at most five minutes: shardwise measure > measure.py, then
    /// on a node torchrun --nproc-per-node=8 measure.py --out rates.json, then shardwise read
    /// rates.json.
    Measure(measure::Arguments),
    /// Finds changes that make a run fit or faster: status 1 where there are some
    ///
    /// Every finding has a code: SW101 does not fit, SW102 contradicts itself, SW2.. other settings
    /// for the same training, SW3.. another training or other hardware. --explain says what a code
    /// means.
    Lint(read::Lint),
    /// The parameters of models by their config.json: a line of JSON a file
    Params(params::Arguments),
    /// Models, GPUs, links and clusters, each with its source, as JSON
    Catalog,
    /// The keys of a scenario with bounds, units and meaning, as JSON
    Parameters,
    /// JSON schemas of a scenario and of the reports
    Schema(schema::Arguments),
    /// Serves the tools to agents by the Model Context Protocol, over standard input and output
    #[cfg(feature = "mcp")]
    Mcp(mcp::Arguments),
}

/// Returns the arguments, with `estimate` inserted before a sentence.
fn arguments() -> Vec<OsString> {
    let mut given: Vec<OsString> = std::env::args_os().collect();
    let is_command =
        |name: &str| name == "help" || Cli::command().get_subcommands().any(|known| known.get_name() == name);
    if given.get(1).and_then(|first| first.to_str()).is_some_and(|first| !is_command(first) && spoken::is_one(first)) {
        given.insert(1, "estimate".into());
    }
    given
}

fn main() -> ExitCode {
    let answer = match Cli::parse_from(arguments()).command {
        Command::Estimate(arguments) => arguments.run(),
        Command::Rank(arguments) => arguments.run(),
        Command::Plan(arguments) => arguments.run(),
        Command::Mixed(arguments) => arguments.run(),
        Command::Read(arguments) => arguments.run(),
        Command::Measure(arguments) => arguments.run(),
        Command::Lint(arguments) => arguments.run(),
        Command::Params(arguments) => Ok(arguments.run()),
        Command::Catalog => catalog::catalog(),
        Command::Parameters => catalog::parameters(),
        Command::Schema(arguments) => Ok(arguments.run()),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => arguments.run(),
    };
    match answer {
        Ok(answer) => {
            if table::print(&answer.text).is_err() {
                // The reader of the output has exited.
                return ExitCode::SUCCESS;
            }
            if answer.asks {
                ExitCode::from(2)
            } else if answer.yes {
                ExitCode::SUCCESS
            } else {
                ExitCode::from(1)
            }
        }
        Err(problem) => {
            eprintln!("{}", visible(&problem));
            ExitCode::from(2)
        }
    }
}
