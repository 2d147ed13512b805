//! One step: its time, its memory, and what runs where.

use crate::json::Json;
use crate::model::experts::{AllToAll, Dispatcher, ExpertParallel};
use crate::model::memory::states::of_gpu;
use crate::model::parallel::Mesh;
use crate::model::report::{MemoryPart, PeakMoment, Report};
use crate::model::setup::Setup;
use crate::model::software::Offload;
use crate::model::stages::stages;
use crate::scenario::Scenario;

/// The phases and lanes of a step, in seconds.
pub(super) fn time(report: &Report) -> Json {
    let time = &report.time;
    Json::object(
        [
            ("step", time.step),
            ("forward", time.forward),
            ("backward", time.backward),
            ("optimizer", time.optimizer),
            ("compute", time.compute),
            ("comm", time.comm),
            ("exposed_comm", time.exposed_comm),
            ("overlapped_comm", time.overlapped_comm()),
            ("inter_node_comm", time.inter_node_comm),
            ("bubble", time.bubble),
            ("exchange", time.exchange),
            ("launch_bound", time.launch_bound),
        ]
        .map(|(name, time)| (name, time.get().into())),
    )
}

/// Memory of one GPU at its peak, in bytes, and its states at rest, whether or not all are alive at
/// the peak.
pub(super) fn memory(scenario: &Scenario, report: &Report) -> Json {
    let (setup, memory) = (scenario.setup(), &report.memory);
    let states = of_gpu(&Setup { offload: Offload::NONE, ..setup }, &stages(&setup).first.params);
    Json::object([
        ("capacity", memory.capacity.get().into()),
        ("peak", memory.peak.get().into()),
        ("free", memory.free().get().into()),
        ("allocated", memory.allocated.get().into()),
        ("moment", moment_key(memory.moment).into()),
        ("parts", Json::object(memory.parts.iter().map(|(part, bytes)| (part_key(part), bytes.get().into())))),
        (
            "states",
            Json::object([
                ("weights", states.weights.get().into()),
                ("gradients", states.gradients.get().into()),
                ("optimizer", states.optimizer.get().into()),
                ("total", states.total().get().into()),
            ]),
        ),
    ])
}

/// The key of a part of memory.
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

/// The key of the moment of the peak.
fn moment_key(moment: PeakMoment) -> &'static str {
    match moment {
        PeakMoment::Loss => "loss",
        PeakMoment::Backward => "backward",
        PeakMoment::Optimizer => "optimizer",
    }
}

/// Parameters of the model.
pub(super) fn model(setup: &Setup) -> Json {
    let (all, active) = (setup.architecture.params(), setup.architecture.active_params());
    Json::object([("params", (all as f64).into()), ("active_params", (active as f64).into())])
}

/// The device mesh.
pub(super) fn mesh(Mesh { dp_replicate, dp_shard, cp, tp, pp, ep, etp }: Mesh) -> Json {
    let sizes = [
        ("dp_replicate", dp_replicate),
        ("dp_shard", dp_shard),
        ("cp", cp),
        ("tp", tp),
        ("pp", pp),
        ("ep", ep),
        ("etp", etp),
    ];
    Json::object(sizes.map(|(name, size)| (name, size.into())))
}

/// How experts run, with what the engine chose of it.
pub(super) fn experts(experts: ExpertParallel) -> Json {
    let dispatcher = match experts.dispatcher {
        Dispatcher::AllToAll => "alltoall",
        Dispatcher::Fused => "fused",
    };
    let all_to_all = match experts.algorithm {
        AllToAll::Linear => "linear",
        AllToAll::TwoDimensional => "2dh",
    };
    Json::object([
        ("dispatcher", dispatcher.into()),
        ("all_to_all", all_to_all.into()),
        ("chunks", experts.chunks.into()),
        ("capacity_factor", experts.capacity_factor.into()),
        ("imbalance", experts.imbalance.into()),
        ("across_micro_batches", experts.across_micro_batches.into()),
        ("grouped", experts.grouped.into()),
    ])
}
