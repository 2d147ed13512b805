//! Helpers for generated pages: Markdown, display names of parameters and options, and links to
//! sources.

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Map, Value};

use crate::engine::EXPORT;
use crate::shell::{cargo, output};

/// Formats a text as code.
pub(super) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Formats texts as code, with `last` between the last two.
pub(super) fn codes<'a>(texts: impl IntoIterator<Item = &'a str>, last: &str) -> String {
    let texts: Vec<String> = texts.into_iter().map(code).collect();
    match texts.split_last() {
        Some((end, start)) if !start.is_empty() => format!("{} {last} {end}", start.join(", ")),
        _ => texts.concat(),
    }
}

/// Escapes Markdown outside of code in a sentence.
pub(super) fn prose(text: &str) -> String {
    let mut is_code = false;
    let mut said = String::new();
    for sign in text.chars() {
        is_code ^= sign == '`';
        if !is_code && matches!(sign, '*' | '_' | '<' | '[' | ']' | '\\') {
            said.push('\\');
        }
        said.push(sign);
    }
    said
}

/// Joins the lines of a cell.
pub(super) fn lines(texts: &[String]) -> String {
    texts.join("<br>")
}

/// Formats a table with a class (`docs/theme/book.css`); returns an empty text if there are no
/// rows.
pub(super) fn table<const N: usize>(class: &str, heads: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| {
        // A bar would end the cell, even inside code.
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let heads = line(&heads.map(str::to_owned));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    format!("<div class=\"{class}\">\n\n{heads}|{}\n{rows}\n</div>\n", "---|".repeat(N))
}

/// Formats a section; returns an empty text if the section has no text.
pub(super) fn section(title: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("\n## {title}\n\n{text}") }
}

/// Names used by tables of keys in addition to those of links (`crates/programs/tables/README.md`),
/// their descriptions, and the parameter that defines the options.
const OWN_NAMES: [(&str, &str, &str); 32] = [
    ("model", "The model", ""),
    ("micro", "Sequences a micro-batch", ""),
    ("global", "Sequences a step, of all GPUs", ""),
    ("local", "Sequences a step, of one data-parallel rank", ""),
    ("global_tokens", "Tokens a step, of all GPUs", ""),
    ("micro_tokens", "Tokens a micro-batch", ""),
    ("local_tokens", "Tokens a step, of one data-parallel rank", ""),
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
    ("trained_layers", "Layers that train, the last ones", ""),
    ("per_device", "Sequences of a micro-batch for each device", ""),
];

/// Table of parameters, in the format of `export::params_json`.
#[derive(Debug)]
pub(super) struct Labels(Vec<Value>);

impl Labels {
    /// Runs the engine as a separate program, so that `cargo xtask` does not need to compile the
    /// engine, and need not be recompiled while it runs.
    pub(super) fn ask() -> Result<Self> {
        let mut engine = cargo(&["run", "--quiet", "--package", EXPORT, "--example", "parameters"]);
        let text = output(&mut engine).ok_or_else(|| {
            anyhow!("The engine's parameters are unavailable: cargo run -p {EXPORT} --example parameters")
        })?;
        Self::parse(&text)
    }

    /// Reads the table.
    pub(super) fn parse(text: &str) -> Result<Self> {
        serde_json::from_str(text).map(Self).context("The engine's parameters could not be read")
    }

    fn find(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|param| param["key"] == key)
    }

    /// Describes the parameter that a key of a table sets: "Micro-batch size (`mbs`)".
    pub(super) fn name(&self, key: &str) -> Result<String> {
        let in_links = key.strip_prefix("shape.").unwrap_or(key);
        match self.find(in_links) {
            Some(param) => Ok(format!("{} ({})", text(param, "label"), code(in_links))),
            None => self.label(key),
        }
    }

    /// Returns the label of a key of a table.
    fn label(&self, key: &str) -> Result<String> {
        let own = || OWN_NAMES.iter().find(|(name, ..)| *name == key).map(|(_, label, _)| *label);
        let param = self.find(key.strip_prefix("shape.").unwrap_or(key));
        let label = param.map(|param| text(param, "label")).or_else(own);
        label
            .map(str::to_owned)
            .ok_or_else(|| anyhow!("`{key}` is neither a parameter nor a name in the tables of keys."))
    }

    /// Formats a value: the label of its option, or the number with its unit.
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
        let option = |word: &str| match options.iter().find(|option| option["key"] == word) {
            Some(option) => Ok(prose(text(option, "label"))),
            // Names that only tables of keys have may have words other than options.
            None if of != key => Ok(code(word)),
            None => Err(anyhow!("`{key}` has no option `{word}`.")),
        };
        // A condition may exclude a value.
        let label = |word: &str| -> Result<String> {
            Ok(match word.strip_prefix('!') {
                Some(not) => format!("not {}", option(not)?),
                None => option(word)?,
            })
        };
        // A condition may have several values.
        let labels: Vec<String> = value.split('|').map(label).collect::<Result<_>>()?;
        Ok(labels.join(" or "))
    }

    /// Formats a setting: "Loss: Fused".
    pub(super) fn fact(&self, key: &str, value: &Value) -> Result<String> {
        Ok(format!("{}: {}", self.label(key)?, self.value(key, value)?))
    }

    /// Formats settings as a condition: "Strategy is DDP or ZeRO-1".
    pub(super) fn condition(&self, choices: &Map<String, Value>) -> Result<String> {
        let said = |(key, value): (&String, &Value)| -> Result<String> {
            Ok(format!("{} is {}", self.label(key)?, self.value(key, value)?))
        };
        Ok(choices.iter().map(said).collect::<Result<Vec<_>>>()?.join(" and "))
    }

    /// Formats settings.
    pub(super) fn facts(&self, choices: &Map<String, Value>) -> Result<Vec<String>> {
        choices.iter().map(|(key, value)| self.fact(key, value)).collect()
    }
}

