//! The timeline of a step.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::Settled;
use crate::components::figure::{Figure, Narrow, NarrowedAxes};
use crate::components::select::{Item, Select};
use crate::state::SelectTarget;
use crate::text;
use charts::spec::ChartSpec;

/// The timeline.
pub fn timeline(settled: &Settled, spec: Rc<ChartSpec>) -> Html {
    let Settled { snapshot, theme, emit, say, .. } = settled;
    let view = snapshot.view;
    let levels: Vec<Item> = text::LEVELS.map(|label| Item { label: AttrValue::Static(label), group: None }).to_vec();
    html! {
        <Figure id="timeline" {spec} snapshot={snapshot.clone()} theme={*theme} emit={emit.clone()} say={say.clone()}
            hint={text::TIMELINE_HINT} narrow={Narrow { view, axes: NarrowedAxes::Timeline }} why={view.why}>
            <Select id="zoom" name="Part of the step" items={levels} chosen={view.zoom.level as usize} {view}
                target={SelectTarget::TimelineLevel} {emit} />
        </Figure>
    }
}
