//! Settings of a scenario for a training program, as the page's export has them.

use catalog::programs::Program;
use engine::format;
use engine::nearest::{did_you_mean, nearest};
use engine::params::quantity::shorten;
use files::settings::{self, programs};
use serde_json::{Map, Value, json};

use crate::given::Code;
use crate::{Given, Open, Read, Refusal};

/// Writes the settings of a scenario for a program, by its key or name, as JSON: the `program`'s
/// key, `files` (text by name), the `language` of the text, and `notes`, sentences on what the
/// program cannot express or only approximates.
///
/// # Errors
///
/// Returns a refusal for invalid input, missing values, and programs without settings.
pub fn export(given: &Given, program: &str) -> Result<String, Refusal> {
    let program = find(program)?;
    let Read { scenario, .. } = given.answerable(&Open::ALL)?;
    let written = settings::text(program, &scenario).ok_or_else(|| unknown(program.key()))?;
    let files: Map<String, Value> = [(written.file_name.into_owned(), written.body.into())].into_iter().collect();
    let answer = json!({
        "program": program.key(),
        "files": files,
        "language": written.language,
        "notes": written.notes,
    });
    Ok(answer.to_string())
}

/// Lists the keys of the programs that [`export`] writes for.
pub fn exported() -> impl Iterator<Item = &'static str> {
    programs().into_iter().map(Program::key)
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
