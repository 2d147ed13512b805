//! The free blocks of a pool, by size and then by address.
//!
//! A training step frees hundreds of blocks of a few sizes and takes them again. Therefore, blocks
//! of similar size share a bin, the smallest last: most blocks are pushed and popped at the end. A
//! bit set records the bins that are not empty.

use super::blocks::Free;
use super::rules::GRAIN;

/// Each power of two of sizes is divided into 16 bins, so that few sizes share a bin.
const STEPS_LOG2: u32 = 4;
const STEPS: usize = 1 << STEPS_LOG2;
/// Number of bits of a 64-bit size in units of 512 B: 55.
const SIZE_BITS: usize = (u64::BITS - GRAIN.ilog2()) as usize;
/// The smallest sizes have a bin each; each further bit has `STEPS` bins.
const BINS: usize = STEPS * (SIZE_BITS - STEPS_LOG2 as usize + 1);
const WORD: usize = u64::BITS as usize;
const WORDS: usize = BINS.div_ceil(WORD);

/// Free blocks of a pool.
#[derive(Clone, Debug, Default)]
pub(super) struct Bins {
    /// Bins with blocks in descending order of size; among equal sizes, the lowest address comes
    /// last.
    bins: Vec<Vec<Free>>,
    /// One bit per bin that is not empty.
    filled: [u64; WORDS],
}

impl Bins {
    /// Takes the smallest block of at least `size` bytes; among equal blocks, the one with the
    /// lowest address.
    #[inline]
    pub(super) fn take_best(&mut self, size: u64) -> Option<Free> {
        let number = bin_of(size);
        let near = self.bins.get_mut(number)?;
        // Blocks of the bin for `size` may be smaller than `size`.
        let index = match near.last() {
            Some(last) if last.size >= size => near.len(),
            Some(_) => near.partition_point(|free| free.size >= size),
            None => 0,
        };
        if let Some(index) = index.checked_sub(1) {
            return self.take(number, index);
        }
        let number = self.filled_after(number)?;
        let last = self.bins.get(number)?.len().checked_sub(1)?;
        self.take(number, last)
    }

    /// Adds a block.
    #[inline]
    pub(super) fn insert(&mut self, block: Free) {
        if self.bins.is_empty() {
            self.bins = vec![Vec::new(); BINS];
        }
        let number = bin_of(block.size);
        let Some(bin) = self.bins.get_mut(number) else { return };
        match bin.last() {
            Some(last) if last.precedes(&block) => {
                let index = bin.partition_point(|free| block.precedes(free));
                bin.insert(index, block);
            }
            _ => bin.push(block),
        }
        if let Some(word) = self.filled.get_mut(number / WORD) {
            *word |= 1 << (number % WORD);
        }
    }

    /// Removes a block that is in a bin.
    #[inline]
    pub(super) fn remove(&mut self, block: Free) {
        let number = bin_of(block.size);
        let Some(bin) = self.bins.get(number) else { return };
        let index = match bin.last() {
            Some(last) if last.block == block.block => bin.len() - 1,
            _ => bin.partition_point(|free| block.precedes(free)),
        };
        self.take(number, index);
    }

    /// Keeps the blocks for which `keeps` returns true.
    pub(super) fn retain(&mut self, mut keeps: impl FnMut(&Free) -> bool) {
        for (number, bin) in self.bins.iter_mut().enumerate() {
            bin.retain(&mut keeps);
            if let (true, Some(word)) = (bin.is_empty(), self.filled.get_mut(number / WORD)) {
                *word &= !(1 << (number % WORD));
            }
        }
    }

    #[inline]
    fn take(&mut self, number: usize, index: usize) -> Option<Free> {
        let bin = self.bins.get_mut(number)?;
        let taken = if index + 1 == bin.len() { bin.pop()? } else { bin.remove(index) };
        if let (true, Some(word)) = (bin.is_empty(), self.filled.get_mut(number / WORD)) {
            *word &= !(1 << (number % WORD));
        }
        Some(taken)
    }

    /// Returns the first non-empty bin after a bin.
    fn filled_after(&self, number: usize) -> Option<usize> {
        let first = (number + 1) / WORD;
        let mut bits = self.filled.get(first)? & (u64::MAX << ((number + 1) % WORD));
        let mut at = first;
        while bits == 0 {
            at += 1;
            bits = *self.filled.get(at)?;
        }
        Some(at * WORD + bits.trailing_zeros() as usize)
    }
}

/// Returns the bin of a size. Bins are monotonic in size.
#[inline]
const fn bin_of(size: u64) -> usize {
    let grains = size / GRAIN;
    if grains < STEPS as u64 {
        return grains as usize;
    }
    // The leading bits after the first, and the number of bits that follow.
    let shift = grains.ilog2() - STEPS_LOG2;
    (shift as usize + 1) * STEPS + (grains >> shift) as usize - STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_sizes_have_later_bins_or_the_same() {
        let sizes = (0..SIZE_BITS as u32).flat_map(|bit| (0..32).map(move |step| (1 << bit) + (step << bit) / 32));
        let mut bins: Vec<usize> = sizes.map(|grains: u64| bin_of(grains.saturating_mul(GRAIN))).collect();
        assert!(bins.is_sorted());
        assert_eq!(bin_of(u64::MAX) + 1, BINS);
        bins.dedup();
        assert_eq!(bins.len(), BINS - 1, "none is left out but that of no bytes");
    }
}
