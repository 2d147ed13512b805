//! Decoder-only transformers: shapes and exact parameter counts (docs/book/model/parameters.md).
//!
//! Counts are exact integers and saturate instead of overflowing, as users may type extreme shapes.

pub mod experts;
pub mod extra;
pub mod latent;
pub mod mtp;
pub mod pattern;
pub mod recurrent;
pub mod shares;
pub mod tower;

pub use experts::Experts;
pub use extra::ExtraParams;
pub use latent::LatentAttention;
pub use pattern::Pattern;
pub use recurrent::Recurrent;
pub use shares::LayerShares;
pub use tower::Tower;

use core::num::Saturating;

/// The normalisation of hidden states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Norm {
    /// Root-mean-square norm: one weight per channel.
    Rms,
    /// Layer norm: a weight and a bias per channel.
    Layer,
    /// Layer norm without biases (MPT): a weight per channel.
    LayerNoBias,
}

/// The attention projections with a bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttentionBias {
    /// None (Llama).
    None,
    /// Query, key and value (Qwen 2).
    Qkv,
    /// All four (GPT-2, GPT-3, OPT, BLOOM).
    All,
}

/// The normalisation of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QkNorm {
    /// None.
    None,
    /// Per head: one weight of width d for queries, one for keys (Qwen 3).
    PerHead,
    /// Over the whole width: one weight of `n_q d` and one of `n_kv d` (OLMo 2, OLMoE).
    Full,
}

/// Matrices with a common input that the model's code fuses into one, with one adapter and one
/// output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FusedProjections {
    /// None (Llama).
    None,
    /// Queries, keys and values (GPT-2, Falcon, Qwen 1, BLOOM).
    Attention,
    /// Queries, keys and values, and the MLP's gate and up (Phi-3, GLM).
    All,
}

/// The shape of a decoder-only transformer, with the field names of a Hugging Face `config.json`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Architecture {
    /// Decoder layers, L.
    pub num_hidden_layers: u32,
    /// Width of the residual stream, H.
    pub hidden_size: u32,
    /// Query heads, n_q.
    pub num_attention_heads: u32,
    /// Key and value heads, n_kv: equal to n_q without grouped-query attention.
    pub num_key_value_heads: u32,
    /// Width of one head, d.
    pub head_dim: u32,
    /// Width of the MLP, F.
    pub intermediate_size: u32,
    /// Entries of the vocabulary, V.
    pub vocab_size: u32,
    /// Whether the MLP is gated (SwiGLU, GeGLU: three matrices) or not (two).
    pub gated_mlp: bool,
    /// The kind of norm.
    pub norm: Norm,
    /// Norms of width H in one layer: 2; 4 with additional norms after the blocks (Gemma 2); 1 in a
    /// parallel block.
    pub norms_per_layer: u32,
    /// The normalisation of queries and keys.
    pub qk_norm: QkNorm,
    /// The attention projections with a bias.
    pub attention_bias: AttentionBias,
    /// Whether the MLP's matrices have biases.
    pub mlp_bias: bool,
    /// Whether the output head shares the embedding's weights.
    pub tie_word_embeddings: bool,
    /// Whether the output head has a bias for each entry of the vocabulary (Phi-3.5-MoE).
    pub head_bias: bool,
    /// Learned position embeddings (GPT-2, OPT): their number, 0 for rotary or ALiBi positions.
    pub learned_positions: u32,
    /// Whether a norm follows the embedding (BLOOM).
    pub embedding_norm: bool,
    /// Maximum number of keys for a query of a local layer; 0 if every layer attends to the whole
    /// sequence.
    pub sliding_window: u32,
    /// Distance between layers with global attention if the others are local (Gemma 2: 2, Gemma 3:
    /// 6); 0 if all are local.
    pub global_every: u32,
    /// Whether local layers split the sequence into chunks of `sliding_window` tokens (Llama 4): a
    /// query attends to its own chunk.
    pub attention_chunks: bool,
    /// Whether each query head has a learned sink in its softmax (gpt-oss): one weight.
    pub attention_sinks: bool,
    /// The matrices with a common input that the model's code fuses.
    pub fused_projections: FusedProjections,
    /// Whether the output's logits are capped by a tanh (Gemma 2's `final_logit_softcapping`).
    pub logit_softcap: bool,
    /// Low-rank queries, keys and values (DeepSeek), which replace `n_kv` and d.
    pub latent: LatentAttention,
    /// Whether a gate as wide as the queries scales attention's output (Qwen3-Next): the query
    /// projection is twice as wide.
    pub gated_attention: bool,
    /// The experts of a mixture-of-experts model, in which `intermediate_size` is the width of
    /// dense layers.
    pub experts: Experts,
    /// The recurrent mixer, in layers that have one instead of or in addition to attention.
    pub recurrent: Recurrent,
    /// The blocks of each layer, for models whose layers differ by more than experts and windows at
    /// regular distances.
    pub pattern: Pattern,
    /// Parameters that no other field describes.
    pub extra: ExtraParams,
    /// The encoder of images or sound.
    pub tower: Tower,
}

