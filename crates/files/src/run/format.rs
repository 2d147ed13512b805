//! Whose a file is, by its keys.

mod marks;

use serde::Serialize;

use super::spelling::plain;
use super::tree::{Tree, Value};
use marks::{MARKS, Marks};

/// A format of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum Format {
    /// A model's `config.json`.
    #[serde(rename = "config.json")]
    Config,
    /// An adapter's `adapter_config.json`.
    #[serde(rename = "PEFT")]
    Peft,
    /// `TrainingArguments` of transformers, and the scripts on it.
    #[serde(rename = "Hugging Face Trainer")]
    Trainer,
    /// TRL.
    #[serde(rename = "TRL")]
    Trl,
    /// LLaMA-Factory.
    #[serde(rename = "LLaMA-Factory")]
    LlamaFactory,
    /// Axolotl.
    #[serde(rename = "Axolotl")]
    Axolotl,
    /// torchtune.
    #[serde(rename = "torchtune")]
    Torchtune,
    /// torchtitan.
    #[serde(rename = "torchtitan")]
    Torchtitan,
    /// Megatron-LM's arguments.
    #[serde(rename = "Megatron-LM")]
    Megatron,
    /// Megatron-Bridge.
    #[serde(rename = "Megatron-Bridge")]
    Bridge,
    /// NeMo.
    #[serde(rename = "NeMo")]
    Nemo,
    /// llm-foundry.
    #[serde(rename = "llm-foundry")]
    Foundry,
    /// nanotron.
    #[serde(rename = "nanotron")]
    Nanotron,
    /// `MaxText`.
    #[serde(rename = "MaxText")]
    MaxText,
    /// Accelerate.
    #[serde(rename = "Accelerate")]
    Accelerate,
    /// DeepSpeed.
    #[serde(rename = "DeepSpeed")]
    DeepSpeed,
}

/// The least weight by which a format is recognised.
const LEAST: u32 = 5;

impl Format {
    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config.json",
            Self::Peft => "PEFT",
            Self::Trainer => "Hugging Face Trainer",
            Self::Trl => "TRL",
            Self::LlamaFactory => "LLaMA-Factory",
            Self::Axolotl => "Axolotl",
            Self::Torchtune => "torchtune",
            Self::Torchtitan => "torchtitan",
            Self::Megatron => "Megatron-LM",
            Self::Bridge => "Megatron-Bridge",
            Self::Nemo => "NeMo",
            Self::Foundry => "llm-foundry",
            Self::Nanotron => "nanotron",
            Self::MaxText => "MaxText",
            Self::Accelerate => "Accelerate",
            Self::DeepSpeed => "DeepSpeed",
        }
    }

    /// When it is read among several: a model first, what launches it and what it refers to last.
    pub(super) const fn turn(self) -> u8 {
        match self {
            Self::Config => 0,
            Self::Peft => 1,
            Self::Accelerate => 3,
            Self::DeepSpeed => 4,
            _ => 2,
        }
    }

    /// Whether it runs transformers' Trainer.
    pub(super) const fn is_hugging_face(self) -> bool {
        matches!(self, Self::Trainer | Self::Trl | Self::LlamaFactory | Self::Axolotl)
    }
}

/// The format of a file.
///
/// # Errors
///
/// A sentence if its keys are of none.
pub(super) fn of(tree: &Tree) -> Result<Format, String> {
    let paths: Vec<String> =
        tree.entries.iter().filter(|entry| entry.value != Value::Null).map(|entry| plain(&entry.path)).collect();
    let holds = |mark: &str| {
        paths.iter().any(|path| match mark.strip_prefix('*') {
            Some(last) => path.rsplit('.').next() == Some(last),
            None => path.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
        })
    };
    let weight = |marks: Marks| marks.iter().filter(|(mark, _)| holds(mark)).map(|(_, weight)| weight).sum::<u32>();
    let mut best = (0, Format::Trainer);
    for (format, marks) in MARKS {
        let found = weight(marks);
        if found > best.0 {
            best = (found, format);
        }
    }
    if best.0 < LEAST {
        return Err(format!(
            "{} is no configuration that is known here: of {}.",
            tree.name,
            MARKS.map(|(format, _)| format.name()).join(", ")
        ));
    }
    Ok(best.1)
}
