//! The feasible region over two parameters: where the run fits, its speed, and its limiter.

use std::rc::Rc;

use super::axes::{self, AxisOf, in_data, over_link};
use super::metric::SCALE_END;
use super::scratch::{MapContent, Scratch};
use super::{OUTSIDE, bound, finding, place};
use crate::names;
use crate::spec::{ChartSpec, Field, LineRole, Polyline, Quantity, Zone, ZoneKind};
use crate::zoom::VisibleRange;
use analysis::boundary::{Point, memory_frontier, network_boundary};
use engine::format;
use engine::model::report::Limiter;
use engine::params::{ParamId, Unit};
use engine::scenario::Scenario;

/// Name of the out-of-memory frontier.
pub(super) const FRONTIER: &str = "out of memory";
/// Name of the line where the limiter changes.
const BOUNDARY: &str = "network-bound / compute-bound";
/// Name of that line, and of the part below it, on a map over link bandwidth.
const LINK_BOUNDARY: &str = "a faster link gains over / under 1\u{2009}%";
const LINK_GAINS: &str = "a faster link gains";

/// The coloured quantity.
const MFU: Quantity = Quantity { label: "MFU", unit: Unit::Percent };
/// Names of the parts that something else than the network limits.
pub(super) const BOUND: [(Limiter, &str); 5] = [
    (Limiter::Compute, "compute-bound"),
    (Limiter::Launch, "launch-bound"),
    (Limiter::Bubble, "pipeline-bound"),
    (Limiter::Data, "data-bound"),
    (Limiter::Rollout, "rollout-bound"),
];

/// Returns the feasible region of a scenario over two numeric parameters (see [`super::AXES`]),
/// with the bounds of section 8 if `bounds` is set. Parameters without an axis fall back to
/// sequence length and model size.
pub fn feasible_region(scenario: &Scenario, x: ParamId, y: ParamId, bounds: bool, scratch: &mut Scratch) -> ChartSpec {
    region_within(scenario, [(x, None), (y, None)], bounds, scratch)
}

/// Returns the map of [`feasible_region`] over a part of each axis, if one is given, at an equal
/// resolution.
pub fn region_within(
    scenario: &Scenario,
    [(x_id, x_part), (y_id, y_part)]: [(ParamId, Option<VisibleRange>); 2],
    bounds: bool,
    scratch: &mut Scratch,
) -> ChartSpec {
    let Some((x, y)) = axes::pair(scenario, x_id, y_id) else { return ChartSpec::empty() };
    let (x, y) = (x.narrowed(x_id, x_part), y.narrowed(y_id, y_part));
    axes::positions(&x.axis, scratch.columns, &mut scratch.xs);
    axes::positions(&y.axis, scratch.rows, &mut scratch.ys);
    let shown = MapContent { bounds, best: false };
    let mut spec = scratch.drawn(scenario, &x, &y, shown).unwrap_or_else(|| {
        let spec = nowhere(scenario, &x, &y, bounds, scratch);
        scratch.keep(scenario, &x, &y, shown, &spec);
        spec
    });
    let here = (x.own(scenario), y.own(scenario));
    spec.here = (x.shows(here.0) && y.shows(here.1)).then_some(here);
    spec.caption = finding::write_region(scenario, &x, &y, scratch);
    if spec.here.is_none() {
        spec.caption += OUTSIDE;
    }
    spec
}

/// Returns the map without the scenario's mark.
fn nowhere(scenario: &Scenario, x: &AxisOf, y: &AxisOf, bounds: bool, scratch: &mut Scratch) -> ChartSpec {
    scratch.fill(scenario, x, y);
    let mut spec = map_samples(scenario, x, y, scratch);
    if bounds && bound::holds(scenario) {
        spec.lines.extend(bound::longest_context(scenario, x, y, scratch));
    }
    spec
}

/// Returns the map of the samples at the positions of the buffers.
pub(super) fn map_samples(scenario: &Scenario, x: &AxisOf, y: &AxisOf, scratch: &mut Scratch) -> ChartSpec {
    let field = field(scratch);
    let lines = lines(x, y, scratch);
    ChartSpec {
        title: format!("What fits: {} and {}", names::in_sentence(x.param.label), names::in_sentence(y.param.label)),
        caption: String::new(),
        zones: zones(scenario, x, y, &field),
        field: Some(Rc::new(field)),
        lanes: None,
        falls: None,
        course: None,
        lines,
        marks: Vec::new(),
        here: None,
        pins: Vec::new(),
        x: x.axis.clone(),
        y: y.axis.clone(),
        value: MFU,
    }
}

/// Converts the samples to cells.
fn field(scratch: &Scratch) -> Field {
    Field {
        label: MFU.label.to_string(),
        columns: scratch.xs.len(),
        rows: scratch.ys.len(),
        cells: scratch.samples.iter().map(place::cell).collect(),
        low: 0.0,
        high: SCALE_END,
    }
}

/// Traces the frontier and the boundary, in data units.
fn lines(x: &AxisOf, y: &AxisOf, scratch: &mut Scratch) -> Vec<Polyline> {
    let (columns, rows) = (scratch.xs.len(), scratch.ys.len());
    let in_data = |pieces: Vec<Vec<Point>>| in_data(pieces, x, y, (columns, rows));
    let frontier = memory_frontier(&mut scratch.tracer, columns, &scratch.samples);
    // A rollout may take longer than network and compute: then there is nothing to separate.
    let is_network = scratch.samples.iter().any(|sample| sample.fits() && sample.network_bound());
    let boundary =
        if is_network { network_boundary(&mut scratch.tracer, columns, &scratch.samples) } else { Vec::new() };
    [
        Polyline::new(FRONTIER, LineRole::MemoryFrontier, in_data(frontier)),
        Polyline::new(
            if over_link(x, y) { LINK_BOUNDARY } else { BOUNDARY },
            LineRole::NetworkBoundary,
            in_data(boundary),
        ),
    ]
    .into_iter()
    .filter(|line| !line.segments.is_empty())
    .collect()
}

/// Returns the zones that occur in the field, with their reasons.
fn zones(scenario: &Scenario, x: &AxisOf, y: &AxisOf, field: &Field) -> Vec<Zone> {
    let of_kind = |kind| field.cells.iter().any(|cell| ZoneKind::from_limiter(cell.limiter) == kind);
    let on_axis = |id| x.param.id == id || y.param.id == id;
    let needs = if on_axis(ParamId::GpuMemory) {
        "needs more memory".to_string()
    } else {
        let memory = scenario.report().memory.most_needed().gib();
        format!("needs more than {}", format::value(Unit::Gib, memory))
    };
    let count = |limiter| field.cells.iter().filter(|cell| cell.limiter == limiter).count();
    // The limiter of most of the part that is not network-bound; of equal ones the first.
    let most = BOUND
        .map(|(limiter, name)| (count(limiter), name))
        .into_iter()
        .reduce(|most, next| if next.0 > most.0 { next } else { most });
    let hidden = most.map_or("", |(_, name)| name);
    [
        (ZoneKind::DoesNotFit, "does not fit", needs),
        (ZoneKind::NetworkBound, if over_link(x, y) { LINK_GAINS } else { "network-bound" }, String::new()),
        (ZoneKind::ComputeBound, hidden, String::new()),
    ]
    .into_iter()
    .filter(|(kind, ..)| of_kind(*kind))
    .map(|(kind, name, reason)| Zone { kind, name: name.to_string(), reason, span: None })
    .collect()
}

#[cfg(test)]
mod tests;
