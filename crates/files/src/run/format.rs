//! The format of a file, by its keys.

mod programs;
mod signatures;

use serde::{Serialize, Serializer};

use super::program::Program;

pub(super) use programs::{of, refused};

/// A format of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A model's `config.json`.
    Config,
    /// An adapter's `adapter_config.json`.
    Peft,
    /// `TrainingArguments` of transformers, and the scripts on it.
    Trainer,
    /// TRL.
    Trl,
    /// Axolotl.
    Axolotl,
    /// torchtitan.
    Torchtitan,
    /// Megatron-LM's arguments.
    Megatron,
    /// Megatron-Bridge.
    Bridge,
    /// NeMo.
    Nemo,
    /// `MaxText`.
    MaxText,
    /// Accelerate.
    Accelerate,
    /// The file that the Trainer's `fsdp_config` names: FSDP's options.
    FsdpConfig,
    /// DeepSpeed.
    DeepSpeed,
    /// A program whose keys are listed in a table.
    Table(&'static Program),
}

impl Format {
    /// All formats with a reader in Rust.
    pub(super) const ALL: [Self; 13] = [
        Self::Config,
        Self::Peft,
        Self::Trainer,
        Self::Trl,
        Self::Axolotl,
        Self::Torchtitan,
        Self::Megatron,
        Self::Bridge,
        Self::Nemo,
        Self::MaxText,
        Self::Accelerate,
        Self::FsdpConfig,
        Self::DeepSpeed,
    ];

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config.json",
            Self::Peft => "PEFT",
            Self::Trainer => "Hugging Face Trainer",
            Self::Trl => "TRL",
            Self::Axolotl => "Axolotl",
            Self::Torchtitan => "torchtitan",
            Self::Megatron => "Megatron-LM",
            Self::Bridge => "Megatron-Bridge",
            Self::Nemo => "NeMo",
            Self::MaxText => "MaxText",
            Self::Accelerate => "Accelerate",
            Self::FsdpConfig => "the Trainer's fsdp_config",
            Self::DeepSpeed => "DeepSpeed",
            Self::Table(program) => &program.name,
        }
    }

    /// Returns the format of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let own = Self::ALL.into_iter().find(|format| format.name() == name);
        own.or_else(|| Program::all().find(|program| program.name == name).map(Self::Table))
    }

    /// Returns the position among several files: a model first, launchers and the files they refer
    /// to last.
    pub(super) const fn turn(self) -> u8 {
        match self {
            Self::Config => 0,
            Self::Peft => 1,
            Self::Accelerate => 3,
            Self::DeepSpeed | Self::FsdpConfig => 4,
            _ => 2,
        }
    }

    /// Whether one file of this format may be a whole run.
    pub(super) const fn is_run(self) -> bool {
        self.turn() == 2
    }

    /// Whether the program runs transformers' Trainer.
    pub(super) fn is_hugging_face(self) -> bool {
        match self {
            Self::Table(program) => program.is_on_the_trainer(),
            _ => matches!(self, Self::Trainer | Self::Trl | Self::Axolotl),
        }
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Self::FsdpConfig => "fsdp_config",
            other => other.name(),
        })
    }
}
