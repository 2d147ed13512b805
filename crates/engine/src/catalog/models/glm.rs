//! ChatGLM and GLM, dense and as mixtures of experts.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, Experts, FusedProjections, QkNorm};

const CHAT: Series =
    Series { family: "GLM", source: "THUDM/chatglm3-6b config.json, in mlc-ai/mlc-llm's model_preset.py" };
const FOUR: Series = Series { family: "GLM", source: "THUDM/glm-4-9b-chat config.json" };
const FOUR_0414: Series =
    Series { family: "GLM", source: "THUDM/GLM-4-9B-0414: the defaults of transformers' Glm4Config" };
const FOUR_5: Series =
    Series { family: "GLM", source: "zai-org/GLM-4.5* config.json, without the layer that predicts a second token" };

/// Biases on query, key and value. GLM-4.5 Air has heads of 128, independent of H.
const BIASED: Architecture = Architecture { vocab_size: 151_552, attention_bias: AttentionBias::Qkv, ..LLAMA_STYLE };
/// Queries, keys and values are one matrix, gate and up another.
const FUSED: Architecture = Architecture { fused_projections: FusedProjections::All, ..BIASED };
const SMALL_VOCABULARY: Architecture = Architecture { vocab_size: 65_024, ..FUSED };
/// The release of April 2025 has norms after the blocks too.
const SANDWICHED: Architecture = Architecture { norms_per_layer: 4, ..BIASED };
/// The large model normalises queries and keys per head.
const LARGE: Architecture = Architecture { qk_norm: QkNorm::PerHead, ..BIASED };

/// Returns a shape with dense layers first, then experts with a correction of router scores and a
/// shared expert of the same width.
const fn mixture(dense: Architecture, first_k_dense_replace: u32, experts: Experts) -> Architecture {
    let shared_intermediate_size = experts.moe_intermediate_size;
    sparse(
        Architecture { head_dim: 128, ..dense },
        Experts { shared_intermediate_size, first_k_dense_replace, router_bias: true, ..experts },
    )
}

/// ChatGLM and GLM.
pub const MODELS: &[ModelEntry] = &[
    CHAT.model("chatglm-3-6b", "ChatGLM3 6B", shape(SMALL_VOCABULARY, 28, 4096, (32, 2), 13_696), 6_243_584_000, 8192),
    FOUR.model("glm-4-9b-chat", "GLM-4 9B Chat", shape(FUSED, 40, 4096, (32, 2), 13_696), 9_399_951_360, 131_072),
    FOUR_0414.model(
        "glm-4-9b-0414",
        "GLM-4 9B 0414",
        shape(SANDWICHED, 40, 4096, (32, 2), 13_696),
        9_400_279_040,
        32_768,
    ),
    FOUR_5.model(
        "glm-4.5-air",
        "GLM-4.5-Air 106B-A12B",
        mixture(shape(BIASED, 46, 4096, (96, 8), 10_944), 1, routed(128, 8, 1408)),
        106_852_251_264,
        131_072,
    ),
    FOUR_5.model(
        "glm-4.5",
        "GLM-4.5 355B-A32B",
        mixture(shape(LARGE, 92, 5120, (96, 8), 12_288), 3, routed(160, 8, 1536)),
        352_797_829_024,
        131_072,
    ),
];
