//! The breakdown of the step time, and the levers that would shrink each part.

use std::rc::Rc;

use yew::prelude::*;

use crate::snapshot::Snapshot;
use crate::view::Panel;
use analysis::time_reductions::{TimeReduction, time_reductions};
use charts::spec::ChartSpec;
use charts::views;
use engine::model::report::Report;
use engine::model::step::waterfall::waterfall;
use engine::scenario::Scenario;

/// The figure and the levers of its parts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fallen {
    /// The figure.
    pub spec: Rc<ChartSpec>,
    /// The lever of each part that has one; empty until levers are searched.
    pub levers: Vec<Rc<TimeReduction>>,
}

impl Fallen {
    /// Splits the step of a scenario; `seek` searches for levers.
    pub(super) fn split(scenario: &Scenario, report: &Report, seek: bool) -> Self {
        let split = waterfall(&scenario.setup(), report);
        Self {
            spec: Rc::new(views::split_chart(scenario, report, &split)),
            levers: if seek {
                time_reductions(scenario, report, &split).into_iter().map(Rc::new).collect()
            } else {
                Vec::new()
            },
        }
    }
}

/// Returns the waterfall of the settled scenario; its levers are searched once `due`.
#[hook]
pub fn use_waterfall(settled: &Snapshot, report: &Report, due: bool) -> Rc<Fallen> {
    let shown = settled.view.shows(Panel::Waterfall);
    use_memo((settled.scenario, *report, shown, due), |(scenario, report, shown, due)| {
        if *shown {
            Fallen::split(scenario, report, *due)
        } else {
            Fallen { spec: Rc::new(ChartSpec::empty()), levers: Vec::new() }
        }
    })
}
