//! Qwen's dense models.

use super::{LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, FusedProjections, QkNorm};

const QWEN_1: Series = Series {
    family: "Qwen",
    source: "Qwen/Qwen-* config.json, whose MLP width is two matrices', and QwenLM/Qwen README, which has the lengths",
};
const QWEN_2: Series = Series { family: "Qwen", source: "Qwen/Qwen2*-* config.json" };
const QWEN_3: Series = Series { family: "Qwen", source: "Qwen/Qwen3-* config.json, torchtitan models/qwen3" };

/// Qwen 2 has biases on query, key and value.
pub(super) const BIASED: Architecture =
    Architecture { vocab_size: 152_064, attention_bias: AttentionBias::Qkv, ..LLAMA_STYLE };
const BIASED_TIED: Architecture = Architecture { vocab_size: 151_936, tie_word_embeddings: true, ..BIASED };
/// The first Qwen has them too, in one matrix, and as many key and value heads as queries.
const FIRST: Architecture =
    Architecture { vocab_size: 151_936, fused_projections: FusedProjections::Attention, ..BIASED };
/// Qwen 3 normalises queries and keys per head.
pub(super) const NORMED: Architecture = Architecture { vocab_size: 151_936, qk_norm: QkNorm::PerHead, ..LLAMA_STYLE };
const NORMED_TIED: Architecture = Architecture { tie_word_embeddings: true, ..NORMED };

/// Qwen's dense models.
pub const MODELS: &[ModelEntry] = &[
    QWEN_1.model("qwen-1-1.8b", "Qwen 1.8B", shape(FIRST, 24, 2048, (16, 16), 5504), 1_836_828_672, 32_768),
    QWEN_1.model("qwen-1-7b", "Qwen 7B", shape(FIRST, 32, 4096, (32, 32), 11_008), 7_721_324_544, 32_768),
    QWEN_1.model("qwen-1-14b", "Qwen 14B", shape(BIASED, 40, 5120, (40, 40), 13_696), 14_167_290_880, 8192),
    QWEN_1.model("qwen-1-72b", "Qwen 72B", shape(BIASED, 80, 8192, (64, 64), 24_576), 72_287_920_128, 32_768),
    QWEN_2.model("qwen-2-1.5b", "Qwen2 1.5B", shape(BIASED_TIED, 28, 1536, (12, 2), 8960), 1_543_714_304, 131_072),
    QWEN_2.model("qwen-2-7b", "Qwen2 7B", shape(BIASED, 28, 3584, (28, 4), 18_944), 7_615_616_512, 131_072),
    QWEN_2.model("qwen-2-72b", "Qwen2 72B", shape(BIASED, 80, 8192, (64, 8), 29_568), 72_706_203_648, 131_072),
    QWEN_2.model("qwen-2.5-0.5b", "Qwen2.5 0.5B", shape(BIASED_TIED, 24, 896, (14, 2), 4864), 494_032_768, 32_768),
    QWEN_2.model("qwen-2.5-1.5b", "Qwen2.5 1.5B", shape(BIASED_TIED, 28, 1536, (12, 2), 8960), 1_543_714_304, 32_768),
    QWEN_2.model("qwen-2.5-3b", "Qwen2.5 3B", shape(BIASED_TIED, 36, 2048, (16, 2), 11_008), 3_085_938_688, 32_768),
    QWEN_2.model("qwen-2.5-7b", "Qwen2.5 7B", shape(BIASED, 28, 3584, (28, 4), 18_944), 7_615_616_512, 131_072),
    QWEN_2.model("qwen-2.5-14b", "Qwen2.5 14B", shape(BIASED, 48, 5120, (40, 8), 13_824), 14_770_033_664, 131_072),
    QWEN_2.model("qwen-2.5-32b", "Qwen2.5 32B", shape(BIASED, 64, 5120, (40, 8), 27_648), 32_763_876_352, 131_072),
    QWEN_2.model("qwen-2.5-72b", "Qwen2.5 72B", shape(BIASED, 80, 8192, (64, 8), 29_568), 72_706_203_648, 131_072),
    QWEN_3.model(
        "qwen-3-0.6b",
        "Qwen3 0.6B",
        Architecture { head_dim: 128, ..shape(NORMED_TIED, 28, 1024, (16, 8), 3072) },
        596_049_920,
        40_960,
    ),
    QWEN_3.model("qwen-3-1.7b", "Qwen3 1.7B", shape(NORMED_TIED, 28, 2048, (16, 8), 6144), 1_720_574_976, 40_960),
    QWEN_3.model(
        "qwen-3-4b",
        "Qwen3 4B",
        Architecture { head_dim: 128, ..shape(NORMED_TIED, 36, 2560, (32, 8), 9728) },
        4_022_468_096,
        40_960,
    ),
    QWEN_3.model("qwen-3-8b", "Qwen3 8B", shape(NORMED, 36, 4096, (32, 8), 12_288), 8_190_735_360, 40_960),
    QWEN_3.model("qwen-3-14b", "Qwen3 14B", shape(NORMED, 40, 5120, (40, 8), 17_408), 14_768_307_200, 40_960),
    QWEN_3.model(
        "qwen-3-32b",
        "Qwen3 32B",
        Architecture { head_dim: 128, ..shape(NORMED, 64, 5120, (64, 8), 25_600) },
        32_762_123_264,
        40_960,
    ),
];
