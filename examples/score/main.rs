//! Holds the engine against published measurements:
//! `cargo run --release --no-default-features --example score -- FILE.csv... [--json | --rows | --markdown]`.

mod print;
mod table;

use std::io::Write as _;
use std::process::ExitCode;

use table::Tables;

const USAGE: &str = "\
Usage: score FILE.csv... [--json | --rows | --markdown]

  --json      a line a row: the prediction, or why there is none
  --rows      a line a row for the eye, tab-separated: scenario, measured, predicted, what was completed
  --markdown  the tables of docs/accuracy.md

Without any of them: the score of each source.";

enum Format {
    Score,
    Json,
    Rows,
    Markdown,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), String> {
    let mut format = Format::Score;
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => format = Format::Json,
            "--rows" => format = Format::Rows,
            "--markdown" => format = Format::Markdown,
            option if option.starts_with("--") => return Err(format!("`{option}` is not an option.\n\n{USAGE}")),
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err(USAGE.to_owned());
    }
    let mut tables = Tables::default();
    for file in files {
        tables.read(&file)?;
    }
    let mut out = std::io::stdout().lock();
    let written = match format {
        Format::Score => print::score(&mut out, &tables),
        Format::Json => print::json(&mut out, &tables),
        Format::Rows => print::rows(&mut out, &tables),
        Format::Markdown => write!(out, "{}", tables.markdown()),
    };
    written.map_err(|error| format!("The answer could not be written: {error}."))
}
