//! The degree of expert parallelism where a row leaves it blank.

use crate::recipes::is_automodel;
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use crate::{LeftOut, Notes};
use engine::model::transformer::Architecture;

/// Degrees of AutoModel's recipes on H100 (`ep_size`, examples/llm_benchmark, github NVIDIA-NeMo/Automodel 36044ad3), whose table prints
/// some of them as blank. The first name that fits holds.
const AUTOMODEL: [(&[&str], u32); 13] = [
    (&["gpt", "oss", "120b"], 64),
    (&["gpt", "oss"], 8),
    (&["glm", "flash"], 8),
    (&["glm", "4.7"], 32),
    (&["glm"], 64),
    (&["deepseek", "v4"], 32),
    (&["deepseek"], 64),
    (&["kimi"], 32),
    (&["minimax"], 32),
    (&["mistral", "small"], 64),
    (&["qwen3", "235b"], 32),
    (&["nemotron", "nano"], 8),
    (&["nemotron"], 64),
];
/// The other mixtures of its table run on one machine.
const ONE_MACHINE: u32 = 8;

/// Returns the degree: the row's own, else its recipe's, else 1 where the stack shards experts like all weights.
///
/// # Errors
///
/// A Megatron run of which neither says it: there every recipe for a mixture sets it.
pub(super) fn degree(row: &Row, stack: Stack, shape: &Architecture, notes: &mut Notes) -> Result<u32, LeftOut> {
    if let Some(said) = row.ep {
        return Ok(said);
    }
    let gpus = row.num_gpus.unwrap_or(1);
    if is_automodel(row) {
        let names = |words: &&[&str]| words.iter().all(|word| has(&row.model, &[word]));
        let recipe = AUTOMODEL.iter().find(|(words, _)| names(words)).map_or(ONE_MACHINE, |(_, degree)| *degree);
        let degree = recipe.min(gpus).min(shape.experts.num_experts);
        notes.add(format!("ep {degree} as in AutoModel's recipe (examples/llm_benchmark)"));
        return Ok(degree);
    }
    let model_parallel = row.pp.unwrap_or(1).saturating_mul(row.cp.unwrap_or(1)).saturating_mul(row.tp.unwrap_or(1));
    if stack.is_megatron() && gpus > model_parallel && !row.is_case() && !splits_by_tensor(row) {
        return Err(LeftOut::missing("ep"));
    }
    if gpus > 1 {
        notes.add("experts beside each other on every GPU, as no degree for them is named");
    }
    Ok(1)
}

/// Whether experts are said to be cut like the other matrices.
fn splits_by_tensor(row: &Row) -> bool {
    row.etp.is_some_and(|degree| degree > 1) || has(&format!("{} {}", row.framework, row.sharding), &["tp+tp"])
}
