//! Names of a run in words: its model, its GPUs, its layout, and the measurements behind its
//! prediction.

use catalog::accuracy::{self, Evidence, Measured, Stack};
use catalog::families;
use engine::format;
use engine::model::anchor::Anchor;
use engine::model::hardware::Accelerator;
use engine::params::{Unit, labels};
use engine::scenario::{Model, Scenario};

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

/// Returns the factors that correct a prediction: `1.30x time, 1.18x memory`.
pub fn correction(scenario: &Scenario) -> Option<String> {
    let Anchor { time, memory } = scenario.anchor;
    let one = |factor: f64, of: &str| (factor != 1.0).then(|| format!("{factor:.2}x {of}"));
    let said: Vec<String> = [one(time, "time"), one(memory, "memory")].into_iter().flatten().collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// Returns the note after custom values: the catalog entry that they were made from.
pub fn from(name: &str) -> String {
    format!(" (from {name})")
}

/// Returns the runs on the accelerator: `1,291 measured runs on H100 SXM, median error 5.1 %`, or
/// that there is none; and the parts of the run without measurements.
pub fn on_accelerator(scenario: &Scenario) -> String {
    let name = |id: &str| catalog::accelerator(id).map_or("this accelerator", |entry| entry.name);
    let own = name(scenario.accelerator.id);
    let said = match accuracy::evidence(scenario) {
        Evidence::Runs(of) => format!("{} on {own}{}", runs(of), error(of)),
        Evidence::SameSilicon(of) => {
            format!(
                "No measured run on {own}; {} on {}, of the same silicon{}",
                runs(of),
                name(of.accelerator),
                error(of)
            )
        }
        Evidence::DataSheet => format!("Data sheet only: no measured run on {own}"),
    };
    let rollout = if scenario.objective.task.generates() { "; rollout: not measured" } else { "" };
    let stack = Stack::of(scenario);
    let wider = if !stack.is_measured() {
        format!("; none of {} on this silicon: wider ranges", stack.name())
    } else if scenario.accelerator.values.generation.is_fitted() {
        String::new()
    } else {
        "; wider ranges".to_owned()
    };
    said + rollout + &wider
}

fn runs(of: &Measured) -> String {
    let plural = if of.runs == 1 { "" } else { "s" };
    format!("{} measured run{plural}", format::count(f64::from(of.runs)))
}

/// Returns the median error of the step time if it is known, else that of the peak memory.
fn error(of: &Measured) -> String {
    let percent = |error: f64| format!("{error:.1}{}%", format::THIN_SPACE);
    match (of.step_error, of.peak_error) {
        (Some(error), _) => format!(", median error {}", percent(error)),
        (None, Some(error)) => format!(", median error of the peak memory {}", percent(error)),
        (None, None) => String::new(),
    }
}

/// Returns the run in a line: `Llama 3 8B on 64 H100 SXM, DGX H100 x8`.
pub fn title(scenario: &Scenario) -> String {
    let place = catalog::cluster(scenario.network.id).map_or_else(String::new, |entry| format!(", {}", entry.name));
    format!("{} on {}{place}", model_name(&scenario.model), hardware(scenario))
}

/// Returns the layout in a line: `Full shard, dp 64; 4,096 tokens, 1 x 1 sequences; no
/// checkpointing`.
pub fn layout(scenario: &Scenario) -> String {
    let count = |value: u32| format::count(f64::from(value));
    format!(
        "{}; {} tokens, {} x {} sequences; checkpointing: {}",
        labels::layout(scenario),
        count(scenario.seq_len),
        count(scenario.micro_batch_size),
        count(scenario.grad_accum_steps),
        labels::recompute(scenario)
    )
}
