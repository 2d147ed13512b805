//! The training stack of a row, which decides the values that the row leaves blank.

mod told;

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
