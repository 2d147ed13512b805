//! Values that a program's own validation rejects, `tables/<program>/refusals.toml`.

use std::sync::LazyLock;

use catalog::programs::Program;

use crate::keys::Rows;
use crate::texts::{INCLUDED, REFUSALS};

/// Keys that a program does not accept together.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Words of the keys, as in `keys.toml`; all of them are needed.
    pub when: Rows<Vec<String>>,
    /// The reason and the remedy: a sentence.
    pub says: String,
    /// Day from which the program refuses them.
    #[serde(default)]
    pub since: String,
}

/// Refusals of a program.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    #[allow(dead_code, reason = "said in the table for people")]
    source: String,
    /// Table beside the folders whose refusals this program has too.
    #[serde(default)]
    pub include: String,
    /// Keys of included rows that the program does not read: the linter adds none.
    #[serde(default)]
    pub absent: Vec<String>,
    /// The refusals.
    #[serde(default, rename = "refusal")]
    pub refusals: Vec<Refusal>,
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

/// The refusals of all programs that have some.
pub static ALL: LazyLock<Vec<(Program, Table)>> = LazyLock::new(|| {
    // The tables are part of this crate, and a test reads all of them.
    REFUSALS.iter().filter_map(|(key, text)| Some((Program::find(key)?, parsed(text).ok()?))).collect()
});
