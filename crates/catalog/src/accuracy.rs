//! Accuracy of predictions: the measured range shown next to each prediction
//! (docs/book/accuracy.md).

mod kind;
mod peak_range;
mod recorded;
mod stack;
mod whole;

pub use kind::StepKind;
pub use stack::Stack;
pub use whole::Fit;

use engine::model::anchor::Anchor;
use engine::model::hardware::Generation;
use engine::model::report::Report;
use engine::scenario::Scenario;

/// The range around a prediction: 80 % of the measured rows to which no constant was fitted lie
/// between `low` and `high` times the predicted value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Lower end over the prediction, below 1.
    pub low: f64,
    /// Upper end over the prediction, above 1.
    pub high: f64,
}

/// Accuracy of the engine against published measurements; errors are in percent
/// (docs/book/accuracy.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Number of published steps that the hardware limits.
    pub steps: &'static str,
    /// Median error of the time of these steps.
    pub step_time: &'static str,
    /// Median error of these steps with each source held out of the fit in turn
    /// (`examples/calibrate`).
    pub held_out: &'static str,
    /// Median error of published peaks of memory.
    pub peak_memory: &'static str,
    /// Median error of the bytes at the peak, against PyTorch's memory tracker.
    pub tracker: &'static str,
    /// Median error of the time of published steps of mixtures of experts.
    pub mixtures: &'static str,
}

/// Current accuracy, shown on the page.
pub const REACHED: Reached =
    Reached { steps: "1,271", step_time: "5.0", held_out: "5.7", peak_memory: "4.1", tracker: "0.2", mixtures: "9.3" };

/// MFU above which the hardware limits a step; below, the host and the framework do.
pub const FAST_MFU: f64 = 0.2;

/// Published runs on one accelerator that the engine is compared with; errors are in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The accelerator, by its identifier in the catalog.
    pub accelerator: &'static str,
    /// Runs whose step time or peak memory is measured.
    pub runs: u32,
    /// Number of these runs whose step time the hardware limits.
    pub steps: u32,
    /// Median error of the time of these steps; `None` if there are none.
    pub step_error: Option<f64>,
    /// Runs whose peak memory is measured.
    pub peaks: u32,
    /// Median error of these peaks; `None` if there are none.
    pub peak_error: Option<f64>,
}

/// Evidence that predictions for an accelerator rest on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// Published runs on it.
    Runs(&'static Measured),
    /// No runs on it, but runs on other accelerators of its silicon, of which this one has most.
    SameSilicon(&'static Measured),
    /// Its data sheet alone.
    DataSheet,
}

/// Returns the evidence for predictions on the scenario's accelerator. An accelerator whose numbers
/// were edited has the runs of its silicon.
pub fn evidence(scenario: &Scenario) -> Evidence {
    let picked = &scenario.accelerator;
    let own = recorded::MEASURED.iter().find(|of| of.accelerator == picked.id);
    match own.or_else(|| nearest(picked.values.generation)) {
        Some(of) if own.is_some() => Evidence::Runs(of),
        Some(of) => Evidence::SameSilicon(of),
        None => Evidence::DataSheet,
    }
}

/// Returns the accelerator of a generation with the most measured runs.
fn nearest(generation: Generation) -> Option<&'static Measured> {
    let of_generation = recorded::MEASURED.iter().filter(|of| {
        let entry = super::accelerator(of.accelerator);
        entry.is_some_and(|entry| entry.values.generation == generation)
    });
    of_generation.max_by_key(|of| of.runs)
}

impl Stack {
    /// Whether step times of the stack are published that constants are fitted to.
    pub fn is_measured(&self) -> bool {
        recorded::STACKS.contains(self)
    }
}

/// Returns the smallest range that contains two ranges.
fn both(one: Band, other: Band) -> Band {
    Band { low: one.low.min(other.low), high: one.high.max(other.high) }
}

/// Returns the range of the step time, by the run's kind; for a [`Stack`] without published rows
/// extended on its slow side; on silicon without a fit, extended by the
/// range of borrowed fractions of the peaks and by that of the few rows on unfitted silicon. A
/// prediction that is corrected by a measurement has the range [`StepKind::anchored`].
pub fn step_time(scenario: &Scenario) -> Band {
    if scenario.anchor.time != Anchor::NONE.time {
        let plain = Scenario { anchor: Anchor::NONE, ..*scenario };
        return StepKind::classify(&plain).anchored();
    }
    let mut band = StepKind::on_fitted_silicon(scenario).band();
    if !Stack::of(scenario).is_measured() {
        band = both(band, stack::UNMEASURED);
    }
    if scenario.accelerator.values.generation.is_fitted() {
        return band;
    }
    both(both(band, recorded::BORROWED), StepKind::DataSheet.band())
}

/// Standard normal deviate that is exceeded with a probability of one tenth.
const TENTH: f64 = 1.281_551_565_544_8;

/// Returns the odds, 0 to 1, that measured over predicted time is at most `ratio`.
///
/// The law is log-normal on each side of the prediction, which is its median: a tenth lies below
/// the range's low end, a tenth above its high end. `P = Phi(1.2816 ln(ratio) / |ln(end)|)`.
///
/// ```
/// # use catalog::accuracy::{Band, odds_within};
/// let band = Band { low: 0.8, high: 1.6 };
/// let odds = [0.8, 1.0, 1.6].map(|ratio| (100.0 * odds_within(band, ratio)).round());
/// assert_eq!(odds, [10.0, 50.0, 90.0]);
/// ```
pub fn odds_within(band: Band, ratio: f64) -> f64 {
    let width = if ratio < 1.0 { band.low } else { band.high }.ln().abs();
    match ratio.ln() {
        log if log.is_nan() => 0.0,
        log if width > 0.0 => normal(TENTH * log / width),
        log => f64::from(u8::from(log >= 0.0)),
    }
}

