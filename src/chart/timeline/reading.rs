//! What a timeline says at one time, lane by lane.

use super::{Level, Mark, TimeAxis, TimelineSpec, Zoom};
use crate::chart::format;
use crate::chart::names::{self, in_sentence};
use crate::chart::readout::{Entry, Readout};
use crate::model::report::Lane;
use crate::units::Seconds;

/// Said where short spans are drawn as one.
const MERGED: &str = "Many short spans are one bar, as high as the share of time in which they run.";
/// Ticks of the axis whose precision is read out.
const TICKS: usize = 7;

/// A mark's work and layers: `Forward, layer 3`, `Backward, layers 1 to 40`.
pub fn mark(mark: &Mark) -> String {
    let works: Vec<&str> = mark.parts().map(|(work, _)| names::work(work)).collect();
    let works = works.join(" + ");
    match mark.layers {
        Some((first, last)) if first == last => format!("{works}, layer {}", first + 1),
        Some((first, last)) => format!("{works}, layers {} to {}", first + 1, last + 1),
        None => works,
    }
}

/// What runs at a time on every lane; the sentence says the one that is pointed at.
pub fn reading(spec: &TimelineSpec, lane: Lane, time: Seconds) -> Readout {
    let axis = TimeAxis::new(spec.extent(), TICKS);
    let entry = |name: &str, value: String| Entry { name: name.to_string(), value, role: None };
    let on = |lane: Lane| match spec.at(lane, time) {
        Some(own) => {
            let length = format::seconds(own.length());
            let spans = if own.spans > 1 { format!("{} spans in ", own.spans) } else { String::new() };
            format!("{}, {spans}{length} from {}", mark(own), axis.say(own.start))
        }
        None => "idle".to_string(),
    };
    let mut place = vec![entry("Time", axis.say(time))];
    if let (Some(own), true) = (spec.at(lane, time), spec.micro_batches > 1) {
        let (first, last) = (own.micro_batches.0 + 1, own.micro_batches.1 + 1);
        let which = if first == last { first.to_string() } else { format!("{first} to {last}") };
        place.push(entry("Micro-batch", format!("{which} of {}", spec.micro_batches)));
    }
    let said: Vec<String> = place.iter().map(|entry| format!("{} {}", entry.name, entry.value)).collect();
    let sentence = format!("{}: {}. {}.", names::lane(lane), in_sentence(&on(lane)), said.join(", "));
    Readout { place, entries: spec.lanes.iter().map(|&lane| entry(names::lane(lane), on(lane))).collect(), sentence }
}

impl TimelineSpec {
    /// What is looked at, in words, and how to read it.
    pub fn part(&self, zoom: Zoom) -> String {
        let shown = match zoom {
            Zoom::Near(Level::Step, _) => String::new(),
            _ => format!(
                "Shown: {} of {}. ",
                format::seconds(self.window.length() * self.step),
                format::seconds(self.step)
            ),
        };
        let merged = if self.marks.iter().any(|mark| mark.spans > 1) { MERGED } else { "" };
        shown + merged
    }
}
