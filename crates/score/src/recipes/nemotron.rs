//! Recipes of Nemotron 3 in Megatron-Bridge (`recipes/nemotronh`, `perf_recipes/nemotronh`, before 26.08 `scripts/performance/configs/
//! nemotronh`).

use super::super::Notes;
use super::super::row::Row;
use super::super::text::{has, starts};
use engine::model::transformer::Architecture;

/// Applications of the module that predicts further tokens: `mtp_num_layers = 2` of Super and Ultra, whose module is applied twice
/// (`mtp_use_repeated_layer`, v0.4.0 recipes/nemotronh/nemotron_3_super.py); one in the line of DeepSeek V3 that says so.
pub fn mtp(row: &Row, notes: &mut Notes) -> u32 {
    if is_of_bridge(row) && starts(&row.model, &["nemotron_3_super", "nemotron_3_ultra"]) {
        notes.add("two further tokens predicted as in the published recipe (mtp_num_layers)");
        return 2;
    }
    // examples/llm_benchmark/nemotron/nemotron_ultra_v3_te_deepep.yaml of AutoModel.
    if starts(&row.model, &["nemotron v3 ultra"]) {
        return 2;
    }
    u32::from(has(&row.model, &["(w/ mtp)"]))
}

/// Layers of Super in 16 bits beside NVFP4: the first one and the last 14 (`nemotron_3_super_bf16_with_nvfp4_mixed`), and attention
/// elsewhere (te_quant.cfg), which is a layer of its own.
pub fn layers_in_16_bits(row: &Row, shape: &Architecture, notes: &mut Notes) -> u32 {
    const FIRST: u32 = 1;
    const LAST: u32 = 14;
    if !is_of_bridge(row) || !starts(&row.model, &["nemotron_3_super"]) || !has(&row.precision, &["nvfp4"]) {
        return 0;
    }
    notes.add("first and last layers in 16 bits as in the published recipe");
    let others = shape.blocks_among(shape.num_hidden_layers.saturating_sub(LAST));
    FIRST + LAST + others.attention
}

/// Whether a row's layers run in Megatron's hybrid model, which has no schedule that puts exchanges beside another micro-batch.
pub fn is_hybrid(row: &Row) -> bool {
    starts(&row.model, &["nemotron_3", "nemotron 3", "qwen3_next"])
}

fn is_of_bridge(row: &Row) -> bool {
    has(&row.source, &["megatron-bridge"])
}
