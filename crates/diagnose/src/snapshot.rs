//! Reads a memory snapshot of PyTorch, as a pickle of `torch.cuda.memory._dump_snapshot` or as JSON
//! of `_snapshot()`, and compares the tensors alive at the refused request, or at the recorded
//! peak, with a scenario.

mod format;
mod held;
mod moment;
mod pickle;
mod remarks;

use engine::model::report::MemoryPart;
use engine::names;
use engine::params::quantity::group_thousands;
use engine::scenario::Scenario;
use std::borrow::Cow;

use crate::error::MOST_BYTES;
use crate::error::{self, Message, Printed, Removal, Sizes, Source, bytes, removals};
use format::{Segment, Snapshot};
use held::{Groups, ROUNDED};
use moment::{Moment, MomentReason, moment};

pub use pickle::is_pickle;

/// Analysis of a snapshot for a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotAnalysis {
    /// The finding, in one or two sentences.
    pub sentence: String,
    /// Allocated memory by part of the memory bar, one line per part.
    pub parts: Vec<String>,
    /// Largest tensors, grouped by size and source line, one line per group.
    pub largest: Vec<String>,
    /// Further remarks about the snapshot.
    pub remarks: Vec<String>,
    /// Changes that lower the decisive part, least effort first.
    pub changes: Vec<Removal>,
    /// Summary of the input: events and segments.
    pub read: String,
}

/// Returns whether a text is a snapshot in JSON.
pub fn is_json(text: &str) -> bool {
    let has = |key: &str| text.contains(key);
    text.trim_start().starts_with(['{', '['])
        && has("\"blocks\"")
        && has("\"total_size\"")
        && (has("\"segments\"") || has("\"allocated_size\""))
}

const TOO_LONG: &str = "This snapshot is larger than 64 MiB: record fewer events, torch.cuda.memory._record_memory_history(max_entries=100000).";

/// Reads a snapshot in a pickle for a scenario.
///
/// # Errors
///
/// Returns a sentence if the file is too large, truncated, invalid, or not a snapshot.
pub fn read_pickle(file: &[u8], scenario: &Scenario) -> Result<SnapshotAnalysis, Cow<'static, str>> {
    if file.len() > MOST_BYTES {
        return Err(TOO_LONG.into());
    }
    let pickle = pickle::parse_pickle(file)?;
    // `torch.cuda.memory_snapshot()` returns only the segments.
    let snapshot = pickle.to::<Snapshot<'_>>().or_else(|problem| match pickle.to::<Vec<Segment<'_>>>() {
        Ok(segments) => Ok(alone(segments)),
        Err(_) => Err(format!(
            "This pickle is not a memory snapshot of PyTorch (torch.cuda.memory._dump_snapshot): {problem}. It was not executed."
        )),
    })?;
    found(&snapshot, scenario)
}

/// Reads a snapshot in JSON for a scenario.
///
/// # Errors
///
/// Returns a sentence if the text is too large, truncated, or not a snapshot.
pub fn read_json(text: &str, scenario: &Scenario) -> Result<SnapshotAnalysis, Cow<'static, str>> {
    if text.len() > MOST_BYTES {
        return Err(TOO_LONG.into());
    }
    let snapshot = if text.trim_start().starts_with('[') {
        serde_json::from_str::<Vec<Segment<'_>>>(text).map(alone)
    } else {
        serde_json::from_str::<Snapshot<'_>>(text)
    };
    let snapshot = snapshot.map_err(|problem| format!("This memory snapshot cannot be read: {problem}."))?;
    found(&snapshot, scenario)
}

