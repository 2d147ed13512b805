//! Reconstructs the tensors alive at the decisive moment: the refused request, or else the peak of
//! the record, or else the time of the snapshot.

use super::format::{Action, Block, Event, Frames, Segment};
use std::collections::HashMap;

/// Reason for choosing a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MomentReason {
    /// A request was refused.
    Refused {
        /// Index of the event.
        at: usize,
        /// Requested bytes, rounded up to 512.
        wanted: u64,
        /// Free device memory, in bytes.
        free: Option<u64>,
    },
    /// Allocated memory was at its peak after an event.
    Peak {
        /// Index of the event.
        at: usize,
    },
    /// No events were recorded: the time of the snapshot.
    Now,
}

/// A tensor that was alive.
#[derive(Clone, Debug)]
pub(super) struct LiveTensor<'s, 'a> {
    /// Requested bytes; allocated bytes if the snapshot has no requested size.
    pub size: u64,
    /// Stack of the request, if recorded.
    pub frames: Option<&'s Frames<'a>>,
    /// Whether the request is in the record.
    pub is_recorded: bool,
}

/// Memory of one GPU at a moment.
#[derive(Debug)]
pub(super) struct Moment<'s, 'a> {
    /// Reason for choosing the moment.
    pub why: MomentReason,
    /// Tensors that were alive.
    pub held: Vec<LiveTensor<'s, 'a>>,
    /// Bytes of these tensors, with the allocator's rounding.
    pub allocated: u64,
    /// Bytes obtained from the driver.
    pub reserved: u64,
    /// Bytes that were alive before the first event.
    pub before: u64,
    /// Whether no later event changed memory, so the segments of the snapshot show this moment.
    pub is_last: bool,
}

/// Granularity of allocations (`kMinBlockSize`).
const GRAIN: u64 = 512;

/// Memory state that is reconstructed by undoing events from the end.
struct Backward<'s, 'a> {
    held: HashMap<u64, LiveTensor<'s, 'a>>,
    size: i128,
    reserved: i128,
}

impl<'s, 'a> Backward<'s, 'a> {
    fn new(segments: &[&'s Segment<'a>]) -> Self {
        let mut state = Self { held: HashMap::new(), size: 0, reserved: 0 };
        for segment in segments {
            state.reserved += i128::from(segment.total_size);
            let mut address = segment.address;
            for block in &segment.blocks {
                if block.is_active() {
                    state.hold(block.address.unwrap_or(address), live_tensor(block));
                }
                address = address.saturating_add(block.size);
            }
        }
        state
    }

    fn hold(&mut self, address: u64, held: LiveTensor<'s, 'a>) {
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
            Action::FreeCompleted => {
                self.hold(event.addr, LiveTensor { size: event.size, frames: None, is_recorded: false });
            }
            Action::SegmentAlloc => self.reserved -= i128::from(event.size),
            Action::SegmentFree => self.reserved += i128::from(event.size),
            Action::Oom | Action::Other => {}
        }
    }
}

fn live_tensor<'s, 'a>(block: &'s Block<'a>) -> LiveTensor<'s, 'a> {
    LiveTensor { size: block.requested_size.unwrap_or(block.size), frames: Some(&block.frames), is_recorded: false }
}

/// Finds the decisive moment of a GPU.
pub(super) fn moment<'s, 'a>(segments: &[&'s Segment<'a>], events: &'s [Event<'a>]) -> Moment<'s, 'a> {
    let mut state = Backward::new(segments);
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
        Some((at, event)) => MomentReason::Refused { at, wanted: event.size, free: event.device_free },
        None if events.is_empty() => MomentReason::Now,
        None => MomentReason::Peak { at: peak.0 },
    };
    let last = match why {
        MomentReason::Refused { at, .. } | MomentReason::Peak { at } => at + 1,
        MomentReason::Now => 0,
    };
    let (past, later) = events.split_at(last.min(events.len()));
    let mut state = Backward::new(segments);
    for event in later.iter().rev() {
        state.undo(event);
    }
    // Add the stacks of tensors that were freed by later events.
    for event in past.iter().filter(|event| event.action == Action::Alloc) {
        if let Some(held) = state.held.get_mut(&event.addr) {
            (held.frames, held.is_recorded) = (Some(&event.frames), true);
        }
    }
    let allocated = state.held.values().map(|held| rounded(held.size)).sum();
    let is_last = later.iter().all(|event| event.action == Action::Other);
    let mut held: Vec<_> = state.held.into_iter().collect();
    // Sort for a deterministic order.
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
