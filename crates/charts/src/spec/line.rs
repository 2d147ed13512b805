//! Lines of a figure and their roles.

use super::StackContent;

/// The role of a line, which sets its colour, dashes and place in the legend everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// The scenario's own curve, by the index of its strategy in `Strategy::ALL`, drawn heavier.
    Current(usize),
    /// The best layout at each place.
    Best,
    /// The closed-form FSDP bound: dashed.
    Bound,
    /// The line beyond which the run is out of memory.
    MemoryFrontier,
    /// The line beyond which more memory adds little speed.
    Enough,
    /// The line between network-bound and compute-bound.
    NetworkBoundary,
    /// A static choice for a layer of experts, by index below [`CHOICES`].
    Choice(usize),
    /// The adaptive choice, drawn heavier.
    Adaptive,
    /// The baseline of the choices.
    Baseline,
    /// A pinned scenario, by index.
    Pin(usize),
    /// Weak scaling: each GPU keeps its batch.
    Weak,
    /// Strong scaling: the step keeps its batch.
    Strong,
    /// Linear scaling; other lines of the figure are also read out as a fraction of it.
    Ideal,
    /// The peak on the hardware's data sheet.
    Roof,
    /// The fraction of the peak that kernels reach.
    Reached,
    /// The bound of the network.
    Network,
    /// The diagonal where the prediction equals the measurement.
    Equal,
    /// The lines where the prediction is off by a given fraction.
    Margin,
    /// Rows of one set, by index in [`analysis::published::Set::ALL`].
    Set(usize),
    /// A layer of a stack, with its own height, drawn on top of the previous layers.
    Held(StackContent),
    /// Memory reserved by the allocator.
    Reserved,
}

/// Largest number of static choices with a line in one figure.
pub const CHOICES: usize = 8;

impl LineRole {
    /// Returns the class in the style sheet: `line-strategy-3`, `line-bound`.
    pub fn class(self) -> String {
        match self {
            Self::Current(place) => format!("line-strategy-{place} line-current"),
            Self::Best => "line-best".into(),
            Self::Bound => "line-bound".into(),
            Self::MemoryFrontier => "line-memory".into(),
            Self::Enough => "line-enough".into(),
            Self::NetworkBoundary => "line-network".into(),
            Self::Choice(place) => format!("line-choice-{place}"),
            Self::Adaptive => "line-adaptive".into(),
            Self::Baseline => "line-baseline".into(),
            Self::Pin(place) => format!("line-pin-{place}"),
            Self::Weak => "line-weak".into(),
            Self::Strong => "line-strong".into(),
            Self::Ideal => "line-ideal".into(),
            Self::Roof => "line-roof".into(),
            Self::Reached => "line-reached".into(),
            Self::Network => "line-link".into(),
            Self::Equal => "line-equal".into(),
            Self::Margin => "line-margin".into(),
            Self::Set(place) => format!("line-set-{place}"),
            Self::Held(held) => held.class(),
            Self::Reserved => "line-reserved".into(),
        }
    }

    /// Whether the line is the main line of the figure: heavier than the others, with the
    /// scenario's mark on it.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Current(_) | Self::Adaptive)
    }

    /// Whether the marks on the line form a named set, and are only named one by one under the
    /// pointer.
    pub fn is_kind(self) -> bool {
        matches!(self, Self::Set(_))
    }

    /// Whether the line is a layer of a stack: an area instead of a stroke.
    pub fn is_stacked(self) -> bool {
        matches!(self, Self::Held(_))
    }

    /// Whether the line is a guide for reading others, without values of its own.
    pub fn is_guide(self) -> bool {
        matches!(self, Self::Equal | Self::Margin)
    }
}

/// A polyline in data units; a gap (where nothing fits) splits it into several segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyline {
    /// The name in the legend, the table and the CSV.
    pub name: String,
    /// The role.
    pub role: LineRole,
    /// The pieces, each at least two points (x, y).
    pub segments: Vec<Vec<(f64, f64)>>,
    /// The pieces that would hold if memory were no limit, drawn thin and dotted, so that the
    /// infeasible part is not blank.
    pub infeasible: Vec<Vec<(f64, f64)>>,
    /// The range around the line, as factors of its height, that contains 80 % of measurements.
    pub band: Option<(f64, f64)>,
    /// The name of an earlier line that this one coincides with: one stroke, two names in the
    /// legend.
    pub same_as: Option<String>,
}

impl Polyline {
    /// Creates a line with these pieces.
    pub fn new(name: &str, role: LineRole, segments: Vec<Vec<(f64, f64)>>) -> Self {
        Self { name: name.to_string(), role, segments, infeasible: Vec::new(), band: None, same_as: None }
    }

    /// Adds a piece of at least two points to the feasible or the infeasible pieces.
    pub fn push(&mut self, piece: Vec<(f64, f64)>, fits: bool) {
        if piece.len() > 1 {
            if fits { self.segments.push(piece) } else { self.infeasible.push(piece) }
        }
    }

    /// Inserts a point into the feasible or the infeasible piece that spans its x, so that the
    /// height read off there is exact; nothing if no piece does.
    pub fn insert(&mut self, (x, y): (f64, f64), fits: bool) {
        if !y.is_finite() {
            return;
        }
        let pieces = if fits { &mut self.segments } else { &mut self.infeasible };
        for piece in pieces {
            let after = piece.partition_point(|point| point.0 < x);
            match piece.get_mut(after) {
                Some(point) if point.0 == x => return point.1 = y,
                Some(_) if after > 0 => return piece.insert(after, (x, y)),
                _ => {}
            }
        }
    }

    /// Returns the height at an x, and whether the line fits there; `None` outside its pieces. For
    /// curves (one y for each x).
    pub fn at(&self, x: f64) -> Option<(f64, bool)> {
        let on = |piece: &Vec<(f64, f64)>| {
            piece.windows(2).find_map(|pair| match pair {
                [a, b] if a.0 <= x && x <= b.0 => {
                    let span = b.0 - a.0;
                    let share = if span > 0.0 { (x - a.0) / span } else { 0.0 };
                    Some(a.1 + share * (b.1 - a.1))
                }
                _ => None,
            })
        };
        let fits = self.segments.iter().find_map(on).map(|y| (y, true));
        fits.or_else(|| self.infeasible.iter().find_map(on).map(|y| (y, false)))
    }
}
