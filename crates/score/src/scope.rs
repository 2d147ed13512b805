//! The scope of the engine: rows outside it are left out before anything is completed.

use super::LeftOut;
use super::finetune::measured;
use super::model::mixture;
use super::row::Row;
use super::text::has;
use engine::model::transformer::Architecture;

/// Mixtures with unpublished shapes.
const UNPUBLISHED: [&str; 2] = ["deepseekv4", "deepseek v4"];

/// Whether the row is about a mixture of experts, or about latent attention, which came with
/// mixtures.
pub fn is_mixture(row: &Row, shape: Option<&Architecture>) -> bool {
    mixture::has_experts(row)
        || mixture::is_latent(row)
        || row.ep.is_some_and(|degree| degree > 1)
        || shape.is_some_and(Architecture::has_experts)
        || has(&format!("{} {}", row.model, row.framework), &["moe"])
}

/// Checks that a row measures a full training step of a transformer.
///
/// # Errors
///
/// The reason why the row is left out.
pub fn check(row: &Row) -> Result<(), LeftOut> {
    crate::finetune::scope::check(row)?;
    let left_out = |reason: &str| Err(LeftOut::because(reason));
    let model = row.model.to_ascii_lowercase();
    if UNPUBLISHED.iter().any(|family| model.contains(family)) {
        return left_out("the shape is not published: not a model of the catalog");
    }
    if has(&row.notes, &["known regression"]) {
        return left_out("the source flags a regression of its software: not a measurement of the model");
    }
    if has(&row.notes, &["not a full step"]) || has(&row.model, &["one transformer layer", "one moe layer"]) {
        return left_out("one layer, not a training step");
    }
    let named = has(&row.model, &["nemotron 3 nano"]);
    if !named && (has(&row.notes, &["hybrid-override-pattern", "mamba"]) || has(&row.model, &["mamba"])) {
        return left_out("state-space layers of a shape that is not published: not a model of the catalog");
    }
    let reads_images = has(&row.model, &["qwen-vl"]);
    if row.is_case() {
        return Ok(());
    }
    if row.model.to_ascii_lowercase().starts_with("t5") || (has(&row.model, &["bert", "vit"]) && !reads_images) {
        return left_out("not a decoder-only transformer");
    }
    let is_partial = measured::is_of_time(row) || measured::is_of_rate(row);
    if row.notes.contains("CAUTION") && !is_partial {
        return left_out("the source contradicts itself");
    }
    Ok(())
}
