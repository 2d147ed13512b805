//! `shardwise export`: the settings of a run for a training program, or its job.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use api::Open;
use api::settings::{ExportOptions, Exported, exported, known};
use clap::Args;

use crate::input::{Came, Input, Options, notes, number};
use crate::table::{lines, plain};
use crate::{Answer, write};

/// A program, a scenario, and where its files go.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The program, as in axolotl, torchtitan, megatron-lm, or the job, as in slurm, kubernetes;
    /// `list` lists all
    #[arg(value_name = "PROGRAM")]
    target: String,
    /// The run, as for `estimate`: a link, its fragment, a scenario in JSON, or files
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,
    #[command(flatten)]
    options: Options,
    /// The training program that a job starts [default: that of the run's framework]
    #[arg(long, value_name = "PROGRAM")]
    program: Option<String>,
    /// The longest time of a job that the scheduler allows, in hours [default: 24]
    #[arg(long, value_name = "HOURS", value_parser = number)]
    limit: Option<f64>,
    /// Writes the files into this folder instead of standard output
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    write: Option<PathBuf>,
    /// Replaces files that exist
    #[arg(long, requires = "write")]
    force: bool,
    /// As JSON: program, files, language, notes
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        if self.target == "list" {
            return Ok(Answer::new(lines(exported().map(str::to_owned))));
        }
        known(&self.target).map_err(|refusal| refusal.message)?;
        if self.inputs.is_empty() && self.options.set.is_empty() {
            return Err("No run was given: give a link, a scenario in JSON or files, or --set for its values.".into());
        }
        let input = Input::new(self.inputs.clone(), self.options.clone());
        let (read, Came { said, .. }) = input.read_scenario(&Open::ALL)?;
        let options = ExportOptions { program: self.program.as_deref(), limit: self.limit };
        let made = Exported::new(&read.scenario, &self.target, &options).map_err(|refusal| refusal.message)?;
        let said = notes(&said, &read.issues) + &lines(made.notes.iter().cloned());
        let beside = plain(&lines(said.lines().map(|line| format!("# {line}"))));
        let text = match &self.write {
            _ if self.json => made.json() + "\n",
            Some(folder) => written(folder, &made.files, self.force)?,
            None => {
                let [(_, first), others @ ..] = made.files.as_slice() else { return Ok(Answer::new(String::new())) };
                let others = others.iter().map(|(name, _)| format!("# {name} belongs to it: --write DIR writes all."));
                return Ok(Answer { beside: beside + &lines(others), ..Answer::new(first.clone()) });
            }
        };
        Ok(Answer { beside, ..Answer::new(text) })
    }
}

/// Writes files into a folder, and returns their paths, one a line.
fn written(folder: &Path, files: &[(String, String)], replaces: bool) -> Result<String, String> {
    let failed = |path: &Path, cause: &std::io::Error| format!("{} could not be written: {cause}.", path.display());
    fs::create_dir_all(folder).map_err(|cause| failed(folder, &cause))?;
    let paths: Vec<(PathBuf, &str)> = files.iter().map(|(name, text)| (folder.join(name), text.as_str())).collect();
    // Nothing is written where a file is in the way.
    if !replaces && let Some((path, _)) = paths.iter().find(|(path, _)| path.exists()) {
        return Err(format!("{} already exists: name another folder, or add --force.", path.display()));
    }
    let mut replaced = Vec::new();
    for (path, text) in &paths {
        match fs::OpenOptions::new().write(true).create_new(true).open(path) {
            Ok(mut file) => file.write_all(text.as_bytes()).map_err(|cause| failed(path, &cause))?,
            Err(cause) if cause.kind() == ErrorKind::AlreadyExists && replaces => {
                let before = fs::read(path).map_err(|cause| failed(path, &cause))?;
                replaced.push(write::prepare(&path.to_string_lossy(), &before, text)?);
            }
            Err(cause) => return Err(failed(path, &cause)),
        }
    }
    write::replace(replaced)?;
    Ok(lines(paths.iter().map(|(path, _)| format!("{} was written.", path.display()))))
}
