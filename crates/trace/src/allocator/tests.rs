//! Tests of single rules, derived by hand from `c10/cuda/CUDACachingAllocator.cpp` (names in
//! parentheses).

use super::rules::LARGEST_REQUEST;
use super::*;

const MIB: u64 = 1 << 20;
const KIB: u64 = 1 << 10;

fn fixed() -> Allocator {
    Allocator::new(Segments::Fixed)
}

fn expandable() -> Allocator {
    Allocator::new(Segments::Expandable)
}

/// Allocates on the compute stream.
fn compute(allocator: &mut Allocator, bytes: u64) -> BlockId {
    allocator.allocate(bytes, Stream::Compute)
}

fn free_all(allocator: &mut Allocator, blocks: impl IntoIterator<Item = BlockId>) {
    for block in blocks {
        allocator.free(block);
    }
}

/// Returns the blocks of a pool of the compute stream by address: address, size, used bytes.
fn layout(allocator: &Allocator, kind: PoolKind) -> Vec<(u64, u64, u64)> {
    let of_pool = allocator.ranges().filter(|range| (range.stream, range.kind) == (Stream::Compute, kind));
    let mut layout: Vec<_> = of_pool.map(|range| (range.address, range.size, range.used)).collect();
    layout.sort_unstable();
    layout
}

/// Returns the blocks of the large pool of the compute stream, in MiB.
fn large(allocator: &Allocator) -> Vec<(u64, u64, u64)> {
    let blocks = layout(allocator, PoolKind::Large);
    blocks.into_iter().map(|(address, size, used)| (address / MIB, size / MIB, used / MIB)).collect()
}

/// `get_round_size` with `kMinBlockSize`.
#[test]
fn requests_are_rounded_up_to_512_bytes() {
    for (bytes, rounded) in
        [(1, 512), (512, 512), (513, 1024), (1000, 1024), (MIB - 1, MIB), (5 * MIB + 1, 5 * MIB + 512)]
    {
        let mut allocator = fixed();
        compute(&mut allocator, bytes);
        assert_eq!(allocator.allocated(), rounded, "{bytes}");
    }
}

/// `get_pool` with `kSmallSize`, `get_allocation_size` with `kSmallBuffer`, `kLargeBuffer`,
/// `kMinLargeAlloc`, `kRoundLarge`.
#[test]
fn a_segment_is_as_large_as_its_request_asks_for() {
    let cases = [
        (1, 2 * MIB),
        (MIB, 2 * MIB),
        (MIB + 1, 20 * MIB),
        (10 * MIB - 512, 20 * MIB),
        (10 * MIB - 511, 10 * MIB),
        (10 * MIB, 10 * MIB),
        (10 * MIB + 1, 12 * MIB),
        (11 * MIB + 1, 12 * MIB),
        (12 * MIB, 12 * MIB),
        (1001 * MIB, 1002 * MIB),
    ];
    for (bytes, segment) in cases {
        let mut allocator = fixed();
        compute(&mut allocator, bytes);
        assert_eq!(allocator.reserved(), segment, "{bytes}");
    }
}

/// Small requests do not use the free 14 MiB of the large pool, and large requests do not use the
/// small pool.
#[test]
fn small_and_large_requests_have_pools_of_their_own() {
    let mut allocator = fixed();
    compute(&mut allocator, 6 * MIB);
    compute(&mut allocator, MIB);
    assert_eq!(allocator.reserved(), 22 * MIB);
    assert_eq!(layout(&allocator, PoolKind::Small), [(0, MIB, MIB), (MIB, MIB, 0)]);
    compute(&mut allocator, MIB);
    compute(&mut allocator, 14 * MIB);
    assert_eq!(allocator.reserved(), 22 * MIB);
    assert_eq!((layout(&allocator, PoolKind::Small).len(), large(&allocator)), (2, vec![(0, 6, 6), (6, 14, 14)]));
}

/// `BlockComparatorSize`: a request of 12 MiB takes the free block of 14 MiB, although the block of
/// 30 MiB comes first.
#[test]
fn the_smallest_free_block_that_holds_a_request_is_taken() {
    let mut allocator = fixed();
    let blocks = [30, 14, 16].map(|mib| compute(&mut allocator, mib * MIB));
    free_all(&mut allocator, blocks);
    compute(&mut allocator, 12 * MIB);
    assert_eq!(large(&allocator), [(0, 30, 0), (30, 12, 12), (42, 2, 0), (44, 16, 0)]);
    assert_eq!(allocator.reserved(), 60 * MIB);
}

/// `BlockComparatorSize`, second key: among blocks of 12 MiB the lowest address, although it was
/// freed last.
#[test]
fn of_equal_blocks_the_one_of_the_lowest_address_is_taken() {
    let mut allocator = fixed();
    let blocks = [12, 12, 12].map(|mib| compute(&mut allocator, mib * MIB));
    free_all(&mut allocator, blocks.into_iter().rev());
    compute(&mut allocator, 12 * MIB);
    assert_eq!(large(&allocator), [(0, 12, 12), (12, 12, 0), (24, 12, 0)]);
}

