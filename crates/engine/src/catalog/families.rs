//! Families of models: published sizes of one recipe, along which the model-size slider scales any of them.
//!
//! Members share what a family keeps (vocabulary up to padding, the number of experts, kind of attention) and were published
//! together. A model that stands in no family scales in its own proportions.

use super::models::LLAMA_STYLE;
use super::{MODELS, ModelEntry};
use crate::model::family::{Family, Member};
use crate::scenario::Model;

/// A family by its members' keys, the smallest first.
macro_rules! family {
    ($name:literal, $($id:literal),+) => {
        Family { name: $name, members: &members([$($id),+]), on_ladder: false }
    };
}

/// Every family.
pub static FAMILIES: &[Family] = &[
    LADDER,
    family!("Llama 2", "llama-2-7b", "llama-2-13b", "llama-2-70b"),
    family!("Llama 3", "llama-3-8b", "llama-3-70b"),
    family!("Llama 3.1", "llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"),
    family!("Llama 3.2", "llama-3.2-1b", "llama-3.2-3b"),
    family!("LLaMA", "llama-1-7b", "llama-1-13b", "llama-1-33b", "llama-1-65b"),
    family!("Mixtral", "mixtral-8x7b", "mixtral-8x22b"),
    family!("Qwen", "qwen-1-1.8b", "qwen-1-7b", "qwen-1-14b", "qwen-1-72b"),
    family!("Qwen2", "qwen-2-1.5b", "qwen-2-7b", "qwen-2-72b"),
    family!(
        "Qwen2.5",
        "qwen-2.5-0.5b",
        "qwen-2.5-1.5b",
        "qwen-2.5-3b",
        "qwen-2.5-7b",
        "qwen-2.5-14b",
        "qwen-2.5-32b",
        "qwen-2.5-72b"
    ),
    family!("Qwen3", "qwen-3-0.6b", "qwen-3-1.7b", "qwen-3-4b", "qwen-3-8b", "qwen-3-14b", "qwen-3-32b"),
    family!("Qwen3 MoE", "qwen-3-30b-a3b", "qwen-3-235b-a22b"),
    family!("Qwen3.5", "qwen-3.5-0.8b", "qwen-3.5-2b", "qwen-3.5-4b", "qwen-3.5-9b", "qwen-3.5-27b"),
    family!("DeepSeek LLM", "deepseek-llm-7b", "deepseek-llm-67b"),
    family!("Gemma", "gemma-2b", "gemma-7b"),
    family!("Gemma 2", "gemma-2-2b", "gemma-2-9b", "gemma-2-27b"),
    family!("Gemma 3", "gemma-3-1b", "gemma-3-4b", "gemma-3-12b", "gemma-3-27b"),
    family!("Phi-3", "phi-3-mini", "phi-3-medium"),
    family!("GPT-2", "gpt-2", "gpt-2-medium", "gpt-2-large", "gpt-2-xl"),
    family!(
        "GPT-3",
        "gpt-3-125m",
        "gpt-3-350m",
        "gpt-3-760m",
        "gpt-3-1.3b",
        "gpt-3-2.7b",
        "gpt-3-6.7b",
        "gpt-3-13b",
        "gpt-3-175b"
    ),
    family!("OPT", "opt-125m", "opt-1.3b", "opt-2.7b", "opt-6.7b", "opt-13b", "opt-30b", "opt-66b", "opt-175b"),
    family!("BLOOM", "bloom-560m", "bloom-1.1b", "bloom-1.7b", "bloom-3b", "bloom-7.1b", "bloom-176b"),
    family!("MPT", "mpt-7b", "mpt-30b"),
    family!(
        "MPT (benchmark)",
        "mpt-bench-125m",
        "mpt-bench-350m",
        "mpt-bench-760m",
        "mpt-bench-1b",
        "mpt-bench-3b",
        "mpt-bench-7b",
        "mpt-bench-13b",
        "mpt-bench-30b",
        "mpt-bench-70b"
    ),
    family!(
        "Pythia",
        "pythia-70m",
        "pythia-160m",
        "pythia-410m",
        "pythia-1b",
        "pythia-1.4b",
        "pythia-2.8b",
        "pythia-6.9b",
        "pythia-12b"
    ),
    family!("Falcon", "falcon-7b", "falcon-40b", "falcon-180b"),
    family!("Falcon 3", "falcon-3-1b", "falcon-3-3b", "falcon-3-7b", "falcon-3-10b"),
    family!("StableLM Alpha", "stablelm-alpha-3b", "stablelm-alpha-7b"),
    family!("Nemotron-3", "nemotron-3-8b", "nemotron-3-22b"),
    family!("Nemotron-4", "nemotron-4-15b", "nemotron-4-340b"),
    family!("StarCoder2", "starcoder-2-3b", "starcoder-2-7b", "starcoder-2-15b"),
    family!("SmolLM2", "smollm-2-135m", "smollm-2-360m", "smollm-2-1.7b"),
    family!("Yi", "yi-6b", "yi-9b", "yi-34b"),
    family!("InternLM", "internlm-7b", "internlm-20b"),
    family!("InternLM2", "internlm-2-7b", "internlm-2-20b"),
    family!("Granite 3", "granite-3-2b", "granite-3-8b"),
    family!("Baichuan2", "baichuan-2-7b", "baichuan-2-13b"),
    family!("Command R", "command-r-35b", "command-r-plus-104b"),
    family!("OLMo 2", "olmo-2-1b", "olmo-2-7b", "olmo-2-13b"),
    family!("Playbook", "playbook-1b", "playbook-3b", "playbook-8b", "playbook-80b"),
    family!(
        "Megatron-LM",
        "megatron-1.7b",
        "megatron-3.6b",
        "megatron-7.5b",
        "megatron-18.4b",
        "megatron-39.1b",
        "megatron-76.1b",
        "megatron-145.6b",
        "megatron-310.1b",
        "megatron-529.6b",
        "megatron-1008b"
    ),
];

