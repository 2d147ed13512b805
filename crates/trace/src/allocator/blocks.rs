//! The blocks of all segments: a slab whose entries are linked to those before and after them in
//! their segment.

use super::{PoolKind, Stream};

/// A block that is in use. The number is another block's after it was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockId(u32);

impl BlockId {
    /// No block.
    pub(super) const NONE: Self = Self(u32::MAX);

    const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One block of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) address: u64,
    pub(super) size: u64,
    /// The request that it holds, rounded; 0 while it is free.
    pub(super) used: u64,
    pub(super) previous: BlockId,
    pub(super) next: BlockId,
    pub(super) stream: Stream,
    pub(super) kind: PoolKind,
    /// Whether it was merged into another, or given back.
    is_gone: bool,
}

/// Part of a segment, as others see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Stream of the pool.
    pub stream: Stream,
    /// Kind of the pool.
    pub kind: PoolKind,
    /// First byte, in the address space of its pool.
    pub address: u64,
    /// Bytes.
    pub size: u64,
    /// Bytes in use, 0 where it is free.
    pub used: u64,
    /// Whether a segment begins with it.
    pub is_first: bool,
    /// Whether its segment ends with it.
    pub is_last: bool,
}

/// A free block, as its pool keeps it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub(super) size: u64,
    pub(super) address: u64,
    pub(super) block: BlockId,
}

impl Free {
    /// Whether it is taken rather than the other, where both are large enough.
    pub(super) const fn precedes(&self, other: &Self) -> bool {
        self.size < other.size || (self.size == other.size && self.address < other.address)
    }
}

/// The slab.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// Entries that are gone, to be taken again.
    gone: Vec<BlockId>,
}

impl Blocks {
    #[inline]
    fn get(&self, id: BlockId) -> Option<&Block> {
        self.blocks.get(id.index())
    }

    #[inline]
    fn change(&mut self, id: BlockId, change: impl FnOnce(&mut Block)) {
        if let Some(block) = self.blocks.get_mut(id.index()) {
            change(block);
        }
    }

    #[inline]
    fn put(&mut self, block: Block) -> BlockId {
        if let Some(id) = self.gone.pop() {
            self.change(id, |entry| *entry = block);
            return id;
        }
        let id = BlockId(self.blocks.len() as u32);
        self.blocks.push(block);
        id
    }

    /// Drops a block that no other is linked to any more.
    #[inline]
    fn drop(&mut self, id: BlockId) {
        self.change(id, |block| block.is_gone = true);
        self.gone.push(id);
    }

    /// What there is of the segments.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range> {
        self.blocks.iter().filter(|block| !block.is_gone).map(|block| Range {
            stream: block.stream,
            kind: block.kind,
            address: block.address,
            size: block.size,
            used: block.used,
            is_first: block.previous == BlockId::NONE,
            is_last: block.next == BlockId::NONE,
        })
    }

    /// The block of this number, where there is one and it is free.
    #[inline]
    pub(super) fn free_at(&self, id: BlockId) -> Option<Free> {
        let block = self.get(id).filter(|block| block.used == 0)?;
        Some(Free { size: block.size, address: block.address, block: id })
    }

    /// Adds a free block after the last one of a segment, or as the first of a new one.
    pub(super) fn append(&mut self, last: BlockId, address: u64, size: u64, stream: Stream, kind: PoolKind) -> Free {
        let (previous, next) = (last, BlockId::NONE);
        let block = self.put(Block { address, size, used: 0, previous, next, stream, kind, is_gone: false });
        self.change(last, |last| last.next = block);
        Free { size, address, block }
    }

    /// Splits off what lies beyond the first bytes of a block, and returns it.
    #[inline]
    pub(super) fn split(&mut self, id: BlockId, size: u64) -> Free {
        let Some(&whole) = self.get(id) else { return Free { size: 0, address: 0, block: id } };
        let (address, rest) = (whole.address + size, whole.size - size);
        let block = self.put(Block { address, size: rest, used: 0, previous: id, ..whole });
        self.change(id, |block_before| (block_before.size, block_before.next) = (size, block));
        self.change(whole.next, |next| next.previous = block);
        Free { size: rest, address, block }
    }

    /// Merges a free block with the one after it.
    #[inline]
    pub(super) fn merge(&mut self, free: Free, next: Free) -> Free {
        let after = self.get(next.block).map_or(BlockId::NONE, |next| next.next);
        let size = free.size + next.size;
        self.change(free.block, |block| (block.size, block.next) = (size, after));
        self.change(after, |after| after.previous = free.block);
        self.drop(next.block);
        Free { size, ..free }
    }

    /// Marks a block as in use.
    #[inline]
    pub(super) fn occupy(&mut self, id: BlockId, size: u64) {
        self.change(id, |block| block.used = size);
    }

    /// Marks a block as free, and returns it as it was; `None` where it is not in use.
    #[inline]
    pub(super) fn vacate(&mut self, id: BlockId) -> Option<Block> {
        let block = self.blocks.get_mut(id.index()).filter(|block| block.used > 0)?;
        let before = *block;
        block.used = 0;
        Some(before)
    }

    /// Whether a block is a segment by itself.
    pub(super) fn is_whole_segment(&self, id: BlockId) -> bool {
        self.get(id).is_some_and(|block| block.previous == BlockId::NONE && block.next == BlockId::NONE)
    }

    /// Gives a whole segment back.
    pub(super) fn release(&mut self, id: BlockId) {
        self.drop(id);
    }
}
