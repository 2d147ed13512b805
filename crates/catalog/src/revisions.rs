//! Corrections of data sheets since the first release: a link keeps the data sheets of its
//! revision.
//!
//! A link fixes choices, data sheets and the release of its program. It does not fix calibration:
//! predictions always use the current calibration.

/// The revision of the first release, whose links have no revision.
pub const FIRST_REVISION: u32 = 7;

/// A value of a data sheet that a later revision corrected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Revised {
    /// The revision that corrected it.
    pub revision: u32,
    /// `gpu` or `cluster`.
    pub table: &'static str,
    /// The entry of the table.
    pub id: &'static str,
    /// The parameter, by its key in links.
    pub key: &'static str,
    /// The value before, in the unit of links.
    pub old: f64,
}

/// Every correction, oldest first: the rows of `data/revisions.csv`.
pub static REVISIONS: &[Revised] = include!(concat!(env!("OUT_DIR"), "/revisions.rs"));

/// Returns the newest revision.
pub(super) const fn newest() -> u32 {
    match REVISIONS {
        [] => FIRST_REVISION,
        [.., last] => last.revision,
    }
}
