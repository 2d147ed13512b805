//! Other names of catalog entries: identifiers, names on the page, repositories of the Hugging Face
//! Hub, the output of `nvidia-smi`, and checkpoints that have the shape of another model.

use std::sync::LazyLock;

use super::{
    ACCELERATORS, AcceleratorEntry, CLUSTERS, ClusterEntry, MODELS, ModelEntry, accelerator, cluster, hub, model,
};
use crate::size::other_size;
use engine::nearest::{Names, is_near, letters, nearest};

/// An entry found by a name.
#[derive(Clone, Copy, Debug)]
pub struct Named<T: 'static> {
    /// The entry.
    pub entry: &'static T,
    /// Whether the name is no exact name of the entry, so that the answer should state which entry
    /// was taken: a fine-tuned model, a GPU without its form factor.
    pub is_taken: bool,
}

/// Words of names that say another member of a family, where no size says which.
const OTHER_MEMBERS: [&str; 23] = [
    "air", "flash", "flashx", "lite", "mini", "nano", "micro", "tiny", "small", "medium", "large", "xl", "plus", "max",
    "pro", "turbo", "super", "ultra", "reap", "pruned", "slim", "distill", "moe",
];

/// Names of models that do not contain the name of their shape: a part of the name, and the catalog
/// model. If the catalog model ends in `-`, the size in the name follows it.
const SHAPES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/checkpoints.rs"));

/// Names that are refused: parts of the names, the types in a `config.json`, and what the sentence
/// says after the name.
const REFUSED: &[(&[&str], &[&str], &str)] = include!(concat!(env!("OUT_DIR"), "/refused.rs"));

/// Returns what a sentence says after the name of a model that the calculator does not model, or
/// that no row describes: what it is, and what to do instead.
///
/// ```
/// use catalog::names::refusal;
///
/// assert!(refusal("google-bert/bert-base-uncased").unwrap().starts_with("is an encoder"));
/// assert!(refusal("FacebookAI/xlm-roberta-large").unwrap().starts_with("is an encoder"));
/// assert_eq!(refusal("meta-llama/Llama-3.1-8B"), None);
/// ```
pub fn refusal(name: &str) -> Option<&'static str> {
    let spelled = spelled(name);
    let is_of = |part: &&str| match part.strip_prefix('*') {
        Some(end) => spelled.split('-').any(|word| word.ends_with(end)),
        None => parted(&spelled, part).is_some(),
    };
    REFUSED.iter().find(|(names, ..)| names.iter().any(&is_of)).map(|(.., says)| *says)
}

/// Returns [`refusal`] by the `model_type` of a `config.json`.
pub fn refusal_of_type(kind: &str) -> Option<&'static str> {
    REFUSED.iter().find(|(_, types, _)| types.contains(&kind)).map(|(.., says)| *says)
}

/// Lists every `model_type` that is refused.
pub fn refused_types() -> impl Iterator<Item = &'static str> {
    REFUSED.iter().flat_map(|(_, types, _)| types.iter().copied())
}

/// Returns the last part of a name in lower case, with hyphens.
fn spelled(name: &str) -> String {
    last_part(name.trim()).to_ascii_lowercase().replace(['_', ' '], "-")
}

/// Returns the words of a name's last part, in lower case, without [`hub::OTHER_WORDS`].
fn words(name: &str) -> Vec<String> {
    let last = last_part(name).to_ascii_lowercase();
    let parts = last.split(['-', '_', ' ', ':']).filter(|word| !word.is_empty() && !hub::OTHER_WORDS.contains(word));
    parts.map(str::to_owned).collect()
}

