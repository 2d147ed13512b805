//! The headline figures as text.

use analysis::answer::{Answer, Figures};
use engine::model::report::Report;
use engine::names;
use engine::scenario::Scenario;

/// The headline figures as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// The figures and their ranges.
    pub figures: Figures,
    /// The peak to which MFU refers, if it is not the usual one: `of the FP8 peak`.
    pub of_peak: Option<String>,
    /// Whether the run fits its GPUs and its hosts; figures of time are hypothetical otherwise.
    pub fits: bool,
    /// Whether the run fits its GPUs.
    pub fits_gpus: bool,
}

impl Tiles {
    /// Returns the headline figures of a scenario and its report.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let answer = Answer::new(scenario, report);
        Self {
            figures: answer.figures(),
            of_peak: answer.of_peak(),
            fits: answer.fit.fits,
            fits_gpus: report.memory.fits(),
        }
    }
}

/// Returns the limiter in a word or two.
pub fn limiter(report: &Report) -> &'static str {
    names::limiter(report.limiter).tile
}
