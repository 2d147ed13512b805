//! Everything that follows from the choices, made once a redraw.

mod analysis;
mod compare;
mod effects;
mod step_memory;
mod step_parts;
mod waterfall;

use std::rc::Rc;

use yew::prelude::*;

pub use analysis::{Analysis, Sensitivity, use_analysis, use_timeline};
pub use compare::{Pin, compare};
pub use effects::use_effects;
pub use step_memory::use_step_memory;
pub use step_parts::step_parts;
pub use waterfall::{Fallen, use_waterfall};

use crate::snapshot::Snapshot;
use crate::state::State;
use crate::view::{Panel, View};
use charts::spec::{BarSpec, ChartSpec};
use charts::views::{self, Scratch};
use engine::analysis::advice::{Advice, advise};
use engine::model::report::Report;
use engine::params;
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
    /// The feasible region.
    pub map: Rc<ChartSpec>,
    /// The curves.
    pub curve: Rc<ChartSpec>,
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

/// The buffers of the figures, kept from one redraw to the next.
#[derive(Default)]
pub struct Buffers {
    map: Scratch,
    curve: Scratch,
    layer: Option<Rc<ChartSpec>>,
    advised: Option<Rc<Advised>>,
}

/// What follows from the choices of the state. The hook owns the buffers of the figures: a memo
/// whose scratch space is kept from one redraw to the next, as the map of a moving scenario is
/// refined from the last one.
#[hook]
pub fn use_derived(state: &State, moving: bool) -> Rc<Derived> {
    let buffers = use_mut_ref(Buffers::default);
    use_memo((state.scenario, state.view, moving, state.pins.clone()), move |(scenario, view, moving, pins)| {
        let mut derived = derive(scenario, view, *moving, &mut buffers.borrow_mut());
        compare(&mut derived, scenario, view, pins);
        derived
    })
}

/// Memory by part, with what its files lead back to: of the scenario on screen while it is `followed`, else as it was last.
#[hook]
pub fn use_memory(derived: &Derived, snapshot: &Rc<Snapshot>, followed: bool) -> (Rc<BarSpec>, Rc<Snapshot>) {
    let kept = use_mut_ref(|| (derived.memory.clone(), snapshot.clone()));
    let mut kept = kept.borrow_mut();
    if followed {
        *kept = (derived.memory.clone(), snapshot.clone());
    }
    kept.clone()
}

/// Everything but the pinned scenarios; of a scenario that moves, the map has only the nodes that
/// the eye needs, and what nobody reads before the hand rests stays as it was: the advice, and the
/// layer of experts below the first screen. Of an embed only what it shows.
pub fn derive(scenario: &Scenario, view: &View, moving: bool, buffers: &mut Buffers) -> Derived {
    let report = scenario.report();
    let Buffers { map, curve, layer, advised } = buffers;
    map.set_moving(moving);
    let advised = match advised {
        Some(kept) if moving || kept.scenario == *scenario => kept.clone(),
        kept => {
            let changes = advise(scenario, &report);
            kept.insert(Rc::new(Advised { scenario: *scenario, report, changes })).clone()
        }
    };
    if !scenario.model.architecture().has_experts() || !view.shows(Panel::Layer) {
        *layer = None;
    } else if !moving || layer.is_none() {
        *layer = Some(Rc::new(views::expert_layer(scenario, view.layer)));
    }
    Derived {
        scenario: *scenario,
        issues: params::issues(scenario),
        advised,
        map: Rc::new(region(scenario, view, map)),
        curve: Rc::new(curves(scenario, view, curve)),
        memory: Rc::new(views::memory_bar(&report)),
        layer: layer.clone(),
        pins: Vec::new(),
        report,
    }
}

fn region(scenario: &Scenario, view: &View, scratch: &mut Scratch) -> ChartSpec {
    if !view.shows(Panel::Map) {
        return ChartSpec::empty();
    }
    let [across, up] = view.map_part;
    if view.best && views::best_holds(scenario) {
        return views::best_region(scenario, view.map_part, view.bounds, scratch);
    }
    views::region_within(scenario, [(view.map_x, across), (view.map_y, up)], view.bounds, scratch)
}

fn curves(scenario: &Scenario, view: &View, scratch: &mut Scratch) -> ChartSpec {
    if !view.shows(Panel::Curve) {
        return ChartSpec::empty();
    }
    views::curve_within(scenario, (view.curve_x, view.curve_part), view.metric, view.bounds, scratch)
}
