//! Converts a row to a scenario and evaluates it.

mod unsure;

use super::finetune::source::Source;
use super::finetune::texts::texts;
use super::finetune::{completed, images, measured};
use super::hardware::Hardware;
use super::row::Row;
use super::stack::Stack;
use super::target::{self, TimeSource};
use super::text::has;
use super::{
    LeftOut, Notes, assumed, batch, conventions, experts, hardware, layout, llmq, long_sequences, model, paddle,
    recipes, release, scope, silicon, software,
};
use engine::catalog;
use engine::catalog::accuracy::{self, Band};
use engine::model::anchor::Anchor;
use engine::model::choices::Choices;
use engine::model::hardware::{Accelerator, Topology};
use engine::model::report::Report;
use engine::model::training::{ComputeFormat, PrecisionPolicy};
use engine::params;
use engine::published::{MemoryKind, MemoryStage};
use engine::scenario::issue::{Issue, Severity};
use engine::scenario::{ExpertChoice, Scenario, Strategy};
use engine::units::BytesPerSecond;

/// The engine's prediction for a row, with the measured values.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The scenario of the row.
    pub scenario: Scenario,
    /// The report of the scenario.
    pub report: Report,
    /// Whether the run is possible: it fits in memory, and every pipeline stage has a layer.
    pub fits: bool,
    /// The odds that it fits: 0 where it is not possible.
    pub fit_odds: f64,
    /// The notes on completed values.
    pub notes: Notes,
    /// Predicted time of a step with the row's own batch, in seconds.
    pub step_time_s: f64,
    /// Tokens of the row's batch over those of the scenario's full micro-batches.
    pub batch_share: f64,
    /// Accuracy band of the step time.
    pub step_band: Band,
    /// The slowest network that the row leaves possible, where it widens the band.
    pub slowest: Option<BytesPerSecond>,
    /// Predicted peak memory in GiB, of the kind that the row measured.
    pub peak_mem_gib: f64,
    /// Predicted bytes of live tensors at the peak of the same stage, in GiB.
    pub allocated_gib: f64,
    /// Predicted bytes of the caching allocator there, in GiB.
    pub reserved_gib: f64,
    /// The kind of peak memory that the row measured.
    pub memory_kind: MemoryKind,
    /// The pipeline stage on which the peak was measured.
    pub memory_stage: MemoryStage,
    /// Accuracy band of the peak memory.
    pub memory_band: Band,
    /// Measured time of a step in seconds, with the column it comes from.
    pub measured_step: Option<(f64, TimeSource)>,
    /// Measured peak memory in GiB.
    pub measured_gib: Option<f64>,
    /// Measured MFU as a fraction.
    pub measured_mfu: Option<f64>,
}

impl Prediction {
    /// Returns predicted over measured step time, less one.
    pub fn step_error(&self) -> Option<f64> {
        self.measured_step.map(|(measured, _)| self.step_time_s / measured - 1.0)
    }

    /// Returns predicted over measured peak memory, less one.
    pub fn memory_error(&self) -> Option<f64> {
        self.measured_gib.map(|measured| self.peak_mem_gib / measured - 1.0)
    }
}

/// Smallest ratio of a step's tokens to those of full micro-batches: a partial last micro-batch
/// removes less than one micro-batch, and rounding of a batch by the source changes little.
const FEWEST: f64 = 0.5;
const MOST: f64 = 1.1;

/// Returns the tokens of a step of full micro-batches over the degrees that the row states. The
/// engine changes degrees that are impossible.
fn full_step(scenario: &Scenario) -> f64 {
    let model_parallel = f64::from(scenario.tp) * f64::from(scenario.cp) * f64::from(scenario.pp);
    let sequences = f64::from(scenario.micro_batch_size) * f64::from(scenario.grad_accum_steps);
    sequences * f64::from(scenario.seq_len) * f64::from(scenario.gpus) / model_parallel
}

