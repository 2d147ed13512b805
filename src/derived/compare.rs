//! Pinned scenarios: their reports, their names, and their places in the figures.

use std::rc::Rc;

use super::Derived;
use crate::text::pins as words;
use crate::view::{Panel, View};
use charts::views::{self, Scratch};
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

/// Adds pinned scenarios to what was derived of the scenario on screen.
pub fn compare(derived: &mut Derived, scenario: &Scenario, view: &View, pins: &[Scenario]) {
    if pins.is_empty() {
        return;
    }
    compared(derived, scenario, view, pins);
}

fn compared(derived: &mut Derived, scenario: &Scenario, view: &View, pins: &[Scenario]) {
    let named = pins.iter().enumerate().map(|(place, pin)| {
        let name = words::name(place, &words::differences(scenario, pin));
        Pin { scenario: *pin, report: pin.report(), name }
    });
    derived.pins = named.collect();
    let pins = || derived.pins.iter().map(|pin| views::Pinned { name: &pin.name, scenario: &pin.scenario });
    if view.shows(Panel::Map) {
        views::pin_places(Rc::make_mut(&mut derived.map), scenario, pins());
    }
    if view.shows(Panel::Curve) {
        views::pin_curves(Rc::make_mut(&mut derived.curve), scenario, view.metric, pins(), &mut Scratch::default());
    }
    let bars = derived.pins.iter().map(|pin| views::pinned_memory(&pin.name, &pin.report));
    Rc::make_mut(&mut derived.memory).pins = bars.collect();
}
