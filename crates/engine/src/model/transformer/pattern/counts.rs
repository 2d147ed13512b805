//! Numbers of layers with each kind of block: attention, a recurrent mixer, an MLP, experts.

use crate::model::transformer::Architecture;

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

impl Architecture {
    /// Returns the blocks of the first `layers` layers.
    ///
    /// ```
    /// // DeepSeek V3: 61 layers, the first three dense (arXiv 2412.19437, section 4.2).
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// let blocks = v3.blocks_among(61);
    /// assert_eq!((blocks.attention, blocks.dense, blocks.experts), (61, 3, 58));
    /// ```
    pub fn blocks_among(&self, layers: u32) -> BlockCounts {
        if self.pattern.is_used() {
            let blocks = self.pattern.blocks_among(layers);
            // A list may contain experts that the model does not have, as in a truncated link.
            return match self.experts.num_experts {
                0 => BlockCounts { dense: blocks.dense + blocks.experts, experts: 0, ..blocks },
                _ => blocks,
            };
        }
        let experts = self.experts.layers_among(layers);
        BlockCounts { layers, attention: layers, window: 0, recurrent: 0, dense: layers - experts, experts }
    }

    /// Returns the blocks of all layers.
    pub fn blocks(&self) -> BlockCounts {
        self.blocks_among(self.num_hidden_layers)
    }

    /// Returns the blocks that `applications` applications of a module add that predicts a further
    /// token from the hidden state and the next token's embedding (arXiv 2412.19437, section 2.2):
    /// attention, and experts or an MLP, for each.
    pub fn mtp_blocks(&self, applications: u32) -> BlockCounts {
        let (dense, experts) = if self.has_experts() { (0, applications) } else { (applications, 0) };
        // Nemotron's layers are one block each; a module has two of them.
        let layers = if self.norms_per_layer == 1 && self.pattern.is_used() { 2 } else { 1 };
        BlockCounts {
            layers: applications.saturating_mul(layers),
            attention: applications,
            window: 0,
            recurrent: 0,
            dense,
            experts,
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
