//! PyTorch's caching allocator: the bytes a process reserves for what it allocates and frees
//! (`c10/cuda/CUDACachingAllocator.cpp`, as of commit 001074d; the names in parentheses are that
//! file's).
//!
//! - A request is rounded up to 512 B (`kMinBlockSize`).
//! - Up to 1 MiB (`kSmallSize`) it is served by its stream's small pool, else by its large pool
//!   (`get_pool`); no pool gives to another.
//! - The smallest free block that holds it is taken, of equal ones that of the lowest address
//!   (`get_free_block`).
//! - What is left of that block is split off: 512 B or more in a small pool, more than 1 MiB in a
//!   large one (`should_split`).
//! - Where none is free, a segment is reserved (`get_allocation_size`): 2 MiB for the small pool,
//!   20 MiB for a request under 10 MiB, else the request rounded up to 2 MiB.
//! - A freed block merges with the free blocks before and after it in its segment (`free_block`);
//!   the segment stays reserved.
//! - A segment that would exceed the device first makes it take back every segment that is free as
//!   a whole (`release_cached_blocks`).
//!
//! With expandable segments a pool is one segment that grows at its end, in pages of 2 MiB (small)
//! or 20 MiB (large), and anything left over is split off.
//!
//! Simpler than the original, as the reference simulation is (`allocsim.py`, see
//! `tests/allocator`): what a large pool does not split off counts as reserved and not as
//! allocated; of expandable segments the free end is a block like any other, where PyTorch rather
//! takes a larger block if there is one, and no pages are given back.
//!
//! A step makes tens of thousands of requests, so what each of them calls is inlined also where the
//! engine is compiled for its size.

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

/// Bytes now and at most so far.
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
    /// Creates the allocator on a device without end.
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

    /// Creates the allocator, with fixed segments, on a device of which it may reserve so many
    /// bytes. A request that does not fit all the same is served, and counted by
    /// [`Self::failures`].
    pub fn within(capacity: u64) -> Self {
        Self { capacity, ..Self::new(Segments::Fixed) }
    }

    /// Bytes in use: requests rounded up to 512 B.
    pub const fn allocated(&self) -> u64 {
        self.allocated.now
    }

    /// The most bytes in use so far.
    pub const fn peak_allocated(&self) -> u64 {
        self.allocated.peak
    }

    /// Bytes of all segments.
    pub const fn reserved(&self) -> u64 {
        self.reserved.now
    }

    /// The most bytes of segments so far.
    pub const fn peak_reserved(&self) -> u64 {
        self.reserved.peak
    }

    /// Bytes of the segments of a stream.
    pub fn reserved_by(&self, stream: Stream) -> u64 {
        self.pools[stream].values().map(|pool| pool.reserved).sum()
    }

    /// How often free segments had to be given back (`num_alloc_retries`).
    pub const fn retries(&self) -> u32 {
        self.retries
    }

    /// How often that was not enough (`num_ooms`).
    pub const fn failures(&self) -> u32 {
        self.failures
    }

    /// Lists what the segments consist of, in no order (as `torch.cuda.memory_snapshot` does).
    pub fn ranges(&self) -> impl Iterator<Item = Range> {
        self.blocks.ranges()
    }

    /// Allocates at least one byte; a tensor without any takes no memory and is not to be
    /// requested.
    pub fn allocate(&mut self, bytes: u64, stream: Stream) -> BlockId {
        let size = rules::rounded(bytes);
        let kind = PoolKind::of(size);
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

    /// Frees a block; one that is free already stays so.
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

    /// Reserves what a request needs that no free block holds, and returns the block that now holds
    /// it.
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

    /// Gives back every segment that is free as a whole where so many bytes more would exceed the
    /// device.
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
