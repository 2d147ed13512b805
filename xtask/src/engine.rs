//! Runs the engine without a browser: the command line, the programs that score it, the tables of
//! docs/accuracy.md that these print, and the settings that it writes for frameworks.

use anyhow::{Context as _, Result, anyhow, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use crate::programs::{FRAMEWORKS, TRANSFORMERS};
use crate::shell::{cargo, of_kind, output, program, read, root, run as run_program, step, write};

/// The package of the engine, which has `throughput` as an example.
pub const ENGINE: &str = "shardwise-engine";
/// The package of traced steps.
pub const TRACE: &str = "shardwise-trace";
/// The package of exports.
pub const EXPORT: &str = "shardwise-export";
/// The package of analyses.
pub const ANALYSIS: &str = "shardwise-analysis";
/// The package of the figures.
pub const CHARTS: &str = "shardwise-charts";
/// The package that reads what runs leave behind.
pub const DIAGNOSE: &str = "shardwise-diagnose";
/// The package that has `settings` as an example.
pub const FILES: &str = "shardwise-files";
/// The package that reads configurations of Hugging Face.
pub const HUGGINGFACE: &str = "shardwise-huggingface";
/// The package that has `score` and `calibrate` as examples.
pub const SCORE: &str = "shardwise-score";
/// The command line.
pub const CLI: &str = "shardwise-cli";

/// The commands of the command line that stand here too.
const SHELL: [&str; 4] = ["estimate", "catalog", "params", "rank"];
/// The examples that are commands.
const EXAMPLES: [&str; 2] = ["score", "calibrate"];

/// Whether the command of this name is one of these, which parse their own arguments.
pub fn has(name: &std::ffi::OsStr) -> bool {
    SHELL.into_iter().chain(EXAMPLES).any(|known| name == known)
}

/// Runs a command with these arguments and returns its exit code. Only the command writes to
/// standard output; relative paths start at the folder where it is typed.
///
/// # Errors
/// When cargo cannot be started, or the current folder is unknown.
pub fn run(name: &str, arguments: &[OsString]) -> Result<ExitCode> {
    let mut command = command(name);
    command.args(arguments).stdin(Stdio::inherit());
    command.current_dir(std::env::current_dir().context("The current folder is not known")?);
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Returns the command that runs one of these, without its own arguments.
pub fn command(name: &str) -> Command {
    let mut command = cargo(&["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(root().join("Cargo.toml"));
    if EXAMPLES.contains(&name) {
        command.args(["--package", SCORE, "--example", name, "--"]);
    } else {
        command.args(["--package", CLI, "--", name]);
    }
    // A script wants all that there is.
    if name == "estimate" {
        command.arg("--json");
    }
    command
}

/// Marks the start and the end of the tables.
const MARKER: &str = "<!-- accuracy -->";
/// The document of the tables.
const ACCURACY: &str = "docs/accuracy.md";
/// What the engine records of them by accelerator.
const RECORDED: &str = "crates/engine/src/catalog/accuracy/recorded.rs";
/// The folders of the rows: dense models, mixtures of experts, fine-tuning, and other silicon.
const MEASURED: [&str; 4] =
    ["tests/measured", "tests/measured/mixtures", "tests/measured/finetuned", "tests/measured/silicon"];

/// Scores the rows under tests/measured and writes the tables between the document's markers. What
/// the engine records comes first: the ranges that the tables count by are read from it.
///
/// # Errors
/// When the score cannot be run or the document cannot be read or written.
pub fn accuracy() -> Result<()> {
    step("Score of the published measurements");
    write(&root().join(RECORDED), scored("--recorded")?.trim().to_owned() + "\n")?;
    let tables = scored("--markdown")?;
    let path = root().join(ACCURACY);
    let document = read(&path)?;
    let parts: Vec<&str> = document.split(MARKER).collect();
    let [before, _, after] = parts.as_slice() else {
        bail!("`{ACCURACY}` should have `{MARKER}` twice, before and after the tables.");
    };
    write(&path, format!("{before}{MARKER}\n\n{}\n\n{MARKER}{after}", tables.trim()))?;
    println!("{ACCURACY} is current.");
    Ok(())
}

/// What the score of all tables prints in a format.
fn scored(format: &str) -> Result<String> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", SCORE, "--example", "score", "--"]);
    let tables: Vec<Vec<PathBuf>> =
        MEASURED.iter().map(|folder| of_kind(&root().join(folder), "csv")).collect::<Result<_>>()?;
    command.arg(format).args(tables.concat());
    output(&mut command).ok_or_else(|| anyhow!("The score could not be computed."))
}

/// The folder of the settings for frameworks.
const SETTINGS: &str = "target/exports";

/// Checks the exported settings with the frameworks' own parsers, which writes the table of the
/// documentation, and the record of the parameters of every family of models with transformers. It
/// downloads some gigabytes of Python packages on first use, so `cargo xtask test` does without.
///
/// # Errors
/// When Python, a package or the settings are missing. Settings that a framework refuses set the
/// exit code instead.
pub fn exports() -> Result<ExitCode> {
    let python = FRAMEWORKS.ensure()?;
    step("Settings of many scenarios");
    run_program(&mut cargo(&["run", "--quiet", "--package", FILES, "--example", "settings", "--", SETTINGS]))?;
    step("Settings against the frameworks' parsers (some minutes)");
    let mut check = program(python);
    check.args(["-P", "tests/exports/check.py", SETTINGS, "--document", "docs/book/settings.md"]);
    let accepted = check.status().context("The check could not be started")?;
    let mut count = program(TRANSFORMERS.ensure()?);
    step("Parameters of every family, as transformers counts them (some minutes)");
    let counted = count.args(["-P", "tests/families/ask.py"]).status().context("The count could not be started")?;
    Ok(if accepted.success() && counted.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
