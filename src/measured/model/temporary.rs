//! Shapes until the catalog has them.

use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, Experts, LatentAttention, Norm, QkNorm};

const BASE: Architecture = Architecture {
    num_hidden_layers: 0,
    hidden_size: 0,
    num_attention_heads: 0,
    num_key_value_heads: 0,
    head_dim: 128,
    intermediate_size: 0,
    vocab_size: 0,
    gated_mlp: true,
    norm: Norm::Rms,
    norms_per_layer: 2,
    qk_norm: QkNorm::None,
    attention_bias: AttentionBias::None,
    mlp_bias: false,
    tie_word_embeddings: false,
    learned_positions: 0,
    embedding_norm: false,
    sliding_window: 0,
    global_every: 0,
    attention_sinks: false,
    latent: LatentAttention::NONE,
    experts: Experts::NONE,
    attention_chunks: false,
    head_bias: false,
};

const fn sized(base: Architecture, l: u32, h: u32, heads: (u32, u32), d: u32, f: u32, v: u32) -> Architecture {
    Architecture {
        num_hidden_layers: l,
        hidden_size: h,
        num_attention_heads: heads.0,
        num_key_value_heads: heads.1,
        head_dim: d,
        intermediate_size: f,
        vocab_size: v,
        ..base
    }
}

const fn moe(e: u32, k: u32, f: u32, shared: u32, dense: u32) -> Experts {
    Experts {
        num_experts: e,
        num_experts_per_tok: k,
        moe_intermediate_size: f,
        shared_intermediate_size: shared,
        first_k_dense_replace: dense,
        ..Experts::NONE
    }
}

const fn entry(id: &'static str, name: &'static str, architecture: Architecture, params: u64) -> ModelEntry {
    ModelEntry { id, name, family: "x", architecture, params, max_position_embeddings: 4096, source: "" }
}

const QWEN: Architecture = Architecture { qk_norm: QkNorm::PerHead, ..BASE };
const MLA: Architecture = Architecture { latent: LatentAttention::DEEPSEEK, ..BASE };

/// Them.
pub const MODELS: &[ModelEntry] = &[
    entry(
        "mixtral-8x7b",
        "Mixtral 8x7B",
        Architecture { experts: moe(8, 2, 14_336, 0, 0), ..sized(BASE, 32, 4096, (32, 8), 128, 14_336, 32_000) },
        46_702_792_704,
    ),
    entry(
        "mixtral-8x22b",
        "Mixtral 8x22B",
        Architecture { experts: moe(8, 2, 16_384, 0, 0), ..sized(BASE, 56, 6144, (48, 8), 128, 16_384, 32_768) },
        140_630_071_296,
    ),
    entry(
        "internal-352b",
        "Internal 352B",
        Architecture { experts: moe(32, 3, 14_336, 0, 0), ..sized(BASE, 60, 4096, (32, 8), 128, 14_336, 65_536) },
        341_290_487_808,
    ),
    entry(
        "qwen-3-30b-a3b",
        "Qwen3 30B A3B",
        Architecture { experts: moe(128, 8, 768, 0, 0), ..sized(QWEN, 48, 2048, (32, 4), 128, 6144, 151_936) },
        30_532_122_624,
    ),
    entry(
        "qwen-3-235b-a22b",
        "Qwen3 235B A22B",
        Architecture { experts: moe(128, 8, 1536, 0, 0), ..sized(QWEN, 94, 4096, (64, 4), 128, 12_288, 151_936) },
        235_093_634_560,
    ),
    entry(
        "deepseek-v3",
        "DeepSeek V3 671B",
        Architecture {
            experts: Experts { n_group: 8, topk_group: 4, router_bias: true, ..moe(256, 8, 2048, 2048, 3) },
            ..sized(MLA, 61, 7168, (128, 128), 128, 18_432, 129_280)
        },
        671_026_419_200,
    ),
    entry(
        "kimi-k2",
        "Kimi K2",
        Architecture {
            experts: Experts { router_bias: true, ..moe(384, 8, 2048, 2048, 1) },
            ..sized(MLA, 61, 7168, (64, 64), 128, 18_432, 163_840)
        },
        1_026_408_232_448,
    ),
    entry(
        "moonlight-16b",
        "Moonlight 16B A3B",
        Architecture {
            latent: LatentAttention { q_lora_rank: 0, ..LatentAttention::DEEPSEEK },
            experts: Experts { router_bias: true, ..moe(64, 6, 1408, 2816, 1) },
            ..sized(BASE, 27, 2048, (16, 16), 128, 11_264, 163_840)
        },
        15_960_111_936,
    ),
    entry(
        "gpt-oss-120b",
        "GPT OSS 120B",
        Architecture {
            sliding_window: 128,
            global_every: 2,
            attention_sinks: true,
            attention_bias: AttentionBias::All,
            experts: Experts { router_bias: true, expert_bias: true, ..moe(128, 4, 2880, 0, 0) },
            ..sized(BASE, 36, 2880, (64, 8), 64, 2880, 201_088)
        },
        116_829_156_672,
    ),
    entry(
        "gpt-oss-20b",
        "GPT OSS 20B",
        Architecture {
            sliding_window: 128,
            global_every: 2,
            attention_sinks: true,
            attention_bias: AttentionBias::All,
            experts: Experts { router_bias: true, expert_bias: true, ..moe(32, 4, 2880, 0, 0) },
            ..sized(BASE, 24, 2880, (64, 8), 64, 2880, 201_088)
        },
        20_914_757_184,
    ),
];
