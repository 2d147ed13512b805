//! DeepSeek, and Moonshot's models of its architecture: latent attention, shared and fine-grained
//! experts.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, Experts, LatentAttention};

const LLM: Series = Series { family: "DeepSeek", source: "deepseek-ai/deepseek-llm-*-base config.json" };
const TWO: Series = Series { family: "DeepSeek", source: "deepseek-ai/DeepSeek-V2* config.json (arXiv 2405.04434)" };
const THREE: Series = Series {
    family: "DeepSeek",
    source: "deepseek-ai/DeepSeek-V3-Base config.json (arXiv 2412.19437), without the module that predicts a second token",
};
const TITAN: Series = Series {
    family: "DeepSeek",
    source: "pytorch/torchtitan, models/deepseek_v3/__init__.py: 16B, V2-Lite's shape with V3's code, whose corrections of the router are a buffer",
};
const MOONSHOT: Series =
    Series { family: "Moonshot", source: "moonshotai/Moonlight-16B-A3B and Kimi-K2-Base config.json" };

const VOCABULARY_1: Architecture = Architecture { vocab_size: 102_400, ..LLAMA_STYLE };
const VOCABULARY_3: Architecture = Architecture { vocab_size: 129_280, ..LLAMA_STYLE };
const VOCABULARY_MOONSHOT: Architecture = Architecture { vocab_size: 163_840, ..LLAMA_STYLE };

/// Latent attention of the small models, whose queries have no low rank.
const SMALL: LatentAttention = LatentAttention { q_lora_rank: 0, ..LatentAttention::DEEPSEEK };

/// Returns a shape of width H with latent attention, and with experts in all layers but the first
/// ones.
const fn latent(
    style: Architecture,
    layers: u32,
    hidden: u32,
    heads: u32,
    dense: u32,
    experts: Experts,
) -> Architecture {
    let attention = if hidden > 2048 { LatentAttention::DEEPSEEK } else { SMALL };
    let head_dim = attention.v_head_dim;
    sparse(
        Architecture { head_dim, latent: attention, ..shape(style, layers, hidden, (heads, heads), dense) },
        Experts { first_k_dense_replace: 1, ..experts },
    )
}

/// V2's routing: a token goes to experts on three of eight devices.
const V2: Experts = Experts { shared_intermediate_size: 2 * 1536, n_group: 8, topk_group: 3, ..routed(160, 6, 1536) };
/// Two shared experts beside the routed ones.
const V2_LITE: Experts = Experts { shared_intermediate_size: 2 * 1408, ..routed(64, 6, 1408) };
/// V3's routing: the router corrects the score of each expert, and the first three layers are
/// dense.
const V3: Experts =
    Experts { shared_intermediate_size: 2048, router_bias: true, n_group: 8, topk_group: 4, ..routed(256, 8, 2048) };
const MOONLIGHT: Experts = Experts { router_bias: true, ..V2_LITE };
const KIMI_K2: Experts = Experts { num_experts: 384, n_group: 0, topk_group: 0, ..V3 };

const DEEPSEEK_V3: Architecture = {
    let shape = latent(VOCABULARY_3, 61, 7168, 128, 18_432, V3);
    sparse(shape, Experts { first_k_dense_replace: 3, ..shape.experts })
};

/// DeepSeek's and Moonshot's models.
pub const MODELS: &[ModelEntry] = &[
    LLM.model(
        "deepseek-llm-7b",
        "DeepSeek LLM 7B",
        shape(VOCABULARY_1, 30, 4096, (32, 32), 11_008),
        6_910_365_696,
        4096,
    ),
    LLM.model(
        "deepseek-llm-67b",
        "DeepSeek LLM 67B",
        shape(VOCABULARY_1, 95, 8192, (64, 8), 22_016),
        67_425_001_472,
        4096,
    ),
    TWO.model(
        "deepseek-v2-lite",
        "DeepSeek-V2-Lite 16B",
        latent(VOCABULARY_1, 27, 2048, 16, 10_944, V2_LITE),
        15_706_484_224,
        32_768,
    ),
    TWO.model(
        "deepseek-v2",
        "DeepSeek-V2 236B",
        latent(VOCABULARY_1, 60, 5120, 128, 12_288, V2),
        235_741_434_880,
        131_072,
    ),
    THREE.model("deepseek-v3", "DeepSeek-V3 671B", DEEPSEEK_V3, 671_026_419_200, 131_072),
    TITAN.model(
        "deepseek-v3-16b",
        "DeepSeek-V3 16B (torchtitan)",
        latent(VOCABULARY_1, 27, 2048, 16, 10_944, V2_LITE),
        15_706_484_224,
        16_384,
    ),
    MOONSHOT.model(
        "moonlight-16b-a3b",
        "Moonlight 16B-A3B",
        latent(VOCABULARY_MOONSHOT, 27, 2048, 16, 11_264, MOONLIGHT),
        15_960_110_208,
        8192,
    ),
    MOONSHOT.model(
        "kimi-k2",
        "Kimi K2 1T-A32B",
        latent(VOCABULARY_MOONSHOT, 61, 7168, 64, 18_432, KIMI_K2),
        1_026_408_232_448,
        131_072,
    ),
];
