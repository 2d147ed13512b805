//! Converts the typed columns of a row of a user's own table to a scenario. A blank with one likely
//! value is completed with a note; any other blank leaves out the row with the column's name.

mod assumed;
mod attention;
mod batch;
mod conventions;
mod degrees;
pub mod gpu;
mod layout;
mod measured;
mod model;
mod network;
mod rate;
mod recompute;
mod software;
mod stack;

use super::linked::Measured;
use super::prediction::{Prediction, evaluated};
use super::row::Row;
use super::text::has;
use super::{LeftOut, Notes};
use engine::model::hardware::{Accelerator, Network};
use engine::model::objective::{Objective, RolloutEngine, Task};
use engine::model::training::{ComputeFormat, PrecisionPolicy};
use engine::scenario::issue::{Issue, Severity};
use engine::scenario::{Picked, Scenario};
use stack::Stack;

/// Bounds of the ratio of a step's tokens to those of full micro-batches: a partial last
/// micro-batch removes less than one micro-batch, and the source may have rounded the batch.
const FEWEST: f64 = 0.5;
const MOST: f64 = 1.1;

/// Predicts a row by its columns.
///
/// # Errors
///
/// Returns the reason for leaving out the row.
pub fn predict(row: &Row) -> Result<Prediction, LeftOut> {
    check(row)?;
    let mut notes = Notes::default();
    let row = &assumed::completed(row.clone(), &mut notes);
    let stack = Stack::of(row);
    let scenario = scenario(row, stack, &mut notes)?;
    // Contradictory values are replaced by the nearest valid values; values out of bounds are
    // rejected.
    let together = scenario.issues();
    let bounds = |issue: &Issue| issue.severity == Severity::Error && !together.contains(issue);
    if let Some(issue) = engine::validate::issues(&scenario).into_iter().find(bounds) {
        return Err(LeftOut::because("out of bounds").about(issue.message));
    }
    // A partial last micro-batch shortens the row's step in proportion to its tokens.
    let tokens = row.tokens_per_step().unwrap_or_else(|| full_step(&scenario));
    let share = tokens / full_step(&scenario);
    if !(FEWEST..=MOST).contains(&share) {
        return Err(LeftOut::because("the source contradicts itself").about("global batch against its parts"));
    }
    let peak = peak(&scenario.accelerator.values, scenario.recipe, scenario.compute_format);
    let shape = scenario.model.architecture();
    let measured = Measured {
        step_time_s: measured::step_time(row, &shape, scenario.seq_len, tokens, f64::from(scenario.gpus), peak),
        mfu: row.mfu_pct.map(|percent| percent / 100.0),
        peak_gib: row.peak_mem_gib,
        kind: measured::memory_kind(row),
        stage: measured::memory_stage(row, stack, scenario.setup().mesh.pp),
    };
    let slowest = network::slowest(row, &scenario.network.values, scenario.gpus);
    Ok(evaluated(row, scenario, notes, measured, share, slowest))
}

/// Checks that a row measures a full training step of a supported model.
fn check(row: &Row) -> Result<(), LeftOut> {
    let left_out = |reason: &str| Err(LeftOut::because(reason));
    if has(&row.model, &["one transformer layer", "one moe layer"]) {
        left_out("one layer, not a training step")
    } else if !row.is_case() && has(&row.model, &["t5", "bert", "t0_3b", "mt0-"]) {
        left_out("not a decoder-only transformer")
    } else if has(&row.trainable, &["ppo"]) {
        left_out("several models at once (PPO): not modelled")
    } else if row.trainable.starts_with("adapter") {
        left_out("adapters other than LoRA (LLaMA-Adapter): not modelled")
    } else {
        Ok(())
    }
}

/// Hardware of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hardware {
    /// GPU of the run.
    pub accelerator: Picked<Accelerator>,
    /// Network of the run.
    pub network: Picked<Network>,
    /// Number of GPUs.
    pub gpus: u32,
}

/// Returns the hardware of a row.
///
/// # Errors
///
/// Returns the name of the missing column.
pub fn hardware(row: &Row, notes: &mut Notes) -> Result<Hardware, LeftOut> {
    let entry = gpu::find(row)?;
    let by_nodes = || row.num_nodes?.checked_mul(row.gpus_per_node?);
    let by_degrees = || row.dp?.checked_mul(row.tp?)?.checked_mul(row.pp?)?.checked_mul(row.cp.unwrap_or(1));
    let gpus = row.num_gpus.or_else(by_nodes).or_else(by_degrees).ok_or_else(|| LeftOut::missing("num_gpus"))?;
    let accelerator = gpu::edited(entry, row, notes);
    let network = network::network(row, Stack::of(row), entry, gpus, notes)?;
    Ok(Hardware { accelerator, network, gpus })
}

