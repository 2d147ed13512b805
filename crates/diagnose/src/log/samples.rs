//! Reads the measurements of a log in one pass over its lines.

use super::patterns::{FIELDS, Field, PATTERNS, Writer};
use engine::stats::median;
use std::cell::LazyCell;

/// Values of each field, one per step, in the order of the log.
#[derive(Clone, Debug, Default)]
pub(super) struct Samples {
    of: [Vec<f64>; FIELDS],
    /// Step of each value, if the line has one.
    steps: [Vec<Option<u64>>; FIELDS],
}

/// Maximum length of a line; longer lines hold no measurements of a step.
const LONGEST_LINE: usize = 8000;
/// Maximum number of values kept per field.
const MOST: usize = 200_000;
/// Number of matching lines after which the log's writer is considered known.
const SURE: usize = 20;
/// Number of writers.
const WRITERS: usize = 17;

impl Samples {
    pub(super) fn get(&self, field: Field) -> &[f64] {
        self.of.get(field as usize).map_or(&[], Vec::as_slice)
    }

    fn push(&mut self, field: Field, value: f64, step: Option<u64>) {
        let place = field as usize;
        let (Some(figures), Some(steps)) = (self.of.get_mut(place), self.steps.get_mut(place)) else { return };
        if figures.len() < MOST {
            figures.push(value);
            steps.push(step);
        }
    }

    /// Merges values that several ranks report for one step: the maximum of memory, the median of
    /// everything else.
    fn merge_ranks(mut self) -> Self {
        let memory = [Field::Allocated, Field::Reserved].map(|field| field as usize);
        for (place, (figures, steps)) in self.of.iter_mut().zip(&self.steps).enumerate() {
            let most = |figures: &[f64]| figures.iter().copied().reduce(f64::max);
            let of_all = |figures: &[f64]| if memory.contains(&place) { most(figures) } else { median(figures) };
            let mut grouped: Vec<(Option<u64>, Vec<f64>)> = Vec::with_capacity(figures.len());
            for (figure, step) in figures.iter().zip(steps) {
                // Ranks are at most one step apart.
                let same = grouped.iter_mut().rev().take(2).find(|(other, _)| step.is_some() && other == step);
                match same {
                    Some((_, figures)) => figures.push(*figure),
                    None => grouped.push((*step, vec![*figure])),
                }
            }
            *figures = grouped.iter().filter_map(|(_, figures)| of_all(figures)).collect();
        }
        self
    }

    fn len(&self) -> usize {
        self.of.iter().map(Vec::len).sum()
    }
}

/// Reads a log and returns the values of the writer with the most matches.
pub(super) fn parse_samples(text: &str) -> Option<(Writer, Samples)> {
    let mut by_writer: [Samples; WRITERS] = Default::default();
    let mut sure: Option<Writer> = None;
    let mut seen = 0;
    for line in text.split(['\n', '\r']) {
        if line.len() > LONGEST_LINE || line.len() < 8 {
            continue;
        }
        let plain;
        let line = if line.contains('\u{1b}') {
            plain = without_colours(line);
            plain.as_str()
        } else {
            line
        };
        let Some(writer) = read_line(line, sure, &mut by_writer) else { continue };
        seen += 1;
        if seen == SURE {
            sure = by_writer.get(writer as usize).filter(|of| of.len() >= SURE).map(|_| writer);
        }
    }
    let best =
        WRITERS_IN_ORDER.into_iter().max_by_key(|writer| by_writer.get(*writer as usize).map_or(0, Samples::len))?;
    let samples = by_writer.get(best as usize).cloned()?.merge_ranks();
    (samples.len() > 0).then_some((best, samples))
}

/// Writers in ascending order of preference: for equal numbers of values, a later writer is taken.
pub(super) const WRITERS_IN_ORDER: [Writer; WRITERS] = [
    Writer::Progress,
    Writer::TorchPrime,
    Writer::NanoGpt,
    Writer::NanoChat,
    Writer::MaxText,
    Writer::Composer,
    Writer::MegatronBridge,
    Writer::Nemo,
    Writer::Torchtune,
    Writer::DeepSpeed,
    Writer::Nanotron,
    Writer::Megatron,
    Writer::Torchtitan,
    Writer::Transformers,
    Writer::Verl,
    Writer::Axolotl,
    Writer::Swift,
];

fn read_line(line: &str, sure: Option<Writer>, by_writer: &mut [Samples; WRITERS]) -> Option<Writer> {
    let mut found = None;
    let step = LazyCell::new(|| step(line));
    let mut fields = [false; FIELDS];
    for (name, writer, field, scale) in PATTERNS {
        if sure.is_some_and(|sure| sure != writer) || !is_its_line(line, writer) {
            continue;
        }
        let Some(at) = line.find(name) else { continue };
        let Some(value) = line.get(at + name.len()..).and_then(|rest| number(rest, writer)) else { continue };
        let taken = fields.get_mut(field as usize)?;
        if value > 0.0 && value.is_finite() && !core::mem::replace(taken, true) {
            by_writer.get_mut(writer as usize)?.push(field, value * scale, *step);
            found = Some(writer);
        }
    }
    let may_be_progress = found.is_none() && sure.is_none_or(|sure| sure == Writer::Progress);
    if let Some(seconds) = may_be_progress.then(|| progress(line)).flatten() {
        by_writer.get_mut(Writer::Progress as usize)?.push(Field::Seconds, seconds, None);
        found = Some(Writer::Progress);
    }
    found
}

