//! Qwen's mixtures of experts.

use super::qwen::{BIASED, NORMED};
use super::{Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, Experts};

const QWEN_2: Series = Series { family: "Qwen", source: "Qwen/Qwen1.5-MoE-A2.7B and Qwen2-57B-A14B config.json" };
const QWEN_3: Series = Series { family: "Qwen", source: "Qwen/Qwen3-*-A* config.json, torchtitan models/qwen3" };

const CODER: Series = Series {
    family: "Qwen",
    source: "Qwen/Qwen3-Coder-480B-A35B-Instruct config.json, in AI-Hypercomputer/maxtext's hf_model_configs.py",
};
const QWEN_3_NEXT: Series = Series { family: "Qwen", source: "Qwen/Qwen3-Next-80B-A3B-Instruct config.json" };

const VOCABULARY_2: Architecture = Architecture { vocab_size: 151_936, ..BIASED };
const WIDE_HEADS: u32 = 128;

/// Qwen 2's shared expert has a gate.
const fn gated(experts: Experts, shared_intermediate_size: u32) -> Experts {
    Experts { shared_intermediate_size, shared_expert_gate: true, ..experts }
}

/// Three layers of four are gated delta networks; attention has a gate.
const NEXT: Architecture = Architecture {
    head_dim: 256,
    gated_attention: true,
    recurrent: Recurrent {
        kind: RecurrentKind::GatedDelta,
        heads: 32,
        head_dim: 128,
        key_heads: 16,
        key_dim: 128,
        conv_kernel: 4,
        ..Recurrent::NONE
    },
    pattern: Pattern::NONE.then(DELTA).then(DELTA).then(DELTA).then(FULL),
    ..sparse(shape(NORMED, 48, 2048, (16, 2), 5632), gated(routed(512, 10, 512), 512))
};
const DELTA: LayerKind = LayerKind { mixer: Mixer::Recurrent, mlp: Mlp::Experts };
const FULL: LayerKind = LayerKind { mixer: Mixer::Attention, mlp: Mlp::Experts };

/// Qwen's mixtures of experts.
pub const MODELS: &[ModelEntry] = &[
    QWEN_2.model(
        "qwen-1.5-moe-a2.7b",
        "Qwen1.5-MoE 14B-A2.7B",
        sparse(shape(VOCABULARY_2, 24, 2048, (16, 16), 5632), gated(routed(60, 4, 1408), 5632)),
        14_315_784_192,
        8192,
    ),
    QWEN_2.model(
        "qwen-2-57b-a14b",
        "Qwen2 57B-A14B",
        sparse(shape(VOCABULARY_2, 28, 3584, (28, 4), 18_944), gated(routed(64, 8, 2560), 20_480)),
        57_408_658_944,
        131_072,
    ),
    QWEN_3.model(
        "qwen-3-30b-a3b",
        "Qwen3 30B-A3B",
        Architecture { head_dim: WIDE_HEADS, ..sparse(shape(NORMED, 48, 2048, (32, 4), 6144), routed(128, 8, 768)) },
        30_532_122_624,
        40_960,
    ),
    QWEN_3.model(
        "qwen-3-235b-a22b",
        "Qwen3 235B-A22B",
        Architecture { head_dim: WIDE_HEADS, ..sparse(shape(NORMED, 94, 4096, (64, 4), 12_288), routed(128, 8, 1536)) },
        235_093_634_560,
        40_960,
    ),
    CODER.model(
        "qwen-3-coder-480b-a35b",
        "Qwen3-Coder 480B-A35B",
        Architecture { head_dim: WIDE_HEADS, ..sparse(shape(NORMED, 62, 6144, (96, 8), 8192), routed(160, 8, 2560)) },
        480_154_875_392,
        262_144,
    ),
    QWEN_3_NEXT.model("qwen-3-next-80b-a3b", "Qwen3-Next 80B-A3B", NEXT, 79_674_391_296, 262_144),
];
