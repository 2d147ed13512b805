//! Shares of layers with each kind of block: attention, a recurrent mixer, an MLP, experts.

use super::Architecture;
use super::pattern::{BlockCounts, LayerKind, Mixer, Mlp};

/// Shares of some layers that have a block; per-layer quantities are averaged over those layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerShares {
    /// Attention.
    pub attention: f64,
    /// A recurrent mixer.
    pub recurrent: f64,
    /// An MLP, or experts instead.
    pub mlp: f64,
    /// Experts.
    pub moe: f64,
}

impl LayerShares {
    /// Layers of attention and a dense MLP.
    pub const DENSE: Self = Self::mixture(0.0);

    /// Returns layers of attention and an MLP, with experts instead of an MLP in the share `moe` of
    /// layers.
    pub const fn mixture(moe: f64) -> Self {
        Self { attention: 1.0, recurrent: 0.0, mlp: 1.0, moe }
    }

    /// Returns the shares from counts of blocks.
    pub fn from_counts(counts: BlockCounts) -> Self {
        let share = |some: u32| f64::from(some) / f64::from(counts.layers.max(1));
        Self {
            attention: share(counts.attention),
            recurrent: share(counts.recurrent),
            mlp: share(counts.dense.saturating_add(counts.experts)),
            moe: share(counts.experts),
        }
    }

    /// Returns the shares of layers of one kind.
    pub fn from_kind(kind: LayerKind) -> Self {
        let one = |is: bool| f64::from(u8::from(is));
        Self {
            attention: one(matches!(kind.mixer, Mixer::Attention | Mixer::Window | Mixer::Both)),
            recurrent: one(matches!(kind.mixer, Mixer::Recurrent | Mixer::Both)),
            mlp: one(kind.mlp != Mlp::None),
            moe: one(kind.mlp == Mlp::Experts),
        }
    }

    /// Returns the share of layers with a dense MLP.
    pub fn dense(&self) -> f64 {
        self.mlp - self.moe
    }

    /// Whether every layer has attention and an MLP or experts.
    pub fn is_uniform(&self) -> bool {
        self.attention == 1.0 && self.recurrent == 0.0 && self.mlp == 1.0
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

    /// Returns the shares of layers of one kind.
    pub fn shares_of_kind(&self, kind: LayerKind) -> LayerShares {
        let shares = LayerShares::from_kind(kind);
        if self.experts.num_experts == 0 { LayerShares { moe: 0.0, ..shares } } else { shares }
    }

    /// Returns the shares of all layers that have a block.
    pub fn shares(&self) -> LayerShares {
        if self.pattern.is_used() {
            LayerShares::from_counts(self.blocks())
        } else {
            LayerShares::mixture(self.moe_share())
        }
    }
}
