//! The anchors of the model-size slider's ladder, as catalog entries.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::Architecture;

const LADDER: Series = Series {
    family: "Ladder",
    source: "FSDP bounds after Wang et al. 2025 (arXiv 2504.03655): layers and widths; the rest as GPT-3",
};

/// Heads of 128, F = 4 H, biases, a tied embedding of 50,257 (arXiv 2005.14165); positions without
/// parameters.
const STYLE: Architecture = Architecture { vocab_size: 50_257, ..GPT_STYLE };
/// Width of one head.
const HEAD_DIM: u32 = 128;
/// Width of the MLP over H.
const MLP_RATIO: u32 = 4;
/// Longest sequence that the page offers: positions without parameters set no limit.
const UNBOUNDED: u32 = 1_048_576;

const fn anchor(layers: u32, hidden: u32) -> Architecture {
    let heads = hidden / HEAD_DIM;
    shape(STYLE, layers, hidden, (heads, heads), MLP_RATIO * hidden)
}

pub(super) const SMALLEST: ModelEntry =
    LADDER.model("ladder-1.3b", "GPT-style 1.3B", anchor(24, 2048), 1_311_528_960, UNBOUNDED);

/// The anchors, smallest first.
pub const MODELS: &[ModelEntry] = &[
    SMALLEST,
    LADDER.model("ladder-7b", "GPT-style 7B", anchor(32, 4096), 6_650_015_744, UNBOUNDED),
    LADDER.model("ladder-13b", "GPT-style 13B", anchor(40, 5120), 12_842_900_480, UNBOUNDED),
    LADDER.model("ladder-30b", "GPT-style 30B", anchor(60, 6656), 32_237_397_504, UNBOUNDED),
    LADDER.model("ladder-65b", "GPT-style 65B", anchor(80, 8192), 64_844_750_848, UNBOUNDED),
    LADDER.model("ladder-175b", "GPT-style 175B", anchor(96, 12_288), 174_579_093_504, UNBOUNDED),
    LADDER.model("ladder-310b", "GPT-style 310B", anchor(96, 16_384), 310_081_536_000, UNBOUNDED),
];
