//! `MaxText`'s tables: its README's on v5e and v5p (github AI-Hypercomputer/maxtext 76bd53b0f, MaxText/configs), and those of Google's
//! recipes (AI-Hypercomputer/tpu-recipes, gpu-recipes).

use crate::recipes::recomputed::Recomputed;
use crate::row::Row;
use crate::text::{has, leading_number};
use crate::{LeftOut, Notes};
use engine::model::training::{Recompute, RecomputeModules};

/// Chips of a full slice (Cloud TPU's documentation); those of v4, v5p and Ironwood are larger than the runs of the tables.
const SLICES: [(&str, u32); 2] = [("v6e", 256), ("v5e", 256)];

/// Completes a row.
///
/// # Errors
///
/// A batch that no recipe of the same model and chips has.
pub fn complete(row: &mut Row, notes: &mut Notes) -> Result<(), LeftOut> {
    same_run(row, notes);
    if let Some(chips) = number_before(&row.notes, " chips;").filter(|_| has(&row.notes, &["slice(s) of"])) {
        row.gpus_per_node = Some(chips);
    } else if let Some((_, slice)) = SLICES.iter().find(|(name, _)| has(&row.gpu, &[name])) {
        row.gpus_per_node = row.num_gpus.map(|chips| chips.min(*slice));
    } else if has(&row.gpu, &["tpu"]) {
        row.gpus_per_node = row.num_gpus;
    }
    // Degrees count JAX's devices, two a chip of Ironwood; the row counts chips.
    if let Some((_, after)) = row.sharding.split_once("FSDP ")
        && let Some((shards, rest)) = leading_number(after)
        && let Some((devices, _)) = rest.trim_start().strip_prefix("of ").and_then(leading_number)
        && let Some(chips) = row.num_gpus
    {
        let shards = (shards * f64::from(chips) / devices) as u32;
        notes.add("degrees of two devices a chip as those of chips");
        row.dp_shard = row.dp_shard.or(Some(shards.max(1)));
        row.dp_replicate = row.dp.and_then(|dp| dp.checked_div(shards.max(1)));
    }
    if row.micro_batch.is_none() {
        return Err(LeftOut::missing("per_device_batch_size"));
    }
    row.tp = row.tp.or(Some(1));
    row.pp = row.pp.or(Some(1));
    if row.dp.is_none() {
        row.dp = row.num_gpus.map(|chips| chips / row.tp.unwrap_or(1));
        "FSDP".clone_into(&mut row.sharding);
        notes.add("fully sharded over the slice, as the recipe");
    }
    Ok(())
}

/// Runs that a later page prints again, or another figure of the same configuration.
fn same_run(row: &mut Row, notes: &mut Notes) {
    let of = |row: &Row, model: &str, gpu: &str| {
        has(&row.model, &[model]) && has(&row.gpu, &[gpu]) && row.micro_batch.is_none()
    };
    if of(row, "maxtext 256b", "v5p") {
        // MaxText/configs/v5p/256b.sh.
        (row.tp, row.dp, row.dp_shard, row.micro_batch, row.seq_len) =
            (Some(8), Some(64), Some(64), Some(16), Some(2048));
        (row.layers, row.hidden, row.heads, row.kv_heads) = (Some(64), Some(20_480), Some(64), Some(64));
        (row.ffn_hidden, row.vocab, row.params) = (Some(65_536), Some(32_768), Some(258_371_768_320.0));
        "minimal".clone_into(&mut row.act_ckpt);
        row.notes.push_str("; head_dim 256; ReLU MLP (2 matrices), tied embedding");
        notes.add("layout and batch of MaxText/configs/v5p/256b.sh");
    } else if of(row, "llama 3.1 70b", "v6e") || of(row, "llama 3.1 8b", "v6e") {
        // llama3_1_70b_8192 and llama3_1_8b_8192 of benchmarks/maxtext_trillium_model_configs.py: 2 and 3 sequences a chip.
        row.micro_batch = Some(if has(&row.model, &["70b"]) { 2 } else { 3 });
        row.grad_accum = Some(1);
        "custom: layer input + q,k,v projections offloaded to host, rest recomputed".clone_into(&mut row.act_ckpt);
        notes.add("batch and rematerialisation of the recipe of the same model and chips");
    }
}

