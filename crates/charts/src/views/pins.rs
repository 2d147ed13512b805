//! Adds pinned scenarios to the figures of the scenario on screen: a curve and a mark each.

use super::axes::{self, POINTS};
use super::curve;
use super::metric::{Metric, OF_BEST};
use super::scratch::{Scratch, off_axes};
use crate::spec::{AxisKey, ChartSpec, LineRole, PinMark};
use analysis::sweep;
use engine::model::choices::Choices;
use engine::scenario::Scenario;

/// A scenario to compare with the one on screen.
#[derive(Clone, Copy, Debug)]
pub struct Pinned<'a> {
    /// The letter, and the difference from the scenario on screen.
    pub name: &'a str,
    /// The scenario.
    pub scenario: &'a Scenario,
}

/// Adds the curve of each pinned scenario's own strategy, and its mark on it. A pinned scenario
/// without the axis's parameter (experts, in a dense model) gets neither.
pub fn pin_curves<'a>(
    spec: &mut ChartSpec,
    scenario: &Scenario,
    metric: Metric,
    pins: impl Iterator<Item = Pinned<'a>>,
    scratch: &mut Scratch,
) {
    let of_cost = metric.is_of_run();
    let Some(x) = spec.x.key.and_then(AxisKey::param).and_then(|id| axes::axis(scenario, id, of_cost)) else { return };
    axes::settled_positions(&x.axis, POINTS, &mut scratch.xs);
    let mut lines = Vec::new();
    for (place, pin) in pins.enumerate() {
        let Some(own) = axes::axis(pin.scenario, x.param.id, of_cost).map(|axis| axis.own(pin.scenario)) else {
            continue;
        };
        let mut line = curve::curve(pin.scenario, &x, metric, false, scratch);
        line.name = pin.name.to_string();
        line.role = LineRole::Pin(place);
        let twin = spec.lines.iter().find(|other| other.same_as.is_none() && curve::coincide(other, &line));
        line.same_as = twin.map(|twin| twin.name.clone());
        lines.push(line);
        let height = metric.value(&sweep::sample(pin.scenario), pin.scenario);
        if x.shows(own) && height.is_finite() {
            spec.pins.push(PinMark { place, at: (own, height), own: true });
        }
    }
    let y = metric.axis(&lines, sweep::sample(scenario).capacity.gib());
    // Without a line there is no range for a logarithmic axis.
    if y.scale == spec.y.scale {
        (spec.y.min, spec.y.max) = (spec.y.min.min(y.min), spec.y.max.max(y.max));
    }
    spec.pins.retain(|pin| (spec.y.min..=spec.y.max).contains(&pin.at.1));
    spec.lines.append(&mut lines);
}

/// Marks the positions of pinned scenarios on a map. A mark is hollow if the map does not hold for
/// its scenario.
pub fn pin_places<'a>(spec: &mut ChartSpec, scenario: &Scenario, pins: impl Iterator<Item = Pinned<'a>>) {
    let (Some(x), Some(y)) = (spec.x.key.and_then(AxisKey::param), spec.y.key.and_then(AxisKey::param)) else { return };
    let Some((x, y)) = axes::pair(scenario, x, y) else { return };
    let anywhere = off_axes(scenario, &x, &y);
    // The map of the best MFU is valid for every sequence length, batch and recomputation.
    let of_best = spec.value == OF_BEST;
    for (place, pin) in pins.enumerate() {
        let at = (x.own(pin.scenario), y.own(pin.scenario));
        if x.shows(at.0) && y.shows(at.1) {
            let Scenario { seq_len, micro_batch_size, choices: Choices { recompute, .. }, .. } = *scenario;
            let searched = Scenario {
                seq_len,
                micro_batch_size,
                choices: Choices { recompute, ..pin.scenario.choices },
                ..*pin.scenario
            };
            let own = off_axes(if of_best { &searched } else { pin.scenario }, &x, &y) == anywhere;
            spec.pins.push(PinMark { place, at, own });
        }
    }
}
