//! Keys that change neither memory nor speed, by their whole names: those of all programs
//! (`quiet.toml`), and each program's own (`<name>/quiet.toml`).

use std::collections::HashSet;
use std::sync::LazyLock;

use catalog::programs::Program;
use programs::texts::{QUIET, QUIET_OF_ALL};

use super::spelling::plain;

/// Irrelevant keys of a program.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Quiet {
    /// The program whose keys this one has too.
    also: Option<String>,
    /// Keys, by their last part or by their path.
    keys: HashSet<String>,
    /// Sections whose keys are all irrelevant.
    sections: Vec<String>,
}

// The lists are part of this crate, and a test reads all of them.
static OF_ALL: LazyLock<Quiet> = LazyLock::new(|| parsed(QUIET_OF_ALL).unwrap_or_default());

static OF_PROGRAMS: LazyLock<Vec<(Program, Quiet)>> =
    LazyLock::new(|| QUIET.iter().filter_map(|(key, list)| Some((Program::find(key)?, parsed(list).ok()?))).collect());

fn parsed(list: &str) -> Result<Quiet, toml_edit::de::Error> {
    let quiet: Quiet = toml_edit::de::from_str(list)?;
    let (keys, sections) = (quiet.keys.iter(), quiet.sections.iter());
    Ok(Quiet {
        keys: keys.map(|key| plain(key)).collect(),
        sections: sections.map(|key| plain(key)).collect(),
        ..quiet
    })
}

impl Quiet {
    fn has_key(&self, path: &str, last: &str) -> bool {
        [path, last.trim_start_matches('_'), &format!("*{last}")].into_iter().any(|key| self.keys.contains(key))
    }

    /// Whether a path begins with a section.
    fn has_section(&self, path: &str) -> bool {
        let is_below = |section: &String| path.strip_prefix(section.as_str()).is_some_and(|rest| rest.starts_with('.'));
        self.sections.iter().any(is_below)
    }
}

/// Whether a key affects neither memory nor speed.
pub(super) fn is_irrelevant(path: &str, program: Program) -> bool {
    if path.starts_with(['$', '?', '_']) {
        return true;
    }
    let plain = plain(path);
    // MosaicML's platform nests the configuration below one key.
    if let Some(rest) = plain.strip_prefix("parameters.") {
        return is_irrelevant(rest, program);
    }
    let last = plain.rsplit('.').find(|part| part.parse::<u32>().is_err()).unwrap_or_default();
    OF_ALL.has_key(&plain, last)
        || OF_ALL.has_section(&plain)
        || is_constructor(last)
        || is_of_program(&plain, last, program)
}

/// Whether a key names the constructor of a part that no reader knows, such as `scheduler_target_`.
fn is_constructor(last: &str) -> bool {
    let name = last.trim_start_matches('_');
    name.ends_with("_component_") || name.ends_with("_target_")
}

/// Whether an irrelevant key is a program's own.
fn is_of_program(path: &str, last: &str, program: Program) -> bool {
    let Some((_, quiet)) = OF_PROGRAMS.iter().find(|(known, _)| *known == program) else { return false };
    let is_in = |section: &String| path == section || format!(".{path}").contains(&format!(".{section}."));
    quiet.has_key(path, last)
        || quiet.sections.iter().any(is_in)
        || quiet.also.as_deref().and_then(Program::find).is_some_and(|other| is_of_program(path, last, other))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn every_list_is_read_and_leads_to_programs() {
        parsed(QUIET_OF_ALL).unwrap();
        for (key, list) in QUIET {
            let quiet = parsed(list).unwrap_or_else(|error| panic!("{key}: {error}"));
            assert!(quiet.also.is_none_or(|other| Program::find(&other).is_some_and(|it| it.key() != *key)), "{key}");
        }
        assert_eq!(OF_PROGRAMS.len(), QUIET.len());
    }

    #[test]
    fn a_key_that_no_list_has_is_listed_whatever_its_words() {
        for program in Program::ALL {
            for key in ["data_parallel_shards_kept", "moe_token_buffer", "optimizer_mem_split", "foo_bar"] {
                assert!(!is_irrelevant(key, program), "{key} of {}", program.name());
            }
            assert!(is_irrelevant("learning_rate", program) && is_irrelevant("wandb.any", program));
        }
        assert!(is_irrelevant("adam_beta1", Program::Unsloth) && is_irrelevant("adam_beta1", Program::Nanotron));
        // A program's own keys are quiet for it and for the programs that take its keys.
        for program in [Program::Transformers, Program::Unsloth] {
            assert!(is_irrelevant("batch_eval_metrics", program), "{}", program.name());
        }
        assert!(!is_irrelevant("batch_eval_metrics", Program::Maxtext));
    }
}
