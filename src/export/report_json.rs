//! A report as JSON: bytes, seconds, ratios in full precision.

use crate::model::memory::{shard_degrees, states};
use crate::model::report::{Limiter, MemoryPart, PeakMoment, Report};
use crate::params::{self, Kind};
use crate::plan::limits::{Reach, by_strategy};
use crate::scenario::issue::{Issue, Severity};
use crate::scenario::{Scenario, Strategy};
use crate::{catalog, share};
use serde_json::{Map, Value, json};

/// The whole report: the scenario, its memory parts in bytes, its times in seconds, utilisation, limiter and issues.
pub fn report_json(scenario: &Scenario, report: &Report, issues: &[Issue]) -> Value {
    let setup = scenario.setup();
    let params = setup.architecture.params();
    let states = states(params as f64, setup.recipe, shard_degrees(&setup));
    let memory = &report.memory;
    let parts: Map<String, Value> =
        memory.parts.iter().map(|(part, bytes)| (memory_part_key(part).to_owned(), bytes.get().into())).collect();
    let time = &report.time;
    json!({
        "shardwise": env!("CARGO_PKG_VERSION"),
        "revision": catalog::REVISION,
        "link": share::encode::encode(scenario),
        "scenario": share::encode::to_json(scenario),
        "model": { "params": params, "active_params": setup.architecture.active_params() },
        "mesh": { "dp_replicate": setup.mesh.dp_replicate, "dp_shard": setup.mesh.dp_shard },
        "fits": report.fits(),
        "limiter": limiter_key(report.limiter),
        "mfu": report.mfu,
        "hfu": report.hfu,
        "tokens_per_s_per_gpu": report.tokens_per_s_per_gpu,
        "tokens_per_step": report.tokens_per_step,
        "tflops_per_gpu": report.model_flops_per_gpu.tflops(),
        "step_time_s": time.step.get(),
        "time_s": {
            "step": time.step.get(),
            "forward": time.forward.get(),
            "backward": time.backward.get(),
            "optimizer": time.optimizer.get(),
            "compute": time.compute.get(),
            "comm": time.comm.get(),
            "exposed_comm": time.exposed_comm.get(),
            "inter_node_comm": time.inter_node_comm.get(),
            "launch_bound": time.launch_bound.get(),
        },
        "memory_bytes": {
            "parts": parts,
            "allocated": memory.allocated.get(),
            "peak": memory.peak.get(),
            "capacity": memory.capacity.get(),
            "free": memory.free().get(),
            "moment": moment_key(memory.moment),
            "states": {
                "weights": states.weights.get(),
                "gradients": states.gradients.get(),
                "optimizer": states.optimizer.get(),
                "total": states.total().get(),
            },
        },
        "strategies": by_strategy(scenario).iter().map(reach_json).collect::<Vec<_>>(),
        "issues": issues.iter().map(issue_json).collect::<Vec<_>>(),
    })
}

/// What each strategy reaches; `null` where nothing searched fits.
fn reach_json(reach: &Reach) -> Value {
    json!({
        "strategy": strategy_key(reach.strategy),
        "fits": reach.report.fits(),
        "mfu": reach.report.mfu,
        "step_time_s": reach.report.time.step.get(),
        "peak_bytes": reach.report.memory.peak.get(),
        "largest_model_params": reach.largest_model,
        "longest_sequence_tokens": reach.longest_sequence,
    })
}

/// The name of a strategy in links and JSON, as the table of parameters has it.
pub fn strategy_key(strategy: Strategy) -> Option<&'static str> {
    let Kind::Choice(choice) = params::find("strategy")?.kind else { return None };
    let index = Strategy::ALL.iter().position(|known| *known == strategy)?;
    choice.options.get(index).map(|option| option.key)
}

fn issue_json(issue: &Issue) -> Value {
    let severity = match issue.severity {
        Severity::Note => "note",
        Severity::Error => "error",
    };
    json!({ "severity": severity, "key": issue.key, "message": issue.message })
}

/// The name of a memory part in JSON and CSV.
pub fn memory_part_key(part: MemoryPart) -> &'static str {
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

/// The name of a limiter in JSON and CSV.
pub fn limiter_key(limiter: Limiter) -> &'static str {
    match limiter {
        Limiter::Memory => "memory",
        Limiter::InterNode => "inter_node_network",
        Limiter::IntraNode => "intra_node_network",
        Limiter::Compute => "compute",
        Limiter::Launch => "launch",
    }
}

fn moment_key(moment: PeakMoment) -> &'static str {
    match moment {
        PeakMoment::Loss => "loss",
        PeakMoment::Backward => "backward",
        PeakMoment::Optimizer => "optimizer",
    }
}
