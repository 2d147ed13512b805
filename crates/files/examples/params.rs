//! Counts the parameters of models by their configurations: `cargo xtask params config.json...` prints a line of JSON a file, with
//! `file`, `name`, `params`, `active_params` and the fields that were `not_understood`, or with an `error`.
//!
//! The exit status says failure only if no file could be read.

use files::config::{MOST_CHARACTERS, TOO_LONG, import, parse, text_of};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> io::Result<ExitCode> {
    let files: Vec<String> = std::env::args_os().skip(1).map(|file| file.to_string_lossy().into_owned()).collect();
    if files.is_empty() {
        eprintln!("As in `cargo xtask params config.json`.");
        return Ok(ExitCode::FAILURE);
    }
    let mut out = io::stdout().lock();
    let mut read = false;
    for file in files {
        let line = match count(&file) {
            Ok(line) => {
                read = true;
                line
            }
            Err(error) => json!({ "file": file, "error": error }),
        };
        writeln!(out, "{line}")?;
    }
    Ok(if read { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Counts the parameters of one file's model.
fn count(file: &str) -> Result<Value, String> {
    let config = parse(&text(file)?)?;
    let imported = import(&config)?;
    Ok(json!({
        "file": file,
        "name": imported.name,
        "params": imported.architecture.params(),
        "active_params": imported.architecture.active_params(),
        "not_understood": imported.not_understood,
    }))
}

/// Reads a file, and no more of it than a config may have.
fn text(file: &str) -> Result<String, String> {
    let failed = |error: io::Error| format!("The file could not be read: {error}.");
    let mut bytes = Vec::new();
    let most = 4 * MOST_CHARACTERS as u64 + 4;
    File::open(file).and_then(|opened| opened.take(most).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 == most {
        return Err(TOO_LONG.into());
    }
    text_of(bytes).ok_or_else(|| "The file is no text.".into())
}
