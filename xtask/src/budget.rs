//! Compares the time of a step with its budget, and tells whether the machine was idle besides.
//!
//! Linux counts the time of all processors in `/proc/stat`, and that of the step's processes in
//! `/proc/self/stat`; elsewhere nothing is known and no time is a failure.

use std::time::Instant;

/// Share of the processors that others may use on an idle machine.
const OTHERS: f64 = 0.1;

/// A step takes more than its budget of seconds by this factor before it is a failure: machines
/// differ, and the first run downloads.
const TOLERANCE: f64 = 2.0;

/// Judgement about the time of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Within the budget.
    Within,
    /// Over the budget: worth a warning.
    Over,
    /// Far over the budget, on a machine that did nothing else: a failure.
    Failed,
}

/// Start of a step.
#[derive(Debug)]
pub struct Watch {
    start: Instant,
    /// Ticks of all processors, and of this process with its children.
    ticks: Option<(u64, u64)>,
}

impl Watch {
    /// Starts.
    pub fn start() -> Self {
        Self { start: Instant::now(), ticks: ticks() }
    }

    /// Returns the seconds since the start, and the judgement about them.
    pub fn stop(&self, budget: u64) -> (f64, Verdict) {
        let seconds = self.start.elapsed().as_secs_f64();
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
        let others = self.ticks.zip(ticks()).map(|((all, own), (all_now, own_now))| {
            let ticks = (all_now - all).saturating_sub(own_now - own);
            ticks as f64 / PER_SECOND / (seconds * cores)
        });
        (seconds, judged(seconds, budget as f64, others))
    }
}

/// Judges a time by its budget and the share of the processors that others used, if it is known.
fn judged(seconds: f64, budget: f64, others: Option<f64>) -> Verdict {
    let is_idle = others.is_some_and(|others| others < OTHERS);
    if seconds <= budget {
        Verdict::Within
    } else if is_idle && seconds > TOLERANCE * budget {
        Verdict::Failed
    } else {
        Verdict::Over
    }
}

/// Ticks in a second, which Linux fixes for these files.
const PER_SECOND: f64 = 100.0;

fn ticks() -> Option<(u64, u64)> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    Some((busy(&read("/proc/stat")?)?, own(&read("/proc/self/stat")?)?))
}

/// Returns the ticks in which the processors were not idle, of the first line of `/proc/stat`:
/// user, nice, system, idle, iowait, irq, softirq, steal.
fn busy(stat: &str) -> Option<u64> {
    let ticks: Vec<u64> =
        stat.lines().next()?.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    match ticks.as_slice() {
        [user, nice, system, _, _, irq, softirq, steal, ..] => Some(user + nice + system + irq + softirq + steal),
        _ => None,
    }
}

/// Returns the ticks of a process and of its ended children, of `/proc/self/stat`: user, system,
/// and both of the children, the 14th to the 17th field.
fn own(stat: &str) -> Option<u64> {
    // The second field is a name in brackets, which may have blanks.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    fields.map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_idle_machine_fails_and_only_far_over_the_budget() {
        for (seconds, others, verdict) in [
            (10.0, Some(0.0), Verdict::Within),
            (15.0, Some(0.0), Verdict::Over),
            (21.0, Some(0.05), Verdict::Failed),
            (21.0, Some(0.3), Verdict::Over),
            (99.0, None, Verdict::Over),
        ] {
            assert_eq!(judged(seconds, 10.0, others), verdict, "{seconds} s, {others:?}");
        }
    }

    #[test]
    fn ticks_are_read() {
        assert_eq!(busy("cpu  10 1 5 900 3 0 2 4 0 0\ncpu0 1"), Some(22));
        assert_eq!(own("7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 1 2 30 40 20 0"), Some(73));
        assert_eq!(own("7 nothing"), None);
    }
}
