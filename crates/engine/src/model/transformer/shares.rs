//! What share of some layers has which blocks: attention, a state, an MLP, experts.

use super::Architecture;
use super::pattern::{BlockCounts, LayerKind, Mixer, Mlp};

/// Shares of some layers that have a block: what is per layer in the model is the mean over them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerShares {
    /// Attention.
    pub attention: f64,
    /// A state of a fixed size.
    pub recurrent: f64,
    /// An MLP, or experts in its place.
    pub mlp: f64,
    /// Experts.
    pub moe: f64,
}

impl LayerShares {
    /// Layers of attention and a dense MLP.
    pub const DENSE: Self = Self::mixture(0.0);

    /// Layers of attention and an MLP, `moe` of them with experts in its place.
    pub const fn mixture(moe: f64) -> Self {
        Self { attention: 1.0, recurrent: 0.0, mlp: 1.0, moe }
    }

    /// Of some layers, by the blocks that they have.
    pub fn of(counts: BlockCounts) -> Self {
        let share = |some: u32| f64::from(some) / f64::from(counts.layers.max(1));
        Self {
            attention: share(counts.attention),
            recurrent: share(counts.recurrent),
            mlp: share(counts.dense.saturating_add(counts.experts)),
            moe: share(counts.experts),
        }
    }

    /// Of layers of one kind.
    pub fn of_kind(kind: LayerKind) -> Self {
        let one = |is: bool| f64::from(u8::from(is));
        Self {
            attention: one(matches!(kind.mixer, Mixer::Attention | Mixer::Window | Mixer::Both)),
            recurrent: one(matches!(kind.mixer, Mixer::Recurrent | Mixer::Both)),
            mlp: one(kind.mlp != Mlp::None),
            moe: one(kind.mlp == Mlp::Experts),
        }
    }

    /// A dense MLP.
    pub fn dense(&self) -> f64 {
        self.mlp - self.moe
    }

    /// Whether every layer has attention and an MLP or experts.
    pub fn is_uniform(&self) -> bool {
        self.attention == 1.0 && self.recurrent == 0.0 && self.mlp == 1.0
    }
}

impl Architecture {
    /// The blocks of the first `layers` layers.
    ///
    /// ```
    /// // DeepSeek V3: 61 layers, the first three dense (arXiv 2412.19437, section 4.2).
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// let blocks = v3.blocks_among(61);
    /// assert_eq!((blocks.attention, blocks.dense, blocks.experts), (61, 3, 58));
    /// ```
    pub fn blocks_among(&self, layers: u32) -> BlockCounts {
        if self.pattern.is_used() {
            let blocks = self.pattern.among(layers);
            // A list may name experts that the model does not have: a link was cut.
            return match self.experts.num_experts {
                0 => BlockCounts { dense: blocks.dense + blocks.experts, experts: 0, ..blocks },
                _ => blocks,
            };
        }
        let experts = self.experts.layers_among(layers);
        BlockCounts { layers, attention: layers, window: 0, recurrent: 0, dense: layers - experts, experts }
    }

    /// The blocks of all layers.
    pub fn blocks(&self) -> BlockCounts {
        self.blocks_among(self.num_hidden_layers)
    }

    /// The shares of layers of one kind.
    pub fn shares_of_kind(&self, kind: LayerKind) -> LayerShares {
        let shares = LayerShares::of_kind(kind);
        if self.experts.num_experts == 0 { LayerShares { moe: 0.0, ..shares } } else { shares }
    }

    /// The shares of all layers that have a block.
    pub fn shares(&self) -> LayerShares {
        if self.pattern.is_used() { LayerShares::of(self.blocks()) } else { LayerShares::mixture(self.moe_share()) }
    }
}
