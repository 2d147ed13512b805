//! Map and curves. A worker derives and paints them ([`crate::worker`]). The page derives its own
//! to read values out, once the scenario is idle or the pointer is on a figure.

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

    /// Returns the panel that shows the figure.
    fn panel(self) -> Panel {
        match self {
            Self::Map => Panel::Map,
            Self::Curve => Panel::Curve,
        }
    }

    /// Derives the figure of a snapshot with its pinned scenarios; empty if no panel shows the
    /// figure. While a slider moves, the map is coarse, and no layouts are searched.
    pub fn derive(self, snapshot: &Snapshot, pins: &[Pin], moving: bool, scratch: &mut Scratch) -> ChartSpec {
        let Snapshot { scenario, view, .. } = snapshot;
        if !view.shows(self.panel()) {
            return ChartSpec::empty();
        }
        scratch.set_moving(moving);
        let pins = pins.iter().map(|pin| Pinned { name: &pin.name, scenario: &pin.scenario });
        match self {
            Self::Map => {
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
    /// The snapshot that the figures show.
    pub snapshot: Rc<Snapshot>,
    /// Whether the map is coarse, as while a slider moves.
    coarse: bool,
    /// The feasible region.
    pub map: Rc<ChartSpec>,
    /// The curves.
    pub curve: Rc<ChartSpec>,
}

/// Scratch space that each figure keeps between redraws, by [`Plot`].
#[derive(Default)]
pub struct Scratches([Scratch; 2]);

impl Scratches {
    /// Returns the scratch space of one figure.
    pub fn for_plot(&mut self, plot: Plot) -> &mut Scratch {
        let [map, curve] = &mut self.0;
        match plot {
            Plot::Map => map,
            Plot::Curve => curve,
        }
    }

    /// Derives both figures.
    pub(super) fn charts(&mut self, snapshot: &Rc<Snapshot>, pins: &[Pin], moving: bool) -> Charts {
        let mut derive = |plot: Plot| Rc::new(plot.derive(snapshot, pins, moving, self.for_plot(plot)));
        let (map, curve) = (derive(Plot::Map), derive(Plot::Curve));
        Charts { snapshot: snapshot.clone(), coarse: moving, map, curve }
    }
}

impl Charts {
    /// Whether the figures have the view and the pins of a snapshot.
    pub(super) fn are_like(&self, snapshot: &Snapshot) -> bool {
        self.snapshot.view == snapshot.view && self.snapshot.pins == snapshot.pins
    }

    /// Whether the figures show a snapshot at full resolution.
    pub(super) fn are_of(&self, snapshot: &Rc<Snapshot>) -> bool {
        !self.coarse && self.snapshot == *snapshot
    }
}
