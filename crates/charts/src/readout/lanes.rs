//! The readout of a timeline at one time, lane by lane.

use super::{Entry, amount};
use crate::names;
use crate::timeline::{Lanes, Mark, counted};
use engine::format;
use engine::params::Unit;

/// Text before the amount of work of the span under the pointer.
const THIS: &str = "That is";

/// Reads every lane at a time. The lane under the pointer adds the start and the micro-batch of its
/// span, then the FLOPs or bytes of that span.
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
    let did = pointed_at.and_then(|mark| amount::describe(lanes, mark));
    let did = did.map(|value| Entry { name: THIS.to_string(), value, role: None });
    lanes.shown.iter().map(|&lane| entry(lane)).chain(did).collect()
}
