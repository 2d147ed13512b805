//! Falcon-H1: attention and Mamba-2 side by side in every layer.

use super::{LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, ExtraParams};

const SMALLEST: Series = Series {
    family: "Falcon",
    source: "tiiuae/Falcon-H1-0.5B config.json in NVIDIA-NeMo/Megatron-Bridge 067f987d, unit tests of models/falcon_h1",
};
const FALCON_H1: Series = Series {
    family: "Falcon",
    source: "tiiuae/Falcon-H1-* config.json; depth, width and heads as in transformers' model_doc/falcon_h1.md (arXiv 2507.22448)",
};

const EVERY: Pattern = Pattern::NONE.then(LayerKind { mixer: Mixer::Both, mlp: Mlp::Dense });

/// Heads of attention have `head_dim` channels; the state is of Mamba-2 with one group of keys, whose gated norm these models leave out.
const fn hybrid(shape: Architecture, head_dim: u32, vocab_size: u32, mamba: (u32, u32, u32)) -> Architecture {
    let (heads, channels, state) = mamba;
    let norm = shape.num_hidden_layers as i64 * (heads * channels) as i64;
    Architecture {
        head_dim,
        vocab_size,
        recurrent: Recurrent {
            kind: RecurrentKind::Mamba2,
            heads,
            head_dim: channels,
            key_heads: 1,
            key_dim: state,
            conv_kernel: 4,
            chunk: 128,
            conv_bias: true,
            ..Recurrent::NONE
        },
        pattern: EVERY,
        extra: ExtraParams { layers: -norm, outside: 0 },
        ..shape
    }
}

/// Falcon-H1.
pub const MODELS: &[ModelEntry] = &[
    SMALLEST.model(
        "falcon-h1-0.5b",
        "Falcon-H1 0.5B",
        hybrid(shape(LLAMA_STYLE, 36, 1024, (8, 2), 2048), 64, 32_784, (24, 64, 128)),
        521_411_104,
        16_384,
    ),
    FALCON_H1.model(
        "falcon-h1-1.5b",
        "Falcon-H1 1.5B",
        hybrid(shape(LLAMA_STYLE, 24, 2048, (8, 2), 4608), 128, 65_537, (48, 64, 256)),
        1_554_789_760,
        131_072,
    ),
    FALCON_H1.model(
        "falcon-h1-3b",
        "Falcon-H1 3B",
        hybrid(shape(LLAMA_STYLE, 32, 2560, (10, 2), 6144), 128, 65_536, (32, 128, 256)),
        3_149_256_192,
        131_072,
    ),
    FALCON_H1.model(
        "falcon-h1-7b",
        "Falcon-H1 7B",
        hybrid(shape(LLAMA_STYLE, 44, 3072, (12, 2), 12_288), 128, 130_048, (24, 128, 256)),
        7_585_513_568,
        262_144,
    ),
];