/// Returns the scenario of a completed row.
fn scenario(row: &Row, stack: Stack, notes: &mut Notes) -> Result<Scenario, LeftOut> {
    let model = model::model(row, stack, notes)?;
    let shape = model.architecture();
    let Hardware { accelerator, network, gpus } = hardware(row, notes)?;
    let layout = layout::layout(row, stack, gpus, network.values.gpus_per_node, notes)?;
    let batch = batch::batch(row, stack, layout.dp, layout.pp, notes)?;
    let software = software::software(row, stack, notes)?;
    let experts = software::experts(row, stack, &shape, layout.tp, notes)?;
    let mut scenario = catalog::default_scenario();
    (scenario.model, scenario.accelerator, scenario.network, scenario.gpus) = (model, accelerator, network, gpus);
    (scenario.seq_len, scenario.micro_batch_size) = (batch.seq_len, batch.micro_batch_size);
    (scenario.grad_accum_steps, scenario.strategy) = (batch.grad_accum_steps, layout.strategy);
    (scenario.tp, scenario.cp, scenario.pp, scenario.shard_size) = (layout.tp, layout.cp, layout.pp, layout.shard_size);
    (scenario.ep, scenario.etp, scenario.experts) = (experts.ep, experts.etp, experts.execution);
    (scenario.tensor, scenario.pipeline, scenario.context) = (layout.tensor, layout.pipeline, layout::exchange(row));
    scenario.objective = objective(row);
    scenario.framework = stack.habits().framework;
    scenario.recompute = software.recompute.mode;
    scenario.recompute_modules = software.recompute.modules;
    // Rounded as in a link.
    scenario.keep_fraction = (1e5 * software.recompute.keep_fraction).round() / 1e3 / 100.0;
    (scenario.trained, scenario.recipe) = (software.trained, software.recipe);
    (scenario.compute_format, scenario.optimizer) = (software.compute_format, software.optimizer);
    (scenario.optimizer_kernel, scenario.update_place) = (software.optimizer_kernel, software.update_place);
    (scenario.communication, scenario.offload) = (software.communication, software.offload);
    (scenario.kernels, scenario.segments) = (software.kernels, software.segments);
    Ok(scenario)
}

/// Returns the tokens of a step of full micro-batches with the degrees that the row states. The
/// engine changes impossible degrees.
fn full_step(scenario: &Scenario) -> f64 {
    let model_parallel = f64::from(scenario.tp) * f64::from(scenario.cp) * f64::from(scenario.pp);
    let sequences = f64::from(scenario.micro_batch_size) * f64::from(scenario.grad_accum_steps);
    sequences * f64::from(scenario.seq_len) * f64::from(scenario.gpus) / model_parallel
}

/// Words of the columns `framework` and `sharding` that name a task.
const TASKS: [(&str, Task); 6] = [
    ("grpo", Task::Grpo),
    ("ppo", Task::Ppo),
    ("dpo", Task::Dpo),
    ("orpo", Task::Orpo),
    ("kto", Task::Kto),
    ("reward model", Task::Reward),
];

/// Returns the training objective of a user's run.
fn objective(row: &Row) -> Objective {
    let mut text = format!("{} {}", row.framework, row.sharding);
    // The third step of DeepSpeed-Chat, recognized by its reference model.
    if has(&text, &["deepspeed-chat"]) && has(&row.offload, &["reference"]) {
        text.push_str(" ppo");
    }
    let Some((_, task)) = TASKS.iter().find(|(word, _)| row.is_case() && has(&text, &[word])) else {
        return Objective::NEXT_TOKEN;
    };
    let engine = RolloutEngine { gpus: row.num_gpus.unwrap_or(1), ..Objective::NEXT_TOKEN.engine };
    Objective { task: *task, prompt: row.seq_len.unwrap_or(0) / 2, engine, ..Objective::NEXT_TOKEN }
}

/// Returns the dense peak in the format of matrix products, in FLOP/s.
fn peak(accelerator: &Accelerator, recipe: PrecisionPolicy, format: ComputeFormat) -> f64 {
    match (format, recipe) {
        (ComputeFormat::Fp4, _) => accelerator.peak_4bit,
        (ComputeFormat::Fp8 | ComputeFormat::Fp8Gather, _) => accelerator.peak_8bit,
        (ComputeFormat::AsPolicy, PrecisionPolicy::Fp32) => accelerator.peak_32bit,
        (ComputeFormat::AsPolicy, _) => accelerator.peak_16bit,
    }
    .get()
}
