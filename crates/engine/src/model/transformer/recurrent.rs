//! Recurrent mixers, which have a state of a fixed size instead of attention: state-space layers,
//! linear attention, short convolutions: the shape.

/// The token mixer of a layer without attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecurrentKind {
    /// Mamba (arXiv 2312.00752): a state for each channel, selected by its input.
    Mamba,
    /// Mamba-2 (arXiv 2405.21060): heads of channels that share a scalar decay.
    Mamba2,
    /// Gated delta network (arXiv 2412.06464).
    GatedDelta,
    /// Kimi delta attention (arXiv 2510.26692): a decay for each channel of the keys, computed
    /// through a low rank.
    KimiDelta,
    /// Lightning attention (arXiv 2401.04658; `MiniMax`): linear attention with a fixed decay and a
    /// gate.
    Lightning,
    /// RG-LRU (arXiv 2402.19427; Griffin): a gated linear recurrence with gates by blocks of
    /// channels.
    RgLru,
    /// A gated short convolution (LFM2): three projections and a convolution, with no state beyond
    /// its width.
    ShortConv,
}

/// The shape of a recurrent mixer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recurrent {
    /// The kind of mixer.
    pub kind: RecurrentKind,
    /// Heads of values, h: 1 in Mamba, blocks of the gates in RG-LRU; 0 in a model without
    /// recurrent mixers.
    pub heads: u32,
    /// Channels of one head of values, d_v: `h d_v` is the inner width.
    pub head_dim: u32,
    /// Heads of keys: groups of B and C in Mamba-2.
    pub key_heads: u32,
    /// Channels of one head of keys: the size of the state in Mamba and Mamba-2.
    pub key_dim: u32,
    /// Width of the short convolution in tokens; 0 without one.
    pub conv_kernel: u32,
    /// Rank of Mamba's step, or of Kimi's decay and gate; 0 without one.
    pub rank: u32,
    /// Tokens of one chunk of the scan.
    pub chunk: u32,
    /// Whether the convolution has a bias.
    pub conv_bias: bool,
    /// Whether the input and output projections have biases.
    pub bias: bool,
}

impl Recurrent {
    /// No recurrent mixer.
    pub const NONE: Self = Self {
        kind: RecurrentKind::Mamba2,
        heads: 0,
        head_dim: 0,
        key_heads: 0,
        key_dim: 0,
        conv_kernel: 0,
        rank: 0,
        chunk: 0,
        conv_bias: false,
        bias: false,
    };

    /// Whether the model has recurrent mixers.
    pub const fn is_used(&self) -> bool {
        self.heads > 0
    }

    /// Returns the channels of all heads' values, `h d_v`, the inner dimension of the output
    /// projection.
    pub fn inner_width(&self) -> f64 {
        f64::from(self.heads) * f64::from(self.head_dim)
    }

    /// Returns the channels of all heads' keys.
    pub fn key_width(&self) -> f64 {
        f64::from(self.key_heads) * f64::from(self.key_dim)
    }

    /// Returns the channels of the short convolution.
    pub fn conv_width(&self) -> f64 {
        if self.conv_kernel == 0 {
            return 0.0;
        }
        match self.kind {
            RecurrentKind::Mamba | RecurrentKind::RgLru | RecurrentKind::ShortConv => self.inner_width(),
            RecurrentKind::Mamba2 | RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => {
                self.inner_width() + 2.0 * self.key_width()
            }
            RecurrentKind::Lightning => 0.0,
        }
    }

