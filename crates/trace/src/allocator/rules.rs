//! The sizes by which the allocator rounds, reserves and splits; the names in parentheses are
//! PyTorch's.

use engine::model::software::Segments;
use enum_map::Enum;

const MIB: u64 = 1 << 20;
/// Every size is a multiple of it (`kMinBlockSize`).
pub(super) const GRAIN: u64 = 512;
/// The largest request of a small pool (`kSmallSize`); also what a large pool does not split off.
const SMALL_REQUEST: u64 = MIB;
/// A segment of a small pool, and its page where segments expand (`kSmallBuffer`).
const SMALL_SEGMENT: u64 = 2 * MIB;
/// A segment of a large pool for requests below [`OWN_SEGMENT`], and its page where segments expand
/// (`kLargeBuffer`).
const LARGE_SEGMENT: u64 = 20 * MIB;
/// Requests from here on get a segment of their own size (`kMinLargeAlloc`),
const OWN_SEGMENT: u64 = 10 * MIB;
/// rounded up to this (`kRoundLarge`).
const OWN_SEGMENT_GRAIN: u64 = 2 * MIB;
/// Larger requests count as this one, 64 TiB, so that sums of bytes stay within 64 bits: no device
/// has as much.
pub(super) const LARGEST_REQUEST: u64 = 1 << 46;

/// A request as it is served (`round_size`).
pub(super) fn rounded(bytes: u64) -> u64 {
    bytes.clamp(1, LARGEST_REQUEST).next_multiple_of(GRAIN)
}

/// What PyTorch asks the driver for when no free block holds a request of so many bytes: the size
/// that its out-of-memory messages print (`get_allocation_size`).
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
    PoolKind::of(size).segment(size)
}

/// Whether so many bytes left of a block are split off (`should_split`).
pub(super) const fn splits(segments: Segments, rest: u64, kind: PoolKind) -> bool {
    match (segments, kind) {
        (Segments::Fixed, PoolKind::Large) => rest > SMALL_REQUEST,
        _ => rest >= GRAIN,
    }
}

/// The CUDA stream that is current when memory is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Enum)]
pub enum Stream {
    /// The default stream.
    #[default]
    Compute,
    /// FSDP2's stream of gathered parameters.
    AllGather,
    /// FSDP2's stream of reduced gradients.
    ReduceScatter,
}

/// Which requests a pool serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
pub enum PoolKind {
    /// Up to 1 MiB.
    Small,
    /// Above 1 MiB.
    Large,
}

impl PoolKind {
    /// The pool of a rounded request (`get_pool`).
    pub(super) const fn of(size: u64) -> Self {
        if size <= SMALL_REQUEST { Self::Small } else { Self::Large }
    }

    /// The segment reserved for a rounded request (`get_allocation_size`).
    pub(super) const fn segment(self, size: u64) -> u64 {
        match self {
            Self::Small => SMALL_SEGMENT,
            Self::Large if size < OWN_SEGMENT => LARGE_SEGMENT,
            Self::Large => size.next_multiple_of(OWN_SEGMENT_GRAIN),
        }
    }

    /// The page by which an expandable segment grows.
    pub(super) const fn page(self) -> u64 {
        match self {
            Self::Small => SMALL_SEGMENT,
            Self::Large => LARGE_SEGMENT,
        }
    }
}
