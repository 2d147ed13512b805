//! Format of PyTorch's memory snapshots (docstring of `torch.cuda.memory._snapshot`).

use crate::error::{Activity, doing_in};
use core::fmt;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// Newtype name under which [`Frames`] are deserialized.
pub(super) const FRAMES: &str = "Frames";

/// A snapshot of all GPUs of a process.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot<'a> {
    /// Memory obtained from the driver.
    #[serde(borrow)]
    pub segments: Vec<Segment<'a>>,
    /// Events of the allocator, one list per GPU.
    #[serde(borrow, default)]
    pub device_traces: Vec<Vec<Event<'a>>>,
    /// Settings of the allocator.
    #[serde(default)]
    pub allocator_settings: Option<Settings>,
}

/// Settings of the allocator.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Settings {
    /// Whether segments are expandable.
    #[serde(default)]
    pub expandable_segments: bool,
}

/// Contiguous memory obtained from the driver.
#[derive(Debug, Deserialize)]
pub(super) struct Segment<'a> {
    /// Index of the GPU.
    #[serde(default)]
    pub device: u32,
    /// Start address.
    #[serde(default)]
    pub address: u64,
    /// Size in bytes.
    pub total_size: u64,
    /// Whether the segment is expandable.
    #[serde(default)]
    pub is_expandable: bool,
    /// Blocks of the segment, by address.
    #[serde(borrow)]
    pub blocks: Vec<Block<'a>>,
}

/// A block of a segment.
#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    /// Size in bytes.
    pub size: u64,
    /// Requested bytes; absent from snapshots before PyTorch 2.1.
    #[serde(default)]
    pub requested_size: Option<u64>,
    /// Start address; absent from snapshots before PyTorch 2.1.
    #[serde(default)]
    pub address: Option<u64>,
    /// `active_allocated`, `active_awaiting_free` (formerly `active_pending_free`) or `inactive`.
    #[serde(borrow)]
    pub state: Cow<'a, str>,
    /// Stack of the request.
    #[serde(borrow, default)]
    pub frames: Frames<'a>,
}

impl Block<'_> {
    /// Returns whether the block is in use.
    pub(super) fn is_active(&self) -> bool {
        self.state.starts_with("active")
    }
}

/// Kind of an allocator event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// A tensor was allocated.
    Alloc,
    /// A tensor was freed.
    FreeCompleted,
    /// The driver provided memory.
    #[serde(alias = "segment_map")]
    SegmentAlloc,
    /// Memory was returned to the driver.
    #[serde(alias = "segment_unmap")]
    SegmentFree,
    /// A request was refused.
    Oom,
    /// An event without effect on memory: `free_requested`, `snapshot`, `annotate`.
    #[serde(other)]
    Other,
}

/// An entry of a trace.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    /// Kind of the event.
    pub action: Action,
    /// Address; absent for a refused request.
    #[serde(default)]
    pub addr: u64,
    /// Bytes: as requested for tensors, rounded up to 512 for refused requests.
    pub size: u64,
    /// Free device memory at the refusal, in bytes.
    #[serde(default)]
    pub device_free: Option<u64>,
    /// Stack of the request.
    #[serde(borrow, default)]
    pub frames: Frames<'a>,
}

/// Summary of a request's stack: the user's line, and the operation of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames<'a> {
    /// Innermost Python frame outside PyTorch, or the innermost Python frame if all are in PyTorch.
    pub line: Option<Frame<'a>>,
    /// Operation of the innermost frame that identifies one.
    pub doing: Option<Activity>,
}

/// A frame of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct Frame<'a> {
    /// File name.
    #[serde(borrow)]
    pub filename: Cow<'a, str>,
    /// Line number.
    #[serde(default)]
    pub line: u32,
    /// Function name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
}

impl Frame<'_> {
    fn is_python(&self) -> bool {
        self.filename.ends_with(".py") || self.filename.starts_with("<ipython")
    }

    fn is_torch(&self) -> bool {
        self.filename.contains("/torch/") || self.filename.starts_with("torch/")
    }
}

impl fmt::Display for Frame<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Show only the last folder and the file.
        let start = self.filename.rmatch_indices(['/', '\\']).nth(1).map_or(0, |(at, _)| at + 1);
        write!(to, "{}:{} in {}", self.filename.get(start..).unwrap_or_default(), self.line, self.name)
    }
}

/// Maximum number of frames of a stack that are inspected.
const MOST_LINES: usize = 512;

impl<'de: 'a, 'a> Deserialize<'de> for Frames<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Lines;
        impl<'de> Visitor<'de> for Lines {
            type Value = Frames<'de>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("the lines of a stack")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Frames::default())
            }

            fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
                from.deserialize_any(Self)
            }

            /// Visits the frames, innermost first.
            fn visit_seq<S: SeqAccess<'de>>(self, mut lines: S) -> Result<Self::Value, S::Error> {
                let mut found = Frames::default();
                let mut is_own = false;
                let mut seen = 0;
                while let Some(frame) = lines.next_element::<Frame<'de>>()? {
                    seen += 1;
                    if seen > MOST_LINES {
                        continue;
                    }
                    found.doing = found.doing.or_else(|| doing_in(&frame.filename, &frame.name));
                    let own = !frame.is_torch();
                    if frame.is_python() && !is_own && (own || found.line.is_none()) {
                        is_own = own;
                        found.line = Some(frame);
                    }
                }
                Ok(found)
            }
        }
        from.deserialize_newtype_struct(FRAMES, Lines)
    }
}
