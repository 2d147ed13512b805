//! The figures at the right: map, curves, memory, timeline.

use std::rc::Rc;

use yew::prelude::*;

use crate::components::ask::ask;
use crate::components::bar::MemoryBar;
use crate::components::figure::{Figure, Narrow};
use crate::components::select::{Choose, Item, Select};
use crate::derived::Derived;
use crate::panels::agreement::Agreement;
use crate::panels::closer::Closer;
use crate::panels::expert_layer::expert_layer;
use crate::panels::groups::title;
use crate::panels::ranking::Ranking;
use crate::panels::run::run;
use crate::panels::settings::settings;
use crate::panels::strategies::Strategies;
use crate::panels::why::why;
use crate::state::{Action, State};
use crate::text;
use crate::view::View;
use charts::palette::Theme;
use charts::spec::{AxisKey, ChartSpec};
use charts::timeline::{Level, Zoom};
use charts::views::{AXES, Metric, axes_of, bounds_hold, every_axis};
use engine::params::{Param, ParamId};
use engine::scenario::Scenario;

/// Where figures send what happens.
#[derive(Clone, Copy)]
pub struct Sinks<'a> {
    /// Takes actions.
    pub emit: &'a Callback<Action>,
    /// Takes what the status line should say.
    pub say: &'a Callback<AttrValue>,
}

/// The timeline: it is below the first screen, and has marks only where it is in sight.
pub struct Below {
    /// The figure.
    pub timeline: Rc<ChartSpec>,
    /// The element that is in sight or not.
    pub place: NodeRef,
}