/// Returns whether a line has the format of a writer; names that are plain words need more context.
fn is_its_line(line: &str, writer: Writer) -> bool {
    match writer {
        Writer::Torchtitan => line.contains("tps: ") || line.contains("wps: "),
        Writer::Nanotron => line.contains("time_per_iteration_ms: "),
        Writer::MaxText => line.contains("completed step: "),
        Writer::NanoChat => line.starts_with("step ") && line.contains("| tok/sec: "),
        Writer::NanoGpt => line.starts_with("iter ") && line.contains(": loss "),
        _ => true,
    }
}

/// Reads the number at the start of a text, with thousands separators and an optional unit:
/// `5,615`, `11.5K`, `561.94ms`.
fn number(text: &str, writer: Writer) -> Option<f64> {
    let text = text.trim_start_matches([' ', '\'', '"', ':', '=']);
    if writer == Writer::TorchPrime
        && let Some(seconds) = clock(text)
    {
        return Some(seconds);
    }
    let is_of_number = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '-' | '+' | 'e' | 'E');
    let end = text.find(|letter: char| !is_of_number(letter)).unwrap_or(text.len());
    let digits = text.get(..end)?.trim_end_matches([',', '.', 'e', 'E', '-', '+']);
    if digits.is_empty() || digits.len() > 32 {
        return None;
    }
    let value: f64 = if digits.contains(',') { digits.replace(',', "").parse().ok()? } else { digits.parse().ok()? };
    let unit = text.get(digits.len()..).unwrap_or_default().trim_start();
    let scale = match writer {
        Writer::Nanotron => match unit.chars().next() {
            Some('K') => 1e3,
            Some('M') => 1e6,
            Some('G') => 1e9,
            Some('T') => 1e12,
            _ => 1.0,
        },
        Writer::NanoGpt if unit.starts_with("ms") => 1e-3,
        _ => 1.0,
    };
    Some(value * scale)
}

/// Parses a time as Python prints it, in seconds: `0:00:02.510000`.
fn clock(text: &str) -> Option<f64> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, ':' | '.'));
    let mut parts = text.get(..end.unwrap_or(text.len()))?.splitn(3, ':');
    let mut part = || parts.next()?.parse::<f64>().ok();
    Some(3600.0 * part()? + 60.0 * part()? + part()?)
}

/// Text before the number of a step.
const STEPS: [&str; 6] = ["iteration:", "iteration ", "global_step/max_steps", "step:", "step ", "iter "];

/// Returns the step number of a line.
fn step(line: &str) -> Option<u64> {
    STEPS.iter().find_map(|name| {
        let rest = line.get(line.find(name)? + name.len()..)?.trim_start_matches([' ', '\'', '"', ':']);
        rest.get(..rest.find(|letter: char| !letter.is_ascii_digit())?)?.parse().ok()
    })
}

/// Returns the seconds per iteration in tqdm's progress bar: `812/812 [1:26:02<00:00,  6.36s/it]`.
fn progress(line: &str) -> Option<f64> {
    let rate = line.get(line.rfind('[')?..)?;
    let rate = rate.get(rate.find(',')? + 1..)?.trim_start();
    let end = rate.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
    let value: f64 = rate.get(..end)?.parse().ok()?;
    let unit = rate.get(end..)?;
    match unit {
        _ if value <= 0.0 => None,
        _ if unit.starts_with("s/it") => Some(value),
        _ if unit.starts_with("it/s") => Some(1.0 / value),
        _ => None,
    }
}

/// Removes color escape sequences from a line.
fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            plain.push(letter);
        } else if letters.next() == Some('[') {
            letters.find(char::is_ascii_alphabetic);
        }
    }
    plain
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn what_ranks_say_of_one_step_is_one_figure() {
        let line = |step: u32, rank: u32| format!("[rank{rank}]: step: {step}  loss: 9  tps: {}", 1000 * step + rank);
        // The third rank is one step behind.
        let order = [(1, 0), (1, 1), (2, 0), (1, 2), (2, 1), (3, 0), (2, 2), (3, 1), (3, 2)];
        let text: Vec<String> = order.into_iter().map(|(step, rank)| line(step, rank)).collect();
        let (writer, samples) = parse_samples(&text.join("\n")).unwrap();
        assert_eq!((writer, samples.get(Field::Tokens)), (Writer::Torchtitan, &[1001.0, 2001.0, 3001.0][..]));
    }

    #[test]
    fn numbers_are_read_with_what_stands_behind_them() {
        assert_eq!(number("5,615  tflops", Writer::Torchtitan), Some(5615.0));
        assert_eq!(number("11.5K | tok", Writer::Nanotron), Some(11_500.0));
        assert!((number(" 561.94ms", Writer::NanoGpt).unwrap() - 0.56194).abs() < 1e-12);
        assert_eq!(number("1e-05 |", Writer::Megatron), Some(1e-5));
        assert_eq!(number("nan", Writer::Megatron), None);
        assert_eq!(number("                = 0:01:02.500000", Writer::TorchPrime), Some(62.5));
        assert_eq!(number("': '7.2'}", Writer::Swift), Some(7.2));
        assert_eq!(step("[rank3]:[titan] root - INFO - step: 10  loss: 1"), Some(10));
        assert_eq!(step("{'global_step/max_steps': '20/100', 'memory(GiB)': 17.2}"), Some(20));
        assert_eq!(progress("100%|████| 812/812 [1:26:02<00:00,  6.36s/it]"), Some(6.36));
        assert_eq!(progress("  5%|█ | 3/60 [00:02<00:20,  2.00it/s]"), Some(0.5));
        assert_eq!(progress("[a, b]"), None);
        assert_eq!(without_colours("\u{1b}[31mstep\u{1b}[39m: 1"), "step: 1");
    }
}
