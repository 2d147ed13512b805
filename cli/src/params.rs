//! `shardwise params`: counts the parameters of models by their configurations. Prints one line of
//! JSON per file, with `file`, `name`, `params`, `active_params` and the fields `not_understood`,
//! or with an `error`.

use clap::Args;
use huggingface::{MOST_CHARACTERS, TOO_LONG, import, parse, text_of};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, Read as _};

use crate::Answer;
use crate::table::lines;

/// The configurations.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Files named config.json
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

impl Arguments {
    /// Runs the command. There is no answer only if no file could be read.
    pub(crate) fn run(&self) -> Answer {
        let counted: Vec<Result<Value, Value>> = self
            .files
            .iter()
            .map(|file| count(file).map_err(|error| json!({ "file": file, "error": error })))
            .collect();
        let yes = counted.iter().any(Result::is_ok);
        let text = lines(counted.into_iter().map(|line| line.unwrap_or_else(|error| error).to_string()));
        // Without a readable file there is no answer.
        Answer { asks: !yes, ..Answer::of(text, yes) }
    }
}

/// Counts the parameters of the model in a file.
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

/// Reads a file up to the maximum size of a configuration.
fn text(file: &str) -> Result<String, String> {
    let failed = |error: io::Error| format!("The file could not be read: {error}.");
    let mut bytes = Vec::new();
    let most = 4 * MOST_CHARACTERS as u64 + 4;
    File::open(file).and_then(|opened| opened.take(most).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 == most {
        return Err(TOO_LONG.into());
    }
    text_of(bytes).ok_or_else(|| "The file is not text.".into())
}