/// `should_split`, small pool: a remainder of 512 B becomes a block.
#[test]
fn a_small_pool_splits_off_512_bytes() {
    let mut allocator = fixed();
    compute(&mut allocator, MIB);
    compute(&mut allocator, MIB - 512);
    assert_eq!(
        layout(&allocator, PoolKind::Small),
        [(0, MIB, MIB), (MIB, MIB - 512, MIB - 512), (2 * MIB - 512, 512, 0)]
    );
    compute(&mut allocator, 1);
    assert_eq!(allocator.reserved(), 2 * MIB);
}

/// `should_split`, large pool: `remaining > kSmallSize`. In a segment of 12 MiB, a request of 11
/// MiB leaves 1 MiB, which is not split off.
#[test]
fn a_large_pool_splits_off_more_than_1_mib() {
    let mut allocator = fixed();
    compute(&mut allocator, 11 * MIB);
    assert_eq!(large(&allocator), [(0, 12, 11)]);
    assert_eq!((allocator.allocated(), allocator.reserved()), (11 * MIB, 12 * MIB));

    let mut allocator = fixed();
    compute(&mut allocator, 11 * MIB - 512);
    assert_eq!(
        layout(&allocator, PoolKind::Large),
        [(0, 11 * MIB - 512, 11 * MIB - 512), (11 * MIB - 512, MIB + 512, 0)]
    );
}

/// `free_block` and `try_merge_blocks`.
#[test]
fn a_freed_block_merges_with_both_neighbours() {
    let mut allocator = fixed();
    let [first, second, third, _] = [5, 4, 3, 8].map(|mib| compute(&mut allocator, mib * MIB));
    assert_eq!(allocator.reserved(), 20 * MIB);
    allocator.free(first);
    allocator.free(third);
    assert_eq!(large(&allocator), [(0, 5, 0), (5, 4, 4), (9, 3, 0), (12, 8, 8)]);
    allocator.free(second);
    assert_eq!(large(&allocator), [(0, 12, 0), (12, 8, 8)]);
    compute(&mut allocator, 12 * MIB);
    assert_eq!(allocator.reserved(), 20 * MIB);
}

#[test]
fn a_freed_block_merges_with_the_one_before_or_the_one_after() {
    for order in [[0, 1], [1, 0]] {
        let mut allocator = fixed();
        let blocks = [5, 4].map(|mib| compute(&mut allocator, mib * MIB));
        compute(&mut allocator, 11 * MIB);
        free_all(&mut allocator, order.map(|place: usize| blocks[place]));
        assert_eq!(large(&allocator), [(0, 9, 0), (9, 11, 11)]);
    }
}

/// Adjacent segments of 20 MiB are two calls of `cudaMalloc`, so no block spans both.
#[test]
fn blocks_of_two_segments_do_not_merge() {
    let mut allocator = fixed();
    let blocks = [9, 9, 9].map(|mib| compute(&mut allocator, mib * MIB));
    assert_eq!(allocator.reserved(), 40 * MIB);
    free_all(&mut allocator, blocks);
    assert_eq!(large(&allocator), [(0, 20, 0), (20, 20, 0)]);
    compute(&mut allocator, 21 * MIB);
    assert_eq!(allocator.reserved(), 62 * MIB);
}

/// `BlockPool::blocks` is sorted by stream first: a block freed by one stream serves no other
/// stream.
#[test]
fn streams_have_pools_of_their_own() {
    let mut allocator = fixed();
    let gathered = allocator.allocate(12 * MIB, Stream::AllGather);
    allocator.free(gathered);
    allocator.allocate(12 * MIB, Stream::ReduceScatter);
    compute(&mut allocator, 3 * MIB);
    compute(&mut allocator, KIB);
    assert_eq!(allocator.reserved_by(Stream::AllGather), 12 * MIB);
    assert_eq!(allocator.reserved_by(Stream::ReduceScatter), 12 * MIB);
    assert_eq!(allocator.reserved_by(Stream::Compute), 22 * MIB);
    assert_eq!(allocator.reserved(), 46 * MIB);
    allocator.allocate(12 * MIB, Stream::AllGather);
    assert_eq!(allocator.reserved(), 46 * MIB);
}

#[test]
fn freeing_lowers_what_is_allocated_and_not_what_is_reserved() {
    let mut allocator = fixed();
    let block = compute(&mut allocator, 30 * MIB);
    allocator.free(block);
    compute(&mut allocator, 3 * MIB);
    assert_eq!((allocator.allocated(), allocator.reserved()), (3 * MIB, 30 * MIB));
    assert_eq!((allocator.peak_allocated(), allocator.peak_reserved()), (30 * MIB, 30 * MIB));
}

#[test]
fn freeing_twice_frees_once() {
    let mut allocator = fixed();
    let block = compute(&mut allocator, 3 * MIB);
    allocator.free(block);
    allocator.free(block);
    assert_eq!((allocator.allocated(), large(&allocator)), (0, vec![(0, 20, 0)]));
}

