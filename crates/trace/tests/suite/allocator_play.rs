//! Plays random requests on the allocator and checks invariants. The fuzz target `allocator` shares
//! this module.

use trace::allocator::{Allocator, BlockId, Range, Stream};

/// Granularity of sizes.
const GRAIN: u64 = 512;
const STREAMS: [Stream; 3] = [Stream::Compute, Stream::AllGather, Stream::ReduceScatter];

/// Distribution of random requests, as in `tests/allocator/traces.py`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Maximum number of blocks in use.
    pub(crate) limit: usize,
    /// Number of events out of 16 that free a block.
    pub(crate) frees: u32,
    /// Mask of the 20 bits that select a size between two powers of two; with few bits, sizes
    /// repeat.
    pub(crate) mask: u64,
}

/// An allocator and its blocks in use.
pub(crate) struct Player {
    pub(crate) allocator: Allocator,
    style: Style,
    live: Vec<(BlockId, u64)>,
}

impl Player {
    pub(crate) fn new(allocator: Allocator, style: Style) -> Self {
        Self { allocator, style, live: Vec::new() }
    }

    /// Plays one event. Bits 0 to 3 decide whether a block is freed. To free, the other bits select
    /// the block; otherwise bits 4 and 5 select the stream, bits 6 to 10 the power of two, and bits
    /// 12 to 31 the fraction of the way to the next power.
    pub(crate) fn play(&mut self, word: u32) {
        let is_free = word % 16 < self.style.frees || self.live.len() >= self.style.limit;
        if is_free && !self.live.is_empty() {
            let place = (word >> 4) as usize % self.live.len();
            let (block, _) = self.live.swap_remove(place);
            self.allocator.free(block);
            return;
        }
        let power = 1_u64 << ((word >> 6) % 32 % 28);
        let bytes = power + (((u64::from(word >> 12) & self.style.mask) * power) >> 20);
        let stream = STREAMS[(word >> 4) as usize % 4 % 3];
        self.live.push((self.allocator.allocate(bytes, stream), bytes.next_multiple_of(GRAIN)));
    }

    /// Frees all blocks in use.
    pub(crate) fn free_all(&mut self) {
        for (block, _) in std::mem::take(&mut self.live) {
            self.allocator.free(block);
        }
    }

    /// Checks invariants: blocks fill their segments without gaps or overlaps, free neighbors are
    /// merged, and sums agree with the blocks.
    pub(crate) fn check(&self) {
        let allocator = &self.allocator;
        let mut used: Vec<u64> = allocator.ranges().map(|range| range.used).filter(|used| *used > 0).collect();
        let mut asked: Vec<u64> = self.live.iter().map(|(_, bytes)| *bytes).collect();
        used.sort_unstable();
        asked.sort_unstable();
        assert_eq!(used, asked, "a block for each request");
        assert_eq!(allocator.allocated(), used.iter().sum::<u64>());
        assert_eq!(allocator.reserved(), allocator.ranges().map(|range| range.size).sum::<u64>());
        for stream in STREAMS {
            let of_stream = allocator.ranges().filter(|range| range.stream == stream);
            assert_eq!(allocator.reserved_by(stream), of_stream.map(|range| range.size).sum::<u64>());
        }
        assert!(allocator.reserved() >= allocator.allocated());
        assert!(
            allocator.peak_reserved() >= allocator.reserved() && allocator.peak_allocated() >= allocator.allocated()
        );
        for pool in pools(allocator) {
            assert!(pool.first().is_some_and(|first| first.is_first) && pool.last().is_some_and(|last| last.is_last));
            pool.windows(2).for_each(check_neighbours);
            assert!(pool.iter().all(|range| range.used <= range.size && range.size % GRAIN == 0 && range.size > 0));
        }
    }

    /// Checks that after freeing everything each segment is one block.
    pub(crate) fn check_empty(&self) {
        assert_eq!(self.allocator.allocated(), 0);
        for range in self.allocator.ranges() {
            assert!(range.is_first && range.is_last && range.used == 0, "{range:?}");
        }
    }
}

/// Returns the blocks of each non-empty pool, by address.
fn pools(allocator: &Allocator) -> Vec<Vec<Range>> {
    let mut ranges: Vec<Range> = allocator.ranges().collect();
    ranges.sort_unstable_by_key(|range| (range.stream as u8, range.kind as u8, range.address));
    ranges.chunk_by(|a, b| (a.stream, a.kind) == (b.stream, b.kind)).map(<[Range]>::to_vec).collect()
}

fn check_neighbours(pair: &[Range]) {
    let [before, after] = pair else { return };
    let end = before.address + before.size;
    if before.is_last {
        assert!(after.is_first && after.address >= end, "{pair:?}");
    } else {
        assert!(!after.is_first && after.address == end, "{pair:?}");
        assert!(before.used > 0 || after.used > 0, "free neighbours: {pair:?}");
    }
}
