//! Programs whose keys are listed in a table, `programs/<name>/keys.toml`. The reader
//! ([`super::formats`]) and the linter's writer ([`super::key_values`]) use these rows.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::sync::LazyLock;

use catalog::programs::Program;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::spelling::plain;
use super::tree::last_part;

/// Keys of programs, each with the text of its table.
const TABLES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Tables whose rows several programs include, each with its text.
const INCLUDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/included.rs"));

/// A table whose rows keep their order.
#[derive(Debug)]
pub(super) struct Rows<V>(pub(super) Vec<(String, V)>);

impl<V> Default for Rows<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Rows<V> {
    pub(super) fn get(&self, key: &str) -> Option<&V> {
        self.0.iter().find_map(|(known, value)| (known == key).then_some(value))
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Rows<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for InOrder<V> {
            type Value = Rows<V>;

            fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
                to.write_str("a table")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Rows<V>, M::Error> {
                let mut rows = Vec::new();
                while let Some(row) = map.next_entry()? {
                    rows.push(row);
                }
                Ok(Rows(rows))
            }
        }
        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

/// One text or several.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(text) => vec![text],
        OneOrMore::More(texts) => texts,
    })
}

/// A value of a link's key in a table.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Yes(bool),
    Whole(i64),
    Number(f64),
    Text(String),
}

impl fmt::Display for Scalar {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Yes(yes) => to.write_str(if *yes { "yes" } else { "no" }),
            Self::Whole(number) => number.fmt(to),
            Self::Number(number) => number.fmt(to),
            Self::Text(text) => to.write_str(text),
        }
    }
}

/// Meaning of a word: an option of the key's parameter, or values of several parameters.
#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Meaning {
    Several(Rows<Scalar>),
    Option(Scalar),
}

/// Meaning of a key.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    /// Spellings of the key, the usual one first; a row without a name applies wherever its `when`
    /// holds.
    #[serde(default, deserialize_with = "list")]
    pub(super) name: Vec<String>,
    /// The key of links that this key sets, or one of the reader's own names (`micro`, `model`, …).
    #[serde(default)]
    pub(super) is: String,
    /// Meanings of the words.
    #[serde(default)]
    pub(super) values: Rows<Meaning>,
    /// Values that are set if the key is on.
    #[serde(default)]
    pub(super) sets: Rows<Scalar>,
    /// Words for features that are not computed, with a sentence each: there is no verdict on the
    /// rest of the file.
    #[serde(default)]
    pub(super) lacks: Rows<String>,
    /// Words for features that are computed as something simpler, with a sentence each.
    #[serde(default)]
    pub(super) simplifies: Rows<String>,
    /// Words for a kind of run that is not computed at all, with a sentence each.
    #[serde(default)]
    pub(super) refuses: Rows<String>,
    /// Factor of the number.
    pub(super) scale: Option<f64>,
    /// Keys whose numbers multiply the number, if present.
    #[serde(default, deserialize_with = "list")]
    pub(super) times: Vec<String>,
    /// Keys whose numbers divide the number; if one is missing, the row has no value.
    #[serde(default, deserialize_with = "list")]
    pub(super) over: Vec<String>,
    /// The number of a word of several that counts: the one behind these letters, after the text
    /// before a `*` if there is one; `#` is all of them multiplied, up to a plus sign.
    #[serde(default)]
    pub(super) part: String,
    /// Key to whose multiple the number is rounded up.
    #[serde(default)]
    pub(super) multiple_of: String,
    /// Whether the first of several values counts: a script may later load the model that it
    /// trained.
    #[serde(default)]
    pub(super) first: bool,
    /// Words that other keys must have for the row to apply.
    #[serde(default)]
    pub(super) when: Rows<Vec<String>>,
    /// Endings removed from a model's name, in this order; `*.` removes all up to the last dot.
    #[serde(default)]
    pub(super) strip: Vec<String>,
    /// Text that the linter writes for an option, if no word of `values` can be written.
    #[serde(default)]
    pub(super) writes: Rows<String>,
    /// Whether the key is a flag without a value: it is written or left out.
    #[serde(default)]
    pub(super) flag: bool,
    /// Whether the linter changes the key only where a file has it.
    #[serde(default)]
    pub(super) present: bool,
    /// Function that reads the key, called by another row: this row is the linter's alone.
    #[serde(default)]
    pub(super) read_by: String,
    /// Whether the linter never writes the key, as another one says the same.
    #[serde(default)]
    pub(super) unwritten: bool,
    /// Whether the value that the linter writes is an item of a list.
    #[serde(default)]
    pub(super) item: bool,
    /// Function that reads keys which depend on each other, of `formats::FUNCTIONS`; for a row
    /// without a name.
    #[serde(default)]
    pub(super) call: String,
    /// Keys that the function reads: a sentence for the page of the program.
    #[allow(dead_code, reason = "said in the table for people")]
    reads: Option<String>,
    /// Table beside the folders whose rows stand in place of this one.
    #[serde(default)]
    include: String,
    /// Meaning of a key that changes nothing; for a row without a name, the assumption.
    #[serde(default)]
    pub(super) means: String,
    /// Day from which the program has the key: the linter adds none to files of earlier releases.
    #[serde(default)]
    pub(super) since: String,
    /// All spellings, separated by `|`, as in [`super::key_values`].
    #[serde(skip)]
    pub(super) spellings: String,
}

