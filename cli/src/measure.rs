//! `shardwise measure`: prints the script that measures the rates of a node, whose output
//! `shardwise read` accepts.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};

use clap::Args;
use diagnose::rates::SCRIPT;

use crate::Answer;

/// Destination of the script.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Writes it into a new file instead of standard output
    #[arg(long, value_name = "FILE")]
    write: Option<String>,
}

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        let Some(name) = &self.write else { return Ok(Answer::new(SCRIPT.to_owned())) };
        // An existing file is never overwritten.
        let file = OpenOptions::new().write(true).create_new(true).open(name);
        file.and_then(|mut file| file.write_all(SCRIPT.as_bytes())).map_err(|cause| match cause.kind() {
            ErrorKind::AlreadyExists => format!("{name} already exists: name another file."),
            _ => format!("{name} could not be written: {cause}."),
        })?;
        Ok(Answer::new(format!(
            "{name} was written. On a node with GPUs: torchrun --nproc-per-node=8 {name} --out rates.json, or python \
             {name} --out rates.json for one GPU. Then: shardwise read rates.json INPUT...\n"
        )))
    }
}
