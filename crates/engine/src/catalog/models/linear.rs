//! Linear attention in three layers of four, or seven of eight: Kimi Linear and MiniMax-Text-01.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, Experts, LatentAttention};

const KIMI: Series = Series {
    family: "Kimi",
    source: "moonshotai/Kimi-Linear-48B-A3B-Instruct: the defaults of transformers' KimiLinearConfig, and attention in every fourth and the last layer (NVIDIA-NeMo/Automodel, models/kimi_k3/config.py)",
};
const MINIMAX: Series = Series {
    family: "MiniMax-01",
    source: "MiniMaxAI/MiniMax-Text-01 (arXiv 2501.08313; architectural details in transformers' model_doc/minimax.md; key-value heads as in its config.json)",
};

/// Kimi delta attention, and latent attention in every fourth and the last layer; the first layer has an MLP, the others experts.
const KIMI_LAYERS: Pattern = {
    let mut pattern = Pattern::NONE;
    let mut index = 0;
    while index < 27 {
        let mixer = if index % 4 == 3 || index == 26 { Mixer::Attention } else { Mixer::Recurrent };
        let mlp = if index == 0 { Mlp::Dense } else { Mlp::Experts };
        pattern = pattern.then(LayerKind { mixer, mlp });
        index += 1;
    }
    pattern
};

const KIMI_LINEAR: Architecture = Architecture {
    head_dim: 128,
    vocab_size: 163_840,
    latent: LatentAttention { q_lora_rank: 0, ..LatentAttention::DEEPSEEK },
    recurrent: Recurrent {
        kind: RecurrentKind::KimiDelta,
        heads: 32,
        head_dim: 128,
        key_heads: 32,
        key_dim: 128,
        conv_kernel: 4,
        rank: 128,
        ..Recurrent::NONE
    },
    pattern: KIMI_LAYERS,
    ..sparse(
        shape(LLAMA_STYLE, 27, 2304, (32, 32), 9216),
        Experts { shared_intermediate_size: 1024, ..routed(256, 8, 1024) },
    )
};

/// Seven layers of lightning attention, one of softmax attention.
const MINIMAX_LAYERS: Pattern = {
    let mut pattern = Pattern::NONE;
    let mut index = 0;
    while index < 8 {
        let mixer = if index == 7 { Mixer::Attention } else { Mixer::Recurrent };
        pattern = pattern.then(LayerKind { mixer, mlp: Mlp::Experts });
        index += 1;
    }
    pattern
};

const TEXT_01: Architecture = Architecture {
    head_dim: 128,
    vocab_size: 200_064,
    recurrent: Recurrent {
        kind: RecurrentKind::Lightning,
        heads: 64,
        head_dim: 128,
        key_heads: 64,
        key_dim: 128,
        chunk: 256,
        ..Recurrent::NONE
    },
    pattern: MINIMAX_LAYERS,
    ..sparse(shape(LLAMA_STYLE, 80, 6144, (64, 8), 9216), routed(32, 2, 9216))
};

/// Kimi Linear and MiniMax-Text-01.
pub const MODELS: &[ModelEntry] = &[
    KIMI.model("kimi-linear-48b-a3b", "Kimi Linear 48B-A3B", KIMI_LINEAR, 49_122_675_072, 1_048_576),
    MINIMAX.model("minimax-text-01", "MiniMax-Text-01 456B-A46B", TEXT_01, 456_089_655_296, 1_048_576),
];
