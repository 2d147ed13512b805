//! OPT, except for the 350M, whose embedding is narrower than its layers.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::Architecture;

const OPT: Series = Series { family: "OPT", source: "OPT (arXiv 2205.01068, Table 1), facebook/opt-* config.json" };

/// OPT has two unused entries before its 2,048 positions.
const STYLE: Architecture = Architecture { vocab_size: 50_272, learned_positions: 2050, ..GPT_STYLE };

/// OPT.
pub const MODELS: &[ModelEntry] = &[
    OPT.model("opt-125m", "OPT 125M", shape(STYLE, 12, 768, (12, 12), 3072), 125_239_296, 2048),
    OPT.model("opt-1.3b", "OPT 1.3B", shape(STYLE, 24, 2048, (32, 32), 8192), 1_315_758_080, 2048),
    OPT.model("opt-2.7b", "OPT 2.7B", shape(STYLE, 32, 2560, (32, 32), 10_240), 2_651_596_800, 2048),
    OPT.model("opt-6.7b", "OPT 6.7B", shape(STYLE, 32, 4096, (32, 32), 16_384), 6_658_473_984, 2048),
    OPT.model("opt-13b", "OPT 13B", shape(STYLE, 40, 5120, (40, 40), 20_480), 12_853_473_280, 2048),
    OPT.model("opt-30b", "OPT 30B", shape(STYLE, 48, 7168, (56, 56), 28_672), 29_974_540_288, 2048),
    OPT.model("opt-66b", "OPT 66B", shape(STYLE, 64, 9216, (72, 72), 36_864), 65_719_701_504, 2048),
    OPT.model("opt-175b", "OPT 175B", shape(STYLE, 96, 12_288, (96, 96), 49_152), 174_604_468_224, 2048),
];
