//! The parallel layout of a row: degrees that are stated or that follow from the number of GPUs,
//! and the sharding strategy.

use super::stack::Stack;
use crate::row::Row;
use crate::text::{count, has};
use crate::{LeftOut, Notes};
use engine::model::parallel::{ContextExchange, Pipeline, Schedule, TensorParallel};
use engine::scenario::Strategy;

/// Parallel layout of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layout {
    /// Data-parallel degree: replicas and shards together.
    pub dp: u32,
    /// Tensor-parallel degree.
    pub tp: u32,
    /// Options of tensor parallelism.
    pub tensor: TensorParallel,
    /// Context-parallel degree.
    pub cp: u32,
    /// Pipeline stages.
    pub pp: u32,
    /// Pipeline schedule.
    pub pipeline: Pipeline,
    /// Sharding strategy of data parallelism.
    pub strategy: Strategy,
    /// GPUs per shard group, for strategies with shard groups.
    pub shard_size: u32,
}

/// Returns the layout of a row on its GPUs.
///
/// # Errors
///
/// Returns a missing degree, or degrees whose product is not the number of GPUs.
pub(super) fn layout(row: &Row, stack: Stack, gpus: u32, node: u32, notes: &mut Notes) -> Result<Layout, LeftOut> {
    let degrees = degrees(row, stack, gpus, notes)?;
    let (strategy, shard_size) = strategy(row, stack, degrees, node, notes)?;
    Ok(Layout {
        dp: degrees.dp,
        tp: degrees.tp,
        tensor: tensor(row, stack),
        cp: degrees.cp,
        pp: degrees.pp,
        pipeline: pipeline(row, stack, degrees.pp, notes)?,
        strategy,
        shard_size,
    })
}

#[derive(Clone, Copy)]
struct Degrees {
    dp: u32,
    tp: u32,
    cp: u32,
    pp: u32,
}

/// Returns the data-parallel degree, from its own column or from shards and replicas. Some sources
/// include replicas in the column and some do not; the degree that fills the GPUs is taken.
fn data_parallel(row: &Row, gpus: u32) -> Option<u32> {
    let mesh = row.dp_shard.and_then(|shard| shard.checked_mul(row.dp_replicate?));
    let fills = |dp: u32| {
        let others =
            [row.tp, row.pp, row.cp].iter().flatten().try_fold(dp, |product, degree| product.checked_mul(*degree));
        others == Some(gpus)
    };
    mesh.filter(|dp| fills(*dp)).or(row.dp).or(mesh).or(row.dp_shard)
}

/// Returns the data-parallel degree for frameworks that count expert parallelism separately
/// (DeepSpeed-MoE, Tutel, early forks of Megatron): if dp tp pp cp is below the number of GPUs and
/// dp tp pp cp ep equals it, the GPUs of the experts are data-parallel for all other layers.
fn experts_apart(row: &Row, gpus: u32, notes: &mut Notes) -> Option<u32> {
    let (dp, ep) = (data_parallel(row, gpus)?, row.ep.filter(|degree| *degree > 1)?);
    let others = [row.tp, row.pp, Some(context(row))];
    let all = others.iter().flatten().try_fold(dp, |product, degree| product.checked_mul(*degree))?;
    if all == gpus || all.checked_mul(ep) != Some(gpus) {
        return None;
    }
    notes.add("the experts' GPUs are data-parallel GPUs for all else");
    dp.checked_mul(ep)
}

/// Returns the context-parallel degree of the row, or the degree of a sequence parallelism that is
/// separate from tensor parallelism (MegaScale-MoE's attention).
fn context(row: &Row) -> u32 {
    let sequence = if row.tp == Some(1) { count(&row.sp) } else { None };
    row.cp.or(sequence).unwrap_or(1)
}

