//! One layer of experts: its time under every static choice and under the adaptive choice (Tutel,
//! arXiv 2206.03382).

mod finding;

use super::axes;
use crate::spec::{Axis, AxisKey, CHOICES, ChartSpec, Grain, LineRole, Polyline, Quantity};
use analysis::experts::Along;
use analysis::experts::family::{Compared, Family, compare};
use catalog::expert_layers::EXPERT_LAYERS;
use engine::model::experts::AllToAll;
use engine::model::experts::layer::{Choice, MoeLayer};
use engine::params::{ParamId, Scale, Unit};
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The settings of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerView {
    /// The layer of the catalog, by index in [`EXPERT_LAYERS`]; `None` for the scenario's own
    /// layer.
    pub published: Option<usize>,
    /// The axis, by index in [`ALONG`].
    pub along: usize,
    /// The choices that are compared.
    pub family: Family,
}

impl Default for LayerView {
    fn default() -> Self {
        Self { published: None, along: 0, family: Family::Pipelining }
    }
}

/// The possible horizontal axes: label, key in links, and the smallest visible range.
pub const ALONG: [(&str, &str, f64, f64); 3] = [
    ("GPUs", "gpus", 16.0, 2048.0),
    ("Capacity factor", "capacity", 0.5, 16.0),
    ("Tokens per GPU", "tokens-per-gpu", 256.0, 65_536.0),
];

/// Number of points along the axis: six per doubling from 16 to 2,048 GPUs.
const POINTS: usize = 43;
/// GPUs per node: GPU counts are whole nodes, as in clusters and in the paper.
const NODE: f64 = 8.0;
/// Room above and below the lines, as a factor.
const ROOM: f64 = 1.15;

/// Returns the layer that a view shows.
pub fn layer_shown(scenario: &Scenario, view: LayerView) -> MoeLayer {
    let published = view.published.and_then(|place| EXPERT_LAYERS.get(place));
    published.map_or_else(|| MoeLayer::from_setup(&scenario.setup()), |entry| (entry.layer)())
}

/// Returns the time of one layer of experts, forward and backward, along one of [`ALONG`]: a line
/// for each static choice of a family, a heavy one for the adaptive choice, and the baseline.
pub fn expert_layer(scenario: &Scenario, view: LayerView) -> ChartSpec {
    let layer = layer_shown(scenario, view);
    let x = Across::new(scenario, &layer, view);
    let mut values = Vec::new();
    axes::positions(&x.axis, POINTS, &mut values);
    for value in &mut values {
        *value = x.whole(*value);
    }
    values.dedup();
    let compared = compare(&layer, x.along, &values, view.family);
    let lines = lines(&values, &compared, view.family);
    let here = compare(&layer, x.along, &[x.own], view.family);
    let caption = finding::caption(&x, view, &compared, &here, &values);
    let time = here.adaptive.first().map(|best| (x.own, best.time.total().ms()));
    let quantity = Quantity { label: "Layer time", unit: Unit::Ms };
    ChartSpec {
        title: "One layer of experts".into(),
        caption,
        y: upwards(&lines, quantity),
        field: None,
        lanes: None,
        falls: None,
        course: None,
        lines,
        marks: Vec::new(),
        zones: Vec::new(),
        here: time.filter(|&(own, _)| (x.axis.min..=x.axis.max).contains(&own)),
        pins: Vec::new(),
        value: quantity,
        x: x.axis,
    }
}

/// The horizontal axis.
struct Across {
    axis: Axis,
    along: Along,
    own: f64,
}

