//! The bars of a waterfall.

use engine::model::step::waterfall::StepPart;
use engine::units::Seconds;

/// Bars from the peak down to the remaining share, the first at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Falls {
    /// The bars, each starting where the bar above ends; the last starts at zero.
    pub bars: Vec<Fall>,
}

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// The part of the step's time.
    pub part: StepPart,
    /// The bar's left end, in percent of the peak.
    pub from: f64,
    /// Length in percent of the peak: the share of the step.
    pub share: f64,
    /// Time in one step.
    pub time: Seconds,
    /// Share of the cost of the whole run, in dollars.
    pub cost: f64,
}

impl Falls {
    /// Returns the index of the bar at a height: bars are numbered from the top, each of height 1.
    pub fn at(&self, y: f64) -> Option<usize> {
        // A cast maps negative numbers to 0.
        let last = self.bars.len().checked_sub(1)?;
        Some(last.saturating_sub(y as usize))
    }

    /// Returns the middle of a bar.
    pub fn middle(&self, place: usize) -> Option<(f64, f64)> {
        let bar = self.bars.get(place)?;
        Some((bar.from + 0.5 * bar.share, (self.bars.len() - place) as f64 - 0.5))
    }

    /// Returns the place this many bars further up; moving right moves down, in reading order.
    pub fn step(&self, (_, y): (f64, f64), right: i32, up: i32) -> Option<(f64, f64)> {
        let down = if up == 0 { right } else { -up };
        let last = self.bars.len().checked_sub(1)?;
        let to = i64::try_from(self.at(y)?).ok()? + i64::from(down);
        self.middle(usize::try_from(to.max(0)).ok()?.min(last))
    }
}
