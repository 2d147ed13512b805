//! Detection of the program of a file, by the signatures in `data/programs.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use catalog::programs::Program;
use serde::Deserialize;

use super::signatures::FileSignatures;
use crate::run::refusal::Refusal;
use crate::run::tree::Tree;

/// The table of all programs.
const TABLE: &str = include_str!("../../../data/programs.toml");

/// The table as written.
#[derive(Default, Deserialize)]
struct File {
    /// Advice for files without a reader: sentences by name.
    instead: HashMap<String, String>,
    #[serde(rename = "program")]
    programs: Vec<Signatures>,
}

/// The signatures of a program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signatures {
    name: String,
    /// Description of the file, if it is not the configuration of a run.
    what: Option<String>,
    /// The program; `None` if it has no reader.
    #[serde(skip)]
    program: Option<Program>,
    /// Lists of keys; a file with all keys of one list is of this program.
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    commands: Vec<String>,
    #[serde(default)]
    imports: Vec<String>,
    /// Classes that Python calls: they decide, where several programs have the keys.
    #[serde(default)]
    calls: Vec<String>,
    /// Parts of the names of scripts: those with the keys under other names are another program's.
    #[serde(default)]
    scripts: Vec<String>,
    /// Parts of texts that no parser accepts.
    #[serde(default)]
    texts: Vec<String>,
    /// Whether the program is among those that people use most: a file that resembles several is
    /// likely of these.
    #[serde(default)]
    common: bool,
    /// Advice for a file without a reader.
    #[serde(default)]
    instead: String,
    /// Origin of an example of a file without a reader.
    #[allow(dead_code, reason = "said in the table for people")]
    source: Option<String>,
}

/// All programs, in the order in which they are tried.
static PROGRAMS: LazyLock<Vec<Signatures>> = LazyLock::new(|| {
    // The table is part of this crate, and a test reads all of it.
    let File { instead, mut programs } = toml_edit::de::from_str(TABLE).unwrap_or_default();
    for row in &mut programs {
        match instead.get(&row.instead) {
            Some(advice) => advice.clone_into(&mut row.instead),
            None => row.program = Program::find(&row.name),
        }
    }
    programs
});

impl Signatures {
    fn is_of(&self, shown: &FileSignatures) -> bool {
        self.calls.iter().any(|class| shown.calls(class))
            || self.keys.iter().any(|keys| keys.split(' ').all(|key| shown.has_key(key))) && self.owns_keys(shown)
            || self.commands.iter().any(|command| shown.has_command(command))
            || self.imports.iter().any(|module| shown.imports(module))
    }

    /// Whether keys that other programs have too are this one's: no class of another is called, and
    /// the script has a name of the program's.
    fn owns_keys(&self, shown: &FileSignatures) -> bool {
        let is_called = |other: &Signatures| other.calls.iter().any(|class| shown.calls(class));
        !PROGRAMS.iter().any(is_called) && (self.scripts.is_empty() || shown.runs_script_of(&self.scripts))
    }

    /// Returns the refusal of the program's files.
    fn refusal(&self) -> Refusal {
        let what = self.what.clone().unwrap_or_else(|| format!("a configuration of {}", self.name));
        Refusal::certain(format!("This is {what}, which shardwise does not read. {}", self.instead))
    }

    /// Returns the missing keys of the closest list and those that are present; `None` if no key is
    /// present.
    fn nearly(&self, shown: &FileSignatures) -> Option<(Vec<&str>, Vec<&str>)> {
        let mut best: Option<(Vec<&str>, Vec<&str>)> = None;
        for keys in &self.keys {
            let (lacks, has): (Vec<&str>, Vec<&str>) = keys.split(' ').partition(|key| !shown.has_key(key));
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
pub(in crate::run) fn recognise(tree: &Tree, text: &str) -> Result<Program, Refusal> {
    let shown = FileSignatures::new(tree, text);
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
fn unknown(shown: &FileSignatures) -> String {
    let readers = PROGRAMS.iter().filter(|program| program.program.is_some());
    let names: Vec<&str> = readers.clone().map(|program| program.name.as_str()).collect();
    let near = readers.filter_map(|program| Some((program, program.nearly(shown)?)));
    let near = near.min_by_key(|(program, near)| (!program.common, distance(near))).map_or_else(
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
    use programs::keys::Table;

    #[test]
    fn every_row_has_signatures_and_a_reader_or_what_to_give_instead() {
        let table: File = toml_edit::de::from_str(TABLE).unwrap();
        assert!(PROGRAMS.len() > 50);
        for (program, row) in PROGRAMS.iter().zip(table.programs) {
            let signatures = program.keys.len() + program.commands.len() + program.imports.len();
            let is_refused = table.instead.contains_key(&row.instead);
            assert!(
                signatures > 0 && program.program.is_some() != is_refused && program.source.is_some() == is_refused,
                "{}",
                program.name
            );
            assert!(is_refused || row.instead.is_empty(), "{}", program.name);
        }
        for program in Program::ALL.into_iter().filter(|program| Table::find(*program).is_some()) {
            assert!(PROGRAMS.iter().any(|row| row.program == Some(program)), "{}", program.name());
        }
    }
}
