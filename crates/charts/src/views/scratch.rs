//! Buffers that views reuse from frame to frame.

use super::axes::{AxisOf, over_link};
use super::metric::Metric;
use super::place;
use super::smooth::{self, Along};
use crate::layout::share;
use crate::spec::{Axis, ChartSpec, Polyline};
use analysis::best::Candidates;
use analysis::boundary::Tracer;
use analysis::layout_pool::LayoutPool;
use analysis::network::{limited_by_link, unlimited};
use analysis::refine::Node;
use analysis::sweep::{ParamRange, Sample};
use analysis::{refine, sweep};
use engine::params::ParamId;
use engine::scenario::Scenario;

/// Nodes along x of the field: a few pixels each, so that lines interpolated between them look
/// smooth.
const COLUMNS: usize = 64;
/// Nodes along y of the field.
const ROWS: usize = 44;
/// While a slider moves, one row of nodes replaces this many: a dozen pixels, between which colours
/// and lines are interpolated. Columns are unchanged, as the finding is read along them.
const COARSER: usize = 2;

/// Buffers that views reuse from frame to frame; create them once and pass them to every call.
#[derive(Clone, Debug)]
pub struct Scratch {
    pub(super) columns: usize,
    pub(super) rows: usize,
    /// The rows of the field at rest.
    finest: usize,
    pub(super) tracer: Tracer,
    pub(super) samples: Vec<Sample>,
    pub(super) xs: Vec<f64>,
    pub(super) ys: Vec<f64>,
    /// Whether a slider is moving: invisible details are then interpolated.
    moving: bool,
    /// Whether layouts that are not known are left to another thread.
    leaves_search: bool,
    last: Option<Drawn>,
    /// The configurations that are compared for the best MFU.
    pub(super) candidates: Candidates,
    /// The layouts known of the last scenario.
    pub(super) known: Option<KnownLayouts>,
    /// The last line of the best layout.
    pub(super) best_line: Option<DrawnLine>,
}

/// The layouts of a scenario, whatever its memory and its link.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownLayouts {
    /// The layouts.
    pub pool: LayoutPool,
    /// The scenarios around which the pool was found, which differ in memory and link alone.
    pub around: Vec<Scenario>,
}

/// The line of the last figure.
#[derive(Clone, Debug)]
pub(super) struct DrawnLine {
    /// The scenario without the parameter of the axis.
    pub(super) of: Scenario,
    pub(super) axis: Axis,
    pub(super) metric: Metric,
    pub(super) layouts: usize,
    pub(super) moving: bool,
    pub(super) line: Polyline,
}

/// Content of a map other than its axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MapContent {
    /// Whether the closed-form bounds are drawn.
    pub(super) bounds: bool,
    /// Whether the map shows the best configuration of each place instead of the scenario's own.
    pub(super) best: bool,
}

/// A map, with the inputs it was drawn from.
#[derive(Clone, Debug)]
struct Drawn {
    scenario: Scenario,
    axes: [Axis; 2],
    shown: MapContent,
    moving: bool,
    spec: ChartSpec,
}

impl Default for Scratch {
    fn default() -> Self {
        Self::with_grid(COLUMNS, ROWS)
    }
}

impl Scratch {
    /// Creates buffers with another grid for the field: fewer nodes are faster.
    pub fn with_grid(columns: usize, rows: usize) -> Self {
        let rows = rows.max(2);
        Self {
            columns: columns.max(2),
            rows,
            finest: rows,
            tracer: Tracer::default(),
            samples: Vec::new(),
            xs: Vec::new(),
            ys: Vec::new(),
            moving: false,
            leaves_search: false,
            last: None,
            candidates: Candidates::default(),
            known: None,
            best_line: None,
        }
    }

    /// Sets whether a slider is moving; at rest every node is evaluated.
    pub fn set_moving(&mut self, moving: bool) {
        self.moving = moving;
        self.rows = if moving { (self.finest / COARSER).max(2) } else { self.finest };
    }

    /// Sets whether another thread searches the layouts ([`Self::set_layouts`]); without them the
    /// curves have no line of the best layout.
    pub fn leave_search(&mut self, leaves_search: bool) {
        self.leaves_search = leaves_search;
    }

    /// Whether only layouts that are known may be used.
    pub(super) fn searches_nothing(&self) -> bool {
        self.moving || self.leaves_search
    }

    /// Returns the layouts known of the last scenario.
    pub fn layouts(&self) -> Option<&KnownLayouts> {
        self.known.as_ref()
    }

    /// Sets the layouts that are known, as another thread found them.
    pub fn set_layouts(&mut self, layouts: KnownLayouts) {
        self.known = Some(layouts);
    }

    /// Whether a slider is moving.
    pub(super) fn is_moving(&self) -> bool {
        self.moving
    }

