//! The section on the accuracy of predictions from typed columns alone.

use std::fmt::Write as _;

use super::{line, percent};
use crate::summary::Entry;
use crate::words::{self, Both};

/// Writes the errors of the step time by link and by typed columns.
pub(super) fn section(text: &mut String, dense: &[&Entry], mixtures: &[&Entry], tuned: &[&Entry], silicon: &[&Entry]) {
    line(text, "\n## By typed columns alone\n");
    line(
        text,
        "The same rows read by their typed columns in place of their links, as a row of a user's own table is: step time, median and \
         mean error.\n",
    );
    line(text, "| Rows | Read both ways | By link, median | Mean | By columns, median | Mean | Not read |");
    line(text, "|---|---:|---:|---:|---:|---:|---:|");
    let fast = dense.iter().filter(|entry| entry.is_fast() == Some(true)).copied();
    let groups = [
        ("Dense, MFU of 20 % or more", words::both(fast)),
        ("Mixtures of experts", words::both(mixtures.iter().copied())),
        ("Fine-tuning", words::both(tuned.iter().copied())),
        ("Other silicon and MLPerf", words::both(silicon.iter().copied())),
    ];
    for (name, Both { with, without, lost }) in groups {
        let (Some(with), Some(without)) = (with, without) else { continue };
        let cells: Vec<String> = [with.median, with.mean, without.median, without.mean].map(percent).into();
        let _ = writeln!(text, "| {name} | {} | {} | {lost} |", with.count, cells.join(" | "));
    }
}
