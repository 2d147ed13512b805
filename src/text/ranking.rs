//! The words of the ranking: every way to lay out this batch on this cluster.

use charts::names;
use engine::analysis::search::{Ranking, Way};
use engine::format;
use engine::model::report::Report;
use engine::units::Seconds;

/// The heading.
pub const TITLE: &str = "Best layouts on this cluster";
/// The heading of each column.
pub const HEADER: [&str; 7] = ["Layout", "Micro-batch", "Recompute", "MFU", "Step time", "Peak memory", "Speed"];
/// Before the search.
pub const WAITING: &str = "The search begins once the scenario stands still.";
/// Under the table.
pub const NOTE: &str = "Same model, sequence length, precision, GPUs and tokens a step; strategies, degrees, micro-batches and recomputation vary, one \
     row a kind. Rows within a few percent of each other are within the error of the engine: try the simpler one.";

/// What is being done: `Trying 12,000 of 20,160 combinations …`.
pub fn trying(ranking: &Ranking) -> String {
    let [tried, all] = [ranking.tried(), ranking.len()].map(|count| format::count(count as f64));
    format!("Trying {tried} of {all} combinations …")
}

/// The finding; `now` is the report of the scenario on screen.
pub fn caption(now: &Report, ranking: &Ranking) -> String {
    let all = format::count(ranking.len() as f64);
    let Some(best) = ranking.best().first() else {
        return format!("None of {all} combinations fits: the step needs more memory, more GPUs, or less to do.");
    };
    let fitting = format::count(ranking.fitting() as f64);
    let of = format!("Of {all} combinations {fitting} come out even and fit");
    let gain = speed(now.time.step, best.report.time.step);
    if !now.fits() {
        let mfu = format::percent(best.report.mfu);
        format!("{of}; the fastest reaches {mfu} MFU: {}.", names::layout(&best.scenario))
    } else if gain.as_str() == EVEN {
        format!("{of}; none is faster than the scenario on screen by a hundredth.")
    } else {
        format!(
            "{of}; the fastest takes a step {gain} as fast as the scenario on screen: {}.",
            names::layout(&best.scenario)
        )
    }
}

/// The cells of one row after its name.
pub fn cells(way: &Way, now: Seconds) -> [String; 6] {
    let Way { scenario, report } = way;
    let steps = format::count(f64::from(scenario.grad_accum_steps));
    [
        format!("{} × {steps}", scenario.micro_batch_size),
        names::recompute(scenario).to_owned(),
        format::percent(report.mfu),
        format::seconds(report.time.step),
        format::bytes(report.memory.peak),
        speed(now, report.time.step),
    ]
}

/// As fast as now.
const EVEN: &str = "1.00×";

/// How many times as fast.
fn speed(now: Seconds, then: Seconds) -> String {
    format!("{:.2}", now / then) + "×"
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::scenario::Scenario;
    use engine::share::decode;

    fn ranked(scenario: &Scenario) -> Ranking {
        let mut ranking = Ranking::new(scenario);
        ranking.advance(usize::MAX);
        ranking
    }

    #[test]
    fn the_finding_names_the_best_and_how_much_faster_it_is() {
        let best = decode("").scenario;
        let words = caption(&best.report(), &ranked(&best));
        assert!(words.ends_with("none is faster than the scenario on screen by a hundredth."), "{words}");

        let slow = decode("recompute=full").scenario;
        let words = caption(&slow.report(), &ranked(&slow));
        assert!(words.contains("× as fast as the scenario on screen: FSDP FULL_SHARD."), "{words}");

        let large = decode("cluster=dgx-h100&model=llama-3-70b&gpus=64&seq=8k&accum=4").scenario;
        let words = caption(&large.report(), &ranked(&large));
        assert!(words.contains("MFU: FSDP FULL_SHARD, tp 2."), "{words}");

        let hopeless = decode("model=llama-3.1-405b&gpus=4&seq=8k").scenario;
        assert!(caption(&hopeless.report(), &ranked(&hopeless)).starts_with("None of "));
    }

    #[test]
    fn a_row_has_a_cell_for_each_column() {
        let scenario = decode("").scenario;
        let ranking = ranked(&scenario);
        let row = cells(&ranking.best()[0], scenario.report().time.step);
        assert_eq!(row.len() + 1, HEADER.len());
        assert_eq!(row[5], EVEN);
    }
}