/// Returns the text after the last slash of a name or a path.
fn last_part(name: &str) -> &str {
    name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Whether a separator is in a place where a word is missing: `llama-3.-8b` could be a typo for one
/// of several models.
fn is_broken(name: &str) -> bool {
    let is_separator = |sign: char| matches!(sign, '-' | '_' | '.' | ' ' | ':');
    let mut before = true;
    for sign in last_part(name.trim()).chars() {
        if is_separator(sign) && before {
            return true;
        }
        before = is_separator(sign);
    }
    before
}

/// Compact names of every model, without and with their points.
static COMPACT: LazyLock<Vec<(String, String, &ModelEntry)>> = LazyLock::new(|| {
    let names = MODELS.iter().flat_map(|entry| names_of(entry).map(move |name| (words(name).concat(), entry)));
    names.map(|(name, entry)| (name.replace('.', ""), name, entry)).collect()
});

/// Returns the model of a compact name. A compact name without its points (`llama318b`) counts only
/// if it is unique: OPT has 1.3B and 13B.
fn known(compact: &str) -> Option<&'static ModelEntry> {
    if compact.len() < 4 {
        return None;
    }
    if let Some((_, _, entry)) = COMPACT.iter().find(|(_, name, _)| name == compact) {
        return Some(entry);
    }
    let wanted = compact.replace('.', "");
    let mut found = COMPACT.iter().filter(|(bare, ..)| *bare == wanted).map(|(_, _, entry)| *entry);
    let first = found.next()?;
    found.all(|other| other.id == first.id).then_some(first)
}

/// Lists the names of a model: its identifier, its name on the page, its repository.
fn names_of(entry: &'static ModelEntry) -> impl Iterator<Item = &'static str> {
    [entry.id, entry.name].into_iter().chain(hub::repository(entry.id))
}

/// Returns the model of a name: a name of the catalog, of the Hub, of a path, or of a checkpoint
/// that was tuned from a model.
///
/// ```
/// use catalog::names::model_named;
///
/// let id = |name| model_named(name).map(|found| (found.entry.id, found.is_taken));
/// assert_eq!(id("meta-llama/Llama-3.1-8B"), Some(("llama-3.1-8b", false)));
/// assert_eq!(id("Llama 3.1 8B"), Some(("llama-3.1-8b", false)));
/// assert_eq!(id("NousResearch/Hermes-3-Llama-3.1-8B"), Some(("llama-3.1-8b", true)));
/// assert_eq!(id("acme/unheard-of-7b"), None);
/// ```
pub fn model_named(name: &str) -> Option<Named<ModelEntry>> {
    let exactly = |entry| Some(Named { entry, is_taken: false });
    if let Some(entry) = model(&name.trim().to_ascii_lowercase()) {
        return exactly(entry);
    }
    if is_broken(name) {
        return None;
    }
    let spelled = spelled(name);
    if let Some(entry) = hub::model_of(name) {
        return exactly(entry);
    }
    if let Some(entry) = shaped_as(&spelled) {
        return Some(Named { entry, is_taken: true });
    }
    let words = words(name);
    let compact = words.concat();
    if let Some(entry) = known(&compact) {
        return exactly(entry);
    }
    if refusal(name).is_some() {
        return None;
    }
    let entry = tuned(&words, &compact, &spelled).filter(|entry| says_its_size(&spelled, entry))?;
    Some(Named { entry, is_taken: true })
}

/// Whether a name says no size that differs from the model's: a name that does is another model,
/// whatever else it contains.
fn says_its_size(name: &str, entry: &'static ModelEntry) -> bool {
    other_size(name, entry.params as f64, names_of(entry)).is_none()
}

/// Returns the model whose shape a checkpoint has, by the longest part in the table [`SHAPES`]
/// that stands between separators and agrees with the rest of the name.
fn shaped_as(name: &str) -> Option<&'static ModelEntry> {
    let found = SHAPES.iter().filter_map(|(part, shape)| {
        let (before, after) = parted(name, part)?;
        let entry = if shape.ends_with('-') {
            let size = after.split('-').find(|word| word.ends_with('b'))?;
            model(&format!("{shape}{size}"))?
        } else {
            model(shape)?
        };
        let is_another =
            |word: &str| OTHER_MEMBERS.contains(&word) || FAMILIES.iter().any(|family| is_of(word, family));
        let is_it = says_its_size(name, entry)
            && [before, after].iter().all(|rest| refusal(rest).is_none() && !rest.split('-').any(is_another));
        is_it.then_some((part.len(), entry))
    });
    found.max_by_key(|(length, _)| *length).map(|(_, entry)| entry)
}

/// Splits a name at a part that stands between separators; a point continues a version. A part
/// that ends with a separator or a point may be followed by anything.
fn parted<'a>(name: &'a str, part: &str) -> Option<(&'a str, &'a str)> {
    let continues = |sign: char| sign.is_alphanumeric() || sign == '.';
    name.match_indices(part).find_map(|(at, _)| {
        let (before, after) = (name.get(..at)?, name.get(at + part.len()..)?);
        let is_part =
            !before.ends_with(continues) && (!part.ends_with(char::is_alphanumeric) || !after.starts_with(continues));
        is_part.then_some((before, after))
    })
}

