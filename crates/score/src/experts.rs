//! The execution of experts: from the row, else from its publisher's recipes.

mod degree;

use super::recipes::nemotron::is_hybrid;
use super::release;
use super::row::Row;
use super::silicon::maxtext;
use super::stack::Stack;
use super::text::{has, names};
use super::{LeftOut, Notes};
use engine::model::experts::{Dispatcher, ExpertParallel};
use engine::model::software::Graphs;
use engine::model::transformer::Architecture;

/// The layout and execution of a row's experts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experts {
    /// Expert-parallel degree.
    pub ep: u32,
    /// Expert tensor-parallel degree.
    pub etp: u32,
    /// How the layers with experts run.
    pub experts: ExpertParallel,
}

/// Returns the experts of a row; one group and the defaults if the model has no experts.
///
/// # Errors
///
/// The degree is blank where one would be set.
pub fn experts(row: &Row, stack: Stack, shape: &Architecture, tp: u32, notes: &mut Notes) -> Result<Experts, LeftOut> {
    if !shape.has_experts() {
        return Ok(Experts { ep: 1, etp: 1, experts: ExpertParallel::USUAL });
    }
    let ep = degree::degree(row, stack, shape, notes)?;
    // Megatron-LM splits experts like the other matrices by default; Megatron-Bridge's recipes
    // change that.
    let like_others = stack == Stack::MegatronCore || stack == Stack::Nemo && is_before_bridge(row);
    let etp = row.etp.unwrap_or(if like_others { tp } else { 1 });
    // Megatron-LM runs experts one by one by default.
    // MaxText runs slots of a fixed size as dense products, expert by expert.
    let slots = stack == Stack::MaxText && maxtext::capacity(row) > 1.0;
    let alone = has(&row.framework, &["megatron-lm"]) || runs_one_by_one(row);
    let grouped = !slots && !alone || has(&row.notes, &["moe-grouped-gemm=true"]);
    Ok(Experts {
        ep,
        etp,
        experts: ExpertParallel {
            dispatcher: dispatcher(row, stack, notes),
            across_micro_batches: overlaps(row, stack, notes),
            grouped,
            fused: fused(row) && graphs(row, stack) == Graphs::Step,
            capacity_factor: if stack == Stack::MaxText { maxtext::capacity(row) } else { 1.0 },
            ..ExpertParallel::USUAL
        },
    })
}

/// Whether a recipe runs experts one by one (`moe_grouped_gemm: false` in grok1/grok1_314b.yaml of dgxc-benchmarking 24.11 and 25.02).
fn runs_one_by_one(row: &Row) -> bool {
    has(&row.source, &["dgx cloud"]) && names(&row.model, &["grok1"]) && !since(row, 25.03)
}

/// GPUs connected by NVLink, except in rack-scale domains.
const NODE: u32 = 8;

/// Release of `NeMo` whose recipes for mixtures are Megatron-Bridge's: with DeepEP, and experts that tensor parallelism does not cut.
const BRIDGE: f64 = 25.07;

/// Whether a row is of `NeMo` before Megatron-Bridge.
fn is_before_bridge(row: &Row) -> bool {
    !has(&format!("{} {}", row.framework, row.source), &["bridge"]) && !since(row, BRIDGE)
}

fn dispatcher(row: &Row, stack: Stack, notes: &mut Notes) -> Dispatcher {
    let text = format!("{} {}", row.notes, row.framework);
    if has(&text, &["deepep", "hybridep", "dispatcher-type=flex", "automodel"]) {
        return Dispatcher::Fused;
    }
    let drops = names(&row.model, &["tokendrop"]);
    if stack != Stack::Nemo || drops || is_before_bridge(row) {
        return Dispatcher::AllToAll;
    }
    // Megatron-Bridge's recipes use DeepEP or HybridEP, except for gpt-oss in 16 bits, where only
    // GB200's recipes do, since 26.04.
    let plain = names(&row.model, &["gpt oss"])
        && has(&row.precision, &["bf16"])
        && !(has(&row.gpu, &["gb200"]) && since(row, 26.04))
        || names(&row.model, &["moonlight", "mixtral"]);
    let (dispatcher, name) =
        if plain { (Dispatcher::AllToAll, "all-to-all") } else { (Dispatcher::Fused, "DeepEP or HybridEP") };
    notes.add(format!("{name} assumed, as in Megatron-Bridge's recipes"));
    dispatcher
}