/// Converts a factor or summand of a count.
fn count(value: u32) -> Saturating<u64> {
    Saturating(u64::from(value))
}

/// Matrices of width F in a gated MLP: gate, up and down.
const GATED_MATRICES: Saturating<u64> = Saturating(3);
/// Matrices of width F in a plain MLP: up and down.
const PLAIN_MATRICES: Saturating<u64> = Saturating(2);
/// Projections of width `n_q d`: query and output. Two also have the width `n_kv d`: key and value.
const PROJECTIONS: Saturating<u64> = Saturating(2);
/// Norms of width d under [`QkNorm::PerHead`]: of the queries and of the keys.
const HEAD_NORMS: Saturating<u64> = Saturating(2);

/// The architecture that Llama and most later models share: gated MLP, root-mean-square norms,
/// rotary positions, no biases, an untied output head. Rows set the sizes.
pub const LLAMA_STYLE: Architecture = Architecture {
    num_hidden_layers: 0,
    hidden_size: 0,
    num_attention_heads: 0,
    num_key_value_heads: 0,
    head_dim: 0,
    intermediate_size: 0,
    vocab_size: 0,
    gated_mlp: true,
    norm: Norm::Rms,
    norms_per_layer: 2,
    qk_norm: QkNorm::None,
    attention_bias: AttentionBias::None,
    mlp_bias: false,
    tie_word_embeddings: false,
    head_bias: false,
    learned_positions: 0,
    embedding_norm: false,
    sliding_window: 0,
    global_every: 0,
    attention_chunks: false,
    attention_sinks: false,
    fused_projections: FusedProjections::None,
    logit_softcap: false,
    latent: LatentAttention::NONE,
    gated_attention: false,
    experts: Experts::NONE,
    recurrent: Recurrent::NONE,
    pattern: Pattern::NONE,
    extra: ExtraParams::NONE,
    tower: Tower::NONE,
};

/// The architecture that GPT-2, GPT-3, OPT and BLOOM share: plain MLP, layer norms, biases
/// everywhere, an output head tied to the embedding.
pub const GPT_STYLE: Architecture = Architecture {
    gated_mlp: false,
    norm: Norm::Layer,
    attention_bias: AttentionBias::All,
    mlp_bias: true,
    tie_word_embeddings: true,
    ..LLAMA_STYLE
};

impl Architecture {
    /// Returns the width of all heads' queries, `n_q d`.
    pub fn query_width(&self) -> f64 {
        f64::from(self.num_attention_heads) * self.query_head_width()
    }

    /// Returns the width of all heads' attention outputs, `n_q d` (`n_q d_v` under latent
    /// attention).
    pub fn attention_output_width(&self) -> f64 {
        f64::from(self.num_attention_heads) * self.value_head_width()
    }

