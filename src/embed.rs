//! A figure in another page: the panels that the link names, some controls, and a link to the page
//! itself.
//!
//! An embed stays within its frame: it adds no history entries, stores nothing and takes no focus.
//! The surrounding page receives its height and its scenario, and may set scenario and view
//! ([`super::browser::use_parent`]).

use std::rc::Rc;

use yew::prelude::*;

use crate::browser;
use crate::calculator::{Calculator, Start, use_calculator};
use crate::components::status::Status;
use crate::context::PageContext;
use crate::panels::accuracy::agreement::Agreement;
use crate::panels::banner::{banner, without_thread};
use crate::panels::controls::controls;
use crate::panels::controls::effects::use_effects;
use crate::panels::figures::{OF_CURVE, OF_MAP, SLIDERS, best, curve, map, slide};
use crate::panels::layouts::ranking::Ranking;
use crate::panels::memory::bar::MemoryBar;
use crate::panels::memory::step_memory::StepMemory;
use crate::panels::pins::pins;
use crate::panels::plan::PlanPanel;
use crate::panels::run::run;
use crate::panels::scaling;
use crate::panels::scaling::analysis::{Analysis, use_analysis};
use crate::panels::settings::settings;
use crate::panels::step::expert_layer::expert_layer;
use crate::panels::step::timeline::{timeline, use_timeline};
use crate::panels::step::waterfall::Waterfall;
use crate::panels::verdict::{answer, issues, row};
use crate::panels::why::why;
use crate::snapshot::Snapshot;
use crate::view::{Controls, Panel, View};
use ::analysis::layouts::LayoutSearch;
use charts::spec::ChartSpec;
use engine::params::ParamId;

/// Label of the link to the page itself.
const OPEN: &str = "Open in full app";
/// Caption in place of the layer of experts, for a dense model.
const NO_EXPERTS: &str = "This model is dense: it has no layer of experts.";

/// The embed: the calculator without an address bar, and the panels that the link names.
#[component]
pub fn Embed(start: &Start) -> Html {
    let calculator = use_calculator(start);
    let Calculator { state, page, snapshot, settled, sentence, status, .. } = &calculator;
    let view = state.view;
    let of_step = use_timeline(&settled.snapshot);
    let of_settled = use_analysis(&settled.snapshot, &settled.report, true);
    let committed = Snapshot { scenario: state.committed(), ..(**snapshot).clone() };
    let link: AttrValue = page_link(&committed).into();
    let content = use_node_ref();
    browser::use_parent(&link, view, &calculator.dispatch);
    browser::use_height(&content, &link);

    let panels = view.embedded();
    let rested = settled.rested;
    let effects = use_effects(&settled.snapshot.scenario, rested && view.controls == Controls::All);
    let layouts = browser::use_layouts(
        &settled.snapshot.scenario,
        rested && !calculator.is_moving() && panels.has(Panel::Ranking),
    );
    let shown = Shown { calculator: &calculator, of_step, of_settled, layouts };
    let away = html! {
        <p class="away"><a href={page_link(snapshot)} target="_blank" rel="noopener">{ OPEN }</a></p>
    };
    let column = match view.controls {
        Controls::None | Controls::Few => away,
        Controls::All => html! { <>{ controls(&calculator, &effects) }{ away }</> },
    };
    let has_plot = panels.all().any(|panel| PLOTS.contains(&panel));
    let below = if has_plot { Html::default() } else { slide(&calculator, sliders_of(Panel::Map, view)) };
    html! {
        <ContextProvider<PageContext> context={page.clone()}><main ref={content} class={classes!("bare", view.controls.key())}>
            if !panels.has(Panel::Verdict) {
                <h1 class="hidden">{ sentence }</h1>
            }
            { banner(&state.banner) }
            { without_thread(calculator.worker.thread()) }
            <div class="figures">{ for panels.all().map(|of| panel(of, &shown)) }</div>
            { pins(&calculator) }
            { why(&calculator) }
            { below }
            { column }
            <Status sentence={status.clone()} />
        </main></ContextProvider<PageContext>>
    }
}

/// Values of an embed's panels that only hooks derive.
struct Shown<'a> {
    /// Everything else.
    calculator: &'a Calculator,
    /// The timeline.
    of_step: Rc<ChartSpec>,
    /// Roofline, scaling and sensitivity.
    of_settled: Option<Rc<Analysis>>,
    /// The last finished search.
    layouts: Option<Rc<LayoutSearch>>,
}

/// The panels that sliders stand under.
const PLOTS: [Panel; 3] = [Panel::Map, Panel::Curve, Panel::Best];

/// Returns the sliders under a plot: its own beside another plot, else all of them.
fn sliders_of(panel: Panel, view: View) -> &'static [ParamId] {
    let panels = view.embedded();
    match (view.controls, panel) {
        (Controls::None, _) => &[],
        (_, Panel::Map) if panels.has(Panel::Curve) || panels.has(Panel::Best) => &OF_MAP,
        (_, Panel::Best) if panels.has(Panel::Curve) => &[],
        (_, Panel::Curve | Panel::Best) if panels.has(Panel::Map) => &OF_CURVE,
        _ => &SLIDERS,
    }
}

/// Renders a panel.
fn panel(panel: Panel, Shown { calculator, of_step, of_settled, layouts }: &Shown) -> Html {
    let Calculator { state, derived, snapshot, settled, page, .. } = calculator;
    let view = state.view;
    let scenario = settled.snapshot.scenario;
    match panel {
        Panel::Verdict => html! {
            <div class="wide">
                { answer(calculator, &NodeRef::default()) }
                { issues(calculator) }
                { row(calculator) }
            </div>
        },
        Panel::Map => map(calculator, sliders_of(panel, view)),
        Panel::Curve => curve(calculator, sliders_of(panel, view)),
        Panel::Best => best(calculator, sliders_of(panel, view)),
        Panel::Compare => pins(calculator),
        Panel::Memory => html! {
            <MemoryBar spec={derived.memory.clone()} snapshot={snapshot.clone()} />
        },
        Panel::Waterfall => html! { <Waterfall settled={settled.clone()} at_once={true} /> },
        Panel::StepMemory => {
            html! { <StepMemory settled={settled.clone()} moving={calculator.is_moving()} at_once={true} /> }
        }
        Panel::Timeline => html! { <div class="wide">{ timeline(settled, of_step.clone()) }</div> },
        Panel::Roofline => of_settled.as_ref().map(|shown| scaling::roofline(shown, settled)).unwrap_or_default(),
        Panel::Scaling => of_settled.as_ref().map(|shown| scaling::scaling(shown, settled)).unwrap_or_default(),
        Panel::Sensitivity => of_settled.as_ref().map(|shown| scaling::sensitivity(shown, page)).unwrap_or_default(),
        Panel::Layer => derived
            .layer
            .as_ref()
            .map_or_else(|| html! { <p class="caption wide">{ NO_EXPERTS }</p> }, |spec| expert_layer(spec, settled)),
        Panel::Agreement => html! { <Agreement ..settled.clone() /> },
        Panel::Strategies | Panel::Ranking => html! {
            <Ranking {scenario} layouts={layouts.clone()} only_strategies={panel == Panel::Strategies} />
        },
        Panel::Plan => html! { <PlanPanel ..settled.clone() /> },
        Panel::Run => run(settled),
        Panel::Settings => settings(&scenario),
    }
}

/// Returns the link from an embed to the page itself.
fn page_link(snapshot: &Snapshot) -> String {
    "./".to_owned() + &snapshot.alone().link()
}
