//! Map and curves. A worker derives and paints them ([`crate::worker`]). The page derives its own
//! to read values out, once the scenario is idle or the pointer is on a figure.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::compare::Pin;
use crate::snapshot::Snapshot;
use crate::view::Panel;
use charts::spec::ChartSpec;
use charts::views::{self, Pinned, Scratch};

/// One of the three figures that the worker paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Plot {
    /// The feasible region.
    Map,
    /// The curves.
    Curve,
    /// The best MFU over GPU memory and link bandwidth.
    Best,
}

/// Number of the figures.
pub const PLOTS: usize = 3;

impl Plot {
    /// All, in the order of their indices.
    pub const ALL: [Self; PLOTS] = [Self::Map, Self::Curve, Self::Best];

    /// Returns the panel that shows the figure.
    fn panel(self) -> Panel {
        match self {
            Self::Map => Panel::Map,
            Self::Curve => Panel::Curve,
            Self::Best => Panel::Best,
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
                let [across, up] = view.map_part;
                let axes = [(view.map_x, across), (view.map_y, up)];
                let mut spec = views::region_within(scenario, axes, view.bounds, scratch);
                if pins.len() > 0 {
                    views::pin_places(&mut spec, scenario, pins);
                }
                spec
            }
            Self::Best if views::best_holds(scenario) => {
                let mut spec = views::best_region(scenario, view.best_part, view.bounds, scratch);
                if pins.len() > 0 {
                    views::pin_places(&mut spec, scenario, pins);
                }
                spec
            }
            Self::Best => ChartSpec::empty(),
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

/// The figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Charts {
    /// The snapshot that the figures show.
    pub snapshot: Rc<Snapshot>,
    /// Whether the map is coarse, as while a slider moves, or the curves lack layouts.
    coarse: bool,
    /// The feasible region.
    pub map: Rc<ChartSpec>,
    /// The curves.
    pub curve: Rc<ChartSpec>,
    /// The best MFU over GPU memory and link bandwidth.
    pub best: Rc<ChartSpec>,
}

/// Scratch space that each figure keeps between redraws, by [`Plot`].
#[derive(Default)]
pub struct Scratches([Scratch; PLOTS]);

impl Scratches {
    /// Returns the scratch space of one figure.
    pub fn for_plot(&mut self, plot: Plot) -> &mut Scratch {
        let [map, curve, best] = &mut self.0;
        match plot {
            Plot::Map => map,
            Plot::Curve => curve,
            Plot::Best => best,
        }
    }

    /// Derives the figures; `is_first` leaves the search of layouts to the worker.
    pub(super) fn charts(&mut self, snapshot: &Rc<Snapshot>, pins: &[Pin], moving: bool, is_first: bool) -> Charts {
        self.for_plot(Plot::Curve).leave_search(is_first);
        let mut derive = |plot: Plot| Rc::new(plot.derive(snapshot, pins, moving, self.for_plot(plot)));
        let [map, curve, best] = Plot::ALL.map(&mut derive);
        Charts { snapshot: snapshot.clone(), coarse: moving || is_first, map, curve, best }
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