/// Returns the scenario of a row, with notes on what was completed.
///
/// # Errors
///
/// The reason why the row is left out.
pub fn scenario(row: &Row) -> Result<(Scenario, Notes), LeftOut> {
    let (row, mut notes) = as_run(row)?;
    let scenario = of_run(&row, &mut notes)?;
    Ok((scenario, notes))
}

/// Returns a row with what its source documents beside it.
fn as_run(row: &Row) -> Result<(Row, Notes), LeftOut> {
    scope::check(row)?;
    let mut notes = Notes::default();
    let row = &release::completed(row, &mut notes);
    let run = long_sequences::completed(recipes::as_run(row, &mut notes), &mut notes);
    let run = completed::completed(&run, &mut notes)?;
    let run = silicon::completed(&run, &mut notes)?.into_owned();
    let run = paddle::completed(llmq::completed(assumed::completed(run, &mut notes))?, &mut notes);
    Ok((run, notes))
}

/// Returns the scenario of a complete row.
fn of_run(row: &Row, notes: &mut Notes) -> Result<Scenario, LeftOut> {
    let stack = Stack::of(row);
    let model = images::with_tower(row, model::model(row, stack, notes)?, notes);
    let hardware = hardware::hardware(row, stack, notes)?;
    let node = hardware.network.values.gpus_per_node;
    let layout = layout::layout(row, stack, hardware.gpus, node, notes)?;
    let batch = batch::batch(row, stack, layout.dp, layout.pp, notes)?;
    let software = software::software(row, stack, notes)?;
    if !software.trained.has_adapters() && conventions::contradicts(row, &model.architecture(), batch.seq_len) {
        return Err(LeftOut::because("the source contradicts itself").about("throughput against FLOP/s"));
    }
    let experts = experts::experts(row, stack, &model.architecture(), layout.tp, notes)?;
    Ok(Scenario {
        model,
        accelerator: hardware.accelerator,
        network: hardware.network,
        gpus: hardware.gpus,
        seq_len: batch.seq_len,
        micro_batch_size: batch.micro_batch_size,
        grad_accum_steps: batch.grad_accum_steps,
        texts: texts(row, batch.seq_len),
        strategy: layout.strategy,
        tp: layout.tp,
        cp: layout.cp,
        pp: layout.pp,
        ep: experts.ep,
        etp: experts.etp,
        expert_choice: ExpertChoice::NONE,
        shard_size: layout.shard_size,
        release: None,
        choices: Choices {
            tensor: layout.tensor,
            context: layout::exchange(row),
            pipeline: layout.pipeline,
            experts: experts.experts,
            trained: software.trained,
            objective: assumed::objective::of(row),
            recompute: software.recompute.mode,
            // As a link says it.
            keep_fraction: (1e5 * software.recompute.keep_fraction).round() / 1e3 / 100.0,
            recompute_modules: software.recompute.modules,
            recipe: software.recipe,
            compute_format: software.compute_format,
            optimizer: software.optimizer,
            optimizer_kernel: software.optimizer_kernel,
            update_place: software.update_place,
            layers_in_16_bits: recipes::nemotron::layers_in_16_bits(row, &model.architecture(), notes),
            gradients_in_16_bits: has(&row.precision, &["gw_hp", "wgrad_with_hp"]),
            mtp: recipes::nemotron::mtp(row, notes),
            images: images::images(row),
            communication: software.communication,
            offload: software.offload,
            framework: software.framework,
            kernels: software.kernels,
            segments: software.segments,
            ..Choices::DEFAULT
        },
        topology: topology(row, stack, layout.strategy, &hardware, notes),
        anchor: Anchor::NONE,
        run: catalog::default_scenario().run,
    })
}

/// Efficiencies below this value were measured for a whole node: Omni-Path's.
const MEASURED_NODE: f64 = 0.5;

