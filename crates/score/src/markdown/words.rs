//! The section on what predictions lose without the words of a row.

use std::fmt::Write as _;

use super::{line, percent};
use crate::silicon::Table;
use crate::summary::Entry;
use crate::words::{self, Both};

/// Writes the errors of the step time with and without the columns of prose.
pub(super) fn section(text: &mut String, dense: &[&Entry], mixtures: &[&Entry], tuned: &[&Entry], silicon: &[&Entry]) {
    line(text, "\n## Without the free-text columns\n");
    line(
        text,
        "The same rows read without their remarks and without prose about number formats, as a user's own row is: step time, median \
         and mean error.\n",
    );
    line(text, "| Rows | Read both ways | With, median | Mean | Without, median | Mean | Not read without |");
    line(text, "|---|---:|---:|---:|---:|---:|---:|");
    let fast = dense.iter().filter(|entry| entry.is_fast() == Some(true)).copied();
    let of_maxtext = |entry: &&&Entry| Table::of(&entry.row) == Some(Table::MaxText);
    let groups = [
        ("Dense, MFU of 20 % or more", words::both(fast)),
        ("Mixtures of experts", words::both(mixtures.iter().copied())),
        ("Fine-tuning", words::both(tuned.iter().copied())),
        ("MaxText", words::both(silicon.iter().filter(of_maxtext).copied())),
        ("Other silicon and MLPerf", words::both(silicon.iter().filter(|entry| !of_maxtext(entry)).copied())),
    ];
    for (name, Both { with, without, lost }) in groups {
        let (Some(with), Some(without)) = (with, without) else { continue };
        let cells: Vec<String> = [with.median, with.mean, without.median, without.mean].map(percent).into();
        let _ = writeln!(text, "| {name} | {} | {} | {lost} |", with.count, cells.join(" | "));
    }
}