    /// Evaluates the map.
    pub(super) fn fill(&mut self, scenario: &Scenario, x: &AxisOf, y: &AxisOf) {
        let (across, up) = (smooth::evaluated(x, &self.xs), smooth::evaluated(y, &self.ys));
        let over_link = over_link(x, y);
        // The boundary over link bandwidth is one percent of MFU, which interpolation would move.
        let grid = if self.moving && !over_link { refine::grid } else { sweep::grid };
        let ranges = [(x, &across), (y, &up)].map(|(axis, values)| ParamRange { number: axis.number, values });
        grid(scenario, ranges[0], ranges[1], &mut self.samples);
        if over_link {
            mark_by_link(&mut self.samples, scenario, (x, &across), (y, &up));
        }
        smooth::spread(&mut self.samples, (x, &self.xs, &across), (y, &self.ys, &up));
        self.follow_trend(scenario, x, y);
    }

    /// Smooths the map along an axis of model sizes.
    fn follow_trend(&mut self, scenario: &Scenario, x: &AxisOf, y: &AxisOf) {
        let along = match (x.param.id, y.param.id) {
            (ParamId::ModelSize, _) => Along::X,
            (_, ParamId::ModelSize) => Along::Y,
            _ => return,
        };
        let (of_size, values) = match along {
            Along::X => (x, &self.ys),
            Along::Y => (y, &self.xs),
        };
        let exact: Option<(f64, Vec<Sample>)> = of_size.axis.own.map(|own| {
            let at = |&value: &f64| match along {
                Along::X => place::sample(scenario, (x, own), (y, value)),
                Along::Y => place::sample(scenario, (x, value), (y, own)),
            };
            (share(&of_size.axis, own), values.iter().map(at).collect())
        });
        let own = exact.as_ref().map(|(at, samples)| (*at, samples.as_slice()));
        smooth::follow_trend(&mut self.samples, self.xs.len(), along, own);
    }

    /// Evaluates nodes of a grid of which only the signs and the zero lines matter.
    pub(super) fn zeros(&self, (columns, rows): (usize, usize), value: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        let mut values = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            if self.moving {
                refine::line(columns, &mut values, &mut |column| value(column, row));
            } else {
                values.extend((0..columns).map(|column| value(column, row)));
            }
        }
        values
    }

    /// Evaluates the nodes along a curve: `all` of them, or those that are visible.
    pub(super) fn points<T: Node>(&self, all: bool, at: &mut dyn FnMut(usize) -> T) -> Vec<T> {
        let count = self.xs.len();
        let mut points = Vec::with_capacity(count);
        if self.moving && !all {
            refine::line(count, &mut points, at);
        } else {
            points.extend((0..count).map(at));
        }
        points
    }

    /// Returns the last map if only the scenario's place on the same axes has changed.
    pub(super) fn drawn(&self, scenario: &Scenario, x: &AxisOf, y: &AxisOf, shown: MapContent) -> Option<ChartSpec> {
        let last = self.last.as_ref()?;
        let same = (self.moving || !last.moving)
            && last.shown == shown
            && last.axes == [x.axis.clone(), y.axis.clone()]
            && last.scenario == off_axes(scenario, x, y);
        same.then(|| last.spec.clone())
    }

    /// Stores a map.
    pub(super) fn keep(&mut self, scenario: &Scenario, x: &AxisOf, y: &AxisOf, shown: MapContent, spec: &ChartSpec) {
        self.last = (x.param.id != ParamId::Gpus && y.param.id != ParamId::Gpus).then(|| Drawn {
            scenario: off_axes(scenario, x, y),
            axes: [x.axis.clone(), y.axis.clone()],
            shown,
            moving: self.moving,
            spec: spec.clone(),
        });
    }
}

/// Marks every node of a map over link bandwidth and another axis as [`limited_by_link`] says.
fn mark_by_link(
    samples: &mut [Sample],
    scenario: &Scenario,
    (x, across): (&AxisOf, &[f64]),
    (y, up): (&AxisOf, &[f64]),
) {
    let is_across = x.param.id == ParamId::LinkBandwidth;
    // Infinite bandwidth depends on the other axis only.
    let (other, values) = if is_across { (y, up) } else { (x, across) };
    let anywhere = unlimited(scenario);
    let fastest: Vec<Sample> = values.iter().map(|&value| sweep::sample_at(&anywhere, other.number, value)).collect();
    let columns = across.len();
    for (place, sample) in samples.iter_mut().enumerate() {
        let at = if is_across { place / columns } else { place % columns };
        if let Some(fast) = fastest.get(at) {
            *sample = limited_by_link(*sample, fast);
        }
    }
}

/// Returns the scenario with its place on two axes removed. (Not for GPUs: a GPU count that is
/// already set is not rounded to whole groups.)
pub(super) fn off_axes(scenario: &Scenario, x: &AxisOf, y: &AxisOf) -> Scenario {
    let mut anywhere = *scenario;
    for axis in [x, y] {
        sweep::assign(&mut anywhere, axis.number, axis.number.min);
    }
    anywhere
}
