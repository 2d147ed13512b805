//! The meaning of a program's keys, `tables/<program>/keys.toml`: one type a row, with which files
//! are read, changed and written.

use std::fmt;
use std::marker::PhantomData;
use std::sync::LazyLock;

use catalog::programs::Program;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use crate::texts::{INCLUDED, KEYS};

/// A table whose rows keep their order.
#[derive(Debug)]
pub struct Rows<V>(
    /// The rows, in their order.
    pub Vec<(String, V)>,
);

impl<V> Default for Rows<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> Rows<V> {
    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&V> {
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
pub enum Scalar {
    /// `true` or `false`: the options “yes” and “no”.
    Yes(bool),
    /// A whole number.
    Whole(i64),
    /// Another number.
    Number(f64),
    /// An option, or a text.
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
pub enum Meaning {
    /// Values of several parameters, of which the first is the key's own; none of a word that
    /// changes nothing.
    Several(Rows<Scalar>),
    /// The option of the row's parameter.
    Option(Scalar),
}

/// Meaning of a key.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Spellings of the key, the usual one first; a row without a name applies wherever its `when`
    /// holds.
    #[serde(default, deserialize_with = "list")]
    pub name: Vec<String>,
    /// The key of links that this key sets, or one of the reader's own names (`micro`, `model`, …).
    #[serde(default)]
    pub is: String,
    /// Meanings of the words.
    #[serde(default)]
    pub values: Rows<Meaning>,
    /// Values that are set if the key is on.
    #[serde(default)]
    pub sets: Rows<Scalar>,
    /// Words for features that are not computed, with a sentence each: there is no verdict on the
    /// rest of the file.
    #[serde(default)]
    pub lacks: Rows<String>,
    /// Words for features that are computed as something simpler, with a sentence each.
    #[serde(default)]
    pub simplifies: Rows<String>,
    /// Words for a kind of run that is not computed at all, with a sentence each.
    #[serde(default)]
    pub refuses: Rows<String>,
    /// Factor of the number.
    pub scale: Option<f64>,
    /// Keys whose numbers multiply the number, if present.
    #[serde(default, deserialize_with = "list")]
    pub times: Vec<String>,
    /// Keys whose numbers divide the number; if one is missing, the row has no value.
    #[serde(default, deserialize_with = "list")]
    pub over: Vec<String>,
    /// The number of a word of several that counts: the one behind these letters, after the text
    /// before a `*` if there is one; `#` is all of them multiplied, up to a plus sign.
    #[serde(default)]
    pub part: String,
    /// Key to whose multiple the number is rounded up.
    #[serde(default)]
    pub multiple_of: String,
    /// Whether the first of several values counts: a script may later load the model that it
    /// trained.
    #[serde(default)]
    pub first: bool,
    /// Words that other keys must have for the row to apply.
    #[serde(default)]
    pub when: Rows<Vec<String>>,
    /// Endings removed from a model's name, in this order; `*.` removes all up to the last dot.
    #[serde(default)]
    pub strip: Vec<String>,
    /// Text that the linter writes for an option, if no word of `values` can be written.
    #[serde(default)]
    pub writes: Rows<String>,
    /// Whether the key is a flag without a value: it is written or left out.
    #[serde(default)]
    pub flag: bool,
    /// Whether the linter changes the key only where a file has it.
    #[serde(default)]
    pub present: bool,
    /// Function that reads the key, called by another row: this row is the linter's alone.
    #[serde(default)]
    pub read_by: String,
    /// Whether the linter never writes the key, as another one says the same.
    #[serde(default)]
    pub unwritten: bool,
    /// Whether the value that the linter writes is an item of a list.
    #[serde(default)]
    pub item: bool,
    /// Function that reads keys which depend on each other, of the reader; for a row
    /// without a name.
    #[serde(default)]
    pub call: String,
    /// Keys that the function reads: a sentence for the page of the program.
    #[allow(dead_code, reason = "said in the table for people")]
    reads: Option<String>,
    /// Table beside the folders whose rows stand in place of this one.
    #[serde(default)]
    include: String,
    /// Meaning of a key that changes nothing; for a row without a name, the assumption.
    #[serde(default)]
    pub means: String,
    /// Day from which the program has the key: the linter adds none to files of earlier releases.
    #[serde(default)]
    pub since: String,
    /// All spellings, separated by `|`, for the writer.
    #[serde(skip)]
    pub spellings: String,
}

impl Row {
    /// Returns the text about a key that changes nothing.
    pub fn meaning(&self) -> &str {
        if self.means.is_empty() { "As it is taken" } else { &self.means }
    }
}

/// The keys of a program.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The name of the program.
    #[serde(skip)]
    pub name: &'static str,
    /// Description and supported files: a sentence.
    pub about: String,
    /// Source of the defaults.
    #[allow(dead_code, reason = "said in the table for people")]
    source: String,
    /// Whether the program passes arguments to transformers' Trainer.
    #[serde(default)]
    pub trainer: bool,
    /// Prefixes of the keys, tried in this order: `model.`, `*`; without any a key is its name.
    #[serde(default)]
    pub places: Vec<String>,
    /// Of some keys, the prefix below which the linter adds them, where it is not the first.
    #[serde(default)]
    adds: Rows<String>,
    /// Defaults of the program.
    #[serde(default)]
    pub usual: Rows<Scalar>,
    /// Sentences about these defaults.
    #[serde(default)]
    pub says: Rows<String>,
    /// The program's own names of models.
    #[serde(default)]
    pub models: Rows<String>,
    /// Keys of the program.
    #[serde(default, rename = "key")]
    pub rows: Vec<Row>,
}

/// The tables of all programs that have one.
pub static ALL: LazyLock<Vec<(Program, Table)>> = LazyLock::new(|| {
    // The tables are part of this crate, and a test reads all of them.
    let table = |(key, text): &(&str, &str)| {
        let program = Program::find(key)?;
        Some((program, Table { name: program.name(), ..parsed(text).ok()? }))
    };
    KEYS.iter().filter_map(table).collect()
});

/// Rows that several programs include.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Included {
    #[serde(rename = "key")]
    rows: Vec<Row>,
}

/// Parses a table, with the rows that it includes and below its prefixes.
///
/// # Errors
///
/// The place of what is no field of a table.
pub fn parsed(text: &str) -> Result<Table, toml_edit::de::Error> {
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

    /// Returns the table of a program.
    pub fn find(program: Program) -> Option<&'static Self> {
        ALL.iter().find_map(|(known, table)| (*known == program).then_some(table))
    }
}
