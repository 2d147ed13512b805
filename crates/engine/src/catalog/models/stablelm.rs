//! StableLM.

use super::{GPT_STYLE, LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, FusedProjections, Norm};

const ALPHA: Series = Series {
    family: "StableLM",
    source: "Stability-AI/StableLM configs/stablelm-base-alpha-*.yml, Lightning-AI/litgpt litgpt/config.py",
};
const FOUR_EPOCHS: Series = Series {
    family: "StableLM",
    source: "Stability-AI/StableLM configs/stablelm-3b-4e1t.yml, Lightning-AI/litgpt litgpt/config.py",
};

/// Alpha has GPT-NeoX's style, with few wide layers and a vocabulary padded to 512, in 7B to 256.
const SMALL: Architecture = Architecture {
    vocab_size: 50_688,
    tie_word_embeddings: false,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};
const LARGE: Architecture = Architecture { vocab_size: 50_432, ..SMALL };
/// 4E1T, of which Zephyr is a fine-tune, has Llama's style with layer norms.
const GATED: Architecture = Architecture { vocab_size: 50_304, norm: Norm::Layer, ..LLAMA_STYLE };

/// StableLM.
pub const MODELS: &[ModelEntry] = &[
    ALPHA.model(
        "stablelm-alpha-3b",
        "StableLM Alpha 3B",
        shape(SMALL, 16, 4096, (32, 32), 16_384),
        3_637_321_728,
        4096,
    ),
    ALPHA.model(
        "stablelm-alpha-7b",
        "StableLM Alpha 7B",
        shape(LARGE, 16, 6144, (48, 48), 24_576),
        7_868_755_968,
        4096,
    ),
    FOUR_EPOCHS.model(
        "stablelm-3b-4e1t",
        "StableLM 3B 4E1T",
        shape(GATED, 32, 2560, (32, 32), 6912),
        2_795_443_200,
        4096,
    ),
];
