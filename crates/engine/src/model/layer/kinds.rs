//! The blocks of a number of layers.

use crate::model::transformer::Architecture;
use crate::model::transformer::pattern::{BlockCounts, LayerKind, Mixer, Mlp};
use core::ops::{Add, Mul};

/// A kind of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Block {
    /// Attention with its projections.
    Attention,
    /// A recurrent mixer.
    State,
    /// A dense MLP.
    Mlp,
    /// Everything in an expert layer's second block that each token passes: router and shared
    /// experts.
    Shared,
    /// Routed experts, which a token passes `k` of.
    Routed,
}

impl Block {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Attention, Self::State, Self::Mlp, Self::Shared, Self::Routed];
}

/// The mean number of blocks of each kind in a layer, over the layers of a stage or of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layers {
    attention: f64,
    state: f64,
    mlp: f64,
    experts: f64,
}

impl Layers {
    /// Layers without blocks.
    pub const NONE: Self = Self { attention: 0.0, state: 0.0, mlp: 0.0, experts: 0.0 };

    /// Layers of attention and a dense MLP.
    pub const DENSE: Self = Self::mixture(0.0);

    /// Returns layers of attention and an MLP, with experts instead of an MLP in the share
    /// `experts` of layers.
    pub const fn mixture(experts: f64) -> Self {
        Self { attention: 1.0, state: 0.0, mlp: 1.0 - experts, experts }
    }

    /// Returns the layers with this number of blocks of a kind.
    #[must_use]
    pub const fn with(mut self, block: Block, blocks: f64) -> Self {
        match block {
            Block::Attention => self.attention = blocks,
            Block::State => self.state = blocks,
            Block::Mlp => self.mlp = blocks,
            Block::Shared | Block::Routed => self.experts = blocks,
        }
        self
    }

    /// Returns layers with this many blocks in all.
    pub fn from_counts(counts: BlockCounts) -> Self {
        let mean = |some: u32| f64::from(some) / f64::from(counts.layers.max(1));
        Self {
            attention: mean(counts.attention),
            state: mean(counts.recurrent),
            mlp: mean(counts.dense),
            experts: mean(counts.experts),
        }
    }

    /// Returns the number of blocks of a kind in a layer.
    pub const fn blocks(&self, block: Block) -> f64 {
        match block {
            Block::Attention => self.attention,
            Block::State => self.state,
            Block::Mlp => self.mlp,
            Block::Shared | Block::Routed => self.experts,
        }
    }

    /// Returns the number of blocks in a layer, experts counted as one.
    pub fn count(&self) -> f64 {
        self.attention + self.state + self.mlp + self.experts
    }

    /// Whether some layer has experts.
    pub fn have_experts(&self) -> bool {
        self.experts > 0.0
    }

    /// Returns the share of layers with experts.
    pub const fn experts(&self) -> f64 {
        self.experts
    }

    /// Whether every layer has attention as its only mixer of tokens, and an MLP or experts.
    pub fn have_attention_alone(&self) -> bool {
        self.attention == 1.0 && self.state == 0.0 && self.mlp + self.experts == 1.0
    }

    /// Whether every layer is attention and a dense MLP.
    pub fn are_dense(&self) -> bool {
        self.have_attention_alone() && self.experts <= 0.0
    }

    /// Returns the quantity of a layer, from those of its blocks.
    pub fn sum<T: Default + Add<Output = T> + Mul<f64, Output = T>>(&self, mut of: impl FnMut(Block) -> T) -> T {
        let mut sum = T::default();
        for block in Block::ALL {
            let blocks = self.blocks(block);
            if blocks > 0.0 {
                sum = sum + of(block) * blocks;
            }
        }
        sum
    }
}

impl Architecture {
    /// Returns the layers of the model.
    pub fn layers(&self) -> Layers {
        if self.pattern.is_used() { Layers::from_counts(self.blocks()) } else { Layers::mixture(self.moe_share()) }
    }

    /// Returns the layers of the model and of the modules that predict `mtp` further tokens.
    pub fn layers_and_mtp(&self, mtp: u32) -> Layers {
        if mtp == 0 { self.layers() } else { Layers::from_counts(self.blocks().and(self.mtp_blocks(mtp))) }
    }

    /// Returns layers of one kind.
    pub fn layers_of_kind(&self, kind: LayerKind) -> Layers {
        let one = |is: bool| f64::from(u8::from(is));
        // A list may contain experts that the model does not have, as in a truncated link.
        let has_experts = kind.mlp == Mlp::Experts && self.experts.num_experts > 0;
        Layers {
            attention: one(matches!(kind.mixer, Mixer::Attention | Mixer::Window | Mixer::Both)),
            state: one(matches!(kind.mixer, Mixer::Recurrent | Mixer::Both)),
            mlp: one(kind.mlp != Mlp::None && !has_experts),
            experts: one(has_experts),
        }
    }

    /// Returns the norms of width H of one block, on average.
    pub fn norms_per_block(&self) -> f64 {
        let norms = f64::from(self.norms_per_layer);
        if !self.pattern.is_used() {
            return 0.5 * norms;
        }
        let counts = self.blocks();
        let blocks = [counts.attention, counts.recurrent, counts.dense, counts.experts].map(f64::from);
        norms * f64::from(counts.layers) / blocks.iter().sum::<f64>().max(1.0)
    }
}
