//! Text around a configuration: prose with fenced blocks, W&B's wrappers, printed arguments.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::{Item, of_run, words};
use crate::run::{self, File};

/// The configuration inside a text that people copy, and the name that its form suggests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inside {
    /// The text of the configuration.
    pub text: String,
    /// A name with the ending of its form; `None` if it has none.
    pub name: Option<String>,
    /// The wrapping that was left out, as a sentence.
    pub said: &'static str,
}

/// Returns the configuration inside a text; `None` if nothing is wrapped around it.
pub(super) fn unwrapped(text: &str, file: Option<&str>) -> Option<Inside> {
    if let Some(inside) = written_cell(text) {
        return Some(inside);
    }
    // A script may quote any of these forms.
    if file.is_some_and(|name| [".py", ".sh", ".ipynb"].iter().any(|end| name.ends_with(end))) {
        return None;
    }
    printed_arguments(text).or_else(|| without_wrappers(text)).or_else(|| fenced(text)).or_else(|| printed_object(text))
}

/// Returns the file that a notebook's cell writes, whose first line is `%%writefile NAME`.
fn written_cell(text: &str) -> Option<Inside> {
    let (first, rest) = text.trim_start().split_once('\n')?;
    // One cell writes one file.
    let rest = Some(rest.trim_start()).filter(|rest| !rest.starts_with("%%"))?;
    let name = first.strip_prefix("%%writefile ")?.split_whitespace().rfind(|word| !word.starts_with('-'))?;
    let name = name.rsplit(['/', '\\']).next().filter(|name| !name.is_empty())?;
    Some(Inside {
        text: rest.to_owned(),
        name: Some(name.to_owned()),
        said: "Read: the file that the notebook’s cell writes.",
    })
}

/// Returns the files of one run that a text has below headings of their names, such as
/// `## train.sh`; `None` if it has fewer than two.
pub(super) fn headed(text: &str, file: Option<&str>) -> Option<Vec<Item>> {
    if file.is_some_and(words::is_script) {
        return None;
    }
    let mut items: Vec<Item> = Vec::new();
    for line in text.lines() {
        if let Some(name) = heading(line) {
            items.push(Item { name: Some(name.to_owned()), bytes: Vec::new() });
        } else if !line.trim_start().starts_with("```")
            && let Some(item) = items.last_mut()
        {
            item.bytes.extend_from_slice(line.as_bytes());
            item.bytes.push(b'\n');
        }
    }
    items.retain(of_run::is_part);
    (items.len() > 1).then_some(items)
}

/// Returns the name of a file that is a heading: `## train.sh`, `### `ds_config.json`:`.
fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix('#')?.trim_start_matches('#').trim().trim_matches(['`', '*', ':', ' ']);
    let (stem, ending) = name.rsplit_once('.')?;
    let is_name = !stem.is_empty() && !name.contains(char::is_whitespace);
    (is_name && ENDINGS.iter().any(|(_, known)| *known == ending || ending == "yml")).then_some(name)
}

/// Endings of files by the word after a fence.
const ENDINGS: [(&str, &str); 9] = [
    ("yaml", "yaml"),
    ("yml", "yaml"),
    ("json", "json"),
    ("toml", "toml"),
    ("python", "py"),
    ("py", "py"),
    ("bash", "sh"),
    ("sh", "sh"),
    ("shell", "sh"),
];

/// Returns the first fenced block of Markdown that is a known configuration.
fn fenced(text: &str) -> Option<Inside> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open => open = false,
            Some(language) => {
                open = true;
                blocks.push((language.trim(), String::new()));
            }
            None => {
                if let Some((_, block)) = blocks.last_mut().filter(|_| open) {
                    block.push_str(line);
                    block.push('\n');
                }
            }
        }
    }
    blocks.into_iter().find_map(|(language, text)| {
        let ending = ENDINGS.iter().find(|(word, _)| language.eq_ignore_ascii_case(word)).map(|(_, ending)| *ending);
        // A form may put every block between the fences of one language.
        let names = [ending, Some("yaml")].map(|ending| ending.map(|ending| format!("block.{ending}")));
        let is_known =
            |name: &Option<String>| run::is_known(&File::new(name.clone().unwrap_or_default(), text.as_str()));
        let name = names.into_iter().find(is_known)?;
        Some(Inside { text, name, said: "Read: the block between the fences; the prose around it is not." })
    })
}

