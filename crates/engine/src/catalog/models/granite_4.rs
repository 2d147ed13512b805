//! Granite 4.0: Mamba-2 with attention in every tenth layer, dense or with experts in all of them.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, Experts};

const GRANITE_4: Series = Series {
    family: "Granite 4",
    source: "ibm-granite/granite-4.0-h-*: the model card's table of architectures; layers and state as in its config.json",
};

/// Layers of one kind of MLP: the sixth of ten has attention.
const fn layers(mlp: Mlp) -> Pattern {
    let mut pattern = Pattern::NONE;
    let mut index = 0;
    while index < 10 {
        let mixer = if index == 5 { Mixer::Attention } else { Mixer::Recurrent };
        pattern = pattern.then(LayerKind { mixer, mlp });
        index += 1;
    }
    pattern
}

/// Mamba-2 with this many heads of 64 channels, whose keys are one group.
const fn hybrid(shape: Architecture, mamba_heads: u32, mlp: Mlp) -> Architecture {
    Architecture {
        vocab_size: 100_352,
        tie_word_embeddings: true,
        recurrent: Recurrent {
            kind: RecurrentKind::Mamba2,
            heads: mamba_heads,
            head_dim: 64,
            key_heads: 1,
            key_dim: 128,
            conv_kernel: 4,
            chunk: 256,
            conv_bias: true,
            ..Recurrent::NONE
        },
        pattern: layers(mlp),
        ..shape
    }
}

const fn mixture(hidden: u32, heads: (u32, u32), mamba_heads: u32, experts: Experts, shared: u32) -> Architecture {
    let experts = Experts { shared_intermediate_size: shared, ..experts };
    let dense = shape(LLAMA_STYLE, 40, hidden, heads, experts.moe_intermediate_size);
    hybrid(sparse(dense, experts), mamba_heads, Mlp::Experts)
}

/// Granite 4.0 H: Micro, Tiny and Small.
pub const MODELS: &[ModelEntry] = &[
    GRANITE_4.model(
        "granite-4-h-micro",
        "Granite 4.0 H Micro 3B",
        hybrid(shape(LLAMA_STYLE, 40, 2048, (32, 8), 8192), 64, Mlp::Dense),
        3_191_396_096,
        131_072,
    ),
    GRANITE_4.model(
        "granite-4-h-tiny",
        "Granite 4.0 H Tiny 7B-A1B",
        mixture(1536, (12, 4), 48, routed(64, 6, 512), 1024),
        6_939_037_248,
        131_072,
    ),
    GRANITE_4.model(
        "granite-4-h-small",
        "Granite 4.0 H Small 32B-A9B",
        mixture(4096, (32, 8), 128, routed(72, 10, 768), 1536),
        32_207_337_984,
        131_072,
    ),
];
