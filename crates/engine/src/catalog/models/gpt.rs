//! GPT-2 and GPT-3.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, FusedProjections};

const GPT_2: Series = Series { family: "GPT", source: "openai-community/gpt2* config.json" };
const GPT_3: Series = Series { family: "GPT", source: "GPT-3 (arXiv 2005.14165, Table 2.1), attention dense" };

const SHORT: Architecture = Architecture {
    vocab_size: 50_257,
    learned_positions: 1024,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};
const LONG: Architecture = Architecture { learned_positions: 2048, ..SHORT };

/// GPT-2 and GPT-3. GPT-3 is counted as GPT-2, which equals its Table D.1 in rounded millions; 1.3B
/// and 13B have heads of 128 that fill H, where Table 2.1 prints 24 heads and a width of 5,140.
pub const MODELS: &[ModelEntry] = &[
    GPT_2.model("gpt-2", "GPT-2 124M", shape(SHORT, 12, 768, (12, 12), 3072), 124_439_808, 1024),
    GPT_2.model("gpt-2-medium", "GPT-2 medium 355M", shape(SHORT, 24, 1024, (16, 16), 4096), 354_823_168, 1024),
    GPT_2.model("gpt-2-large", "GPT-2 large 774M", shape(SHORT, 36, 1280, (20, 20), 5120), 774_030_080, 1024),
    GPT_2.model("gpt-2-xl", "GPT-2 XL 1.5B", shape(SHORT, 48, 1600, (25, 25), 6400), 1_557_611_200, 1024),
    GPT_3.model("gpt-3-125m", "GPT-3 125M", shape(LONG, 12, 768, (12, 12), 3072), 125_226_240, 2048),
    GPT_3.model("gpt-3-350m", "GPT-3 350M", shape(LONG, 24, 1024, (16, 16), 4096), 355_871_744, 2048),
    GPT_3.model("gpt-3-760m", "GPT-3 760M", shape(LONG, 24, 1536, (16, 16), 6144), 760_300_032, 2048),
    GPT_3.model("gpt-3-1.3b", "GPT-3 1.3B", shape(LONG, 24, 2048, (16, 16), 8192), 1_315_723_264, 2048),
    GPT_3.model("gpt-3-2.7b", "GPT-3 2.7B", shape(LONG, 32, 2560, (32, 32), 10_240), 2_651_553_280, 2048),
    GPT_3.model("gpt-3-6.7b", "GPT-3 6.7B", shape(LONG, 32, 4096, (32, 32), 16_384), 6_658_404_352, 2048),
    GPT_3.model("gpt-3-13b", "GPT-3 13B", shape(LONG, 40, 5120, (40, 40), 20_480), 12_853_386_240, 2048),
    GPT_3.model("gpt-3-175b", "GPT-3 175B", shape(LONG, 96, 12_288, (96, 96), 49_152), 174_604_259_328, 2048),
];