/// Returns a text of a table, or an empty text.
pub(super) fn text<'a>(table: &'a Value, key: &str) -> &'a str {
    table[key].as_str().unwrap_or_default()
}

/// Formats a value as in links.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns links to all files of a source, each at its commit. A source in a table has the form
/// `owner/name path @ commit`; several are separated by `;`.
///
/// # Errors
/// When a part of the source names no commit, or the first no repository.
pub(super) fn links(source: &str) -> Result<Vec<String>> {
    let mut repository = "";
    let mut places: Vec<String> = Vec::new();
    let mut links = Vec::new();
    for part in source.split(';').map(str::trim) {
        // A commit without a path refers to the previous files.
        let (place, commit) = part.rsplit_once(" @ ").unwrap_or(("", part));
        let is_repository = |word: &str| word.matches('/').count() == 1 && !word.ends_with(',');
        let paths = match place.split_once(' ') {
            Some((first, rest)) if is_repository(first) => {
                repository = first;
                rest
            }
            _ => place,
        };
        if !paths.is_empty() {
            places = paths.split(", ").flat_map(expanded).collect();
        }
        if repository.is_empty() || !is_commit(commit) {
            return Err(anyhow!("“{part}” is not like “owner/name path @ commit”."));
        }
        links.extend(places.iter().map(|place| link(repository, place, commit)));
    }
    Ok(links)
}

/// Returns a link to a file at its commit. A path with spaces is a description, which links to the
/// commit's tree.
pub(super) fn link(repository: &str, path: &str, commit: &str) -> String {
    let root = format!("https://github.com/{repository}");
    if path.contains(' ') {
        return format!("[{} @ {commit}]({root}/tree/{commit})", prose(path));
    }
    // A pattern links to its folder.
    let name = path.rsplit('/').next().unwrap_or(path);
    match path.split_once('*') {
        Some((before, _)) => {
            let folder = before.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("[{} @ {commit}]({root}/tree/{commit}/{folder})", prose(name))
        }
        None => format!("[{} @ {commit}]({root}/blob/{commit}/{path})", prose(name)),
    }
}

/// Returns whether a text is a commit or a version tag.
pub(super) fn is_commit(text: &str) -> bool {
    let is_hash = text.len() >= 7 && text.chars().all(|sign| sign.is_ascii_hexdigit());
    let is_version = |rest: &str| !rest.is_empty() && rest.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
    is_hash || text.strip_prefix('v').is_some_and(is_version)
}

/// Expands braces in a path: `a/{b,c}.py` to `a/b.py` and `a/c.py`.
fn expanded(path: &str) -> Vec<String> {
    let inner = path.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (words, after))) = inner else { return vec![path.to_owned()] };
    words.split(',').flat_map(|word| expanded(&format!("{before}{word}{after}"))).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// Returns the labels of the engine that the tests were compiled with.
    pub(in crate::book) fn labels() -> Labels {
        let params = export::params_json::params_json(&catalog::default_scenario());
        Labels::parse(&serde_json::to_string(&params).unwrap()).unwrap()
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

    #[test]
    fn a_source_is_a_link_to_each_file_at_its_commit() {
        let source = "pytorch/torchtitan a/loss.py, b/{c,d}.py @ bbb1b616e; 9aad9203a; e/f.py @ v4.46.0; \
            o/n x/*.py @ 0123456; the older names @ 8722e16a";
        let github = "https://github.com/pytorch/torchtitan/blob";
        assert_eq!(
            links(source).unwrap(),
            [
                format!("[loss.py @ bbb1b616e]({github}/bbb1b616e/a/loss.py)"),
                format!("[c.py @ bbb1b616e]({github}/bbb1b616e/b/c.py)"),
                format!("[d.py @ bbb1b616e]({github}/bbb1b616e/b/d.py)"),
                format!("[loss.py @ 9aad9203a]({github}/9aad9203a/a/loss.py)"),
                format!("[c.py @ 9aad9203a]({github}/9aad9203a/b/c.py)"),
                format!("[d.py @ 9aad9203a]({github}/9aad9203a/b/d.py)"),
                format!("[f.py @ v4.46.0]({github}/v4.46.0/e/f.py)"),
                "[\\*.py @ 0123456](https://github.com/o/n/tree/0123456/x)".to_owned(),
                "[the older names @ 8722e16a](https://github.com/o/n/tree/8722e16a)".to_owned(),
            ]
        );
        assert!(links("pytorch/torchtitan a.py").is_err() && links("a.py @ bbb1b616e").is_err());
    }
}
