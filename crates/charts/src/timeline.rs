//! Lanes of a timeline: what runs when, in few enough marks to be drawn.

mod merge;
mod zoom;

use super::names;
use engine::model::cost::Amount;
use engine::model::report::{Lane, Span, Work};
use engine::units::{FlopsPerSecond, Seconds};
pub use merge::Merger;
pub use zoom::{Level, Window, Zoom};

/// What runs at once on one GPU, over time: the horizontal axis is in milliseconds from the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes {
    /// Lanes on which anything runs, in display order.
    pub shown: Vec<Lane>,
    /// Every kind of work with its time over the whole step, in display order.
    pub sums: Vec<(Work, Seconds)>,
    /// The whole step.
    pub step: Seconds,
    /// Micro-batches of the step.
    pub micro_batches: u32,
    /// Where the axis counts from.
    pub origin: Seconds,
    /// The dense peak that utilisation is counted against.
    pub peak: FlopsPerSecond,
    /// Whether the network is priced as flat.
    pub is_flat: bool,
    /// What runs in the part that is looked at, by start on each lane; empty while nobody looks.
    pub marks: Vec<Mark>,
}

impl Lanes {
    /// A time on the axis.
    pub fn x(&self, time: Seconds) -> f64 {
        (time - self.origin).ms()
    }

    /// The time at a place of the axis.
    pub fn time(&self, x: f64) -> Seconds {
        self.origin + Seconds::from_ms(x)
    }

    /// The lane at a height: lanes stand from the top, each one high.
    pub fn lane(&self, y: f64) -> Option<Lane> {
        // A cast takes what is negative to 0.
        let last = self.shown.len().saturating_sub(1);
        self.shown.get(last.saturating_sub(y as usize)).copied()
    }

    /// What runs on a lane at a time.
    pub fn at(&self, lane: Lane, time: Seconds) -> Option<&Mark> {
        self.on(lane).find(|mark| mark.start <= time && time < mark.end)
    }

    /// The marks of a lane.
    pub fn on(&self, lane: Lane) -> impl Iterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| mark.lane == lane)
    }

    /// The place one key press away: the middle of the next mark on the lane, or the lane beside it; where there is none, none.
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

/// One span, or several short ones that follow each other closely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Where it is drawn.
    pub lane: Lane,
    /// When the first span starts.
    pub start: Seconds,
    /// When the last span ends.
    pub end: Seconds,
    /// Time of every kind of work in it.
    parts: [Seconds; Work::ALL.len()],
    /// The lowest and the highest layer; `None` where one span has none.
    pub layers: Option<(u32, u32)>,
    /// The first and the last micro-batch.
    pub micro_batches: (u32, u32),
    /// Spans in it.
    pub spans: u32,
    /// What its spans compute, or move, all together.
    pub amount: Option<Amount>,
}

impl Mark {
    /// Of one span.
    pub fn of(span: &Span) -> Self {
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

    /// Its length, with what is idle in it.
    pub fn length(&self) -> Seconds {
        self.end - self.start
    }

    /// The kinds of work in it, with their times, in display order.
    pub fn parts(&self) -> Vec<(Work, Seconds)> {
        Work::ALL.into_iter().zip(self.parts).filter(|(_, time)| *time > Seconds::ZERO).collect()
    }

    /// Its work and layers: `Forward, layer 3`, `Backward, layers 1 to 40`.
    pub fn name(&self) -> String {
        let works: Vec<&str> = self.parts().iter().map(|(work, _)| names::work(*work)).collect();
        let works = works.join(" + ");
        self.layers.map_or(works.clone(), |layers| format!("{works}, layer{}", counted(layers)))
    }

    /// The same in another micro-batch, which starts so much later.
    #[must_use]
    pub fn shifted(mut self, by: Seconds, micro_batch: u32) -> Self {
        self.start += by;
        self.end += by;
        self.micro_batches = (micro_batch, micro_batch);
        self
    }
}

/// One or several of what is counted from 0, after its name: ` 3`, `s 1 to 40`.
pub fn counted((first, last): (u32, u32)) -> String {
    if first == last { format!(" {}", first + 1) } else { format!("s {} to {}", first + 1, last + 1) }
}
