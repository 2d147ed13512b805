//! A report as JSON: bytes, seconds, ratios in full precision.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::bounds::{Bounds, Stage};
use crate::model::experts::{AllToAll, Dispatcher, ExpertParallel};
use crate::model::memory::states::of_gpu;
use crate::model::parallel::Mesh;
use crate::model::report::{Limiter, MemoryPart, PeakMoment, Report};
use crate::model::run::RunReport;
use crate::model::setup::Setup;
use crate::model::software::Offload;
use crate::model::stages::stages;
use crate::params::{self, Kind};
use crate::plan::limits::{Reach, by_strategy};
use crate::plan::search;
use crate::scenario::issue::{Issue, Severity};
use crate::scenario::{Scenario, Strategy};
use crate::{catalog, share};

/// Everything that an evaluation answers, in the units that the names say.
#[derive(Debug, Serialize)]
pub struct ReportJson<'a> {
    shardwise: &'static str,
    revision: u32,
    link: String,
    fits: bool,
    limiter: &'static str,
    mfu: f64,
    hfu: f64,
    tokens_per_s_per_gpu: f64,
    tokens_per_step: f64,
    tflops_per_gpu: f64,
    step_time_s: f64,
    peak_memory_bytes: f64,
    free_memory_bytes: f64,
    time_s: TimeJson,
    memory_bytes: MemoryJson,
    model: ModelJson,
    mesh: MeshJson,
    experts: Option<ExpertsJson>,
    strategies: Vec<ReachJson>,
    bounds: BoundsJson,
    run: RunJson,
    issues: Vec<IssueJson<'a>>,
    scenario: Value,
}

/// The phases and lanes of a step, in seconds.
#[derive(Debug, Serialize)]
struct TimeJson {
    step: f64,
    forward: f64,
    backward: f64,
    optimizer: f64,
    compute: f64,
    comm: f64,
    exposed_comm: f64,
    overlapped_comm: f64,
    inter_node_comm: f64,
    bubble: f64,
    exchange: f64,
    launch_bound: f64,
}

/// Memory of one GPU at its peak, in bytes.
#[derive(Debug, Serialize)]
struct MemoryJson {
    capacity: f64,
    peak: f64,
    free: f64,
    allocated: f64,
    moment: &'static str,
    parts: Map<String, Value>,
    states: StatesJson,
}

/// Weights, gradients and optimizer state at rest on one GPU, in bytes, whether or not all are alive at the peak.
#[derive(Debug, Serialize)]
struct StatesJson {
    weights: f64,
    gradients: f64,
    optimizer: f64,
    total: f64,
}

/// Parameters of the model.
#[derive(Debug, Serialize)]
struct ModelJson {
    params: u64,
    active_params: u64,
}

/// The device mesh.
#[derive(Debug, Serialize)]
struct MeshJson {
    dp_replicate: u32,
    dp_shard: u32,
    cp: u32,
    tp: u32,
    pp: u32,
    ep: u32,
    etp: u32,
}

/// How experts run, with what the engine chose of it; `null` in a dense model.
#[derive(Debug, Serialize)]
struct ExpertsJson {
    dispatcher: &'static str,
    all_to_all: &'static str,
    chunks: u32,
    capacity_factor: f64,
    imbalance: f64,
    across_micro_batches: bool,
    grouped: bool,
}

/// What one strategy reaches; `null` where nothing searched fits.
#[derive(Debug, Serialize)]
struct ReachJson {
    strategy: Option<&'static str>,
    fits: bool,
    mfu: f64,
    step_time_s: f64,
    peak_bytes: f64,
    largest_model_params: Option<f64>,
    longest_sequence_tokens: Option<u32>,
}

/// The FSDP bounds after Wang et al. 2025 on this scenario, and the best of their grid search.
#[derive(Debug, Serialize)]
struct BoundsJson {
    free_memory_bytes: f64,
    tokens_max: f64,
    tokens_per_s_per_gpu_max: f64,
    hfu_forward_max: f64,
    mfu_max: f64,
    tokens_to_hide_transfer: f64,
    longest_context_tokens: f64,
    best: Option<BestJson>,
}

/// The configuration of the grid over stage, share of activations kept and tokens with the highest MFU.
#[derive(Debug, Serialize)]
struct BestJson {
    stage: &'static str,
    kept: f64,
    tokens: f64,
    mfu: f64,
    hfu: f64,
    tokens_per_s_per_gpu: f64,
}