/// Returns W&B's `config.yaml` without the `value:` and `desc:` of each key.
fn without_wrappers(text: &str) -> Option<Inside> {
    if !text.lines().any(|line| line.starts_with("wandb_version:") || line.starts_with("_wandb:")) {
        return None;
    }
    let mut flat = String::new();
    let mut key: Option<&str> = None;
    for line in text.lines() {
        let inner = line.trim_start();
        let depth = line.len() - inner.len();
        if depth == 0 {
            key = inner.strip_suffix(':').filter(|key| *key != "_wandb");
        } else if let Some(name) = key {
            match inner.strip_prefix("value:") {
                Some(value) if depth <= VALUE_DEPTH => {
                    let _ = writeln!(flat, "{name}:{value}");
                }
                // A mapping below `value` keeps its depth below the key.
                _ if depth > VALUE_DEPTH => {
                    let _ = writeln!(flat, "{line}");
                }
                _ => {}
            }
        }
    }
    Some(Inside {
        text: flat,
        name: Some("config.yaml".into()),
        said: "Read: the values of a run’s configuration as Weights & Biases keeps it.",
    })
}

/// Spaces before `value:` in W&B's files, at most.
const VALUE_DEPTH: usize = 4;

/// Returns the arguments that Megatron-LM prints at its start (`name ..... value`) as its command.
fn printed_arguments(text: &str) -> Option<Inside> {
    let argument = |line: &str| {
        let (name, value) = line.split_once(" ...")?;
        let name = name.trim().trim_start_matches(|letter: char| !letter.is_ascii_alphabetic());
        let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let value = value.trim_start_matches('.').trim();
        (is_name && !name.is_empty() && !value.is_empty()).then_some((name.to_owned(), value.to_owned()))
    };
    let arguments: Vec<(String, String)> = text.lines().filter_map(argument).collect();
    if arguments.len() < FEWEST_ARGUMENTS || !arguments.iter().any(|(name, _)| name == "num_layers") {
        return None;
    }
    let world = arguments.iter().find(|(name, _)| name == "world_size").map_or("1", |(_, value)| value);
    let mut command = format!("torchrun --nnodes 1 --nproc_per_node {world} pretrain_gpt.py");
    for (name, value) in arguments.iter().filter(|(name, _)| !DERIVED.contains(&name.as_str())) {
        // The vocabulary's size before padding is printed only where it was given.
        let flag = name.strip_prefix("padded_").unwrap_or(name).replace('_', "-");
        match value.as_str() {
            "False" | "None" => {}
            "True" => {
                let _ = write!(command, " --{flag}");
            }
            value => {
                let _ = write!(command, " --{flag} {value}");
            }
        }
    }
    Some(Inside {
        text: command,
        name: Some("arguments.sh".into()),
        said: "Read: the arguments that Megatron-LM printed.",
    })
}

/// Fewest lines of printed arguments.
const FEWEST_ARGUMENTS: usize = 5;
/// Arguments that Megatron-LM derives from others, or from the launcher.
const DERIVED: [&str; 7] = [
    "world_size",
    "rank",
    "local_rank",
    "data_parallel_size",
    "consumed_train_samples",
    "consumed_valid_samples",
    "params_dtype",
];

/// Returns a printed object of Python with the values of its enumerations: `fsdp=[<FSDPOption.
/// FULL_SHARD: 'full_shard'>]` as `fsdp='full_shard'`.
fn printed_object(text: &str) -> Option<Inside> {
    let is_printed = text.trim_start().starts_with(|first: char| first.is_ascii_uppercase())
        && text.contains("Arguments(")
        && text.contains('=');
    if !is_printed {
        return None;
    }
    let values = enumerations(text);
    (values != text).then(|| Inside {
        text: values.into_owned(),
        name: Some("arguments.py".into()),
        said: "Read: arguments as Python prints them.",
    })
}

