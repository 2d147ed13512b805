//! Axes made from rows of the table of parameters.

use crate::layout;
use crate::spec::{Axis, AxisKey, Grain};
use crate::zoom::{self, VisibleRange};
use analysis::boundary::Point;
use analysis::sweep;
use catalog::families;
use engine::params::{Number, Param, ParamId, Scale};
use engine::scenario::Scenario;
use engine::scenario::resolve::Degrees;

/// An axis with its parameter.
#[derive(Clone, Debug)]
pub(super) struct AxisOf {
    pub(super) param: &'static Param,
    pub(super) number: &'static Number,
    pub(super) axis: Axis,
}

/// Number of points of a curve along an axis.
pub(super) const POINTS: usize = 97;
/// The step of sequence lengths that a click can set, in tokens.
const SEQUENCE_STEP: f64 = 128.0;

/// Returns the axis of a parameter that has an effect: its window, extended to the scenario's own
/// value, within its bounds.
pub(super) fn axis(scenario: &Scenario, id: ParamId, of_cost: bool) -> Option<AxisOf> {
    let param = Some(id.param()).filter(|param| param.is_axis(scenario, of_cost))?;
    let number = param.number()?;
    let Number { min, max, .. } = number.within(scenario);
    let own = ((number.get)(scenario)).max(min).min(max);
    let (low, high) = param.window.unwrap_or((min, max));
    let (low, high) = match id {
        ParamId::Gpus => from_a_replica(scenario, own, max, (low, high)),
        // The range of sizes that the family publishes.
        ParamId::ModelSize => (min, max),
        ParamId::TopK => (low, high.min(f64::from(scenario.model.architecture().experts.num_experts)).max(TWO)),
        ParamId::FirstLayers | ParamId::LastLayers => (low, f64::from(scenario.model.architecture().num_hidden_layers)),
        _ => match divided(scenario, id) {
            Some(number) => (low, high.min(f64::from(number)).max(TWO)),
            None => (low, high),
        },
    };
    let scaled = id == ParamId::ModelSize && is_named(scenario);
    let axis = Axis {
        label: param.label.to_string(),
        unit: number.unit,
        // An axis of experts starts above 0, as doubling cannot start at 0.
        scale: if id == ParamId::Experts { Scale::PowersOfTwo } else { number.scale },
        min: low.min(own).max(min),
        max: high.max(own).min(max),
        key: Some(AxisKey::Param(id)),
        grain: grain(scenario, id, number),
        own: scaled.then(|| (number.get)(scenario)),
    };
    Some(AxisOf { param, number, axis })
}

/// Clips a part to a parameter's axis in this scenario; `None` if the result is the whole axis or
/// empty.
pub fn part_of_axis(scenario: &Scenario, id: ParamId, part: VisibleRange) -> Option<VisibleRange> {
    let whole = axis(scenario, id, true)?.axis;
    zoom::bounded(part, (whole.min, whole.max))
}

/// Smallest end of an axis, which would otherwise be a single value.
const TWO: f64 = 2.0;

/// Number of replicas of the model that an axis of GPUs reaches at least.
const REPLICAS: f64 = 8.0;

/// Returns a window of GPU counts that starts at the first replica of the model, if the run holds
/// one: fewer GPUs would change the degrees of parallelism.
fn from_a_replica(scenario: &Scenario, own: f64, max: f64, (low, high): (f64, f64)) -> (f64, f64) {
    let replica = f64::from(sweep::replica(scenario));
    if replica > own || REPLICAS * replica > max {
        (low, high)
    } else {
        (low.max(replica), high.max(REPLICAS * replica))
    }
}

/// Whether the model is not a ladder model, so that an axis of sizes shows it scaled.
pub(super) fn is_named(scenario: &Scenario) -> bool {
    !scenario.model.is_on_ladder()
}

/// Writes a value on an axis of experts in a sentence.
pub(super) fn write_expert_value(id: ParamId, value: &str) -> String {
    match id {
        ParamId::TopK => format!("{value} experts per token"),
        ParamId::Ep => format!("expert parallelism of {value}"),
        _ => format!("{value} experts"),
    }
}

/// Note on the inter-node bandwidth of a run on one node.
pub(super) const ONE_NODE: &str = "One node: the network between nodes is not used.";

/// Whether the run stays inside one node.
pub(super) fn is_one_node(scenario: &Scenario) -> bool {
    scenario.gpus <= scenario.network.values.gpus_per_node
}

/// Whether link bandwidth is an axis: the boundary is then what a faster link gains.
pub(super) fn over_link(x: &AxisOf, y: &AxisOf) -> bool {
    [x, y].iter().any(|axis| axis.param.id == ParamId::LinkBandwidth)
}

/// Returns a note about the shapes of a figure over sizes, other than a named or custom model's
/// own.
pub(super) fn shapes(scenario: &Scenario) -> String {
    match families::name_of(&scenario.model) {
        Some(name) => format!(" Other sizes are {name}, scaled."),
        None => " Other sizes are your model, scaled.".to_owned(),
    }
}

