//! The figures of the page: the map of what fits, which stays, and beside it the panels of the open
//! tab; the sliders stand under the figure that they move.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::{Calculator, SettledProps};
use crate::components::explain_button::ExplainButton;
use crate::components::figure::{Figure, NarrowedAxes};
use crate::components::latest::Latest;
use crate::components::select::{Item, Select};
use crate::context::PageContext;
use crate::panels::accuracy::agreement::Agreement;
use crate::panels::controls::folds::fold_of;
use crate::panels::controls::sliders;
use crate::panels::layouts::ranking::Ranking;
use crate::panels::memory::bar::MemoryBar;
use crate::panels::memory::generation::generation;
use crate::panels::memory::step_memory::StepMemory;
use crate::panels::pins::pins;
use crate::panels::pins::words::NOTHING_PINNED;
use crate::panels::plan::PlanPanel;
use crate::panels::run::run;
use crate::panels::scaling::AnalysisFigures;
use crate::panels::settings::settings;
use crate::panels::step::expert_layer::expert_layer;
use crate::panels::step::timeline::{timeline, use_timeline};
use crate::panels::step::waterfall::Waterfall;
use crate::panels::tabs::tab_panel;
use crate::panels::why::why;
use crate::plots::Plot;
use crate::snapshot::Snapshot;
use crate::state::{Action, SelectTarget};
use crate::view::{Door, Tab, View};
use crate::worker::Words;
use analysis::layouts::LayoutSearch;
use charts::spec::{AxisKey, ChartSpec};
use charts::views::{AXES, Metric, axes_of, best_holds, bounds_hold};
use engine::params::{Param, ParamId};

/// Instructions for the figures that have axes to set: with the pointer, and with the keyboard.
const HINT: (&str, &str) = (
    "Point to read, click to set the run there, drag its ring to move it, drag elsewhere to zoom, double-click for the whole.",
    "With the keyboard: focus a figure, arrow keys, Enter; + and − zoom, 0 shows the whole.",
);
/// Caption in place of the map of the best configurations, where it does not hold.
const NO_BEST: &str = "Not for this run: its GPU memory decides more than whether it fits (offloaded or \
     generating on the same GPUs), so that one number for each memory and link does not exist.";
/// Help of the map of the best configurations.
const BEST_HELP: &str = "At every GPU memory and link bandwidth the best MFU of sequences from 512 to 131,072 tokens, \
     micro-batches from 1 to 16 and four ways of checkpointing, after the question of Wang et al. 2025 \
     (arXiv 2504.03655).";
/// Short heading of the map, next to its axes.
const FITS: &str = "What fits";
/// Short heading of the curves, next to their axes.
const SPEED: &str = "How fast";
/// Short heading of the map of the best configurations.
const BEST: &str = "Best MFU";
/// Label of the choice of the closed-form bounds.
const BOUNDS: &str = "FSDP bound";
/// Help of the choice of the closed-form bounds.
const BOUNDS_HELP: &str =
    "The closed-form upper bound of FSDP after Wang et al. 2025 (arXiv 2504.03655), dashed in both figures.";

/// Renders the figures: the map of what fits, and the open tab at its right, or the plan; `layouts`
/// is the last finished search, `controls` the open drawer.
pub fn figures(calculator: &Calculator, layouts: Option<Rc<LayoutSearch>>, controls: Html) -> Html {
    let view = calculator.state.view;
    if view.door() == Door::Plan {
        return html! {
            <section class="desk planning" aria-label="Plan">
                { controls }
                <div class="pane">{ why(calculator) }{ slide(calculator, &SLIDERS) }<PlanPanel ..calculator.settled.clone() /></div>
            </section>
        };
    }
    let tab = view.tab();
    let is_plot = matches!(tab, Tab::Speed | Tab::Best);
    html! {
        <section class={classes!("desk", is_plot.then_some("plots"))} aria-label="Plots">
            { controls }
            { why(calculator) }
            <div class="pane of-map">{ map(calculator, &OF_MAP) }</div>
            { tab_panel(view, html! {
                <>
                    // A plot has them under it.
                    if !is_plot { { slide(calculator, &OF_CURVE) } }
                    { open_tab(calculator, layouts) }
                </>
            }) }
        </section>
    }
}