/// Replaces `[<Enum.NAME: 'value'>, ...]` by the values, separated by blanks.
fn enumerations(text: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("[<") {
        let (before, list) = rest.split_at(start);
        let Some(end) = list.find(">]") else { break };
        let (list, after) = list.split_at(end + 2);
        let values: Vec<&str> = list.split('\'').skip(1).step_by(2).collect();
        let _ = write!(out, "{before}'{}'", values.join(" "));
        rest = after;
    }
    if out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out + rest) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_between_fences_is_the_configuration() {
        let text = "**Bug**: OOM\n\n- [x] searched\n\n```yaml\nbase_model: Qwen/Qwen3-14B\nadapter: qlora\nsequence_len: 8192\n\
                    micro_batch_size: 2\n```\n\nAny idea?";
        let inside = unwrapped(text, Some("issue.md")).unwrap();
        assert!(inside.text.starts_with("base_model: Qwen/Qwen3-14B\n"));
        assert_eq!(inside.name.as_deref(), Some("block.yaml"));
        assert_eq!(unwrapped("Nothing ```here``` is one.", None), None);
    }

    #[test]
    fn a_cell_that_writes_a_file_is_that_file() {
        let inside = unwrapped("%%writefile -a /kaggle/working/config.yaml\n\nstage: sft\n", Some("cell.py")).unwrap();
        assert_eq!((inside.text.as_str(), inside.name.as_deref()), ("stage: sft\n", Some("config.yaml")));
        assert_eq!(unwrapped("%%writefile \n\nstage: sft\n", None), None);
    }

    #[test]
    fn files_below_headings_of_their_names_are_several() {
        let text = "It fails.\n## train.sh\naccelerate launch --config_file ac.yaml train.py --model_name_or_path gpt2 \
                    --per_device_train_batch_size 2 --output_dir out\n\n## `ac.yaml`:\n```yaml\n\
                    compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_processes: 4\n```\n";
        let names: Vec<_> = headed(text, Some("issue.txt")).unwrap().into_iter().filter_map(|item| item.name).collect();
        assert_eq!(names, ["train.sh", "ac.yaml"]);
        assert!(headed(text, Some("train.sh")).is_none() && headed("# a.yaml is the file\nx: 1\n", None).is_none());
    }

    #[test]
    fn values_of_weights_and_biases_lose_their_wrapper() {
        let text = "wandb_version: 1\nbf16:\n    desc: null\n    value: true\nmax_length:\n    value: 4096\n\
                    fsdp_config:\n    value:\n        min_num_params: 0\n";
        let inside = unwrapped(text, Some("config.yaml")).unwrap();
        assert_eq!(inside.text, "bf16: true\nmax_length: 4096\nfsdp_config:\n        min_num_params: 0\n");
    }

    #[test]
    fn printed_arguments_are_a_command() {
        let text = "---- arguments ----\n  bf16 ......... True\n  hidden_size ........ 1024\n  num_layers ...... 24\n  \
                    recompute_granularity ...... None\n  seq_length ..... 1024\n  world_size ..... 8\n";
        let inside = unwrapped(text, None).unwrap();
        let command = "torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py --bf16 --hidden-size 1024 --num-layers 24 \
                       --seq-length 1024";
        assert_eq!(inside.text, command);
    }

    #[test]
    fn printed_enumerations_are_their_values() {
        let text = "TrainingArguments(\nfsdp=[<FSDPOption.FULL_SHARD: 'full_shard'>, <FSDPOption.AUTO_WRAP: 'auto_wrap'>],\nbf16=True)";
        let inside = unwrapped(text, None).unwrap();
        assert_eq!(inside.text, "TrainingArguments(\nfsdp='full_shard auto_wrap',\nbf16=True)");
    }
}
