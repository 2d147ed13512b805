//! Falcon.

use super::{GPT_STYLE, LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, FusedProjections};

const FALCON: Series = Series { family: "Falcon", source: "tiiuae/falcon-* config.json" };
const FALCON_3: Series = Series { family: "Falcon", source: "tiiuae/Falcon3-*-Base config.json" };

/// Attention and MLP run in parallel, with two norms in 40B and 180B; 7B has one norm for both.
const TWO_NORMS: Architecture = Architecture {
    vocab_size: 65_024,
    attention_bias: AttentionBias::None,
    mlp_bias: false,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};
/// 180B has an untied output head.
const UNTIED: Architecture = Architecture { tie_word_embeddings: false, ..TWO_NORMS };
const ONE_NORM: Architecture = Architecture { norms_per_layer: 1, ..TWO_NORMS };

/// Falcon 3 has Llama's style with heads of 256.
const fn third(layers: u32, hidden: u32, heads: (u32, u32), intermediate: u32) -> Architecture {
    let style = Architecture { vocab_size: 131_072, ..LLAMA_STYLE };
    Architecture { head_dim: 256, ..shape(style, layers, hidden, heads, intermediate) }
}

/// Falcon.
pub const MODELS: &[ModelEntry] = &[
    FALCON.model("falcon-7b", "Falcon 7B", shape(ONE_NORM, 32, 4544, (71, 1), 18_176), 6_921_720_704, 2048),
    FALCON.model("falcon-40b", "Falcon 40B", shape(TWO_NORMS, 60, 8192, (128, 8), 32_768), 41_303_293_952, 2048),
    FALCON.model("falcon-180b", "Falcon 180B", shape(UNTIED, 80, 14_848, (232, 8), 59_392), 179_522_565_120, 2048),
    FALCON_3.model("falcon-3-1b", "Falcon 3 1B", third(18, 2048, (8, 4), 8192), 1_669_408_768, 8192),
    FALCON_3.model("falcon-3-3b", "Falcon 3 3B", third(22, 3072, (12, 4), 9216), 3_227_655_168, 32_768),
    FALCON_3.model("falcon-3-7b", "Falcon 3 7B", third(28, 3072, (12, 4), 23_040), 7_455_550_464, 32_768),
    FALCON_3.model("falcon-3-10b", "Falcon 3 10B", third(40, 3072, (12, 4), 23_040), 10_305_653_760, 32_768),
];
