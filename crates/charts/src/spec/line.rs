//! Lines of a figure, and what they are.

/// What a line is, which decides its colour, dash and place in the legend everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineRole {
    /// A strategy's curve, by its place in `Strategy::ALL`.
    Strategy(usize),
    /// The scenario's own curve, drawn heavier.
    Current(usize),
    /// The closed-form FSDP bound: dashed.
    Bound,
    /// Out of memory beyond this line.
    MemoryFrontier,
    /// Network-bound on one side, compute-bound on the other.
    NetworkBoundary,
    /// A static choice of how a layer of experts runs, by its place among [`CHOICES`].
    Choice(usize),
    /// What adapting among them picks, drawn heavier.
    Adaptive,
    /// What they are compared with.
    Baseline,
    /// A pinned scenario, by its place.
    Pin(usize),
    /// Each GPU keeps its batch.
    Weak,
    /// The step keeps its batch.
    Strong,
    /// In proportion: other lines of the figure are read out as a share of it too.
    Ideal,
    /// What the hardware's data sheet allows.
    Roof,
    /// What kernels reach of it.
    Reached,
    /// What the network allows.
    Network,
    /// Where what is predicted is what was measured.
    Equal,
    /// Where it is off by so much.
    Margin,
    /// Rows of one kind, by its place among [`engine::published::Set::ALL`].
    Set(usize),
}

/// Static choices of which one figure has a line each, at most.
pub const CHOICES: usize = 8;

impl LineRole {
    /// Its class in the style sheet: `line-strategy-3`, `line-bound`.
    pub fn class(self) -> String {
        match self {
            Self::Strategy(place) => format!("line-strategy-{place}"),
            Self::Current(place) => format!("line-strategy-{place} line-current"),
            Self::Bound => "line-bound".into(),
            Self::MemoryFrontier => "line-memory".into(),
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
        }
    }

    /// Whether the line is the figure's own: heavier than the others, with the mark of the scenario on it.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Current(_) | Self::Adaptive)
    }

    /// Whether its marks are of one kind, which has a name, and are told one by one only when they are pointed at.
    pub fn is_kind(self) -> bool {
        matches!(self, Self::Set(_))
    }

    /// Whether the line is there to read others by, and has no value of its own.
    pub fn is_guide(self) -> bool {
        matches!(self, Self::Equal | Self::Margin)
    }
}

/// A polyline in data units; a gap (where nothing fits) splits it into several segments.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name in the legend, the table and the CSV.
    pub name: String,
    /// What it is.
    pub role: LineRole,
    /// Its pieces, each at least two points (x, y).
    pub segments: Vec<Vec<(f64, f64)>>,
    /// The pieces that would hold if memory were no limit: drawn thin and dotted, so that what does not fit is not blank.
    pub infeasible: Vec<Vec<(f64, f64)>>,
    /// The range around it, as factors of its height: 80 % of measurements lie inside.
    pub band: Option<(f64, f64)>,
    /// The earlier line that this one coincides with, if any: one stroke, two names in the legend.
    pub same_as: Option<String>,
}

impl Line {
    /// A line with these pieces.
    pub fn new(name: &str, role: LineRole, segments: Vec<Vec<(f64, f64)>>) -> Self {
        Self { name: name.to_string(), role, segments, infeasible: Vec::new(), band: None, same_as: None }
    }

    /// Adds a piece of at least two points, to what fits or to what does not.
    pub fn push(&mut self, piece: Vec<(f64, f64)>, fits: bool) {
        if piece.len() > 1 {
            if fits { self.segments.push(piece) } else { self.infeasible.push(piece) }
        }
    }

    /// Its height at an x, and whether it fits there; `None` beside its pieces. For curves (one y for each x).
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
