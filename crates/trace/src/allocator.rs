//! Simulates PyTorch's caching allocator: the bytes that a process reserves for its allocations
//! (`c10/cuda/CUDACachingAllocator.cpp`, as of commit 001074d; names in parentheses refer to that
//! file).
//!
//! - A request is rounded up to 512 B (`kMinBlockSize`).
//! - Requests up to 1 MiB (`kSmallSize`) use the small pool of their stream, larger requests the
//!   large pool (`get_pool`). Pools do not share blocks.
//! - The smallest free block that fits is taken; among equal blocks, the one with the lowest
//!   address (`get_free_block`).
//! - The remainder of the block is split off if it is at least 512 B in a small pool or more than 1
//!   MiB in a large pool (`should_split`).
//! - If no free block fits, a segment is reserved (`get_allocation_size`): 2 MiB for the small
//!   pool, 20 MiB for a request under 10 MiB, otherwise the request rounded up to 2 MiB.
//! - A freed block merges with free neighbors in its segment (`free_block`); the segment stays
//!   reserved.
//! - If a new segment would exceed the device, all completely free segments are released first
//!   (`release_cached_blocks`).
//!
//! With expandable segments, a pool is one segment that grows at its end in pages of 2 MiB (small)
//! or 20 MiB (large), and any remainder is split off.
//!
//! Like the reference simulation (`allocsim.py`, see `tests/allocator`), this is simpler than the
//! original: a remainder that a large pool does not split off counts as reserved but not as
//! allocated. In expandable segments, the free end is an ordinary block, whereas PyTorch prefers a
//! larger block if there is one, and pages are never released.
//!
//! A step makes tens of thousands of requests, so functions on their path are inlined even if the
//! engine is compiled for size.

mod bins;
mod blocks;
mod pool;
mod rules;
#[cfg(test)]
mod tests;

pub use blocks::{BlockId, Range};
use blocks::{Blocks, Free};
pub use engine::model::software::Segments;
use enum_map::EnumMap;
use pool::Pool;
pub use rules::{PoolKind, Stream, asked_of_driver};

/// Current and peak bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Gauge {
    now: u64,
    peak: u64,
}

impl Gauge {
    const fn raise(&mut self, bytes: u64) {
        self.now += bytes;
        if self.now > self.peak {
            self.peak = self.now;
        }
    }
}

/// The caching allocator of one process.
///
/// ```
/// use trace::allocator::{Allocator, Segments, Stream};
/// const MIB: u64 = 1 << 20;
/// let mut allocator = Allocator::new(Segments::Fixed);
/// let activation = allocator.allocate(12 * MIB, Stream::Compute);
/// allocator.free(activation);
/// // The block is cached for its stream, and useless to any other.
/// allocator.allocate(12 * MIB, Stream::AllGather);
/// assert_eq!((allocator.peak_allocated(), allocator.reserved()), (12 * MIB, 24 * MIB));
/// ```
#[derive(Clone, Debug)]
pub struct Allocator {
    segments: Segments,
    capacity: u64,
    blocks: Blocks,
    pools: EnumMap<Stream, EnumMap<PoolKind, Pool>>,
    reserved: Gauge,
    allocated: Gauge,
    retries: u32,
    failures: u32,
}

impl Allocator {
    /// Creates an allocator on a device of unlimited memory.
    pub fn new(segments: Segments) -> Self {
        Self {
            segments,
            capacity: u64::MAX,
            blocks: Blocks::default(),
            pools: EnumMap::default(),
            reserved: Gauge::default(),
            allocated: Gauge::default(),
            retries: 0,
            failures: 0,
        }
    }

    /// Creates an allocator with fixed segments on a device that can reserve `capacity` bytes. A
    /// request that does not fit is served nevertheless, and counted by [`Self::failures`].
    pub fn within(capacity: u64) -> Self {
        Self { capacity, ..Self::new(Segments::Fixed) }
    }

    /// Returns the bytes in use: requests rounded up to 512 B.
    pub const fn allocated(&self) -> u64 {
        self.allocated.now
    }

