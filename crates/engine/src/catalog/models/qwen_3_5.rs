//! Qwen 3.5: three layers of four are gated delta networks, in dense models and in mixtures of experts.

use super::qwen::NORMED;
use super::{Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, Experts};

const DENSE: Series = Series {
    family: "Qwen",
    source: "Qwen/Qwen3.5-* in pytorch/torchtitan, models/qwen3_5/__init__.py; the text model without the vision tower and the module that predicts a second token",
};
const MIXTURE: Series = Series {
    family: "Qwen",
    source: "Qwen/Qwen3.5-* in pytorch/torchtitan, models/qwen3_5/__init__.py, and AI-Hypercomputer/maxtext, configs/models/qwen3.5-*.yml; the text model alone",
};

/// Longest sequence (`max_position_embeddings` of the same sources).
const LONGEST: u32 = 262_144;

/// The layers of one kind of MLP: three gated delta networks, then attention.
const fn layers(mlp: Mlp) -> Pattern {
    let delta = LayerKind { mixer: Mixer::Recurrent, mlp };
    Pattern::NONE.then(delta).then(delta).then(delta).then(LayerKind { mixer: Mixer::Attention, mlp })
}

/// Attention has a gate and heads of 256 channels; the networks have 16 heads of keys and this many of values.
const fn hybrid(shape: Architecture, value_heads: u32, mlp: Mlp) -> Architecture {
    Architecture {
        head_dim: 256,
        vocab_size: 248_320,
        gated_attention: true,
        recurrent: Recurrent {
            kind: RecurrentKind::GatedDelta,
            heads: value_heads,
            head_dim: 128,
            key_heads: 16,
            key_dim: 128,
            conv_kernel: 4,
            ..Recurrent::NONE
        },
        pattern: layers(mlp),
        ..shape
    }
}

const fn dense(layers: u32, hidden: u32, heads: (u32, u32), intermediate: u32, value_heads: u32) -> Architecture {
    hybrid(shape(NORMED, layers, hidden, heads, intermediate), value_heads, Mlp::Dense)
}

const fn tied(shape: Architecture) -> Architecture {
    Architecture { tie_word_embeddings: true, ..shape }
}

/// One shared expert of the routed ones' width, with a gate.
const fn mixture(layers: u32, hidden: u32, heads: u32, experts: Experts, value_heads: u32) -> Architecture {
    let width = experts.moe_intermediate_size;
    let experts = Experts { shared_intermediate_size: width, shared_expert_gate: true, ..experts };
    hybrid(sparse(shape(NORMED, layers, hidden, (heads, 2), width), experts), value_heads, Mlp::Experts)
}

/// Qwen 3.5.
pub const MODELS: &[ModelEntry] = &[
    DENSE.model("qwen-3.5-0.8b", "Qwen3.5 0.8B", tied(dense(24, 1024, (8, 2), 3584, 16)), 752_393_024, LONGEST),
    DENSE.model("qwen-3.5-2b", "Qwen3.5 2B", tied(dense(24, 2048, (8, 2), 6144, 16)), 1_881_825_088, LONGEST),
    DENSE.model("qwen-3.5-4b", "Qwen3.5 4B", tied(dense(32, 2560, (16, 4), 9216, 32)), 4_205_751_296, LONGEST),
    DENSE.model("qwen-3.5-9b", "Qwen3.5 9B", dense(32, 4096, (16, 4), 12_288, 32), 8_953_803_264, LONGEST),
    DENSE.model("qwen-3.5-27b", "Qwen3.5 27B", dense(64, 5120, (24, 4), 17_408, 48), 26_895_998_464, LONGEST),
    MIXTURE.model(
        "qwen-3.5-35b-a3b",
        "Qwen3.5 35B-A3B",
        mixture(40, 2048, 16, routed(256, 8, 512), 32),
        34_660_610_688,
        LONGEST,
    ),
    MIXTURE.model(
        "qwen-3.5-122b-a10b",
        "Qwen3.5 122B-A10B",
        mixture(48, 3072, 32, routed(256, 8, 1024), 64),
        122_111_526_912,
        LONGEST,
    ),
    MIXTURE.model(
        "qwen-3.5-397b-a17b",
        "Qwen3.5 397B-A17B",
        mixture(60, 4096, 32, routed(512, 10, 1024), 64),
        396_346_350_336,
        LONGEST,
    ),
];
