//! Sizes for rounding, reserving and splitting; names in parentheses are PyTorch's.

use engine::model::software::Segments;
use enum_map::Enum;

const MIB: u64 = 1 << 20;
/// Granularity of block sizes (`kMinBlockSize`).
pub(super) const GRAIN: u64 = 512;
/// Maximum request of a small pool (`kSmallSize`), and maximum remainder that a large pool does not
/// split off.
const SMALL_REQUEST: u64 = MIB;
/// Segment size of a small pool, and page size with expandable segments (`kSmallBuffer`).
const SMALL_SEGMENT: u64 = 2 * MIB;
/// Segment size of a large pool for requests below [`OWN_SEGMENT`], and page size with expandable
/// segments (`kLargeBuffer`).
const LARGE_SEGMENT: u64 = 20 * MIB;
/// Minimum size of requests with a segment of their own (`kMinLargeAlloc`).
const OWN_SEGMENT: u64 = 10 * MIB;
/// Granularity of these segments (`kRoundLarge`).
const OWN_SEGMENT_GRAIN: u64 = 2 * MIB;
/// Maximum request, 64 TiB. Larger requests are clamped so that sums of bytes fit 64 bits; no
/// device has as much.
pub(super) const LARGEST_REQUEST: u64 = 1 << 46;

/// Rounds a request (`round_size`).
pub(super) fn rounded(bytes: u64) -> u64 {
    bytes.clamp(1, LARGEST_REQUEST).next_multiple_of(GRAIN)
}

/// Returns the bytes that PyTorch requests from the driver if no free block can serve a request of
/// `bytes`: the size printed in out-of-memory messages (`get_allocation_size`).
///
/// ```
/// # use trace::allocator::asked_of_driver;
/// // 4,096 tokens by a vocabulary of 50,257 in fp32 are 785.3 MiB: "Tried to allocate 786.00 MiB" (huggingface/transformers#3360).
/// assert_eq!(asked_of_driver(4 * 1024 * 50_257 * 4), 786 << 20);
/// // Any tensor of 1 to 10 MiB: "Tried to allocate 20.00 MiB".
/// assert_eq!(asked_of_driver(5 << 20), 20 << 20);
/// ```
pub fn asked_of_driver(bytes: u64) -> u64 {
    let size = rounded(bytes);
    PoolKind::for_size(size).segment(size)
}

/// Returns whether a remainder of `rest` bytes is split off (`should_split`).
pub(super) const fn splits(segments: Segments, rest: u64, kind: PoolKind) -> bool {
    match (segments, kind) {
        (Segments::Fixed, PoolKind::Large) => rest > SMALL_REQUEST,
        _ => rest >= GRAIN,
    }
}

/// CUDA stream that is current when memory is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
pub enum Stream {
    /// The default stream.
    #[default]
    Compute,
    /// FSDP2's all-gather stream.
    AllGather,
    /// FSDP2's reduce-scatter stream.
    ReduceScatter,
}

/// Kind of a pool, by the size of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum PoolKind {
    /// Up to 1 MiB.
    Small,
    /// Above 1 MiB.
    Large,
}

impl PoolKind {
    /// Returns the pool of a rounded request (`get_pool`).
    pub(super) const fn for_size(size: u64) -> Self {
        if size <= SMALL_REQUEST { Self::Small } else { Self::Large }
    }

    /// Returns the bytes of the segment reserved for a rounded request (`get_allocation_size`).
    pub(super) const fn segment(self, size: u64) -> u64 {
        match self {
            Self::Small => SMALL_SEGMENT,
            Self::Large if size < OWN_SEGMENT => LARGE_SEGMENT,
            Self::Large => size.next_multiple_of(OWN_SEGMENT_GRAIN),
        }
    }

    /// Returns the page size by which an expandable segment grows.
    pub(super) const fn page(self) -> u64 {
        match self {
            Self::Small => SMALL_SEGMENT,
            Self::Large => LARGE_SEGMENT,
        }
    }
}
