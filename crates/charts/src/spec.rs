//! The specification of a figure: axes, field, lines, bars and marks in data units, without pixels
//! or colours.

mod course;
mod falls;
mod line;

use std::rc::Rc;

use super::timeline::Lanes;
use analysis::sweep;
use engine::model::hardware::Generation;
use engine::model::report::{Limiter, MemoryPart};
use engine::params::{ParamId, Scale, Unit};
use engine::rounding;
use engine::scenario::resolve::nearest_divisor;

pub use course::{Course, Moment, Span, StackContent};
pub use falls::{Fall, Falls};
pub use line::{CHOICES, LineRole, Polyline};

/// The specification of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartSpec {
    /// The heading.
    pub title: String,
    /// The finding, in one sentence.
    pub caption: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// A value for every cell of a grid, drawn under everything else.
    pub field: Option<Rc<Field>>,
    /// Bars on lanes over time.
    pub lanes: Option<Rc<Lanes>>,
    /// Bars one under another, each starting where the bar above ends.
    pub falls: Option<Rc<Falls>>,
    /// Events along the horizontal axis, under stacked lines ([`LineRole::Held`]).
    pub course: Option<Rc<Course>>,
    /// Curves and boundaries.
    pub lines: Vec<Polyline>,
    /// Named points, which the pointer and the arrow keys reach one by one.
    pub marks: Vec<Mark>,
    /// Names of the parts of the field or of the axis, drawn inside them if there is room.
    pub zones: Vec<Zone>,
    /// Position (x, y) of the scenario on screen; `None` if it is outside the axes.
    pub here: Option<(f64, f64)>,
    /// Positions of pinned scenarios.
    pub pins: Vec<PinMark>,
    /// The coloured quantity of a field, or the quantity of the curves or of the marks' values.
    pub value: Quantity,
}

impl ChartSpec {
    /// Creates an empty figure.
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
            falls: None,
            course: None,
            lines: Vec::new(),
            marks: Vec::new(),
            zones: Vec::new(),
            here: None,
            pins: Vec::new(),
            value: Quantity { label: "", unit: Unit::None },
        }
    }
}

/// The position of a pinned scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PinMark {
    /// Index of the pinned scenario; the first is 0.
    pub place: usize,
    /// Position (x, y).
    pub at: (f64, f64),
    /// Whether the figure holds for the pinned scenario too, because it only differs in the axes'
    /// parameters. The mark is hollow otherwise.
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

/// A named part of a [`Field`], or of the horizontal axis of curves.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Which cells belong to it.
    pub kind: ZoneKind,
    /// The name, such as `does not fit`.
    pub name: String,
    /// The reason, in a few words under the name; may be empty.
    pub reason: String,
    /// The part of the horizontal axis, from and to; `None` in a field.
    pub span: Option<(f64, f64)>,
}

/// The part that a [`Zone`] covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ZoneKind {
    /// Cells that do not fit in memory: hatched.
    DoesNotFit,
    /// Cells where collectives take longer than compute.
    NetworkBound,
    /// Cells where compute, the host, its data or the rollout sets the time.
    ComputeBound,
    /// Memory with which the best layout is slower than with more.
    MemoryBound,
}

impl ZoneKind {
    /// Returns the zone of a limiter.
    pub fn from_limiter(limiter: Limiter) -> Self {
        match limiter {
            Limiter::Memory => Self::DoesNotFit,
            Limiter::InterNode | Limiter::IntraNode => Self::NetworkBound,
            Limiter::Compute | Limiter::Launch | Limiter::Bubble | Limiter::Data | Limiter::Rollout => {
                Self::ComputeBound
            }
        }
    }
}

/// An axis of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity.
    pub label: String,
    /// Its unit.
    pub unit: Unit,
    /// The scale.
    pub scale: Scale,
    /// The smallest value drawn.
    pub min: f64,
    /// The largest value drawn.
    pub max: f64,
    /// The quantity that a click on this axis sets, if there is one.
    pub key: Option<AxisKey>,
    /// The values that a readout and a click round to.
    pub grain: Grain,
    /// The size of a named model on an axis of sizes; a place nearby selects that model.
    pub own: Option<f64>,
}

/// The quantity on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisKey {
    /// A parameter.
    Param(ParamId),
    /// The time within a step, as a fraction of the step.
    Time,
}

impl From<ParamId> for AxisKey {
    fn from(id: ParamId) -> Self {
        Self::Param(id)
    }
}

impl AxisKey {
    /// Returns the parameter, if the quantity is one.
    pub fn param(self) -> Option<ParamId> {
        match self {
            Self::Param(id) => Some(id),
            Self::Time => None,
        }
    }
}

