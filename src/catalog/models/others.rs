//! Other dense models of Llama's style.

use super::{LLAMA_STYLE, Series, shape};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias};

const PHI: Series = Series {
    family: "Phi",
    source: "microsoft/Phi-3-mini-4k-instruct, Phi-3-medium-4k-instruct and phi-4 config.json; Hugging Face \
             transformers modeling_phi3",
};
const SMOLLM: Series = Series {
    family: "SmolLM",
    source: "HuggingFaceTB/SmolLM2-* config.json; Hugging Face transformers modeling_llama",
};
const YI: Series = Series {
    family: "Yi",
    source: "Yi (arXiv 2403.04652) and 01-ai/Yi-* config.json; Hugging Face transformers modeling_llama",
};
const DEEPSEEK: Series = Series {
    family: "DeepSeek",
    source: "DeepSeek LLM (arXiv 2401.02954, Table 2) and deepseek-ai/deepseek-llm-*-base config.json; Hugging Face \
             transformers modeling_llama",
};
const INTERNLM: Series =
    Series { family: "InternLM", source: "internlm/internlm-7b config.json and modeling_internlm" };
const TINYLLAMA: Series = Series {
    family: "TinyLlama",
    source: "TinyLlama (arXiv 2401.02385) and TinyLlama/TinyLlama-1.1B config.json; Hugging Face transformers \
             modeling_llama",
};

const PHI_3: Architecture = Architecture { vocab_size: 32_064, ..LLAMA_STYLE };
const PHI_4: Architecture = Architecture { vocab_size: 100_352, ..LLAMA_STYLE };
const SMOLLM_2: Architecture = Architecture { vocab_size: 49_152, tie_word_embeddings: true, ..LLAMA_STYLE };
const YI_1: Architecture = Architecture { vocab_size: 64_000, ..LLAMA_STYLE };
const DEEPSEEK_1: Architecture = Architecture { vocab_size: 102_400, ..LLAMA_STYLE };
const INTERNLM_1: Architecture =
    Architecture { vocab_size: 103_168, attention_bias: AttentionBias::All, ..LLAMA_STYLE };
const TINY: Architecture = Architecture { vocab_size: 32_000, ..LLAMA_STYLE };

/// Other dense models of Llama's style.
pub const MODELS: &[ModelEntry] = &[
    PHI.model("phi-3-mini", "Phi-3 mini 3.8B", shape(PHI_3, 32, 3072, (32, 32), 8192), 3_821_079_552, 4096),
    PHI.model("phi-3-medium", "Phi-3 medium 14B", shape(PHI_3, 40, 5120, (40, 10), 17_920), 13_960_238_080, 4096),
    PHI.model("phi-4", "Phi-4 14B", shape(PHI_4, 40, 5120, (40, 10), 17_920), 14_659_507_200, 16_384),
    SMOLLM.model("smollm-2-135m", "SmolLM2 135M", shape(SMOLLM_2, 30, 576, (9, 3), 1536), 134_515_008, 8192),
    SMOLLM.model("smollm-2-360m", "SmolLM2 360M", shape(SMOLLM_2, 32, 960, (15, 5), 2560), 361_821_120, 8192),
    SMOLLM.model("smollm-2-1.7b", "SmolLM2 1.7B", shape(SMOLLM_2, 24, 2048, (32, 32), 8192), 1_711_376_384, 8192),
    YI.model("yi-6b", "Yi 6B", shape(YI_1, 32, 4096, (32, 4), 11_008), 6_061_035_520, 4096),
    YI.model("yi-34b", "Yi 34B", shape(YI_1, 60, 7168, (56, 8), 20_480), 34_388_917_248, 4096),
    DEEPSEEK.model(
        "deepseek-llm-7b",
        "DeepSeek LLM 7B",
        shape(DEEPSEEK_1, 30, 4096, (32, 32), 11_008),
        6_910_365_696,
        4096,
    ),
    DEEPSEEK.model(
        "deepseek-llm-67b",
        "DeepSeek LLM 67B",
        shape(DEEPSEEK_1, 95, 8192, (64, 8), 22_016),
        67_425_001_472,
        4096,
    ),
    INTERNLM.model("internlm-7b", "InternLM 7B", shape(INTERNLM_1, 32, 4096, (32, 32), 11_008), 7_321_948_160, 2048),
    TINYLLAMA.model("tinyllama-1.1b", "TinyLlama 1.1B", shape(TINY, 22, 2048, (32, 4), 5632), 1_100_048_384, 2048),
];
