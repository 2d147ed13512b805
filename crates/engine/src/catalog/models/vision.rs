//! Models with their encoders of images: Gemma 3, Qwen2.5-VL and Llama 3.2 Vision.

use super::{LLAMA_STYLE, Series, gemma, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, ExtraParams, Tower};

const GEMMA_3: Series = Series {
    family: "With images",
    source: "google/gemma-3-*-it config.json as in AI-Hypercomputer/maxtext, checkpoint_conversion/utils/hf_model_configs.py; with the encoder",
};
const QWEN: Series = Series {
    family: "With images",
    source: "Qwen/Qwen2.5-VL-7B-Instruct config.json; with the encoder (arXiv 2502.13923)",
};
const LLAMA: Series = Series {
    family: "With images",
    source: "meta-llama/Llama-3.2-11B-Vision: the defaults of transformers' MllamaConfig; with the encoder",
};

/// SigLIP So400m: 896 pixels, 256 tokens an image; a norm and a matrix lead into a language model of this width.
const fn siglip(hidden: u64) -> Tower {
    const WIDTH: u32 = 1152;
    Tower {
        layers: 27,
        hidden_size: WIDTH,
        heads: 16,
        mlp_width: 4304,
        patch_size: 14,
        image_size: 896,
        merge: 4,
        fixed_tokens: 256,
        params: 416_866_032,
        projector_params: WIDTH as u64 * (hidden + 1),
        ..Tower::NONE
    }
}

const fn gemma_3(layers: u32, hidden: u32, heads: (u32, u32), head_dim: u32, intermediate: u32) -> Architecture {
    let text = shape(gemma::THIRD, layers, hidden, heads, intermediate);
    Architecture { head_dim, tower: siglip(hidden as u64), ..text }
}

/// Every eighth layer sees the whole image, the others windows of 8 x 8 patches.
const QWEN_TOWER: Tower = Tower {
    layers: 32,
    hidden_size: 1280,
    heads: 16,
    mlp_width: 3420,
    gated: true,
    window: 8,
    global_every: 8,
    params: 631_975_680,
    projector_params: 44_574_464,
    ..Tower::NONE
};
const QWEN_2_5_VL: Architecture = Architecture {
    vocab_size: 152_064,
    attention_bias: AttentionBias::Qkv,
    tower: QWEN_TOWER,
    ..shape(LLAMA_STYLE, 28, 3584, (28, 4), 18_944)
};

/// 32 layers and 8 global ones; eight layers of the language model look the image up.
const LLAMA_TOWER: Tower = Tower {
    layers: 40,
    hidden_size: 1280,
    mlp_width: 5120,
    merge: 1,
    in_sequence: false,
    params: 836_288_019,
    projector_params: 31_461_376,
    ..Tower::NONE
};
const LLAMA_3_2: Architecture = Architecture {
    vocab_size: 128_256,
    // Two gates, and norms of queries and keys, in each layer that looks up; eight more rows of the embedding.
    extra: ExtraParams { layers: 8 * (2 + 2 * 128), outside: 8 * 4096 },
    tower: LLAMA_TOWER,
    ..shape(LLAMA_STYLE, 40, 4096, (32, 8), 14_336)
};

/// Models that read images.
pub const MODELS: &[ModelEntry] = &[
    GEMMA_3.model(
        "gemma-3-4b-vision",
        "Gemma 3 4B with its encoder",
        gemma_3(34, 2560, (8, 4), 256, 10_240),
        4_300_079_472,
        131_072,
    ),
    GEMMA_3.model(
        "gemma-3-12b-vision",
        "Gemma 3 12B with its encoder",
        gemma_3(48, 3840, (16, 8), 256, 15_360),
        12_187_325_040,
        131_072,
    ),
    GEMMA_3.model(
        "gemma-3-27b-vision",
        "Gemma 3 27B with its encoder",
        gemma_3(62, 5376, (32, 16), 128, 21_504),
        27_432_406_640,
        131_072,
    ),
    QWEN.model("qwen-2.5-vl-7b", "Qwen2.5-VL 7B", QWEN_2_5_VL, 8_292_166_656, 128_000),
    LLAMA.model("llama-3.2-11b-vision", "Llama 3.2 11B Vision", LLAMA_3_2, 10_642_941_475, 131_072),
];
