//! Falcon.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias};

const FALCON: Series = Series {
    family: "Falcon",
    source: "Falcon (arXiv 2311.16867) and tiiuae/falcon-* config.json; Hugging Face transformers modeling_falcon. \
             Attention and MLP stand side by side",
};

/// Falcon 40B: two norms for the two parallel blocks; 7B has one for both.
const TWO_NORMS: Architecture =
    Architecture { vocab_size: 65_024, attention_bias: AttentionBias::None, mlp_bias: false, ..GPT_STYLE };
const ONE_NORM: Architecture = Architecture { norms_per_layer: 1, ..TWO_NORMS };

/// Falcon.
pub const MODELS: &[ModelEntry] = &[
    FALCON.model("falcon-7b", "Falcon 7B", shape(ONE_NORM, 32, 4544, (71, 1), 18_176), 6_921_720_704, 2048),
    FALCON.model("falcon-40b", "Falcon 40B", shape(TWO_NORMS, 60, 8192, (128, 8), 32_768), 41_303_293_952, 2048),
];
