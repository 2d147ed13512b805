//! Model families: the defaults of their classes in `transformers`, and how their configs are read.

mod bytes;
mod compressed;
mod dense;
mod extra;
mod gemmas;
mod general;
mod hybrids;
mod mamba;
mod mixtures;
mod multimodal;
mod older;
mod recent;
mod recurrences;
mod sparse;
mod zamba;

use super::fields::Fields;
use engine::catalog::models::{GPT_STYLE, LLAMA_STYLE};
use engine::model::transformer::{Architecture, AttentionBias, FusedProjections, LatentAttention, Norm, QkNorm};

/// Models that one class of `transformers` implements.
pub(super) struct Family {
    /// Display name of the family.
    pub(super) name: &'static str,
    /// The `model_type` values of the family.
    pub(super) types: &'static [&'static str],
    /// Fixed properties of the family and the defaults of its class; 0 for a field that is required
    /// or follows from others.
    pub(super) style: Architecture,
    /// Reads the fields of a config.
    pub(super) read: fn(&mut Fields, Architecture) -> Architecture,
}

const fn family(
    name: &'static str,
    types: &'static [&'static str],
    style: Architecture,
    read: fn(&mut Fields, Architecture) -> Architecture,
) -> Family {
    Family { name, types, style, read }
}

/// Shares the embedding with the output head by default.
const TIED: Architecture = Architecture { tie_word_embeddings: true, ..LLAMA_STYLE };
const GEMMA: Architecture = Architecture { head_dim: 256, num_key_value_heads: 16, ..TIED };
const GEMMA_2: Architecture = Architecture {
    num_key_value_heads: 4,
    norms_per_layer: 4,
    sliding_window: 4096,
    global_every: 2,
    logit_softcap: true,
    ..GEMMA
};
/// Published configs omit the defaults of the class.
const GEMMA_3: Architecture = Architecture {
    vocab_size: 262_208,
    num_attention_heads: 8,
    qk_norm: QkNorm::PerHead,
    global_every: 6,
    logit_softcap: false,
    ..GEMMA_2
};
const MISTRAL: Architecture = Architecture { num_key_value_heads: 8, sliding_window: 4096, ..LLAMA_STYLE };
const MIXTRAL: Architecture = Architecture { sliding_window: 0, ..MISTRAL };
const QWEN_2: Architecture = Architecture { attention_bias: AttentionBias::Qkv, ..LLAMA_STYLE };
const QWEN_3: Architecture = Architecture { qk_norm: QkNorm::PerHead, head_dim: 128, ..LLAMA_STYLE };
const QWEN_3_MOE: Architecture = Architecture { head_dim: 0, num_key_value_heads: 4, ..QWEN_3 };
/// Untied embeddings, biases and sinks in attention, and a window of 128 tokens in every second
/// layer.
const GPT_OSS: Architecture = Architecture {
    head_dim: 64,
    num_key_value_heads: 8,
    attention_bias: AttentionBias::All,
    attention_sinks: true,
    sliding_window: 128,
    global_every: 2,
    ..LLAMA_STYLE
};
/// Queries and keys are normalised without weights.
const LLAMA_4: Architecture = Architecture {
    head_dim: 128,
    num_key_value_heads: 8,
    sliding_window: 8192,
    global_every: 4,
    attention_chunks: true,
    ..LLAMA_STYLE
};
const DEEPSEEK: Architecture = Architecture { latent: LatentAttention::DEEPSEEK, ..LLAMA_STYLE };
/// One norm before attention and MLP, which run in parallel.
const COHERE: Architecture =
    Architecture { norm: Norm::LayerNoBias, norms_per_layer: 1, tie_word_embeddings: true, ..LLAMA_STYLE };
const COHERE_2: Architecture = Architecture { sliding_window: 4096, global_every: 4, ..COHERE };
const OLMO_2: Architecture = Architecture { qk_norm: QkNorm::Full, ..LLAMA_STYLE };
const OLMO_3: Architecture = Architecture { sliding_window: 4096, global_every: 4, ..OLMO_2 };
const PHI_MOE: Architecture = Architecture { norm: Norm::Layer, num_key_value_heads: 8, ..LLAMA_STYLE };
const INTERNLM: Architecture = Architecture { attention_bias: AttentionBias::All, ..LLAMA_STYLE };
/// Queries, keys and values are one matrix.
const GPT_2: Architecture = Architecture { fused_projections: FusedProjections::Attention, ..GPT_STYLE };
const NEOX: Architecture = Architecture { tie_word_embeddings: false, ..GPT_2 };
const FALCON: Architecture = Architecture { fused_projections: FusedProjections::Attention, ..PLAIN };
const INTERNLM_2: Architecture = Architecture { fused_projections: FusedProjections::Attention, ..LLAMA_STYLE };
const PHI_3: Architecture = Architecture { fused_projections: FusedProjections::All, ..LLAMA_STYLE };
/// One norm for both blocks, and an output head with biases.
const PHI: Architecture =
    Architecture { norms_per_layer: 1, head_bias: true, fused_projections: FusedProjections::None, ..NEOX };
