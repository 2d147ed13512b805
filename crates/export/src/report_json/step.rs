//! One step: its time, its memory, and its layout.

use serde_json::{Value, json};

use engine::model::adapters;
use engine::model::choices::Choices;
use engine::model::experts::{AllToAll, Dispatcher, ExpertParallel};
use engine::model::parallel::Mesh;
use engine::model::report::{PeakMoment, Report};
use engine::model::setup::Setup;
use engine::model::software::Offload;
use engine::model::stages::{model_params, stages};
use engine::model::states::gpu_states;
use engine::names;
use engine::scenario::Scenario;

/// Writes the phases and lanes of a step, in seconds: those of all its updates, where a step
/// generates its training data. `rollout` has the phases around the updates.
pub(super) fn time(report: &Report) -> Value {
    let (time, whole) = (&report.update.time, report.whole());
    let of_updates = [
        ("forward", time.forward),
        ("backward", time.backward),
        ("optimizer", time.optimizer),
        ("compute", time.compute),
        ("contention", time.contention),
        ("comm", time.comm),
        ("exposed_comm", time.exposed_comm),
        ("overlapped_comm", time.overlapped_comm()),
        ("inter_node_comm", time.inter_node_comm),
        ("bubble", time.bubble),
        ("exchange", time.exchange),
        ("launch_bound", time.launch_bound),
        ("loading", time.loading),
        ("network", time.network().total()),
    ]
    .map(|(name, time)| (name, whole.updates * time));
    core::iter::once(("step", whole.time))
        .chain(of_updates)
        .map(|(name, time)| (name, Value::from(time.get())))
        .collect()
}

/// Writes the memory of one GPU at its peak, in bytes, and its states at rest, whether or not all
/// are alive at the peak.
pub(super) fn memory(scenario: &Scenario, report: &Report) -> Value {
    let (setup, memory) = (scenario.setup(), &report.memory);
    let states = gpu_states(
        &Setup { choices: Choices { offload: Offload::NONE, ..setup.choices }, ..setup },
        &stages(&setup).first.params,
    );
    json!({
        "capacity": memory.capacity.get(),
        "nominal": memory.nominal.get(),
        "needed": memory.needed.get(),
        "cache": memory.cache().get(),
        "free": memory.free().get(),
        "headroom": memory.headroom().get(),
        "peak": memory.peak.get(),
        "allocated": memory.allocated.get(),
        "moment": moment_key(memory.moment),
        "parts": memory.parts.iter().map(|(part, bytes)| (names::part(part).key, bytes.get())).collect::<Value>(),
        "states": {
            "weights": states.weights.get(),
            "gradients": states.gradients.get(),
            "optimizer": states.optimizer.get(),
            "total": states.total().get(),
        },
    })
}

/// Returns the key of the moment of peak memory.
fn moment_key(moment: PeakMoment) -> &'static str {
    match moment {
        PeakMoment::Loss => "loss",
        PeakMoment::Backward => "backward",
        PeakMoment::Optimizer => "optimizer",
    }
}

/// Writes the parameters of the model.
pub(super) fn model(setup: &Setup) -> Value {
    let params = model_params(setup);
    let active = setup.architecture.active_params() as f64 + adapters::per_token(setup);
    json!({ "params": params.held.all(), "active_params": active, "trained_params": params.trained.all() })
}

/// Writes the device mesh.
pub(super) fn mesh(Mesh { dp_replicate, dp_shard, cp, tp, pp, ep, etp }: Mesh) -> Value {
    let sizes = [
        ("dp_replicate", dp_replicate),
        ("dp_shard", dp_shard),
        ("cp", cp),
        ("tp", tp),
        ("pp", pp),
        ("ep", ep),
        ("etp", etp),
    ];
    sizes.into_iter().collect()
}

/// Writes the layout and execution of experts, including the engine's choices.
pub(super) fn experts(experts: ExpertParallel) -> Value {
    let dispatcher = match experts.dispatcher {
        Dispatcher::AllToAll => "alltoall",
        Dispatcher::Fused => "fused",
    };
    let all_to_all = match experts.algorithm {
        AllToAll::Linear => "linear",
        AllToAll::TwoDimensional => "2dh",
    };
    json!({
        "dispatcher": dispatcher,
        "all_to_all": all_to_all,
        "chunks": experts.chunks,
        "capacity_factor": experts.capacity_factor,
        "imbalance": experts.imbalance,
        "across_micro_batches": experts.across_micro_batches,
        "grouped": experts.grouped,
    })
}
