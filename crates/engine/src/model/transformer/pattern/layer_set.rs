//! A set of layers.

#![expect(clippy::indexing_slicing, reason = "the numbers of layers are below the length of the array")]

use super::Pattern;

/// Layers of a model, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LayerSet([u64; Self::WORDS]);

impl LayerSet {
    const WORDS: usize = Pattern::MOST / 64;
    pub(super) const NONE: Self = Self([0; Self::WORDS]);

    /// Returns the set with one more layer, below [`Pattern::MOST`].
    pub(super) const fn with(mut self, layer: usize) -> Self {
        self.0[layer / 64] |= 1 << (layer % 64);
        self
    }

    /// Whether the set has a layer below [`Pattern::MOST`].
    pub(super) const fn has(&self, layer: usize) -> bool {
        self.0[layer / 64] >> (layer % 64) & 1 == 1
    }

    /// Returns the set of the first `layers` layers.
    pub(super) fn first(layers: u32) -> Self {
        let word = |from: u32| {
            let taken = layers.saturating_sub(from).min(64);
            if taken == 64 { u64::MAX } else { (1 << taken) - 1 }
        };
        Self([word(0), word(64), word(128), word(192)])
    }

    /// Returns the number of layers in the set.
    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the intersection with another set.
    pub(super) fn and(&self, others: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, others.0);
        Self([a & e, b & f, c & g, d & h])
    }

    /// Returns the difference from another set.
    pub(super) fn minus(&self, others: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, others.0);
        Self([a & !e, b & !f, c & !g, d & !h])
    }

    /// Returns the layers before and after each layer of the set.
    pub(super) fn shifted(&self) -> Self {
        let [a, b, c, d] = self.0;
        Self([
            a << 1 | a >> 1 | b << 63,
            b << 1 | a >> 63 | b >> 1 | c << 63,
            c << 1 | b >> 63 | c >> 1 | d << 63,
            d << 1 | c >> 63 | d >> 1,
        ])
    }

    /// Whether two sets intersect.
    pub(super) fn meets(&self, others: &Self) -> bool {
        self.and(others) != Self::NONE
    }

    /// Counts the layers of the set among the first `layers` of a list that repeats every `period`.
    pub(super) fn count_among(&self, layers: u32, period: u32) -> u32 {
        let (whole, left) = (layers / period, layers % period);
        whole * self.count() + self.and(&Self::first(left)).count()
    }
}
