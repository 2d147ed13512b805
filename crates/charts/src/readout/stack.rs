//! Reads a stack at one of its moments.

use super::{Entry, Readout, build_readout, on_line};
use crate::spec::{ChartSpec, Moment};
use engine::format;

/// Reads a moment: its place, what runs, the bytes alive, and every line.
pub(super) fn at_moment(spec: &ChartSpec, moment: &Moment) -> Readout {
    let entry = |name: &str, value: String| Entry { name: name.to_string(), value, role: None };
    let layers = spec.lines.iter().filter(|line| line.role.is_stacked());
    let alive: f64 = layers.filter_map(|line| line.at(moment.x)).map(|(height, _)| height).sum();
    let place = vec![
        entry(&spec.x.label, format::value(spec.x.unit, moment.x)),
        entry("in", moment.name.clone()),
        entry(ALLOCATED, format::value(spec.y.unit, alive)),
    ];
    build_readout(place, spec.lines.iter().map(|line| on_line(spec, line, moment.x)).collect())
}

/// The name of all layers together.
const ALLOCATED: &str = "allocated";
