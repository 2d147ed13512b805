//! Other mixtures of experts.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, Experts, Norm, QkNorm};

const DBRX: Series = Series { family: "DBRX", source: "databricks/dbrx-base config.json" };
const GLM: Series =
    Series { family: "GLM", source: "zai-org/GLM-4.5* config.json, without the layer that predicts a second token" };
const GROK: Series = Series { family: "Grok", source: "xai-org/grok-1 run.py" };
const MEGASCALE: Series = Series {
    family: "MegaScale-MoE",
    source: "MegaScale-MoE (arXiv 2505.11432, Table 2); its name and MFU count one expert more, taken as shared",
};

const DBRX_STYLE: Architecture = Architecture { vocab_size: 100_352, norm: Norm::LayerNoBias, ..LLAMA_STYLE };
/// Norms before and after the blocks, and a tied output head.
const GROK_STYLE: Architecture =
    Architecture { vocab_size: 131_072, norms_per_layer: 4, tie_word_embeddings: true, ..LLAMA_STYLE };
/// Heads of 128, independent of H.
const GLM_AIR: Architecture = Architecture { vocab_size: 151_552, attention_bias: AttentionBias::Qkv, ..LLAMA_STYLE };
/// The large model normalises queries and keys per head.
const GLM_LARGE: Architecture = Architecture { qk_norm: QkNorm::PerHead, ..GLM_AIR };
const MEGASCALE_STYLE: Architecture = Architecture { vocab_size: 65_536, ..LLAMA_STYLE };

/// Returns a shape with dense layers first, then experts with a correction of router scores and a
/// shared expert of the same width.
const fn glm(dense: Architecture, first_k_dense_replace: u32, experts: Experts) -> Architecture {
    let shared_intermediate_size = experts.moe_intermediate_size;
    sparse(
        Architecture { head_dim: 128, ..dense },
        Experts { shared_intermediate_size, first_k_dense_replace, router_bias: true, ..experts },
    )
}

/// DBRX, GLM-4.5, Grok-1 and MegaScale-MoE's largest.
pub const MODELS: &[ModelEntry] = &[
    DBRX.model(
        "dbrx",
        "DBRX 132B-A36B",
        sparse(shape(DBRX_STYLE, 40, 6144, (48, 8), 10_752), routed(16, 4, 10_752)),
        131_596_523_520,
        32_768,
    ),
    GLM.model(
        "glm-4.5-air",
        "GLM-4.5-Air 106B-A12B",
        glm(shape(GLM_AIR, 46, 4096, (96, 8), 10_944), 1, routed(128, 8, 1408)),
        106_852_251_264,
        131_072,
    ),
    GLM.model(
        "glm-4.5",
        "GLM-4.5 355B-A32B",
        glm(shape(GLM_LARGE, 92, 5120, (96, 8), 12_288), 3, routed(160, 8, 1536)),
        352_797_829_024,
        131_072,
    ),
    GROK.model(
        "grok-1",
        "Grok-1 314B",
        sparse(shape(GROK_STYLE, 64, 6144, (48, 8), 32_768), routed(8, 2, 32_768)),
        315_684_820_992,
        8192,
    ),
    MEGASCALE.model(
        "megascale-352b",
        "Internal 352B (MegaScale-MoE)",
        sparse(
            shape(MEGASCALE_STYLE, 60, 4096, (32, 8), 14_336),
            Experts { shared_intermediate_size: 14_336, ..routed(32, 3, 14_336) },
        ),
        351_860_133_888,
        8192,
    ),
];
