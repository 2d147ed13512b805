//! The bars of a waterfall.

use engine::model::step::waterfall::StepPart;
use engine::units::Seconds;

/// Bars from the peak down to what is left, the first at the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Falls {
    /// The bars, each from where the one above it ends; the last from zero.
    pub bars: Vec<Fall>,
}

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fall {
    /// What the time is spent on.
    pub part: StepPart,
    /// The bar's left end, in percent of the peak.
    pub from: f64,
    /// Its length, in percent of the peak: the share of the step.
    pub share: f64,
    /// Its time in one step.
    pub time: Seconds,
    /// Its share of the price of the whole run, in dollars.
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

    /// Returns the place so many bars further up; to the right is down, as the step is read.
    pub fn step(&self, (_, y): (f64, f64), right: i32, up: i32) -> Option<(f64, f64)> {
        let down = if up == 0 { right } else { -up };
        let last = self.bars.len().checked_sub(1)?;
        let to = i64::try_from(self.at(y)?).ok()? + i64::from(down);
        self.middle(usize::try_from(to.max(0)).ok()?.min(last))
    }
}
