//! The description of one figure: axes, field, lines, bars and markers in data units; no pixels, no colours.

mod line;

use std::rc::Rc;

use super::timeline::Lanes;
use engine::analysis::sweep;
use engine::model::report::{Limiter, MemoryPart};
use engine::params::{ParamId, Scale, Unit};
use engine::rounding;
use engine::scenario::resolve::nearest_divisor;

pub use line::{CHOICES, Line, LineRole};

/// One figure.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSpec {
    /// What it shows, as a heading.
    pub title: String,
    /// The finding, in one sentence.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// A value for every cell of a grid, drawn under everything else.
    pub field: Option<Rc<Field>>,
    /// Bars on lanes, over time.
    pub lanes: Option<Rc<Lanes>>,
    /// Curves and boundaries.
    pub lines: Vec<Line>,
    /// Named points: pointed at, and reached by arrow keys, one by one.
    pub marks: Vec<Mark>,
    /// What the parts of the field are called, drawn inside them where there is room.
    pub zones: Vec<Zone>,
    /// Where the scenario on screen stands, (x, y); `None` when it is outside the axes.
    pub here: Option<(f64, f64)>,
    /// Where pinned scenarios stand.
    pub pins: Vec<PinMark>,
    /// The coloured quantity of a field, that of the curves, or what marks say beside their place.
    pub value: Quantity,
}

impl ChartSpec {
    /// A figure with nothing in it.
    pub fn empty() -> Self {
        let axis = Axis {
            label: String::new(),
            unit: Unit::None,
            scale: Scale::Linear,
            min: 0.0,
            max: 1.0,
            key: None,
            grain: Grain::Digits,
            own: None,
        };
        Self {
            title: String::new(),
            caption: String::new(),
            x: axis.clone(),
            y: axis,
            field: None,
            lanes: None,
            lines: Vec::new(),
            marks: Vec::new(),
            zones: Vec::new(),
            here: None,
            pins: Vec::new(),
            value: Quantity { label: "", unit: Unit::None },
        }
    }
}

/// The place of a pinned scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinMark {
    /// Which one: the first is 0.
    pub place: usize,
    /// Where it stands, (x, y).
    pub at: (f64, f64),
    /// Whether the figure is its own: nothing but the axes tells it from the scenario on screen. Hollow where it is not.
    pub own: bool,
}

/// A quantity's name and unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name.
    pub label: &'static str,
    /// Its unit.
    pub unit: Unit,
}

/// A named part of a [`Field`].
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Which cells belong to it.
    pub kind: ZoneKind,
    /// Its name: `does not fit`.
    pub name: String,
    /// Why, in a few words that fit under the name; may be empty.
    pub reason: String,
}

/// Which cells of a [`Field`] a [`Zone`] covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZoneKind {
    /// Cells that do not fit in memory: hatched.
    DoesNotFit,
    /// Cells where collectives outlast compute.
    NetworkBound,
    /// Cells where compute (or the host) sets the time.
    ComputeBound,
}

impl ZoneKind {
    /// The zone of a limiter.
    pub fn of(limiter: Limiter) -> Self {
        match limiter {
            Limiter::Memory => Self::DoesNotFit,
            Limiter::InterNode | Limiter::IntraNode => Self::NetworkBound,
            Limiter::Compute | Limiter::Launch | Limiter::Bubble => Self::ComputeBound,
        }
    }
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity.
    pub label: String,
    /// Its unit.
    pub unit: Unit,
    /// How values spread.
    pub scale: Scale,
    /// The smallest value drawn.
    pub min: f64,
    /// The largest value drawn.
    pub max: f64,
    /// What a click on this axis sets, where it sets something.
    pub key: Option<AxisKey>,
    /// Which values are read out, and set by a click.
    pub grain: Grain,
    /// The size of a named model where its own size stands on the axis: a place near it means that model.
    pub own: Option<f64>,
}

/// What a place on an axis is a value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKey {
    /// A parameter.
    Param(ParamId),
    /// The time within a step, as a share of it.
    Time,
}

impl From<ParamId> for AxisKey {
    fn from(id: ParamId) -> Self {
        Self::Param(id)
    }
}

impl AxisKey {
    /// The parameter, where it is one.
    pub fn param(self) -> Option<ParamId> {
        match self {
            Self::Param(id) => Some(id),
            Self::Time => None,
        }
    }
}

