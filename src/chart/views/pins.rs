//! Pinned scenarios in the figures of the one on screen: a curve and a mark each.

use super::axes;
use super::curve::{self, Metric, POINTS};
use super::scratch::{Scratch, off_axes};
use crate::chart::spec::{ChartSpec, Line, LineRole, PinMark};
use crate::plan::sweep;
use crate::scenario::Scenario;

/// A scenario that the one on screen is compared with.
#[derive(Clone, Copy, Debug)]
pub struct Pinned<'a> {
    /// Its letter, and what tells it from the scenario on screen.
    pub name: &'a str,
    /// The scenario.
    pub scenario: &'a Scenario,
}

/// Adds the curve of each pinned scenario's own strategy, and its mark there. What has no such parameter (experts, of a dense
/// model) has neither.
pub fn pin_curves<'a>(
    spec: &mut ChartSpec,
    scenario: &Scenario,
    metric: Metric,
    pins: impl Iterator<Item = Pinned<'a>>,
    scratch: &mut Scratch,
) {
    let Some(x) = spec.x.key.and_then(|key| axes::axis(scenario, key)) else { return };
    axes::positions(&x.axis, POINTS, &mut scratch.xs);
    for (place, pin) in pins.enumerate() {
        let Some(own) = axes::axis(pin.scenario, x.param.key).map(|axis| axis.own(pin.scenario)) else { continue };
        let mut line = curve::curve(pin.scenario, &x, metric, scratch);
        line.name = pin.name.to_string();
        line.role = LineRole::Pin(place);
        let twin = spec.lines.iter().find(|other| other.same_as.is_none() && curve::coincide(other, &line));
        line.same_as = twin.map(|twin: &Line| twin.name.clone());
        spec.lines.push(line);
        if x.shows(own) {
            let height = metric.of(&sweep::sample(pin.scenario));
            spec.pins.push(PinMark { place, at: (own, height), own: true });
        }
    }
    spec.y.max = curve::ceiling(metric, &spec.lines).max(spec.y.max);
}

/// Marks where pinned scenarios stand on the axes of a map: theirs too, where nothing else tells them from the one on screen.
pub fn pin_places<'a>(spec: &mut ChartSpec, scenario: &Scenario, pins: impl Iterator<Item = Pinned<'a>>) {
    let (Some(x_key), Some(y_key)) = (spec.x.key, spec.y.key) else { return };
    let Some((x, y)) = axes::pair(scenario, x_key, y_key) else { return };
    let anywhere = off_axes(scenario, &x, &y);
    for (place, pin) in pins.enumerate() {
        let at = (x.own(pin.scenario), y.own(pin.scenario));
        if x.shows(at.0) && y.shows(at.1) {
            let own = off_axes(pin.scenario, &x, &y) == anywhere;
            spec.pins.push(PinMark { place, at, own });
        }
    }
}
