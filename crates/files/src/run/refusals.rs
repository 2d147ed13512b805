//! Values that a program's own validation rejects, `programs/<name>/refusals.toml`.

use std::sync::LazyLock;

use catalog::programs::Program;

use super::draft::Draft;
use super::formats::is_met;
use super::keys::Keys;
use super::program::Rows;
use super::tree::last_part;

/// The refusals of programs, each with the text of its table.
const TABLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/refusals.rs"));

/// Tables beside the folders, of which some hold refusals of several programs.
const INCLUDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/included.rs"));

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
    /// Table beside the folders whose refusals this program has too.
    #[serde(default)]
    include: String,
    /// Keys of included rows that the program does not read: the linter adds none.
    #[serde(default)]
    absent: Vec<String>,
    #[serde(default, rename = "refusal")]
    refusals: Vec<Refusal>,
}

fn parsed(text: &str) -> Result<Table, toml_edit::de::Error> {
    let mut table: Table = toml_edit::de::from_str(text)?;
    // The YAML files of Megatron-LM's tests have flags as keys: `--name`.
    let anywhere = |key: &str| key.strip_prefix('*').map_or(key.to_owned(), |name| format!("*{name}|*__{name}"));
    for (key, _) in table.refusals.iter_mut().flat_map(|refusal| &mut refusal.when.0) {
        *key = key.split('|').map(anywhere).collect::<Vec<_>>().join("|");
    }
    if let Some((_, text)) = INCLUDED.iter().find(|(name, _)| *name == table.include) {
        table.refusals.append(&mut parsed(text)?.refusals);
    }
    Ok(table)
}

static PARSED: LazyLock<Vec<(Program, Table)>> = LazyLock::new(|| {
    // The tables are part of this crate, and a test reads all of them.
    TABLES.iter().filter_map(|(key, text)| Some((Program::find(key)?, parsed(text).ok()?))).collect()
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

/// Whether a program does not read a key, of a path, that the tables of several programs have.
pub(super) fn is_absent(program: Program, path: &str) -> bool {
    let mut tables = PARSED.iter().filter(|(of, _)| *of == program);
    tables.any(|(_, table)| table.absent.iter().any(|key| key == last_part(path)))
}

#[cfg(test)]
mod tests {
    use super::{INCLUDED, PARSED, TABLES};

    #[test]
    fn every_table_is_read_and_says_what_to_do() {
        assert_eq!(PARSED.len(), TABLES.len());
        for (program, table) in PARSED.iter() {
            let is_there = table.include.is_empty() || INCLUDED.iter().any(|(name, _)| *name == table.include);
            assert!(is_there, "{program:?}: {}", table.include);
            for refusal in &table.refusals {
                assert!(refusal.says.ends_with('.') && !refusal.when.0.is_empty(), "{program:?}: {}", refusal.says);
            }
        }
    }
}
