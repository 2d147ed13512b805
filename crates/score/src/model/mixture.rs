//! Mixtures of experts: their shape from the columns and from options in a row's remarks.

use crate::row::Row;
use crate::stack::Stack;
use crate::text::{has, names, option};
use engine::model::transformer::{Architecture, AttentionBias, Experts, LatentAttention};

/// Megatron's option for the width of the shared experts.
const SHARED: &str = "moe-shared-expert-intermediate-size=";
/// Width of the shared experts in remarks about a single layer of experts.
const SHARED_ALONE: &str = "shared expert ffn ";
/// Megatron's layer pattern for the dense layers before the first layer with experts.
const DENSE_FIRST: &str = "moe-layer-freq=([0]*";

/// Whether the columns state experts.
pub fn has_experts(row: &Row) -> bool {
    row.n_experts.is_some_and(|experts| experts > 1)
}

/// Whether the options state latent attention.
pub fn is_latent(row: &Row) -> bool {
    has(&row.notes, &["multi-latent-attention=true"])
}

/// Returns a dense shape with the experts and the latent attention of the row. Its linear layers
/// have no biases, as Megatron requires with experts. `None` if the width of experts or the number
/// per token is missing.
pub fn with_experts(row: &Row, dense: Architecture) -> Option<Architecture> {
    let experts = if has_experts(row) { experts(row)? } else { Experts::NONE };
    if experts == Experts::NONE && !is_latent(row) {
        return Some(dense);
    }
    let latent = if is_latent(row) { LatentAttention::DEEPSEEK } else { LatentAttention::NONE };
    Some(Architecture { attention_bias: AttentionBias::None, mlp_bias: false, latent, experts, ..dense })
}

fn experts(row: &Row) -> Option<Experts> {
    let proxy = has(&row.model, &["deepseek"]);
    Some(Experts {
        num_experts: row.n_experts?,
        num_experts_per_tok: row.top_k?,
        moe_intermediate_size: row.moe_ffn_hidden.or(row.ffn_hidden)?,
        shared_intermediate_size: option(&row.notes, SHARED).or_else(|| option(&row.notes, SHARED_ALONE)).unwrap_or(0),
        first_k_dense_replace: option(&row.notes, DENSE_FIRST).unwrap_or(0),
        // Proxies of DeepSeek V3 keep its groups (arXiv 2412.19437, section 2.1.2).
        n_group: if proxy { 8 } else { 0 },
        topk_group: if proxy { 4 } else { 0 },
        ..Experts::NONE
    })
}

/// Whether a shape's experts agree with the columns that are filled.
pub fn agrees(row: &Row, shape: &Architecture) -> bool {
    let same = |said: Option<u32>, known: u32| said.is_none_or(|said| said == known);
    let experts = shape.experts;
    !has_experts(row) || {
        same(row.n_experts, experts.num_experts)
            && same(row.top_k, experts.num_experts_per_tok)
            && same(row.moe_ffn_hidden, experts.moe_intermediate_size)
    }
}

/// Megatron's option for multi-token prediction layers (arXiv 2412.19437, section 2.2).
const PREDICTED: &str = "mtp-num-layers=";

/// Returns the number of multi-token prediction layers: from the options; one in Megatron-Bridge's
/// DeepSeek V3 unless the row says that there is none.
pub fn predicted_tokens(row: &Row, stack: Stack) -> u32 {
    let preset = stack == Stack::Nemo && names(&row.model, &["deepseekv3"]) && !has(&row.model, &["w/o mtp"]);
    option(&row.notes, PREDICTED).unwrap_or(u32::from(preset))
}
