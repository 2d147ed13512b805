//! Other models of Llama's style, and mixtures of experts of the same families.

use super::{LLAMA_STYLE, Series, routed, shape, sparse};
use crate::catalog::ModelEntry;
use crate::model::transformer::{Architecture, AttentionBias, FusedProjections, Norm, QkNorm};

const SMOLLM: Series = Series { family: "SmolLM", source: "HuggingFaceTB/SmolLM* config.json" };
const YI: Series = Series { family: "Yi", source: "01-ai/Yi-* config.json" };
const INTERNLM: Series = Series { family: "InternLM", source: "internlm/internlm-* config.json" };
const GRANITE: Series = Series { family: "Granite", source: "ibm-granite/granite-3.0-*-base config.json" };
const BAICHUAN: Series = Series { family: "Baichuan", source: "baichuan-inc/Baichuan2-*-Base config.json" };
const COMMAND: Series = Series { family: "Command", source: "CohereForAI/c4ai-command-r* config.json" };
const OLMO: Series = Series { family: "OLMo", source: "allenai/OLMo-2-* config.json" };
const OLMO_THREE: Series =
    Series { family: "OLMo", source: "allenai/Olmo-3-7B-* config.json, allenai/OLMo-core nn/transformer/config.py" };
const OLMO_THREE_LARGE: Series = Series {
    family: "OLMo",
    source: "allenai/Olmo-3-1125-32B, in AI-Hypercomputer/maxtext, configs/models/olmo3-32b.yml",
};
const OLMOE: Series = Series { family: "OLMo", source: "allenai/OLMoE-1B-7B-0924 config.json" };
const NANOTRON: Series =
    Series { family: "Ultra-scale playbook", source: "nanotron's benchmark data, which prints the counts" };
const TINYLLAMA: Series = Series { family: "TinyLlama", source: "TinyLlama/TinyLlama-1.1B config.json" };

const SMOLLM_2: Architecture = Architecture { vocab_size: 49_152, tie_word_embeddings: true, ..LLAMA_STYLE };
const YI_1: Architecture = Architecture { vocab_size: 64_000, ..LLAMA_STYLE };
const INTERNLM_1: Architecture =
    Architecture { vocab_size: 103_168, attention_bias: AttentionBias::All, ..LLAMA_STYLE };
const INTERNLM_20B: Architecture = Architecture { vocab_size: 103_168, ..LLAMA_STYLE };
const INTERNLM_2: Architecture =
    Architecture { vocab_size: 92_544, fused_projections: FusedProjections::Attention, ..LLAMA_STYLE };
const SMOLLM_3: Architecture = Architecture { vocab_size: 128_256, tie_word_embeddings: true, ..LLAMA_STYLE };
const GRANITE_3: Architecture = Architecture { vocab_size: 49_155, tie_word_embeddings: true, ..LLAMA_STYLE };
const BAICHUAN_2: Architecture =
    Architecture { vocab_size: 125_696, fused_projections: FusedProjections::Attention, ..LLAMA_STYLE };
/// One norm without biases before attention and MLP, which run in parallel.
const COMMAND_R: Architecture = Architecture {
    vocab_size: 256_000,
    norm: Norm::LayerNoBias,
    norms_per_layer: 1,
    tie_word_embeddings: true,
    ..LLAMA_STYLE
};
/// The large model normalises queries and keys, each head with weights of its own.
const COMMAND_R_PLUS: Architecture = Architecture { qk_norm: QkNorm::Full, ..COMMAND_R };
const COMMAND_R7B: Architecture = Architecture { sliding_window: 4096, global_every: 4, ..COMMAND_R };
/// Queries and keys are normalised over their whole width, H: two more norms. 32B is left out, as
/// its keys are narrower, and so is the first OLMo, whose norms have no weights.
const OLMO_2: Architecture = Architecture { vocab_size: 100_352, norms_per_layer: 4, ..LLAMA_STYLE };
/// Three of four layers attend within 4,096 tokens.
const OLMO_3: Architecture =
    Architecture { vocab_size: 100_278, qk_norm: QkNorm::Full, sliding_window: 4096, global_every: 4, ..LLAMA_STYLE };
const OLMOE_1: Architecture = Architecture { vocab_size: 50_304, qk_norm: QkNorm::Full, ..LLAMA_STYLE };
const NANOTRON_TIED: Architecture = Architecture { vocab_size: 131_072, tie_word_embeddings: true, ..LLAMA_STYLE };
const NANOTRON_LARGE: Architecture = Architecture { vocab_size: 131_072, ..LLAMA_STYLE };
const TINY: Architecture = Architecture { vocab_size: 32_000, ..LLAMA_STYLE };

