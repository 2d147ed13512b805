//! shardwise in the shell: does a training run fit, how fast will it go, what limits it, what would
//! be faster?
//!
//! The program of this crate and the command of the Python package are both [`run`].
//!
//! The exit status is 0 for yes, 1 for no (the run does not fit, or there are findings), and 2 if
//! an input could not be read, or what decides was not said.

mod catalog;
mod estimate;
mod export;
mod input;
mod lint;
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
mod terminal;
mod why;
mod write;

use std::ffi::OsString;
use std::io;

use clap::{CommandFactory as _, Parser, Subcommand};
use clap_complete::Shell;
use engine::scenario::issue::visible;

use terminal::Color;

/// Result of a command: printed text, and whether the answer is yes.
struct Answer {
    /// Text for standard output.
    text: String,
    /// Whether the answer is yes.
    yes: bool,
    /// Whether the text ends in questions, without which there is no answer.
    asks: bool,
    /// Text for standard error, while a file is on standard output.
    beside: String,
}

impl Answer {
    /// Creates an answer to a command without a yes-or-no question.
    fn new(text: String) -> Self {
        Self::of(text, true)
    }

    /// Creates an answer to a yes-or-no question.
    fn of(text: String, yes: bool) -> Self {
        Self { text, yes, asks: false, beside: String::new() }
    }
}

/// Does a training run fit, how fast will it go, what limits it, and what would be faster?
///
/// INPUT is a link of the calculator, its fragment (v=1&model=llama-3-8b&gpus=64), a scenario in
/// JSON, or files: the configuration of a run (Axolotl, LLaMA-Factory, torchtune, TRL, Accelerate,
/// DeepSpeed, torchtitan, Megatron-LM, Megatron-Bridge, NeMo, llm-foundry, nanotron, MaxText,
/// ms-swift, verl, OpenRLHF, Unsloth, LitGPT, GPT-NeoX and others), a model's config.json, what the
/// calculator saved; `-` reads standard input. Without a command it is estimated: shardwise
/// axolotl.yaml.
///
/// A sentence does as well: shardwise "llama 3.1 8b qlora on 2x4090, 8k", or with a question:
/// shardwise "70B, 1T tokens, 30 days, cheapest". What was understood is said first.
///
/// The exit status is 0 for yes, 1 for no (it does not fit), 2 where something could not be
/// read, or what decides was not said.
#[derive(Parser)]
#[command(name = "shardwise", version, max_term_width = 100)]
struct Cli {
    /// When the output has colours
    #[arg(long, global = true, value_enum, default_value_t)]
    color: Color,
    /// Prints nothing but errors; the status is the answer
    #[arg(long, short, global = true)]
    quiet: bool,
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
    /// Checks configurations of runs: what does not fit, contradicts itself or is demanded in vain
    ///
    /// Without a path it checks the present folder. A folder or a glob is searched for files that
    /// are a run each; several files that together are one run are read as one. The status is 0
    /// without findings, 1 with some, 2 where a run could not be judged.
    ///
    /// Every finding has a code: SW101 does not fit, SW102 contradicts itself, SW103 an assertion
    /// does not hold; with --suggest SW2.. other settings for the same training, SW3.. another
    /// training or other hardware.
    /// --explain says what a code means.
    ///
    /// shardwise.toml, or [tool.shardwise] of pyproject.toml, in the folder of a file or above it
    /// holds select, ignore, exclude, assert, scenario, set, output-format and per-file-ignores.
    /// Comments do for their file: # shardwise: ignore, ignore-file, assert mfu >= 0.38 or set
    /// cluster=8xH100 gpus=8.
    Lint(lint::Arguments),
    /// The settings of a run for a training program, or its job: shardwise export axolotl INPUT >
    /// axolotl.yaml
    ///
    /// The file is on standard output, and what it cannot express on standard error. Jobs (slurm,
    /// srun, torchrun, skypilot, kubernetes) start the run with the settings of its program:
    /// shardwise export slurm INPUT --limit 24 --write DIR. All names: shardwise export list
    Export(export::Arguments),
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
    /// Explains a number: its formula with the values of a run, its source, and what it leaves out
    ///
    /// shardwise why mfu 'model=llama-3-8b&cluster=dgx-h100&gpus=64'; shardwise why list
    Why(why::Arguments),
    /// Prints the completions of a shell, as in shardwise completions fish > shardwise.fish
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Prints the manual page: shardwise man > shardwise.1
    Man,
}

