//! What tells the stack of a row: its source, its framework, its publisher.

use super::Stack;
use crate::assumed::program::Program;
use crate::dated;
use crate::finetune::source::Source;
use crate::release;
use crate::row::Row;
use crate::silicon::Table;
use crate::text::has;

impl Stack {
    /// Returns the stack of what a source published, where the framework's name does not tell it.
    fn published(source: Source, row: &Row) -> Option<Self> {
        let zero = has(&row.sharding, &["zero"]);
        match source {
            Source::Torchtune | Source::TorchtuneFlags | Source::TorchtuneEarly => Some(Self::Torchtune),
            Source::LitTables | Source::LitHub => Some(Self::Fabric),
            Source::FsdpQlora | Source::PeftFsdp => Some(Self::FsdpQlora),
            Source::Universal | Source::Fms => {
                Some(if has(&row.sharding, &["fsdp"]) { Self::FsdpQlora } else { Self::Peft })
            }
            // finetune_qlora_single_gpu.sh runs on DeepSpeed, in fp16; finetune_lora_single_gpu.sh does not, in bf16.
            Source::Qwen if row.trainable == "qlora" => Some(Self::DeepSpeed),
            Source::Qwen
            | Source::SwiftBenchmark
            | Source::PeftReadme
            | Source::PeftMethods
            | Source::Glm
            | Source::Axolotl => Some(if zero {
                Self::DeepSpeed
            } else if has(&row.sharding, &["fsdp"]) {
                Self::FsdpQlora
            } else {
                Self::Peft
            }),
            Source::SwiftExamples if !has(&row.framework, &["megatron"]) => {
                Some(if zero { Self::DeepSpeed } else { Self::Peft })
            }
            Source::Unsloth => Some(Self::Peft),
            Source::Xtuner => Some(Self::DeepSpeed),
            Source::Mlperf => Some(Self::Nemo),
            Source::Other => Self::of_program(row),
            _ => None,
        }
    }

    /// Returns the stack of a row, from its framework, its publisher and, for a bare `Megatron-LM`,
    /// its GPU and kernels.
    pub fn of(row: &Row) -> Self {
        if let Some(stack) = Source::of(row).and_then(|source| Self::published(source, row)) {
            return stack;
        }
        if let Some(stack) = Table::of(row).and_then(|table| table.stack(row)) {
            return stack;
        }
        let framework = row.framework.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| framework.contains(word));
        if says(&["nanotron"]) {
            Self::Nanotron
        } else if says(&["automodel"]) {
            Self::Fsdp
        } else if says(&["megatron-core", "megatron core", "mcore", "megatron-fsdp", "megascale"]) {
            if says(&["nemo", "bridge"]) { Self::Nemo } else { Self::MegatronCore }
        } else if is_early_nemo(row) {
            Self::MegatronEarly
        } else if says(&["nemo", "bridge"]) {
            Self::Nemo
        } else if says(&["megatron"]) {
            Self::megatron(row, &framework)
        } else if says(&["oneflow"]) {
            Self::MegatronEarly
        } else if says(&["deepspeed", "colossal", "paddle"]) {
            if has(&row.source, &["megatron"]) { Self::MegatronDeepSpeed } else { Self::DeepSpeed }
        } else if says(&["internlm", "internevo"]) {
            Self::InternEvo
        } else if says(&["composer", "foundry", "mosaic"]) || has(&row.source, &["llm-foundry", "mosaicml"]) {
            Self::Composer
        } else if says(&["modalities"]) {
            Self::Modalities
        } else if says(&["torchtitan"]) {
            Self::Torchtitan
        } else if says(&["hf ", "hugging", "transformers", "accelerate", "trl", "axolotl"]) {
            Self::HuggingFace
        } else if says(&["torchprime"]) {
            Self::MaxText
        } else if has(&row.source, &["megascale"]) {
            Self::MegatronCore
        } else if has(&row.sharding, &["zero-1", "zero-2", "zero-3", "zero1", "zero2", "zero3"]) && !says(&["fsdp"]) {
            Self::DeepSpeed
        } else {
            Self::Fsdp
        }
    }

    /// Returns the stack of a tuned model by the program that its framework names; `None` where the other words tell it.
    fn of_program(row: &Row) -> Option<Self> {
        if has(&row.framework, &["torchtune"]) {
            return Some(Self::Torchtune);
        }
        // litgpt's benchmark and recipes create the model in bf16 (`bf16-true`), thunder's too.
        if has(&row.framework, &["litgpt", "lit-gpt"]) {
            return Some(Self::Fabric);
        }
        // Sharding of PaddleNLP and ZeRO of Colossal-AI keep 16-bit weights beside an fp32 copy that they shard.
        if has(&row.framework, &["paddle", "colossal"]) {
            return Some(Self::DeepSpeed);
        }
        let program = Program::of(row).filter(|program| program.is_trainers())?;
        // ZeRO's words, or DeepSpeed's name, whatever runs on it.
        if has(&row.sharding, &["zero"]) || has(&row.framework, &["deepspeed"]) {
            return Some(Self::DeepSpeed);
        }
        let sharded = has(&format!("{} {}", row.sharding, row.framework), &["fsdp", "full_shard", "full shard"]);
        Some(match (sharded, row.trainable.as_str()) {
            // verl's and NeMo RL's own loops keep fp32 weights.
            (true, _) if program == Program::Reinforcement => Self::Fsdp,
            (true, "full") => Self::HuggingFace,
            (true, _) => Self::FsdpQlora,
            (false, _) => Self::Peft,
        })
    }

    fn megatron(row: &Row, framework: &str) -> Self {
        let deepspeed = framework.contains("deepspeed") && !framework.contains("megatron-lm");
        if deepspeed || has(&row.source, &["bigscience"]) {
            return Self::MegatronDeepSpeed;
        }
        let recent = has(&row.source, &["megascale", "golden", "readme"]) && !has(&row.source, &["2021"])
            || has(&row.attention, &["flash", "te", "cudnn"])
            // Models that came after Megatron-Core.
            || has(&row.model, &["llama-2", "llama 2", "llama-3", "llama 3", "mixtral", "qwen", "mistral", "deepseek"])
            || has(&row.precision, &["fp8", "fp4"])
            || has(&row.gpu, &["h100", "h200", "h800", "b200", "b300", "mi300"]);
        if recent { Self::MegatronCore } else { Self::MegatronEarly }
    }
}

/// Year and month from which `NeMo` ran Transformer Engine and fused attention in its recipes for GPT.
const FUSED: (u32, u32) = (2023, 6);

/// Whether a row is of `NeMo`'s launcher of 2022 and early 2023: Megatron of then, unfused attention under O2's mixed precision. Its
/// README had A100 alone until it had Transformer Engine.
fn is_early_nemo(row: &Row) -> bool {
    let text = format!("{} {}", row.source, row.framework);
    let launcher = has(&text, &["nemo megatron", "nemo-megatron", "megatron launcher"]) && has(&row.gpu, &["a100"]);
    let date = dated::of(row);
    let release = release::said(row).map(|release| release < 23.055);
    let nemo = has(&text, &["nemo"]);
    nemo && release.or(date.map(|date| date < FUSED)).unwrap_or(launcher)
}