/// What is kept by names of tensors (`MaxText/configs/base.yml`).
#[derive(Clone, Copy, Default)]
struct Kept {
    query: bool,
    key_value: bool,
    context: bool,
    out: bool,
    mlp_out: bool,
}

fn kept(policy: &str) -> Kept {
    let says = |words: &[&str]| has(policy, words);
    let all = says(&["q,k,v", "qkv"]) && !says(&["q,k,v recomputed"]);
    Kept {
        query: all,
        key_value: all || says(&["k,v kept"]),
        context: says(&["context"]),
        out: says(&["(+out)", "out_proj"]),
        mlp_out: says(&["mlpwo"]),
    }
}

/// Returns what a policy recomputes. `full` keeps the input of each layer; `minimal` the outputs of all products, so that what is
/// element-wise runs again; `custom` what it names: the share of a layer's products whose outputs are kept.
pub fn recomputed(row: &Row) -> Recomputed {
    let policy = row.act_ckpt.to_ascii_lowercase();
    if policy.is_empty() || policy == "full" {
        return Recomputed::all(Recompute::Full);
    }
    if policy.starts_with("minimal") {
        return Recomputed::all(Recompute::Selective);
    }
    // A bare `custom` is that of the same model's other recipes.
    let kept = if policy == "custom" {
        Kept { query: true, key_value: true, out: true, ..Kept::default() }
    } else {
        kept(&policy)
    };
    if policy.contains("except_mlp") || kept.context {
        let modules = RecomputeModules { mlp: true, layernorm: true, ..RecomputeModules::NONE };
        return Recomputed { mode: Recompute::Modules, modules, keep_fraction: 0.5 };
    }
    let (Some(hidden), Some(heads), Some(width)) = (row.hidden, row.heads, row.ffn_hidden) else {
        return Recomputed::all(Recompute::Full);
    };
    let head = f64::from(hidden) / f64::from(heads.max(1));
    let (query, key) = (f64::from(hidden), f64::from(row.kv_heads.unwrap_or(heads)) * head);
    let (width, one) = (f64::from(width), |kept: bool, columns: f64| if kept { columns } else { 0.0 });
    let mlp = row.top_k.map_or(1.0, f64::from);
    let all = 2.0 * query + 2.0 * key + 3.0 * mlp * width;
    let some =
        one(kept.query, query) + one(kept.key_value, 2.0 * key) + one(kept.out, query) + one(kept.mlp_out, mlp * width);
    if some > 0.0 {
        Recomputed { keep_fraction: some / all, ..Recomputed::all(Recompute::Fraction) }
    } else {
        Recomputed::all(Recompute::Full)
    }
}

/// Whether kept tensors are moved to host memory.
pub fn offloads(row: &Row) -> bool {
    has(&row.act_ckpt, &["offload"]) || row.act_ckpt == "custom"
}

/// Slots of an expert over its share of the tokens: 1.25 in the recipes of Mixtral that drop tokens; without a limit what comes is run.
pub fn capacity(row: &Row) -> f64 {
    let said = row.notes.split_once("capacity factor ").and_then(|(_, after)| leading_number(after));
    // Google's recipe of Mixtral for Trillium is `mixtral_8x7b_dropped` (benchmarks/maxtext_trillium_model_configs.py).
    let recipe = row.source == "tpu-recipes" && has(&row.model, &["mixtral"]) && has(&row.gpu, &["v6e"]);
    let drops = recipe || has(&row.notes, &["dropped tokens", "drops tokens"]);
    said.map_or(if drops { 1.25 } else { 1.0 }, |(factor, _)| factor)
}

/// The number before a word.
fn number_before(text: &str, word: &str) -> Option<u32> {
    let (before, _) = text.split_once(word)?;
    before.rsplit(' ').next()?.parse().ok()
}
