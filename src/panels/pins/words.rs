//! Texts of the comparison: the differences of two scenarios, and of their figures.

use crate::compare::Difference;
use crate::components::tile::Delta;
use engine::format;
use engine::model::report::Report;
use engine::scenario::pins::pin_letter;

/// Accessible name of the list.
pub const TITLE: &str = "Pinned scenarios";
/// Accessible name of the comparison.
pub const COMPARISON: &str = "Pinned runs and this run";
/// Label of the button that opens the comparison.
pub const COMPARE: &str = "Compare";
/// Text of the comparison while nothing is pinned.
pub const NOTHING_PINNED: &str = "Nothing is pinned. Pin this run, change it, and both stand here side by side.";
/// Heading of the column of the run on screen.
pub const THIS_RUN: &str = "This run";
/// Name of the row with the odds.
pub const ODDS: &str = "Odds to fit";
/// Name of the row with what a dollar trains.
pub const PER_DOLLAR: &str = "Tokens per $";
/// Label of the button that pins.
pub const PIN: &str = "Pin to compare";
/// Message if no further scenario can be pinned.
pub const FULL: &str = "Three are pinned, which is the most: remove one to pin another.";
/// Label of the button that puts a pinned scenario on screen.
pub const SWAP: &str = "Swap";
/// Label of the button that removes a pinned scenario.
pub const REMOVE: &str = "Remove";
/// Tooltip of the fold with the differences of a pinned scenario.
pub const DIFFERS: &str = "What differs";
/// Returns the short label of the button that pins: the start of its name.
pub fn short_pin(pinned: Option<usize>) -> String {
    pinned.map_or_else(|| "Pin".to_owned(), |place| format!("Pinned as {}", pin_letter(place)))
}

/// Returns the label of the button that pins, once the scenario is pinned.
pub fn pinned_as(place: usize) -> String {
    format!("Pinned as {}", pin_letter(place))
}

/// Returns the accessible name of a button that acts on a pinned scenario.
pub fn act_on(act: &str, place: usize) -> String {
    format!("{act} pinned scenario {}", pin_letter(place))
}

/// Returns the help of the button that swaps.
pub fn swap_help(place: usize) -> String {
    format!("Puts pinned scenario {0} on screen, and pins what is on screen as {0}", pin_letter(place))
}

/// Returns the differences of the headline figures from those of the first pinned scenario: MFU,
/// throughput, step time, memory needed. More memory is neither better nor worse, unless only one
/// of the two runs fits.
pub fn deltas(now: &Report, pinned: &Report) -> [Delta; 4] {
    // A step time is neither better nor worse if the batches differ.
    let comparable = now.tokens_per_step == pinned.tokens_per_step;
    let share = |now: f64, then: f64| 1e2 * (now / then - 1.0);
    let percent = |change: f64, up: bool| Delta::new(change, "%", up);
    let crosses = (now.fits() != pinned.fits()).then_some(now.fits());
    let memory = |change: f64| Delta { better: crosses, ..Delta::new(change, "GiB", true) };
    // A run that does not fit is neither faster nor slower.
    let both = now.fits() && pinned.fits();
    let neutral = |delta: Delta| Delta { better: delta.better.filter(|_| both), ..delta };
    let step = percent(share(now.whole().time.get(), pinned.whole().time.get()), false);
    [
        neutral(Delta::new(1e2 * (now.whole().mfu - pinned.whole().mfu), "points", true)),
        neutral(percent(share(now.whole().tokens_per_s_per_gpu, pinned.whole().tokens_per_s_per_gpu), true)),
        neutral(Delta { better: step.better.filter(|_| comparable), ..step }),
        memory(now.memory.needed.gib() - pinned.memory.needed.gib()),
    ]
}

/// Returns the two values of a difference, in words.
pub fn sides(Difference { here, there, .. }: &Difference, place: usize) -> String {
    format!("{here} on screen, {there} in {}", pin_letter(place))
}

/// Writes the tokens that a dollar trains; a dash without a price.
pub fn per_dollar(tokens: Option<f64>) -> String {
    tokens.map_or_else(|| "–".to_owned(), format::tokens)
}

/// Returns the ratio of a figure to another, in words: `same`, `half`, `twice`, `3 times`, `+12 %`.
///
/// ```
/// use shardwise::panels::pins::words::in_words;
///
/// let said = |now, then| in_words(now, then).replace('\u{2009}', " ");
/// assert_eq!([said(2.0, 1.0), said(1.0, 2.01), said(1.0, 3.0)], ["half", "twice", "3 times"]);
/// assert_eq!([said(1.0, 1.002), said(1.0, 1.12), said(1.0, 0.9)], ["same", "+12.0 %", "−10.0 %"]);
/// ```
pub fn in_words(now: f64, then: f64) -> String {
    let ratio = then / now;
    let is = |times: f64| (ratio / times - 1.0).abs() < ABOUT;
    if (ratio - 1.0).abs() < SAME {
        return "same".to_owned();
    }
    if is(0.5) {
        return "half".to_owned();
    }
    if is(2.0) {
        return "twice".to_owned();
    }
    if ratio >= 2.0 && ratio.is_finite() {
        let times = if is(ratio.round()) { format::count(ratio.round()) } else { format!("{ratio:.1}") };
        return format!("{times} times");
    }
    Delta::new(1e2 * (ratio - 1.0), "%", true).text
}

/// Relative tolerances: for two equal figures (`SAME`), and for a multiple (`ABOUT`).
const SAME: f64 = 0.005;
const ABOUT: f64 = 0.02;

/// Returns the limiter of the first pinned scenario, for a run with another limiter.
pub fn limiter(limiter: &str) -> Delta {
    Delta { text: format!("{}: {limiter}", pin_letter(0)), better: None, against: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn more_memory_is_neither_better_nor_worse_while_both_fit() {
        let report = |link: &str| decode(link).scenario.report();
        let here = "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=4096";
        let (selective, full) =
            (report(&[here, "&recompute=selective"].concat()), report(&[here, "&recompute=full"].concat()));
        assert!(selective.fits() && full.fits());
        let [_, _, _, needed] = deltas(&selective, &full);
        assert!(needed.text.starts_with('+') && needed.better.is_none(), "{needed:?}");
        // One run fits and the other does not.
        let long = report(&[here, "&recompute=none&seq=131072"].concat());
        let [_, _, _, needed] = deltas(&long, &full);
        assert_eq!((long.fits(), needed.better), (false, Some(false)));
        let [_, _, _, needed] = deltas(&full, &long);
        assert_eq!(needed.better, Some(true));
    }
}
