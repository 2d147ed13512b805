//! What was alive at the moment that matters: at the request that was refused, else at the peak of
//! the record, else now.

use super::format::{Action, Block, Event, Frames, Segment};
use std::collections::HashMap;

/// Why a moment is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A request of so many bytes was refused, by the event of this place.
    Refused {
        /// Place of the event.
        at: usize,
        /// Bytes, rounded up to 512.
        wanted: u64,
        /// Bytes that the driver had left.
        free: Option<u64>,
    },
    /// Tensors held most after the event of this place.
    Peak {
        /// Place of the event.
        at: usize,
    },
    /// Nothing was recorded: the snapshot itself.
    Now,
}

/// A tensor.
#[derive(Clone, Debug)]
pub(super) struct Held<'s, 'a> {
    /// Bytes that were asked for; of snapshots that do not say, with what the allocator added.
    pub size: u64,
    /// Who asked, where the snapshot says.
    pub frames: Option<&'s Frames<'a>>,
    /// Whether the record has the request.
    pub is_recorded: bool,
}

/// A moment of one GPU.
#[derive(Debug)]
pub(super) struct Moment<'s, 'a> {
    /// Why it.
    pub why: Why,
    /// What was alive.
    pub held: Vec<Held<'s, 'a>>,
    /// Bytes of that, as the allocator rounds them.
    pub allocated: u64,
    /// Bytes from the driver.
    pub reserved: u64,
    /// Bytes that were alive before the first event.
    pub before: u64,
    /// Whether the segments stand as they stood then.
    pub is_last: bool,
}

/// What the allocator rounds up to (`kMinBlockSize`).
const GRAIN: u64 = 512;

/// The state that events lead to, taken back one by one.
struct Backward<'s, 'a> {
    held: HashMap<u64, Held<'s, 'a>>,
    size: i128,
    reserved: i128,
}

impl<'s, 'a> Backward<'s, 'a> {
    fn of(segments: &[&'s Segment<'a>]) -> Self {
        let mut state = Self { held: HashMap::new(), size: 0, reserved: 0 };
        for segment in segments {
            state.reserved += i128::from(segment.total_size);
            let mut address = segment.address;
            for block in &segment.blocks {
                if block.is_active() {
                    state.hold(block.address.unwrap_or(address), held(block));
                }
                address = address.saturating_add(block.size);
            }
        }
        state
    }

    fn hold(&mut self, address: u64, held: Held<'s, 'a>) {
        self.size += i128::from(held.size);
        if let Some(other) = self.held.insert(address, held) {
            self.size -= i128::from(other.size);
        }
    }

    fn undo(&mut self, event: &Event<'_>) {
        match event.action {
            Action::Alloc => {
                if let Some(gone) = self.held.remove(&event.addr) {
                    self.size -= i128::from(gone.size);
                }
            }
            Action::FreeCompleted => self.hold(event.addr, Held { size: event.size, frames: None, is_recorded: false }),
            Action::SegmentAlloc => self.reserved -= i128::from(event.size),
            Action::SegmentFree => self.reserved += i128::from(event.size),
            Action::Oom | Action::Other => {}
        }
    }
}

fn held<'s, 'a>(block: &'s Block<'a>) -> Held<'s, 'a> {
    Held { size: block.requested_size.unwrap_or(block.size), frames: Some(&block.frames), is_recorded: false }
}

/// Finds the moment that matters of a GPU.
pub(super) fn moment<'s, 'a>(segments: &[&'s Segment<'a>], events: &'s [Event<'a>]) -> Moment<'s, 'a> {
    let mut state = Backward::of(segments);
    let mut peak = (0, state.size);
    for (at, event) in events.iter().enumerate().rev() {
        if state.size > peak.1 || at + 1 == events.len() {
            peak = (at, state.size);
        }
        state.undo(event);
    }
    let before = clamped(state.size);
    let refused = events.iter().rposition(|event| event.action == Action::Oom);
    let why = match refused.and_then(|at| Some((at, events.get(at)?))) {
        Some((at, event)) => Why::Refused { at, wanted: event.size, free: event.device_free },
        None if events.is_empty() => Why::Now,
        None => Why::Peak { at: peak.0 },
    };
    let last = match why {
        Why::Refused { at, .. } | Why::Peak { at } => at + 1,
        Why::Now => 0,
    };
    let (past, later) = events.split_at(last.min(events.len()));
    let mut state = Backward::of(segments);
    for event in later.iter().rev() {
        state.undo(event);
    }
    // Who asked for what later events freed.
    for event in past.iter().filter(|event| event.action == Action::Alloc) {
        if let Some(held) = state.held.get_mut(&event.addr) {
            (held.frames, held.is_recorded) = (Some(&event.frames), true);
        }
    }
    let allocated = state.held.values().map(|held| rounded(held.size)).sum();
    let is_last = later.iter().all(|event| event.action == Action::Other);
    let mut held: Vec<_> = state.held.into_iter().collect();
    // In an order that does not change from run to run.
    held.sort_by_key(|(address, _)| *address);
    let held = held.into_iter().map(|(_, held)| held).collect();
    Moment { why, held, allocated: clamped(allocated), reserved: clamped(state.reserved), before, is_last }
}

fn clamped(bytes: i128) -> u64 {
    u64::try_from(bytes.max(0)).unwrap_or(u64::MAX)
}

fn rounded(size: u64) -> i128 {
    i128::from(size.checked_next_multiple_of(GRAIN).unwrap_or(size))
}
