//! Decoder-only transformers: shapes and exact parameter counts (docs/book/model/parameters.md).
//!
//! Counts are exact integers and saturate instead of overflowing, as users may type extreme shapes.

pub mod experts;
pub mod extra;
pub mod latent;
pub mod pattern;
pub mod recurrent;
pub mod tower;

pub use experts::Experts;
pub use extra::ExtraParams;
pub use latent::LatentAttention;
pub use pattern::Pattern;
pub use recurrent::Recurrent;
pub use tower::Tower;

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
    /// Whether the layers are those of GPT-2: one matrix for queries, keys and values, biases
    /// everywhere, learned positions.
    pub fn is_gpt_2(&self) -> bool {
        let biased = self.attention_bias == AttentionBias::All && !self.gated_mlp;
        biased && self.fused_projections == FusedProjections::Attention && self.learned_positions > 0
    }
}
