//! A pool of a stream.

use super::bins::Bins;
use super::blocks::{BlockId, Blocks};

/// Free blocks and segments. Pools share no blocks, so each pool has a separate address space.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Free blocks of the pool.
    pub(super) free: Bins,
    /// Bytes of the pool's segments.
    pub(super) reserved: u64,
    /// Start address of the next segment. Addresses are never reused.
    end: u64,
    /// Last block of an expandable segment.
    pub(super) tail: BlockId,
}

impl Default for Pool {
    fn default() -> Self {
        Self { free: Bins::default(), reserved: 0, end: 0, tail: BlockId::NONE }
    }
}

impl Pool {
    /// Updates the tail from `old` to `new`, which was split off `old` or has absorbed it.
    pub(super) fn follow(&mut self, old: BlockId, new: BlockId) {
        if self.tail == old {
            self.tail = new;
        }
    }

    /// Reserves bytes and returns their address.
    pub(super) const fn reserve(&mut self, bytes: u64) -> u64 {
        let address = self.end;
        self.end += bytes;
        self.reserved += bytes;
        address
    }

    /// Releases completely free segments and returns their bytes.
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
