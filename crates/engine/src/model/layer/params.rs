//! Parameter counts of a model (docs/book/model/parameters.md).
//!
//! Counts are exact integers below 2⁵³ and saturate above 2⁶⁴, as users may type extreme shapes.

use super::{Block, norm_params, params};
use crate::model::transformer::{Architecture, Norm};

/// Norms of a module that predicts a further token: of the hidden state, of the embedding, and
/// before the head.
const MTP_NORMS: f64 = 3.0;

/// Rounds a sum of exact terms, saturating.
const fn count(params: f64) -> u64 {
    params as u64
}

impl Architecture {
    /// Returns the parameters of the whole model: `L (attention + MLP or experts + norms) + V H
    /// (embedding) + V H (head, unless tied) + s_max H (learned positions) + norms`, with the final
    /// norm and, if there is one, the embedding's norm.
    ///
    /// L layers, V vocabulary, H hidden size, `s_max` learned positions. Counts each shared weight
    /// once and no buffers (rotary tables, masks). Source: the public implementations listed in
    /// the catalog; for GPT also arXiv 2104.04473, equation 2. Exact for those
    /// implementations; saturates at `u64::MAX`.
    ///
    /// ```
    /// # use engine::model::{ladder, transformer::Architecture};
    /// // GPT-3 175B: 174,600 million parameters (arXiv 2005.14165, Table D.1).
    /// let gpt3 = Architecture { learned_positions: 2048, ..ladder::architecture(175e9) };
    /// assert_eq!(gpt3.params() / 100_000_000, 1746);
    /// // Qwen3 8B: each of 36 layers has two norms of 4,096 and two of 128, for queries and for keys.
    /// let qwen = catalog::model("qwen-3-8b").unwrap().architecture;
    /// let (attention, mlp) = (2 * 4096 * (4096 + 1024), 3 * 4096 * 12_288);
    /// let layers = 36 * (attention + mlp + 2 * 4096 + 2 * 128);
    /// assert_eq!(qwen.params(), layers + 2 * 151_936 * 4096 + 4096);
    /// ```
    pub fn params(&self) -> u64 {
        self.params_with(self.experts.num_experts)
    }

    /// Returns the parameters that one token uses: the k routed experts that it is sent to, and all
    /// other parameters, including the embedding. All parameters in a dense model.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// let dense = ladder::architecture(13e9);
    /// assert_eq!(dense.active_params(), dense.params());
    /// // Mixtral 8x7B: "each token has access to 47B parameters, but only uses 13B" (arXiv 2401.04088).
    /// let mixtral = catalog::model("mixtral-8x7b").unwrap().architecture;
    /// assert_eq!((mixtral.params() / 100_000_000, mixtral.active_params() / 100_000_000), (467, 128));
    /// ```
    pub fn active_params(&self) -> u64 {
        self.params_with(self.experts.top_k())
    }

    /// Returns the parameters with this many routed experts in each expert layer.
    fn params_with(&self, experts: u32) -> u64 {
        let ends = self.embedding_params() as f64 + self.position_params() as f64 + self.head_params() as f64;
        let counted = self.block_params(experts) + self.all_norm_params() + ends + self.outer_norm_params() as f64;
        let counted = counted + self.extra_layer_params() as f64 + self.extra_outer_params() as f64;
        count(counted).saturating_add(self.tower.all_params())
    }

    /// Returns the parameters of the blocks of all layers, with this many routed experts in each
    /// expert layer.
    fn block_params(&self, experts: u32) -> f64 {
        let blocks = self.blocks();
        let [attention, state, mlp, moe] =
            [blocks.attention, blocks.recurrent, blocks.dense, blocks.experts].map(f64::from);
        let all = |blocks: f64, block| if blocks > 0.0 { blocks * params(self, block) } else { 0.0 };
        all(attention, Block::Attention)
            + all(state, Block::State)
            + all(mlp, Block::Mlp)
            + all(moe, Block::Shared)
            + f64::from(experts) * all(moe, Block::Routed)
    }

    /// Returns the parameters of the norms of all layers; those of queries and keys only exist in
    /// layers with attention.
    fn all_norm_params(&self) -> f64 {
        let outer = f64::from(self.norms_per_layer) * self.norm_params() as f64;
        f64::from(self.num_hidden_layers) * outer + f64::from(self.blocks().attention) * norm_params(self)
    }

    /// Returns the parameters of all layers except their norms: the matrices, whose optimizer state
    /// may differ, and their biases.
    pub fn matrix_params(&self) -> u64 {
        count(self.block_params(self.experts.num_experts) + self.extra_layer_params() as f64)
    }

