//! Values that a program's own validation rejects, `programs/<name>/refusals.toml`.

use std::sync::LazyLock;

use catalog::programs::Program;

use super::draft::Draft;
use super::formats::is_met;
use super::keys::Keys;
use super::program::Rows;

/// The refusals of programs, each with the text of its table.
const TABLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/refusals.rs"));

/// Keys that a program does not accept together.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Refusal {
    /// Words of the keys, as in `keys.toml`; all of them are needed.
    when: Rows<Vec<String>>,
    /// The reason and the remedy: a sentence.
    says: String,
    /// Day from which the program refuses them.
    #[serde(default)]
    since: String,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[allow(dead_code, reason = "said in the table for people")]
    source: String,
    #[serde(rename = "refusal")]
    refusals: Vec<Refusal>,
}

static PARSED: LazyLock<Vec<(Program, Table)>> = LazyLock::new(|| {
    // The tables are part of this crate, and a test reads all of them.
    TABLES.iter().filter_map(|(key, text)| Some((Program::find(key)?, toml_edit::de::from_str(text).ok()?))).collect()
});

/// Reports what the program of a file would refuse. The linter writes no such file, as its changes
/// add no contradiction.
pub(super) fn report(program: Program, keys: &Keys, draft: &mut Draft) {
    let tables = PARSED.iter().filter(|(of, _)| *of == program);
    for refusal in tables.flat_map(|(_, table)| &table.refusals) {
        let is_new = !refusal.since.is_empty() && draft.is_before(program, &refusal.since);
        if !is_new && is_met(&refusal.when, keys) {
            draft.contradict(format!("{} refuses this: {}", program.name(), refusal.says));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PARSED, TABLES};

    #[test]
    fn every_table_is_read_and_says_what_to_do() {
        assert_eq!(PARSED.len(), TABLES.len());
        for (program, table) in PARSED.iter() {
            for refusal in &table.refusals {
                assert!(refusal.says.ends_with('.') && !refusal.when.0.is_empty(), "{program:?}: {}", refusal.says);
            }
        }
    }
}