/// The sliders of the first screen: those that move the run over the map, and those that move it
/// over the curves.
pub const OF_MAP: [ParamId; 2] = [ParamId::SequenceLength, ParamId::ModelSize];
/// See [`OF_MAP`].
pub const OF_CURVE: [ParamId; 3] = [ParamId::LinkBandwidth, ParamId::GpuMemory, ParamId::Gpus];
/// All of them, where one plot or none stands.
pub const SLIDERS: [ParamId; 5] =
    [ParamId::SequenceLength, ParamId::ModelSize, ParamId::LinkBandwidth, ParamId::GpuMemory, ParamId::Gpus];

/// Renders the panels of the open tab.
fn open_tab(calculator: &Calculator, layouts: Option<Rc<LayoutSearch>>) -> Html {
    let Calculator { state, derived, snapshot, settled, .. } = calculator;
    let (settled, moving) = (settled.clone(), calculator.is_moving());
    let stale = classes!("still", moving.then_some("stale"));
    match state.view.tab() {
        Tab::Speed => curve(calculator, &OF_CURVE),
        Tab::Best => best(calculator, &OF_CURVE),
        Tab::Memory => html! {
            <>
                <MemoryBar spec={derived.memory.clone()} snapshot={snapshot.clone()} />
                <StepMemory {settled} {moving} />
                { for derived.report.rollout.iter().map(generation) }
            </>
        },
        Tab::Step => html! { <div class={stale}><Step {settled} layer={derived.layer.clone()} /></div> },
        Tab::Scaling => html! { <div class={stale}><AnalysisFigures ..settled /></div> },
        Tab::Cost => html! { <div class={stale}>{ run(&settled) }</div> },
        Tab::Layouts => {
            let (scenario, only_strategies) = (settled.snapshot.scenario, state.view.only_strategies());
            html! { <div class={stale}><Ranking {scenario} {layouts} {only_strategies} /></div> }
        }
        Tab::Compare => compare(calculator),
        Tab::Settings => settings(&settled.snapshot.scenario),
        Tab::Accuracy => html! { <div class={stale}><Agreement ..settled /></div> },
    }
}

/// Renders the pinned scenarios next to the run on screen, or how to pin one.
fn compare(calculator: &Calculator) -> Html {
    if calculator.derived.pins.is_empty() {
        return html! { <p class="caption">{ NOTHING_PINNED }</p> };
    }
    pins(calculator)
}

/// Values of the step's tab.
#[derive(PartialEq, Properties)]
struct StepProps {
    /// Values of the settled scenario.
    settled: SettledProps,
    /// One layer of experts, if the model has experts.
    layer: Option<Rc<ChartSpec>>,
}

/// The breakdown of the step time by part, the timeline, and a layer of experts.
#[component]
fn Step(StepProps { settled, layer }: &StepProps) -> Html {
    let spec = use_timeline(&settled.snapshot);
    html! {
        <>
            <Waterfall settled={settled.clone()} />
            <div class="wide">{ timeline(settled, spec) }</div>
            { for layer.iter().map(|spec| expert_layer(spec, settled)) }
        </>
    }
}

