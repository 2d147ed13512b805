//! Models by the names that configurations have for them.

use engine::catalog::{self, ModelEntry, hub};
use engine::params::quantity::shorten;
use engine::scenario::Model;

use super::draft::Draft;
use super::keys::Found;

/// Words of names that are no part of which model it is, beside those of repositories.
const OTHER_WORDS: [&str; 26] = [
    "instruct", "chat", "hf", "base", "it", "pt", "bnb", "4bit", "8bit", "unsloth", "meta", "gptq", "awq", "int4",
    "fp8", "dynamic", "bf16", "gguf", "default", "lora", "qlora", "preview", "pretrain", "config", "nf4", "mxfp4",
];

/// A name of letters and digits alone, in lower case, without other words.
fn compact(name: &str) -> String {
    words(name).concat()
}

fn words(name: &str) -> Vec<String> {
    let last = name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let parts = last.split(['-', '_', '.', ' ', ':']).filter(|word| !word.is_empty() && !OTHER_WORDS.contains(word));
    parts.map(str::to_owned).collect()
}

/// The catalog's model of a compact name.
fn known(name: &str) -> Option<&'static ModelEntry> {
    if name.len() < 4 {
        return None;
    }
    let of_id = catalog::MODELS.iter().find(|entry| compact(entry.id) == name);
    of_id.or_else(|| {
        catalog::MODELS.iter().find(|entry| hub::repository(entry.id).is_some_and(|path| compact(path) == name))
    })
}

/// Models whose names do not say whose shape they have: a part of the name, and what it stands for.
const ALIASES: [(&str, &str); 5] = [
    ("magistral-small", "mistral-small-24b"),
    ("devstral-small", "mistral-small-24b"),
    ("r1-distill-llama", "llama-3.1"),
    ("r1-distill-qwen", "qwen-2.5"),
    ("zephyr-7b-", "mistral-7b"),
];

/// The model of a name, and whether the name says more than that: a fine-tuned one.
pub(super) fn of_name(name: &str) -> Option<(&'static ModelEntry, bool)> {
    if let Some(entry) = hub::model_of(name) {
        return Some((entry, false));
    }
    let lower = name.to_ascii_lowercase();
    if let Some((part, stands_for)) = ALIASES.iter().find(|(part, _)| lower.contains(part)) {
        let (_, rest) = lower.split_once(part)?;
        let whole = catalog::model(stands_for);
        let sized =
            rest.split(['-', '_', '/']).find(|word| word.ends_with('b')).map(|size| format!("{stands_for}-{size}"));
        let entry = whole.or_else(|| catalog::model(&sized?))?;
        return Some((entry, true));
    }
    let words = words(name);
    if let Some(entry) = known(&words.concat()) {
        return Some((entry, false));
    }
    // `Llama-3.1-8B-Lexi`, `Hermes-3-Llama-3.1-8B`: the longest run of words that is a model, with its size in it.
    let mut best: Option<(&ModelEntry, usize)> = None;
    for start in 0..words.len().min(12) {
        for end in start + 1..=words.len().min(start + 8) {
            let part = words.get(start..end).unwrap_or_default().concat();
            if let Some(entry) = known(&part).filter(|_| part.len() > 5)
                && best.is_none_or(|(_, length)| end - start > length)
            {
                best = Some((entry, end - start));
            }
        }
    }
    best.map(|(entry, _)| (entry, true))
}

/// A recipe's name as a model's: `llama31_8b_pretrain_config` is `llama_3.1_8b`.
pub(super) fn spelled(name: &str) -> String {
    let end = ["_pretrain", "_sft", "_peft", "_finetune", "_lora", "_performance", "_low_precision", "_perf"];
    let name = end.iter().filter_map(|end| name.find(end)).min().and_then(|at| name.get(..at)).unwrap_or(name);
    name.replace("llama31", "llama_3.1")
        .replace("llama32", "llama_3.2")
        .replace("llama33", "llama_3.3")
        .replace("qwen25", "qwen_2.5")
        .replace("qwen2_500m", "qwen2_0.5b")
}

impl Draft {
    /// Sets the model of a name; an unknown one is said, and the model stays.
    pub(super) fn model_named(&mut self, found: &Found<String>) {
        let name = found.value.clone();
        self.model_called(found, &name);
    }

    /// Sets the model that a key's value means.
    pub(super) fn model_called<T>(&mut self, found: &Found<T>, name: &str) {
        if self.has_model {
            self.note(found, "The model, which another file describes");
            return;
        }
        if let Some((entry, is_more)) = of_name(name) {
            self.scenario.model = entry.pick();
            self.has_model = true;
            self.note(found, format!("Model {}", entry.name));
            if is_more {
                self.assume(format!("“{}” is taken to have the shape of {}.", shorten(name), entry.name));
            }
        } else {
            let stays = self.model_name();
            self.assume(format!(
                "The catalog has no model “{}”: {stays} stays. Add its config.json to read it.",
                shorten(name)
            ));
            self.note(found, "A model that the catalog lacks");
        }
    }

    /// Takes the model from the name of a function or a file, where nothing else names one.
    pub(super) fn model_by_hint(&mut self, names: &[String]) {
        if self.has_model {
            return;
        }
        if let Some((name, entry)) = names.iter().find_map(|name| Some((name, of_name(name)?.0))) {
            self.scenario.model = entry.pick();
            self.has_model = true;
            self.assume(format!("The model is {}, as “{}” says.", entry.name, shorten(name)));
        }
    }

    /// What the present model is called.
    pub(super) fn model_name(&self) -> String {
        match self.scenario.model {
            Model::Preset { id, .. } | Model::Scaled { id, .. } => {
                catalog::model(id).map_or_else(|| "the custom model".to_owned(), |entry| entry.name.to_owned())
            }
            Model::Ladder { .. } => "the model of the ladder".into(),
            Model::Custom { .. } => "the custom model".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::of_name;

    #[test]
    fn models_are_known_by_many_names() {
        let id = |name| of_name(name).map(|(entry, more)| (entry.id, more));
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
        ] {
            assert_eq!(id(name), Some((expected, false)), "{name}");
        }
        assert_eq!(id("NousResearch/Hermes-3-Llama-3.1-8B"), Some(("llama-3.1-8b", true)));
        assert_eq!(id("deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"), Some(("qwen-2.5-1.5b", true)));
        assert_eq!(id("mistralai/Magistral-Small-2506"), Some(("mistral-small-24b", true)));
        assert_eq!(id("axolotl-quants/Llama-4-Scout-17B-16E-Linearized-bnb-nf4-bf16"), Some(("llama-4-scout", true)));
        assert_eq!(id("acme/unheard-of-7b"), None);
        assert_eq!(id(""), None);
    }
}
