//! Jamba: Mamba, attention and experts.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, ExtraParams};

const JAMBA: Series = Series {
    family: "Jamba",
    source: "ai21labs/Jamba-v0.1: the defaults of transformers' JambaConfig (arXiv 2403.19887)",
};

/// One layer of eight is attention, every second one has experts.
const LAYERS: Pattern = {
    let mut pattern = Pattern::NONE;
    let mut index = 0;
    while index < 8 {
        let mixer = if index == 4 { Mixer::Attention } else { Mixer::Recurrent };
        let mlp = if index % 2 == 1 { Mlp::Experts } else { Mlp::Dense };
        pattern = pattern.then(LayerKind { mixer, mlp });
        index += 1;
    }
    pattern
};

const FIRST: Architecture = Architecture {
    vocab_size: 65_536,
    recurrent: Recurrent {
        kind: RecurrentKind::Mamba,
        heads: 1,
        head_dim: 8192,
        key_heads: 1,
        key_dim: 16,
        conv_kernel: 4,
        rank: 256,
        conv_bias: true,
        ..Recurrent::NONE
    },
    pattern: LAYERS,
    // Norms of the step's, the input's and the output's projection in 28 layers: 256 + 2 x 16 channels.
    extra: ExtraParams { layers: 28 * (256 + 2 * 16), outside: 0 },
    ..sparse(shape(LLAMA_STYLE, 32, 4096, (32, 8), 14_336), routed(16, 2, 14_336))
};

/// Jamba.
pub const MODELS: &[ModelEntry] = &[JAMBA.model("jamba-52b", "Jamba v0.1 52B-A12B", FIRST, 51_570_323_328, 262_144)];
