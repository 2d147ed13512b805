//! A closer look below the timeline: roofline, scaling, and which number moves the result most. Computed where it is about to be seen, once the
//! scenario stands still.

use std::rc::Rc;

use yew::prelude::*;

use super::sensitivity::sensitivity;
use crate::components::figure::Figure;
use crate::effects;
use crate::panels::settled::Settled;
use crate::text;
use crate::text::sensitivity::ROWS;
use charts::spec::ChartSpec;
use charts::views::{Metric, roofline, scaling_curves};
use engine::analysis::sensitivity::{Knob, strongest};
use engine::analysis::sweep::sample;
use engine::scenario::Scenario;

/// What is shown of a scenario.
struct Shown {
    scenario: Scenario,
    metric: Metric,
    roofline: Rc<ChartSpec>,
    scaling: Rc<ChartSpec>,
    now: f64,
    knobs: Vec<Knob>,
}

impl Shown {
    fn of(scenario: &Scenario, metric: Metric) -> Self {
        let measure = |scenario: &Scenario, sample: &_| metric.of(sample, scenario);
        Self {
            scenario: *scenario,
            metric,
            roofline: Rc::new(roofline(scenario)),
            scaling: Rc::new(scaling_curves(scenario)),
            now: measure(scenario, &sample(scenario)),
            knobs: strongest(scenario, ROWS, &measure),
        }
    }
}

/// The three of them; what is far from the screen follows a little later.
#[component]
pub fn Closer(props: &Settled) -> Html {
    let Settled { scenario, view, theme, emit, say } = props;
    let place = use_node_ref();
    let seen = effects::use_seen(&place);
    let rested = effects::use_rested(scenario);
    let kept = use_mut_ref(|| None::<Shown>);
    let mut kept = kept.borrow_mut();
    let stale = kept.as_ref().is_none_or(|shown| shown.scenario != *scenario || shown.metric != view.metric);
    if (seen || rested) && stale {
        *kept = Some(Shown::of(scenario, view.metric));
    }
    let figures = kept.as_ref().map(|shown| {
        let Shown { scenario, metric, roofline, scaling, now, knobs } = shown;
        html! {
            <>
            <Figure id="roofline" spec={roofline.clone()} theme={*theme} emit={emit.clone()} say={say.clone()} foot={note(text::ROOFLINE)} />
            <Figure id="scaling" spec={scaling.clone()} theme={*theme} emit={emit.clone()} say={say.clone()} foot={note(text::SCALING)} />
            { sensitivity(*metric, (*now, scenario.report().fits()), knobs, *view, emit, say) }
            </>
        }
    });
    html! { <div class="figures wide closer" ref={place}>{ figures.unwrap_or_default() }</div> }
}

/// A note under a figure.
pub fn note(words: &'static str) -> Html {
    html! { <p class="note">{ words }</p> }
}