/// Returns the exchange method of context parallelism.
pub(super) fn exchange(row: &Row) -> ContextExchange {
    if has(&format!("{} {}", row.framework, row.sharding), &["ulysses"]) {
        ContextExchange::AllToAll
    } else {
        ContextExchange::Ring
    }
}

fn degrees(row: &Row, stack: Stack, gpus: u32, notes: &mut Notes) -> Result<Degrees, LeftOut> {
    let cp = context(row);
    let said = [experts_apart(row, gpus, notes).or_else(|| data_parallel(row, gpus)), row.tp, row.pp];
    let known = said.iter().flatten().try_fold(cp, |product, degree| product.checked_mul(*degree));
    let known = known.filter(|known| gpus.is_multiple_of((*known).max(1))).ok_or_else(|| mismatch(row, gpus))?;
    let rest = gpus / known.max(1);
    let [mut dp, mut tp, mut pp] = said;
    let blanks = said.iter().filter(|degree| degree.is_none()).count();
    if rest == 1 {
        // Blank degrees are 1.
        dp = dp.or(Some(1));
        tp = tp.or(Some(1));
        pp = pp.or(Some(1));
    } else if blanks == 0 {
        return Err(mismatch(row, gpus));
    } else if blanks == 1 {
        dp = dp.or(Some(rest));
        tp = tp.or(Some(rest));
        pp = pp.or(Some(rest));
    } else if dp.is_none() && is_data_parallel(row, stack) {
        notes.add("data parallelism alone assumed, as the row names no other");
        dp = Some(rest);
        tp = tp.or(Some(1));
        pp = pp.or(Some(1));
    }
    let missing = LeftOut::missing;
    Ok(Degrees {
        dp: dp.ok_or_else(|| missing("dp"))?,
        tp: tp.ok_or_else(|| missing("tp"))?,
        cp,
        pp: pp.ok_or_else(|| missing("pp"))?,
    })
}

fn mismatch(row: &Row, gpus: u32) -> LeftOut {
    let degree = |degree: Option<u32>| degree.map_or("?".to_owned(), |degree| degree.to_string());
    LeftOut::because("dp tp pp cp do not multiply to the GPUs").about(format!(
        "{} x {} x {} x {} on {gpus}",
        degree(data_parallel(row, gpus)),
        degree(row.tp),
        degree(row.pp),
        degree(row.cp)
    ))
}

/// Returns whether a run whose other degrees are blank uses only data parallelism.
fn is_data_parallel(row: &Row, stack: Stack) -> bool {
    let sharded = has(&row.sharding, &["shard", "fsdp", "zero-3", "zero3", "hsdp", "ddp"]);
    stack.is_fsdp() || sharded && !stack.is_megatron()
}

