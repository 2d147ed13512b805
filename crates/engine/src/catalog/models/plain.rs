//! Nemotron, StarCoder2 and Apertus: a plain MLP with grouped heads.

use super::{GPT_STYLE, LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, QkNorm};

const NEMOTRON: Series = Series { family: "Nemotron", source: "NeMo llm/gpt/model/nemotron.py" };
const STARCODER: Series = Series { family: "StarCoder", source: "bigcode/starcoder2-* config.json" };
const APERTUS: Series = Series {
    family: "Apertus",
    source: "swiss-ai/Apertus-8B-2509 config.json, without the two weights of each layer's activation function",
};

/// Layer norms with biases, and no other biases.
const NEMOTRON_4: Architecture = Architecture {
    vocab_size: 256_000,
    attention_bias: AttentionBias::None,
    mlp_bias: false,
    tie_word_embeddings: false,
    ..GPT_STYLE
};
/// Every layer attends within 4,096 tokens.
const STARCODER_2: Architecture = Architecture { vocab_size: 49_152, sliding_window: 4096, ..GPT_STYLE };
const STARCODER_2_15B: Architecture = Architecture { tie_word_embeddings: false, ..STARCODER_2 };
/// Root-mean-square norms, on queries and keys per head too, and no biases.
const APERTUS_1: Architecture =
    Architecture { vocab_size: 131_072, gated_mlp: false, qk_norm: QkNorm::PerHead, ..LLAMA_STYLE };

/// Nemotron, StarCoder2 and Apertus.
pub const MODELS: &[ModelEntry] = &[
    NEMOTRON.model(
        "nemotron-3-8b",
        "Nemotron-3 8B",
        shape(NEMOTRON_4, 32, 4096, (32, 32), 16_384),
        8_540_135_424,
        4096,
    ),
    NEMOTRON.model(
        "nemotron-3-22b",
        "Nemotron-3 22B",
        shape(NEMOTRON_4, 40, 6144, (48, 48), 24_576),
        21_266_116_608,
        4096,
    ),
    NEMOTRON.model(
        "nemotron-4-15b",
        "Nemotron-4 15B",
        shape(NEMOTRON_4, 32, 6144, (48, 8), 24_576),
        15_628_775_424,
        4096,
    ),
    NEMOTRON.model(
        "nemotron-4-340b",
        "Nemotron-4 340B",
        shape(NEMOTRON_4, 96, 18_432, (96, 8), 73_728),
        341_029_195_776,
        4096,
    ),
    STARCODER.model(
        "starcoder-2-3b",
        "StarCoder2 3B",
        shape(STARCODER_2, 30, 3072, (24, 2), 12_288),
        3_030_371_328,
        16_384,
    ),
    STARCODER.model(
        "starcoder-2-7b",
        "StarCoder2 7B",
        shape(STARCODER_2, 32, 4608, (36, 4), 18_432),
        7_173_923_840,
        16_384,
    ),
    STARCODER.model(
        "starcoder-2-15b",
        "StarCoder2 15B",
        shape(STARCODER_2_15B, 40, 6144, (48, 4), 24_576),
        15_957_889_024,
        16_384,
    ),
    APERTUS.model("apertus-8b", "Apertus 8B", shape(APERTUS_1, 32, 4096, (32, 8), 21_504), 8_053_338_112, 65_536),
];
