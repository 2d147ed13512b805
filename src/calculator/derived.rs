//! Everything that follows from the choices, made once a redraw.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::{Pin, compared};
use crate::plots::{Charts, Scratches};
use crate::snapshot::Snapshot;
use crate::view::Panel;
use ::analysis::advice::{Advice, advise};
use charts::spec::{BarSpec, ChartSpec};
use charts::views;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;

/// What the panels show.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The scenario that all of this follows from.
    pub scenario: Scenario,
    /// The report of one step.
    pub report: Report,
    /// The issues of the scenario.
    pub issues: Vec<Issue>,
    /// The changes that help most; while a slider moves, those of where it began.
    pub advised: Rc<Advised>,
    /// Map and curves, perhaps of what was on screen before.
    pub charts: Charts,
    /// Memory by part.
    pub memory: Rc<BarSpec>,
    /// One layer of experts, where the model has some.
    pub layer: Option<Rc<ChartSpec>>,
    /// Pinned scenarios.
    pub pins: Vec<Pin>,
}

/// The changes that help most, and what they help.
#[derive(Clone, Debug, PartialEq)]
pub struct Advised {
    /// The scenario.
    pub scenario: Scenario,
    /// The report of its step.
    pub report: Report,
    /// The changes.
    pub changes: Vec<Advice>,
}

/// What is kept from one redraw to the next.
#[derive(Default)]
pub struct Buffers {
    scratches: Scratches,
    charts: Option<Charts>,
    layer: Option<Rc<ChartSpec>>,
    advised: Option<Rc<Advised>>,
}

/// How much is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Whether a slider moves.
    pub moving: bool,
    /// Whether map and curves follow: somebody reads in them, or the page paints them.
    pub charts: bool,
}

impl Pace {
    /// Everything, of a scenario that stands still.
    pub const STILL: Self = Self { moving: false, charts: true };
}

/// What follows from the choices of the state. The hook owns the buffers of the figures: a memo
/// whose scratch space is kept from one redraw to the next, as the map of a moving scenario is
/// refined from the last one.
#[hook]
pub fn use_derived(snapshot: &Rc<Snapshot>, pace: Pace) -> Rc<Derived> {
    let buffers = use_mut_ref(Buffers::default);
    use_memo((snapshot.clone(), pace), move |(snapshot, pace)| derive(snapshot, *pace, &mut buffers.borrow_mut()))
}

/// Everything, but map and curves stay where they need not follow. Of a scenario that moves, the
/// map has only the nodes that the eye needs, and what nobody reads before the hand rests stays as
/// it was: the advice, and the layer of experts. Only what is shown is made.
pub fn derive(snapshot: &Rc<Snapshot>, pace: Pace, buffers: &mut Buffers) -> Derived {
    let Snapshot { scenario, view, .. } = &**snapshot;
    let moving = pace.moving;
    let report = scenario.report();
    let pins = compared(scenario, &snapshot.pins);
    let Buffers { scratches, charts, layer, advised } = buffers;
    let advised = match advised {
        Some(kept) if moving || kept.scenario == *scenario => kept.clone(),
        kept => {
            let changes = advise(scenario, &report);
            kept.insert(Rc::new(Advised { scenario: *scenario, report, changes })).clone()
        }
    };
    let charts = match charts {
        Some(kept) if !pace.charts && kept.are_like(snapshot) || !moving && kept.are_of(snapshot) => kept.clone(),
        kept => kept.insert(scratches.charts(snapshot, &pins, moving)).clone(),
    };
    if !scenario.model.architecture().has_experts() || !view.shows(Panel::Layer) {
        *layer = None;
    } else if !moving || layer.is_none() {
        *layer = Some(Rc::new(views::expert_layer(scenario, view.layer)));
    }
    let mut memory = views::memory_bar(&report);
    memory.caption += &views::of_lengths(scenario);
    memory.pins = pins.iter().map(|pin| views::pinned_memory(&pin.name, &pin.report)).collect();
    Derived {
        scenario: *scenario,
        issues: engine::validate::issues(scenario),
        advised,
        charts,
        memory: Rc::new(memory),
        layer: layer.clone(),
        pins,
        report,
    }
}