/// Names of families that a version or a size follows: `llama`, `qwen`.
static FAMILIES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let of = |entry: &'static ModelEntry| {
        let (family, rest) = entry.id.split_once('-')?;
        (family.len() > 1 && rest.starts_with(|sign: char| sign.is_ascii_digit())).then_some(family)
    };
    let mut all: Vec<&str> = MODELS.iter().filter_map(of).collect();
    all.sort_unstable();
    all.dedup();
    all
});

/// Whether a word names a family, with or without a version: `qwen`, `qwen3`.
fn is_of(word: &str, family: &str) -> bool {
    word.strip_prefix(family).is_some_and(|rest| rest.chars().all(|sign| sign.is_ascii_digit() || sign == '.'))
}

/// Letters of every model's identifier.
static IDS: LazyLock<Vec<(String, &str)>> =
    LazyLock::new(|| MODELS.iter().map(|entry| (letters(entry.id), entry.id)).collect());

/// Returns the model in a longer name (`Llama-3.1-8B-Lexi`): the longest run of words that names
/// one. The remaining words must contain no size or version, which would make it another model, and
/// no other kind or member of a family, no checkpoint of another model, and the whole name must be
/// no typo of another model's name.
fn tuned(words: &[String], compact: &str, spelled: &str) -> Option<&'static ModelEntry> {
    let mut best: Option<(&ModelEntry, usize, usize)> = None;
    for start in 0..words.len().min(12) {
        for end in start + 1..=words.len().min(start + 8) {
            let part = words.get(start..end).unwrap_or_default().concat();
            if part.len() > 5
                && best.is_none_or(|(_, from, to)| end - start > to - from)
                && let Some(entry) = known(&part)
            {
                best = Some((entry, start, end));
            }
        }
    }
    let (entry, start, end) = best?;
    let mut left = words.iter().enumerate().filter(|(place, _)| *place < start || *place >= end);
    let has_size = words.get(start..end).unwrap_or_default().iter().any(|word| is_size(word));
    let is_another = left.any(|(place, word)| {
        is_size(word) || place == end && is_version(word) || !has_size && OTHER_MEMBERS.contains(&word.as_str())
    });
    let run = words.get(start..end).unwrap_or_default().join("-");
    // `DeepSeek-R1-Qwen-7B` is neither the first nor Qwen 7B.
    let is_another =
        is_another || SHAPES.iter().any(|(part, _)| !run.contains(part) && parted(spelled, part).is_some());
    let letters = letters(compact);
    let is_slip = || IDS.iter().any(|(own, id)| *id != entry.id && is_near(own, &letters));
    (!is_another && !is_slip()).then_some(entry)
}

/// Whether a word is a size: `7b`, `a22b`, `8x7b`, `350m`.
fn is_size(word: &str) -> bool {
    let Some(digits) = word.strip_suffix(['b', 'm']) else { return false };
    let digits = digits.strip_prefix(['a', 'e']).unwrap_or(digits);
    !digits.is_empty() && digits.chars().all(|sign| sign.is_ascii_digit() || sign == 'x')
}

/// Whether a word continues a version: the `5` of `minimax-m2.5`. Four digits are a date.
fn is_version(word: &str) -> bool {
    word.len() <= 2 && word.chars().all(|sign| sign.is_ascii_digit())
}

/// Further names of GPUs, including those of `nvidia-smi`, by letters and digits alone.
const GPUS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/gpu_names.rs"));

/// Vendor words in front of a GPU's name.
const VENDORS: [&str; 11] =
    ["nvidia", "geforce", "quadro", "tesla", "amd", "instinct", "radeon", "intel", "apple", "huawei", "google"];

/// Returns the letters and digits of a hardware name, without the vendor.
fn hardware(name: &str) -> String {
    let words = name.split(|sign: char| !sign.is_alphanumeric()).map(str::to_ascii_lowercase);
    words.filter(|word| !VENDORS.contains(&word.as_str())).collect()
}

/// Identifiers and names of the catalog's GPUs.
static HARDWARE: LazyLock<Vec<(String, &AcceleratorEntry)>> = LazyLock::new(|| {
    ACCELERATORS.iter().flat_map(|entry| [entry.id, entry.name].map(|name| (hardware(name), entry))).collect()
});