/// Returns the network topology of a row's collectives. DeepSpeed's ZeRO-3 of 2021 gathered
/// parameter by parameter: its published steps (arXiv 2104.04473, table 2) match one network card
/// per GPU, at 384 as at 1,536 GPUs, and not the rails of a node.
fn topology(row: &Row, stack: Stack, strategy: Strategy, hardware: &Hardware, notes: &mut Notes) -> Topology {
    let network = &hardware.network.values;
    // Programs that only call their sharding ZeRO-3, and DeepSpeed since Hopper's GPUs came, gather in buckets.
    let then =
        has(&format!("{} {}", row.framework, row.source), &["deepspeed", "megatron", "bigscience", "2104.04473"])
            && !hardware.accelerator.values.generation.is_from_hopper()
            && hardware.gpus > network.gpus_per_node;
    let early = then
        && matches!(stack, Stack::DeepSpeed | Stack::MegatronEarly | Stack::MegatronDeepSpeed)
        && Source::of(row).is_none()
        && !has(&row.framework, &["ulysses"]);
    let whole = network.inter_node_efficiency > MEASURED_NODE;
    if early && whole && strategy == Strategy::FullShard {
        notes.add("flat network: ZeRO-3 before its collectives were bucketed");
        Topology::Flat
    } else {
        Topology::Aware
    }
}

/// Predicts a row.
///
/// # Errors
///
/// The reason why the row is left out.
pub fn predict(row: &Row) -> Result<Prediction, LeftOut> {
    let (run, mut notes) = as_run(row)?;
    let scenario = of_run(&run, &mut notes)?;
    let row = &measured::comparable(row, &run);
    // Contradictory values are replaced by the nearest valid ones; values out of bounds are
    // rejected.
    let together = scenario.issues();
    let bounds = |issue: &Issue| issue.severity == Severity::Error && !together.contains(issue);
    if let Some(issue) = params::issues(&scenario).into_iter().find(bounds) {
        return Err(LeftOut::because("out of bounds").about(issue.message));
    }
    let stack = Stack::of(row);
    let report = scenario.report();
    let predicted_step = report.time.step.get();
    // A partial last micro-batch makes the row's step shorter than the scenario's, in proportion to
    // its tokens.
    let tokens = row.tokens_per_step().unwrap_or_else(|| full_step(&scenario));
    let full = tokens / full_step(&scenario);
    if !(FEWEST..=MOST).contains(&full) {
        return Err(LeftOut::because("the source contradicts itself").about("global batch against its parts"));
    }
    let step_time_s = predicted_step * full;
    let setup = scenario.setup();
    let memory_kind = target::memory_kind(row);
    let memory_stage = target::memory_stage(row, stack, setup.mesh.pp);
    let memory = memory_stage.memory(&setup);
    let peak = peak(&scenario.accelerator.values, scenario.recipe, scenario.compute_format);
    let shape = scenario.model.architecture();
    let gpus = f64::from(scenario.gpus);
    let measured_step = target::step_time(row, &shape, scenario.seq_len, tokens, gpus, peak);
    let possible = scenario.pp <= shape.num_hidden_layers;
    let overflows = assumed::host::overflows(row, &setup);
    if overflows {
        notes.add("what is kept in host memory is more than such a machine has");
    }
    let fit_odds = if possible { accuracy::fit_odds(&report) } else { 0.0 };
    let (step_band, slowest) = unsure::range(row, &scenario, predicted_step, &mut notes);
    let derived_mfu = || measured_step.map(|(measured, _)| report.mfu * step_time_s / measured);
    Ok(Prediction {
        fits: report.fits() && possible && !overflows,
        fit_odds: if overflows { fit_odds.min(assumed::host::ODDS) } else { fit_odds },
        step_band,
        slowest,
        memory_band: accuracy::peak_memory(&report),
        step_time_s,
        batch_share: full,
        peak_mem_gib: memory_kind.predicted(&memory).gib(),
        allocated_gib: MemoryKind::Allocated.predicted(&memory).gib(),
        reserved_gib: MemoryKind::Reserved.predicted(&memory).gib(),
        memory_kind,
        memory_stage,
        measured_step,
        measured_gib: row.peak_mem_gib,
        measured_mfu: row.mfu_pct.map(|percent| percent / 100.0).or_else(derived_mfu),
        scenario,
        report,
        notes,
    })
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
