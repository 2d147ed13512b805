//! Gemma's dense text models.

use super::{LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::Architecture;

const GEMMA_1: Series = Series {
    family: "Gemma",
    source: "Gemma (arXiv 2403.08295, Table 1) and google/gemma-* config.json; Hugging Face transformers \
             modeling_gemma",
};
const GEMMA_2: Series = Series {
    family: "Gemma",
    source: "Gemma 2 (arXiv 2408.00118, Table 1) and google/gemma-2-* config.json; Hugging Face transformers \
             modeling_gemma2. Every other layer attends within 4,096 tokens, which FLOPs here do not know",
};

/// Gemma shares its large embedding with the head; its heads are wider than H over their number.
const FIRST: Architecture = Architecture { vocab_size: 256_000, tie_word_embeddings: true, ..LLAMA_STYLE };
/// Gemma 2 has norms after the blocks too.
const SECOND: Architecture = Architecture { norms_per_layer: 4, ..FIRST };

/// Gemma's dense text models.
pub const MODELS: &[ModelEntry] = &[
    GEMMA_1.model("gemma-2b", "Gemma 2B", shape(FIRST, 18, 2048, (8, 1), 16_384), 2_506_172_416, 8192),
    GEMMA_1.model(
        "gemma-7b",
        "Gemma 7B",
        Architecture { head_dim: 256, ..shape(FIRST, 28, 3072, (16, 16), 24_576) },
        8_537_680_896,
        8192,
    ),
    GEMMA_2.model(
        "gemma-2-2b",
        "Gemma 2 2B",
        Architecture { head_dim: 256, ..shape(SECOND, 26, 2304, (8, 4), 9216) },
        2_614_341_888,
        8192,
    ),
    GEMMA_2.model(
        "gemma-2-9b",
        "Gemma 2 9B",
        Architecture { head_dim: 256, ..shape(SECOND, 42, 3584, (16, 8), 14_336) },
        9_241_705_984,
        8192,
    ),
    GEMMA_2.model(
        "gemma-2-27b",
        "Gemma 2 27B",
        Architecture { head_dim: 128, ..shape(SECOND, 46, 4608, (32, 16), 36_864) },
        27_227_128_320,
        8192,
    ),
];
