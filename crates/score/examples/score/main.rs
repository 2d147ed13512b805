//! Compares the engine with published measurements:
//! `cargo xtask score FILE.csv... [--json | --rows | --markdown | --recorded | --odds]`.

mod print;
mod steps;
mod table;
mod write;

use std::io::Write as _;
use std::process::ExitCode;

use score::by_accelerator;
use score::odds::curves;
use table::Tables;

const USAGE: &str = "\
Usage: score FILE.csv... [--json | --rows | --markdown | --recorded | --odds]

  --json      a line a row: the prediction, or why there is none
  --rows      a line a row for the eye, tab-separated: scenario, measured, predicted, what was completed
  --markdown  the tables of docs/book/accuracy
  --recorded  what the catalog records of them by accelerator
  --odds      the curves of the odds that a run fits, as the engine records them
  --strangers      the table of sources that no constant was fitted to
  --leave-one-out  fits the constants without each source and predicts it, for the
                   table of docs/book/accuracy/held-out.md; takes no files

Without any of them: the score of each source.";

enum Format {
    Score,
    Json,
    Rows,
    Markdown,
    Recorded,
    Odds,
    Strangers,
}

/// Exit code for an unusable file or an invalid option. Usable files are scored nevertheless.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    match run() {
        Ok(failures) if failures.is_empty() => ExitCode::SUCCESS,
        Ok(failures) => {
            for message in failures {
                eprintln!("{message}");
            }
            ExitCode::from(FAILED)
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(FAILED)
        }
    }
}

/// Scores the files; returns a sentence for each file that cannot be used.
fn run() -> Result<Vec<String>, String> {
    let (mut format, mut files) = (Format::Score, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => format = Format::Json,
            "--rows" => format = Format::Rows,
            "--markdown" => format = Format::Markdown,
            "--recorded" => format = Format::Recorded,
            "--odds" => format = Format::Odds,
            "--strangers" => format = Format::Strangers,
            option if option.starts_with("--") => return Err(format!("`{option}` is not an option.\n\n{USAGE}")),
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err(USAGE.to_owned());
    }
    let mut tables = Tables::default();
    let failures: Vec<String> = files.iter().filter_map(|file| tables.read_file(file).err()).collect();
    let mut out = std::io::stdout().lock();
    let written = match format {
        Format::Score => print::score(&mut out, &tables),
        Format::Json => print::json(&mut out, &tables),
        Format::Rows => print::rows(&mut out, &tables),
        Format::Markdown => write!(out, "{}", tables.markdown()),
        Format::Recorded => write!(out, "{}", by_accelerator::rust(&tables.training)),
        Format::Strangers => write!(out, "{}", score::markdown::strangers::section(&tables.training)),
        Format::Odds => write!(out, "{}", curves::rust(&curves::fitted(&tables.training))),
    };
    written.map_err(|error| format!("The answer could not be written: {error}."))?;
    Ok(failures)
}
