//! The figures below the first screen: made anew where the scenario stands still, and not while a
//! slider moves.

use std::rc::Rc;

use yew::prelude::*;

use crate::calculator::{Calculator, Settled};
use crate::panels::agreement::Agreement;
use crate::panels::analysis::AnalysisFigures;
use crate::panels::expert_layer::expert_layer;
use crate::panels::generation::generation;
use crate::panels::plan::PlanPanel;
use crate::panels::ranking::Ranking;
use crate::panels::run::run;
use crate::panels::settings::settings;
use crate::panels::step_memory::StepMemory;
use crate::panels::strategies::Strategies;
use crate::panels::timeline::timeline;
use crate::panels::waterfall::Waterfall;
use crate::panels::why::why;
use analysis::layouts::LayoutSearch;
use charts::spec::ChartSpec;

/// The open explanation among these figures; it follows the hand.
#[derive(Clone, PartialEq)]
pub struct Cards([Html; 7]);

impl Cards {
    /// By its place on the page.
    pub fn of(calculator: &Calculator) -> Self {
        Self(core::array::from_fn(|place| if place == 0 { Html::default() } else { why(place, calculator) }))
    }

    fn at(&self, place: usize) -> Html {
        self.0.get(place).cloned().unwrap_or_default()
    }
}

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The scenario as it last stood still.
    pub settled: Settled,
    /// Whether it has moved on since.
    pub moving: bool,
    /// The last search that came to its end.
    pub layouts: Option<Rc<LayoutSearch>>,
    /// The timeline.
    pub timeline: Rc<ChartSpec>,
    /// Its element, which tells whether it is in sight.
    pub of_step: NodeRef,
    /// One layer of experts, where the model has some.
    pub layer: Option<Rc<ChartSpec>>,
    /// The open explanation.
    pub cards: Cards,
}

/// The figures, each with its explanation above it.
#[component]
pub fn Below(props: &Props) -> Html {
    let Props { settled, moving, layouts, timeline: step, of_step, layer, cards } = props;
    let (scenario, why, emit) = (settled.snapshot.scenario, settled.snapshot.view.why, &settled.emit);
    html! {
        <div class={classes!("figures", "wide", "below", moving.then_some("stale"))} aria-busy={moving.to_string()}>
            <Waterfall settled={settled.clone()} />
            { cards.at(6) }
            { for settled.report.rollout.iter().map(|rollout| generation(rollout, why, emit)) }
            { cards.at(5) }
            <StepMemory settled={settled.clone()} {moving} />
            { cards.at(1) }
            <div class="wide" ref={of_step}>{ timeline(settled, step.clone()) }</div>
            { cards.at(2) }
            <AnalysisFigures ..settled.clone() />
            <Strategies {scenario} {why} {emit} />
            <Ranking {scenario} layouts={layouts.clone()} {emit} />
            { cards.at(3) }
            { for layer.iter().map(|spec| expert_layer(spec, settled)) }
            <PlanPanel ..settled.clone() />
            { run(settled) }
            { settings(&scenario) }
            { cards.at(4) }
            <Agreement ..settled.clone() />
        </div>
    }
}
