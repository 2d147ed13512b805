//! Everything derived from the choices, once per redraw.

use std::rc::Rc;

use yew::prelude::*;

use crate::compare::{Pin, compared};
use crate::plots::{Charts, Plot, Scratches};
use crate::snapshot::Snapshot;
use crate::view::Panel;
use crate::worker::Layouts;
use ::analysis::advice::{Advice, advise};
use charts::spec::{BarSpec, ChartSpec};
use charts::views;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;

/// Values that the panels show.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The scenario that everything is derived from.
    pub scenario: Scenario,
    /// The report of one step.
    pub report: Report,
    /// The issues of the scenario.
    pub issues: Vec<Issue>,
    /// The changes that help most; while a slider moves, those from before it moved.
    pub advised: Rc<Advised>,
    /// Map and curves, possibly of an earlier snapshot.
    pub charts: Charts,
    /// Memory by part.
    pub memory: Rc<BarSpec>,
    /// One layer of experts; `None` for a dense model, or while no panel shows the layer.
    pub layer: Option<Rc<ChartSpec>>,
    /// Pinned scenarios.
    pub pins: Vec<Pin>,
}

/// The changes that help most, with the scenario that they apply to.
#[derive(Clone, Debug, PartialEq)]
pub struct Advised {
    /// The scenario.
    pub scenario: Scenario,
    /// The report of its step.
    pub report: Report,
    /// The changes.
    pub changes: Vec<Advice>,
}

/// Buffers kept from one redraw to the next.
#[derive(Default)]
pub struct Buffers {
    scratches: Scratches,
    charts: Option<Charts>,
    layer: Option<Rc<ChartSpec>>,
    advised: Option<Rc<Advised>>,
    /// The layouts that the worker found.
    layouts: Option<Rc<Layouts>>,
}

impl Buffers {
    /// Takes the layouts of the curves from the worker.
    fn take(&mut self, layouts: Option<Rc<Layouts>>) {
        let is_here = |layouts: &Rc<Layouts>| self.layouts.as_ref().is_some_and(|here| Rc::ptr_eq(here, layouts));
        if let Some(layouts) = layouts.filter(|layouts| !is_here(layouts)) {
            self.scratches.for_plot(Plot::Curve).set_layouts((&*layouts).into());
            self.layouts = Some(layouts);
        }
    }
}

/// Amount of work in one redraw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Whether a slider moves.
    pub moving: bool,
    /// Whether map and curves are derived too: because they are being read, or the page paints
    /// them.
    pub charts: bool,
    /// Whether a worker is starting, which will search the layouts of the curves.
    pub is_first: bool,
}

impl Pace {
    /// Everything, for a scenario that is not changing.
    pub const STILL: Self = Self { moving: false, charts: true, is_first: false };
}

/// Derives everything from a snapshot. The hook owns the buffers of the figures, because the map of
/// a changing scenario is refined from the last one; the layouts of the curves are the worker's.
#[hook]
pub fn use_derived(snapshot: &Rc<Snapshot>, pace: Pace, layouts: Option<Rc<Layouts>>) -> Rc<Derived> {
    let buffers = use_mut_ref(Buffers::default);
    use_memo((snapshot.clone(), pace), move |(snapshot, pace)| {
        let mut buffers = buffers.borrow_mut();
        if pace.charts {
            buffers.take(layouts);
        }
        derive(snapshot, *pace, &mut buffers)
    })
}

/// Derives everything from a snapshot. Without `pace.charts`, map and curves are kept as long as
/// view and pins stay. While a slider moves, the map is coarse, and advice and the layer of experts
/// are not recomputed. Figures that no panel shows are not derived.
pub fn derive(snapshot: &Rc<Snapshot>, pace: Pace, buffers: &mut Buffers) -> Derived {
    let Snapshot { scenario, view, .. } = &**snapshot;
    let moving = pace.moving;
    let report = scenario.report();
    let pins = compared(scenario, &snapshot.pins);
    let Buffers { scratches, charts, layer, advised, .. } = buffers;
    let advised = match advised {
        Some(kept) if moving || kept.scenario == *scenario => kept.clone(),
        kept => {
            let changes = advise(scenario, &report);
            kept.insert(Rc::new(Advised { scenario: *scenario, report, changes })).clone()
        }
    };
    let charts = match charts {
        Some(kept) if !pace.charts && kept.are_like(snapshot) || !moving && kept.are_of(snapshot) => kept.clone(),
        kept => kept.insert(scratches.charts(snapshot, &pins, moving, pace.is_first)).clone(),
    };
    if !scenario.model.architecture().has_experts() || !view.shows(Panel::Layer) {
        *layer = None;
    } else if !moving || layer.is_none() {
        *layer = Some(Rc::new(views::expert_layer(scenario, view.layer)));
    }
    let mut memory = views::memory_bar(&report);
    memory.caption += &views::write_longest_batch(scenario);
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