/// Returns the standard normal distribution, to 1e-7 (Abramowitz and Stegun 1964, 26.2.17).
fn normal(deviate: f64) -> f64 {
    const OF_T: f64 = 0.231_641_9;
    const TERMS: [f64; 5] = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let size = deviate.abs();
    let t = 1.0 / (1.0 + OF_T * size);
    let density = (-0.5 * size * size).exp() / core::f64::consts::TAU.sqrt();
    let above = density * t * TERMS.into_iter().fold(0.0, |sum, term| sum * t + term);
    if deviate < 0.0 { above } else { 1.0 - above }
}

/// Returns the range of the peak memory, by the run's kind.
pub fn peak_memory(report: &Report) -> Band {
    peak_range::band(report.peak_kind())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ACCELERATORS, default_scenario};

    #[test]
    fn every_accelerator_says_what_it_stands_on_and_what_has_no_run_has_a_wider_range() {
        let kinds = ACCELERATORS.iter().map(|entry| {
            let scenario = Scenario { accelerator: entry.pick(), ..default_scenario() };
            let report = scenario.report();
            let (time, memory) = (step_time(&scenario), peak_memory(&report));
            assert!(memory.low < 1.0 && memory.high > 1.0, "{}: {memory:?}", entry.id);
            let kind = StepKind::on_fitted_silicon(&scenario).band();
            let is_measured = Stack::of(&scenario).is_measured();
            let fitted = if is_measured { kind } else { both(kind, stack::UNMEASURED) };
            if entry.values.generation.is_fitted() {
                assert_eq!(time, fitted, "{}", entry.id);
            } else {
                assert_eq!(time, both(both(fitted, recorded::BORROWED), StepKind::DataSheet.band()), "{}", entry.id);
                const {
                    let tuned = StepKind::Tuned.band();
                    assert!(recorded::BORROWED.low < tuned.low && recorded::BORROWED.high > tuned.high);
                }
                // AMD's accelerators have peaks of their own.
                let has_own = matches!(entry.values.generation, Generation::Cdna3 | Generation::Cdna4);
                assert!(
                    has_own || memory == peak_range::band(engine::model::odds::PeakKind::DataSheet),
                    "{}",
                    entry.id
                );
            }
            match evidence(&scenario) {
                Evidence::Runs(of) => {
                    assert!(of.accelerator == entry.id && of.runs >= of.steps.max(of.peaks) && of.runs > 0, "{of:?}");
                    0
                }
                Evidence::SameSilicon(of) => {
                    let other = super::super::accelerator(of.accelerator).unwrap();
                    assert!(other.id != entry.id && other.values.generation == entry.values.generation);
                    1
                }
                Evidence::DataSheet => 2,
            }
        });
        let kinds: Vec<usize> = kinds.collect();
        assert!((0..3).all(|kind| kinds.contains(&kind)), "{kinds:?}");
        let on =
            |id: &str| Scenario { accelerator: super::super::accelerator(id).unwrap().pick(), ..default_scenario() };
        for id in ["t4", "rtx-2080-ti"] {
            assert_eq!(evidence(&on(id)), Evidence::DataSheet, "{id}");
        }
        assert!(matches!(evidence(&on("h100-sxm")), Evidence::Runs(of) if of.runs > 500));
    }

    #[test]
    fn odds_in_time_rise_from_none_to_all() {
        for band in [Band { low: 0.78, high: 1.57 }, Band { low: 0.5, high: 2.0 }, Band { low: 1.0, high: 1.0 }] {
            let ratios = (0..=400).map(|step| f64::from(step) * 0.02);
            let odds: Vec<f64> = ratios.map(|ratio| odds_within(band, ratio)).collect();
            assert!(
                odds.iter().all(|odds| (0.0..=1.0).contains(odds)) && odds[0] == 0.0 && odds[400] > 0.97,
                "{band:?}"
            );
            assert_eq!([f64::NAN, -1.0, f64::INFINITY].map(|ratio| odds_within(band, ratio)), [0.0, 0.0, 1.0]);
        }
    }

    #[test]
    fn a_measurement_narrows_the_range_of_tuned_runs() {
        let link = "v=1&cluster=dgx-h100&model=llama-3-8b&gpus=64&seq=8192&framework=megatron&recipe=megatron-mixed&strategy=zero1";
        let plain = links::decode(link).scenario;
        let anchored = Scenario { anchor: Anchor { time: 1.18, memory: 1.0 }, ..plain };
        let width = |band: Band| band.high / band.low;
        assert!(width(step_time(&anchored)) < width(step_time(&plain)));
        assert_eq!(peak_memory(&anchored.report()), peak_memory(&plain.report()));
    }

    #[test]
    fn what_the_page_says_stands_in_the_document() {
        let document = include_str!("../../../docs/book/accuracy/dense.md");
        let steps = REACHED.steps.replace(',', "");
        assert!(document.contains(&format!("| All | {steps} | {} % |", REACHED.step_time)));
        assert!(document.lines().any(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            cells.next() == Some("All") && cells.nth(1) == Some(&format!("{} %", REACHED.peak_memory))
        }));
        let mixtures = include_str!("../../../docs/book/accuracy/mixtures.md");
        let all = mixtures.lines().find(|line| line.starts_with("| All |")).unwrap();
        assert!(all.contains(&format!("| {} % |", REACHED.mixtures)), "{all}");
    }
}
