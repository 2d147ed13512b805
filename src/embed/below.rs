//! The panels that stand below the first screen of the page, each by itself.

use std::rc::Rc;

use yew::prelude::*;

use crate::components::figure::Figure;
use crate::panels::closer::note;
use crate::panels::expert_layer::expert_layer;
use crate::panels::figures::{self, Sinks};
use crate::panels::sensitivity::sensitivity;
use crate::state::State;
use crate::text;
use crate::text::embed as words;
use crate::text::sensitivity::ROWS;
use crate::view::{Panel, View};
use charts::palette::Theme;
use charts::spec::ChartSpec;
use charts::views::{roofline, scaling_curves, timeline};
use engine::analysis::sensitivity::{Knob, strongest};
use engine::analysis::sweep::sample;
use engine::scenario::Scenario;

/// What those of them show that the link names, of a scenario that stands still.
pub(super) struct Below {
    timeline: Option<Rc<ChartSpec>>,
    roofline: Option<Rc<ChartSpec>>,
    scaling: Option<Rc<ChartSpec>>,
    knobs: Vec<Knob>,
    /// The metric of the scenario, and whether it fits.
    now: (f64, bool),
}

impl Below {
    /// Computes what is named and nothing else.
    pub(super) fn of(scenario: &Scenario, view: View) -> Self {
        let named = |panel| view.embedded().has(panel);
        let measure = |scenario: &Scenario, sample: &_| view.metric.of(sample, scenario);
        Self {
            timeline: named(Panel::Timeline).then(|| Rc::new(timeline(scenario, view.zoom, true))),
            roofline: named(Panel::Roofline).then(|| Rc::new(roofline(scenario))),
            scaling: named(Panel::Scaling).then(|| Rc::new(scaling_curves(scenario))),
            knobs: if named(Panel::Sensitivity) { strongest(scenario, ROWS, &measure) } else { Vec::new() },
            now: (measure(scenario, &sample(scenario)), scenario.report().fits()),
        }
    }

    /// One of them.
    pub(super) fn panel(
        &self,
        panel: Panel,
        state: &State,
        layer: Option<&Rc<ChartSpec>>,
        theme: Theme,
        sinks: Sinks,
    ) -> Html {
        let Sinks { emit, say } = sinks;
        let view = state.view;
        match panel {
            Panel::Timeline => {
                let shown = self.timeline.clone().map(|spec| figures::timeline(state, spec, theme, sinks));
                html! { <div class="wide">{ shown.unwrap_or_default() }</div> }
            }
            Panel::Roofline => figure("roofline", self.roofline.as_ref(), text::ROOFLINE, theme, sinks),
            Panel::Scaling => figure("scaling", self.scaling.as_ref(), text::SCALING, theme, sinks),
            Panel::Layer => layer.map_or_else(
                || html! { <p class="caption wide">{ words::NO_EXPERTS }</p> },
                |spec| expert_layer(spec, view, theme, sinks),
            ),
            _ => sensitivity(view.metric, self.now, &self.knobs, view, emit, say),
        }
    }
}

/// A chart with a note under it.
fn figure(
    id: &'static str,
    spec: Option<&Rc<ChartSpec>>,
    words: &'static str,
    theme: Theme,
    Sinks { emit, say }: Sinks,
) -> Html {
    let shown = spec.map(|spec| {
        html! { <Figure {id} spec={spec.clone()} {theme} emit={emit.clone()} say={say.clone()} foot={note(words)} /> }
    });
    shown.unwrap_or_default()
}
