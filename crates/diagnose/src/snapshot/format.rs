//! A memory snapshot as PyTorch writes it (`torch.cuda.memory._snapshot`, its docstring).

use crate::error::{Doing, doing_in};
use core::fmt;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// The name under which [`Frames`] are asked for.
pub(super) const FRAMES: &str = "Frames";

/// A snapshot of all GPUs of a process.
#[derive(Debug, Deserialize)]
pub(super) struct Snapshot<'a> {
    /// Memory from the driver.
    #[serde(borrow)]
    pub segments: Vec<Segment<'a>>,
    /// What the allocator did, a list for each GPU.
    #[serde(borrow, default)]
    pub device_traces: Vec<Vec<Event<'a>>>,
    /// How the allocator is set.
    #[serde(default)]
    pub allocator_settings: Option<Settings>,
}

/// How the allocator is set.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(super) struct Settings {
    /// Whether segments grow in place.
    #[serde(default)]
    pub expandable_segments: bool,
}

/// Memory that the driver gave in one piece.
#[derive(Debug, Deserialize)]
pub(super) struct Segment<'a> {
    /// The GPU.
    #[serde(default)]
    pub device: u32,
    /// Where it begins.
    #[serde(default)]
    pub address: u64,
    /// Bytes.
    pub total_size: u64,
    /// Whether it grows in place.
    #[serde(default)]
    pub is_expandable: bool,
    /// What it is divided into, in order.
    #[serde(borrow)]
    pub blocks: Vec<Block<'a>>,
}

/// A piece of a segment.
#[derive(Debug, Deserialize)]
pub(super) struct Block<'a> {
    /// Bytes.
    pub size: u64,
    /// Bytes that were asked for; what snapshots before PyTorch 2.1 leave out.
    #[serde(default)]
    pub requested_size: Option<u64>,
    /// Where it begins; snapshots before PyTorch 2.1 leave it out too.
    #[serde(default)]
    pub address: Option<u64>,
    /// `active_allocated`, `active_awaiting_free` (`active_pending_free` before) or `inactive`.
    #[serde(borrow)]
    pub state: Cow<'a, str>,
    /// Who asked for it.
    #[serde(borrow, default)]
    pub frames: Frames<'a>,
}

impl Block<'_> {
    /// Whether something is in it.
    pub(super) fn is_active(&self) -> bool {
        self.state.starts_with("active")
    }
}

/// What the allocator did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    /// A tensor came.
    Alloc,
    /// It went, and its memory is free.
    FreeCompleted,
    /// The driver gave memory.
    #[serde(alias = "segment_map")]
    SegmentAlloc,
    /// The driver got memory back.
    #[serde(alias = "segment_unmap")]
    SegmentFree,
    /// A request was refused.
    Oom,
    /// Something that changes nothing: `free_requested`, `snapshot`, `annotate`.
    #[serde(other)]
    Other,
}

/// An entry of a trace.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    /// What was done.
    pub action: Action,
    /// Where; a refused request has no place.
    #[serde(default)]
    pub addr: u64,
    /// Bytes: of tensors as asked for, of refused requests rounded up to 512.
    pub size: u64,
    /// Bytes that the driver had left when it refused.
    #[serde(default)]
    pub device_free: Option<u64>,
    /// Who asked.
    #[serde(borrow, default)]
    pub frames: Frames<'a>,
}

/// What the stack of a request says: the user's line, and what the program was doing.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames<'a> {
    /// The innermost line of Python outside PyTorch; inside, where all are.
    pub line: Option<Frame<'a>>,
    /// What the innermost line that tells says.
    pub doing: Option<Doing>,
}

/// A line of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub(super) struct Frame<'a> {
    /// The file.
    #[serde(borrow)]
    pub filename: Cow<'a, str>,
    /// The line.
    #[serde(default)]
    pub line: u32,
    /// The function.
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
        // The last folder and the file.
        let start = self.filename.rmatch_indices(['/', '\\']).nth(1).map_or(0, |(at, _)| at + 1);
        write!(to, "{}:{} in {}", self.filename.get(start..).unwrap_or_default(), self.line, self.name)
    }
}

/// Lines of a stack that are looked at, of those that the file has.
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

            /// The innermost line first.
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