/// Which values of an axis are read out and set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grain {
    /// Any: a share of the step that starts so far from the axis's zero, in its unit, and is so long.
    Step(f64, f64),
    /// Any, to three significant digits.
    Digits,
    /// Whole numbers.
    Whole,
    /// The multiple of this that is not larger, at least one.
    Down(f64),
    /// Divisors of this.
    Divisors(u32),
    /// This, halved or doubled any number of times.
    Doublings(f64),
    /// GPUs: whole replicas of this many, whole groups of the other ([`sweep::whole_gpus`]).
    Groups(f64, f64),
}

/// How near to a named model's size a place means that model, as a share of the size.
const NEAR: f64 = 0.06;

impl Axis {
    /// The value that is read out at a place of the axis, and that a click there sets.
    pub fn settled(&self, value: f64) -> f64 {
        if let Some(own) = self.own
            && (value / own - 1.0).abs() <= NEAR
        {
            return own;
        }
        match self.grain {
            Grain::Step(start, length) => (value - start) / length,
            Grain::Digits => rounding::nearest(value),
            Grain::Down(step) => (value / step).floor().max(1.0) * step,
            Grain::Whole => value.round(),
            Grain::Doublings(one) => doubled(one, value),
            Grain::Divisors(number) => f64::from(nearest_divisor(number, value.round() as u32)),
            Grain::Groups(replica, whole) => sweep::whole_gpus(value.round(), replica, whole),
        }
    }
}

/// A number, halved or doubled until it is nearest to a value by its ratio.
fn doubled(one: f64, value: f64) -> f64 {
    let mut near = one;
    while near > 0.0 && 2.0 * value * value < near * near {
        near *= 0.5;
    }
    while near > 0.0 && value.is_finite() && value * value > 2.0 * near * near {
        near *= 2.0;
    }
    near
}

/// A value at every node of a regular grid over the axes (even in their scales): column 0 at the smallest x and the last
/// column at the largest, row 0 at the smallest y and the last row at the largest.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// What the colour means.
    pub label: String,
    /// Columns along x.
    pub columns: usize,
    /// Rows along y.
    pub rows: usize,
    /// `rows * columns` values, row by row.
    pub cells: Vec<Cell>,
    /// The value at the light end of the colour scale.
    pub low: f64,
    /// The value at the dark end of the colour scale.
    pub high: f64,
}

/// The value at one node of a [`Field`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The coloured value (MFU in percent).
    pub value: f64,
    /// What limits there; memory means that it does not fit, and the cell is hatched.
    pub limiter: Limiter,
    /// Bytes of GPU memory left free; negative: bytes that are missing.
    pub free: f64,
}

impl Field {
    /// The node in this column and row.
    pub fn cell(&self, column: usize, row: usize) -> Option<&Cell> {
        if column < self.columns { self.cells.get(row * self.columns + column) } else { None }
    }
}

/// A named point.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Its name beside it, in the table and in the CSV.
    pub name: String,
    /// The line whose colour it has.
    pub role: LineRole,
    /// Where it stands, (x, y).
    pub at: (f64, f64),
    /// What it says beside its place, in the figure's quantity ([`ChartSpec::value`]).
    pub value: f64,
    /// The area of its disc, as a share of the largest one's: 0 to 1.
    pub weight: f64,
    /// Whether it fits: hollow where it does not.
    pub fits: bool,
}

impl Mark {
    /// A mark of the smallest size.
    pub fn new(name: &str, role: LineRole, at: (f64, f64), value: f64) -> Self {
        Self { name: name.to_string(), role, at, value, weight: 0.0, fits: true }
    }
}

/// A stacked bar: memory by part.
#[derive(Clone, Debug, PartialEq)]
pub struct BarSpec {
    /// What it shows.
    pub title: String,
    /// The finding, in one sentence.
    pub caption: String,
    /// The parts with their bytes, in display order.
    pub parts: Vec<(MemoryPart, f64)>,
    /// The capacity in bytes, drawn as a line across.
    pub capacity: f64,
    /// The same of pinned scenarios.
    pub pins: Vec<PinnedBar>,
}

/// The memory of a pinned scenario, beneath that of the one on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedBar {
    /// Its letter and name.
    pub name: String,
    /// The parts with their bytes, in display order.
    pub parts: Vec<(MemoryPart, f64)>,
    /// The capacity in bytes.
    pub capacity: f64,
}

impl PinnedBar {
    /// The bytes of one part.
    pub fn part(&self, part: MemoryPart) -> f64 {
        self.parts.iter().find(|(found, _)| *found == part).map_or(0.0, |(_, bytes)| *bytes)
    }

    /// All parts together, in bytes.
    pub fn total(&self) -> f64 {
        self.parts.iter().map(|part| part.1).sum()
    }
}
