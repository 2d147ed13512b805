//! Writes the sections on the share of steps and peaks inside the range of their prediction.

use std::fmt::Write as _;

use super::line;
use crate::coverage::{self, Covered, Residual};
use crate::summary::Entry;
use catalog::accuracy::StepKind;

/// Writes the tables by kind and by silicon.
pub(super) fn section<'a>(text: &mut String, entries: impl Iterator<Item = &'a Entry>) {
    let residuals = coverage::residuals(entries);
    line(text, "\n## The range of the step time\n");
    line(
        text,
        "Measured steps of any MFU inside the range of their prediction; and inside the range from the 10th to the \
         90th percentile of their kind's other sources (\"held out\"; - for fewer than eight such rows):\n",
    );
    line(text, "| Steps of | Rows | Sources | Range | Inside | Held out, inside |");
    line(text, "|---|---:|---:|---:|---:|---:|");
    for (kind, covered) in coverage::by(&residuals, |residual| residual.kind) {
        let band = kind.band();
        let wider = if kind == StepKind::DataSheet { " or wider" } else { "" };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} to {:.2}{wider} | {} |",
            kind.name(),
            covered.rows,
            covered.sources,
            band.low,
            band.high,
            shares(covered)
        );
    }
    by_silicon(text, &residuals);
}

/// Writes the tables of peaks.
pub(super) fn peaks<'a>(text: &mut String, entries: impl Iterator<Item = &'a Entry>) {
    let residuals = coverage::peaks(entries);
    line(text, "\n## The range of the peak memory\n");
    line(text, "Measured peaks inside the range of their prediction, counted in the same way:\n");
    line(text, "| Peaks of | Rows | Sources | Range | Inside | Held out, inside |");
    line(text, "|---|---:|---:|---:|---:|---:|");
    for (kind, covered) in coverage::by(&residuals, |residual| residual.kind) {
        let Some(band) = residuals.iter().find(|residual| residual.kind == kind).map(|of| of.band) else { continue };
        let Covered { rows, sources, .. } = covered;
        let (name, range) = (kind.name(), format!("{:.2} to {:.2}", band.low, band.high));
        let _ = writeln!(text, "| {name} | {rows} | {sources} | {range} | {} |", shares(covered));
    }
    by_silicon(text, &residuals);
}

/// Writes the table by silicon.
fn by_silicon<K: Copy + Ord>(text: &mut String, residuals: &[Residual<K>]) {
    line(text, "\nThe same rows:\n");
    line(text, "| Silicon | Rows | Sources | Inside | Held out, inside |");
    line(text, "|---|---:|---:|---:|---:|");
    for (generation, covered) in coverage::by(residuals, |residual| residual.generation) {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            generation.boards(),
            covered.rows,
            covered.sources,
            shares(covered)
        );
    }
    for ((), covered) in coverage::by(residuals, |_| ()) {
        let _ = writeln!(text, "| All | {} | {} | {} |", covered.rows, covered.sources, shares(covered));
    }
}

/// Formats the two shares as two cells.
fn shares(covered: Covered) -> String {
    let percent = |share: f64| format!("{:.0} %", 1e2 * share);
    let held_out = if covered.held_out == 0 { "-".to_owned() } else { percent(covered.held_out_inside) };
    format!("{} | {held_out}", percent(covered.inside))
}