/// Status for yes.
const YES: u8 = 0;
/// Status for no, and for an output that could not be written.
const NO: u8 = 1;
/// Status for no answer.
const UNREAD: u8 = 2;

/// Inserts `estimate` before an input without a command: a sentence, a link, JSON, a file or `-`.
/// The input may follow options of all commands.
fn with_command(mut given: Vec<OsString>) -> Vec<OsString> {
    let is_command =
        |name: &str| name == "help" || Cli::command().get_subcommands().any(|known| known.get_name() == name);
    let mut place = 1;
    while let Some(option) =
        given.get(place).and_then(|word| word.to_str()).filter(|word| word.len() > 1 && word.starts_with('-'))
    {
        place += if option == "--color" { 2 } else { 1 };
    }
    let word = given.get(place).and_then(|word| word.to_str());
    if word.is_some_and(|word| !is_command(word) && (spoken::is_input(word) || spoken::is_one(word))) {
        given.insert(place, "estimate".into());
    }
    given
}

/// Runs the program with these arguments, of which the first is its own name. Prints the answer to
/// stdout and errors to stderr, and returns the exit status.
pub fn run(arguments: Vec<OsString>) -> u8 {
    let Cli { color, quiet, command } = match Cli::try_parse_from(with_command(arguments)) {
        Ok(cli) => cli,
        Err(usage) => {
            let printed = usage.print();
            return if usage.use_stderr() { UNREAD } else { status_of(&printed, YES) };
        }
    };
    terminal::choose(color);
    let answer = match command {
        Command::Estimate(arguments) => arguments.run(),
        Command::Rank(arguments) => arguments.run(),
        Command::Plan(arguments) => arguments.run(),
        Command::Mixed(arguments) => arguments.run(),
        Command::Read(arguments) => arguments.run(),
        Command::Measure(arguments) => arguments.run(),
        Command::Lint(arguments) => arguments.run(),
        Command::Export(arguments) => arguments.run(),
        Command::Params(arguments) => Ok(arguments.run()),
        Command::Catalog => catalog::catalog(),
        Command::Parameters => catalog::parameters(),
        Command::Schema(arguments) => Ok(arguments.run()),
        #[cfg(feature = "mcp")]
        Command::Mcp(arguments) => arguments.run(),
        Command::Why(arguments) => arguments.run(),
        Command::Completions { shell } => Ok(Answer::new(completions(shell))),
        Command::Man => manual().map(Answer::new),
    };
    match answer {
        Ok(Answer { text, yes, asks, beside }) => {
            let status = if asks {
                UNREAD
            } else if yes {
                YES
            } else {
                NO
            };
            if quiet {
                return status;
            }
            eprint!("{}", visible(&beside));
            status_of(&table::print(&text), status)
        }
        Err(problem) => {
            eprintln!("{}", visible(&problem));
            UNREAD
        }
    }
}

/// Returns the completions of a shell.
fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "shardwise", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the manual page.
fn manual() -> Result<String, String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(|failure| format!("{failure}."))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Returns the status after printing. A reader that has closed the pipe, as `head` does, has all
/// that it wanted; any other failure is one of the program.
fn status_of(printed: &io::Result<()>, status: u8) -> u8 {
    match printed {
        Err(failure) if failure.kind() == io::ErrorKind::BrokenPipe => YES,
        Err(failure) => {
            eprintln!("The output could not be written: {failure}.");
            NO
        }
        Ok(()) => status,
    }
}
