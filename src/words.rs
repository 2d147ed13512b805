//! Words that several features share: the names of figures, of models and of GPUs.

use catalog::families;
use engine::format;
use engine::model::anchor::Anchor;
use engine::model::hardware::Accelerator;
use engine::model::training::Recompute;
use engine::params::Unit;
use engine::scenario::{Model, Scenario};

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

/// Returns the model's name; for a scaled model, the name of its family and its size.
pub fn model_name(model: &Model) -> String {
    match model {
        Model::Preset { id, .. } => {
            catalog::model(id).map_or_else(|| (*id).to_string(), |entry| entry.name.to_string())
        }
        Model::Ladder { size } => format::params(*size),
        Model::Custom { .. } => format!("A model of {} parameters", format::params(model.size())),
        Model::Scaled { base, size, .. } => {
            let name = families::name_of(model).map_or_else(
                || format!("A model of {} parameters", format::params(base.params() as f64)),
                str::to_owned,
            );
            format!("{name} scaled to {}", format::params(*size))
        }
    }
}

/// Returns the GPUs of a scenario: `64 H100 SXM`.
pub fn hardware(scenario: &Scenario) -> String {
    format!("{} {}", format::count(f64::from(scenario.gpus)), gpu_name(scenario))
}

/// Returns the GPU's name, with its memory if that differs from the data sheet.
pub fn gpu_name(scenario: &Scenario) -> String {
    let entry = catalog::accelerator(scenario.accelerator.id);
    let Accelerator { memory, usable_percent, efficiency, .. } = scenario.accelerator.values;
    let own = entry.is_some_and(|entry| entry.values.memory == memory);
    // Changed data-sheet numbers other than the memory make a custom GPU; the usable memory and the
    // efficiency of kernels do not.
    let name = match entry {
        Some(entry)
            if Accelerator { memory, usable_percent, efficiency, ..entry.values } == scenario.accelerator.values =>
        {
            entry.name.to_owned()
        }
        _ => {
            let from = entry.map_or(String::new(), |entry| from(entry.name));
            format!("custom GPU{}{from}", if scenario.gpus == 1 { "" } else { "s" })
        }
    };
    if own { name } else { format!("{name} with {}", format::value(Unit::Gib, memory.gib())) }
}

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

/// Returns the factors that correct a prediction: `1.30x time, 1.18x memory`.
pub fn correction(scenario: &Scenario) -> Option<String> {
    let Anchor { time, memory } = scenario.anchor;
    let one = |factor: f64, of: &str| (factor != 1.0).then(|| format!("{factor:.2}x {of}"));
    let said: Vec<String> = [one(time, "time"), one(memory, "memory")].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// Returns a text for the beginning of a line: capitalized, unless it begins with a name of code.
pub fn opening(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text.starts_with("torch.") => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Returns the note after custom values: the catalog entry that they were made from.
pub fn from(name: &str) -> String {
    format!(" (from {name})")
}
