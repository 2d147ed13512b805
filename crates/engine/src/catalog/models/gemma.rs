//! Gemma's dense text models.

use super::{LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, QkNorm};

const GEMMA_1: Series = Series { family: "Gemma", source: "google/gemma-* config.json" };
const GEMMA_2: Series = Series { family: "Gemma", source: "google/gemma-2-* config.json" };
const GEMMA_3: Series =
    Series { family: "Gemma", source: "google/gemma-3-*-pt config.json; the text model without the vision tower" };

/// Gemma shares its large embedding with the head; its heads are wider than H over their number.
const FIRST: Architecture = Architecture { vocab_size: 256_000, tie_word_embeddings: true, ..LLAMA_STYLE };
/// Gemma 2 has norms after the blocks too; every other layer attends within 4,096 tokens; its logits are capped.
const SECOND: Architecture =
    Architecture { norms_per_layer: 4, sliding_window: 4096, global_every: 2, logit_softcap: true, ..FIRST };
/// Gemma 3 normalises queries and keys; five of six layers attend within 1,024 tokens.
pub(super) const THIRD: Architecture = Architecture {
    vocab_size: 262_208,
    qk_norm: QkNorm::PerHead,
    sliding_window: 1024,
    global_every: 6,
    logit_softcap: false,
    ..SECOND
};
const THIRD_1B: Architecture = Architecture { vocab_size: 262_144, sliding_window: 512, ..THIRD };

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
    GEMMA_3.model(
        "gemma-3-1b",
        "Gemma 3 1B",
        Architecture { head_dim: 256, ..shape(THIRD_1B, 26, 1152, (4, 1), 6912) },
        999_885_952,
        32_768,
    ),
    GEMMA_3.model(
        "gemma-3-4b",
        "Gemma 3 4B",
        Architecture { head_dim: 256, ..shape(THIRD, 34, 2560, (8, 4), 10_240) },
        3_880_263_168,
        131_072,
    ),
    GEMMA_3.model(
        "gemma-3-12b",
        "Gemma 3 12B",
        Architecture { head_dim: 256, ..shape(THIRD, 48, 3840, (16, 8), 15_360) },
        11_766_034_176,
        131_072,
    ),
    GEMMA_3.model(
        "gemma-3-27b",
        "Gemma 3 27B",
        Architecture { head_dim: 128, ..shape(THIRD, 62, 5376, (32, 16), 21_504) },
        27_009_346_304,
        131_072,
    ),
];
