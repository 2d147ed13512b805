//! The blocks of all segments: a slab with entries linked to their neighbors in the segment.

use super::{PoolKind, Stream};

/// Id of a block in use. After the block is freed, the id may refer to another block.
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
    /// Bytes of the request in the block, rounded; 0 if the block is free.
    pub(super) used: u64,
    pub(super) previous: BlockId,
    pub(super) next: BlockId,
    pub(super) stream: Stream,
    pub(super) kind: PoolKind,
    /// Whether the block was merged into another or released.
    is_gone: bool,
}

/// A block of a segment, for callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Stream of the pool.
    pub stream: Stream,
    /// Kind of the pool.
    pub kind: PoolKind,
    /// Start address, in the address space of its pool.
    pub address: u64,
    /// Size in bytes.
    pub size: u64,
    /// Bytes in use; 0 if the block is free.
    pub used: u64,
    /// Whether the block is the first of its segment.
    pub is_first: bool,
    /// Whether the block is the last of its segment.
    pub is_last: bool,
}

/// A free block in a bin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub(super) size: u64,
    pub(super) address: u64,
    pub(super) block: BlockId,
}

impl Free {
    /// Returns whether the block is preferred to another if both are large enough.
    pub(super) const fn precedes(&self, other: &Self) -> bool {
        self.size < other.size || (self.size == other.size && self.address < other.address)
    }
}

/// Slab of blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// Unused entries, for reuse.
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

    /// Removes a block without links.
    #[inline]
    fn drop(&mut self, id: BlockId) {
        self.change(id, |block| block.is_gone = true);
        self.gone.push(id);
    }

    /// Lists the blocks of all segments.
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

    /// Returns the block with this id, if there is one and it is free.
    #[inline]
    pub(super) fn free_at(&self, id: BlockId) -> Option<Free> {
        let block = self.get(id).filter(|block| block.used == 0)?;
        Some(Free { size: block.size, address: block.address, block: id })
    }

    /// Appends a free block to a segment, or as the first of a new segment.
    pub(super) fn append(&mut self, last: BlockId, address: u64, size: u64, stream: Stream, kind: PoolKind) -> Free {
        let (previous, next) = (last, BlockId::NONE);
        let block = self.put(Block { address, size, used: 0, previous, next, stream, kind, is_gone: false });
        self.change(last, |last| last.next = block);
        Free { size, address, block }
    }

    /// Splits a block after `size` bytes and returns the remainder.
    #[inline]
    pub(super) fn split(&mut self, id: BlockId, size: u64) -> Free {
        let Some(&whole) = self.get(id) else { return Free { size: 0, address: 0, block: id } };
        let (address, rest) = (whole.address + size, whole.size - size);
        let block = self.put(Block { address, size: rest, used: 0, previous: id, ..whole });
        self.change(id, |block_before| (block_before.size, block_before.next) = (size, block));
        self.change(whole.next, |next| next.previous = block);
        Free { size: rest, address, block }
    }

    /// Merges a free block with its successor.
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

    /// Marks a block as free and returns its previous state; `None` if the block is not in use.
    #[inline]
    pub(super) fn vacate(&mut self, id: BlockId) -> Option<Block> {
        let block = self.blocks.get_mut(id.index()).filter(|block| block.used > 0)?;
        let before = *block;
        block.used = 0;
        Some(before)
    }

    /// Returns whether a block is a whole segment.
    pub(super) fn is_whole_segment(&self, id: BlockId) -> bool {
        self.get(id).is_some_and(|block| block.previous == BlockId::NONE && block.next == BlockId::NONE)
    }

    /// Releases a whole segment.
    pub(super) fn release(&mut self, id: BlockId) {
        self.drop(id);
    }
}
