//! Llama and the models of exactly its shape.

use super::{LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::Architecture;

const ONE: Series = Series { family: "Llama", source: "LLaMA (arXiv 2302.13971, Table 2)" };
const TWO: Series = Series { family: "Llama", source: "meta-llama/Llama-2-*-hf config.json" };
const THREE: Series =
    Series { family: "Llama", source: "Llama 3 (arXiv 2407.21783, Table 3), torchtitan models/llama3" };
const THREE_2: Series = Series { family: "Llama", source: "meta-llama/Llama-3.2-* config.json" };
const THREE_3: Series = Series { family: "Llama", source: "meta-llama/Llama-3.3-70B-Instruct config.json" };
const CODE: Series = Series { family: "Llama", source: "codellama/CodeLlama-34b-hf config.json" };

const VOCABULARY_1: Architecture = Architecture { vocab_size: 32_000, ..LLAMA_STYLE };
const VOCABULARY_3: Architecture = Architecture { vocab_size: 128_256, ..LLAMA_STYLE };
/// The small Llama 3.2 share the embedding with the head.
const TIED_3: Architecture = Architecture { tie_word_embeddings: true, ..VOCABULARY_3 };

/// Llama and the models of exactly its shape.
pub const MODELS: &[ModelEntry] = &[
    TWO.model("llama-2-7b", "Llama 2 7B", shape(VOCABULARY_1, 32, 4096, (32, 32), 11_008), 6_738_415_616, 4096),
    TWO.model("llama-2-13b", "Llama 2 13B", shape(VOCABULARY_1, 40, 5120, (40, 40), 13_824), 13_015_864_320, 4096),
    TWO.model("llama-2-70b", "Llama 2 70B", shape(VOCABULARY_1, 80, 8192, (64, 8), 28_672), 68_976_648_192, 4096),
    THREE.model("llama-3-8b", "Llama 3 8B", shape(VOCABULARY_3, 32, 4096, (32, 8), 14_336), 8_030_261_248, 8192),
    THREE.model("llama-3-70b", "Llama 3 70B", shape(VOCABULARY_3, 80, 8192, (64, 8), 28_672), 70_553_706_496, 8192),
    THREE.model("llama-3.1-8b", "Llama 3.1 8B", shape(VOCABULARY_3, 32, 4096, (32, 8), 14_336), 8_030_261_248, 131_072),
    THREE.model(
        "llama-3.1-70b",
        "Llama 3.1 70B",
        shape(VOCABULARY_3, 80, 8192, (64, 8), 28_672),
        70_553_706_496,
        131_072,
    ),
    THREE.model(
        "llama-3.1-405b",
        "Llama 3.1 405B",
        shape(VOCABULARY_3, 126, 16_384, (128, 8), 53_248),
        405_853_388_800,
        131_072,
    ),
    THREE_3.model(
        "llama-3.3-70b",
        "Llama 3.3 70B",
        shape(VOCABULARY_3, 80, 8192, (64, 8), 28_672),
        70_553_706_496,
        131_072,
    ),
    THREE_2.model("llama-3.2-1b", "Llama 3.2 1B", shape(TIED_3, 16, 2048, (32, 8), 8192), 1_235_814_400, 131_072),
    THREE_2.model("llama-3.2-3b", "Llama 3.2 3B", shape(TIED_3, 28, 3072, (24, 8), 8192), 3_212_749_824, 131_072),
    CODE.model(
        "code-llama-34b",
        "Code Llama 34B",
        shape(VOCABULARY_1, 48, 8192, (64, 8), 22_016),
        33_743_970_304,
        16_384,
    ),
    ONE.model("llama-1-7b", "LLaMA 7B", shape(VOCABULARY_1, 32, 4096, (32, 32), 11_008), 6_738_415_616, 2048),
    ONE.model("llama-1-13b", "LLaMA 13B", shape(VOCABULARY_1, 40, 5120, (40, 40), 13_824), 13_015_864_320, 2048),
    ONE.model("llama-1-33b", "LLaMA 33B", shape(VOCABULARY_1, 60, 6656, (52, 52), 17_920), 32_528_943_616, 2048),
    ONE.model("llama-1-65b", "LLaMA 65B", shape(VOCABULARY_1, 80, 8192, (64, 64), 22_016), 65_285_660_672, 2048),
];
