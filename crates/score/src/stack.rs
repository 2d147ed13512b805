//! The training stack of a row, which decides the values that the row leaves blank.

use super::finetune::source::Source;
use super::row::Row;
use super::silicon::Table;
use super::text::has;

/// A training stack: releases that share their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stack {
    /// MosaicML's Composer over FSDP1: llm-foundry and the examples before it.
    Composer,
    /// Modalities over FSDP1.
    Modalities,
    /// torchtitan and its forks over FSDP2.
    Torchtitan,
    /// Hugging Face's models and trainer over FSDP.
    HuggingFace,
    /// Other code on PyTorch's FSDP.
    Fsdp,
    /// InternLM's hybrid ZeRO-1.
    InternEvo,
    /// DeepSpeed without Megatron.
    DeepSpeed,
    /// Megatron-LM before Megatron-Core, and its contemporaries on V100 (OneFlow).
    MegatronEarly,
    /// Megatron-DeepSpeed.
    MegatronDeepSpeed,
    /// Megatron-Core and its forks (MegaScale).
    MegatronCore,
    /// `NeMo` and Megatron-Bridge over Megatron-Core.
    Nemo,
    /// nanotron.
    Nanotron,
    /// Hugging Face's models with PEFT, on one GPU or with replicas.
    Peft,
    /// The same over FSDP1 (`fsdp_qlora`, Accelerate).
    FsdpQlora,
    /// Lightning Fabric (`LitGPT`).
    Fabric,
    /// torchtune.
    Torchtune,
    /// `MaxText` on JAX.
    MaxText,
}

impl Stack {
    /// Returns the stack of what a source published, where the framework's name does not tell it.
    fn published(source: Source, row: &Row) -> Option<Self> {
        let zero = has(&row.sharding, &["zero"]);
        match source {
            Source::Torchtune | Source::TorchtuneFlags | Source::TorchtuneEarly => Some(Self::Torchtune),
            Source::LitTables | Source::LitHub => Some(Self::Fabric),
            Source::FsdpQlora | Source::PeftFsdp => Some(Self::FsdpQlora),
            Source::Universal => Some(if has(&row.sharding, &["fsdp"]) { Self::FsdpQlora } else { Self::Peft }),
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
        } else if says(&["nemo", "bridge"]) {
            Self::Nemo
        } else if says(&["megatron"]) {
            Self::megatron(row, &framework)
        } else if says(&["oneflow"]) {
            Self::MegatronEarly
        } else if says(&["deepspeed"]) {
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
        } else if has(&row.source, &["megascale"]) {
            Self::MegatronCore
        } else {
            Self::Fsdp
        }
    }

    fn megatron(row: &Row, framework: &str) -> Self {
        let deepspeed = framework.contains("deepspeed") && !framework.contains("megatron-lm");
        if deepspeed || has(&row.source, &["bigscience"]) {
            return Self::MegatronDeepSpeed;
        }
        let recent = has(&row.source, &["megascale", "golden", "readme"]) && !has(&row.source, &["2021"])
            || has(&row.attention, &["flash", "te", "cudnn"])
            || has(&row.precision, &["fp8", "fp4"])
            || has(&row.gpu, &["h100", "h200", "h800", "b200", "b300", "mi300"]);
        if recent { Self::MegatronCore } else { Self::MegatronEarly }
    }

    /// Whether the stack uses PyTorch's FSDP by default.
    pub fn is_fsdp(self) -> bool {
        matches!(
            self,
            Self::Composer
                | Self::Modalities
                | Self::Torchtitan
                | Self::HuggingFace
                | Self::Fsdp
                | Self::FsdpQlora
                | Self::Fabric
                | Self::Torchtune
        )
    }

    /// Whether the stack is based on Megatron.
    pub fn is_megatron(self) -> bool {
        matches!(self, Self::MegatronEarly | Self::MegatronDeepSpeed | Self::MegatronCore | Self::Nemo)
    }
}
