//! How experts run: what the row says, else what its publisher's recipes set.

use super::Notes;
use super::row::Row;
use super::stack::Stack;
use super::text::{has, leading_number};
use crate::model::experts::{Dispatcher, ExpertParallel};
use crate::model::transformer::Architecture;

/// How the experts of a row are spread and run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Experts {
    /// Expert parallelism.
    pub ep: u32,
    /// Expert tensor parallelism.
    pub etp: u32,
    /// How they run.
    pub experts: ExpertParallel,
}

/// The experts of a row; one group and the usual way where the model has none.
pub fn experts(row: &Row, stack: Stack, shape: &Architecture, tp: u32, notes: &mut Notes) -> Experts {
    if !shape.has_experts() {
        return Experts { ep: 1, etp: 1, experts: ExpertParallel::USUAL };
    }
    let ep = row.ep.unwrap_or(1);
    // Without expert parallelism Megatron cuts experts as it cuts the other matrices.
    let etp = row.etp.unwrap_or(if stack.is_megatron() && !has(&row.notes, &["etp1"]) { tp } else { 1 });
    let grouped = stack != Stack::MegatronCore || has(&row.notes, &["moe-grouped-gemm=true"]) || row.notes.is_empty();
    Experts {
        ep,
        etp,
        experts: ExpertParallel {
            dispatcher: dispatcher(row, stack, notes),
            across_micro_batches: overlaps(row, stack, notes),
            grouped,
            ..ExpertParallel::USUAL
        },
    }
}

/// The version of the container in Megatron-Bridge's summaries: 26.06.
pub fn container(row: &Row) -> Option<f64> {
    let (_, after) = row.notes.split_once("container ")?;
    let digits: String = after.chars().take("26.06".len()).collect();
    leading_number(&digits).map(|(version, _)| version)
}

fn dispatcher(row: &Row, stack: Stack, notes: &mut Notes) -> Dispatcher {
    let words = format!("{} {}", row.notes, row.framework);
    if has(&words, &["deepep", "hybridep", "dispatcher-type=flex"]) {
        return Dispatcher::Fused;
    }
    let drops = has(&row.model, &["tokendrop"]);
    if stack != Stack::Nemo || drops {
        return Dispatcher::AllToAll;
    }
    // Megatron-Bridge's recipes set DeepEP or HybridEP but for gpt-oss in 16 bits, where only GB200's do, since 26.04.
    let plain = has(&row.model, &["gpt oss"])
        && has(&row.precision, &["bf16"])
        && !(has(&row.gpu, &["gb200"]) && container(row).is_some_and(|version| version > 26.03))
        || has(&row.model, &["moonlight", "mixtral"]);
    let (dispatcher, name) =
        if plain { (Dispatcher::AllToAll, "all-to-all") } else { (Dispatcher::Fused, "DeepEP or HybridEP") };
    notes.add(format!("{name} assumed, as in Megatron-Bridge's recipes"));
    dispatcher
}

/// Whether a recipe captures whole iterations as CUDA graphs: Megatron-Bridge's in MXFP8 since 26.06.
pub fn whole_graphs(row: &Row, stack: Stack) -> bool {
    stack == Stack::Nemo
        && has(&row.precision, &["mxfp8", "fp8-mx"])
        && container(row).is_some_and(|version| version > 26.05)
        && !has(&row.model, &["kimi"])
}

fn overlaps(row: &Row, stack: Stack, notes: &mut Notes) -> bool {
    if has(&row.notes, &["overlap-moe-expert-parallel-comm=true"]) {
        return true;
    }
    let since = |first: f64| container(row).is_some_and(|version| version > first - 0.005);
    let qwen = has(&row.model, &["qwen3_235b"]);
    let preset = stack == Stack::Nemo
        && (whole_graphs(row, stack)
            || qwen && (has(&row.gpu, &["h100"]) || has(&row.gpu, &["b300"]) && row.vpp == Some(4))
            || has(&row.model, &["gpt oss"]) && has(&row.gpu, &["gb200"]) && since(26.04));
    if preset {
        notes.add("exchanges beside another micro-batch's compute assumed, as in Megatron-Bridge's recipes");
    }
    preset
}
