//! Mistral's models, and its mixtures of experts.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::Architecture;

const MISTRAL: Series = Series { family: "Mistral", source: "mistralai/* config.json" };

const V1: Architecture = Architecture { vocab_size: 32_000, ..LLAMA_STYLE };
/// Every layer of the first release attends within 4,096 tokens (arXiv 2310.06825, Table 1).
const SLIDING: Architecture = Architecture { sliding_window: 4096, ..V1 };
const V3: Architecture = Architecture { vocab_size: 32_768, ..LLAMA_STYLE };
const TEKKEN: Architecture = Architecture { vocab_size: 131_072, ..LLAMA_STYLE };
/// Three of four layers of Ministral attend within 32,768 tokens (transformers' documentation of it).
const MINISTRAL: Architecture = Architecture { sliding_window: 32_768, global_every: 4, ..TEKKEN };

/// Mistral's models.
pub const MODELS: &[ModelEntry] = &[
    MISTRAL.model("mistral-7b", "Mistral 7B v0.1", shape(SLIDING, 32, 4096, (32, 8), 14_336), 7_241_732_096, 32_768),
    MISTRAL.model("mistral-7b-v0.2", "Mistral 7B v0.2", shape(V1, 32, 4096, (32, 8), 14_336), 7_241_732_096, 32_768),
    MISTRAL.model("mistral-7b-v0.3", "Mistral 7B v0.3", shape(V3, 32, 4096, (32, 8), 14_336), 7_248_023_552, 32_768),
    MISTRAL.model("ministral-8b", "Ministral 8B", shape(MINISTRAL, 36, 4096, (32, 8), 12_288), 8_019_808_256, 131_072),
    MISTRAL.model(
        "mistral-nemo-12b",
        "Mistral Nemo 12B",
        Architecture { head_dim: 128, ..shape(TEKKEN, 40, 5120, (32, 8), 14_336) },
        12_247_782_400,
        131_072,
    ),
    MISTRAL.model("codestral-22b", "Codestral 22B", shape(V3, 56, 6144, (48, 8), 16_384), 22_247_282_688, 32_768),
    MISTRAL.model(
        "mistral-small-24b",
        "Mistral Small 3 24B",
        Architecture { head_dim: 128, ..shape(TEKKEN, 40, 5120, (32, 8), 32_768) },
        23_572_403_200,
        32_768,
    ),
    MISTRAL.model(
        "mistral-large-2",
        "Mistral Large 2 123B",
        shape(V3, 88, 12_288, (96, 8), 28_672),
        122_610_069_504,
        131_072,
    ),
    MISTRAL.model(
        "mixtral-8x7b",
        "Mixtral 8x7B",
        sparse(shape(V1, 32, 4096, (32, 8), 14_336), routed(8, 2, 14_336)),
        46_702_792_704,
        32_768,
    ),
    MISTRAL.model(
        "mixtral-8x22b",
        "Mixtral 8x22B",
        sparse(shape(V1, 56, 6144, (48, 8), 16_384), routed(8, 2, 16_384)),
        140_620_634_112,
        65_536,
    ),
];
