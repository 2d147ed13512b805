//! Repositories of models on the Hugging Face Hub: what settings name as the model to load, and by which an adapter's
//! configuration names its base.

use super::{ModelEntry, model};
use crate::scenario::Id;

/// Identifiers of the catalog with the repository of the weights, the pretrained one where there is one.
const REPOSITORIES: &[(Id, &str)] = &[
    ("llama-1-7b", "huggyllama/llama-7b"),
    ("llama-1-13b", "huggyllama/llama-13b"),
    ("llama-1-33b", "huggyllama/llama-30b"),
    ("llama-1-65b", "huggyllama/llama-65b"),
    ("llama-2-7b", "meta-llama/Llama-2-7b-hf"),
    ("llama-2-13b", "meta-llama/Llama-2-13b-hf"),
    ("llama-2-70b", "meta-llama/Llama-2-70b-hf"),
    ("llama-3-8b", "meta-llama/Meta-Llama-3-8B"),
    ("llama-3-70b", "meta-llama/Meta-Llama-3-70B"),
    ("llama-3.1-8b", "meta-llama/Llama-3.1-8B"),
    ("llama-3.1-70b", "meta-llama/Llama-3.1-70B"),
    ("llama-3.1-405b", "meta-llama/Llama-3.1-405B"),
    ("llama-3.2-1b", "meta-llama/Llama-3.2-1B"),
    ("llama-3.2-3b", "meta-llama/Llama-3.2-3B"),
    ("llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct"),
    ("llama-4-scout", "meta-llama/Llama-4-Scout-17B-16E"),
    ("llama-4-maverick", "meta-llama/Llama-4-Maverick-17B-128E"),
    ("code-llama-34b", "codellama/CodeLlama-34b-hf"),
    ("tinyllama-1.1b", "TinyLlama/TinyLlama_v1.1"),
    ("mistral-7b", "mistralai/Mistral-7B-v0.1"),
    ("mistral-7b-v0.2", "mistralai/Mistral-7B-Instruct-v0.2"),
    ("mistral-7b-v0.3", "mistralai/Mistral-7B-v0.3"),
    ("ministral-8b", "mistralai/Ministral-8B-Instruct-2410"),
    ("mistral-nemo-12b", "mistralai/Mistral-Nemo-Base-2407"),
    ("mistral-small-24b", "mistralai/Mistral-Small-24B-Base-2501"),
    ("mistral-large-2", "mistralai/Mistral-Large-Instruct-2407"),
    ("codestral-22b", "mistralai/Codestral-22B-v0.1"),
    ("mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"),
    ("mixtral-8x22b", "mistralai/Mixtral-8x22B-v0.1"),
    ("qwen-1-1.8b", "Qwen/Qwen-1_8B"),
    ("qwen-1-7b", "Qwen/Qwen-7B"),
    ("qwen-1-14b", "Qwen/Qwen-14B"),
    ("qwen-1-72b", "Qwen/Qwen-72B"),
    ("qwen-2-1.5b", "Qwen/Qwen2-1.5B"),
    ("qwen-2-7b", "Qwen/Qwen2-7B"),
    ("qwen-2-72b", "Qwen/Qwen2-72B"),
    ("qwen-2.5-0.5b", "Qwen/Qwen2.5-0.5B"),
    ("qwen-2.5-1.5b", "Qwen/Qwen2.5-1.5B"),
    ("qwen-2.5-3b", "Qwen/Qwen2.5-3B"),
    ("qwen-2.5-7b", "Qwen/Qwen2.5-7B"),
    ("qwen-2.5-14b", "Qwen/Qwen2.5-14B"),
    ("qwen-2.5-32b", "Qwen/Qwen2.5-32B"),
    ("qwen-2.5-72b", "Qwen/Qwen2.5-72B"),
    ("qwen-3-0.6b", "Qwen/Qwen3-0.6B"),
    ("qwen-3-1.7b", "Qwen/Qwen3-1.7B"),
    ("qwen-3-4b", "Qwen/Qwen3-4B"),
    ("qwen-3-8b", "Qwen/Qwen3-8B"),
    ("qwen-3-14b", "Qwen/Qwen3-14B"),
    ("qwen-3-32b", "Qwen/Qwen3-32B"),
    ("qwen-3-coder-480b-a35b", "Qwen/Qwen3-Coder-480B-A35B-Instruct"),
    ("qwen-3.5-35b-a3b", "Qwen/Qwen3.5-35B-A3B"),
    ("qwen-3.5-397b-a17b", "Qwen/Qwen3.5-397B-A17B"),
    ("qwen-1.5-moe-a2.7b", "Qwen/Qwen1.5-MoE-A2.7B"),
    ("qwen-2-57b-a14b", "Qwen/Qwen2-57B-A14B"),
    ("qwen-3-30b-a3b", "Qwen/Qwen3-30B-A3B"),
    ("qwen-3-235b-a22b", "Qwen/Qwen3-235B-A22B"),
    ("deepseek-llm-7b", "deepseek-ai/deepseek-llm-7b-base"),
    ("deepseek-llm-67b", "deepseek-ai/deepseek-llm-67b-base"),
    ("deepseek-v2-lite", "deepseek-ai/DeepSeek-V2-Lite"),
    ("deepseek-v2", "deepseek-ai/DeepSeek-V2"),
    ("deepseek-v3", "deepseek-ai/DeepSeek-V3-Base"),
    ("moonlight-16b-a3b", "moonshotai/Moonlight-16B-A3B"),
    ("kimi-k2", "moonshotai/Kimi-K2-Base"),
    ("gemma-2b", "google/gemma-2b"),
    ("gemma-7b", "google/gemma-7b"),
    ("gemma-2-2b", "google/gemma-2-2b"),
    ("gemma-2-9b", "google/gemma-2-9b"),
    ("gemma-2-27b", "google/gemma-2-27b"),
    ("gemma-3-1b", "google/gemma-3-1b-pt"),
    ("gemma-3-4b", "google/gemma-3-4b-pt"),
    ("gemma-3-12b", "google/gemma-3-12b-pt"),
    ("gemma-3-27b", "google/gemma-3-27b-pt"),
    ("gemma-4-26b-a4b", "google/gemma-4-26b-a4b-it"),
    ("gemma-4-31b", "google/gemma-4-31b-it"),
    ("chatglm-3-6b", "zai-org/chatglm3-6b"),
    ("glm-4-9b-chat", "zai-org/glm-4-9b-chat"),
    ("glm-4-9b-0414", "zai-org/GLM-4-9B-0414"),
    ("glm-4.5-air", "zai-org/GLM-4.5-Air"),
    ("glm-4.5", "zai-org/GLM-4.5"),
    ("phi-1.5", "microsoft/phi-1_5"),
    ("phi-2", "microsoft/phi-2"),
    ("phi-3-mini", "microsoft/Phi-3-mini-4k-instruct"),
    ("phi-3-medium", "microsoft/Phi-3-medium-4k-instruct"),
    ("phi-3.5-mini", "microsoft/Phi-3.5-mini-instruct"),
    ("phi-3.5-moe", "microsoft/Phi-3.5-MoE-instruct"),
    ("phi-4", "microsoft/phi-4"),
    ("phi-4-mini", "microsoft/Phi-4-mini-instruct"),
    ("gpt-2", "openai-community/gpt2"),
    ("gpt-2-medium", "openai-community/gpt2-medium"),
    ("gpt-2-large", "openai-community/gpt2-large"),
    ("gpt-2-xl", "openai-community/gpt2-xl"),
    ("gpt-oss-20b", "openai/gpt-oss-20b"),
    ("gpt-oss-120b", "openai/gpt-oss-120b"),
    ("opt-125m", "facebook/opt-125m"),
    ("opt-1.3b", "facebook/opt-1.3b"),
    ("opt-2.7b", "facebook/opt-2.7b"),
    ("opt-6.7b", "facebook/opt-6.7b"),
    ("opt-13b", "facebook/opt-13b"),
    ("opt-30b", "facebook/opt-30b"),
    ("opt-66b", "facebook/opt-66b"),
    ("bloom-560m", "bigscience/bloom-560m"),
    ("bloom-1.1b", "bigscience/bloom-1b1"),
    ("bloom-1.7b", "bigscience/bloom-1b7"),
    ("bloom-3b", "bigscience/bloom-3b"),
    ("bloom-7.1b", "bigscience/bloom-7b1"),
    ("bloom-176b", "bigscience/bloom"),
    ("mpt-7b", "mosaicml/mpt-7b"),
    ("mpt-30b", "mosaicml/mpt-30b"),
    ("pythia-70m", "EleutherAI/pythia-70m"),
    ("pythia-160m", "EleutherAI/pythia-160m"),
    ("pythia-410m", "EleutherAI/pythia-410m"),
    ("pythia-1b", "EleutherAI/pythia-1b"),
    ("pythia-1.4b", "EleutherAI/pythia-1.4b"),
    ("pythia-2.8b", "EleutherAI/pythia-2.8b"),
    ("pythia-6.9b", "EleutherAI/pythia-6.9b"),
    ("pythia-12b", "EleutherAI/pythia-12b"),
    ("gpt-neox-20b", "EleutherAI/gpt-neox-20b"),
    ("falcon-7b", "tiiuae/falcon-7b"),
    ("falcon-40b", "tiiuae/falcon-40b"),
    ("falcon-180b", "tiiuae/falcon-180B"),
    ("falcon-3-1b", "tiiuae/Falcon3-1B-Base"),
    ("falcon-3-3b", "tiiuae/Falcon3-3B-Base"),
    ("falcon-3-7b", "tiiuae/Falcon3-7B-Base"),
    ("falcon-3-10b", "tiiuae/Falcon3-10B-Base"),
    ("stablelm-alpha-3b", "stabilityai/stablelm-base-alpha-3b"),
    ("stablelm-alpha-7b", "stabilityai/stablelm-base-alpha-7b"),
    ("stablelm-3b-4e1t", "stabilityai/stablelm-3b-4e1t"),
    ("smollm-2-135m", "HuggingFaceTB/SmolLM2-135M"),
    ("smollm-2-360m", "HuggingFaceTB/SmolLM2-360M"),
    ("smollm-2-1.7b", "HuggingFaceTB/SmolLM2-1.7B"),
    ("smollm-3-3b", "HuggingFaceTB/SmolLM3-3B-Base"),
    ("yi-6b", "01-ai/Yi-6B"),
    ("yi-9b", "01-ai/Yi-9B"),
    ("yi-34b", "01-ai/Yi-34B"),
    ("internlm-7b", "internlm/internlm-7b"),
    ("internlm-20b", "internlm/internlm-20b"),
    ("internlm-2-7b", "internlm/internlm2-7b"),
    ("internlm-2-20b", "internlm/internlm2-20b"),
    ("baichuan-2-7b", "baichuan-inc/Baichuan2-7B-Base"),
    ("baichuan-2-13b", "baichuan-inc/Baichuan2-13B-Base"),
    ("command-r7b", "CohereLabs/c4ai-command-r7b-12-2024"),
    ("command-r-35b", "CohereLabs/c4ai-command-r-v01"),
    ("command-r-plus-104b", "CohereLabs/c4ai-command-r-plus"),
    ("olmo-2-1b", "allenai/OLMo-2-0425-1B"),
    ("olmo-2-7b", "allenai/OLMo-2-1124-7B"),
    ("olmo-2-13b", "allenai/OLMo-2-1124-13B"),
    ("olmo-3-7b", "allenai/Olmo-3-1025-7B"),
    ("olmo-3-32b", "allenai/Olmo-3-32B-Think"),
    ("jamba-52b", "ai21labs/Jamba-v0.1"),
    ("minimax-m2", "MiniMaxAI/MiniMax-M2"),
    ("olmoe-1b-7b", "allenai/OLMoE-1B-7B-0924"),
    ("apertus-8b", "swiss-ai/Apertus-8B-2509"),
    ("granite-4-h-micro", "ibm-granite/granite-4.0-h-micro"),
    ("granite-4-h-tiny", "ibm-granite/granite-4.0-h-tiny"),
    ("granite-4-h-small", "ibm-granite/granite-4.0-h-small"),
    ("falcon-h1-0.5b", "tiiuae/Falcon-H1-0.5B-Base"),
    ("falcon-h1-1.5b", "tiiuae/Falcon-H1-1.5B-Base"),
    ("falcon-h1-3b", "tiiuae/Falcon-H1-3B-Base"),
    ("falcon-h1-7b", "tiiuae/Falcon-H1-7B-Base"),
    ("kimi-linear-48b-a3b", "moonshotai/Kimi-Linear-48B-A3B-Base"),
    ("minimax-text-01", "MiniMaxAI/MiniMax-Text-01-hf"),
    ("qwen-2.5-vl-7b", "Qwen/Qwen2.5-VL-7B-Instruct"),
    ("llama-3.2-11b-vision", "meta-llama/Llama-3.2-11B-Vision"),
    ("gemma-4-e2b", "google/gemma-4-E2B-it"),
    ("gemma-4-e4b", "google/gemma-4-E4B-it"),
    ("granite-3-2b", "ibm-granite/granite-3.0-2b-base"),
    ("granite-3-8b", "ibm-granite/granite-3.0-8b-base"),
    ("starcoder-2-3b", "bigcode/starcoder2-3b"),
    ("starcoder-2-7b", "bigcode/starcoder2-7b"),
    ("starcoder-2-15b", "bigcode/starcoder2-15b"),
    ("dbrx", "databricks/dbrx-base"),
];

