//! Holds the engine against published measurements:
//! `cargo run --release --no-default-features --example score -- FILE.csv... [--json | --rows]`.

mod print;
mod table;

use std::process::ExitCode;

use shardwise::measured::score::Entry;
use table::Table;

const USAGE: &str = "\
Usage: score FILE.csv... [--json | --rows]

  --json   a line a row: the prediction, or why there is none
  --rows   a line a row for the eye: scenario, measured, predicted, what was completed

Without either: the score of each source.";

enum Format {
    Score,
    Json,
    Rows,
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
            option if option.starts_with("--") => return Err(format!("`{option}` is not an option.\n\n{USAGE}")),
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err(USAGE.to_owned());
    }
    let mut entries: Vec<Entry> = Vec::new();
    for file in files {
        match table::read(&file)? {
            Table::Training(rows) => entries.extend(rows),
            Table::NotScored(what) => eprintln!("{file}: {what}."),
        }
    }
    match format {
        Format::Score => print::score(&entries),
        Format::Json => print::json(&entries),
        Format::Rows => print::rows(&entries),
    }
    .map_err(|error| format!("The answer could not be written: {error}."))
}
