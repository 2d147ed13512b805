//! Gemma 4's text models: heads of 512 channels in the layers that see the whole sequence, with one projection for keys and values.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, Experts, ExtraParams, QkNorm};

const GEMMA_4: Series = Series {
    family: "Gemma",
    source: "google/gemma-4-* in AI-Hypercomputer/maxtext, configs/models/gemma4-*.yml and checkpoint_conversion/utils/hf_model_configs.py; the text model without towers",
};

/// Heads of 256 channels, as most layers have them; `extra` counts what the others have more or less.
const STYLE: Architecture = Architecture {
    vocab_size: 262_144,
    norms_per_layer: 4,
    qk_norm: QkNorm::PerHead,
    tie_word_embeddings: true,
    logit_softcap: true,
    sliding_window: 1024,
    global_every: 6,
    ..LLAMA_STYLE
};

/// A model whose layers hold so many parameters more.
const fn with(shape: Architecture, layers: i64) -> Architecture {
    Architecture { head_dim: 256, extra: ExtraParams { layers, outside: 0 }, ..shape }
}

/// The MLP that every token passes beside its experts.
const BESIDE: Experts = Experts { shared_intermediate_size: 2112, ..routed(128, 8, 704) };

/// The small models, of which this many layers are one period, the last of it over the whole sequence: `layers` counts heads of 512
/// channels, keys and values that later layers share, wider MLPs there and each layer's gate and projection; `outside` the embedding of
/// each layer's own inputs.
const fn small(shape: Architecture, period: u32, layers: i64, outside: i64) -> Architecture {
    Architecture {
        head_dim: 256,
        sliding_window: 512,
        global_every: period,
        extra: ExtraParams { layers, outside },
        ..shape
    }
}

/// Gemma 4's text models.
pub const MODELS: &[ModelEntry] = &[
    GEMMA_4.model(
        "gemma-4-e2b",
        "Gemma 4 E2B",
        small(shape(STYLE, 35, 1536, (8, 1), 6144), 5, 624_478_208, 2_362_573_056),
        4_628_569_344,
        131_072,
    ),
    GEMMA_4.model(
        "gemma-4-e4b",
        "Gemma 4 E4B",
        small(shape(STYLE, 42, 2560, (8, 2), 10_240), 6, 91_856_128, 2_846_097_664),
        7_463_013_376,
        131_072,
    ),
    GEMMA_4.model(
        "gemma-4-26b-a4b",
        "Gemma 4 26B-A4B",
        with(sparse(shape(STYLE, 30, 2816, (16, 8), 2112), BESIDE), 72_433_920),
        25_233_141_760,
        262_144,
    ),
    GEMMA_4.model(
        "gemma-4-31b",
        "Gemma 4 31B",
        with(shape(STYLE, 60, 5376, (32, 16), 21_504), 550_507_520),
        30_697_345_280,
        262_144,
    ),
];