/// `ExpandableSegment`: "2MiB pages for our small pool and 20MiB pages for our large pool";
/// `should_split`: any remainder of 512 B or more.
#[test]
fn an_expandable_segment_grows_by_pages_and_splits_off_everything() {
    let mut allocator = expandable();
    compute(&mut allocator, 11 * MIB);
    assert_eq!((large(&allocator), allocator.reserved()), (vec![(0, 11, 11), (11, 9, 0)], 20 * MIB));
    compute(&mut allocator, 9 * MIB - 512);
    assert_eq!(
        layout(&allocator, PoolKind::Large).last(),
        Some(&(20 * MIB - 512, 512, 0)),
        "left in a large pool, where a fixed segment would not split"
    );
    compute(&mut allocator, KIB);
    assert_eq!(allocator.reserved(), 22 * MIB);
    compute(&mut allocator, 41 * MIB);
    assert_eq!(allocator.reserved(), (22 + 60) * MIB);
}

/// `try_allocate_expandable_block`: only the part of a request beyond the free end is mapped. With
/// 9 MiB free and 30 MiB requested, 21 MiB are missing, so two pages are mapped.
#[test]
fn an_expandable_segment_grows_from_its_free_end() {
    let mut allocator = expandable();
    let first = compute(&mut allocator, 11 * MIB);
    compute(&mut allocator, 30 * MIB);
    assert_eq!(large(&allocator), [(0, 11, 11), (11, 30, 30), (41, 19, 0)]);
    // The free block at the start is too small, so the free end grows by a page.
    allocator.free(first);
    compute(&mut allocator, 20 * MIB);
    assert_eq!(large(&allocator), [(0, 11, 0), (11, 30, 30), (41, 20, 20), (61, 19, 0)]);
    assert_eq!(allocator.reserved(), 80 * MIB);
}

/// Consecutively mapped pages are one segment, so blocks merge that fixed segments would keep
/// apart.
#[test]
fn all_pages_of_an_expandable_segment_merge() {
    let mut allocator = expandable();
    let blocks = [20, 20, 20].map(|mib| compute(&mut allocator, mib * MIB));
    free_all(&mut allocator, blocks);
    assert_eq!(large(&allocator), [(0, 60, 0)]);
    compute(&mut allocator, 61 * MIB);
    assert_eq!((large(&allocator), allocator.reserved()), (vec![(0, 61, 61), (61, 19, 0)], 80 * MIB));
}

#[test]
fn each_stream_has_an_expandable_segment_of_its_own() {
    let mut allocator = expandable();
    let gathered = allocator.allocate(30 * MIB, Stream::AllGather);
    allocator.free(gathered);
    compute(&mut allocator, 30 * MIB);
    allocator.allocate(50 * MIB, Stream::AllGather);
    assert_eq!(
        (allocator.reserved_by(Stream::AllGather), allocator.reserved_by(Stream::Compute)),
        (60 * MIB, 40 * MIB)
    );
}

/// `release_cached_blocks`: of 60 MiB, segments of 30 and 20 MiB are reserved, the latter partly in
/// use. A further 12 MiB does not fit, so the free 30 MiB are released.
#[test]
fn free_segments_are_given_back_before_the_device_is_exceeded() {
    let mut allocator = Allocator::within(60 * MIB);
    let cached = compute(&mut allocator, 30 * MIB);
    let [partly, _] = [6, 3].map(|mib| compute(&mut allocator, mib * MIB));
    allocator.free(cached);
    allocator.free(partly);
    allocator.allocate(10 * MIB, Stream::AllGather);
    assert_eq!((allocator.reserved(), allocator.retries()), (60 * MIB, 0), "it fits");
    allocator.allocate(12 * MIB, Stream::AllGather);
    assert_eq!((allocator.reserved(), allocator.retries(), allocator.failures()), (42 * MIB, 1, 0));
    assert_eq!((allocator.reserved_by(Stream::Compute), allocator.peak_reserved()), (20 * MIB, 60 * MIB));
    assert_eq!(large(&allocator), [(30, 6, 0), (36, 3, 3), (39, 11, 0)]);
    allocator.allocate(20 * MIB, Stream::ReduceScatter);
    assert_eq!(
        (allocator.reserved(), allocator.retries(), allocator.failures()),
        (62 * MIB, 2, 1),
        "nothing to give back"
    );
}

/// Sizes in a step are unbounded, but sums must not overflow.
#[test]
fn the_largest_requests_are_served() {
    for mut allocator in [fixed(), expandable(), Allocator::within(80 << 30)] {
        let blocks: Vec<BlockId> = (0..100).map(|_| compute(&mut allocator, u64::MAX)).collect();
        assert_eq!(allocator.allocated(), 100 * LARGEST_REQUEST);
        assert!(allocator.reserved() >= allocator.allocated());
        free_all(&mut allocator, blocks);
        assert_eq!(allocator.allocated(), 0);
    }
}