/// A select over the parameters that may stand on an axis, those of every day first; the figure says which one does.
fn axis(
    (id, name): (&'static str, &'static str),
    axes: &[(usize, &'static Param)],
    now: Option<AxisKey>,
    view: View,
    choose: Choose,
    emit: &Callback<Action>,
) -> Html {
    let group = |&(place, param): &(usize, &'static Param)| {
        let group = if place < AXES.len() { None } else { title(param.group) };
        Item { label: AttrValue::Static(param.label), group }
    };
    let items: Vec<Item> = axes.iter().map(group).collect();
    let places: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
    let chosen = axes.iter().position(|axis| Some(AxisKey::Param(axis.1.id)) == now).unwrap_or(0);
    html! { <Select {id} {name} {items} {places} {chosen} {view} {choose} {emit} /> }
}

/// The parameter of the axis at a place among all of them.
fn axis_at(place: usize) -> ParamId {
    every_axis().nth(place).map_or(ParamId::SequenceLength, |param| param.id)
}

/// The metric of the curves.
fn metric(view: View, emit: &Callback<Action>) -> Html {
    let label = |metric: Metric| Item { label: AttrValue::Static(metric.quantity().label), group: None };
    let items = Metric::ALL.map(label).to_vec();
    let chosen = view.metric as usize;
    let choose = Choose(|view, place| {
        let metric = Metric::ALL.get(place).copied().unwrap_or_default();
        Action::Look(View { metric, ..view })
    });
    html! { <Select id="curve-y" name="Vertical axis of the curves" {items} {chosen} {view} {choose} {emit} /> }
}

/// Map, curves, memory, timeline, strategies; `settled` is the scenario as it was when it last stood still.
pub fn figures(
    state: &State,
    settled: Scenario,
    derived: &Rc<Derived>,
    below: Below,
    theme: Theme,
    sinks: Sinks,
) -> Html {
    let Sinks { emit, .. } = sinks;
    let view = state.view;
    let card = |place| why(place, view, &state.scenario, &derived.report, emit);
    html! {
        <section class="figures" aria-label="Figures over parameters">
            { map(state, derived, theme, sinks) }
            { curve(state, derived, theme, sinks) }
            <MemoryBar spec={derived.memory.clone()} {theme} why={view.why} emit={emit.clone()} />
            { card(1) }
            <div class="wide" ref={below.place.clone()}>
                { timeline(state, below.timeline, theme, sinks) }
            </div>
            { below_timeline(state, settled, derived, theme, sinks) }
        </section>
    }
}

/// The feasible region.
pub fn map(state: &State, derived: &Derived, theme: Theme, Sinks { emit, say }: Sinks) -> Html {
    let view = state.view;
    let (map_x, map_y) = (derived.map.x.key, derived.map.y.key);
    let axes = axes_of(&state.scenario, false);
    let across = Choose(|view, place| Action::Look(view.with_map_x(axis_at(place))));
    let up = Choose(|view, place| Action::Look(view.with_map_y(axis_at(place))));
    let of_map = Narrow { view, with: |view, map_part| View { map_part, ..view } };
    html! {
        <Figure id="map" spec={derived.map.clone()} {theme} emit={emit.clone()} say={say.clone()} hint={text::HINT} narrow={of_map}>
            { axis(("map-x", "Horizontal axis of the map"), &axes, map_x, view, across, emit) }
            <span aria-hidden="true">{ "×" }</span>
            { axis(("map-y", "Vertical axis of the map"), &axes, map_y, view, up, emit) }
        </Figure>
    }
}

/// The curves.
pub fn curve(state: &State, derived: &Derived, theme: Theme, Sinks { emit, say }: Sinks) -> Html {
    let view = state.view;
    let of_cost = axes_of(&state.scenario, view.metric == Metric::Cost);
    let along = Choose(|view, place| Action::Look(view.with_curve_x(axis_at(place))));
    let of_curve = Narrow { view, with: |view, [curve_part, _]| View { curve_part, ..view } };
    let bounds = emit.reform(move |_: MouseEvent| Action::Look(View { bounds: !view.bounds, ..view }));
    let overlay = if bounds_hold(&state.scenario) {
        html! {
            <span class="check-line"><label class="check" title={text::BOUNDS_HELP}>
                <input type="checkbox" id="bounds" checked={view.bounds} onclick={bounds} />{ text::BOUNDS }
            </label>{ ask("bound", text::BOUNDS, view.why, emit) }</span>
        }
    } else {
        Html::default()
    };
    html! {
        <Figure id="curve" spec={derived.curve.clone()} {theme} emit={emit.clone()} say={say.clone()} foot={overlay} narrow={of_curve}
            why={view.why}>
            { metric(view, emit) }
            <span>{ "over" }</span>
            { axis(("curve-x", "Horizontal axis of the curves"), &of_cost, derived.curve.x.key, view, along, emit) }
        </Figure>
    }
}

/// The timeline.
pub fn timeline(state: &State, spec: Rc<ChartSpec>, theme: Theme, Sinks { emit, say }: Sinks) -> Html {
    let view = state.view;
    let levels: Vec<Item> = text::LEVELS.map(|label| Item { label: AttrValue::Static(label), group: None }).to_vec();
    let look = Choose(|view, place| {
        let level = Level::ALL.get(place).copied().unwrap_or(Level::Step);
        Action::Look(View { zoom: Zoom::on(level, view.zoom.at), ..view })
    });
    let of_time = Narrow {
        view,
        with: |view, [part, _]| View { zoom: part.map_or(Zoom::WHOLE, |_| Zoom { part, ..view.zoom }), ..view },
    };
    html! {
        <Figure id="timeline" {spec} {theme} emit={emit.clone()} say={say.clone()} hint={text::TIMELINE_HINT}
            narrow={of_time} why={view.why}>
            <Select id="zoom" name="Part of the step" items={levels} chosen={view.zoom.level as usize} {view} choose={look} {emit} />
        </Figure>
    }
}

/// The panels below the timeline.
fn below_timeline(state: &State, settled: Scenario, derived: &Derived, theme: Theme, sinks: Sinks) -> Html {
    let Sinks { emit, say } = sinks;
    let view = state.view;
    let card = |place| why(place, view, &state.scenario, &derived.report, emit);
    html! {
        <>
            { card(2) }
            <Closer scenario={settled} {view} {theme} emit={emit.clone()} say={say.clone()} />
            <Strategies scenario={settled} why={view.why} emit={emit.clone()} />
            <Ranking scenario={settled} emit={emit.clone()} />
            { card(3) }
            { for derived.layer.iter().map(|spec| expert_layer(spec, view, theme, sinks)) }
            { run(&state.scenario, view.why, emit) }
            { settings(&settled) }
            { card(4) }
            <Agreement scenario={settled} {view} {theme} emit={emit.clone()} say={say.clone()} />
        </>
    }
}
