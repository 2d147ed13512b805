//! Multi-head latent attention (DeepSeek V2, arXiv 2405.04434, section 2.1): queries, keys and
//! values through low ranks.

/// The widths of multi-head latent attention, with the field names of DeepSeek's `config.json`. All
/// 0 in models without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatentAttention {
    /// Rank of the keys and values (`kv_lora_rank`); 0 without latent attention.
    pub kv_lora_rank: u32,
    /// Rank of the queries (`q_lora_rank`); 0 if queries are projected directly.
    pub q_lora_rank: u32,
    /// Width of a head's queries and keys without positions (`qk_nope_head_dim`).
    pub qk_nope_head_dim: u32,
    /// Width of a head's queries with rotary positions, and of the one key that all heads share
    /// (`qk_rope_head_dim`).
    pub qk_rope_head_dim: u32,
    /// Width of a head's values (`v_head_dim`).
    pub v_head_dim: u32,
}

impl LatentAttention {
    /// No latent attention.
    pub const NONE: Self =
        Self { kv_lora_rank: 0, q_lora_rank: 0, qk_nope_head_dim: 0, qk_rope_head_dim: 0, v_head_dim: 0 };

    /// The widths of DeepSeek V2 and V3, and of Kimi K2.
    pub const DEEPSEEK: Self =
        Self { kv_lora_rank: 512, q_lora_rank: 1536, qk_nope_head_dim: 128, qk_rope_head_dim: 64, v_head_dim: 128 };

    /// Whether the model has latent attention.
    pub fn is_used(&self) -> bool {
        self.kv_lora_rank > 0
    }
}