const BLOOM: Architecture = Architecture { embedding_norm: true, ..GPT_2 };
const STARCODER_2: Architecture = Architecture { num_key_value_heads: 2, ..GPT_STYLE };
const PLAIN: Architecture = Architecture { attention_bias: AttentionBias::None, mlp_bias: false, ..GPT_STYLE };
const NEMOTRON: Architecture = Architecture { tie_word_embeddings: false, ..PLAIN };

/// Every family, in display order.
pub(super) fn all() -> impl Iterator<Item = &'static Family> {
    let further = [
        recent::FAMILIES,
        older::FAMILIES,
        gemmas::FAMILIES,
        sparse::FAMILIES,
        compressed::FAMILIES,
        mamba::FAMILIES,
        hybrids::FAMILIES,
        recurrences::FAMILIES,
        zamba::FAMILIES,
        bytes::FAMILIES,
        multimodal::FAMILIES,
    ];
    FAMILIES.iter().chain(further.into_iter().flatten())
}

/// The families of the first days, and those most models are of.
const FAMILIES: &[Family] = &[
    family("Llama", &["llama", "baichuan"], LLAMA_STYLE, dense::llama),
    family("Llama 4", &["llama4_text", "llama4"], LLAMA_4, mixtures::llama_4),
    family("Mistral", &["mistral"], MISTRAL, dense::windowed),
    family("Mixtral", &["mixtral"], MIXTRAL, mixtures::mixtral),
    family(
        "Qwen2",
        &["qwen2", "qwen2_vl_text", "qwen2_vl", "qwen2_5_vl_text", "qwen2_5_vl", "qwen2_5_omni_text"],
        QWEN_2,
        dense::qwen,
    ),
    // Layers of Qwen2; the layers for the next tokens are no part of what is trained further.
    family("MiMo", &["mimo"], QWEN_2, dense::qwen),
    family("Qwen2-MoE", &["qwen2_moe"], QWEN_2, mixtures::qwen_2),
    family("Qwen3", &["qwen3", "qwen3_vl_text", "qwen3_vl"], QWEN_3, dense::qwen),
    family(
        "Qwen3-MoE",
        &["qwen3_moe", "qwen3_vl_moe_text", "qwen3_vl_moe", "qwen3_omni_moe_text"],
        QWEN_3_MOE,
        mixtures::qwen_3,
    ),
    family("Gemma", &["gemma"], GEMMA, dense::llama),
    family("Gemma 2", &["gemma2"], GEMMA_2, dense::windowed),
    family("Gemma 3", &["gemma3_text", "gemma3"], GEMMA_3, dense::windowed),
    family("DeepSeek", &["deepseek"], LLAMA_STYLE, mixtures::deepseek),
    family("DeepSeek-V2", &["deepseek_v2"], DEEPSEEK, mixtures::deepseek),
    family("DeepSeek-V3", &["deepseek_v3", "kimi_k2"], DEEPSEEK, mixtures::deepseek),
    family("GLM-4.5", &["glm4_moe"], DEEPSEEK, mixtures::glm),
    family("gpt-oss", &["gpt_oss"], GPT_OSS, mixtures::gpt_oss),
    family("GPT-2", &["gpt2", "gpt-sw3"], GPT_2, dense::gpt_2),
    family("GPT-NeoX", &["gpt_neox"], NEOX, dense::llama),
    family("OPT", &["opt"], GPT_STYLE, dense::opt),
    family("BLOOM", &["bloom"], BLOOM, dense::llama),
    family("Falcon", &["falcon", "RefinedWeb", "RefinedWebModel"], FALCON, dense::falcon),
    family("Phi", &["phi", "phi-msft"], PHI, recent::phi),
    family("Phi-3", &["phi3", "phi4_multimodal"], PHI_3, dense::windowed),
    family("Phi-3.5-MoE", &["phimoe"], PHI_MOE, mixtures::mixtral),
    family("StarCoder2", &["starcoder2"], STARCODER_2, dense::starcoder),
    family("Cohere", &["cohere"], COHERE, dense::cohere),
    family("Cohere 2", &["cohere2"], COHERE_2, dense::windowed),
    family("OLMo 2", &["olmo2"], OLMO_2, dense::llama),
    family("OLMo 3", &["olmo3"], OLMO_3, dense::windowed),
    family("OLMoE", &["olmoe"], OLMO_2, mixtures::olmoe),
    family("SmolLM3", &["smollm3"], Architecture { num_key_value_heads: 4, ..TIED }, dense::smollm),
    family("Granite", &["granite"], LLAMA_STYLE, dense::llama),
    family("InternLM", &["internlm"], INTERNLM, dense::internlm),
    family("InternLM2", &["internlm2"], INTERNLM_2, dense::internlm),
    family("Nemotron", &["nemotron"], NEMOTRON, dense::llama),
];