/// The values of an axis that a readout and a click round to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grain {
    /// Any value: a fraction of the step, with the start and the length of the step in the axis's
    /// unit.
    Step(f64, f64),
    /// Any value, to three significant digits.
    Digits,
    /// Whole numbers.
    Whole,
    /// Multiples of this value, rounded down, at least one multiple.
    Down(f64),
    /// Divisors of this value.
    Divisors(u32),
    /// This value, halved or doubled any number of times.
    Doublings(f64),
    /// GPUs: whole replicas of the first value, whole groups of the second ([`sweep::whole_gpus`]).
    Groups(f64, f64),
}

/// Relative distance within which a place means the named model's size.
const NEAR: f64 = 0.06;

impl Axis {
    /// Returns the value that a place on the axis means, which a click sets.
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

/// Halves or doubles a number until its ratio to a value is nearest to one.
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

/// Values on a regular grid over the axes, evenly spaced on their scales. Column 0 is at the
/// smallest x and the last column at the largest; row 0 is at the smallest y and the last row at
/// the largest.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name of the coloured quantity.
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
    /// The limiter; memory means that the cell does not fit and is hatched.
    pub limiter: Limiter,
    /// Free GPU memory in bytes; negative if memory is missing.
    pub free: f64,
    /// The most that such a run may need less what it needs, in bytes: zero at the front, and
    /// negative where the run does not fit.
    pub margin: f64,
}

impl Field {
    /// Returns the node in a column and a row.
    pub fn cell(&self, column: usize, row: usize) -> Option<&Cell> {
        if column < self.columns { self.cells.get(row * self.columns + column) } else { None }
    }
}

/// A named point.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The name, shown next to the mark, in the table and in the CSV.
    pub name: String,
    /// The line whose colour the mark has.
    pub role: LineRole,
    /// Position (x, y).
    pub at: (f64, f64),
    /// The value in the figure's quantity ([`ChartSpec::value`]).
    pub value: f64,
    /// Area of the disc, relative to the largest one, 0 to 1.
    pub weight: f64,
    /// Whether the point fits; the disc is hollow otherwise.
    pub fits: bool,
}

impl Mark {
    /// Creates a mark of the smallest size.
    pub fn new(name: &str, role: LineRole, at: (f64, f64), value: f64) -> Self {
        Self { name: name.to_string(), role, at, value, weight: 0.0, fits: true }
    }
}

/// A stacked bar: memory by part, needed parts first, the cache last, and the rest of the capacity
/// blank.
#[derive(Clone, Debug, PartialEq)]
pub struct BarSpec {
    /// The heading.
    pub title: String,
    /// The finding, in one sentence.
    pub caption: String,
    /// The parts with their bytes, in display order.
    pub parts: Vec<(MemoryPart, f64)>,
    /// The generation of the GPU, by which parts are named.
    pub generation: Generation,
    /// The usable capacity in bytes, drawn as a line across.
    pub capacity: f64,
    /// The nominal capacity in bytes.
    pub nominal: f64,
    /// The range of needed memory, in bytes: 80 % of measurements lie within.
    pub range: [f64; 2],
    /// The bars of pinned scenarios.
    pub pins: Vec<PinnedBar>,
}

impl BarSpec {
    /// Returns the name of a part.
    pub const fn name(&self, part: MemoryPart) -> &'static str {
        engine::names::part_on(part, self.generation).name
    }

    /// Returns the needed bytes: every part except the cache.
    pub fn needed(&self) -> f64 {
        needed(&self.parts)
    }

    /// Returns the bytes of the cache.
    pub fn cache(&self) -> f64 {
        total(&self.parts) - self.needed()
    }

    /// Returns the bytes that stay free; zero if the run does not fit.
    pub fn free(&self) -> f64 {
        (self.capacity - total(&self.parts)).max(0.0)
    }
}

fn total(parts: &[(MemoryPart, f64)]) -> f64 {
    parts.iter().map(|part| part.1).sum()
}

fn needed(parts: &[(MemoryPart, f64)]) -> f64 {
    parts.iter().filter(|part| part.0 != MemoryPart::Cache).map(|part| part.1).sum()
}

/// The memory of a pinned scenario, drawn below the memory of the scenario on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedBar {
    /// The letter and the name.
    pub name: String,
    /// The parts with their bytes, in display order.
    pub parts: Vec<(MemoryPart, f64)>,
    /// The usable capacity in bytes.
    pub capacity: f64,
}

impl PinnedBar {
    /// Returns the bytes of one part.
    pub fn part(&self, part: MemoryPart) -> f64 {
        self.parts.iter().find(|(found, _)| *found == part).map_or(0.0, |(_, bytes)| *bytes)
    }

    /// Returns the bytes of all parts.
    pub fn total(&self) -> f64 {
        total(&self.parts)
    }

    /// Returns the bytes that are needed.
    pub fn needed(&self) -> f64 {
        needed(&self.parts)
    }

    /// Returns the bytes that stay free.
    pub fn free(&self) -> f64 {
        (self.capacity - self.total()).max(0.0)
    }
}
