//! BLOOM.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, FusedProjections};

const BLOOM: Series = Series { family: "BLOOM", source: "bigscience/bloom* config.json" };

/// BLOOM normalises its embedding and has ALiBi positions.
const STYLE: Architecture = Architecture {
    vocab_size: 250_880,
    embedding_norm: true,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};

/// BLOOM.
pub const MODELS: &[ModelEntry] = &[
    BLOOM.model("bloom-560m", "BLOOM 560M", shape(STYLE, 24, 1024, (16, 16), 4096), 559_214_592, 2048),
    BLOOM.model("bloom-1.1b", "BLOOM 1.1B", shape(STYLE, 24, 1536, (16, 16), 6144), 1_065_314_304, 2048),
    BLOOM.model("bloom-1.7b", "BLOOM 1.7B", shape(STYLE, 24, 2048, (16, 16), 8192), 1_722_408_960, 2048),
    BLOOM.model("bloom-3b", "BLOOM 3B", shape(STYLE, 30, 2560, (32, 32), 10_240), 3_002_557_440, 2048),
    BLOOM.model("bloom-7.1b", "BLOOM 7.1B", shape(STYLE, 30, 4096, (32, 32), 16_384), 7_069_016_064, 2048),
    BLOOM.model("bloom-176b", "BLOOM 176B", shape(STYLE, 70, 14_336, (112, 112), 57_344), 176_247_271_424, 2048),
];
