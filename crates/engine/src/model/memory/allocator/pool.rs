//! The free blocks of one pool, sorted by size and then by address.

use super::blocks::{BlockId, Blocks};

/// A free block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    pub(super) size: u64,
    pub(super) address: u64,
    pub(super) block: BlockId,
}

impl Free {
    const fn is_before(&self, other: &Self) -> bool {
        self.size < other.size || (self.size == other.size && self.address < other.address)
    }
}

/// One pool of one stream. Pools share no blocks, so each has an address space of its own.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    free: Vec<Free>,
    /// Bytes of its segments.
    pub(super) reserved: u64,
    /// Where the next segment begins. No address is used again, as a device rarely does.
    end: u64,
    /// The last block of an expandable segment.
    tail: BlockId,
}

impl Default for Pool {
    fn default() -> Self {
        Self { free: Vec::new(), reserved: 0, end: 0, tail: BlockId::NONE }
    }
}

impl Pool {
    /// The last block of the expandable segment.
    pub(super) const fn tail(&self) -> BlockId {
        self.tail
    }

    pub(super) const fn set_tail(&mut self, block: BlockId) {
        self.tail = block;
    }

    /// Makes the second block the tail where the first was: it was split off it, or has absorbed it.
    pub(super) fn follow(&mut self, old: BlockId, new: BlockId) {
        if self.tail == old {
            self.tail = new;
        }
    }

    /// Counts bytes as reserved, and returns their address.
    pub(super) const fn reserve(&mut self, bytes: u64) -> u64 {
        let address = self.end;
        self.end += bytes;
        self.reserved += bytes;
        address
    }

    /// The smallest free block of at least this size, of equal ones the first, and its place.
    pub(super) fn best_fit(&self, size: u64) -> Option<(usize, Free)> {
        let index = self.free.partition_point(|free| free.size < size);
        self.free.get(index).map(|free| (index, *free))
    }

    /// The place of a free block, or that where it belongs.
    pub(super) fn find(&self, block: Free) -> usize {
        self.free.partition_point(|free| free.is_before(&block))
    }

    /// Adds a free block, and returns its place.
    pub(super) fn insert(&mut self, block: Free) -> usize {
        let index = self.find(block);
        self.free.insert(index, block);
        index
    }

    /// Removes the block at a place.
    pub(super) fn take(&mut self, index: usize) {
        if index < self.free.len() {
            self.free.remove(index);
        }
    }

    /// Removes a free block.
    pub(super) fn remove(&mut self, block: Free) {
        self.take(self.find(block));
    }

    /// Removes the block at a place, adds another, and returns its place.
    pub(super) fn replace(&mut self, index: usize, block: Free) -> usize {
        self.take(index);
        self.insert(block)
    }

    /// Gives back the segments that are free as a whole, and returns their bytes.
    pub(super) fn release(&mut self, blocks: &mut Blocks) -> u64 {
        let mut released = 0;
        self.free.retain(|free| {
            let whole = blocks.is_whole_segment(free.block);
            if whole {
                blocks.release(free.block);
                released += free.size;
            }
            !whole
        });
        self.reserved -= released;
        released
    }
}
