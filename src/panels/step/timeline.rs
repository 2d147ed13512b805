//! The timeline of a step.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::SettledProps;
use crate::components::figure::{Figure, NarrowedAxes};
use crate::components::select::{Item, Select};
use crate::snapshot::Snapshot;
use crate::state::SelectTarget;
use crate::view::Panel;
use charts::spec::ChartSpec;
use charts::views;

/// Instructions for the timeline: with the pointer, and with the keyboard.
const TIMELINE_HINT: (&str, &str) = (
    "Point to read, click to look closer, drag to zoom, double-click for the whole step. Many short spans are one bar, as high as the \
     share of time in which they run.",
    "With the keyboard: focus the figure, arrow keys, Enter; + and − zoom, 0 shows the whole.",
);
/// Names of the timeline's levels.
pub const LEVELS: [&str; 3] = ["Whole step", "One micro-batch", "One layer"];

/// Renders the timeline.
pub fn timeline(settled: &SettledProps, spec: Rc<ChartSpec>) -> Html {
    let snapshot = settled.snapshot.clone();
    let chosen = snapshot.view.zoom.level as usize;
    let levels = Item::named(LEVELS);
    html! {
        <Figure id="timeline" {spec} {snapshot}
            hint={TIMELINE_HINT} axes={NarrowedAxes::Timeline}>
            <Select id="zoom" name="Part of the step" items={levels} {chosen} target={SelectTarget::TimelineLevel} />
        </Figure>
    }
}

/// Returns the timeline of the settled scenario; empty if no panel shows it.
#[hook]
pub fn use_timeline(settled: &Snapshot) -> Rc<ChartSpec> {
    let Snapshot { scenario, view, .. } = settled;
    use_memo((*scenario, view.zoom, view.shows(Panel::Timeline)), |(scenario, zoom, shown)| {
        if *shown { views::timeline(scenario, *zoom, true) } else { ChartSpec::empty() }
    })
}
