//! The section on the odds that a run fits.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::line;
use crate::odds::curves::Curves;
use crate::odds::middle::middles;
use crate::odds::outcome::{Outcome, outcomes};
use crate::odds::reliability::{self, Tenth};
use crate::summary::Entry;
use engine::model::odds::{PeakKind, SURE};

/// Writes the curve of each kind, and the outcomes of runs by tenths of their odds.
pub(super) fn section<'a>(text: &mut String, entries: impl IntoIterator<Item = &'a Entry> + Clone) {
    let (outcomes, middles) = (outcomes(entries.clone()), middles(entries));
    if outcomes.is_empty() {
        return;
    }
    let curves = Curves::fit(&outcomes, &middles);
    line(text, "\n## The odds that a run fits\n");
    line(
        text,
        "Outcomes are from sources that also report failures. The last columns are GPU memory over predicted need: \
         below the first, fewer than half of such runs fit, and the verdict is that a run does not; from the second \
         on, it fits:\n",
    );
    line(text, "| Runs of | Ran | Failed | Half fit | Fits from |");
    line(text, "|---|---:|---:|---:|---:|");
    let mut counts: BTreeMap<PeakKind, [usize; 2]> = BTreeMap::new();
    for Outcome { kind, ran, .. } in &outcomes {
        let [of_ran, of_failed] = counts.entry(*kind).or_default();
        *(if *ran { of_ran } else { of_failed }) += 1;
    }
    // Runs with small memory use have the odds of their stack.
    for (kind, curve) in curves.of.iter().filter(|(kind, _)| **kind != PeakKind::Small) {
        let [ran, failed] = counts.get(kind).copied().unwrap_or_default();
        // The smallest room that reaches the odds, in steps of 0.01.
        let sure = (1..1000).map(|step| f64::from(step) / 1e2).find(|room| curve.odds(*room) >= SURE);
        let sure = sure.unwrap_or(f64::NAN);
        let (name, half) = (kind.name(), curve.half);
        let _ = writeln!(text, "| {name} | {ran} | {failed} | {half:.2} | {sure:.2} |");
    }
    let _ = writeln!(
        text,
        "\nIn sources without the cause of a failure, {:.1} % of the runs failed for another reason than memory, \
         according to the fit. Predicted odds and actual outcomes, by these curves, and of each half of the rows by \
         the curves of the other half:\n",
        1e2 * (1.0 - curves.others)
    );
    line(text, "| Odds | Runs | Ran | Share | Predicted | Held out, runs | Ran | Share | Predicted |");
    line(text, "|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let (all, held_out) = (reliability::by_tenth(&outcomes, &curves), reliability::held_out(&outcomes, &middles));
    for (place, (own, other)) in all.iter().zip(&held_out).enumerate() {
        let _ = writeln!(text, "| {} to {} % | {} | {} |", 10 * place, 10 * (place + 1), cells(own), cells(other));
    }
}

/// Formats a tenth as four cells.
fn cells(of: &Tenth) -> String {
    if of.runs == 0 {
        return "0 | 0 | - | -".to_owned();
    }
    format!("{} | {} | {:.0} % | {:.0} %", of.runs, of.ran, 1e2 * of.share(), 1e2 * of.mean_odds())
}
