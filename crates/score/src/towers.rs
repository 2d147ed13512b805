//! Reads traced training steps of models with image input (`tests/towers/trace.py`): Hugging Face's
//! code on fake tensors, with the bytes alive at the peak.

use super::LeftOut;
use super::cells::Cells;
use super::library_step::LibraryStep;
use engine::model::choices::Choices;
use engine::model::images::{Images, TowerTraining};
use engine::model::training::Recompute;
use engine::model::transformer::{Architecture, AttentionBias, Tower};
use engine::scenario::Scenario;

/// Reads a row from its cells.
///
/// # Errors
///
/// Returns the name of the missing column, or the unsupported value.
pub fn read_tower_step(cells: &Cells<'_>) -> Result<LibraryStep, LeftOut> {
    let plain = cells.scenario(architecture(cells)?)?;
    let images = Images {
        per_sequence: cells.need("images")?,
        resolution: 0,
        // In Transformers 5, checkpointing makes the patches require gradients.
        tower: match (cells.get("tower"), plain.recompute) {
            ("trained", _) => TowerTraining::Trained,
            (_, Recompute::Full) => TowerTraining::Passed,
            _ => TowerTraining::Frozen,
        },
        trains_projector: cells.get("projector") == "trained",
    };
    cells.step(Scenario { choices: Choices { images, ..plain.choices }, ..plain })
}

fn architecture(cells: &Cells<'_>) -> Result<Architecture, LeftOut> {
    let tower = Tower {
        layers: cells.need("tower_layers")?,
        hidden_size: cells.need("tower_hidden")?,
        heads: cells.need("tower_heads")?,
        mlp_width: cells.need("tower_ffn")?,
        patch_size: cells.need("patch")?,
        image_size: cells.need("image_size")?,
        merge: cells.need("merge")?,
        fixed_tokens: cells.count("image_tokens"),
        params: cells.number("tower_params")? as u64,
        projector_params: cells.number("projector_params")? as u64,
        ..Tower::NONE
    };
    cells.with_unnamed(Architecture {
        intermediate_size: cells.need("ffn")?,
        norms_per_layer: cells.need("norms")?,
        attention_bias: AttentionBias::None,
        global_every: cells.count("global_every"),
        tower,
        ..cells.decoder()?
    })
}