    /// Returns the columns of the projections that read the residual stream.
    ///
    /// ```
    /// # use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
    /// // Qwen3-Next: 32 heads of values and 16 of keys, of 128 each. `in_proj_qkvz` has 2 x 2,048 columns for queries and keys and
    /// // 2 x 4,096 for values and their gate, `in_proj_ba` two for each head.
    /// let kind = RecurrentKind::GatedDelta;
    /// let next = Recurrent { kind, heads: 32, head_dim: 128, key_heads: 16, key_dim: 128, ..Recurrent::NONE };
    /// assert_eq!(next.input_columns(), 12_288.0 + 64.0);
    /// ```
    pub fn input_columns(&self) -> f64 {
        let (inner, keys, heads) = (self.inner_width(), self.key_width(), f64::from(self.heads));
        match self.kind {
            RecurrentKind::Mamba | RecurrentKind::RgLru => 2.0 * inner,
            // Values and their gate, B and C, a step for each head.
            RecurrentKind::Mamba2 => 2.0 * inner + 2.0 * keys + heads,
            // Queries and keys, values and their gate, a step and a decay for each head.
            RecurrentKind::GatedDelta => 2.0 * keys + 2.0 * inner + 2.0 * heads,
            // Queries, keys, values, a step for each head, and the ranks of decay and gate.
            RecurrentKind::KimiDelta => 2.0 * keys + inner + heads + 2.0 * f64::from(self.rank),
            // Queries, keys, values and their gate.
            RecurrentKind::Lightning => 4.0 * inner,
            RecurrentKind::ShortConv => 3.0 * inner,
        }
    }

    /// Returns the columns on one GPU of tp that are exchanged over cp GPUs, each of which takes a
    /// part of the heads: if there are fewer groups of B and C than GPUs, the groups are repeated
    /// (`group_repeat_count` of Megatron-Core's `MambaContextParallel`).
    ///
    /// ```
    /// # use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
    /// // Nemotron 3 Nano: 64 heads of 64, 8 groups of a state of 128. On 2 GPUs of tensor parallelism each has 4 groups, which 8 GPUs of
    /// // context parallelism hold twice.
    /// let nano = Recurrent { kind: RecurrentKind::Mamba2, heads: 64, head_dim: 64, key_heads: 8, key_dim: 128, ..Recurrent::NONE };
    /// assert_eq!(nano.columns_to_share(2.0, 8), 2.0 * 2048.0 + 2.0 * 8.0 * 128.0 + 32.0);
    /// assert_eq!(nano.columns_to_share(2.0, 4), nano.input_columns() / 2.0);
    /// ```
    pub fn columns_to_share(&self, tp: f64, cp: u32) -> f64 {
        let columns = self.input_columns() / tp;
        let groups = f64::from(self.key_heads) / tp;
        let missing = f64::from(cp) - groups;
        if self.kind == RecurrentKind::Mamba2 && missing > 0.0 {
            columns + 2.0 * missing * f64::from(self.key_dim)
        } else {
            columns
        }
    }

    /// Returns the number of units that tensor and context parallelism split: heads, or channels if
    /// there is one head.
    ///
    /// ```
    /// # use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
    /// // Mamba-2 2.7B has 80 heads of 64 channels; Mamba 2.8B has 5,120 channels and no heads.
    /// assert_eq!(Recurrent { heads: 80, head_dim: 64, ..Recurrent::NONE }.shareable(), 80);
    /// assert_eq!(Recurrent { kind: RecurrentKind::Mamba, heads: 1, head_dim: 5120, ..Recurrent::NONE }.shareable(), 5120);
    /// ```
    pub const fn shareable(&self) -> u32 {
        if self.heads > 1 { self.heads } else { self.head_dim }
    }

    /// Returns the weights of the products between input and output projection: of low ranks, and
    /// of block-wise gates.
    pub fn middle_weights(&self) -> f64 {
        let (inner, rank) = (self.inner_width(), f64::from(self.rank));
        match self.kind {
            RecurrentKind::Mamba => inner * (rank + 2.0 * f64::from(self.key_dim)) + rank * inner,
            RecurrentKind::KimiDelta => rank * (self.key_width() + inner),
            RecurrentKind::RgLru => 2.0 * inner * f64::from(self.head_dim),
            RecurrentKind::Mamba2 | RecurrentKind::GatedDelta | RecurrentKind::Lightning | RecurrentKind::ShortConv => {
                0.0
            }
        }
    }
}
