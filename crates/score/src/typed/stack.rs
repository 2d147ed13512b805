//! The training program of a row, identified by words of its columns, with the program's defaults.

use crate::row::Row;
use crate::text::has;
use engine::model::software::{AttentionKernel, Framework, Loss, NormKernel};
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::scenario::Strategy;

/// Programs that share their defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stack {
    /// MosaicML's Composer over FSDP1: llm-foundry.
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
    /// Megatron-LM before Megatron-Core.
    MegatronEarly,
    /// Megatron-DeepSpeed.
    MegatronDeepSpeed,
    /// Megatron-Core and its forks.
    MegatronCore,
    /// NeMo and Megatron-Bridge over Megatron-Core.
    Nemo,
    /// nanotron.
    Nanotron,
    /// Hugging Face's models with PEFT, on one GPU or with replicas.
    Peft,
    /// Hugging Face's models with PEFT over FSDP1.
    PeftFsdp,
    /// LitGPT on Lightning Fabric.
    Fabric,
    /// torchtune.
    Torchtune,
    /// MaxText on JAX.
    MaxText,
}

/// Defaults of a program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Habits {
    /// Underlying framework.
    pub framework: Framework,
    /// Default sharding strategy; `None` if there is no default.
    pub strategy: Option<Strategy>,
    /// Default recomputation.
    pub recompute: Recompute,
    /// Formats of weights, gradients and states.
    pub formats: PrecisionPolicy,
    /// Attention kernel; `None` if PyTorch chooses the kernel by silicon.
    pub attention: Option<AttentionKernel>,
    /// The loss.
    pub loss: Loss,
    /// The norms.
    pub norms: NormKernel,
    /// Whether tensor parallelism includes sequence parallelism.
    pub sequence_parallel: bool,
    /// Whether gradient reduction overlaps the backward pass.
    pub overlaps: bool,
}

/// Defaults of code on PyTorch's FSDP.
const FSDP: Habits = Habits {
    framework: Framework::Torchtitan,
    strategy: Some(Strategy::FullShard),
    recompute: Recompute::None,
    formats: PrecisionPolicy::Fsdp2MixedBf16,
    attention: None,
    loss: Loss::Standard,
    norms: NormKernel::Fused,
    sequence_parallel: true,
    overlaps: true,
};
/// Defaults of Megatron-LM in 2021: unfused attention, full recomputation, gradient reduction after
/// the backward pass.
const EARLY: Habits = Habits {
    framework: Framework::MegatronLegacy,
    strategy: Some(Strategy::Ddp),
    recompute: Recompute::Full,
    formats: PrecisionPolicy::MegatronMixed,
    attention: Some(AttentionKernel::Unfused),
    sequence_parallel: false,
    overlaps: false,
    ..FSDP
};
/// Defaults of Megatron-Core: a distributed optimizer, cuDNN attention, recomputed attention core.
const CORE: Habits = Habits {
    framework: Framework::Megatron,
    strategy: Some(Strategy::Zero1),
    recompute: Recompute::AttentionCore,
    formats: PrecisionPolicy::MegatronMixed,
    attention: Some(AttentionKernel::FlashTuned),
    loss: Loss::Fused,
    ..FSDP
};

impl Stack {
    /// Returns the defaults of the program.
    pub(super) const fn habits(self) -> Habits {
        let sixteen = PrecisionPolicy::Fsdp2MixedBf16Reduce16;
        let pure = PrecisionPolicy::PureBf16;
        match self {
            Self::Fsdp => FSDP,
            Self::Torchtitan => Habits { recompute: Recompute::Selective, norms: NormKernel::Upcast, ..FSDP },
            Self::Composer => Habits {
                framework: Framework::Fsdp1,
                formats: sixteen,
                attention: Some(AttentionKernel::FlashFirst),
                loss: Loss::Fused,
                ..FSDP
            },
            Self::Modalities => {
                Habits { framework: Framework::Fsdp1, formats: sixteen, norms: NormKernel::Upcast, ..FSDP }
            }
            Self::HuggingFace => {
                Habits { framework: Framework::Transformers, formats: sixteen, norms: NormKernel::Upcast, ..FSDP }
            }
            Self::Peft => Habits {
                framework: Framework::Transformers,
                formats: PrecisionPolicy::AutocastBf16,
                norms: NormKernel::Upcast,
                ..FSDP
            },
            Self::PeftFsdp => Habits { framework: Framework::Fsdp1, formats: pure, norms: NormKernel::Upcast, ..FSDP },
            Self::Fabric => Habits { formats: pure, norms: NormKernel::Upcast, ..FSDP },
            Self::Torchtune => Habits { formats: pure, loss: Loss::Chunked, ..FSDP },
            Self::DeepSpeed => Habits {
                framework: Framework::DeepSpeed,
                strategy: None,
                formats: PrecisionPolicy::ZeroMixed,
                sequence_parallel: false,
                ..FSDP
            },
            Self::InternEvo => Habits {
                framework: Framework::DeepSpeed,
                strategy: None,
                formats: PrecisionPolicy::ZeroMixed,
                attention: Some(AttentionKernel::FlashFirst),
                sequence_parallel: false,
                ..FSDP
            },
            Self::MegatronEarly => EARLY,
            Self::MegatronDeepSpeed => Habits { strategy: None, ..EARLY },
            Self::MegatronCore => CORE,
            // The recipes of NeMo and Megatron-Bridge set `grad_reduce_in_fp32` to false.
            Self::Nemo => Habits { formats: PrecisionPolicy::ZeroMixed, ..CORE },
            Self::Nanotron => Habits {
                framework: Framework::Nanotron,
                strategy: Some(Strategy::Zero1),
                formats: PrecisionPolicy::MegatronMixed,
                ..FSDP
            },
            // XLA compiles the whole step: only the 16-bit logits are written.
            Self::MaxText => Habits {
                framework: Framework::MaxText,
                formats: sixteen,
                recompute: Recompute::Full,
                attention: Some(AttentionKernel::FlashTuned),
                loss: Loss::Chunked,
                ..FSDP
            },
        }
    }