    /// Returns the parameters of the MLPs of all layers, including experts.
    pub(in crate::model) fn all_mlp_params(&self) -> f64 {
        let (blocks, experts) = (self.blocks(), f64::from(self.experts.num_experts));
        let moe = params(self, Block::Shared) + experts * params(self, Block::Routed);
        f64::from(blocks.dense) * params(self, Block::Mlp) + f64::from(blocks.experts) * moe
    }

    /// Returns the parameters of one dense decoder layer: attention, MLP and norms. With biases
    /// everywhere and `F = 4 H` there are `12 H² + 13 H` (arXiv 2104.04473, equation 2).
    ///
    /// ```
    /// # use engine::model::ladder;
    /// let hidden = 12_288; // GPT-3 175B
    /// assert_eq!(ladder::architecture(175e9).dense_layer_params(), 12 * hidden * hidden + 13 * hidden);
    /// ```
    pub fn dense_layer_params(&self) -> u64 {
        count(params(self, Block::Attention) + params(self, Block::Mlp)).saturating_add(self.norm_params_per_layer())
    }

    /// Returns the parameters of one attention block without norms: `2 H n_q d + 2 H n_kv d`, a
    /// gate `H n_q d`, existing biases and sinks; those of latent attention.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// let hidden = 12_288; // GPT-3 175B: four square matrices and their biases
    /// assert_eq!(ladder::architecture(175e9).attention_params_per_layer(), 4 * hidden * hidden + 4 * hidden);
    /// // DeepSeek V3 (arXiv 2412.19437, section 4.2): H = 7,168, 128 heads.
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// let queries = 7168 * 1536 + 1536 * 128 * 192;
    /// assert_eq!(v3.attention_params_per_layer(), queries + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168);
    /// ```
    pub fn attention_params_per_layer(&self) -> u64 {
        count(params(self, Block::Attention))
    }

    /// Returns the parameters of the MLP of a dense layer: `3 H F` gated, `2 H F` otherwise; with
    /// biases plus F for each matrix into the width F and H for the one out of it.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// let hidden = 12_288; // GPT-3 175B: F = 4 H
    /// assert_eq!(ladder::architecture(175e9).mlp_params_per_layer(), 8 * hidden * hidden + 5 * hidden);
    /// ```
    pub fn mlp_params_per_layer(&self) -> u64 {
        count(params(self, Block::Mlp))
    }

    /// Returns the parameters of one routed expert: an MLP of width `moe_intermediate_size`, with
    /// its biases.
    ///
    /// ```
    /// // Mixtral 8x7B: three matrices of 4,096 by 14,336 (arXiv 2401.04088, table 1).
    /// let mixtral = catalog::model("mixtral-8x7b").unwrap().architecture;
    /// assert_eq!(mixtral.expert_params(), 3 * 4096 * 14_336);
    /// ```
    pub fn expert_params(&self) -> u64 {
        count(params(self, Block::Routed))
    }

    /// Returns the parameters of one layer's routed experts, all E of them.
    pub fn routed_params_per_layer(&self) -> u64 {
        count(f64::from(self.experts.num_experts) * params(self, Block::Routed))
    }

    /// Returns the parameters of an expert layer that every token passes besides attention: the
    /// router `H E` with its biases, the shared experts and their gate, the matrices to and from a
    /// latent width.
    ///
    /// ```
    /// // DeepSeek V3: a router of 256 rows with a correction each, one shared expert of width 2,048 (arXiv 2412.19437).
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// assert_eq!(v3.router_and_shared_params_per_layer(), 256 * 7168 + 256 + 3 * 7168 * 2048);
    /// ```
    pub fn router_and_shared_params_per_layer(&self) -> u64 {
        count(params(self, Block::Shared))
    }

    /// Returns the parameters of one recurrent mixer: its matrices, the convolution, the vectors of
    /// steps, decays and skips, its inner norm, and its biases.
    ///
    /// ```
    /// # use engine::model::transformer::{Architecture, recurrent::{Recurrent, RecurrentKind}};
    /// // Mamba-2 2.7B (arXiv 2405.21060): 64 layers of width 2,560, 80 heads of 64, one group, a state of 128.
    /// let llama = catalog::model("llama-2-7b").unwrap().architecture;
    /// let recurrent = Recurrent {
    ///     kind: RecurrentKind::Mamba2, heads: 80, head_dim: 64, key_heads: 1, key_dim: 128, conv_kernel: 4, conv_bias: true,
    ///     ..Recurrent::NONE
    /// };
    /// let mamba = Architecture { hidden_size: 2560, recurrent, ..llama };
    /// let width = 2 * 5120 + 2 * 128 + 80;
    /// let vectors = 3 * 80 + 5120 + 5 * (5120 + 256);
    /// assert_eq!(mamba.recurrent_params_per_layer(), 2560 * width + 5120 * 2560 + vectors);
    /// ```
    pub fn recurrent_params_per_layer(&self) -> u64 {
        count(params(self, Block::State))
    }