/// Renders a select over the parameters that an axis can show, the common ones first; `now` is the
/// parameter on the axis.
fn axis(
    (id, name): (&'static str, &'static str),
    axes: &[(usize, &'static Param)],
    now: Option<AxisKey>,
    target: SelectTarget,
) -> Html {
    let group = |&(place, param): &(usize, &'static Param)| {
        let group = if place < AXES.len() { None } else { fold_of(param).map(|fold| fold.title) };
        Item { label: AttrValue::Static(param.label), group }
    };
    let items: Vec<Item> = axes.iter().map(group).collect();
    let places: Vec<usize> = axes.iter().map(|axis| axis.0).collect();
    let chosen = axes.iter().position(|axis| Some(AxisKey::Param(axis.1.id)) == now).unwrap_or(0);
    html! { <Select {id} {name} {items} {places} {chosen} {target} /> }
}

/// Returns the snapshot that the files of a figure link back to, and the worker's texts for the
/// figure.
fn painted(calculator: &Calculator, plot: Plot) -> (Rc<Snapshot>, Option<Rc<Words>>) {
    let Calculator { words, derived, .. } = calculator;
    (derived.charts.snapshot.clone(), words.get(plot as usize).cloned().flatten())
}

/// Returns the latest snapshot while map and curves are out of date.
fn later(Calculator { ask, latest, .. }: &Calculator) -> Option<Latest<Rc<Snapshot>>> {
    ask.as_ref().map(|_| latest.clone())
}

/// Renders the feasible region, with sliders.
pub fn map(calculator: &Calculator, sliders: &[ParamId]) -> Html {
    let Calculator { state, worker, derived, .. } = calculator;
    let (view, moving) = (state.view, calculator.is_moving() || calculator.ask.is_some());
    let (snapshot, words) = painted(calculator, Plot::Map);
    let (map_x, map_y) = (derived.charts.map.x.key, derived.charts.map.y.key);
    let axes = axes_of(&state.scenario, false);
    html! {
        <Figure id="map" plot={Plot::Map} worker={worker.clone()} {words} ask={calculator.ask.clone()} later={later(calculator)} spec={derived.charts.map.clone()} {snapshot}
            hint={HINT} tip={true} axes={NarrowedAxes::Map} {moving} short={(!view.embed).then_some(FITS)} sliders={slide(calculator, sliders)}>
            { axis(("map-x", "Horizontal axis of the map"), &axes, map_x, SelectTarget::MapX) }
            <span aria-hidden="true">{ "×" }</span>
            { axis(("map-y", "Vertical axis of the map"), &axes, map_y, SelectTarget::MapY) }
        </Figure>
    }
}

/// Renders the curves, with sliders.
pub fn curve(calculator: &Calculator, sliders: &[ParamId]) -> Html {
    let Calculator { state, worker, derived, page, .. } = calculator;
    let (view, moving) = (state.view, calculator.is_moving() || calculator.ask.is_some());
    let (snapshot, words) = painted(calculator, Plot::Curve);
    let axes = axes_of(&state.scenario, view.metric.is_of_run());
    let metrics = Item::named(Metric::ALL.map(|metric| metric.quantity().label));
    let foot = if bounds_hold(&state.scenario) { bounds(page) } else { Html::default() };
    html! {
        <Figure id="curve" plot={Plot::Curve} worker={worker.clone()} {words} ask={calculator.ask.clone()} later={later(calculator)} spec={derived.charts.curve.clone()} {snapshot}
            tip={true} {foot} axes={NarrowedAxes::Curve} {moving} short={(!view.embed).then_some(SPEED)} sliders={slide(calculator, sliders)}>
            <Select id="curve-y" name="Vertical axis of the curves" items={metrics} chosen={view.metric as usize} target={SelectTarget::Metric} />
            <span>{ "over" }</span>
            { axis(("curve-x", "Horizontal axis of the curves"), &axes, derived.charts.curve.x.key, SelectTarget::CurveX) }
        </Figure>
    }
}

/// Renders the best MFU over GPU memory and link bandwidth, with sliders.
pub fn best(calculator: &Calculator, sliders: &[ParamId]) -> Html {
    let Calculator { state, worker, derived, .. } = calculator;
    if !best_holds(&state.scenario) {
        return html! { <><p class="caption">{ NO_BEST }</p>{ slide(calculator, sliders) }</> };
    }
    let (view, moving) = (state.view, calculator.is_moving() || calculator.ask.is_some());
    let (snapshot, words) = painted(calculator, Plot::Best);
    html! {
        <Figure id="best" plot={Plot::Best} worker={worker.clone()} {words} ask={calculator.ask.clone()} later={later(calculator)} spec={derived.charts.best.clone()} {snapshot}
            hint={HINT} tip={true} axes={NarrowedAxes::Best} {moving} short={(!view.embed).then_some(BEST)} sliders={slide(calculator, sliders)}>
            <span title={BEST_HELP}>{ "over sequence, batch and checkpointing" }</span>
        </Figure>
    }
}

/// Renders sliders in a row; nothing for none.
pub fn slide(calculator: &Calculator, ids: &[ParamId]) -> Html {
    if ids.is_empty() { Html::default() } else { sliders(calculator, ids) }
}

/// Renders the choice whether the closed-form bounds are drawn.
fn bounds(PageContext { view, emit, .. }: &PageContext) -> Html {
    let view = *view;
    let toggle = emit.reform(move |_: MouseEvent| Action::ChangeView(View { bounds: !view.bounds, ..view }));
    html! {
        <span class="check-line"><label class="check" title={BOUNDS_HELP}>
            <input type="checkbox" id="bounds" checked={view.bounds} onclick={toggle} />{ BOUNDS }
        </label><ExplainButton card="bound" what={BOUNDS} /></span>
    }
}
