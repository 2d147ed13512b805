//! Words that several features share: the names of figures, of models and of GPUs.

use engine::model::training::Recompute;

pub use explain::run::{correction, from, gpu_name, hardware, model_name};

/// Label of MFU. Tests and screen readers find the headline figures by these labels.
pub const MFU: &str = "MFU";
/// Short label of throughput.
pub const TOKENS_SHORT: &str = "Tokens/s/GPU";
/// Label of the step time.
pub const STEP: &str = "Step time";
/// Label of the memory needed.
pub const NEEDED: &str = "Memory needed";
/// Label of the limiter.
pub const LIMITER: &str = "Limited by";
/// Label of a button that closes.
pub const DISMISS: &str = "Close";
/// Message after the link was copied.
pub const COPIED: &str = "Link copied";
/// Name of the option for custom values.
pub const CUSTOM: &str = "Custom";

/// Returns the mode of activation checkpointing, for use inside a sentence.
pub fn recompute(mode: Recompute) -> &'static str {
    match mode {
        Recompute::None => "no activation checkpointing",
        Recompute::AttentionCore => "recomputation of the attention core",
        Recompute::Selective => "selective activation checkpointing",
        Recompute::Full => "full activation checkpointing",
        Recompute::Fraction => "checkpointing of a fraction of the activations",
        Recompute::Modules => "recomputation by module",
    }
}

/// Identifier of the field of the box.
pub const BOX: &str = "say";

/// Returns a text for the beginning of a line: capitalized, unless it begins with a name of code.
pub fn opening(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text.starts_with("torch.") => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}
