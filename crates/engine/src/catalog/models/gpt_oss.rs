//! gpt-oss: biases on attention, router and experts, sinks, every second layer within a window.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, Experts};

const GPT_OSS: Series =
    Series { family: "gpt-oss", source: "openai/gpt-oss-* config.json (arXiv 2508.10925, Table 1)" };

/// Sliding layers attend within 128 tokens, and heads are narrower than H over their number.
const STYLE: Architecture = Architecture {
    vocab_size: 201_088,
    attention_bias: AttentionBias::All,
    attention_sinks: true,
    sliding_window: 128,
    global_every: 2,
    ..LLAMA_STYLE
};

const fn of(layers: u32, experts: u32) -> Architecture {
    let dense = Architecture { head_dim: 64, ..shape(STYLE, layers, 2880, (64, 8), 2880) };
    sparse(dense, Experts { router_bias: true, expert_bias: true, ..routed(experts, 4, 2880) })
}

/// gpt-oss.
pub const MODELS: &[ModelEntry] = &[
    GPT_OSS.model("gpt-oss-20b", "gpt-oss 20B", of(24, 32), 20_914_757_184, 131_072),
    GPT_OSS.model("gpt-oss-120b", "gpt-oss 120B", of(36, 128), 116_829_156_672, 131_072),
];
