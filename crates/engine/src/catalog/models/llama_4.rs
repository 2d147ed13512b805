//! Llama 4, text model only: one routed and one shared expert per token, local layers in chunks.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, Experts};

const FOUR: Series = Series { family: "Llama", source: "meta-llama/Llama-4-*-17B-* config.json, text_config" };

/// Three of four layers attend within chunks of 8,192 tokens. Queries and keys are normalised
/// without weights.
const STYLE: Architecture =
    Architecture { vocab_size: 202_048, sliding_window: 8192, global_every: 4, attention_chunks: true, ..LLAMA_STYLE };

const fn of(experts: u32, moe_layer_step: u32) -> Architecture {
    let experts = Experts { shared_intermediate_size: 8192, moe_layer_step, ..routed(experts, 1, 8192) };
    sparse(shape(STYLE, 48, 5120, (40, 8), 16_384), experts)
}

/// Llama 4, text model only.
pub const MODELS: &[ModelEntry] = &[
    FOUR.model("llama-4-scout", "Llama 4 Scout 109B-A17B", of(16, 1), 107_769_861_120, 262_144),
    FOUR.model("llama-4-maverick", "Llama 4 Maverick 400B-A17B", of(128, 2), 400_711_848_960, 262_144),
];