/// The whole run; `null` where a number is infinite, as of a run that never ends.
#[derive(Debug, Serialize)]
struct RunJson {
    steps: f64,
    batch_tokens: f64,
    batch_efficiency: f64,
    ideal_time_s: f64,
    time_s: f64,
    gpu_hours: f64,
    cost_usd: f64,
    energy_kwh: f64,
    emissions_gco2: f64,
    goodput: f64,
    interruptions: f64,
    run_mtbf_s: f64,
    checkpoint_bytes: f64,
    checkpoint_write_s: f64,
    checkpoint_interval_s: f64,
    best_checkpoint_interval_s: f64,
    host_init_bytes: f64,
    host_checkpoint_bytes: f64,
    host_offload_bytes: f64,
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
struct IssueJson<'a> {
    severity: &'static str,
    key: Option<&'static str>,
    message: &'a str,
}

/// The whole report: times, memory parts, utilisation, limiter, what each strategy reaches, issues, and the scenario.
pub fn report_json<'a>(scenario: &Scenario, report: &Report, issues: &'a [Issue]) -> ReportJson<'a> {
    let setup = scenario.setup();
    let (time, memory) = (&report.time, &report.memory);
    ReportJson {
        shardwise: env!("CARGO_PKG_VERSION"),
        revision: catalog::REVISION,
        link: share::encode(scenario),
        fits: report.fits(),
        limiter: limiter_key(report.limiter),
        mfu: report.mfu,
        hfu: report.hfu,
        tokens_per_s_per_gpu: report.tokens_per_s_per_gpu,
        tokens_per_step: report.tokens_per_step,
        tflops_per_gpu: report.model_flops_per_gpu.tflops(),
        step_time_s: time.step.get(),
        peak_memory_bytes: memory.peak.get(),
        free_memory_bytes: memory.free().get(),
        time_s: TimeJson {
            step: time.step.get(),
            forward: time.forward.get(),
            backward: time.backward.get(),
            optimizer: time.optimizer.get(),
            compute: time.compute.get(),
            comm: time.comm.get(),
            exposed_comm: time.exposed_comm.get(),
            overlapped_comm: time.overlapped_comm().get(),
            inter_node_comm: time.inter_node_comm.get(),
            bubble: time.bubble.get(),
            exchange: time.exchange.get(),
            launch_bound: time.launch_bound.get(),
        },
        memory_bytes: memory_json(scenario, report),
        model: ModelJson { params: setup.architecture.params(), active_params: setup.architecture.active_params() },
        mesh: mesh_json(setup.mesh),
        experts: setup.architecture.has_experts().then(|| experts_json(setup.experts)),
        strategies: by_strategy(scenario).iter().map(reach_json).collect(),
        bounds: bounds_json(&Bounds::of(&setup)),
        run: run_json(&scenario.run_report()),
        issues: issues.iter().map(issue_json).collect(),
        scenario: share::to_json(scenario),
    }
}

fn mesh_json(Mesh { dp_replicate, dp_shard, cp, tp, pp, ep, etp }: Mesh) -> MeshJson {
    MeshJson { dp_replicate, dp_shard, cp, tp, pp, ep, etp }
}

fn experts_json(experts: ExpertParallel) -> ExpertsJson {
    ExpertsJson {
        dispatcher: match experts.dispatcher {
            Dispatcher::AllToAll => "alltoall",
            Dispatcher::Fused => "fused",
        },
        all_to_all: match experts.algorithm {
            AllToAll::Linear => "linear",
            AllToAll::TwoDimensional => "2dh",
        },
        chunks: experts.chunks,
        capacity_factor: experts.capacity_factor,
        imbalance: experts.imbalance,
        across_micro_batches: experts.across_micro_batches,
        grouped: experts.grouped,
    }
}

fn memory_json(scenario: &Scenario, report: &Report) -> MemoryJson {
    let (setup, memory) = (scenario.setup(), &report.memory);
    let [first, ..] = stages(&setup);
    let states = of_gpu(&Setup { offload: Offload::NONE, ..setup }, &first.params);
    MemoryJson {
        capacity: memory.capacity.get(),
        peak: memory.peak.get(),
        free: memory.free().get(),
        allocated: memory.allocated.get(),
        moment: moment_key(memory.moment),
        parts: memory.parts.iter().map(|(part, bytes)| (part_key(part).to_owned(), bytes.get().into())).collect(),
        states: StatesJson {
            weights: states.weights.get(),
            gradients: states.gradients.get(),
            optimizer: states.optimizer.get(),
            total: states.total().get(),
        },
    }
}

fn reach_json(reach: &Reach) -> ReachJson {
    ReachJson {
        strategy: strategy_key(reach.strategy),
        fits: reach.report.fits(),
        mfu: reach.report.mfu,
        step_time_s: reach.report.time.step.get(),
        peak_bytes: reach.report.memory.peak.get(),
        largest_model_params: reach.largest_model,
        longest_sequence_tokens: reach.longest_sequence,
    }
}

