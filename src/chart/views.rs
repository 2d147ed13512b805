//! From a scenario to figures: each view is one function that gives a spec.

mod axes;
mod bound;
mod curve;
mod experts;
mod finding;
mod memory;
mod region;
mod scratch;
mod timeline;

#[cfg(test)]
mod tests;

use crate::scenario::Scenario;

pub use axes::part_of_axis;
pub use bound::holds as bounds_hold;
pub use curve::{Metric, curve_within, mfu_curve};
pub use experts::{ALONG, LayerView, expert_layer, layer_shown};
pub use memory::memory_bar;
pub use region::{feasible_region, region_within};
pub use scratch::Scratch;
pub use timeline::{TIME, timeline};

/// Said under a part of a figure.
const OUTSIDE: &str = " The scenario itself lies outside this part.";

/// The keys of the parameters that may stand on an axis, in display order: those of any model first.
pub const AXES: [&str; 9] = ["seq", "size", "mem", "link", "gpus", "mbs", "experts", "topk", "ep"];
/// Of them, those of any model.
const OF_ANY_MODEL: usize = 6;

/// The keys of the parameters that may stand on an axis of this scenario: those of experts where the model has any, their degree where
/// the page does not choose it.
pub fn axes_of(scenario: &Scenario) -> &'static [&'static str] {
    let count = if !scenario.model.architecture().has_experts() {
        OF_ANY_MODEL
    } else if scenario.expert_choice.degrees {
        AXES.len() - 1
    } else {
        AXES.len()
    };
    AXES.get(..count).unwrap_or(&AXES)
}
