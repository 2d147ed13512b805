//! The widths of multi-head latent attention.

use super::{AxisUse, Group, Kind, Number, Param, Scale, Unit, custom, is_custom, whole};
use crate::scenario::Scenario;

/// For rows that mean nothing without latent attention.
fn with_latent_attention(scenario: &Scenario) -> bool {
    scenario.model.architecture().latent.is_used()
}

count!(
    /// Rank of keys and values.
    KV_RANK, latent.kv_lora_rank, "kvrank", "Key and value rank", 0.0..=100_000.0,
    "Rank of keys and values under latent attention (kv_lora_rank in config.json, DeepSeek); 0 without it."
);
count!(
    /// Rank of queries.
    Q_RANK, latent.q_lora_rank, "qrank", "Query rank", 0.0..=100_000.0, [relevant(with_latent_attention)],
    "Rank of queries under latent attention (q_lora_rank in config.json); 0 where they are projected directly."
);
count!(
    /// Width without positions.
    NOPE, latent.qk_nope_head_dim, "nope", "Head width without positions", 0.0..=100_000.0, [relevant(with_latent_attention)],
    "Width of a head's queries and keys without positions (qk_nope_head_dim in config.json)."
);
count!(
    /// Width with positions.
    ROPE, latent.qk_rope_head_dim, "rope", "Head width with positions", 0.0..=100_000.0, [relevant(with_latent_attention)],
    "Width of a head's queries, and of all heads' key, with rotary positions (qk_rope_head_dim in config.json)."
);
count!(
    /// Width of values.
    VALUE, latent.v_head_dim, "vdim", "Value head width", 0.0..=100_000.0, [relevant(with_latent_attention)],
    "Width of a head's values under latent attention (v_head_dim in config.json)."
);
