//! The run at one place of a map, evaluated there: a readout says what a click would give, not what
//! the colours beside it suggest.

use super::axes::{self, AxisOf, over_link};
use super::metric::{OF_BEST, PERCENT};
use crate::spec::{AxisKey, Cell, ChartSpec};
use analysis::best::Candidates;
use analysis::network::{limited_by_link, unlimited};
use analysis::sweep::{self, Sample};
use engine::scenario::Scenario;

/// Returns the cell of a map at a place in data units, evaluated on the scenario that the map is
/// of; `None` if the figure is no map of two parameters.
pub fn at_place(spec: &ChartSpec, scenario: &Scenario, (x_value, y_value): (f64, f64)) -> Option<Cell> {
    let id = |key: Option<AxisKey>| key.and_then(AxisKey::param);
    let (x_id, y_id) = (id(spec.x.key)?, id(spec.y.key)?);
    spec.field.as_ref()?;
    let (x, y) = axes::pair(scenario, x_id, y_id).filter(|(x, y)| (x.param.id, y.param.id) == (x_id, y_id))?;
    let places = ((&x, spec.x.settled(x_value)), (&y, spec.y.settled(y_value)));
    Some(cell(&if spec.value == OF_BEST { best(scenario, places) } else { sample(scenario, places.0, places.1) }))
}

/// Returns the cell of a sample.
pub(super) fn cell(sample: &Sample) -> Cell {
    Cell {
        value: PERCENT * sample.mfu,
        limiter: sample.limiter(),
        free: sample.headroom().get(),
        margin: (sample.capacity * sample.slack()).get(),
    }
}

/// Returns the scenario at a place of two axes. A value that it has already stays as it is, also
/// where a sweep would round it, and the values are set in the order of a click.
fn moved(scenario: &Scenario, places: [(&AxisOf, f64); 2]) -> Scenario {
    let mut moved = *scenario;
    for (axis, value) in places {
        if value != axis.own(&moved) {
            sweep::assign(&mut moved, axis.number, value);
        }
    }
    moved
}

/// Evaluates a map at a place, with the limiter that the map shows there.
pub(super) fn sample(scenario: &Scenario, x: (&AxisOf, f64), y: (&AxisOf, f64)) -> Sample {
    let there = moved(scenario, [x, y]);
    let sample = sweep::sample(&there);
    if over_link(x.0, y.0) { limited_by_link(sample, &sweep::sample(&unlimited(&there))) } else { sample }
}

/// Evaluates the map of the best MFU at a place.
fn best(scenario: &Scenario, (x, y): ((&AxisOf, f64), (&AxisOf, f64))) -> Sample {
    let there = moved(scenario, [x, y]);
    let capacity = there.accelerator.values.usable_memory();
    let mut candidates = Candidates::default();
    let mut found = |scenario: &Scenario| {
        candidates.evaluate(scenario);
        candidates.best(capacity).map(|best| best.sample)
    };
    match (found(&there), found(&unlimited(&there))) {
        (Some(best), Some(fastest)) => limited_by_link(best, &fastest),
        _ => sweep::sample(&there),
    }
}
