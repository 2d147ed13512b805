//! The timeline of one step as data: lanes of marks in seconds, and the part of the step that is looked at.

mod axis;
mod merge;
mod reading;
mod zoom;

use crate::model::report::{Lane, Span, Work};
use crate::units::Seconds;
pub use axis::TimeAxis;
pub use merge::Merger;
pub use reading::{mark as mark_name, reading};
pub use zoom::{Level, Window, Zoom};

/// Kinds of work that a mark tells apart.
const KINDS: usize = 4;

/// The timeline of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineSpec {
    /// What it shows.
    pub title: &'static str,
    /// The finding, in one sentence.
    pub caption: String,
    /// Lanes on which anything runs, in display order.
    pub lanes: Vec<Lane>,
    /// Every kind of work with its time over the whole step, in display order.
    pub sums: Vec<(Work, Seconds)>,
    /// The whole step.
    pub step: Seconds,
    /// Layers of the stage that is shown.
    pub layers: u32,
    /// Micro-batches of the step.
    pub micro_batches: u32,
    /// The part that is looked at.
    pub window: Window,
    /// What runs in that part, by start on each lane; empty while nobody looks.
    pub marks: Vec<Mark>,
}

impl TimelineSpec {
    /// The start and the end of the part that is looked at.
    pub fn extent(&self) -> (Seconds, Seconds) {
        (self.window.from * self.step, self.window.to * self.step)
    }

    /// What runs on a lane at a time.
    pub fn at(&self, lane: Lane, time: Seconds) -> Option<&Mark> {
        self.on(lane).find(|mark| mark.start <= time && time < mark.end)
    }

    /// The marks of a lane.
    pub fn on(&self, lane: Lane) -> impl DoubleEndedIterator<Item = &Mark> {
        self.marks.iter().filter(move |mark| mark.lane == lane)
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
    /// The kinds of work in it, each with its time.
    parts: [Option<(Work, Seconds)>; KINDS],
    /// The lowest and the highest layer; `None` where one span has none.
    pub layers: Option<(u32, u32)>,
    /// The first and the last micro-batch.
    pub micro_batches: (u32, u32),
    /// Spans in it.
    pub spans: u32,
}

impl Mark {
    /// Of one span.
    pub fn of(span: &Span) -> Self {
        let mut parts = [None; KINDS];
        if let Some(part) = parts.first_mut() {
            *part = Some((span.work, span.end - span.start));
        }
        Self {
            lane: span.lane,
            start: span.start,
            end: span.end,
            parts,
            layers: span.layer.map(|layer| (layer, layer)),
            micro_batches: (span.micro_batch, span.micro_batch),
            spans: 1,
        }
    }

    /// Its length, with what is idle in it.
    pub fn length(&self) -> Seconds {
        self.end - self.start
    }

    /// The kinds of work in it, with their times.
    pub fn parts(&self) -> impl Iterator<Item = (Work, Seconds)> + '_ {
        self.parts.iter().flatten().copied()
    }

    fn has(&self, work: Work) -> bool {
        self.parts().any(|part| part.0 == work)
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
