//! NVIDIA's hybrids of Mamba-2, attention and experts, in which each layer is one block.

use super::{LLAMA_STYLE, Series, routed};
use crate::catalog::ModelEntry;
use crate::model::transformer::pattern::{LayerKind, Mixer, Mlp, Pattern};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, Experts};

const NANO: Series = Series {
    family: "Nemotron 3",
    source: "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B config.json, Megatron-Bridge recipes/nemotronh/nemotron_3_nano.py",
};
const SUPER: Series = Series { family: "Nemotron 3", source: "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B config.json" };
const ULTRA: Series = Series {
    family: "Nemotron 3",
    source: "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B config.json (the number of layers of each kind; attention at even distances)",
};

/// Plain MLPs with squared ReLU, one norm a layer, Mamba-2 with heads of 64 channels, 8 groups and a state of 128.
const STYLE: Architecture =
    Architecture { gated_mlp: false, norms_per_layer: 1, head_dim: 128, vocab_size: 131_072, ..LLAMA_STYLE };

/// Mamba-2 with this many heads.
const fn mamba(heads: u32) -> Recurrent {
    Recurrent {
        kind: RecurrentKind::Mamba2,
        heads,
        head_dim: 64,
        key_heads: 8,
        key_dim: 128,
        conv_kernel: 4,
        chunk: 128,
        conv_bias: true,
        ..Recurrent::NONE
    }
}

/// Layers by NVIDIA's letters: M Mamba-2, * attention, - MLP, E experts.
#[expect(clippy::indexing_slicing, reason = "a constant function has no iterators, and the index is below the length")]
const fn layers(letters: &str) -> Pattern {
    let letters = letters.as_bytes();
    let mut pattern = Pattern::NONE;
    let mut index = 0;
    while index < letters.len() {
        let (mixer, mlp) = match letters[index] {
            b'M' => (Mixer::Recurrent, Mlp::None),
            b'*' => (Mixer::Attention, Mlp::None),
            b'E' => (Mixer::None, Mlp::Experts),
            _ => (Mixer::None, Mlp::Dense),
        };
        pattern = pattern.then(LayerKind { mixer, mlp });
        index += 1;
    }
    pattern
}

/// A model of this width with query heads and two key heads, these layers, Mamba heads and experts, whose routers have corrections.
const fn hybrid(hidden: u32, heads: u32, pattern: Pattern, mamba_heads: u32, experts: Experts) -> Architecture {
    Architecture {
        num_hidden_layers: pattern.period(),
        hidden_size: hidden,
        num_attention_heads: heads,
        num_key_value_heads: 2,
        intermediate_size: experts.moe_intermediate_size,
        recurrent: mamba(mamba_heads),
        pattern,
        experts,
        ..STYLE
    }
}

const NANO_LAYERS: Pattern = layers("MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME");
const SUPER_LAYERS: Pattern =
    layers("MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME");
const ULTRA_LAYERS: Pattern = layers(
    "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEM*E",
);

/// Nemotron 3 Nano, Super and Ultra.
pub const MODELS: &[ModelEntry] = &[
    NANO.model(
        "nemotron-3-nano",
        "Nemotron 3 Nano 30B-A3B",
        hybrid(2688, 32, NANO_LAYERS, 64, Experts { shared_intermediate_size: 3712, ..routed(128, 6, 1856) }),
        31_577_937_344,
        262_144,
    ),
    SUPER.model(
        "nemotron-3-super",
        "Nemotron 3 Super 120B-A12B",
        hybrid(
            4096,
            32,
            SUPER_LAYERS,
            128,
            Experts { shared_intermediate_size: 5376, latent_size: 1024, ..routed(512, 22, 2688) },
        ),
        120_668_687_360,
        262_144,
    ),
    ULTRA.model(
        "nemotron-3-ultra",
        "Nemotron 3 Ultra 550B-A55B",
        hybrid(
            8192,
            64,
            ULTRA_LAYERS,
            256,
            Experts { shared_intermediate_size: 10_240, latent_size: 2048, ..routed(512, 22, 5120) },
        ),
        549_308_968_960,
        262_144,
    ),
];
