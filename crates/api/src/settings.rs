//! Settings of a scenario for a training program, as the page's export has them.

use std::borrow::Cow;

use catalog::programs::Program;
use engine::format;
use engine::nearest::{did_you_mean, nearest};
use engine::params::quantity::shorten;
use engine::scenario::Scenario;
use files::settings::{self, programs};
use serde_json::{Map, Value, json};

use crate::given::Code;
use crate::{Given, Open, Read, Refusal};

/// The files of a scenario for a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The program's key.
    pub program: &'static str,
    /// Names and texts; the first is the file that was asked for.
    pub files: Vec<(String, String)>,
    /// The language of the first file: `python`, `json`, `bash` or `yaml`.
    pub language: String,
    /// Sentences on what the program cannot express or only approximates.
    pub notes: Vec<String>,
}

impl Exported {
    /// Writes the settings of a scenario for a program, by its key or name.
    ///
    /// # Errors
    ///
    /// Returns a refusal for programs without settings.
    pub fn new(scenario: &Scenario, program: &str) -> Result<Self, Refusal> {
        let program = find(program)?;
        let written = settings::text(program, scenario).ok_or_else(|| unknown(program.key()))?;
        Ok(Self {
            program: program.key(),
            files: vec![(written.file_name.into_owned(), written.body)],
            language: written.language.into_owned(),
            notes: written.notes.into_iter().map(Cow::into_owned).collect(),
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

/// Writes the settings of a scenario for a program, by its key or name, as the JSON of
/// [`Exported::json`].
///
/// # Errors
///
/// Returns a refusal for invalid input, missing values, and programs without settings.
pub fn export(given: &Given, program: &str) -> Result<String, Refusal> {
    // A name that does not exist is said before what the scenario lacks.
    known(program)?;
    let Read { scenario, .. } = given.answerable(&Open::ALL)?;
    Ok(Exported::new(&scenario, program)?.json())
}

/// Lists the keys of the programs that [`export`] writes for.
pub fn exported() -> impl Iterator<Item = &'static str> {
    programs().into_iter().map(Program::key)
}

/// Checks that settings are written for a program, by its key or name.
///
/// # Errors
///
/// Returns a refusal with the nearest names.
pub fn known(program: &str) -> Result<(), Refusal> {
    find(program).map(drop)
}

/// Returns the program of a key or a name, in any case, with hyphens, underscores or spaces.
fn find(typed: &str) -> Result<Program, Refusal> {
    let plain = |name: &str| name.trim().to_lowercase().replace(['_', ' '], "-");
    let wanted = plain(typed);
    let named = |program: &Program| [program.key(), program.name()].into_iter().any(|name| plain(name) == wanted);
    programs().into_iter().find(named).ok_or_else(|| unknown(typed))
}

/// Returns the refusal of a program without settings.
fn unknown(typed: &str) -> Refusal {
    let keys: Vec<&str> = exported().collect();
    let message = format!(
        "“{}” is not a program that settings are written for: these are {}.{}",
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