fn alone(segments: Vec<Segment<'_>>) -> Snapshot<'_> {
    Snapshot { segments, device_traces: Vec::new(), allocator_settings: None }
}

fn found(snapshot: &Snapshot<'_>, scenario: &Scenario) -> Result<SnapshotAnalysis, Cow<'static, str>> {
    let Some(gpu) = gpu(snapshot) else {
        return Err("This memory snapshot is empty: take it in the training process, before it ends.".into());
    };
    let segments: Vec<&Segment<'_>> = snapshot.segments.iter().filter(|segment| segment.device == gpu).collect();
    let events = snapshot.device_traces.get(gpu as usize).map_or(&[][..], Vec::as_slice);
    let moment = moment(&segments, events);
    if moment.held.is_empty() && !matches!(moment.why, MomentReason::Refused { .. }) {
        return Err("This memory snapshot has no live tensor: take it in the training process, before it ends.".into());
    }
    let (sizes, report) = (Sizes::new(scenario), scenario.report());
    let exact = segments.iter().flat_map(|segment| &segment.blocks).all(|block| block.requested_size.is_some());
    let groups = Groups::new(&moment, &sizes, if exact { 0 } else { ROUNDED });
    let named = |part: MemoryPart| names::part_on(part, report.generation).name;
    let mut remarks = remarks::remarks(snapshot, &segments, &moment, scenario);
    let (sentence, mut changes) = match moment.why {
        MomentReason::Refused { at, wanted, free } => {
            let explained = error::explained(refused(&moment, &groups, events, at, wanted, free), scenario);
            let when = format!(
                "Refused at event {} of {}, when tensors held {} of the {} that PyTorch had reserved.  ",
                count(at + 1),
                count(events.len()),
                bytes(moment.allocated as f64),
                bytes(moment.reserved as f64)
            );
            remarks.extend(explained.other_gpu);
            remarks.extend(explained.remarks);
            (when + &explained.sentence, explained.changes)
        }
        MomentReason::Peak { .. } | MomentReason::Now => {
            let when = match moment.why {
                MomentReason::Peak { at } => {
                    format!("At the peak of the record, event {} of {},", count(at + 1), count(events.len()))
                }
                _ => "When the snapshot was taken".into(),
            };
            let (allocated, reserved) = (bytes(moment.allocated as f64), bytes(moment.reserved as f64));
            let held = format!("{when} tensors held {allocated} of the {reserved} that PyTorch had reserved.");
            match groups.largest_part() {
                Some((part, size)) => (
                    format!("{held} The largest part is “{}”, {}.", named(part), bytes(size as f64)),
                    removals(scenario, &report, part),
                ),
                None => (format!("{held} The scenario explains the size of no tensor in it."), Vec::new()),
            }
        }
    };
    if remarks::is_fragmented(&moment) {
        for change in removals(scenario, &report, MemoryPart::Fragmentation) {
            if changes.iter().all(|other| other.link != change.link) {
                changes.push(change);
            }
        }
    }
    Ok(SnapshotAnalysis {
        sentence,
        parts: groups.parts(named, |part| report.memory.parts.get(part).get()),
        largest: groups.largest(named),
        remarks,
        changes,
        read: format!("Read: {} segments of GPU {gpu}, with {} events.", count(segments.len()), count(events.len())),
    })
}

/// Returns the GPU on which a request was refused, or else the GPU with the most reserved memory.
fn gpu(snapshot: &Snapshot<'_>) -> Option<u32> {
    let is_refused = |events: &Vec<format::Event<'_>>| events.iter().any(|event| event.action == format::Action::Oom);
    if let Some(gpu) = snapshot.device_traces.iter().position(is_refused) {
        return Some(gpu as u32);
    }
    let mut held: Vec<(u32, u64)> = Vec::new();
    for segment in &snapshot.segments {
        match held.iter_mut().find(|(gpu, _)| *gpu == segment.device) {
            Some((_, bytes)) => *bytes = bytes.saturating_add(segment.total_size),
            None => held.push((segment.device, segment.total_size)),
        }
    }
    held.into_iter().max_by_key(|(_, bytes)| *bytes).map(|(gpu, _)| gpu)
}

/// Converts a refused request to the form of an error message.
fn refused(
    moment: &Moment<'_, '_>,
    groups: &Groups<'_>,
    events: &[format::Event<'_>],
    at: usize,
    wanted: u64,
    free: Option<u64>,
) -> Message {
    let exactly = |bytes: u64| Some(Printed { bytes: bytes as f64, within: 0.0 });
    let half = ROUNDED as f64 / 2.0;
    let unallocated = moment.reserved.saturating_sub(moment.allocated);
    Message {
        source: Source::Recorded,
        device: None,
        wanted: Some(Printed { bytes: wanted as f64 - half, within: half }),
        capacity: None,
        free: free.and_then(exactly),
        process: None,
        others: 0.0,
        allocated: (groups.count() > 0).then_some(Printed { bytes: moment.allocated as f64, within: 0.0 }),
        // A small amount is not reported.
        unallocated: exactly(unallocated).filter(|_| remarks::is_fragmented(moment)),
        needed: None,
        doing: events.get(at).and_then(|event| event.frames.doing),
        waited: None,
    }
}

fn count(of: usize) -> String {
    group_thousands(&of.to_string())
}