fn bounds_json(bounds: &Bounds) -> BoundsJson {
    BoundsJson {
        free_memory_bytes: bounds.free_memory().get(),
        tokens_max: bounds.tokens_max(),
        tokens_per_s_per_gpu_max: bounds.throughput_max(),
        hfu_forward_max: bounds.hfu_forward_max(),
        mfu_max: bounds.mfu_max(),
        tokens_to_hide_transfer: bounds.tokens_to_hide_transfer(),
        longest_context_tokens: search::longest_context(*bounds),
        best: search::best_mfu(*bounds).map(|best| BestJson {
            stage: match best.stage {
                Stage::Three => "zero3",
                Stage::OneOrTwo => "zero1_or_2",
            },
            kept: best.kept,
            tokens: best.tokens,
            mfu: best.reached.mfu,
            hfu: best.reached.hfu,
            tokens_per_s_per_gpu: best.reached.tokens_per_s_per_gpu,
        }),
    }
}

fn run_json(run: &RunReport) -> RunJson {
    RunJson {
        steps: run.steps,
        batch_tokens: run.batch_tokens,
        batch_efficiency: run.batch_efficiency,
        ideal_time_s: run.ideal_time.get(),
        time_s: run.time.get(),
        gpu_hours: run.gpu_time.hours(),
        cost_usd: run.cost.get(),
        energy_kwh: run.energy.kwh(),
        emissions_gco2: run.emissions.get(),
        goodput: run.goodput,
        interruptions: run.interruptions,
        run_mtbf_s: run.run_mtbf.get(),
        checkpoint_bytes: run.checkpoint_size.get(),
        checkpoint_write_s: run.write_time.get(),
        checkpoint_interval_s: run.interval.get(),
        best_checkpoint_interval_s: run.best_interval.get(),
        host_init_bytes: run.host_init.get(),
        host_checkpoint_bytes: run.host_checkpoint.get(),
        host_offload_bytes: run.host_offload.get(),
    }
}

fn issue_json(issue: &Issue) -> IssueJson<'_> {
    let severity = match issue.severity {
        Severity::Note => "note",
        Severity::Error => "error",
    };
    IssueJson { severity, key: issue.key, message: &issue.message }
}

/// The name of a strategy in links and JSON, as the table of parameters has it.
fn strategy_key(strategy: Strategy) -> Option<&'static str> {
    let Kind::Choice(choice) = params::find("strategy")?.kind else { return None };
    let index = Strategy::ALL.iter().position(|known| *known == strategy)?;
    choice.options.get(index).map(|option| option.key)
}

fn part_key(part: MemoryPart) -> &'static str {
    match part {
        MemoryPart::Weights => "weights",
        MemoryPart::Gradients => "gradients",
        MemoryPart::Optimizer => "optimizer",
        MemoryPart::GatheredWeights => "gathered_weights",
        MemoryPart::UnreducedGradients => "unreduced_gradients",
        MemoryPart::Activations => "activations",
        MemoryPart::WorkingSet => "working_set",
        MemoryPart::Logits => "logits",
        MemoryPart::Context => "context",
        MemoryPart::Fragmentation => "fragmentation",
    }
}

fn limiter_key(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Memory => "memory",
        Limiter::InterNode => "inter_node_network",
        Limiter::IntraNode => "intra_node_network",
        Limiter::Compute => "compute",
        Limiter::Launch => "launch",
        Limiter::Bubble => "pipeline_bubble",
    }
}

fn moment_key(moment: PeakMoment) -> &'static str {
    match moment {
        PeakMoment::Loss => "loss",
        PeakMoment::Backward => "backward",
        PeakMoment::Optimizer => "optimizer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_chose_for_experts_is_in_the_report() {
        let json = |link: &str| {
            let scenario = share::decode(link).scenario;
            serde_json::to_value(report_json(&scenario, &scenario.report(), &[])).unwrap()
        };
        let chosen = json("cluster=dgx-h100&model=mixtral-8x7b&adaptdegrees=yes&adaptchunks=yes");
        let setup =
            share::decode("cluster=dgx-h100&model=mixtral-8x7b&adaptdegrees=yes&adaptchunks=yes").scenario.setup();
        assert_eq!(
            (&chosen["mesh"]["ep"], &chosen["experts"]["chunks"]),
            (&setup.mesh.ep.into(), &setup.experts.chunks.into())
        );
        assert_eq!(chosen["scenario"]["adaptchunks"], "yes");
        assert!(json("model=llama-3-8b")["experts"].is_null());
    }
}
