//! Writes the score as Markdown tables for the documentation.

mod constants;
mod coverage;
mod ledger;
mod mixtures;
mod odds;
mod silicon;
pub mod strangers;
mod tuned;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::collectives::Collective;
use super::library_step::LibraryStep;
use super::linked::Set;
use super::pairs;
use super::summary::{self, Confusion, Entry, Score};
use super::traced::Traced;
use super::traced::score::{self as step_score, Compared};
use super::tracker::{Categories, Tracked};
use engine::stats::{self, Errors};

/// Writes the whole report. For dense models: step times and memory by source, runs that succeeded
/// and failed, hybrid against full sharding, categories of the memory tracker, traced steps, traced
/// steps of models with state mixers, collectives, and rows left out. Followed by mixtures of
/// experts, fine-tuning, other silicon, the share of steps inside the range of their prediction,
/// and the share of runs that ran by predicted odds.
pub fn report<'a>(
    entries: impl IntoIterator<Item = &'a Entry>,
    tracked: &[Tracked],
    traced: &[Traced],
    hybrid: &[LibraryStep],
    collectives: &[Collective],
) -> String {
    let (silicon, entries): (Vec<&Entry>, Vec<&Entry>) =
        entries.into_iter().partition(|entry| entry.set() == Set::Silicon);
    let (tuned, others): (Vec<&Entry>, Vec<&Entry>) = entries.into_iter().partition(|entry| entry.is_fine_tuned());
    let (mixtures, dense): (Vec<&Entry>, Vec<&Entry>) = others.into_iter().partition(|entry| entry.is_mixture());
    let mut text = String::new();
    by_source(&mut text, &dense);
    ledger::section(&mut text, &dense);
    verdicts(&mut text, &dense);
    tracker(&mut text, tracked);
    steps(&mut text, traced);
    hybrids(&mut text, hybrid);
    network(&mut text, collectives);
    left_out(&mut text, &dense);
    mixtures::section(&mut text, &mixtures);
    tuned::section(&mut text, &tuned);
    silicon::section(&mut text, &silicon);
    let all = dense.iter().chain(&mixtures).chain(&tuned).chain(&silicon).copied();
    constants::section(&mut text);
    coverage::section(&mut text, all.clone());
    coverage::peaks(&mut text, all.clone());
    odds::section(&mut text, all.clone());
    by_accelerator(&mut text, all);
    text
}

/// Writes the accuracy on each accelerator, including fine-tuning and mixtures.
fn by_accelerator<'a>(text: &mut String, entries: impl Iterator<Item = &'a Entry>) {
    line(text, "\n## By accelerator\n");
    line(text, "Every row with a measured step time or peak, including mixtures and fine-tuning:\n");
    line(text, "| Accelerator | Runs | Steps of 20 % MFU or more | Median error | Peaks | Median error | Fitted |");
    line(text, "|---|---:|---:|---:|---:|---:|---|");
    let cells = |errors: Option<Errors>| {
        errors.map_or("0 | -".to_owned(), |of| format!("{} | {}", of.count, percent(of.median)))
    };
    for (id, of) in super::by_accelerator::measured(entries) {
        let Some(entry) = catalog::accelerator(id) else { continue };
        let fitted = if entry.values.generation.is_fitted() { "yes" } else { "no" };
        let _ =
            writeln!(text, "| {} | {} | {} | {} | {fitted} |", entry.name, of.runs, cells(of.steps), cells(of.peaks));
    }
}

fn percent(value: f64) -> String {
    format!("{:.1} %", 1e2 * value)
}

fn optional(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or("-".to_owned(), format)
}