/// Returns the GPU of a name: of the catalog, of the page, of `nvidia-smi`.
///
/// ```
/// use catalog::names::gpu_named;
///
/// let id = |name| gpu_named(name).map(|found| (found.entry.id, found.is_taken));
/// assert_eq!(id("NVIDIA A100-SXM4-80GB"), Some(("a100-80gb", false)));
/// assert_eq!(id("H100"), Some(("h100-sxm", true)));
/// assert_eq!(id("A100"), None);
/// ```
pub fn gpu_named(name: &str) -> Option<Named<AcceleratorEntry>> {
    let wanted = hardware(name);
    if let Some((_, entry)) = HARDWARE.iter().find(|(own, _)| *own == wanted) {
        return Some(Named { entry, is_taken: false });
    }
    // `A100-40G`, `A100 40 Go`.
    let in_gb = wanted.strip_suffix("go").or_else(|| wanted.strip_suffix('g'));
    if let Some(name) = in_gb.filter(|name| name.ends_with(|sign: char| sign.is_ascii_digit())) {
        return gpu_named(&format!("{name}gb"));
    }
    let (_, id) = GPUS.iter().find(|(called, _)| *called == wanted)?;
    let entry = accelerator(id)?;
    // The bare name of a GPU that has several form factors.
    Some(Named { entry, is_taken: matches!(wanted.as_str(), "h100" | "gh200") })
}

/// Names without a form or a memory, each with the GPU that is assumed for it.
const ASSUMED_GPUS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/assumed_gpus.rs"));

/// Returns the GPU that is assumed for a name of several: the 80 GB one for `A100`.
pub fn gpu_assumed(name: &str) -> Option<&'static AcceleratorEntry> {
    let wanted = hardware(name);
    ASSUMED_GPUS.iter().find(|(called, _)| *called == wanted).and_then(|(_, id)| accelerator(id))
}

/// GPUs that are more common than others with as much memory.
const COMMON_GPUS: &[&str] = include!(concat!(env!("OUT_DIR"), "/common_gpus.rs"));

/// Returns the most common GPU with a memory in GiB, else the first of the catalog.
pub fn gpu_with_memory(gib: f64) -> Option<&'static AcceleratorEntry> {
    let common = COMMON_GPUS.iter().filter_map(|id| accelerator(id));
    common.chain(ACCELERATORS).find(|entry| entry.values.memory.gib() == gib)
}

/// Further names of clusters, by letters and digits alone.
const NODES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/cluster_names.rs"));

/// Usual cluster of a GPU that several clusters have.
const USUAL_NODES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/usual_clusters.rs"));

/// Returns the usual cluster of a GPU: by the table, else the first of the catalog that has the
/// GPU.
pub fn usual_node(gpu: &str) -> Option<&'static ClusterEntry> {
    let usual = USUAL_NODES.iter().find(|(own, _)| *own == gpu).and_then(|(_, id)| cluster(id));
    usual.or_else(|| CLUSTERS.iter().find(|entry| entry.accelerator == gpu))
}

/// Identifiers and names of the catalog's clusters.
static DESIGNS: LazyLock<Vec<(String, &ClusterEntry)>> = LazyLock::new(|| {
    CLUSTERS.iter().flat_map(|entry| [entry.id, entry.name].map(|name| (letters(name), entry))).collect()
});

/// Returns the cluster of a name: of the catalog, of the page, of a cloud, or of a GPU, whose usual
/// cluster is taken.
///
/// ```
/// use catalog::names::cluster_named;
///
/// let id = |name| cluster_named(name).map(|found| found.entry.id);
/// assert_eq!(id("DGX_H100"), Some("dgx-h100"));
/// assert_eq!(id("h100"), Some("dgx-h100"));
/// assert_eq!(id("p5.48xlarge"), Some("p5"));
/// ```
pub fn cluster_named(name: &str) -> Option<Named<ClusterEntry>> {
    let wanted = letters(name);
    let own = DESIGNS.iter().find(|(own, _)| *own == wanted).map(|(_, entry)| *entry);
    let node = || NODES.iter().find(|(called, _)| *called == wanted).and_then(|(_, id)| cluster(id));
    if let Some(entry) = own.or_else(node) {
        return Some(Named { entry, is_taken: wanted == "dgxa100" });
    }
    let entry = usual_node(gpu_named(name)?.entry.id)?;
    Some(Named { entry, is_taken: true })
}

