//! Models as fine-tuning sources name them: names on hubs, tunings that keep their base's shape.

use crate::row::Row;
use crate::text::has;
use engine::catalog::{self, ModelEntry};

/// Names, with the catalog's entry of the same shape.
const NAMES: [(&str, &str); 80] = [
    ("Baichuan2-7B-Chat", "baichuan-2-7b"),
    ("ChatGLM3-6B", "chatglm-3-6b"),
    ("Command R+ (104B)", "command-r-plus-104b"),
    ("DeepSeek-R1-0528-Qwen3-8B", "qwen-3-8b"),
    ("Falcon 40B", "falcon-40b"),
    ("GLM-4-9B-0414", "glm-4-9b-0414"),
    ("GLM-4-9B-Chat", "glm-4-9b-chat"),
    ("Gemma 2 9B", "gemma-2-9b"),
    ("Gemma 7B", "gemma-7b"),
    ("Llama 2 13B", "llama-2-13b"),
    ("Llama 2 70B", "llama-2-70b"),
    ("Llama 2 7B", "llama-2-7b"),
    ("Llama 3 70B", "llama-3-70b"),
    ("Llama 3 8B", "llama-3-8b"),
    ("Llama 3.1 70B", "llama-3.1-70b"),
    ("Llama 3.1 8B", "llama-3.1-8b"),
    ("Llama 3.1 8B Instruct", "llama-3.1-8b"),
    ("Llama 3.2 3B", "llama-3.2-3b"),
    ("Llama 3.3 70B Instruct", "llama-3.3-70b"),
    ("Llama-2 70B", "llama-2-70b"),
    ("Llama-2 7B", "llama-2-7b"),
    ("Llama-3.2-3B", "llama-3.2-3b"),
    ("Llama-4-Scout-17B-16E-Instruct", "llama-4-scout"),
    ("Llama2-7B", "llama-2-7b"),
    ("Llama3 70B", "llama-3-70b"),
    ("Llama3 70B 2-node", "llama-3-70b"),
    ("Llama3 8B", "llama-3-8b"),
    ("Mistral 7B v0.2", "mistral-7b-v0.2"),
    ("Moonlight-16B-A3B-Instruct", "moonlight-16b-a3b"),
    ("Phi-3-mini-4k-instruct", "phi-3-mini"),
    ("Phi3-mini (3.8B)", "phi-3-mini"),
    ("Qwen-1.8B", "qwen-1-1.8b"),
    ("Qwen-1.8B-Chat", "qwen-1-1.8b"),
    ("Qwen-14B", "qwen-1-14b"),
    ("Qwen-14B-Chat", "qwen-1-14b"),
    ("Qwen-72B", "qwen-1-72b"),
    ("Qwen-7B", "qwen-1-7b"),
    ("Qwen-7B-Chat", "qwen-1-7b"),
    ("Qwen-VL (9.6B incl. ViT-bigG)", "qwen-1-7b"),
    ("Qwen1.5-MoE-A2.7B", "qwen-1.5-moe-a2.7b"),
    ("Qwen2.5 32B", "qwen-2.5-32b"),
    ("Qwen2.5 7B", "qwen-2.5-7b"),
    ("Qwen2.5-32B", "qwen-2.5-32b"),
    ("Qwen2.5-3B", "qwen-2.5-3b"),
    ("Qwen2.5-3B-Instruct", "qwen-2.5-3b"),
    ("Qwen2.5-72B-Instruct", "qwen-2.5-72b"),
    ("Qwen2.5-7B", "qwen-2.5-7b"),
    ("Qwen2.5-7B-Instruct", "qwen-2.5-7b"),
    ("Qwen2.5-7B-Instruct-AWQ", "qwen-2.5-7b"),
    ("Qwen3-235B-A22B-Instruct-2507", "qwen-3-235b-a22b"),
    ("Qwen3-30B-A3B", "qwen-3-30b-a3b"),
    ("Qwen3-30B-A3B-Base", "qwen-3-30b-a3b"),
    ("Qwen3-30B-A3B-Instruct-2507", "qwen-3-30b-a3b"),
    ("Qwen3-30B-A3B-Instruct-2507-FP8", "qwen-3-30b-a3b"),
    ("Qwen3-32B", "qwen-3-32b"),
    ("StableLM Alpha 3B", "stablelm-alpha-3b"),
    ("Yi 34B", "yi-34b"),
    ("Yi-34B-Chat", "yi-34b"),
    ("allenai/Olmo-3-7B-Instruct-SFT", "olmo-3-7b"),
    ("bigscience/bloomz-7b1", "bloom-7.1b"),
    ("casperhansen/llama-3-70b-fp16", "llama-3-70b"),
    ("falcon-7b", "falcon-7b"),
    ("gemma-2b", "gemma-2b"),
    ("gemma-7b", "gemma-7b"),
    ("gpt-oss-20B", "gpt-oss-20b"),
    ("gpt-oss-20b", "gpt-oss-20b"),
    ("llama-2-7b", "llama-2-7b"),
    ("llama-3-8b", "llama-3-8b"),
    ("llama-3.1-8b", "llama-3.1-8b"),
    ("llama-3.2-3b", "llama-3.2-3b"),
    ("mistral-7b", "mistral-7b"),
    ("mistral-7b-v0.2", "mistral-7b-v0.2"),
    ("mistralai/Devstral-Small-2507", "mistral-small-24b"),
    ("mistralai/Magistral-Small-2506", "mistral-small-24b"),
    ("mistralai/Ministral-8B-Instruct-2410", "ministral-8b"),
    ("phi-1.5 (1.3B)", "phi-1.5"),
    ("phi-2", "phi-2"),
    ("stablelm-base-alpha-3b", "stablelm-alpha-3b"),
    ("swiss-ai/Apertus-8B-Instruct-2509", "apertus-8b"),
    ("tiny-llama", "tinyllama-1.1b"),
];

/// Returns the catalog's entry of a fine-tuned model.
pub fn find(row: &Row) -> Option<&'static ModelEntry> {
    // `LitGPT`'s hub prints gemma-2b beside its configurations of Gemma 2 (config_hub/finetune/gemma2-2b).
    if has(&row.notes, &["gemma2-2b/", "gemma2b/"]) {
        return catalog::model("gemma-2-2b");
    }
    let name = NAMES.iter().find(|(name, _)| *name == row.model);
    name.and_then(|(_, id)| catalog::model(id))
}
