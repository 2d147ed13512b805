//! The program that a person ran, by its name in the framework's column.

use crate::row::Row;
use crate::text::has;

/// A program of which people report runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    /// LLaMA-Factory.
    LlamaFactory,
    /// ms-swift, without Megatron.
    Swift,
    /// Axolotl.
    Axolotl,
    /// Unsloth.
    Unsloth,
    /// TRL.
    Trl,
    /// Hugging Face's Trainer, Accelerate and PEFT by themselves, and scripts around them.
    Trainer,
    /// OpenRLHF, open-instruct, DeepSpeed-Chat and verl.
    Reinforcement,
    /// FastChat, LLaVA and Qwen's own scripts, which Vicuna's began.
    Scripts,
    /// llama-recipes and torchtune.
    Recipes,
    /// prime-rl.
    PrimeRl,
}

/// Words of the framework's column; the first that fit hold.
const NAMES: [(&[&str], Program); 12] = [
    (&["unsloth"], Program::Unsloth),
    (&["llama-factory", "llamafactory", "llama factory"], Program::LlamaFactory),
    (&["megatron-swift"], Program::Trainer),
    (&["swift"], Program::Swift),
    (&["axolotl"], Program::Axolotl),
    (&["prime-rl"], Program::PrimeRl),
    (&["openrlhf", "open-instruct", "deepspeed-chat", "verl", "moss-rlhf"], Program::Reinforcement),
    (&["fastchat", "llava", "qwen finetune", "finetune.py", "qwen3-vl finetune", "xtuner"], Program::Scripts),
    (&["llama-recipes", "torchtune", "gpt-neox", "openlm", "torchprime"], Program::Recipes),
    (&["trl", "sfttrainer"], Program::Trl),
    (&["hf ", "hugging", "transformers", "accelerate", "trainer", "peft", "alpaca-lora"], Program::Trainer),
    (&["olive", "lightning"], Program::Trainer),
];

impl Program {
    /// Returns the program of a row.
    pub fn of(row: &Row) -> Option<Self> {
        if has(&row.framework, &["megatron"]) {
            return None;
        }
        NAMES.iter().find(|(words, _)| has(&row.framework, words)).map(|(_, program)| *program)
    }

    /// Whether it runs Hugging Face's models in Hugging Face's training loop, on whatever shards them.
    pub const fn is_trainers(self) -> bool {
        !matches!(self, Self::Recipes | Self::PrimeRl)
    }

    /// Whether it recomputes layers where nothing is said: LLaMA-Factory (`disable_gradient_checkpointing: False`), ms-swift
    /// (`gradient_checkpointing: True`), the examples of Axolotl, Unsloth, FastChat, LLaVA, Qwen, torchtune, llama-recipes
    /// (`fsdp_activation_checkpointing`), OpenRLHF and verl. Trainer, PEFT and TRL before August 2025 do not.
    pub fn recomputes(self, row: &Row) -> bool {
        match self {
            // `prepare_model_for_kbit_training(use_gradient_checkpointing=True)`.
            Self::Trainer | Self::Trl if is_quantized(row) => true,
            Self::Trainer => false,
            Self::Trl => has(&format!("{} {}", row.framework, row.source), &["2026", "2025-08", "2025-09", "2025-1"]),
            _ => true,
        }
    }

    /// Sequences that it trains at once on a GPU where nothing is said.
    pub fn micro_batch(self, seq_len: u32) -> u32 {
        match self {
            // `per_device_train_batch_size: int = 8` (training_args.py), which people halve, and lower further for long texts.
            Self::Trainer | Self::Trl => (TOKENS / seq_len.max(1)).clamp(1, 4),
            Self::Recipes | Self::Axolotl | Self::Unsloth => 2,
            _ => 1,
        }
    }
}

/// Tokens of a micro-batch beyond which people lower the Trainer's default.
const TOKENS: u32 = 4096;

/// Whether the base is quantized, by any column that says so.
fn is_quantized(row: &Row) -> bool {
    row.trainable == "qlora" || !row.quantized_base.is_empty() || has(&row.precision, &["bit base", "nf4"])
}