/// Returns the strategy and the size of its shard group.
fn strategy(
    row: &Row,
    stack: Stack,
    degrees: Degrees,
    node: u32,
    notes: &mut Notes,
) -> Result<(Strategy, u32), LeftOut> {
    let dp = degrees.dp;
    let text = row.sharding.to_ascii_lowercase();
    let says = |wanted: &[&str]| wanted.iter().any(|word| text.contains(word));
    let group = row.dp_shard.filter(|shard| *shard < dp && dp.is_multiple_of(*shard));
    if says(&["no_shard"]) {
        return Ok((Strategy::Ddp, dp));
    }
    if stack == Stack::MaxText {
        return Ok(group.map_or((Strategy::FullShard, dp), |size| (Strategy::HybridShard, size)));
    }
    if says(&["hybrid", "hsdp"]) {
        let size = group.or(row.dp_shard).unwrap_or_else(|| {
            notes.add("sharded inside each node, HYBRID_SHARD's default");
            (node / (degrees.tp * degrees.cp).max(1)).clamp(1, dp)
        });
        return Ok((Strategy::HybridShard, size));
    }
    // FSDP's ZeRO-2 is `SHARD_GRAD_OP`.
    if says(&["shard_grad_op", "grad_op"]) || says(&["fsdp"]) && says(&["zero-2", "zero2"]) {
        return Ok((Strategy::ShardGradOp, dp));
    }
    if says(&["zero-3", "zero3", "full_shard", "full shard", "optim_grads_params", "stage3", "stage 3"])
        || says(&["fsdp"]) && !says(&["fsdp=0", "no fsdp"])
    {
        return Ok(match group {
            Some(size) => (Strategy::HybridShard, size),
            // torchtitan keeps weights gathered between micro-batches of a pipeline.
            None if stack == Stack::Torchtitan && degrees.pp > 1 => (Strategy::ShardGradOp, dp),
            None => (Strategy::FullShard, dp),
        });
    }
    if says(&["zero-2", "zero2", "stage2", "stage 2", "pos+g", "optim_grads"]) {
        return Ok((Strategy::Zero2, dp));
    }
    if says(&["zero-1", "zero1", "stage1", "stage 1", "distributed optimizer", "dist-opt", "distopt", "optim"]) {
        return Ok(match group {
            Some(size) => (Strategy::Zero1Group, size),
            None => (Strategy::Zero1, dp),
        });
    }
    if says(&["zero-0", "zero0", "ddp", "none", "no_shard", "replicate"]) {
        return Ok((Strategy::Ddp, dp));
    }
    if dp == 1 {
        return Ok((if stack.is_fsdp() { Strategy::FullShard } else { Strategy::Ddp }, 1));
    }
    let strategy = stack.habits().strategy.ok_or_else(|| LeftOut::missing("sharding"))?;
    notes.add(format!("{strategy:?} assumed, the program's default"));
    Ok((strategy, dp))
}

/// GPUs per node, the usual tensor-parallel group of nanotron.
const NODE: u32 = 8;

/// Returns sequence parallelism and overlap of the row, or else the default of its program.
fn tensor(row: &Row, stack: Stack) -> TensorParallel {
    // NeMo's recipes overlap tensor-parallel collectives with matmuls, and XLA splits both.
    // nanotron's memory shows overlap mostly in pipelines with tensor parallelism over a whole
    // node.
    let asynchronous = matches!(stack, Stack::Nemo | Stack::MaxText)
        || has(&row.framework, &["async tp", "+tp overlap", "megascale"])
        || stack == Stack::Nanotron && row.tp.unwrap_or(1) >= NODE && row.pp.unwrap_or(1) > 1;
    let sequence_parallel = match row.sp.to_ascii_lowercase().as_str() {
        "yes" | "true" => true,
        "no" | "false" => false,
        _ => stack.habits().sequence_parallel,
    };
    TensorParallel { sequence_parallel, asynchronous, ..TensorParallel::USUAL }
}

/// Default number of chunks of an interleaved schedule (torchtitan's `stages_per_rank`).
const CHUNKS: u32 = 2;

/// Returns the schedule of a pipeline with `stages` stages.
///
/// # Errors
///
/// Returns an error for Megatron's interleaved schedule without the number of chunks, which
/// determines the bubble.
fn pipeline(row: &Row, stack: Stack, stages: u32, notes: &mut Notes) -> Result<Pipeline, LeftOut> {
    let chunks = row.vpp.filter(|chunks| *chunks > 1);
    let interleaved = has(&format!("{} {}", row.framework, row.sharding), &["interleaved"]);
    if interleaved && chunks.is_none() && stages > 1 {
        if stack.is_megatron() && !row.is_case() {
            return Err(LeftOut::missing("vpp"));
        }
        notes.add(format!("{CHUNKS} chunks a stage assumed, as the interleaved schedule names none"));
    }
    let is_cut = chunks.is_some() || interleaved;
    let schedule = if is_cut { Schedule::Interleaved } else { Schedule::OneForwardOneBackward };
    Ok(Pipeline { schedule, virtual_stages: chunks.unwrap_or(CHUNKS), ..Pipeline::USUAL })
}