    /// Returns the parameters of one layer's norms: [`Self::norm_params`] for each norm of width H,
    /// plus `2 d` if queries and keys are normalised per head, `(n_q + n_kv) d` if over their whole
    /// width, and the norms of latent ranks.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// // GPT-3 175B: two layer norms, each with weight and bias.
    /// assert_eq!(ladder::architecture(175e9).norm_params_per_layer(), 4 * 12_288);
    /// ```
    pub fn norm_params_per_layer(&self) -> u64 {
        let outer = f64::from(self.norms_per_layer) * self.norm_params() as f64;
        count(outer + norm_params(self))
    }

    /// Returns the parameters of the norms inside one attention block: of queries and keys, and of
    /// latent ranks.
    pub fn attention_norm_params(&self) -> u64 {
        count(norm_params(self))
    }

    /// Returns the parameters of one norm of width H: H, or `2 H` for a layer norm with biases.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).norm_params(), 2 * 12_288);
    /// ```
    pub fn norm_params(&self) -> u64 {
        let vectors = match self.norm {
            Norm::Rms | Norm::LayerNoBias => 1,
            Norm::Layer => 2,
        };
        vectors * u64::from(self.hidden_size)
    }

    /// Returns the parameters of the norms outside the layers: the final norm and, if there is one,
    /// the embedding's norm.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).outer_norm_params(), 2 * 12_288);
    /// ```
    pub fn outer_norm_params(&self) -> u64 {
        if self.embedding_norm { 2 * self.norm_params() } else { self.norm_params() }
    }

    /// Returns the parameters of the token embedding, `V H`: shared with the output head if
    /// `tie_word_embeddings` is set.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).embedding_params(), 50_257 * 12_288);
    /// ```
    pub fn embedding_params(&self) -> u64 {
        u64::from(self.vocab_size) * u64::from(self.hidden_size)
    }

    /// Returns the output head's own parameters: `V H`, or 0 if it shares the embedding's, plus
    /// existing biases.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).head_params(), 0);
    /// ```
    pub fn head_params(&self) -> u64 {
        let matrix = if self.tie_word_embeddings { 0 } else { self.embedding_params() };
        matrix.saturating_add(self.head_bias_params())
    }

    /// Returns the biases of the output head: V or 0.
    pub fn head_bias_params(&self) -> u64 {
        if self.head_bias { u64::from(self.vocab_size) } else { 0 }
    }

    /// Returns the parameters of learned position embeddings, `s_max H`: 0 for rotary or ALiBi
    /// positions.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).position_params(), 0);
    /// ```
    pub fn position_params(&self) -> u64 {
        u64::from(self.learned_positions) * u64::from(self.hidden_size)
    }

    /// Returns the parameters of a module that predicts a further token (arXiv 2412.19437, section
    /// 2.2) outside its layer: the projection of hidden state and embedding, `2 H²`, their norms,
    /// and the norm before the model's head.
    ///
    /// ```
    /// // DeepSeek V3's module has 14B parameters, of which 11.5B are its own (github deepseek-ai/DeepSeek-V3, README_WEIGHTS.md).
    /// let v3 = catalog::model("deepseek-v3").unwrap().architecture;
    /// let layer = v3.attention_params_per_layer() + v3.norm_params_per_layer() + v3.routed_params_per_layer()
    ///     + v3.router_and_shared_params_per_layer();
    /// assert_eq!((layer + v3.mtp_projection_params()) / 100_000_000, 116);
    /// ```
    pub fn mtp_projection_params(&self) -> u64 {
        let hidden = f64::from(self.hidden_size);
        count(2.0 * hidden * hidden + MTP_NORMS * self.norm_params() as f64)
    }

    /// Returns [`ExtraParams::layers`](crate::model::transformer::ExtraParams::layers), of which at
    /// most half of the described parameters may be missing.
    pub fn extra_layer_params(&self) -> i64 {
        at_most_half_missing(self.extra.layers, || count(self.block_params(self.experts.top_k())))
    }

    /// Returns [`ExtraParams::outside`](crate::model::transformer::ExtraParams::outside), of which
    /// at most half of the embedding may be missing.
    pub fn extra_outer_params(&self) -> i64 {
        at_most_half_missing(self.extra.outside, || self.embedding_params())
    }
}

/// Limits a negative difference to half of a count, as users may type extreme shapes.
fn at_most_half_missing(extra: i64, counted: impl Fn() -> u64) -> i64 {
    if extra >= 0 { extra } else { extra.max(-i64::try_from(counted() / 2).unwrap_or(i64::MAX)) }
}
