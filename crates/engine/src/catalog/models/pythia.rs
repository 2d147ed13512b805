//! Pythia and GPT-NeoX 20B.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, FusedProjections};

const PYTHIA: Series = Series { family: "Pythia", source: "EleutherAI/pythia-* config.json" };
const NEOX: Series = Series { family: "Pythia", source: "EleutherAI/gpt-neox-20b config.json" };

/// Attention and MLP run in parallel, which changes no count. The vocabulary is padded differently
/// from 6.9B on.
const STYLE: Architecture = Architecture {
    vocab_size: 50_304,
    tie_word_embeddings: false,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};
const PADDED: Architecture = Architecture { vocab_size: 50_432, ..STYLE };
const PADDED_MORE: Architecture = Architecture { vocab_size: 50_688, ..STYLE };

/// Pythia and GPT-NeoX 20B.
pub const MODELS: &[ModelEntry] = &[
    PYTHIA.model("pythia-70m", "Pythia 70M", shape(STYLE, 6, 512, (8, 8), 2048), 70_426_624, 2048),
    PYTHIA.model("pythia-160m", "Pythia 160M", shape(STYLE, 12, 768, (12, 12), 3072), 162_322_944, 2048),
    PYTHIA.model("pythia-410m", "Pythia 410M", shape(STYLE, 24, 1024, (16, 16), 4096), 405_334_016, 2048),
    PYTHIA.model("pythia-1b", "Pythia 1B", shape(STYLE, 16, 2048, (8, 8), 8192), 1_011_781_632, 2048),
    PYTHIA.model("pythia-1.4b", "Pythia 1.4B", shape(STYLE, 24, 2048, (16, 16), 8192), 1_414_647_808, 2048),
    PYTHIA.model("pythia-2.8b", "Pythia 2.8B", shape(STYLE, 32, 2560, (32, 32), 10_240), 2_775_208_960, 2048),
    PYTHIA.model("pythia-6.9b", "Pythia 6.9B", shape(PADDED, 32, 4096, (32, 32), 16_384), 6_857_302_016, 2048),
    PYTHIA.model("pythia-12b", "Pythia 12B", shape(PADDED_MORE, 36, 5120, (40, 40), 20_480), 11_846_072_320, 2048),
    NEOX.model("gpt-neox-20b", "GPT-NeoX 20B", shape(PADDED, 44, 6144, (64, 64), 24_576), 20_554_567_680, 2048),
];
