//! The table of a stack: each layer at the highest moment of each part of the step.

use super::Table;
use crate::spec::{ChartSpec, Course, Moment};
use engine::format;

/// The name of all layers together.
const ALLOCATED: &str = "Allocated";

/// Tabulates every layer, their sum and the other lines at the highest moment of each part of the
/// step.
pub(super) fn tabulate_course(spec: &ChartSpec, course: &Course) -> Table {
    let mut highest: Vec<(&Moment, f64)> = Vec::new();
    for moment in &course.moments {
        let height = allocated(spec, moment);
        match highest.iter_mut().find(|(of, _)| of.span == moment.span) {
            Some(known) if height > known.1 => *known = (moment, height),
            Some(_) => {}
            None => highest.push((moment, height)),
        }
    }
    let said = |height| format::value(spec.y.unit, height);
    let rows = spec.lines.iter().map(|line| {
        let of_line = highest.iter().map(|(moment, _)| line.at(moment.x).map_or_else(String::new, |at| said(at.0)));
        core::iter::once(line.name.clone()).chain(of_line).collect()
    });
    let sums = core::iter::once(ALLOCATED.to_string()).chain(highest.iter().map(|(_, height)| said(*height))).collect();
    Table {
        caption: format!("{}: the highest moment of each part", spec.title),
        header: core::iter::once("Holds".to_string())
            .chain(highest.iter().map(|(of, _)| of.span.to_string()))
            .collect(),
        rows: core::iter::once(sums).chain(rows).collect(),
    }
}

fn allocated(spec: &ChartSpec, moment: &Moment) -> f64 {
    let layers = spec.lines.iter().filter(|line| line.role.is_stacked());
    layers.filter_map(|line| line.at(moment.x)).map(|(height, _)| height).sum()
}
