//! The words that several features share: the names of figures, of models and of GPUs.

use catalog::families;
use engine::format;
use engine::model::anchor::Anchor;
use engine::model::hardware::Accelerator;
use engine::model::training::Recompute;
use engine::params::Unit;
use engine::scenario::{Model, Scenario};

/// The headline figures, by the names that tests and screen readers know.
pub const MFU: &str = "MFU";
/// Throughput, where room is short.
pub const TOKENS_SHORT: &str = "Tokens/s/GPU";
/// Time of a step.
pub const STEP: &str = "Step time";
/// Memory that is needed.
pub const NEEDED: &str = "Memory needed";
/// What limits.
pub const LIMITER: &str = "Limited by";
/// On a button that closes.
pub const DISMISS: &str = "Close";
/// After the link was copied.
pub const COPIED: &str = "Link copied";
/// The option for custom values, where chosen.
pub const CUSTOM: &str = "Custom";

/// The model's name; of a scaled one the family's, and its size.
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

/// The GPUs of a scenario: `64 H100 SXM`.
pub fn hardware(scenario: &Scenario) -> String {
    format!("{} {}", format::count(f64::from(scenario.gpus)), gpu_name(scenario))
}

/// The GPU's name, with its memory where that is not its data sheet's.
pub fn gpu_name(scenario: &Scenario) -> String {
    let entry = catalog::accelerator(scenario.accelerator.id);
    let Accelerator { memory, usable_percent, efficiency, .. } = scenario.accelerator.values;
    let own = entry.is_some_and(|entry| entry.values.memory == memory);
    // Other numbers of a data sheet than the memory make another GPU; what programs can use of it
    // and what kernels reach do not.
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

/// Activation checkpointing, inside a sentence.
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

/// By what a prediction is corrected: `1.30x time, 1.18x memory`.
pub fn correction(scenario: &Scenario) -> Option<String> {
    let Anchor { time, memory } = scenario.anchor;
    let one = |factor: f64, of: &str| (factor != 1.0).then(|| format!("{factor:.2}x {of}"));
    let said: Vec<String> = [one(time, "time"), one(memory, "memory")].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// A text at the beginning of a line: with a capital, unless it begins with a name of code.
pub fn opening(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text.starts_with("torch.") => first.to_uppercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// After custom values: the catalog entry that they were made from.
pub fn from(name: &str) -> String {
    format!(" (from {name})")
}