/// Returns the values of a parameter that a click can set.
fn grain(scenario: &Scenario, id: ParamId, number: &Number) -> Grain {
    match id {
        ParamId::SequenceLength => Grain::Down(SEQUENCE_STEP),
        ParamId::Gpus => Grain::Groups(f64::from(sweep::replica(scenario)), f64::from(sweep::whole_group(scenario))),
        ParamId::Experts => Grain::Down(f64::from(sweep::experts_together(scenario))),
        _ => match divided(scenario, id) {
            Some(divided) => Grain::Divisors(divided),
            None if number.integer => Grain::Whole,
            None => Grain::Digits,
        },
    }
}

/// Returns the number that a degree divides: the GPUs that the previous degrees leave.
fn divided(scenario: &Scenario, id: ParamId) -> Option<u32> {
    let Degrees { tp, cp, dp, ep, .. } = scenario.degrees();
    let gpus = scenario.gpus.max(1);
    match id {
        ParamId::Tp => Some(gpus),
        ParamId::Cp => Some(gpus / tp),
        ParamId::Pp => Some(gpus / tp / cp),
        ParamId::ShardSize => Some(dp),
        ParamId::Ep => Some(sweep::most_groups(scenario)),
        ParamId::Etp => Some(gpus / scenario.degrees().pp / ep),
        _ => None,
    }
}

/// Whether two axes can be combined: experts stay as a model is scaled, so sizes exclude them.
fn go_together(x: &AxisOf, y: &AxisOf) -> bool {
    let of_experts = |axis: &AxisOf| matches!(axis.param.id, ParamId::Experts | ParamId::TopK | ParamId::Ep);
    let of_size = |axis: &AxisOf| axis.param.id == ParamId::ModelSize;
    x.param.id != y.param.id && !(of_size(x) && of_experts(y)) && !(of_experts(x) && of_size(y))
}

/// Returns two axes that can be combined. Parameters without an axis and impossible combinations
/// fall back to sequence length and model size.
pub(super) fn pair(scenario: &Scenario, x: ParamId, y: ParamId) -> Option<(AxisOf, AxisOf)> {
    let axis = |id| axis(scenario, id, false);
    let x = axis(x).or_else(|| axis(ParamId::SequenceLength))?;
    let beside = |id| axis(id).filter(|y| go_together(&x, y));
    let y = beside(y).or_else(|| beside(ParamId::ModelSize)).or_else(|| beside(ParamId::SequenceLength))?;
    Some((x, y))
}

/// Fills `out` with values at even steps of an axis, including both ends; `out` is cleared first.
pub(super) fn positions(axis: &Axis, count: usize, out: &mut Vec<f64>) {
    let last = count.saturating_sub(1).max(1) as f64;
    out.clear();
    out.extend((0..count).map(|at| layout::value(axis, at as f64 / last)));
}

/// Fills `out` like [`positions`], for curves: if only whole numbers or divisors are valid, only
/// with those.
pub(super) fn settled_positions(axis: &Axis, count: usize, out: &mut Vec<f64>) {
    positions(axis, count, out);
    if matches!(axis.grain, Grain::Whole | Grain::Divisors(_)) {
        for value in out.iter_mut() {
            *value = axis.settled(*value);
        }
        out.dedup();
        // A single valid value gives level curves.
        if out.len() < 2 {
            positions(axis, count, out);
        }
    }
}

impl AxisOf {
    /// Narrows the axis to a part if the axis has the requested parameter and the part is on the
    /// axis.
    pub(super) fn narrowed(mut self, asked: ParamId, part: Option<VisibleRange>) -> Self {
        let whole = (self.axis.min, self.axis.max);
        if let Some((low, high)) = part.filter(|_| self.param.id == asked).and_then(|part| zoom::bounded(part, whole)) {
            (self.axis.min, self.axis.max) = (low, high);
        }
        self
    }

    /// Whether only whole numbers or divisors are valid.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.axis.grain, Grain::Whole | Grain::Divisors(_))
    }

    /// Returns the scenario's own value.
    pub(super) fn own(&self, scenario: &Scenario) -> f64 {
        (self.number.get)(scenario)
    }

    /// Returns the data value at a position in grid units.
    pub(super) fn at_node(&self, position: f64, nodes: usize) -> f64 {
        layout::value(&self.axis, position / (nodes.saturating_sub(1).max(1)) as f64)
    }

    /// Whether a value is on the axis.
    pub(super) fn shows(&self, value: f64) -> bool {
        (self.axis.min..=self.axis.max).contains(&value)
    }
}

/// Converts polylines from grid units to data units.
pub(super) fn in_data(
    pieces: Vec<Vec<Point>>,
    x: &AxisOf,
    y: &AxisOf,
    (columns, rows): (usize, usize),
) -> Vec<Vec<(f64, f64)>> {
    let point = |(column, row): Point| (x.at_node(column, columns), y.at_node(row, rows));
    pieces.into_iter().map(|piece| piece.into_iter().map(point).collect()).collect()
}
