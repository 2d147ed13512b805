//! Detection of the program of a file, by the signatures in `data/programs.toml`.

use std::sync::LazyLock;

use catalog::programs::Program;
use toml_edit::{DocumentMut, Item};

use super::signatures::Shown;
use crate::run::program::Table;
use crate::run::refusal::Refusal;
use crate::run::tree::Tree;

/// The table of all programs.
const TABLE: &str = include_str!("../../../data/programs.toml");

/// The signatures of a program.
struct Signatures {
    name: String,
    /// Description of the file, if it is not the configuration of a run.
    what: Option<String>,
    /// The program; `None` if it has no reader.
    program: Option<Program>,
    /// Lists of keys; a file with all keys of one list is of this program.
    keys: Vec<Vec<String>>,
    commands: Vec<String>,
    imports: Vec<String>,
    /// Parts of texts that no parser accepts.
    texts: Vec<String>,
    /// Advice for a file without a reader.
    instead: String,
}

/// All programs, in the order in which they are tried.
static PROGRAMS: LazyLock<Vec<Signatures>> = LazyLock::new(|| {
    // The table is part of this crate, and a test reads all of it.
    let Ok(table) = TABLE.parse::<DocumentMut>() else { return Vec::new() };
    let sentences = table.get("instead");
    let rows = table.get("program").and_then(Item::as_array_of_tables);
    rows.into_iter().flatten().map(|row| program(row, sentences)).collect()
});

fn program(row: &toml_edit::Table, sentences: Option<&Item>) -> Signatures {
    let text = |key: &str| row.get(key).and_then(Item::as_str).map(str::to_owned);
    let list = |key: &str| -> Vec<String> {
        let items = row.get(key).and_then(Item::as_array);
        items.into_iter().flatten().filter_map(|item| Some(item.as_str()?.to_owned())).collect()
    };
    let name = text("name").unwrap_or_default();
    let instead = text("instead").and_then(|key| sentences?.get(&key)?.as_str()).unwrap_or_default();
    Signatures {
        // A program without a reader has advice.
        program: if row.contains_key("instead") { None } else { Program::find(&name) },
        what: text("what"),
        keys: list("keys").iter().map(|keys| keys.split(' ').map(str::to_owned).collect()).collect(),
        commands: list("commands"),
        imports: list("imports"),
        texts: list("texts"),
        instead: instead.to_owned(),
        name,
    }
}

impl Signatures {
    fn is_of(&self, shown: &Shown) -> bool {
        self.keys.iter().any(|keys| keys.iter().all(|key| shown.has_key(key)))
            || self.commands.iter().any(|command| shown.has_command(command))
            || self.imports.iter().any(|module| shown.imports(module))
    }

    /// Returns the refusal of the program's files.
    fn refusal(&self) -> Refusal {
        let what = self.what.clone().unwrap_or_else(|| format!("a configuration of {}", self.name));
        Refusal::certain(format!("This is {what}, which shardwise does not read. {}", self.instead))
    }

    /// Returns the missing keys of the closest list and those that are present; `None` if no key is
    /// present.
    fn nearly(&self, shown: &Shown) -> Option<(Vec<&str>, Vec<&str>)> {
        let mut best: Option<(Vec<&str>, Vec<&str>)> = None;
        for keys in &self.keys {
            let (lacks, has): (Vec<&str>, Vec<&str>) =
                keys.iter().map(String::as_str).partition(|key| !shown.has_key(key));
            let next = (lacks, has);
            if !next.1.is_empty() && best.as_ref().is_none_or(|best| distance(&next) < distance(best)) {
                best = Some(next);
            }
        }
        best
    }
}

/// Returns the distance of a file from a program: the number of missing keys, then the most present
/// keys.
fn distance((lacks, has): &(Vec<&str>, Vec<&str>)) -> (usize, core::cmp::Reverse<usize>) {
    (lacks.len(), core::cmp::Reverse(has.len()))
}

/// Returns the program of a file.
///
/// # Errors
///
/// A sentence if the file belongs to a program without a reader, or to no known program.
pub(in crate::run) fn of(tree: &Tree, text: &str) -> Result<Program, Refusal> {
    let shown = Shown::of(tree, text);
    let Some(program) = PROGRAMS.iter().find(|program| program.is_of(&shown)) else {
        return Err(Refusal::unknown(unknown(&shown)));
    };
    program.program.ok_or_else(|| program.refusal())
}

/// Returns the refusal of a text that does not parse but is recognised by its parts.
pub(in crate::run) fn refused(text: &str) -> Option<Refusal> {
    let is_of = |program: &&Signatures| program.texts.iter().any(|part| text.contains(part.as_str()));
    PROGRAMS.iter().find(is_of).map(Signatures::refusal)
}

/// Returns a sentence about the keys that a file lacks to be of a known program.
fn unknown(shown: &Shown) -> String {
    let readers = PROGRAMS.iter().filter(|program| program.program.is_some());
    let names: Vec<&str> = readers.clone().map(|program| program.name.as_str()).collect();
    let near = readers.filter_map(|program| Some((program, program.nearly(shown)?)));
    // Programs with a reader in Rust are the most common, so they come first.
    let is_table = |program: &Signatures| program.program.is_some_and(|program| Table::find(program).is_some());
    let near = near.min_by_key(|(program, near)| (is_table(program), distance(near))).map_or_else(
        String::new,
        |(program, (lacks, has))| {
            let [lacks, has] = [lacks, has].map(|keys| keys.join(" and ").replace('*', ""));
            format!(" It has {has}, which several programs have; one of {} has {lacks} as well.", program.name)
        },
    );
    format!("This is no configuration that is known here: of {}.{near}", names.join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_signatures_and_a_reader_or_what_to_give_instead() {
        let table = TABLE.parse::<DocumentMut>().unwrap();
        let rows = table.get("program").and_then(Item::as_array_of_tables).unwrap();
        assert!(PROGRAMS.len() == rows.len() && PROGRAMS.len() > 50);
        for (program, row) in PROGRAMS.iter().zip(rows) {
            let signatures = program.keys.len() + program.commands.len() + program.imports.len();
            let is_other = !program.instead.is_empty() && row.contains_key("source");
            assert!(signatures > 0 && program.program.is_some() != is_other, "{}", program.name);
        }
        for program in Program::ALL.into_iter().filter(|program| Table::find(*program).is_some()) {
            assert!(PROGRAMS.iter().any(|row| row.program == Some(program)), "{}", program.name());
        }
    }
}
