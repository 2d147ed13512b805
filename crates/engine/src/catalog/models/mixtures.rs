//! Other mixtures of experts.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, Experts, FusedProjections, Norm, QkNorm};

const DBRX: Series = Series { family: "DBRX", source: "databricks/dbrx-base config.json" };
const GROK: Series = Series { family: "Grok", source: "xai-org/grok-1 run.py" };
const MINIMAX: Series =
    Series { family: "MiniMax", source: "MiniMaxAI/MiniMax-M2: the defaults of transformers' MiniMaxM2Config" };
const MEGASCALE: Series = Series {
    family: "MegaScale-MoE",
    source: "MegaScale-MoE (arXiv 2505.11432, Table 2); its name and MFU count one expert more, taken as shared",
};

const DBRX_STYLE: Architecture = Architecture {
    vocab_size: 100_352,
    norm: Norm::LayerNoBias,
    fused_projections: FusedProjections::Attention,
    ..LLAMA_STYLE
};
/// Norms before and after the blocks, and a tied output head.
const GROK_STYLE: Architecture =
    Architecture { vocab_size: 131_072, norms_per_layer: 4, tie_word_embeddings: true, ..LLAMA_STYLE };
const MINIMAX_STYLE: Architecture = Architecture { vocab_size: 200_064, qk_norm: QkNorm::Full, ..LLAMA_STYLE };
const MEGASCALE_STYLE: Architecture = Architecture { vocab_size: 65_536, ..LLAMA_STYLE };

/// DBRX, Grok-1, MiniMax-M2 and MegaScale-MoE's largest.
pub const MODELS: &[ModelEntry] = &[
    DBRX.model(
        "dbrx",
        "DBRX 132B-A36B",
        sparse(shape(DBRX_STYLE, 40, 6144, (48, 8), 10_752), routed(16, 4, 10_752)),
        131_596_523_520,
        32_768,
    ),
    GROK.model(
        "grok-1",
        "Grok-1 314B",
        sparse(shape(GROK_STYLE, 64, 6144, (48, 8), 32_768), routed(8, 2, 32_768)),
        315_684_820_992,
        8192,
    ),
    MINIMAX.model(
        "minimax-m2",
        "MiniMax-M2 230B-A10B",
        Architecture { head_dim: 128, ..sparse(shape(MINIMAX_STYLE, 62, 3072, (48, 8), 1536), routed(256, 8, 1536)) },
        228_689_748_992,
        196_608,
    ),
    MEGASCALE.model(
        "megascale-352b",
        "Internal 352B (MegaScale-MoE)",
        sparse(
            shape(MEGASCALE_STYLE, 60, 4096, (32, 8), 14_336),
            Experts { shared_intermediate_size: 14_336, ..routed(32, 3, 14_336) },
        ),
        351_860_133_888,
        8192,
    ),
];