/// Formats the number of rows and the median, mean and signed error as four cells.
fn errors(errors: Option<Errors>) -> String {
    errors.map_or("- | - | - | -".to_owned(), |errors| {
        format!(
            "{} | {} | {} | {:+.1} %",
            errors.count,
            percent(errors.median),
            percent(errors.mean),
            1e2 * errors.signed
        )
    })
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn by_source(text: &mut String, entries: &[&Entry]) {
    let mut scores: Vec<(String, Score)> = Vec::new();
    for (source, score) in summary::by_source(entries.iter().copied()) {
        scores.push((source.to_owned(), score));
    }
    scores.push(("All".to_owned(), summary::score(entries.iter().copied())));
    line(text, "Step time at a measured MFU of 20 % or more:\n");
    line(text, "| Source | Rows | Median error | Mean error | Signed | In the band |");
    line(text, "|---|---:|---:|---:|---:|---:|");
    for (source, score) in scores.iter().filter(|(_, score)| score.fast.is_some()) {
        let inside = optional(score.step_inside, |share| format!("{:.0} %", 1e2 * share));
        let _ = writeln!(text, "| {source} | {} | {inside} |", errors(score.fast));
    }
    line(text, "\nStep time at a measured MFU below 20 %:\n");
    line(text, "| Source | Rows | Median error | Mean error | Signed | Rank correlation |");
    line(text, "|---|---:|---:|---:|---:|---:|");
    for (source, score) in scores.iter().filter(|(_, score)| score.slow.is_some()) {
        let ranks = optional(score.slow_ranks, |ranks| format!("{ranks:.2}"));
        let _ = writeln!(text, "| {source} | {} | {ranks} |", errors(score.slow));
    }
    line(text, "\nPeak memory:\n");
    line(text, "| Source | Rows | Median error | Mean error | Signed | In the band |");
    line(text, "|---|---:|---:|---:|---:|---:|");
    for (source, score) in scores.iter().filter(|(_, score)| score.memory.is_some()) {
        let inside = optional(score.memory_inside, |share| format!("{:.0} %", 1e2 * share));
        let _ = writeln!(text, "| {source} | {} | {inside} |", errors(score.memory));
    }
}

fn verdicts(text: &mut String, entries: &[&Entry]) {
    let c: Confusion = summary::score(entries.iter().copied()).confusion;
    line(text, "\nFits or out of memory:\n");
    line(text, "| | Predicted to fit | Predicted out of memory |");
    line(text, "|---|---:|---:|");
    let _ = writeln!(text, "| Ran | {} | {} |", c.ran_fits, c.ran_does_not);
    let _ = writeln!(text, "| Failed | {} | {} |", c.failed_fits, c.failed_does_not);
    let signs = pairs::hybrid_against_full(entries.iter().copied());
    let _ = writeln!(
        text,
        "\nHybrid against full sharding, pairs that differ by more than 5 %: the sign is right in {} of {}.",
        signs.right, signs.all
    );
}

fn tracker(text: &mut String, tracked: &[Tracked]) {
    if tracked.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\nPyTorch's FSDP2 memory tracker, {} runs, bytes at the peak by its categories:\n",
        tracked.len()
    );
    line(text, "| Category | Share of the total | Median error of the total | Worst |");
    line(text, "|---|---:|---:|---:|");
    let names: Vec<&str> = Categories::default().iter().map(|(name, _)| name).collect();
    for name in names {
        let of = |categories: &Categories| {
            categories.iter().find(|(known, _)| *known == name).map_or(0.0, |(_, bytes)| bytes)
        };
        let share = |run: &Tracked| of(&run.measured) / run.measured.total;
        let error = |run: &Tracked| (of(&run.predicted()) - of(&run.measured)).abs() / run.measured.total;
        let shares: Vec<f64> = tracked.iter().map(share).collect();
        let errors: Vec<f64> = tracked.iter().map(error).collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            name.trim_end_matches("_bytes").replace('_', " "),
            optional(stats::mean(&shares), percent),
            optional(stats::median(&errors), percent),
            percent(worst)
        );
    }
}

fn steps(text: &mut String, traced: &[Traced]) {
    if traced.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{} training steps traced tensor by tensor: error of the bytes allocated at the peak, and of those reserved \
         in a simulation of PyTorch's allocator, with segments of fixed size and expandable ones; and the rows whose \
         peak has the same moment and operator as the trace:\n",
        traced.len()
    );
    line(
        text,
        "| Source | Rows | Allocated, median | Worst | Reserved, median | Worst | Expandable, median | Worst | Moment |",
    );
    line(text, "|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let compared: Vec<Compared> = traced.iter().map(Compared::compare).collect();
    for (source, score) in step_score::by_source(&compared) {
        let errors: Vec<String> = [score.allocated, score.reserved, score.expandable]
            .map(|spread| format!("{} | {}", percent(spread.errors.median), percent(spread.worst)))
            .into();
        let _ = writeln!(text, "| {source} | {} | {} | {} |", score.rows, errors.join(" | "), percent(score.agree));
    }
}

fn hybrids(text: &mut String, rows: &[LibraryStep]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{} training steps of models with state mixers, Hugging Face's own code without kernels for them, traced tensor by tensor: error \
         of the bytes allocated at the peak, by the closed form:\n",
        rows.len()
    );
    line(text, "| Model | Rows | Allocated, median | Signed | Worst |");
    line(text, "|---|---:|---:|---:|---:|");
    let mut models: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for row in rows {
        models.entry(&row.model).or_default().push(row.error());
    }
    let all: Vec<f64> = rows.iter().map(LibraryStep::error).collect();
    for (name, errors) in models.into_iter().chain([("All", all)]) {
        let worst = errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
        let Errors { median, signed, .. } = Errors::from_errors(&errors).unwrap_or_default();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            errors.len(),
            percent(median),
            percent(signed),
            percent(worst)
        );
    }
}

fn network(text: &mut String, collectives: &[Collective]) {
    if collectives.is_empty() {
        return;
    }
    line(text, "\nBus bandwidth of collectives:\n");
    line(text, "| Collective | Rows | Median error | Mean error | Signed |");
    line(text, "|---|---:|---:|---:|---:|");
    let mut kinds: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for collective in collectives {
        kinds.entry(&collective.name).or_default().push(collective.error());
    }
    let all: Vec<f64> = collectives.iter().map(Collective::error).collect();
    for (name, of_kind) in kinds.into_iter().chain([("All", all)]) {
        let _ = writeln!(text, "| {} | {} |", name.replace('_', "-"), errors(Errors::from_errors(&of_kind)));
    }
}

fn left_out(text: &mut String, entries: &[&Entry]) {
    let score = summary::score(entries.iter().copied());
    let _ = writeln!(text, "\n{} of {} rows are used. Reasons to leave out the others:\n", score.used, score.rows);
    for (reason, count) in &score.left_out {
        let _ = writeln!(text, "- {reason} ({count})");
    }
}
