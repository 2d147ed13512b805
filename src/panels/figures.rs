//! The figures at the right: map, curves, memory, and the panels below them.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::Calculator;
use crate::components::bar::MemoryBar;
use crate::components::explain_button::explain_button;
use crate::components::figure::{Figure, Narrow, NarrowedAxes};
use crate::components::latest::Latest;
use crate::components::select::{Item, Select};
use crate::derived::Plot;
use crate::panels::below::{Below, Cards};
use crate::panels::folds::fold_of;
use crate::panels::sections::Sections;
use crate::snapshot::Snapshot;
use crate::state::{Action, SelectTarget};
use crate::text;
use crate::view::View;
use crate::worker::Words;
use analysis::layouts::LayoutSearch;
use charts::spec::{AxisKey, BarSpec, ChartSpec};
use charts::views::{AXES, Metric, axes_of, best_holds, bounds_hold};
use engine::params::Param;

/// Figures that need not follow while nobody sees them, with the elements that tell whether they
/// are in sight.
pub struct OutOfSight {
    /// Memory by part, and what its files lead back to.
    pub memory: (Rc<BarSpec>, Rc<Snapshot>),
    /// The element of the memory bar.
    pub of_bar: NodeRef,
    /// The timeline.
    pub timeline: Rc<ChartSpec>,
    /// The element of the timeline.
    pub of_step: NodeRef,
}

/// All figures; `layouts` is the last search that came to its end.
pub fn figures(calculator: &Calculator, layouts: Option<Rc<LayoutSearch>>, below: OutOfSight) -> Html {
    let Calculator { state, derived, settled, theme, emit, .. } = calculator;
    let OutOfSight { memory: (memory, snapshot), of_bar, timeline, of_step } = below;
    let cards = Cards::of(calculator);
    html! {
        <section class="figures" aria-label="Figures over parameters">
            <Sections />
            { map(calculator) }
            { curve(calculator) }
            <div class="wide" ref={of_bar}>
                <MemoryBar spec={memory} {snapshot} theme={*theme} why={state.view.why} emit={emit.clone()} />
            </div>
            <Below settled={settled.clone()} moving={calculator.is_moving()} {layouts} {timeline} {of_step} {cards}
                layer={derived.layer.clone()} />
        </section>
    }
}

/// A select over the parameters that may stand on an axis, the common ones first; `now` is the
/// parameter on the axis.
fn axis(
    (id, name): (&'static str, &'static str),
    axes: &[(usize, &'static Param)],
    now: Option<AxisKey>,
    view: View,
    target: SelectTarget,
    emit: &Callback<Action>,
) -> Html {
    let group = |&(place, param): &(usize, &'static Param)| {
        let group = if place < AXES.len() { None } else { fold_of(param).map(|fold| fold.title) };
        Item { label: AttrValue::Static(param.label), group }
    };
    let items: Vec<Item> = axes.iter().map(group).collect();
    let places: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
    let chosen = axes.iter().position(|axis| Some(AxisKey::Param(axis.1.id)) == now).unwrap_or(0);
    html! { <Select {id} {name} {items} {places} {chosen} {view} {target} {emit} /> }
}

/// What the files of a figure lead back to, and what the worker says beside it.
fn painted(calculator: &Calculator, plot: Plot) -> (Rc<Snapshot>, Option<Rc<Words>>) {
    let Calculator { words: [map, curve], derived, .. } = calculator;
    let words = match plot {
        Plot::Map => map.clone(),
        Plot::Curve => curve.clone(),
    };
    (derived.charts.snapshot.clone(), words)
}

/// What is on screen, where map and curves are still of what was there before.
fn later(Calculator { ask, latest, .. }: &Calculator) -> Option<Latest<Rc<Snapshot>>> {
    ask.as_ref().map(|_| latest.clone())
}

/// The feasible region.
pub fn map(calculator: &Calculator) -> Html {
    let Calculator { state, worker, derived, theme, emit, say, .. } = calculator;
    let (view, moving) = (state.view, calculator.is_moving() || calculator.ask.is_some());
    let (snapshot, words) = painted(calculator, Plot::Map);
    let (map_x, map_y) = (derived.charts.map.x.key, derived.charts.map.y.key);
    let axes = axes_of(&state.scenario, false);
    let narrow = Narrow { view, axes: NarrowedAxes::Map };
    let foot = if best_holds(&state.scenario) { best(view, emit) } else { Html::default() };
    html! {
        <Figure id="map" plot={Plot::Map} worker={worker.clone()} {words} ask={calculator.ask.clone()} later={later(calculator)} spec={derived.charts.map.clone()} {snapshot} theme={*theme} emit={emit.clone()} say={say.clone()}
            hint={text::HINT} tip={true} {foot} {narrow} {moving} short={(!view.embed).then_some(text::FITS)}>
            { axis(("map-x", "Horizontal axis of the map"), &axes, map_x, view, SelectTarget::MapX, emit) }
            <span aria-hidden="true">{ "×" }</span>
            { axis(("map-y", "Vertical axis of the map"), &axes, map_y, view, SelectTarget::MapY, emit) }
        </Figure>
    }
}

/// The curves.
pub fn curve(calculator: &Calculator) -> Html {
    let Calculator { state, worker, derived, theme, emit, say, .. } = calculator;
    let (view, moving) = (state.view, calculator.is_moving() || calculator.ask.is_some());
    let (snapshot, words) = painted(calculator, Plot::Curve);
    let axes = axes_of(&state.scenario, view.metric.is_of_run());
    let narrow = Narrow { view, axes: NarrowedAxes::Curve };
    let label = |metric: Metric| Item { label: AttrValue::Static(metric.quantity().label), group: None };
    let metrics = Metric::ALL.map(label).to_vec();
    let foot = if bounds_hold(&state.scenario) { bounds(view, emit) } else { Html::default() };
    html! {
        <Figure id="curve" plot={Plot::Curve} worker={worker.clone()} {words} ask={calculator.ask.clone()} later={later(calculator)} spec={derived.charts.curve.clone()} {snapshot} theme={*theme} emit={emit.clone()} say={say.clone()}
            tip={true} {foot} {narrow} {moving} why={view.why} short={(!view.embed).then_some(text::SPEED)}>
            <Select id="curve-y" name="Vertical axis of the curves" items={metrics} chosen={view.metric as usize} {view}
                target={SelectTarget::Metric} {emit} />
            <span>{ "over" }</span>
            { axis(("curve-x", "Horizontal axis of the curves"), &axes, derived.charts.curve.x.key, view, SelectTarget::CurveX, emit) }
        </Figure>
    }
}

/// The choice whether the map shows the best configuration of each place.
fn best(view: View, emit: &Callback<Action>) -> Html {
    let toggle = emit.reform(move |_: MouseEvent| Action::Look(view.with_best(!view.best)));
    html! {
        <span class="check-line"><label class="check" title={text::BEST_HELP}>
            <input type="checkbox" id="best" checked={view.best} onclick={toggle} />{ text::BEST }
        </label></span>
    }
}

/// The choice whether the closed-form bounds are drawn.
fn bounds(view: View, emit: &Callback<Action>) -> Html {
    let toggle = emit.reform(move |_: MouseEvent| Action::Look(View { bounds: !view.bounds, ..view }));
    html! {
        <span class="check-line"><label class="check" title={text::BOUNDS_HELP}>
            <input type="checkbox" id="bounds" checked={view.bounds} onclick={toggle} />{ text::BOUNDS }
        </label>{ explain_button("bound", text::BOUNDS, view.why, emit) }</span>
    }
}
