//! Phi.

use super::{GPT_STYLE, LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, FusedProjections, Norm};

const ONE: Series =
    Series { family: "Phi", source: "microsoft/phi-1_5 and phi-2 config.json, Lightning-AI/litgpt litgpt/config.py" };
const THREE: Series = Series { family: "Phi", source: "microsoft/Phi-3-*-4k-instruct and phi-4 config.json" };
const THREE_5: Series = Series {
    family: "Phi",
    source: "microsoft/Phi-3.5-mini-instruct config.json, Lightning-AI/litgpt litgpt/config.py",
};
const MOE: Series = Series { family: "Phi", source: "microsoft/Phi-3.5-MoE-instruct config.json" };

/// Attention and MLP run in parallel after one norm; the output head is untied and has biases.
const PHI_1: Architecture =
    Architecture { vocab_size: 51_200, norms_per_layer: 1, tie_word_embeddings: false, head_bias: true, ..GPT_STYLE };
/// Queries, keys and values are one matrix, gate and up another.
const FUSED: Architecture = Architecture { fused_projections: FusedProjections::All, ..LLAMA_STYLE };
/// The 4k models attend within 2,047 tokens in every layer.
const PHI_3: Architecture = Architecture { vocab_size: 32_064, sliding_window: 2047, ..FUSED };
/// The window of 262,144 tokens is longer than any sequence.
const PHI_35: Architecture = Architecture { vocab_size: 32_064, ..FUSED };
const PHI_4_MINI: Architecture = Architecture { vocab_size: 200_064, tie_word_embeddings: true, ..FUSED };
const PHI_4: Architecture = Architecture { vocab_size: 100_352, ..FUSED };
/// Layer norms with biases, and biases on attention and head.
const PHI_35_MOE: Architecture = Architecture {
    fused_projections: FusedProjections::None,
    norm: Norm::Layer,
    attention_bias: AttentionBias::All,
    head_bias: true,
    ..PHI_35
};

/// Phi.
pub const MODELS: &[ModelEntry] = &[
    ONE.model("phi-1.5", "Phi-1.5 1.3B", shape(PHI_1, 24, 2048, (32, 32), 8192), 1_418_270_720, 2048),
    ONE.model("phi-2", "Phi-2 2.7B", shape(PHI_1, 32, 2560, (32, 32), 10_240), 2_779_683_840, 2048),
    THREE.model("phi-3-mini", "Phi-3 mini 3.8B", shape(PHI_3, 32, 3072, (32, 32), 8192), 3_821_079_552, 4096),
    THREE.model("phi-3-medium", "Phi-3 medium 14B", shape(PHI_3, 40, 5120, (40, 10), 17_920), 13_960_238_080, 4096),
    THREE_5.model("phi-3.5-mini", "Phi-3.5 mini 3.8B", shape(PHI_35, 32, 3072, (32, 32), 8192), 3_821_079_552, 131_072),
    THREE.model("phi-4", "Phi-4 14B", shape(PHI_4, 40, 5120, (40, 10), 17_920), 14_659_507_200, 16_384),
    THREE.model("phi-4-mini", "Phi-4 mini 3.8B", shape(PHI_4_MINI, 32, 3072, (24, 8), 8192), 3_836_021_760, 131_072),
    MOE.model(
        "phi-3.5-moe",
        "Phi-3.5-MoE 42B",
        sparse(shape(PHI_35_MOE, 32, 4096, (32, 8), 6400), routed(16, 2, 6400)),
        41_873_153_344,
        131_072,
    ),
];