/// The anchors of the ladder, which scale along the ladder itself.
const LADDER: Family = Family {
    on_ladder: true,
    ..family!(
        "GPT-style",
        "ladder-1.3b",
        "ladder-7b",
        "ladder-13b",
        "ladder-30b",
        "ladder-65b",
        "ladder-175b",
        "ladder-310b"
    )
};

/// Returns the family of a catalog model.
pub fn of(id: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.members.iter().any(|member| member.id == id))
}

/// Returns the name that a model shares with its other sizes: its family's, or its own; `None` for a custom model.
pub fn name_of(model: &Model) -> Option<&'static str> {
    match *model {
        Model::Preset { family: Some(family), .. } | Model::Scaled { family: Some(family), .. } => Some(family.name),
        Model::Preset { id, .. } | Model::Scaled { id, .. } => super::model(id).map(|entry| entry.name),
        Model::Ladder { .. } | Model::Custom { .. } => None,
    }
}

/// Returns the entries with these keys.
const fn members<const COUNT: usize>(ids: [&str; COUNT]) -> [Member; COUNT] {
    let mut members = [NOBODY; COUNT];
    let (mut slots, mut ids): (&mut [Member], &[&str]) = (&mut members, &ids);
    while let ([id, later @ ..], [slot, free @ ..]) = (ids, slots) {
        if let Some(entry) = find(MODELS, id) {
            *slot = Member { id: entry.id, architecture: entry.architecture };
        }
        (ids, slots) = (later, free);
    }
    members
}

/// In the place of a key that the catalog does not have, which a test finds.
const NOBODY: Member = Member { id: "", architecture: LLAMA_STYLE };

/// Returns the entry with a key.
const fn find(entries: &'static [ModelEntry], id: &str) -> Option<&'static ModelEntry> {
    let mut entries = entries;
    while let [entry, later @ ..] = entries {
        if is_same(entry.id, id) {
            return Some(entry);
        }
        entries = later;
    }
    None
}

/// Compares keys, at compile time.
const fn is_same(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (one.as_bytes(), other.as_bytes());
    while let ([a, one_on @ ..], [b, other_on @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (one_on, other_on);
    }
    one.is_empty() && other.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;

    #[test]
    fn members_are_catalog_entries_in_one_family_each_smallest_first() {
        for family in FAMILIES {
            assert!(family.members.is_sorted_by_key(|member| member.architecture.params()), "{}", family.name);
            for member in family.members {
                let entry = catalog::model(member.id).unwrap_or_else(|| panic!("{}: {}", family.name, member.id));
                assert_eq!(entry.architecture, member.architecture);
                assert!(
                    family.on_ladder
                        || entry
                            .name
                            .starts_with(family.name.trim_end_matches(" (benchmark)").trim_end_matches(" MoE")),
                    "{}",
                    entry.name
                );
                assert_eq!(of(member.id).map(|found| found.name), Some(family.name));
            }
        }
    }

    #[test]
    fn members_share_what_a_family_keeps() {
        for family in FAMILIES {
            let first = family.members.first().unwrap().architecture;
            for Member { architecture, id } in family.members {
                assert_eq!(architecture.experts.num_experts, first.experts.num_experts, "{id}");
                assert_eq!(architecture.gated_mlp, first.gated_mlp, "{id}");
                let ratio = f64::from(architecture.vocab_size) / f64::from(first.vocab_size);
                assert!((0.98..1.02).contains(&ratio), "{id}: {}", architecture.vocab_size);
            }
        }
    }
}
