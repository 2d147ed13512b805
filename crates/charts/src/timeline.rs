//! Lanes of a timeline, with the spans merged into few enough marks to draw.

mod merge;
mod zoom;

use super::names;
use engine::model::cost::Amount;
use engine::model::report::{Lane, Span, Work};
use engine::units::{FlopsPerSecond, Seconds};
pub use merge::Merger;
pub use zoom::{Level, VisibleRange, Window, Zoom};

/// The work of one GPU over time, lane by lane. The horizontal axis is in milliseconds from the
/// origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// Lanes with any work, in display order.
    pub shown: Vec<Lane>,
    /// The time of every kind of work over the whole step, in display order.
    pub sums: Vec<(Work, Seconds)>,
    /// Duration of the whole step.
    pub step: Seconds,
    /// Micro-batches of the step.
    pub micro_batches: u32,
    /// Zero of the axis.
    pub origin: Seconds,
    /// The dense peak that utilisation is counted against.
    pub peak: FlopsPerSecond,
    /// Whether the network is priced as flat.
    pub is_flat: bool,
    /// Marks in the visible part, by start on each lane; empty while the figure is out of sight.
    pub marks: Vec<Mark>,
}

impl Lanes {
    /// Converts a time to the axis.
    pub fn x(&self, time: Seconds) -> f64 {
        (time - self.origin).ms()
    }

    /// Converts a place on the axis to a time.
    pub fn time(&self, x: f64) -> Seconds {
        self.origin + Seconds::from_ms(x)
    }

    /// Returns the lane at a height: lanes are numbered from the top, each of height 1.
    pub fn lane(&self, y: f64) -> Option<Lane> {
        // A cast maps negative numbers to 0.
        let last = self.shown.len().saturating_sub(1);
        self.shown.get(last.saturating_sub(y as usize)).copied()
    }

    /// Returns the mark on a lane at a time.
    pub fn at(&self, lane: Lane, time: Seconds) -> Option<&Mark> {
        self.on(lane).find(|mark| mark.start <= time && time < mark.end)
    }

    /// Iterates over the marks of a lane.
    pub fn on(&self, lane: Lane) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| mark.lane == lane)
    }

    /// Returns the place one key press away: the middle of the next mark on the lane, or the
    /// neighbouring lane; `None` if there is none.
    pub fn step(&self, (x, y): (f64, f64), right: i32, up: i32) -> Option<(f64, f64)> {
        if up != 0 {
            let height = self.shown.len() as f64;
            return Some((x, (y.floor() + 0.5 + f64::from(up)).min(height - 0.5).max(0.5)));
        }
        let (lane, time) = (self.lane(y)?, self.time(x));
        let mut near: Option<&Mark> = None;
        for mark in self.on(lane) {
            if right > 0 && mark.start > time {
                near = near.or(Some(mark));
            } else if right < 0 && mark.end <= time {
                near = Some(mark);
            }
        }
        near.map(|mark| (self.x(0.5 * (mark.start + mark.end)), y))
    }
}

/// One span, or several short consecutive spans.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// The lane.
    pub lane: Lane,
    /// Start of the first span.
    pub start: Seconds,
    /// End of the last span.
    pub end: Seconds,
    /// Time of every kind of work in the mark.
    parts: [Seconds; Work::ALL.len()],
    /// Lowest and highest layer; `None` if a span has no layer.
    pub layers: Option<(u32, u32)>,
    /// First and last micro-batch.
    pub micro_batches: (u32, u32),
    /// Number of spans.
    pub spans: u32,
    /// Total FLOPs or bytes of the spans.
    pub amount: Option<Amount>,
}

impl Mark {
    /// Creates a mark of one span.
    pub fn from_span(span: &Span) -> Self {
        Self {
            lane: span.lane,
            start: span.start,
            end: span.end,
            parts: Work::ALL.map(|work| if work == span.work { span.end - span.start } else { Seconds::ZERO }),
            layers: span.layer.map(|layer| (layer, layer)),
            micro_batches: (span.micro_batch, span.micro_batch),
            spans: 1,
            amount: span.amount,
        }
    }

    /// Returns the length, including idle time within.
    pub fn length(&self) -> Seconds {
        self.end - self.start
    }

    /// Returns the kinds of work in the mark with their times, in display order.
    pub fn parts(&self) -> Vec<(Work, Seconds)> {
        Work::ALL.into_iter().zip(self.parts).filter(|(_, time)| *time > Seconds::ZERO).collect()
    }

    /// Names the work and the layers: `Forward, layer 3`, `Backward, layers 1 to 40`.
    pub fn name(&self) -> String {
        let works: Vec<&str> = self.parts().iter().map(|(work, _)| names::work(*work)).collect();
        let works = works.join(" + ");
        self.layers.map_or(works.clone(), |layers| format!("{works}, layer{}", counted(layers)))
    }

    /// Returns the mark in another micro-batch, which starts `by` later.
    #[must_use]
    pub fn shifted(mut self, by: Seconds, micro_batch: u32) -> Self {
        self.start += by;
        self.end += by;
        self.micro_batches = (micro_batch, micro_batch);
        self
    }
}

/// Writes a range of numbers counted from 0, after its noun: ` 3`, `s 1 to 40`.
pub fn counted((first, last): (u32, u32)) -> String {
    if first == last { format!(" {}", first + 1) } else { format!("s {} to {}", first + 1, last + 1) }
}
