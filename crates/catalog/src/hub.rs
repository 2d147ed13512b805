//! Repositories of models on the Hugging Face Hub: the names by which settings refer to the model
//! to load, and an adapter's configuration to its base model.

use super::{ModelEntry, model};
use engine::scenario::Id;

/// Words of names for how a model was tuned, stored or published; they do not identify a model.
pub(crate) const OTHER_WORDS: [&str; 40] = [
    "instruct", "chat", "hf", "base", "it", "pt", "bnb", "4bit", "8bit", "unsloth", "meta", "gptq", "awq", "int4",
    "fp8", "dynamic", "bf16", "gguf", "default", "lora", "qlora", "preview", "pretrain", "config", "nf4", "mxfp4",
    "nvfp4", "fp4", "int8", "fp16", "mlx", "3bit", "5bit", "6bit", "mxfp8", "block", "w4a16", "w8a8", "4bits", "8bits",
];

/// Identifiers of the catalog with the repository of the weights, the pretrained ones if published.
const REPOSITORIES: &[(Id, &str)] = include!(concat!(env!("OUT_DIR"), "/repositories.rs"));

/// Returns the repository of a model.
pub fn repository(id: &str) -> Option<&'static str> {
    REPOSITORIES.iter().find(|(own, _)| *own == id).map(|(_, repository)| *repository)
}

/// Returns the model of a repository or of a path to one. Chat models, mirrors and quantized copies
/// are recognised by their names.
///
/// ```
/// use catalog::hub::model_of;
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

/// Returns the last part of a path in lower case, without [`OTHER_WORDS`].
fn plain(name: &str) -> String {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let words = last.split(['-', '_']).filter(|word| !word.is_empty() && !OTHER_WORDS.contains(word));
    words.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::{REPOSITORIES, model_of, plain, repository};
    use crate::model;

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
