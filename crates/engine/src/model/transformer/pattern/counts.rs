//! Numbers of layers with each kind of block: attention, a recurrent mixer, an MLP, experts.

/// Layers of a part of a model, counted by their blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BlockCounts {
    /// Number of layers.
    pub layers: u32,
    /// Layers with attention, over the whole sequence or within a window.
    pub attention: u32,
    /// Layers with attention within a window, if the model has a list of layers.
    pub window: u32,
    /// Layers with a recurrent mixer.
    pub recurrent: u32,
    /// Layers with a dense MLP.
    pub dense: u32,
    /// Layers with experts.
    pub experts: u32,
}

impl BlockCounts {
    /// Returns the sum of two parts.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            layers: self.layers.saturating_add(other.layers),
            attention: self.attention.saturating_add(other.attention),
            window: self.window.saturating_add(other.window),
            recurrent: self.recurrent.saturating_add(other.recurrent),
            dense: self.dense.saturating_add(other.dense),
            experts: self.experts.saturating_add(other.experts),
        }
    }

    /// Returns the difference of two parts.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            layers: self.layers.saturating_sub(other.layers),
            attention: self.attention.saturating_sub(other.attention),
            window: self.window.saturating_sub(other.window),
            recurrent: self.recurrent.saturating_sub(other.recurrent),
            dense: self.dense.saturating_sub(other.dense),
            experts: self.experts.saturating_sub(other.experts),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parts_are_their_sum_and_one_is_the_sum_without_the_other() {
        let one = BlockCounts { layers: 9, attention: 5, window: 3, recurrent: 4, dense: 2, experts: 7 };
        let other = BlockCounts { layers: 20, attention: 18, window: 16, recurrent: 2, dense: 13, experts: 7 };
        let both = BlockCounts { layers: 29, attention: 23, window: 19, recurrent: 6, dense: 15, experts: 14 };
        assert_eq!((one.and(other), both.minus(one), both.minus(other)), (both, other, one));
    }
}
