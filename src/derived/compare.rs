//! Pinned scenarios: their reports and their names.

use crate::text::pins as words;
use engine::model::report::Report;
use engine::scenario::Scenario;

/// A pinned scenario beside the one on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The scenario.
    pub scenario: Scenario,
    /// The report of its step.
    pub report: Report,
    /// Its letter, and its first differences from the scenario on screen.
    pub name: String,
}

/// Names pinned scenarios by what they differ in from the one on screen.
pub fn compared(scenario: &Scenario, pins: &[Scenario]) -> Vec<Pin> {
    let named = pins.iter().enumerate().map(|(place, pin)| {
        let name = words::name(place, &words::differences(scenario, pin));
        Pin { scenario: *pin, report: pin.report(), name }
    });
    named.collect()
}
