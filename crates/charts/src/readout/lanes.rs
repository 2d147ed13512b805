//! What runs at one time on each lane of a timeline.

use super::{Entry, done};
use crate::names;
use crate::timeline::{Lanes, Mark, counted};
use engine::format;
use engine::params::Unit;

/// Before what the span that is pointed at does.
const THIS: &str = "That is";

/// Every lane at a time; the one that is pointed at with the start of what runs there, and its micro-batch; what runs there with its FLOPs
/// or bytes.
pub(super) fn on_lanes(lanes: &Lanes, x: f64, y: f64) -> Vec<Entry> {
    let (pointed, time) = (lanes.lane(y), lanes.time(x));
    let said = |mark: &Mark| {
        let spans = if mark.spans > 1 { format!("{} spans in ", mark.spans) } else { String::new() };
        format!("{}, {spans}{}", mark.name(), format::seconds(mark.length()))
    };
    let more = |mark: &Mark| {
        let start = format::value(Unit::Ms, lanes.x(mark.start));
        format!(" from {start}, micro-batch{} of {}", counted(mark.micro_batches), lanes.micro_batches)
    };
    let entry = |lane| {
        let value = lanes.at(lane, time).map_or("idle".to_string(), |mark| {
            let more = if pointed == Some(lane) { more(mark) } else { String::new() };
            said(mark) + &more
        });
        Entry { name: names::lane(lane).to_string(), value, role: None }
    };
    let pointed_at = pointed.and_then(|lane| lanes.at(lane, time));
    let did = pointed_at.and_then(|mark| done::done(lanes, mark));
    let did = did.map(|value| Entry { name: THIS.to_string(), value, role: None });
    lanes.shown.iter().map(|&lane| entry(lane)).chain(did).collect()
}
