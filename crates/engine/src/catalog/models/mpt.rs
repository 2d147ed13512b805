//! MPT: the released models, and the shapes of llm-foundry's benchmark tables.

use super::{GPT_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, FusedProjections, Norm};

const MPT: Series = Series { family: "MPT", source: "mosaicml/mpt-* config.json" };
const BENCH: Series =
    Series { family: "MPT benchmarks", source: "llm-foundry's benchmark tables, which print the counts" };

/// The released models have ALiBi positions and no biases, not even in norms.
const RELEASED: Architecture = Architecture {
    vocab_size: 50_432,
    norm: Norm::LayerNoBias,
    attention_bias: AttentionBias::None,
    mlp_bias: false,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};
/// The benchmark models have learned positions and biases.
const BENCHMARK: Architecture = Architecture {
    vocab_size: 50_368,
    learned_positions: 2048,
    fused_projections: FusedProjections::Attention,
    ..GPT_STYLE
};

/// MPT.
pub const MODELS: &[ModelEntry] = &[
    MPT.model("mpt-7b", "MPT 7B", shape(RELEASED, 32, 4096, (32, 32), 16_384), 6_649_286_656, 2048),
    MPT.model("mpt-30b", "MPT 30B", shape(RELEASED, 48, 7168, (64, 64), 28_672), 29_957_200_896, 8192),
    BENCH.model("mpt-bench-125m", "MPT 125M (benchmark)", shape(BENCHMARK, 12, 768, (12, 12), 3072), 125_311_488, 2048),
    BENCH.model(
        "mpt-bench-350m",
        "MPT 350M (benchmark)",
        shape(BENCHMARK, 24, 1024, (16, 16), 4096),
        355_985_408,
        2048,
    ),
    BENCH.model(
        "mpt-bench-760m",
        "MPT 760M (benchmark)",
        shape(BENCHMARK, 24, 1536, (12, 12), 6144),
        760_470_528,
        2048,
    ),
    BENCH.model("mpt-bench-1b", "MPT 1B (benchmark)", shape(BENCHMARK, 24, 2048, (16, 16), 8192), 1_315_950_592, 2048),
    BENCH.model(
        "mpt-bench-3b",
        "MPT 3B (benchmark)",
        shape(BENCHMARK, 32, 2560, (20, 20), 10_240),
        2_651_837_440,
        2048,
    ),
    BENCH.model(
        "mpt-bench-7b",
        "MPT 7B (benchmark)",
        shape(BENCHMARK, 32, 4096, (32, 32), 16_384),
        6_658_859_008,
        2048,
    ),
    BENCH.model(
        "mpt-bench-13b",
        "MPT 13B (benchmark)",
        shape(BENCHMARK, 40, 5120, (40, 40), 20_480),
        12_853_954_560,
        2048,
    ),
    BENCH.model(
        "mpt-bench-30b",
        "MPT 30B (benchmark)",
        shape(BENCHMARK, 48, 7168, (56, 56), 28_672),
        29_975_214_080,
        2048,
    ),
    BENCH.model(
        "mpt-bench-70b",
        "MPT 70B (benchmark)",
        shape(BENCHMARK, 80, 8192, (64, 64), 32_768),
        64_862_437_376,
        2048,
    ),
];
