//! What the parameters of the engine and their options are called on the page.

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Map, Value};

use super::markdown::{code, prose};
use crate::engine::ENGINE;
use crate::shell::{cargo, output};

/// The names that the tables of keys have beside those of links (`crates/files/programs/README.md`), what they mean, and the
/// parameter whose options their words are.
const OWN_NAMES: [(&str, &str, &str); 29] = [
    ("model", "The model", ""),
    ("micro", "Sequences a micro-batch", ""),
    ("global", "Sequences a step, of all GPUs", ""),
    ("local", "Sequences a step, of one data-parallel rank", ""),
    ("global_tokens", "Tokens a step, of all GPUs", ""),
    ("micro_tokens", "Tokens a micro-batch", ""),
    ("prompts", "Prompts a step", ""),
    ("steps", "Steps", ""),
    ("samples", "Texts that are trained on", ""),
    ("nodes", "Nodes", ""),
    ("per_node", "GPUs a node", ""),
    ("replicas", "Data-parallel replicas", ""),
    ("dp_replicate", "Groups that each hold the whole model", ""),
    ("dp_shard", "GPUs that share one copy of the model", ""),
    ("length", "Tokens of a sequence", ""),
    ("prompt_length", "Tokens of a prompt", ""),
    ("answer_length", "Tokens of an answer", ""),
    ("attention", "Attention kernel, by its name", "attnkernel"),
    ("bf16", "Products in bf16", ""),
    ("fp16", "Products in fp16", ""),
    ("dtype", "Format of the weights", "recipe"),
    ("deepspeed", "DeepSpeed's configuration, read with it", ""),
    ("zero", "Stage of ZeRO", ""),
    ("adapter_targets", "LoRA targets, by the names of modules", "targets"),
    ("lora_rank", "LoRA rank", ""),
    ("objective_by_name", "Objective, by its name", "objective"),
    ("group_in_micro", "Completions that a micro-batch is raised to", ""),
    ("layers_per_stage", "Layers of a pipeline stage", ""),
    ("continues", "Another file that this one builds on", ""),
];

/// The table of parameters, as `engine::export::params_json` writes it.
#[derive(Debug)]
pub(super) struct Labels(Vec<Value>);

impl Labels {
    /// Asks the engine. It is another program: `cargo xtask` must not wait for the engine to be
    /// compiled, and cannot be compiled again while it runs.
    pub(super) fn ask() -> Result<Self> {
        let mut engine = cargo(&["run", "--quiet", "--package", ENGINE, "--example", "parameters"]);
        let text = output(&mut engine).ok_or_else(|| {
            anyhow!("The engine's parameters could not be had: cargo run -p {ENGINE} --example parameters")
        })?;
        Self::read(&text)
    }

    /// Reads the table.
    pub(super) fn read(text: &str) -> Result<Self> {
        serde_json::from_str(text).map(Self).context("The engine's parameters could not be read")
    }

    fn find(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|param| param["key"] == key)
    }

    /// What a key of a table sets: "Micro-batch size (`mbs`)".
    pub(super) fn name(&self, key: &str) -> Result<String> {
        let in_links = key.strip_prefix("shape.").unwrap_or(key);
        match self.find(in_links) {
            Some(param) => Ok(format!("{} ({})", text(param, "label"), code(in_links))),
            None => self.label(key),
        }
    }

    /// What a key of a table is called.
    fn label(&self, key: &str) -> Result<String> {
        let own = || OWN_NAMES.iter().find(|(name, ..)| *name == key).map(|(_, label, _)| *label);
        let param = self.find(key.strip_prefix("shape.").unwrap_or(key));
        let label = param.map(|param| text(param, "label")).or_else(own);
        label.map(str::to_owned).ok_or_else(|| anyhow!("No parameter and no name of the tables of keys is `{key}`."))
    }

    /// What a value is called: its option's label, or the number with its unit.
    pub(super) fn value(&self, key: &str, value: &Value) -> Result<String> {
        let value = plain(value);
        let of = OWN_NAMES.iter().find(|(name, ..)| *name == key).map_or(key, |(_, _, of)| of);
        let Some(param) = self.find(of) else { return Ok(code(&value)) };
        let Some(options) = param["options"].as_array() else {
            return Ok(match text(param, "unit") {
                "" => value,
                unit => format!("{value} {unit}"),
            });
        };
        let label = |word: &str| match options.iter().find(|option| option["key"] == word) {
            Some(option) => Ok(prose(text(option, "label"))),
            // A reader's own name has words of its own beside the options.
            None if of != key => Ok(code(word)),
            None => Err(anyhow!("`{key}` has no option `{word}`.")),
        };
        // A condition may have several.
        let labels: Vec<String> = value.split('|').map(label).collect::<Result<_>>()?;
        Ok(labels.join(" or "))
    }

    /// A choice in words: "Loss: Fused".
    pub(super) fn fact(&self, key: &str, value: &Value) -> Result<String> {
        Ok(format!("{}: {}", self.label(key)?, self.value(key, value)?))
    }

    /// Choices as a condition: "Strategy is DDP or ZeRO-1".
    pub(super) fn condition(&self, choices: &Map<String, Value>) -> Result<String> {
        let said = |(key, value): (&String, &Value)| -> Result<String> {
            Ok(format!("{} is {}", self.label(key)?, self.value(key, value)?))
        };
        Ok(choices.iter().map(said).collect::<Result<Vec<_>>>()?.join(" and "))
    }

    /// Choices in words.
    pub(super) fn facts(&self, choices: &Map<String, Value>) -> Result<Vec<String>> {
        choices.iter().map(|(key, value)| self.fact(key, value)).collect()
    }
}

/// A text of a table; empty where there is none.
pub(super) fn text<'a>(table: &'a Value, key: &str) -> &'a str {
    table[key].as_str().unwrap_or_default()
}

/// A value as links have it.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// The labels of the engine that the tests are compiled with.
    pub(in crate::book) fn labels() -> Labels {
        let params = engine::export::params_json::params_json(&engine::catalog::default_scenario());
        Labels::read(&serde_json::to_string(&params).unwrap()).unwrap()
    }

    #[test]
    fn facts_are_told_in_the_labels_of_the_page() {
        let labels = labels();
        let choices = json!({ "loss": "fused", "compile": true, "seq": 2048, "micro": 4, "genmem": 50 });
        assert_eq!(
            labels.facts(choices.as_object().unwrap()).unwrap(),
            [
                "Loss: Fused",
                "torch.compile: On",
                "Sequence length: 2048 tokens",
                "Sequences a micro-batch: `4`",
                "Rollout memory share: 50 %"
            ]
        );
        assert_eq!(labels.name("shape.kv").unwrap(), "Key and value heads (`kv`)");
        let when = json!({ "strategy": "ddp|zero1", "compile": "yes" });
        assert_eq!(
            labels.condition(when.as_object().unwrap()).unwrap(),
            "Strategy is DDP or ZeRO-1 and torch.compile is On"
        );
        assert!(labels.fact("loss", &json!("fusd")).is_err() && labels.name("los").is_err());
    }
}
