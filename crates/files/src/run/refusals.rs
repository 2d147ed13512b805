//! Values that a program's own validation rejects ([`programs::refusals`]).

use catalog::programs::Program;
use programs::refusals::ALL;

use super::draft::Draft;
use super::formats::is_met;
use super::keys::Keys;
use super::tree::last_part;

/// Reports what the program of a file would refuse. The linter writes no such file, as its changes
/// add no contradiction.
pub(super) fn report(program: Program, keys: &Keys, draft: &mut Draft) {
    let tables = ALL.iter().filter(|(of, _)| *of == program);
    for refusal in tables.flat_map(|(_, table)| &table.refusals) {
        let is_new = !refusal.since.is_empty() && draft.is_before(program, &refusal.since);
        if !is_new && is_met(&refusal.when, keys) {
            draft.contradict(format!("{} refuses this: {}", program.name(), refusal.says));
        }
    }
}

/// Whether a program does not read a key, of a path, that the tables of several programs have.
pub(super) fn is_absent(program: Program, path: &str) -> bool {
    let mut tables = ALL.iter().filter(|(of, _)| *of == program);
    tables.any(|(_, table)| table.absent.iter().any(|key| key == last_part(path)))
}

#[cfg(test)]
mod tests {
    use programs::refusals::ALL;
    use programs::texts::{INCLUDED, REFUSALS};

    #[test]
    fn every_table_is_read_and_says_what_to_do() {
        assert_eq!(ALL.len(), REFUSALS.len());
        for (program, table) in ALL.iter() {
            let is_there = table.include.is_empty() || INCLUDED.iter().any(|(name, _)| *name == table.include);
            assert!(is_there, "{program:?}: {}", table.include);
            for refusal in &table.refusals {
                assert!(refusal.says.ends_with('.') && !refusal.when.0.is_empty(), "{program:?}: {}", refusal.says);
            }
        }
    }
}
