//! Runs the engine without a browser: the command line, the programs that score the engine, the
//! tables of docs/book/accuracy, and the settings exported for frameworks.

use anyhow::{Context as _, Result, anyhow, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use crate::programs::{FRAMEWORKS, TRANSFORMERS};
use crate::shell::{
    cargo, exe, files_with_extension, output, program, read_text, root, run as run_program, step, target, write,
};

/// The package of the engine.
pub const ENGINE: &str = "engine";
/// The package of the data's rows.
pub const CATALOG: &str = "catalog";
/// The package of links.
pub const LINKS: &str = "links";
/// The package of traced steps.
pub const TRACE: &str = "trace";
/// The package of exports.
pub const EXPORT: &str = "export";
/// The package of analyses.
pub const ANALYSIS: &str = "analysis";
/// The package of the figures.
pub const CHARTS: &str = "charts";
/// The package that analyzes outputs of runs.
pub const DIAGNOSE: &str = "diagnose";
/// The package that has `settings` as an example.
pub const FILES: &str = "files";
/// The package that reads configurations of Hugging Face.
pub const HUGGINGFACE: &str = "huggingface";
/// The package that reads sentences.
pub const SENTENCE: &str = "sentence";
/// The package that has `score` and `calibrate` as examples.
pub const SCORE: &str = "score";
/// The command line.
pub const CLI: &str = "shardwise-cli";

/// Subcommands of the command line that are also `cargo xtask` commands.
const SHELL: [&str; 4] = ["estimate", "catalog", "params", "rank"];
/// Examples that are `cargo xtask` commands.
const EXAMPLES: [&str; 2] = ["score", "calibrate"];

/// Returns whether a command is one of these, which parse their own arguments.
pub fn has(name: &std::ffi::OsStr) -> bool {
    SHELL.into_iter().chain(EXAMPLES).any(|known| name == known)
}

/// Runs a command with these arguments and returns its exit code. Only the command writes to
/// standard output; relative paths start at the current folder.
///
/// # Errors
/// When cargo cannot be started, or the current folder is unknown.
pub fn run(name: &str, arguments: &[OsString]) -> Result<ExitCode> {
    let (name, arguments) = match (name, arguments) {
        ("score", [one]) if one == LEAVE_ONE_OUT => ("calibrate", left_out()?),
        _ => (name, arguments.to_vec()),
    };
    let mut command = command(name);
    command.args(arguments).stdin(Stdio::inherit());
    command.current_dir(std::env::current_dir().context("The current folder is unknown")?);
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Argument of `score` that fits the constants without each source in turn and predicts it, for the
/// table of docs/book/accuracy/held-out.md.
const LEAVE_ONE_OUT: &str = "--leave-one-out";

/// Returns the arguments of `calibrate` that write the table of sources left out.
fn left_out() -> Result<Vec<OsString>> {
    let tables: Vec<Vec<PathBuf>> =
        MEASURED.iter().map(|folder| files_with_extension(&root().join(folder), "csv")).collect::<Result<_>>()?;
    let files = tables.into_iter().flatten().map(PathBuf::into_os_string);
    Ok(["--held-out", "--chapter"].into_iter().map(OsString::from).chain(files).collect())
}

/// Returns the `cargo` command that runs one of these commands, without its arguments.
pub fn command(name: &str) -> Command {
    let mut command = cargo(&["run", "--quiet", "--release", "--manifest-path"]);
    command.arg(root().join("Cargo.toml"));
    if EXAMPLES.contains(&name) {
        command.args(["--package", SCORE, "--example", name, "--"]);
    } else {
        command.args(["--package", CLI, "--", name]);
    }
    // Scripts use the whole report.
    if name == "estimate" {
        command.arg("--json");
    }
    command
}

/// Text before the name of a section, in the chapter with the tables of this section.
const START: &str = "<!-- accuracy: ";
/// Marker after the tables of a section.
const END: &str = "<!-- accuracy -->";
/// Name of the section before the first heading.
const FIRST: &str = "Dense models";
/// Folder of the chapters with the tables.
const ACCURACY: &str = "docs/book/accuracy";
/// Source files that are computed from the rows, with the score's option: the accuracy by
/// accelerator, and the odds that a run fits.
const RECORDED: [(&str, &str); 2] =
    [("--recorded", "crates/catalog/src/accuracy/recorded.rs"), ("--odds", "crates/engine/src/model/odds/recorded.rs")];
/// Folders of the rows: dense models, mixtures of experts, fine-tuning, and other silicon.
const MEASURED: [&str; 4] =
    ["tests/measured", "tests/measured/mixtures", "tests/measured/finetuned", "tests/measured/silicon"];
/// Folder of the rows of sources that no constant was fitted to.
const STRANGERS: &str = "tests/measured/strangers";

/// Scores the rows under tests/measured and writes the tables between the markers of the chapters.
/// The source files are written first, as the tables use their ranges.
///
/// # Errors
/// When the score cannot be run, a chapter cannot be read or written, or a section has no chapter.
pub fn accuracy() -> Result<()> {
    step("Score of the published measurements");
    for (option, path) in RECORDED {
        write(&root().join(path), scored(option, &MEASURED)?.trim().to_owned() + "\n")?;
    }
    let tables = scored("--markdown", &MEASURED)? + &scored("--strangers", &[STRANGERS])?;
    let mut sections = sections(&tables);
    for path in files_with_extension(&root().join(ACCURACY), "md")? {
        let document = read_text(&path)?;
        let current = with_tables(&document, &mut sections).with_context(|| path.display().to_string())?;
        if current != document {
            write(&path, current)?;
        }
    }
    if let Some((name, _)) = sections.first() {
        bail!("No chapter of `{ACCURACY}` has `{START}{name} -->` for the section of this name.");
    }
    println!("{ACCURACY} is current.");
    Ok(())
}

/// Splits the tables into sections: name and text.
fn sections(tables: &str) -> Vec<(String, String)> {
    let (first, rest) = tables.split_once("\n## ").unwrap_or((tables, ""));
    let named = rest.split("\n## ").filter_map(|section| section.split_once('\n'));
    let all = std::iter::once((FIRST, first)).chain(named);
    all.map(|(name, text)| (name.to_owned(), text.trim().to_owned())).collect()
}

/// Returns a chapter with the tables of its sections, which are removed from the list.
fn with_tables(document: &str, sections: &mut Vec<(String, String)>) -> Result<String> {
    let mut parts = document.split(START);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let marked = part.split_once(" -->").and_then(|(name, rest)| Some((name, rest.split_once(END)?.1)));
        let (name, after) = marked.ok_or_else(|| anyhow!("`{START}` has no `{END}` after it."))?;
        let place = sections.iter().position(|section| section.0 == name);
        let place = place.ok_or_else(|| anyhow!("Section `{name}` is missing, or in two chapters."))?;
        let (_, tables) = sections.remove(place);
        written.extend([START, name, " -->\n\n", tables.as_str(), "\n\n", END, after]);
    }
    Ok(written)
}

/// Runs the score on the tables of these folders and returns its output in a format. It shares its
/// objects with the tests: it runs for seconds, and an optimized build takes minutes.
fn scored(format: &str, folders: &[&str]) -> Result<String> {
    run_program(&mut cargo(&["build", "--quiet", "--workspace", "--example", "score"]))?;
    let mut command = program(target().join("debug").join("examples").join(exe("score")));
    let tables: Vec<Vec<PathBuf>> =
        folders.iter().map(|folder| files_with_extension(&root().join(folder), "csv")).collect::<Result<_>>()?;
    command.arg(format).args(tables.concat());
    output(&mut command).ok_or_else(|| anyhow!("The score could not be computed."))
}

/// Folder of the exported settings for frameworks.
const SETTINGS: &str = "target/exports";

/// Checks the exported settings and the linter's fixes with the frameworks' own parsers, which
/// writes the table of the documentation, and records the parameters of every model family with
/// transformers. The first run downloads several gigabytes of Python packages, so this is not part
/// of `cargo xtask test`.
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
    step("What the linter writes, against the programs' validation");
    let fixes = &format!("{SETTINGS}/fixes");
    run_program(&mut cargo(&["run", "--quiet", "--package", FILES, "--example", "fixes", "--", fixes]))?;
    let mut check = program(FRAMEWORKS.ensure()?);
    check.args(["-P", "tests/exports/fixes.py", fixes]);
    let mended = check.status().context("The check could not be started")?;
    step("Jobs against the schedulers' schemas");
    let jobs = &format!("{SETTINGS}/jobs");
    run_program(&mut cargo(&["run", "--quiet", "--package", FILES, "--example", "jobs", "--", jobs]))?;
    let mut check = program(FRAMEWORKS.ensure()?);
    check.args(["-P", "tests/exports/jobs.py", jobs]);
    let started = check.status().context("The check could not be started")?;
    let mut count = program(TRANSFORMERS.ensure()?);
    step("Parameters of every family, as transformers counts them (some minutes)");
    let counted = count.args(["-P", "tests/families/ask.py"]).status().context("The count could not be started")?;
    Ok(if [accepted, mended, started, counted].iter().all(std::process::ExitStatus::success) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_section_is_written_where_a_chapter_names_it() -> Result<()> {
        let mut all = sections("a\n\n## Odds\n\nb\n\n## Rows\n\nc\n");
        let old = "# Odds\n\n<!-- accuracy: Odds -->\nold\n<!-- accuracy -->\n\nAfter.\n";
        let expected = "# Odds\n\n<!-- accuracy: Odds -->\n\nb\n\n<!-- accuracy -->\n\nAfter.\n";
        assert_eq!(with_tables(old, &mut all)?, expected);
        assert_eq!(all.iter().map(|section| section.0.as_str()).collect::<Vec<_>>(), [FIRST, "Rows"]);
        assert!(with_tables(old, &mut all).is_err());
        assert!(with_tables("<!-- accuracy: Rows --> no end", &mut all).is_err());
        Ok(())
    }

    #[test]
    fn writing_the_tables_that_the_chapters_have_changes_nothing() -> Result<()> {
        for path in files_with_extension(&root().join(ACCURACY), "md")? {
            let document = read_text(&path)?;
            let marked = document.split(START).skip(1).filter_map(|part| part.split_once(" -->"));
            let own = |text: &str| text.split(END).next().unwrap_or_default().trim().to_owned();
            let mut all = marked.map(|(name, text)| (name.to_owned(), own(text))).collect();
            assert_eq!(with_tables(&document, &mut all)?, document, "{}", path.display());
        }
        Ok(())
    }
}
