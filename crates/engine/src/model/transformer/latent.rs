//! Multi-head latent attention (DeepSeek V2, arXiv 2405.04434, section 2.1): queries, keys and
//! values through low ranks.

use super::Architecture;

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

impl Architecture {
    /// Returns the width of one head's queries and keys: `d`, or `d_nope + d_rope` under latent
    /// attention.
    pub fn query_head_width(&self) -> f64 {
        if self.latent.is_used() {
            f64::from(self.latent.qk_nope_head_dim) + f64::from(self.latent.qk_rope_head_dim)
        } else {
            f64::from(self.head_dim)
        }
    }

    /// Returns the width of one head's values: `d`, or `d_v` under latent attention.
    pub fn value_head_width(&self) -> f64 {
        if self.latent.is_used() { f64::from(self.latent.v_head_dim) } else { f64::from(self.head_dim) }
    }

    /// Returns the heads of keys and values as attention computes them: latent attention expands
    /// one for each query head.
    pub fn key_value_heads(&self) -> f64 {
        f64::from(if self.latent.is_used() { self.num_attention_heads } else { self.num_key_value_heads })
    }
}
