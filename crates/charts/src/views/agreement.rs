//! Predictions against measurements: every published row as a mark, the diagonal, and lines where
//! predictions are off by a fifth.

mod finding;
mod scored;

#[cfg(test)]
mod tests;

pub use finding::kinds;
pub use scored::{Scored, ScoredRows};

use crate::spec::{Axis, ChartSpec, Grain, LineRole, Mark, Polyline, Quantity};
use analysis::published::Set;
use engine::params::{Scale, Unit};

/// The quantity that is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The time of a step.
    #[default]
    StepTime,
    /// The peak of memory.
    PeakMemory,
}

impl Measure {
    /// Every measure, in display order.
    pub const ALL: [Self; 2] = [Self::StepTime, Self::PeakMemory];

    /// Returns the display name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::StepTime => "step time",
            Self::PeakMemory => "peak memory",
        }
    }

    const fn unit(self) -> Unit {
        match self {
            Self::StepTime => Unit::Seconds,
            Self::PeakMemory => Unit::Gib,
        }
    }
}

/// The settings of the figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AgreementView {
    /// The quantity that is compared.
    pub measure: Measure,
    /// The rows that are shown, by index in [`filters`].
    pub shown: usize,
}

/// A selection of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// Every row.
    All,
    /// The rows of a set.
    Set(Set),
    /// The rows of a publisher, by index in [`ScoredRows::sources`].
    Source(usize),
}

/// Name of the selection of all rows.
const ALL_ROWS: &str = "All published rows";

/// Names of the sets of rows.
const SET_NAMES: [&str; Set::ALL.len()] =
    ["Dense, MFU of 20 % or more", "Dense, MFU below 20 %", "Mixtures of experts"];

impl Filter {
    /// Returns the filter at an index in [`filters`].
    fn at(place: usize) -> Self {
        match place.checked_sub(1) {
            None => Self::All,
            Some(place) => {
                Set::ALL.get(place).map_or(Self::Source(place.saturating_sub(Set::ALL.len())), |set| Self::Set(*set))
            }
        }
    }

    fn takes(self, scored: &Scored) -> bool {
        match self {
            Self::All => true,
            Self::Set(set) => set == scored.row.set,
            Self::Source(source) => source == scored.source,
        }
    }
}

/// Returns every filter with its name and its number of rows that have the measure: all rows, each
/// set, each source.
pub fn filters(all: &ScoredRows, measure: Measure) -> Vec<(Filter, &str, usize)> {
    let sources = all.sources.iter().map(String::as_str);
    let named = [ALL_ROWS].into_iter().chain(SET_NAMES).chain(sources).enumerate();
    named
        .map(|(place, name)| {
            let filter = Filter::at(place);
            let taken = all.rows.iter().filter(|scored| filter.takes(scored) && scored.pair(measure).is_some());
            (filter, name, taken.count())
        })
        .collect()
}

/// Iterates over the rows of a view, with their indices and their measured and predicted values.
fn shown(all: &ScoredRows, view: AgreementView) -> impl Iterator<Item = (usize, &Scored, (f64, f64))> {
    let filter = Filter::at(view.shown);
    let taken = all.rows.iter().enumerate().filter(move |(_, scored)| filter.takes(scored));
    taken.filter_map(move |(place, scored)| Some((place, scored, scored.pair(view.measure)?)))
}

/// Relative error within which a prediction counts as near.
const NEAR: f64 = 0.2;
/// Room around the marks, as a factor.
const ROOM: f64 = 1.3;
/// Smallest extent of the axes from their middle, as a factor.
const LEAST: f64 = 3.0;
/// Ends of the axes if no row is shown.
const NOTHING: (f64, f64) = (0.1, 100.0);

/// Widens the ends of the axes if they are close together, so that a single row is in the middle.
fn wide(low: f64, high: f64) -> (f64, f64) {
    let middle = (low * high).sqrt();
    (low.min(middle / LEAST), high.max(middle * LEAST))
}

/// Returns the figure and the row index of each of its marks; `here` is the row of the scenario on
/// screen.
pub fn agreement(rows: &ScoredRows, view: AgreementView, here: Option<usize>) -> (ChartSpec, Vec<usize>) {
    let (mut low, mut high) = (f64::MAX, 0.0_f64);
    let (mut marks, mut places) = (Vec::new(), Vec::new());
    let mut own = None;
    for (place, scored, (measured, predicted)) in shown(rows, view) {
        low = low.min(measured).min(predicted);
        high = high.max(measured).max(predicted);
        let role = LineRole::Set(scored.row.set as usize);
        marks.push(Mark::new(&scored.name, role, (measured, predicted), 1e2 * (predicted / measured - 1.0)));
        places.push(place);
        own = own.or((here == Some(place)).then_some((measured, predicted)));
    }
    let (low, high) = if high > 0.0 { wide(low / ROOM, high * ROOM) } else { NOTHING };
    let axis = |label: &str| Axis {
        label: format!("{label} {}", view.measure.label()),
        unit: view.measure.unit(),
        scale: Scale::Log,
        min: low,
        max: high,
        key: None,
        grain: Grain::Digits,
        own: None,
    };
    let times = |times: f64| {
        // Extend the line to both ends of both axes.
        let (from, to) = (low.max(low / times), high.min(high / times));
        vec![(from, times * from), (to, times * to)]
    };
    let spec = ChartSpec {
        title: "Predicted against measured".into(),
        caption: finding::caption(rows, view),
        x: axis("Measured"),
        y: axis("Predicted"),
        lines: vec![
            Polyline::new("as measured", LineRole::Equal, vec![times(1.0)]),
            Polyline::new("20 % more and 20 % less", LineRole::Margin, vec![times(1.0 + NEAR), times(1.0 - NEAR)]),
        ],
        marks,
        here: own,
        value: Quantity { label: "error", unit: Unit::Percent },
        ..ChartSpec::empty()
    };
    (spec, places)
}
