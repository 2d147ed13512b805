//! GPUs that a person's run does not name, and how many they are.

use crate::Notes;
use crate::finetune::completed::is_unnamed;
use crate::row::Row;
use crate::text::has;

/// The GPU that people mean most when they name none.
const USUAL: &str = "A100-80GB";
/// GPUs of a machine that shards.
const NODE: u32 = 8;
/// Names that leave out the maker's series.
const SHORT: [(&str, &str); 3] =
    [("a6000", "RTX A6000"), ("a5000", "RTX A5000 24GB"), ("rtx 6000 ada", "RTX 6000 Ada 48GB")];

/// Completes the GPU and the number of GPUs.
pub fn complete(row: &mut Row, notes: &mut Notes) {
    if let Some((_, full)) = SHORT.iter().find(|(short, _)| row.gpu.eq_ignore_ascii_case(short)) {
        (*full).clone_into(&mut row.gpu);
    }
    if !row.is_case() {
        return;
    }
    let says_nothing = is_unnamed(&row.gpu) || has(&row.gpu, &["unknown", "class", "(total)", "not said"]);
    if says_nothing && row.gpu_mem_gb.is_none() && !has(&row.gpu, &["100", "200", "gb"]) {
        notes.add(format!("a guess: {USUAL}, as no GPU is named"));
        USUAL.clone_into(&mut row.gpu);
    } else if row.gpu.is_empty() {
        "not said".clone_into(&mut row.gpu);
    }
    if row.num_gpus.is_none() {
        let by_nodes = row.num_nodes.map(|nodes| nodes.saturating_mul(row.gpus_per_node.unwrap_or(NODE)));
        let sharded = has(&format!("{} {}", row.sharding, row.framework), &["zero", "fsdp", "shard", "megatron"]);
        let gpus = by_nodes.unwrap_or(if sharded { NODE } else { 1 });
        let degrees = [row.tp, row.pp, row.cp].iter().flatten().fold(1_u32, |all, one| all.saturating_mul(*one));
        let gpus = gpus.next_multiple_of(degrees.max(1));
        notes.add(format!("a guess: {gpus} GPUs, as their number is not said"));
        row.num_gpus = Some(gpus);
    }
    if row.gpus_per_node.is_none()
        && let (Some(gpus), Some(nodes)) = (row.num_gpus, row.num_nodes)
    {
        row.gpus_per_node = Some((gpus / nodes.max(1)).max(1));
    }
}