    /// Returns whether the program uses PyTorch's FSDP by default.
    pub(super) const fn is_fsdp(self) -> bool {
        matches!(
            self,
            Self::Composer
                | Self::Modalities
                | Self::Torchtitan
                | Self::HuggingFace
                | Self::Fsdp
                | Self::PeftFsdp
                | Self::Fabric
                | Self::Torchtune
        )
    }

    /// Returns whether the program is based on Megatron.
    pub(super) const fn is_megatron(self) -> bool {
        matches!(self, Self::MegatronEarly | Self::MegatronDeepSpeed | Self::MegatronCore | Self::Nemo)
    }

    /// Returns the program of a row.
    pub(super) fn of(row: &Row) -> Self {
        let says = |words: &[&str]| has(&row.framework, words);
        if says(&["nanotron"]) {
            Self::Nanotron
        } else if says(&["maxtext", "torchprime"]) {
            Self::MaxText
        } else if says(&["automodel"]) {
            Self::Fsdp
        } else if says(&["nemo", "bridge"]) {
            Self::Nemo
        } else if says(&["megatron-core", "megatron core", "mcore", "megatron-fsdp", "megascale", "megatron-swift"]) {
            Self::MegatronCore
        } else if says(&["megatron"]) {
            Self::megatron(row)
        } else if says(&["oneflow"]) {
            Self::MegatronEarly
        } else if says(&["litgpt", "lit-gpt", "fabric"]) {
            Self::Fabric
        } else if says(&["torchtune"]) {
            Self::Torchtune
        } else if says(&["internlm", "internevo"]) {
            Self::InternEvo
        } else if says(&["composer", "foundry", "mosaic"]) {
            Self::Composer
        } else if says(&["modalities"]) {
            Self::Modalities
        } else if says(&["torchtitan"]) {
            Self::Torchtitan
        } else if says(&["deepspeed", "colossal", "paddle"]) || has(&row.sharding, &["zero"]) && !says(&["fsdp"]) {
            Self::DeepSpeed
        } else if is_trainer(row) {
            Self::trainer(row)
        } else {
            Self::Fsdp
        }
    }

    /// Returns the stack of Hugging Face's trainer or of a program based on it.
    fn trainer(row: &Row) -> Self {
        let is_sharded = has(&format!("{} {}", row.sharding, row.framework), &["fsdp", "full_shard", "full shard"]);
        match (is_sharded, row.trainable.as_str()) {
            (true, "full") | (_, "") => Self::HuggingFace,
            (true, _) => Self::PeftFsdp,
            (false, _) => Self::Peft,
        }
    }

    /// Returns the version of Megatron that a bare name refers to, by kernels, formats, models and
    /// GPUs that came later.
    fn megatron(row: &Row) -> Self {
        let is_recent = has(&row.attention, &["flash", "te", "cudnn"])
            || has(&row.model, &["llama-2", "llama 2", "llama-3", "llama 3", "mixtral", "qwen", "mistral", "deepseek"])
            || has(&row.precision, &["fp8", "fp4"])
            || has(&row.gpu, &["h100", "h200", "h800", "b200", "b300", "mi300"]);
        if has(&row.framework, &["deepspeed"]) {
            Self::MegatronDeepSpeed
        } else if is_recent {
            Self::MegatronCore
        } else {
            Self::MegatronEarly
        }
    }
}

/// Returns whether a row's program is Hugging Face's trainer or is based on it.
pub(super) fn is_trainer(row: &Row) -> bool {
    const WORDS: [&str; 18] = [
        "hf ",
        "hugging",
        "transformers",
        "accelerate",
        "trainer",
        "peft",
        "trl",
        "axolotl",
        "unsloth",
        "llama-factory",
        "llamafactory",
        "swift",
        "fastchat",
        "llava",
        "xtuner",
        "open-instruct",
        "openrlhf",
        "alpaca",
    ];
    has(&row.framework, &WORDS)
}
