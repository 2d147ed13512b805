//! One pool of one stream.

use super::bins::Bins;
use super::blocks::{BlockId, Blocks};

/// Free blocks and segments. Pools share no blocks, so each has an address space of its own.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Its free blocks.
    pub(super) free: Bins,
    /// Bytes of its segments.
    pub(super) reserved: u64,
    /// Where the next segment begins. No address is used again.
    end: u64,
    /// The last block of an expandable segment.
    pub(super) tail: BlockId,
}

impl Default for Pool {
    fn default() -> Self {
        Self { free: Bins::default(), reserved: 0, end: 0, tail: BlockId::NONE }
    }
}

impl Pool {
    /// Makes the second block the tail where the first was: it was split off it, or has absorbed
    /// it.
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
