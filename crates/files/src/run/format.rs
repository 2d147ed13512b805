//! Whose a file is, by its keys.

mod marks;
mod programs;

use serde::Serialize;

pub(super) use programs::{of, refused};

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
    /// What the Trainer's `fsdp_config` names: FSDP's options in a file of their own.
    #[serde(rename = "fsdp_config")]
    FsdpConfig,
    /// DeepSpeed.
    #[serde(rename = "DeepSpeed")]
    DeepSpeed,
}

impl Format {
    /// All of them.
    pub(super) const ALL: [Self; 17] = [
        Self::Config,
        Self::Peft,
        Self::Trainer,
        Self::Trl,
        Self::LlamaFactory,
        Self::Axolotl,
        Self::Torchtune,
        Self::Torchtitan,
        Self::Megatron,
        Self::Bridge,
        Self::Nemo,
        Self::Foundry,
        Self::Nanotron,
        Self::MaxText,
        Self::Accelerate,
        Self::FsdpConfig,
        Self::DeepSpeed,
    ];

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
            Self::FsdpConfig => "the Trainer's fsdp_config",
            Self::DeepSpeed => "DeepSpeed",
        }
    }

    /// When it is read among several: a model first, what launches it and what it refers to last.
    pub(super) const fn turn(self) -> u8 {
        match self {
            Self::Config => 0,
            Self::Peft => 1,
            Self::Accelerate => 3,
            Self::DeepSpeed | Self::FsdpConfig => 4,
            _ => 2,
        }
    }

    /// Whether one file of it may be a whole run.
    pub(super) const fn is_run(self) -> bool {
        self.turn() == 2
    }

    /// Whether it runs transformers' Trainer.
    pub(super) const fn is_hugging_face(self) -> bool {
        matches!(self, Self::Trainer | Self::Trl | Self::LlamaFactory | Self::Axolotl)
    }
}