/// Splits the number of GPUs from a name of theirs or of their nodes: `8xH100`, `8 x A100 80GB`,
/// `2x8xH100`, `2x p5.48xlarge`.
///
/// Nodes of another size than the usual one are not understood.
pub fn counted(name: &str) -> Option<(u32, &str)> {
    let (count, rest) = name.trim().split_once(['x', 'X', '×', '*'])?;
    let count: u32 = count.trim().parse().ok().filter(|count| *count > 0)?;
    let rest = rest.trim();
    if gpu_named(rest).is_some() {
        return Some((count, rest));
    }
    let in_node = |name: &str| cluster_named(name).map(|named| named.entry.gpus_per_node);
    let (each, name) = counted(rest).map_or_else(
        || in_node(rest).map(|each| (each, rest)),
        |(each, gpu)| (in_node(gpu) == Some(each)).then_some((each, gpu)),
    )?;
    Some((count.checked_mul(each)?, name))
}

/// Lists models with names similar to this one.
pub fn models_near(name: &str) -> Vec<&'static str> {
    static IDS: LazyLock<Names<'static>> = LazyLock::new(|| Names::new(MODELS.iter().map(|entry| entry.id)));
    let wanted = last_part(name);
    let near = IDS.nearest(wanted);
    if !near.is_empty() {
        return near;
    }
    // A longer name: suggest models of its family.
    let family: String = letters(wanted).chars().take_while(char::is_ascii_alphabetic).collect();
    let same = MODELS.iter().map(|entry| entry.id).filter(|id| family.len() > 2 && letters(id).starts_with(&family));
    same.take(3).collect()
}

/// Lists GPUs with names similar to this one; if the name is a prefix of several GPUs' names,
/// those.
pub fn gpus_near(name: &str) -> Vec<&'static str> {
    let wanted = hardware(name);
    let begun =
        ACCELERATORS.iter().map(|entry| entry.id).filter(|id| wanted.len() > 1 && letters(id).starts_with(&wanted));
    let begun: Vec<&str> = begun.take(3).collect();
    if !begun.is_empty() {
        return begun;
    }
    let mut near = nearest(&wanted, ACCELERATORS.iter().map(|entry| entry.id));
    let called = nearest(&wanted, GPUS.iter().map(|(called, _)| *called));
    near.extend(GPUS.iter().filter(|(name, _)| called.contains(name)).map(|(_, id)| *id));
    let mut seen = Vec::new();
    near.retain(|id| {
        !seen.contains(id) && {
            seen.push(*id);
            seen.len() <= 3
        }
    });
    near
}