/// Returns what a recipe captures as CUDA graphs. Megatron-Bridge's recipes for mixtures capture
/// whole steps on Blackwell where tokens may be dropped (25.09, except for DeepSeek V3 on GB200)
/// and in MXFP8 since 26.06; else layers without their routed experts on Grace Blackwell, and on
/// other Blackwell GPUs since 26.04.
pub fn graphs(row: &Row, stack: Stack) -> Graphs {
    if let Some(said) = said_graphs(row) {
        return said;
    }
    if stack != Stack::Nemo || row.ep.is_none_or(|degree| degree <= 1) || has(&row.gpu, &["h100"]) {
        return Graphs::None;
    }
    let grace = has(&row.gpu, &["gb200", "gb300"]);
    let model = |known: &[&str]| names(&row.model, known);
    // None in Ultra's recipes, and in Super's for B200 in MXFP8.
    if model(&["nemotron_3_ultra"])
        || model(&["nemotron_3_super"]) && has(&row.gpu, &["b200"]) && !grace && has(&row.precision, &["mxfp8"])
    {
        return Graphs::None;
    }
    let drops = release::of(row).is_some_and(|version| version < 25.10) && !(grace && model(&["deepseek"]));
    if drops || fused(row) && !model(&["kimi"]) && !is_hybrid(row) && (grace || model(&["qwen3_30b"])) {
        Graphs::Step
    } else if (grace || since(row, 26.04)) && !(model(&["gpt oss"]) && has(&row.gpu, &["gb200"])) {
        Graphs::Layers
    } else {
        Graphs::None
    }
}

/// What remarks say to be captured: whole steps (`full CG`, `full-iteration CUDA graphs`), layers without their routed experts (`partial
/// CUDA graphs`), nothing (`CUDA graphs off`). A router alone is a small part of a layer.
fn said_graphs(row: &Row) -> Option<Graphs> {
    let text =
        format!("{} {}", row.notes, row.framework).to_ascii_lowercase().replace("cuda graph", "cg").replace('-', " ");
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if says(&["cgs off", "cg off", "no cg", "without cg"]) {
        Some(Graphs::None)
    } else if says(&["full cg", "full iteration cg", "whole step cg"]) {
        Some(Graphs::Step)
    } else if says(&["partial cg"]) {
        Some(Graphs::Layers)
    } else {
        None
    }
}

/// Whether a recipe fuses the products of experts with their activation and casts:
/// Megatron-Bridge's recipes do in MXFP8 since 26.06.
fn fused(row: &Row) -> bool {
    has(&row.precision, &["mxfp8", "fp8-mx"]) && since(row, 26.06)
}

/// Whether a row was measured in this container version or a later one.
fn since(row: &Row, first: f64) -> bool {
    release::of(row).is_some_and(|version| version > first - 0.005)
}

fn overlaps(row: &Row, stack: Stack, notes: &mut Notes) -> bool {
    const SAID: [&str; 5] =
        ["overlap-moe-expert-parallel-comm=true", "ep overlap", "a2a overlap", "all-to-all overlap", "1f1b overlap"];
    if has(&row.notes, &SAID) && !has(&row.notes, &["no ep overlap", "no a2a overlap", "without all-to-all overlap"]) {
        return true;
    }
    let grace = has(&row.gpu, &["gb200", "gb300"]);
    let crosses = !grace && row.ep.is_some_and(|degree| degree > NODE);
    let preset = stack == Stack::Nemo
        && !is_hybrid(row)
        && (fused(row) && graphs(row, stack) == Graphs::Step
            || crosses
            || has(&row.gpu, &["b300"]) && row.vpp == Some(4)
            || names(&row.model, &["gpt oss"]) && has(&row.gpu, &["gb200"]) && since(row, 26.04));
    if preset {
        notes.add("exchanges beside another micro-batch's compute assumed, as in Megatron-Bridge's recipes");
    }
    preset
}
