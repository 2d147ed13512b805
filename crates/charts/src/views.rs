//! Views: each is a function from a scenario to the specification of a figure.

mod agreement;
mod axes;
mod best;
mod best_layout;
mod bound;
mod curve;
mod experts;
mod finding;
mod memory;
mod memory_step;
mod metric;
mod pins;
mod place;
mod plan;
mod region;
mod roofline;
mod scaling;
mod scratch;
mod smooth;
mod timeline;
mod waterfall;

#[cfg(test)]
mod tests;

use engine::params::{CONSTANTS, PARAMS, Param, ParamId, ParamKind};
use engine::scenario::Scenario;

pub use agreement::{AgreementView, Filter, Measure, Scored, ScoredRows, agreement, filters, kinds};
pub use axes::part_of_axis;
pub use best::{BEST_AXES, best_holds, best_region};
pub use bound::holds as bounds_hold;
pub use curve::{curve_within, mfu_curve};
pub use experts::{ALONG, LayerView, expert_layer, layer_shown};
pub use memory::{memory_bar, pinned_memory, write_longest_batch};
pub use memory_step::{LoadAndSave, by_formulas, load_and_save, memory_step, memory_step_coming};
pub use metric::Metric;
pub use pins::{Pinned, pin_curves, pin_places};
pub use place::at_place;
pub use plan::plan_front;
pub use region::{feasible_region, region_within};
pub use roofline::roofline;
pub use scaling::scaling_curves;
pub use scratch::{KnownLayouts, Scratch};
pub use timeline::{TIME, timeline};
pub use waterfall::{split_chart, waterfall};

/// Added to the caption of a zoomed figure.
const OUTSIDE: &str = " The scenario is outside this part.";

/// The most useful parameters for an axis, in display order.
pub const AXES: [ParamId; 9] = [
    ParamId::SequenceLength,
    ParamId::ModelSize,
    ParamId::GpuMemory,
    ParamId::LinkBandwidth,
    ParamId::Gpus,
    ParamId::MicroBatchSize,
    ParamId::Experts,
    ParamId::TopK,
    ParamId::Ep,
];

/// Iterates over every parameter that can be on an axis of some scenario: those of [`AXES`], then
/// the other numbers in the order of the table. Indices of parameters are equal in all scenarios.
pub fn every_axis() -> impl Iterator<Item = &'static Param> {
    let is_number = |param: &&Param| matches!(param.kind, ParamKind::Number(_)) && !AXES.contains(&param.id);
    AXES.into_iter().map(ParamId::param).chain(PARAMS.iter().chain(CONSTANTS).filter(is_number))
}

/// Returns the parameters that can be on an axis of this scenario, each with its index in
/// [`every_axis`].
pub fn axes_of(scenario: &Scenario, of_cost: bool) -> Vec<(usize, &'static Param)> {
    every_axis().enumerate().filter(|(_, param)| param.is_axis(scenario, of_cost)).collect()
}
