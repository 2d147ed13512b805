//! How many layers have which blocks: attention, a state, an MLP, experts.

/// Layers of a part of a model, by the blocks that they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct BlockCounts {
    /// Layers.
    pub layers: u32,
    /// Of them with attention, over the whole sequence or within a window.
    pub attention: u32,
    /// Of these within a window, where the pattern says which.
    pub window: u32,
    /// With a state of a fixed size.
    pub recurrent: u32,
    /// With a dense MLP.
    pub dense: u32,
    /// With experts.
    pub experts: u32,
}

impl BlockCounts {
    /// These layers and those of another part.
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

    /// What is left without the layers of another part.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
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
