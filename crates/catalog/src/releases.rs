//! Releases of training programs: their built-in behaviour, and the date of each change.
//!
//! The rows are in the programs' own folders (`crates/programs/tables/<program>/releases.toml`),
//! each with the file and the commit that introduced the change.

use crate::programs::Program;

pub use engine::scenario::release::{Known, Release};

/// All releases, each program's in order of date.
pub static RELEASES: &[Release] = include!(concat!(env!("OUT_DIR"), "/releases.rs"));

/// Keys that a program no longer accepts: a file with such a key was written for an earlier
/// release.
#[derive(Debug)]
pub struct Gone {
    /// The program.
    pub program: Program,
    /// The keys, as its files write them.
    pub keys: &'static [&'static str],
    /// The day on which the keys were removed.
    pub since: &'static str,
    /// The replacement of the keys.
    pub says: &'static str,
}

/// All removed keys, those of a program by date.
pub static GONE: &[Gone] = include!(concat!(env!("OUT_DIR"), "/gone.rs"));

/// Returns the preceding release of the program.
pub fn predecessor(release: &Release) -> Option<&'static Release> {
    RELEASES.iter().rfind(|other| other.program == release.program && other.since < release.since)
}

/// Returns the newest release of the program.
pub fn newest_of(release: &'static Release) -> &'static Release {
    newest(release.program_key()).unwrap_or(release)
}

/// Parses a release: its key; a program alone, for its newest release; or a program with a month or
/// a day, for the last release up to that date.
///
/// ```
/// use catalog::releases::find;
///
/// assert_eq!(find("torchtitan-2025-12").unwrap().id, "torchtitan-2025-07");
/// assert_eq!(find("torchtitan").unwrap().id, find("torchtitan-2099-01").unwrap().id);
/// assert!(find("torchtitan-1999-01").is_none() && find("nothing").is_none());
/// ```
pub fn find(text: &str) -> Option<&'static Release> {
    let text = text.trim().to_ascii_lowercase().replace([' ', '_', '@'], "-");
    if let Some(newest) = newest(&text) {
        return Some(newest);
    }
    let of_program = |release: &&Release| {
        let date = text.strip_prefix(release.program_key()).and_then(|rest| rest.strip_prefix('-'));
        let is_date = |date: &str| date.len() >= 4 && date.chars().all(|sign| sign.is_ascii_digit() || sign == '-');
        // Dates compare as text: a month includes releases to its end, and a year to its end.
        date.is_some_and(|date| is_date(date) && release.since.get(..date.len()).unwrap_or(release.since) <= date)
    };
    RELEASES.iter().rfind(of_program)
}

/// Lists all releases, the newest of each program first.
pub fn newest_first() -> impl Iterator<Item = &'static Release> {
    let groups = RELEASES.chunk_by(|one, other| one.program == other.program);
    groups.flat_map(|releases| releases.iter().rev())
}

/// Returns the last release of a program before a day, or its first if none is earlier.
pub fn before(program: &str, day: &str) -> Option<&'static Release> {
    let of_program = || RELEASES.iter().filter(|release| release.program_key() == program);
    of_program().rfind(|release| release.since < day).or_else(|| of_program().next())
}

/// Returns the newest release of a program by its key.
pub fn newest(program: &str) -> Option<&'static Release> {
    RELEASES.iter().rfind(|release| release.program_key() == program)
}