    /// Returns the mean width of keys and values, `n_kv d`, as attention computes them.
    pub fn key_value_width(&self) -> f64 {
        0.5 * self.key_value_heads() * (self.query_head_width() + self.value_head_width())
    }

    /// Returns the mean width of keys and values on one GPU of tp that split the heads: whole
    /// heads, at least one.
    pub fn key_value_width_over(&self, tp: f64) -> f64 {
        let width = self.key_value_width() / tp;
        let head = 0.5 * (self.query_head_width() + self.value_head_width());
        if width > head { width } else { head }
    }

    /// Whether the layers are those of GPT-2: one matrix for queries, keys and values, biases
    /// everywhere, learned positions.
    pub fn is_gpt_2(&self) -> bool {
        let biased = self.attention_bias == AttentionBias::All && !self.gated_mlp;
        biased && self.fused_projections == FusedProjections::Attention && self.learned_positions > 0
    }

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
        let layers = Saturating(self.all_mixer_params()) + Saturating(self.all_norm_params());
        let layers = layers + Saturating(self.all_mlp_params(experts));
        let ends =
            Saturating(self.embedding_params()) + Saturating(self.position_params()) + Saturating(self.head_params());
        let counted = (layers + ends + Saturating(self.outer_norm_params())).0;
        let counted = counted.saturating_add_signed(self.extra_layer_params());
        counted.saturating_add_signed(self.extra_outer_params()).saturating_add(self.tower.all_params())
    }

    /// Returns the parameters of the token mixers of all layers: attention, and recurrent mixers.
    fn all_mixer_params(&self) -> u64 {
        let blocks = self.blocks();
        let attention = count(blocks.attention) * Saturating(self.attention_params_per_layer());
        (attention + count(blocks.recurrent) * Saturating(self.recurrent_params_per_layer())).0
    }

    /// Returns the parameters of the norms of all layers; those of queries and keys only exist in
    /// layers with attention.
    fn all_norm_params(&self) -> u64 {
        let inner = Saturating(self.attention_norm_params());
        let outer = count(self.norms_per_layer) * Saturating(self.norm_params());
        (count(self.num_hidden_layers) * outer + count(self.blocks().attention) * inner).0
    }

    /// Returns the parameters of all layers except their norms: the matrices, whose optimizer state
    /// may differ, and their biases.
    pub fn matrix_params(&self) -> u64 {
        let counted = Saturating(self.all_mixer_params()) + Saturating(self.all_mlp_params(self.experts.num_experts));
        counted.0.saturating_add_signed(self.extra_layer_params())
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
        let attention = Saturating(self.attention_params_per_layer());
        (attention + Saturating(self.mlp_params_per_layer()) + Saturating(self.norm_params_per_layer())).0
    }

    /// Returns the parameters of one attention block: `2 H n_q d + 2 H n_kv d`, plus existing
    /// biases: `n_q d + 2 n_kv d` on query, key and value, H on the output projection, and `n_q`
    /// sinks; [`Self::latent_params_per_layer`] under latent attention.
    ///
    /// H hidden size, `n_q` query heads, `n_kv` key and value heads, d head width. Norms of queries
    /// and keys are counted with the norms. Source: docs/book/model/parameters.md; grouped-query
    /// attention arXiv 2305.13245.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// let hidden = 12_288; // GPT-3 175B: four square matrices and their biases
    /// assert_eq!(ladder::architecture(175e9).attention_params_per_layer(), 4 * hidden * hidden + 4 * hidden);
    /// ```
    pub fn attention_params_per_layer(&self) -> u64 {
        if self.latent.is_used() {
            return self.latent_params_per_layer();
        }
        let hidden = count(self.hidden_size);
        let query = count(self.num_attention_heads) * count(self.head_dim);
        let key_value = count(self.num_key_value_heads) * count(self.head_dim);
        let biases = match self.attention_bias {
            AttentionBias::None => Saturating(0),
            AttentionBias::Qkv => query + PROJECTIONS * key_value,
            AttentionBias::All => query + PROJECTIONS * key_value + hidden,
        };
        let sinks = if self.attention_sinks { count(self.num_attention_heads) } else { Saturating(0) };
        let gate = match (self.gated_attention, self.attention_bias) {
            (false, _) => Saturating(0),
            (true, AttentionBias::None) => hidden * query,
            (true, AttentionBias::Qkv | AttentionBias::All) => hidden * query + query,
        };
        (PROJECTIONS * hidden * query + PROJECTIONS * hidden * key_value + gate + biases + sinks).0
    }

    /// Returns the parameters of the MLP of a dense layer: `3 H F` gated, `2 H F` otherwise; with
    /// biases plus F for each matrix into the width F and H for the one out of it.
    ///
    /// H hidden size, F intermediate size. Source: docs/book/model/parameters.md; gated MLPs arXiv
    /// 2002.05202.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// let hidden = 12_288; // GPT-3 175B: F = 4 H
    /// assert_eq!(ladder::architecture(175e9).mlp_params_per_layer(), 8 * hidden * hidden + 5 * hidden);
    /// ```
    pub fn mlp_params_per_layer(&self) -> u64 {
        self.mlp_params(self.hidden_size, self.intermediate_size, self.mlp_bias)
    }

    /// Returns the parameters of an MLP of this width, from `channels` channels and back.
    fn mlp_params(&self, channels: u32, width: u32, biased: bool) -> u64 {
        let (hidden, width) = (count(channels), count(width));
        let matrices = if self.gated_mlp { GATED_MATRICES } else { PLAIN_MATRICES };
        let biases = if biased { (matrices - Saturating(1)) * width + hidden } else { Saturating(0) };
        (matrices * hidden * width + biases).0
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
        let outer = count(self.norms_per_layer) * Saturating(self.norm_params());
        (outer + Saturating(self.attention_norm_params())).0
    }

    /// Returns the parameters of the norms inside one attention block: of queries and keys, and of
    /// latent ranks.
    pub fn attention_norm_params(&self) -> u64 {
        let heads = match self.qk_norm {
            QkNorm::None => Saturating(0),
            QkNorm::PerHead => HEAD_NORMS * count(self.head_dim),
            QkNorm::Full => (count(self.num_attention_heads) + count(self.num_key_value_heads)) * count(self.head_dim),
        };
        let ranks = Saturating(self.latent_norm_params());
        (heads + ranks).0
    }

    /// Returns the parameters of one norm of width H: H, or `2 H` for a layer norm with biases.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).norm_params(), 2 * 12_288);
    /// ```
    pub fn norm_params(&self) -> u64 {
        let vectors = match self.norm {
            Norm::Rms | Norm::LayerNoBias => Saturating(1),
            Norm::Layer => Saturating(2),
        };
        (vectors * count(self.hidden_size)).0
    }

    /// Returns the parameters of the norms outside the layers: the final norm and, if there is one,
    /// the embedding's norm.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).outer_norm_params(), 2 * 12_288);
    /// ```
    pub fn outer_norm_params(&self) -> u64 {
        let norms = if self.embedding_norm { Saturating(2) } else { Saturating(1) };
        (norms * Saturating(self.norm_params())).0
    }

    /// Returns the parameters of the token embedding, `V H`: shared with the output head if
    /// `tie_word_embeddings` is set.
    ///
    /// ```
    /// # use engine::model::ladder;
    /// assert_eq!(ladder::architecture(175e9).embedding_params(), 50_257 * 12_288);
    /// ```
    pub fn embedding_params(&self) -> u64 {
        (count(self.vocab_size) * count(self.hidden_size)).0
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
        (Saturating(matrix) + Saturating(self.head_bias_params())).0
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
        (count(self.learned_positions) * count(self.hidden_size)).0
    }
}