impl Across {
    fn new(scenario: &Scenario, layer: &MoeLayer, view: LayerView) -> Self {
        let (label, key, low, high) = ALONG.get(view.along).copied().unwrap_or(ALONG[0]);
        let of_scenario = view.published.is_none();
        let (along, own, unit, grain, id) = match key {
            "capacity" => {
                (Along::CapacityFactor, layer.capacity_factor, Unit::None, Grain::Digits, Some(ParamId::CapacityFactor))
            }
            "tokens-per-gpu" => (Along::Tokens, layer.tokens, Unit::Tokens, Grain::Whole, None),
            // The experts of a model are fixed; the number of experts in Tutel's layers grows with
            // the GPUs.
            _ if of_scenario => {
                (Along::GpusAlone, f64::from(layer.gpus), Unit::None, Grain::Down(NODE), Some(ParamId::Gpus))
            }
            _ => (Along::Gpus, f64::from(layer.gpus), Unit::None, Grain::Down(NODE), Some(ParamId::Gpus)),
        };
        // The layer belongs to one stage, so with several stages its GPUs are not the scenario's.
        let staged = scenario.pp > 1 && id == Some(ParamId::Gpus);
        let id = id.filter(|_| of_scenario && !staged);
        let shown = own.is_finite() && own > 0.0;
        let axis = Axis {
            label: if of_scenario && staged { "GPUs of a stage".into() } else { label.into() },
            unit,
            scale: Scale::PowersOfTwo,
            min: if shown { low.min(own) } else { low },
            max: if shown { high.max(own) } else { high },
            key: id.map(AxisKey::Param),
            grain,
            own: None,
        };
        Self { axis, along, own }
    }

    /// Rounds to a value at which the layer is evaluated: whole nodes, except at the ends of the
    /// axis.
    fn whole(&self, value: f64) -> f64 {
        match self.along {
            Along::Gpus | Along::GpusAlone if value < self.axis.max => {
                ((value / NODE).round() * NODE).max(self.axis.min)
            }
            _ => value,
        }
    }
}

/// Returns the vertical axis: the range of the lines on a logarithmic scale, as ratios matter.
fn upwards(lines: &[Polyline], quantity: Quantity) -> Axis {
    let (mut low, mut high) = (f64::MAX, 0.0_f64);
    for line in lines {
        for &(_, height) in line.segments.iter().flatten() {
            low = low.min(height);
            high = high.max(height);
        }
    }
    let drawn = low > 0.0 && high >= low && high.is_finite();
    Axis {
        label: quantity.label.into(),
        unit: quantity.unit,
        scale: Scale::Log,
        min: if drawn { low / ROOM } else { 1.0 },
        max: if drawn { high * ROOM } else { ROOM },
        key: None,
        grain: Grain::Digits,
        own: None,
    }
}

/// Returns the adaptive line, then the static choices for which there is a colour, then the
/// baseline.
fn lines(values: &[f64], compared: &Compared, family: Family) -> Vec<Polyline> {
    let mut lines = Vec::new();
    let mut draw = |name: &str, role, time: &dyn Fn(usize) -> Option<Seconds>| {
        let mut line = Polyline::new(name, role, Vec::new());
        let mut piece = Vec::new();
        for (at, &value) in values.iter().enumerate() {
            match time(at) {
                Some(time) => piece.push((value, time.ms())),
                None => line.push(core::mem::take(&mut piece), true),
            }
        }
        line.push(piece, true);
        lines.push(line);
    };
    draw("Adaptive", LineRole::Adaptive, &|at| compared.adaptive.get(at).map(|best| best.time.total()));
    for (place, fixed) in compared.fixed.iter().take(CHOICES).enumerate() {
        let name = name(fixed.choice, family);
        draw(&name, LineRole::Choice(place), &|at| fixed.times.get(at).copied().flatten());
    }
    draw("Dense kernels, linear", LineRole::Baseline, &|at| compared.baseline.get(at).copied());
    lines
}

/// Names a choice by what distinguishes it in its family: `r = 2`, `linear in 4 chunks`.
fn name(choice: Choice, family: Family) -> String {
    match family {
        Family::Parallelism if choice.r == 0 => "r = 0 (weights gathered)".into(),
        Family::Parallelism => format!("r = {}", choice.r),
        Family::Pipelining => {
            let algorithm = match choice.algorithm {
                AllToAll::Linear => "linear",
                AllToAll::TwoDimensional => "2DH",
            };
            let plural = if choice.chunks == 1 { "" } else { "s" };
            format!("{algorithm} in {} chunk{plural}", choice.chunks)
        }
    }
}

#[cfg(test)]
mod tests;
