//! Findings as sentences. One run is described whole; of several, each finding is a line.

use super::super::fix::Mended;
use super::super::judge::Judged;
use crate::read::{coded, text};
use crate::table::{lines, plain};

pub(super) fn printed(runs: &[Judged], written: &[Mended]) -> String {
    let said: String = written.iter().map(|mended| mended.said.as_str()).collect();
    match runs {
        [one] => alone(one) + &said,
        several => listed(several) + &said + &summary(several),
    }
}

/// Describes a run whole.
fn alone(run: &Judged) -> String {
    match &run.verdict {
        Err(problem) => format!("{problem}\n"),
        Ok(verdict) => {
            let more = (verdict.more > 0).then(|| format!("{}: --suggest.", suggestions(verdict.more)));
            text(&verdict.brought) + &lines(more.into_iter())
        }
    }
}

/// Lists the findings of several runs.
fn listed(runs: &[Judged]) -> String {
    let of_run = |run: &Judged| -> Vec<String> {
        match &run.verdict {
            Err(problem) => vec![format!("{}: {problem}", run.name())],
            Ok(verdict) => {
                let place = |file: &str, line: Option<usize>| {
                    let file = if file.is_empty() { run.name() } else { file };
                    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
                };
                let found = verdict.brought.offers.iter();
                found.map(|finding| format!("{}: {}", place(&finding.file, finding.line), coded(finding))).collect()
            }
        }
    };
    plain(&lines(runs.iter().flat_map(of_run)))
}

/// Counts what was found.
fn summary(runs: &[Judged]) -> String {
    let found: usize = runs.iter().map(|run| run.findings().len()).sum();
    let wrong = runs.iter().filter(|run| !run.findings().is_empty()).count();
    let unjudged = runs.iter().filter(|run| run.verdict.is_err()).count();
    let more: usize = runs.iter().filter_map(|run| run.verdict.as_ref().ok()).map(|verdict| verdict.more).sum();
    let mut parts = vec![format!("{} runs: {wrong} with findings ({found})", runs.len())];
    parts.extend((unjudged > 0).then(|| format!("{unjudged} without a verdict")));
    parts.extend((more > 0).then(|| format!("{} with --suggest", suggestions(more))));
    parts.join("; ") + ".\n"
}

fn suggestions(number: usize) -> String {
    format!("{number} more {}", if number == 1 { "suggestion" } else { "suggestions" })
}
