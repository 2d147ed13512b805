//! Megatron-LM's models: the weak-scaling series, whose counts equal the paper's to every printed
//! digit, and others.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, FusedProjections};

const MEGATRON: Series = Series { family: "Megatron-LM", source: "Narayanan et al. 2021 (arXiv 2104.04473, Table 1)" };
/// Other models of the paper: figures 11 to 17 and Table 2.
const FIGURES: Series = Series { family: "Megatron-LM", source: "Narayanan et al. 2021 (arXiv 2104.04473), section 5" };
const SELECTIVE: Series =
    Series { family: "Megatron-LM", source: "Korthikanti et al. 2022 (arXiv 2205.05198, Table 3)" };

const STYLE: Architecture = Architecture {
    vocab_size: 51_200,
    learned_positions: 2048,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};

/// Megatron-LM's weak-scaling series.
pub const MODELS: &[ModelEntry] = &[
    MEGATRON.model("megatron-1.7b", "Megatron-LM 1.7B", shape(STYLE, 24, 2304, (24, 24), 9216), 1_652_230_656, 2048),
    MEGATRON.model("megatron-3.6b", "Megatron-LM 3.6B", shape(STYLE, 30, 3072, (32, 32), 12_288), 3_562_168_320, 2048),
    MEGATRON.model("megatron-7.5b", "Megatron-LM 7.5B", shape(STYLE, 36, 4096, (32, 32), 16_384), 7_467_786_240, 2048),
    MEGATRON.model(
        "megatron-18.4b",
        "Megatron-LM 18.4B",
        shape(STYLE, 40, 6144, (48, 48), 24_576),
        18_449_756_160,
        2048,
    ),
    MEGATRON.model(
        "megatron-39.1b",
        "Megatron-LM 39.1B",
        shape(STYLE, 48, 8192, (64, 64), 32_768),
        39_096_041_472,
        2048,
    ),
    MEGATRON.model(
        "megatron-76.1b",
        "Megatron-LM 76.1B",
        shape(STYLE, 60, 10_240, (80, 80), 40_960),
        76_050_739_200,
        2048,
    ),
    MEGATRON.model(
        "megatron-145.6b",
        "Megatron-LM 145.6B",
        shape(STYLE, 80, 12_288, (96, 96), 49_152),
        145_622_261_760,
        2048,
    ),
    MEGATRON.model(
        "megatron-310.1b",
        "Megatron-LM 310.1B",
        shape(STYLE, 96, 16_384, (128, 128), 65_536),
        310_130_540_544,
        2048,
    ),
    MEGATRON.model(
        "megatron-529.6b",
        "Megatron-LM 529.6B",
        shape(STYLE, 105, 20_480, (128, 128), 81_920),
        529_600_819_200,
        2048,
    ),
    MEGATRON.model(
        "megatron-1008b",
        "Megatron-LM 1008B",
        shape(STYLE, 128, 25_600, (160, 160), 102_400),
        1_008_038_758_400,
        2048,
    ),
    FIGURES.model("megatron-5.9b", "Megatron-LM 5.9B", shape(STYLE, 32, 3840, (32, 32), 15_360), 5_868_387_840, 2048),
    FIGURES.model(
        "megatron-162.2b",
        "Megatron-LM 162.2B",
        shape(STYLE, 32, 20_480, (128, 128), 81_920),
        162_160_353_280,
        2048,
    ),
    FIGURES.model(
        "megatron-174.6b",
        "Megatron-LM 174.6B",
        shape(STYLE, 96, 12_288, (96, 96), 49_152),
        174_615_846_912,
        2048,
    ),
    FIGURES.model(
        "megatron-290.8b",
        "Megatron-LM 290.8B",
        shape(STYLE, 90, 16_384, (128, 128), 65_536),
        290_801_909_760,
        2048,
    ),
    SELECTIVE.model(
        "megatron-22.1b",
        "Megatron-LM 22B",
        shape(STYLE, 48, 6144, (64, 64), 24_576),
        22_074_273_792,
        2048,
    ),
];