/// Lists clusters with similar names, else the usual clusters of GPUs with similar names.
pub fn clusters_near(name: &str) -> Vec<&'static str> {
    let near = nearest(name, CLUSTERS.iter().map(|entry| entry.id));
    if !near.is_empty() {
        return near;
    }
    gpus_near(name).into_iter().filter_map(usual_node).map(|entry| entry.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_known_by_many_names() {
        let id = |name| model_named(name).map(|found| (found.entry.id, found.is_taken));
        for (name, expected) in [
            ("llama3_1_8b", "llama-3.1-8b"),
            ("qlora_llama3_8b", "llama-3-8b"),
            ("llama3.1-70b", "llama-3.1-70b"),
            ("llama2-7b", "llama-2-7b"),
            ("NousResearch/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
            ("qwen2_5_0_5b", "qwen-2.5-0.5b"),
            ("gemma2-9b", "gemma-2-9b"),
            ("mixtral-8x7b", "mixtral-8x7b"),
            ("Qwen/Qwen2.5-7B-Instruct", "qwen-2.5-7b"),
            ("meta-llama/Llama-3.1-8B", "llama-3.1-8b"),
        ] {
            assert_eq!(id(name), Some((expected, false)), "{name}");
        }
        for (name, expected) in [
            ("NousResearch/Hermes-3-Llama-3.1-8B", "llama-3.1-8b"),
            ("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", "qwen-2.5-1.5b"),
            ("mistralai/Magistral-Small-2506", "mistral-small-24b"),
            ("axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16", "llama-4-scout"),
            ("Qwen/Qwen2.5-Coder-7B-Instruct", "qwen-2.5-7b"),
            ("nvidia/Llama-3.1-Nemotron-70B-Instruct-HF", "llama-3.1-70b"),
            ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral-small-24b"),
            ("deepseek3-671b", "deepseek-v3"),
            ("phi4_14b", "phi-4"),
        ] {
            assert_eq!(id(name), Some((expected, true)), "{name}");
        }
    }

    #[test]
    fn a_size_in_a_name_is_the_models() {
        let id = |name| model_named(name).map(|found| found.entry.id);
        for (name, expected) in [
            ("deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "qwen-3-8b"),
            ("unsloth/DeepSeek-R1-0528-Qwen3-8B-unsloth-bnb-4bit", "qwen-3-8b"),
            ("bartowski/DeepSeek-R1-Distill-Qwen-32B-GGUF", "qwen-2.5-32b"),
            ("deepseek-ai/DeepSeek-R1-0528", "deepseek-v3"),
            ("deepseek-ai/DeepSeek-R1-Zero", "deepseek-v3"),
            ("deepseek-r1-671b", "deepseek-v3"),
            ("mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
            ("mlx-community/Qwen3-30B-A3B-4bit", "qwen-3-30b-a3b"),
            ("Qwen/Qwen3-235B-A22B-GPTQ-Int4", "qwen-3-235b-a22b"),
            ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "llama-3.3-70b"),
            ("TheBloke/Llama-2-7B-Chat-AWQ", "llama-2-7b"),
            ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama-4-scout"),
            ("gradientai/Llama-3-8B-Instruct-262k", "llama-3-8b"),
            ("allenai/OLMoE-1B-7B-0924-Instruct", "olmoe-1b-7b"),
            ("Qwen/QwQ-32B-AWQ", "qwen-2.5-32b"),
            ("Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8", "qwen-3-30b-a3b"),
            ("zai-org/GLM-4.6-FP8", "glm-4.5"),
            ("PrimeIntellect/INTELLECT-3", "glm-4.5-air"),
            ("MiniMaxAI/MiniMax-M2.5", "minimax-m2"),
            ("moonshotai/Kimi-K2.5", "kimi-k2"),
            ("01-ai/Yi-1.5-34B-Chat-16K", "yi-34b"),
            ("lmsys/vicuna-13b-v1.5", "llama-2-13b"),
            ("google/codegemma-7b-it", "gemma-7b"),
            ("google/medgemma-27b-text-it", "gemma-3-27b"),
            ("deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "deepseek-v2-lite"),
            ("deepseek-ai/DeepSeek-Coder-V2-Instruct", "deepseek-v2"),
            ("Qwen/Qwen2.5-7B-Instruct-1M", "qwen-2.5-7b"),
            ("nvidia/Llama-3.1-Nemotron-Nano-8B-v1", "llama-3.1-8b"),
            ("unsloth/tinyllama-bnb-4bit", "tinyllama-1.1b"),
            ("allenai/Olmo-3.1-32B-Think", "olmo-3-32b"),
            ("bigscience/bloomz-1b1", "bloom-1.1b"),
            // Organisations of ModelScope.
            ("LLM-Research/Llama-4-Scout-17B-16E-Instruct", "llama-4-scout"),
            ("AI-ModelScope/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"),
            ("modelscope/Llama-2-7b-chat-ms", "llama-2-7b"),
        ] {
            assert_eq!(id(name), Some(expected), "{name}");
        }
        for name in [
            "someone/DeepSeek-R1-0528-32B",
            "someone/DeepSeek-R1-Qwen-7B",
            "someone/DeepSeek-R1-Distill-Phi-3-mini",
            "HuggingFaceH4/zephyr-7b-gemma-v0.1",
            "microsoft/Phi-4-mini-flash-reasoning",
            "yuhuili/EAGLE-LLaMA3.1-Instruct-8B",
            "llava-hf/llava-v1.6-mistral-7b-hf",
            "mistralai/Mistral-Small-3.1-70B",
            "deepseek-ai/DeepSeek-R1-270m",
            "Qwen/Qwen3-VL-8B-Embedding",
            // Other members of the families, and another model with an encoder.
            "someone/GLM-4.7-Flash-2",
            "zai-org/GLM-4.6V-Flash",
            "nvidia/Llama-3.1-Minitron-4B-Width-Base",
            "Alibaba-NLP/gme-Qwen2-VL-2B-Instruct",
            "Qwen/Qwen2.5-Omni-3B",
            "deepseek-ai/DeepSeek-V3.2",
            "nvidia/Llama-3.1-Nemotron-Nano-4B-v1.1",
            "Qwen/Qwen3-Embedding-8B",
        ] {
            assert_eq!(id(name), None, "{name}");
        }
    }

    #[test]
    fn a_slip_is_no_model() {
        for name in [
            "acme/unheard-of-7b",
            "",
            "llama-3-70x",
            // Each is one letter off a model's name and contains the name of another model.
            "llama-3.-8b",
            "deepseek-v3-6b",
            "deepseek-v2-lit",
            "gemma-3-4b-visoin",
            "mistral-7b-v0.",
            "minimax-m2.6",
            "nvidia/Llama-3.1-Nemotron-Nano-4B-v1.1",
        ] {
            assert!(model_named(name).is_none(), "{name}: {:?}", model_named(name).map(|found| found.entry.id));
        }
        assert_eq!(models_near("lama-3.1-8b").first(), Some(&"llama-3.1-8b"));
    }

    #[test]
    fn names_tell_the_entries_apart() {
        for entry in MODELS {
            for name in names_of(entry) {
                assert_eq!(model_named(name).map(|found| found.entry.id), Some(entry.id), "{name}");
            }
        }
        for entry in ACCELERATORS {
            for name in [entry.id, entry.name] {
                assert_eq!(gpu_named(name).map(|found| found.entry.id), Some(entry.id), "{name}");
            }
        }
        for entry in CLUSTERS {
            for name in [entry.id, entry.name] {
                assert_eq!(cluster_named(name).map(|found| found.entry.id), Some(entry.id), "{name}");
            }
        }
        for (called, id) in GPUS {
            assert!(accelerator(id).is_some(), "{id}");
            let own = ACCELERATORS.iter().find(|entry| [entry.id, entry.name].iter().any(|n| hardware(n) == *called));
            assert!(own.is_none_or(|entry| entry.id == *id), "{called} means two things");
        }
        for (called, id) in ASSUMED_GPUS {
            assert!(gpu_named(called).is_none() && accelerator(id).is_some(), "{called} needs no assumption");
        }
        for id in COMMON_GPUS {
            assert_eq!(accelerator(id).and_then(|entry| gpu_with_memory(entry.values.memory.gib())).unwrap().id, *id);
        }
        for (called, id) in NODES {
            assert!(cluster(id).is_some(), "{id}");
            assert!(CLUSTERS.iter().all(|entry| letters(entry.id) != *called), "{called} means two things");
        }
        for (gpu, id) in USUAL_NODES {
            assert_eq!(cluster(id).map(|entry| entry.accelerator), Some(*gpu));
        }
        for (_, shape) in SHAPES {
            assert!(
                MODELS.iter().any(|entry| entry.id == *shape || shape.ends_with('-') && entry.id.starts_with(shape))
            );
        }
    }

    #[test]
    fn hardware_is_known_by_many_names() {
        for (name, expected) in [
            ("NVIDIA H100 80GB HBM3", "h100-sxm"),
            ("NVIDIA A100-SXM4-40GB", "a100-40gb"),
            ("NVIDIA GeForce RTX 4090", "rtx-4090"),
            ("Tesla T4", "t4"),
            ("AMD Instinct MI300X", "mi300x"),
            ("A100 80GB", "a100-80gb"),
        ] {
            assert_eq!(gpu_named(name).map(|found| found.entry.id), Some(expected), "{name}");
        }
        assert_eq!(gpus_near("A100"), ["a100-40gb", "a100-80gb", "a100-pcie-40gb"]);
        assert_eq!(clusters_near("dgx-h10").first(), Some(&"dgx-h100"));
        assert_eq!(counted("8xH100"), Some((8, "H100")));
        assert_eq!(counted("2x8xH100"), Some((16, "H100")));
        assert_eq!(counted("4 x p5.48xlarge"), Some((32, "p5.48xlarge")));
        assert_eq!(["rtx-4090", "2x6xH100", "0xH100", "4294967295x8xH100"].map(counted), [None; 4]);
    }
}