impl Row {
    /// Returns the text about a key that changes nothing.
    pub(super) fn meaning(&self) -> &str {
        if self.means.is_empty() { "As it is taken" } else { &self.means }
    }
}

/// The keys of a program.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    /// The name of the program.
    #[serde(skip)]
    pub(super) name: &'static str,
    /// Description and supported files: a sentence.
    pub(super) about: String,
    /// Source of the defaults.
    #[allow(dead_code, reason = "said in the table for people")]
    source: String,
    /// Prefixes of the keys, tried in this order: `model.`, `*`; without any a key is its name.
    #[serde(default)]
    pub(super) places: Vec<String>,
    /// Of some keys, the prefix below which the linter adds them, where it is not the first.
    #[serde(default)]
    adds: Rows<String>,
    /// Defaults of the program.
    #[serde(default)]
    pub(super) usual: Rows<Scalar>,
    /// Sentences about these defaults.
    #[serde(default)]
    pub(super) says: Rows<String>,
    /// The program's own names of models.
    #[serde(default)]
    pub(super) models: Rows<String>,
    /// Keys of the program.
    #[serde(default, rename = "key")]
    pub(super) rows: Vec<Row>,
}

/// The tables of all programs that have one.
static PARSED: LazyLock<Vec<(Program, Table)>> = LazyLock::new(|| {
    // The tables are part of this crate, and a test reads all of them.
    let table = |(key, text): &(&str, &str)| {
        let program = Program::find(key)?;
        Some((program, Table { name: program.name(), ..parsed(text).ok()? }))
    };
    TABLES.iter().filter_map(table).collect()
});

/// Last parts of the names that a table gives a meaning, in lower case with underscores.
static MEANT: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let rows = PARSED.iter().flat_map(|(_, table)| &table.rows);
    let meant = rows.filter(|row| !matches!(row.is.as_str(), "" | "noted") || !row.sets.0.is_empty());
    meant.flat_map(|row| &row.name).map(|name| plain(last_part(name.trim_start_matches('*')))).collect()
});

/// Whether a program's own table has a row of a key, which another setting may make idle.
pub(super) fn has_row(program: Program, path: &str) -> bool {
    let path = plain(path);
    let is_it = |name: &String| match name.strip_prefix('*') {
        Some(end) => path == plain(end) || path.ends_with(&format!(".{}", plain(end))),
        None => path == plain(name),
    };
    Table::find(program).is_some_and(|table| table.rows.iter().flat_map(|row| &row.name).any(is_it))
}

/// Whether the table of any program gives a meaning to a key, by its last part.
pub(super) fn gives_meaning(last: &str) -> bool {
    MEANT.contains(last)
}

/// Rows that several programs include.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Included {
    #[serde(rename = "key")]
    rows: Vec<Row>,
}

