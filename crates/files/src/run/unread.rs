//! Keys that no reader knows and that may decide memory or speed, by their names
//! (`programs/deciding.toml`), by the tables of all programs and by the parameters' names. While
//! there is one, there is no verdict.

use std::collections::HashSet;
use std::sync::LazyLock;

use engine::params;
use programs::texts::DECIDING;

use super::program;
use super::spelling::plain;
use super::tree::last_part;

/// The words, by their use.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Deciding {
    /// Words of names that may decide.
    words: HashSet<String>,
    /// Names that need their section's.
    general: HashSet<String>,
    /// Words of degrees: 1 is off.
    degrees: HashSet<String>,
}

// The list is part of this crate, and a test reads it.
static LIST: LazyLock<Deciding> = LazyLock::new(|| toml_edit::de::from_str(DECIDING).unwrap_or_default());

/// Words of a name between separators, in lower case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a path has a word of the list, or of another one.
fn has_word(path: &str, list: &HashSet<String>) -> bool {
    let last = last_part(path);
    let section = path.strip_suffix(last).map(|before| last_part(before.trim_end_matches('.'))).unwrap_or_default();
    words(last).any(|word| list.contains(word))
        || list.contains(last)
        || LIST.general.contains(last) && words(section).any(|word| list.contains(word))
}

/// Whether the name of a key says that it decides memory or speed.
pub(super) fn decides(path: &str) -> bool {
    has_word(&plain(path), &LIST.words)
}

/// Whether a key that no reader knows may decide memory or speed with this value.
pub(super) fn may_decide(path: &str, value: &str) -> bool {
    let path = plain(path);
    match value.trim().to_ascii_lowercase().as_str() {
        "1" if has_word(&path, &LIST.degrees) => false,
        _ if is_off(value) => false,
        _ => has_word(&path, &LIST.words) || is_known(last_part(&path)),
    }
}

/// Whether a value switches its key off, or leaves it to the program.
pub(super) fn is_off(value: &str) -> bool {
    const OFF: [&str; 9] = ["", "false", "no", "off", "none", "null", "disabled", "auto", "0"];
    OFF.contains(&value.trim().to_ascii_lowercase().as_str())
}

/// Whether a name is a parameter's, or one that a program's table gives a meaning.
fn is_known(last: &str) -> bool {
    params::find(last).is_some() || last.contains('_') && program::gives_meaning(last)
}

/// Returns the sections of a file that are switched off, each with its last dot: `fp8.` of
/// `fp8.enabled = false`.
pub(super) fn off_sections<'a>(entries: impl Iterator<Item = (&'a str, String)>) -> Vec<&'a str> {
    let off = entries.filter(|(_, value)| value.eq_ignore_ascii_case("false"));
    off.filter_map(|(path, _)| path.strip_suffix("enabled").or_else(|| path.strip_suffix("enable")))
        .filter(|section| section.ends_with('.'))
        .collect()
}

/// Whether a script uses a variable after its assignment: what it decides is said by the key that
/// it is given to.
pub(super) fn is_used_variable(text: &str, name: &str, sigil: bool) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let uses = text.match_indices(name).filter(|(place, _)| {
        let before = text.get(..*place).unwrap_or_default();
        let after = text.get(place + name.len()..).unwrap_or_default();
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        is_whole && (!sigil || before.ends_with(['$', '{']))
    });
    uses.count() > usize::from(!sigil)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_decides_by_whole_words_and_by_what_is_on() {
        assert!(!LIST.words.is_empty());
        for (key, value) in [
            ("use_apollo", "true"),
            ("apollo_rank", "128"),
            ("pipeline_model_parallel_size", "4"),
            ("actor.engine.tp", "2"),
            ("trainer.parallelism", "dp2"),
            ("use-kt", "1"),
            ("dist_config.sharding.name", "own"),
            ("optimizer.name", "novel"),
            ("recompute_granularity", "full"),
        ] {
            assert!(may_decide(key, value), "{key}");
        }
        for (key, value) in [
            ("use_apollo", "false"),
            ("expert_model_parallel_size", "1"),
            ("adapters_path_note", "none"),
            ("ship_name", "x"),
            ("optimal_path", "x"),
            ("loss_weight", "2"),
        ] {
            assert!(!may_decide(key, value), "{key}");
        }
    }

    #[test]
    fn a_variable_that_is_used_is_no_key() {
        assert!(is_used_variable("max_seq = 2048\nf(max_seq)", "max_seq", false));
        assert!(!is_used_variable("max_seq = 2048\nmax_seq_length = 3", "max_seq", false));
        assert!(is_used_variable("tp=2\nrun --tp ${tp}", "tp", true));
        assert!(!is_used_variable("tp=2\nrun --tp 4", "tp", true));
    }
}
