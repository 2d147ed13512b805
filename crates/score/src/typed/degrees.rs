//! Completes blank degrees and sharding of a row: the smallest degrees that hold the state.

use super::stack::{Stack, is_trainer};
use super::{gpu, model};
use crate::Notes;
use crate::row::Row;
use crate::text::has;

/// Share of a GPU's memory available to the state; the rest is for activations.
const FOR_STATE: f64 = 0.7;
/// Bytes per parameter with a distributed optimizer: replicated weights and gradients, and sharded
/// optimizer state.
const REPLICATED: f64 = 6.0;
const SHARDED: f64 = 12.0;
/// Bytes per parameter of frozen weights.
const FROZEN: f64 = 2.0;
/// Tensor-parallel degrees inside a node, and numbers of pipeline stages.
const TENSOR: [u32; 4] = [1, 2, 4, 8];
const STAGES: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Returns the number of parameters of a row's model.
pub(super) fn params(row: &Row, stack: Stack) -> Option<f64> {
    let model = model::model(row, stack, &mut Notes::default()).ok()?;
    Some(model.architecture().params() as f64)
}

/// Converts layers spread over the GPUs of one process (`device_map="auto"`) to pipeline stages
/// with a single micro-batch.
pub(super) fn spread(row: &mut Row, notes: &mut Notes) {
    if !has(&row.sharding, &["device_map"]) {
        return;
    }
    notes.add("layers spread over the GPUs, as stages that one micro-batch passes");
    "none".clone_into(&mut row.sharding);
    row.pp = row.num_gpus;
    (row.dp, row.tp, row.grad_accum) = (Some(1), Some(1), Some(1));
}

/// Completes the degrees and the sharding strategy.
pub(super) fn complete(row: &mut Row, stack: Stack, notes: &mut Notes) {
    let (Some(gpus), Some(params)) = (row.num_gpus, params(row, stack)) else { return };
    let Ok(entry) = gpu::find(row) else { return };
    let memory = row.gpu_mem_gb.map_or(entry.values.memory.get(), |gib| gib * 1e9) * FOR_STATE;
    let is_frozen = row.trainable != "full" && !row.trainable.is_empty();
    let known = [row.dp, row.dp_shard, row.tp, row.pp].iter().flatten().count();
    if stack.is_megatron() && row.dp.is_none() && (row.tp.is_none() || row.pp.is_none()) && known < 2 {
        let cp = row.cp.unwrap_or(1);
        let holds = |tp: u32, pp: u32| {
            // Experts are most of a mixture's parameters.
            let parts = f64::from(tp) * f64::from(pp) * f64::from(row.ep.unwrap_or(1));
            let state = if is_frozen { FROZEN / parts } else { REPLICATED / parts + SHARDED / f64::from(gpus) };
            gpus.is_multiple_of(tp * pp * cp) && params * state < memory
        };
        let stages = STAGES.iter().filter(|pp| row.pp.is_none_or(|known| known == **pp));
        let pairs = stages.flat_map(|pp| TENSOR.iter().map(move |tp| (*tp, *pp)));
        let mut pairs = pairs.filter(|(tp, _)| row.tp.is_none_or(|known| known == *tp));
        // If no degrees hold the state, the largest possible ones.
        let most = pairs.clone().rfind(|(tp, pp)| gpus.is_multiple_of(tp * pp * cp));
        let found = pairs.find(|(tp, pp)| holds(*tp, *pp)).or(most);
        if let Some((tp, pp)) = found {
            notes.add(format!("a guess: tp {tp}, pp {pp}, the smallest degrees that hold the state"));
            (row.tp, row.pp) = (Some(tp), Some(pp));
        }
    }
    let alone = row.dp.is_none() && row.dp_shard.is_none() && (row.tp.is_none() || row.pp.is_none());
    if alone && !stack.is_megatron() {
        (row.tp, row.pp) = (row.tp.or(Some(1)), row.pp.or(Some(1)));
    }
    let unsaid = row.sharding.is_empty() || has(&row.sharding, &["not said", "sharded"]) || row.sharding == "ZeRO";
    // Programs based on the Trainer use DDP if neither FSDP nor DeepSpeed is named.
    let sharder = has(&row.framework, &["fsdp", "deepspeed", "zero"]);
    if row.sharding.is_empty() && gpus > 1 && !sharder && is_trainer(row) {
        notes.add("a guess: replicas, as neither FSDP nor DeepSpeed is named");
        "DDP".clone_into(&mut row.sharding);
    } else if unsaid && gpus > 1 && matches!(stack, Stack::DeepSpeed | Stack::Peft | Stack::InternEvo) {
        let replicated = if is_frozen { FROZEN } else { 4.0 + SHARDED / f64::from(gpus) };
        let stage = if params * replicated < memory { "ZeRO-2" } else { "ZeRO-3" };
        notes.add(format!("a guess: {stage}, as the stage is not said"));
        stage.clone_into(&mut row.sharding);
    }
}