/// Other models of Llama's style.
pub const MODELS: &[ModelEntry] = &[
    SMOLLM.model("smollm-2-135m", "SmolLM2 135M", shape(SMOLLM_2, 30, 576, (9, 3), 1536), 134_515_008, 8192),
    SMOLLM.model("smollm-2-360m", "SmolLM2 360M", shape(SMOLLM_2, 32, 960, (15, 5), 2560), 361_821_120, 8192),
    SMOLLM.model("smollm-2-1.7b", "SmolLM2 1.7B", shape(SMOLLM_2, 24, 2048, (32, 32), 8192), 1_711_376_384, 8192),
    SMOLLM.model("smollm-3-3b", "SmolLM3 3B", shape(SMOLLM_3, 36, 2048, (16, 4), 11_008), 3_075_098_624, 65_536),
    YI.model("yi-6b", "Yi 6B", shape(YI_1, 32, 4096, (32, 4), 11_008), 6_061_035_520, 4096),
    YI.model("yi-9b", "Yi 9B", shape(YI_1, 48, 4096, (32, 4), 11_008), 8_829_407_232, 4096),
    YI.model("yi-34b", "Yi 34B", shape(YI_1, 60, 7168, (56, 8), 20_480), 34_388_917_248, 4096),
    INTERNLM.model("internlm-7b", "InternLM 7B", shape(INTERNLM_1, 32, 4096, (32, 32), 11_008), 7_321_948_160, 2048),
    INTERNLM.model(
        "internlm-20b",
        "InternLM 20B",
        shape(INTERNLM_20B, 60, 5120, (40, 40), 13_824),
        20_088_714_240,
        4096,
    ),
    INTERNLM.model(
        "internlm-2-7b",
        "InternLM2 7B",
        shape(INTERNLM_2, 32, 4096, (32, 8), 14_336),
        7_737_708_544,
        32_768,
    ),
    INTERNLM.model(
        "internlm-2-20b",
        "InternLM2 20B",
        shape(INTERNLM_2, 48, 6144, (48, 8), 16_384),
        19_861_149_696,
        32_768,
    ),
    GRANITE.model("granite-3-2b", "Granite 3 2B", shape(GRANITE_3, 40, 2048, (32, 8), 8192), 2_533_531_648, 4096),
    GRANITE.model("granite-3-8b", "Granite 3 8B", shape(GRANITE_3, 40, 4096, (32, 8), 12_800), 8_170_848_256, 4096),
    BAICHUAN.model("baichuan-2-7b", "Baichuan2 7B", shape(BAICHUAN_2, 32, 4096, (32, 32), 11_008), 7_505_973_248, 4096),
    BAICHUAN.model(
        "baichuan-2-13b",
        "Baichuan2 13B",
        shape(BAICHUAN_2, 40, 5120, (40, 40), 13_696),
        13_896_668_160,
        4096,
    ),
    COMMAND.model(
        "command-r-35b",
        "Command R 35B",
        shape(COMMAND_R, 40, 8192, (64, 64), 22_528),
        34_980_831_232,
        131_072,
    ),
    COMMAND.model(
        "command-r-plus-104b",
        "Command R+ 104B",
        shape(COMMAND_R_PLUS, 64, 12_288, (96, 8), 33_792),
        103_810_674_688,
        131_072,
    ),
    COMMAND.model("command-r7b", "Command R7B", shape(COMMAND_R7B, 32, 4096, (32, 8), 14_336), 8_028_033_024, 131_072),
    OLMO.model("olmo-2-1b", "OLMo 2 1B", shape(OLMO_2, 16, 2048, (16, 16), 8192), 1_484_916_736, 4096),
    OLMO.model("olmo-2-7b", "OLMo 2 7B", shape(OLMO_2, 32, 4096, (32, 32), 11_008), 7_298_617_344, 4096),
    OLMO.model("olmo-2-13b", "OLMo 2 13B", shape(OLMO_2, 40, 5120, (40, 40), 13_824), 13_716_198_400, 4096),
    OLMO_THREE.model("olmo-3-7b", "OLMo 3 7B", shape(OLMO_3, 32, 4096, (32, 32), 11_008), 7_298_011_136, 65_536),
    OLMO_THREE_LARGE.model(
        "olmo-3-32b",
        "OLMo 3 32B",
        shape(OLMO_3, 64, 5120, (40, 8), 27_648),
        32_233_522_176,
        65_536,
    ),
    OLMOE.model(
        "olmoe-1b-7b",
        "OLMoE 1B-7B",
        sparse(shape(OLMOE_1, 16, 2048, (16, 16), 1024), routed(64, 8, 1024)),
        6_919_161_856,
        4096,
    ),
    NANOTRON.model("playbook-1b", "Playbook 1B", shape(NANOTRON_TIED, 16, 2048, (32, 32), 8192), 1_342_244_864, 4096),
    NANOTRON.model("playbook-3b", "Playbook 3B", shape(NANOTRON_TIED, 28, 3072, (32, 32), 8192), 3_573_722_112, 4096),
    NANOTRON.model(
        "playbook-8b",
        "Playbook 8B",
        shape(NANOTRON_LARGE, 32, 4096, (32, 32), 14_336),
        8_858_636_288,
        4096,
    ),
    NANOTRON.model(
        "playbook-80b",
        "Playbook 80B",
        shape(NANOTRON_LARGE, 80, 8192, (64, 64), 28_672),
        79_995_084_800,
        4096,
    ),
    TINYLLAMA.model("tinyllama-1.1b", "TinyLlama 1.1B", shape(TINY, 22, 2048, (32, 4), 5632), 1_100_048_384, 2048),
];
