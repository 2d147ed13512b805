//! Map and curves. A worker derives and paints them ([`crate::worker`]); the page derives its own,
//! for what is read out of them, once the hand rests or somebody points at them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::compare::Pin;
use crate::snapshot::Snapshot;
use crate::view::{Panel, View};
use charts::spec::ChartSpec;
use charts::views::{self, Pinned, Scratch};
use engine::scenario::Scenario;

/// One of the two figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Plot {
    /// The feasible region.
    Map,
    /// The curves.
    Curve,
}

impl Plot {
    /// Both, in the order of their indices.
    pub const ALL: [Self; 2] = [Self::Map, Self::Curve];

    /// The panel that shows it.
    fn panel(self) -> Panel {
        match self {
            Self::Map => Panel::Map,
            Self::Curve => Panel::Curve,
        }
    }

    /// The figure of what is on screen, with its pinned scenarios; empty where no panel shows it.
    /// Of a scenario that moves it has only the nodes that the eye needs.
    pub fn derive(self, snapshot: &Snapshot, pins: &[Pin], moving: bool, scratch: &mut Scratch) -> ChartSpec {
        let Snapshot { scenario, view, .. } = snapshot;
        if !view.shows(self.panel()) {
            return ChartSpec::empty();
        }
        let pins = pins.iter().map(|pin| Pinned { name: &pin.name, scenario: &pin.scenario });
        match self {
            Self::Map => {
                scratch.set_moving(moving);
                let mut spec = region(scenario, view, scratch);
                if pins.len() > 0 {
                    views::pin_places(&mut spec, scenario, pins);
                }
                spec
            }
            Self::Curve => {
                let mut spec =
                    views::curve_within(scenario, (view.curve_x, view.curve_part), view.metric, view.bounds, scratch);
                if pins.len() > 0 {
                    views::pin_curves(&mut spec, scenario, view.metric, pins, &mut Scratch::default());
                }
                spec
            }
        }
    }
}

fn region(scenario: &Scenario, view: &View, scratch: &mut Scratch) -> ChartSpec {
    let [across, up] = view.map_part;
    if view.best && views::best_holds(scenario) {
        return views::best_region(scenario, view.map_part, view.bounds, scratch);
    }
    views::region_within(scenario, [(view.map_x, across), (view.map_y, up)], view.bounds, scratch)
}

/// Both figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Charts {
    /// What they are of.
    pub snapshot: Rc<Snapshot>,
    /// Whether they have only the nodes that the eye needs.
    coarse: bool,
    /// The feasible region.
    pub map: Rc<ChartSpec>,
    /// The curves.
    pub curve: Rc<ChartSpec>,
}

/// What both figures keep from one time to the next, by [`Plot`].
#[derive(Default)]
pub struct Scratches([Scratch; 2]);

impl Scratches {
    /// What one figure keeps.
    pub fn of(&mut self, plot: Plot) -> &mut Scratch {
        let [map, curve] = &mut self.0;
        match plot {
            Plot::Map => map,
            Plot::Curve => curve,
        }
    }

    /// Derives both figures.
    pub(super) fn charts(&mut self, snapshot: &Rc<Snapshot>, pins: &[Pin], moving: bool) -> Charts {
        let mut derive = |plot: Plot| Rc::new(plot.derive(snapshot, pins, moving, self.of(plot)));
        let (map, curve) = (derive(Plot::Map), derive(Plot::Curve));
        Charts { snapshot: snapshot.clone(), coarse: moving, map, curve }
    }
}

impl Charts {
    /// Whether they are of this but for the scenario.
    pub(super) fn are_like(&self, snapshot: &Snapshot) -> bool {
        self.snapshot.view == snapshot.view && self.snapshot.pins == snapshot.pins
    }

    /// Whether they are of this, with every node.
    pub(super) fn are_of(&self, snapshot: &Rc<Snapshot>) -> bool {
        !self.coarse && self.snapshot == *snapshot
    }
}