fn parsed(text: &str) -> Result<Table, toml_edit::de::Error> {
    let mut table: Table = toml_edit::de::from_str(text)?;
    if table.places.is_empty() {
        table.places.push(String::new());
    }
    let mut rows = Vec::new();
    for row in std::mem::take(&mut table.rows) {
        match INCLUDED.iter().find(|(name, _)| *name == row.include) {
            Some((_, text)) => rows.append(&mut toml_edit::de::from_str::<Included>(text)?.rows),
            None => rows.push(row),
        }
    }
    for row in &mut rows {
        table.place(row);
    }
    table.rows = rows;
    Ok(table)
}

impl Table {
    /// Puts the keys of a row below each of the program's prefixes, in the order in which they are
    /// tried; the linter adds the first of the spellings.
    fn place(&self, row: &mut Row) {
        let below = |name: &str| self.places.iter().map(|place| format!("{place}{name}")).collect::<Vec<_>>();
        let all = |keys: &str| keys.split('|').flat_map(below).collect::<Vec<_>>().join("|");
        let added = row.name.first().and_then(|name| Some(format!("{}{name}", self.adds.get(name)?)));
        row.name = row.name.iter().flat_map(|name| below(name)).collect();
        for (key, _) in row.when.0.iter_mut().filter(|(key, _)| !key.starts_with("__")) {
            *key = all(key);
        }
        for keys in row.times.iter_mut().chain(&mut row.over) {
            *keys = all(keys);
        }
        row.spellings = added.iter().chain(&row.name).map(String::as_str).collect::<Vec<_>>().join("|");
    }
}

impl Table {
    /// Returns the table of a program.
    pub(super) fn find(program: Program) -> Option<&'static Self> {
        PARSED.iter().find_map(|(known, table)| (*known == program).then_some(table))
    }

    /// Whether the program passes arguments to transformers' Trainer.
    pub(super) fn is_on_the_trainer(&self) -> bool {
        self.rows.iter().any(|row| row.call == "trainer.galore")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;
    use crate::run::formats::function;
    use crate::run::formats::table::{OWN_NAMES, shape_key};
    use catalog::default_scenario;
    use engine::params;
    use links::put;

    #[test]
    fn every_table_says_what_links_know() {
        let mut wrong: Vec<String> = Vec::new();
        for (name, text) in TABLES {
            let table = parsed(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut scenario = default_scenario();
            scenario.model = engine::scenario::Model::Custom { architecture: links::v1::CUSTOM_SHAPE };
            let mut is_value = |key: &str, value: &str| {
                let key = key.strip_prefix("shape.").and_then(shape_key).unwrap_or(key);
                if !OWN_NAMES.contains(&key) || params::find(key).is_some() && key != "optimizer" {
                    wrong.extend(put(&mut scenario, key, value).map(|issue| format!("{name}: {}", issue.message)));
                }
            };
            is_value("framework", Program::find(name).unwrap().framework());
            table.usual.0.iter().for_each(|(key, value)| is_value(key, &value.to_string()));
            for row in &table.rows {
                let key = row.is.as_str();
                let is_known = key.is_empty() || OWN_NAMES.contains(&key) || params::find(key).is_some();
                let is_known = is_known || key.starts_with("shape.");
                assert!(is_known, "{name}: {:?} is {key}", row.name);
                let is_function = row.call.is_empty() || function(&row.call).is_some() && row.name.is_empty();
                assert!(is_function, "{name}: {}", row.call);
                let is_called = row.read_by.is_empty() || table.rows.iter().any(|other| other.call == row.read_by);
                assert!(is_called, "{name}: {}", row.read_by);
                for (word, meaning) in &row.values.0 {
                    assert!(word.chars().all(|sign| !sign.is_uppercase()), "{name}: {word} of {:?}", row.name);
                    match meaning {
                        Meaning::Option(value) if params::find(key).is_some() => is_value(key, &value.to_string()),
                        Meaning::Option(_) => {}
                        Meaning::Several(several) => {
                            several.0.iter().for_each(|(key, value)| is_value(key, &value.to_string()));
                        }
                    }
                }
                row.sets.0.iter().for_each(|(key, value)| is_value(key, &value.to_string()));
            }
            for (own, id) in &table.models.0 {
                assert!(catalog::names::model_named(id).is_some(), "{name}: {own} = {id}");
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert_eq!(PARSED.len(), TABLES.len());
    }
}