/// The repository of a model.
pub fn repository(id: &str) -> Option<&'static str> {
    REPOSITORIES.iter().find(|(own, _)| *own == id).map(|(_, repository)| *repository)
}

/// The model of a repository or of a path to one: chat models, mirrors and quantized copies are recognised by their names.
///
/// ```
/// use engine::catalog::hub::model_of;
///
/// let id = |name| model_of(name).map(|entry| entry.id);
/// assert_eq!(id("meta-llama/Llama-3.1-8B"), Some("llama-3.1-8b"));
/// assert_eq!(id("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit"), Some("llama-3.1-8b"));
/// assert_eq!(id("mistralai/Mistral-7B-Instruct-v0.3"), Some("mistral-7b-v0.3"));
/// assert_eq!(id("acme/unheard-of-7b"), None);
/// ```
pub fn model_of(name: &str) -> Option<&'static ModelEntry> {
    let wanted = plain(name);
    let found = REPOSITORIES.iter().find(|(_, repository)| plain(repository) == wanted);
    found.map_or_else(|| model(&wanted), |(id, _)| model(id))
}

/// Words of names that say how a model was tuned, stored or published, and not which one it is.
const OTHER_WORDS: [&str; 18] = [
    "instruct", "chat", "hf", "base", "it", "pt", "bnb", "4bit", "8bit", "unsloth", "meta", "gptq", "awq", "int4",
    "fp8", "dynamic", "bf16", "gguf",
];

/// The last part of a path in lower case, without the words that do not matter.
fn plain(name: &str) -> String {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let words = last.split(['-', '_']).filter(|word| !word.is_empty() && !OTHER_WORDS.contains(word));
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::{REPOSITORIES, model_of, plain, repository};
    use crate::catalog::model;

    #[test]
    fn repositories_are_of_models_of_the_catalog_and_tell_them_apart() {
        for (id, repository) in REPOSITORIES {
            assert!(model(id).is_some(), "{id}");
            assert_eq!(model_of(repository).map(|entry| entry.id), Some(*id), "{repository}");
            let same = REPOSITORIES.iter().filter(|(_, other)| plain(other) == plain(repository)).count();
            assert_eq!(same, 1, "{repository}");
        }
        assert_eq!(repository("megatron-1.7b"), None);
        assert_eq!(model_of("").map(|entry| entry.id), None);
    }
}
