//! Everything that follows from the choices, made once a redraw.

mod compare;
mod poster;

use std::cell::RefCell;
use std::rc::Rc;

pub use compare::{Pin, compare};
pub use poster::{of_poster, poster};

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
    /// The step, evaluated.
    pub report: Report,
    /// What is wrong with the scenario.
    pub issues: Vec<Issue>,
    /// What would help.
    pub advice: Vec<Advice>,
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

/// The buffers of the figures, kept from one redraw to the next.
#[derive(Default)]
pub struct Buffers {
    map: Scratch,
    curve: Scratch,
    layer: Option<Rc<ChartSpec>>,
}

/// All of it; of a scenario that moves, the map has only the nodes that the eye needs, and the layer of experts, which is below
/// the first screen, stays as it was. Of an embed only what it shows.
pub fn derive(scenario: &Scenario, view: &View, moving: bool, buffers: &RefCell<Buffers>) -> Derived {
    let report = scenario.report();
    let Buffers { map, curve, layer } = &mut *buffers.borrow_mut();
    map.set_moving(moving);
    if !scenario.model.architecture().has_experts() || !view.shows(Panel::Layer) {
        *layer = None;
    } else if !moving || layer.is_none() {
        *layer = Some(Rc::new(views::expert_layer(scenario, view.layer)));
    }
    Derived {
        issues: params::issues(scenario),
        advice: advise(scenario, &report),
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
    views::region_within(scenario, [(view.map_x, across), (view.map_y, up)], view.bounds, scratch)
}

fn curves(scenario: &Scenario, view: &View, scratch: &mut Scratch) -> ChartSpec {
    if !view.shows(Panel::Curve) {
        return ChartSpec::empty();
    }
    views::curve_within(scenario, (view.curve_x, view.curve_part), view.metric, view.bounds, scratch)
}