    /// Returns the peak of bytes in use.
    pub const fn peak_allocated(&self) -> u64 {
        self.allocated.peak
    }

    /// Returns the bytes of all segments.
    pub const fn reserved(&self) -> u64 {
        self.reserved.now
    }

    /// Returns the peak of bytes of all segments.
    pub const fn peak_reserved(&self) -> u64 {
        self.reserved.peak
    }

    /// Returns the bytes of a stream's segments.
    pub fn reserved_by(&self, stream: Stream) -> u64 {
        self.pools[stream].values().map(|pool| pool.reserved).sum()
    }

    /// Returns how often free segments were released to serve a request (`num_alloc_retries`).
    pub const fn retries(&self) -> u32 {
        self.retries
    }

    /// Returns how often releasing segments was insufficient (`num_ooms`).
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// Lists the blocks of all segments, in arbitrary order (like `torch.cuda.memory_snapshot`).
    pub fn ranges(&self) -> impl Iterator<Item = Range> {
        self.blocks.ranges()
    }

    /// Allocates at least one byte. An empty tensor takes no memory and must not be requested.
    pub fn allocate(&mut self, bytes: u64, stream: Stream) -> BlockId {
        let size = rules::rounded(bytes);
        let kind = PoolKind::for_size(size);
        let taken = self.pools[stream][kind].free.take_best(size);
        let Free { block, size: found, .. } = taken.unwrap_or_else(|| self.grow(size, stream, kind));
        self.allocated.raise(size);
        if rules::splits(self.segments, found - size, kind) {
            let rest = self.blocks.split(block, size);
            let pool = &mut self.pools[stream][kind];
            pool.free.insert(rest);
            pool.follow(block, rest.block);
        }
        self.blocks.occupy(block, size);
        block
    }

    /// Frees a block. Freeing a free block has no effect.
    pub fn free(&mut self, block: BlockId) {
        let Some(freed) = self.blocks.vacate(block) else { return };
        self.allocated.now -= freed.used;
        let pool = &mut self.pools[freed.stream][freed.kind];
        let mut merged = Free { size: freed.size, address: freed.address, block };
        if let Some(next) = self.blocks.free_at(freed.next) {
            pool.free.remove(next);
            pool.follow(next.block, block);
            merged = self.blocks.merge(merged, next);
        }
        if let Some(previous) = self.blocks.free_at(freed.previous) {
            pool.free.remove(previous);
            pool.follow(block, previous.block);
            merged = self.blocks.merge(previous, merged);
        }
        pool.free.insert(merged);
    }

    /// Reserves memory for a request that no free block can serve, and returns a block that can.
    fn grow(&mut self, size: u64, stream: Stream, kind: PoolKind) -> Free {
        match self.segments {
            Segments::Fixed => {
                let bytes = kind.segment(size);
                self.make_room(bytes);
                self.reserved.raise(bytes);
                let address = self.pools[stream][kind].reserve(bytes);
                self.blocks.append(BlockId::NONE, address, bytes, stream, kind)
            }
            Segments::Expandable => {
                let pool = &mut self.pools[stream][kind];
                let tail = self.blocks.free_at(pool.tail);
                let bytes = (size - tail.map_or(0, |tail| tail.size)).next_multiple_of(kind.page());
                self.reserved.raise(bytes);
                let address = pool.reserve(bytes);
                let added = self.blocks.append(pool.tail, address, bytes, stream, kind);
                let Some(tail) = tail else {
                    pool.tail = added.block;
                    return added;
                };
                pool.free.remove(tail);
                self.blocks.merge(tail, added)
            }
        }
    }

    /// Releases all completely free segments if `bytes` more bytes would exceed the device.
    fn make_room(&mut self, bytes: u64) {
        if bytes <= self.capacity.saturating_sub(self.reserved.now) {
            return;
        }
        self.retries += 1;
        for pool in self.pools.values_mut().flat_map(EnumMap::values_mut) {
            self.reserved.now -= pool.release(&mut self.blocks);
        }
        if bytes > self.capacity.saturating_sub(self.reserved.now) {
            self.failures += 1;
        }
    }
}
