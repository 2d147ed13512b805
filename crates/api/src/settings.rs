//! Settings of a scenario for a training program, as the page's export has them, and jobs.

use std::borrow::Cow;

use catalog::programs::Program;
use engine::format;
use engine::nearest::{did_you_mean, nearest};
use engine::params::quantity::shorten;
use engine::scenario::Scenario;
use engine::units::Seconds;
use files::jobs::{self, Job, JobOptions};
use files::settings::{self, Settings, programs};
use serde_json::{Map, Value, json};

use crate::given::Code;
use crate::{Given, Open, Read, Refusal};

/// The files of a scenario for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The program's key.
    pub program: &'static str,
    /// Names and texts; the first is the file that was asked for, and those of a job are the
    /// settings of the program that it starts.
    pub files: Vec<(String, String)>,
    /// The language of the first file: `python`, `json`, `bash` or `yaml`.
    pub language: String,
    /// Sentences on what the program cannot express or only approximates.
    pub notes: Vec<String>,
}

/// Choices for an export that a scenario does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExportOptions<'a> {
    /// The training program that a job starts, by key or name; `None` for the scenario's own.
    pub program: Option<&'a str>,
    /// The longest time of a job that the scheduler allows, in hours; `None` for 24.
    pub limit: Option<f64>,
}

/// Targets that files are written for.
#[derive(Clone, Copy)]
enum Target {
    Settings(Program),
    Job(Job),
}

impl Exported {
    /// Writes the settings of a scenario for a program, by its key or name, or a job with the
    /// settings of the program that it starts.
    ///
    /// # Errors
    ///
    /// Returns a refusal for programs without settings, and for runs that a job cannot start.
    pub fn new(scenario: &Scenario, program: &str, options: &ExportOptions) -> Result<Self, Refusal> {
        let (key, written, others) = match find(program)? {
            Target::Settings(_) if options.program.is_some() || options.limit.is_some() => {
                let message = format!("“{}” is no job: only jobs have a program and a limit.", shorten(program));
                return Err(Refusal::new(Code::InvalidValue, message));
            }
            Target::Settings(program) => {
                let written = settings::text(program, scenario).ok_or_else(|| unknown(program.key()))?;
                (program.key(), written, Vec::new())
            }
            Target::Job(job) => {
                let (written, others) = jobs::files(job, scenario, &asked(options)?)
                    .map_err(|message| Refusal::new(Code::InvalidValue, message))?;
                (job.key(), written, others)
            }
        };
        let file = |Settings { file_name, body, .. }: Settings| (file_name.into_owned(), body);
        let (language, notes) = (written.language.to_string(), written.notes.clone());
        Ok(Self {
            program: key,
            files: [written].into_iter().chain(others).map(file).collect(),
            language,
            notes: notes.into_iter().map(Cow::into_owned).collect(),
        })
    }

    /// Returns the files as JSON: the `program`'s key, `files` (text by name), the `language` of
    /// the text, and `notes`.
    pub fn json(&self) -> String {
        let text = |(name, text): &(String, String)| (name.clone(), Value::from(text.as_str()));
        let files: Map<String, Value> = self.files.iter().map(text).collect();
        json!({ "program": self.program, "files": files, "language": self.language, "notes": self.notes }).to_string()
    }
}

/// Writes the settings of a scenario for a program, or a job, by its key or name, as the JSON of
/// [`Exported::json`].
///
/// # Errors
///
/// Returns a refusal for invalid input, missing values, and programs without settings.
pub fn export(given: &Given, program: &str) -> Result<String, Refusal> {
    // A name that does not exist is said before what the scenario lacks.
    known(program)?;
    let Read { scenario, .. } = given.answerable(&Open::ALL)?;
    Ok(Exported::new(&scenario, program, &ExportOptions::default())?.json())
}

/// Lists the keys of the programs and jobs that [`export()`] writes for.
pub fn exported() -> impl Iterator<Item = &'static str> {
    programs().into_iter().map(Program::key).chain(Job::ALL.map(Job::key))
}

/// Checks that files are written for a program or a job, by its key or name.
///
/// # Errors
///
/// Returns a refusal with the nearest names.
pub fn known(program: &str) -> Result<(), Refusal> {
    find(program).map(drop)
}

/// Returns the program or job of a key or a name, in any case, with hyphens, underscores or spaces.
fn find(typed: &str) -> Result<Target, Refusal> {
    let wanted = plain(typed);
    let job = || Job::ALL.into_iter().find(|job| job.key() == wanted).map(Target::Job);
    of_settings(typed).map(Target::Settings).or_else(job).ok_or_else(|| unknown(typed))
}

/// Returns the program with settings of a key or a name.
fn of_settings(typed: &str) -> Option<Program> {
    let wanted = plain(typed);
    let named = |program: &Program| [program.key(), program.name()].into_iter().any(|name| plain(name) == wanted);
    programs().into_iter().find(named)
}

/// Returns a name as names are compared.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', ' '], "-")
}

/// Returns the options of a job.
fn asked(options: &ExportOptions) -> Result<JobOptions, Refusal> {
    let started = |typed| of_settings(typed).ok_or_else(|| unknown(typed));
    let own = JobOptions::default();
    Ok(JobOptions {
        program: options.program.map(started).transpose()?,
        limit: options.limit.map_or(own.limit, |hours| Seconds::from_minutes(60.0 * hours)),
    })
}

/// Returns the refusal of a program without settings.
fn unknown(typed: &str) -> Refusal {
    let keys: Vec<&str> = exported().collect();
    let message = format!(
        "“{}” is no program or job that files are written for: these are {}.{}",
        shorten(typed),
        format::listed(&keys),
        did_you_mean(&nearest(typed, keys.iter().copied()))
    );
    Refusal::new(Code::UnknownName, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "model=llama-3.1-8b&cluster=dgx-h100&gpus=16&seq=8k&mbs=1&train=lora";

    #[test]
    fn every_program_has_its_file() {
        for key in exported() {
            let answer: Value = serde_json::from_str(&export(&RUN.into(), key).unwrap()).unwrap();
            assert_eq!(answer["program"], key);
            let files = answer["files"].as_object().unwrap();
            assert!(files.values().all(|text| text.as_str().unwrap().len() > 40), "{key}");
        }
        let job: Value = serde_json::from_str(&export(&RUN.into(), "slurm").unwrap()).unwrap();
        assert!(job["files"]["shardwise_config.py"].is_string() && job["language"] == "bash");
        // By its name too.
        assert!(export(&RUN.into(), "LLaMA-Factory").is_ok() && export(&RUN.into(), "llama_factory").is_ok());
    }

    #[test]
    fn what_is_missing_or_unknown_is_said() {
        let said = |text: &str, program: &str| export(&text.into(), program).unwrap_err();
        let unknown = said(RUN, "axolotel");
        assert_eq!(unknown.code, Code::UnknownName);
        assert!(unknown.message.contains("Did you mean “axolotl”?"), "{unknown}");
        assert_eq!(said("model=llama-3.1-8b", "axolotl").code, Code::Missing);
    }
}
