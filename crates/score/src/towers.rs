//! Reads traced training steps of models with image input (`tests/towers/trace.py`): Hugging Face's
//! code on fake tensors, with the bytes alive at the peak.

use super::LeftOut;
use super::library_step::{Columns, LibraryStep};
use engine::model::choices::Choices;
use engine::model::images::{Images, TowerTraining};
use engine::model::training::Recompute;
use engine::model::transformer::{Architecture, AttentionBias, Tower};
use engine::scenario::Scenario;

/// Reads a row from its named columns.
///
/// # Errors
///
/// Returns the name of the missing column, or the unsupported value.
pub fn read<'a>(column: impl Fn(&str) -> Option<&'a str>) -> Result<LibraryStep, LeftOut> {
    let columns = Columns::new(column);
    let plain = columns.scenario(architecture(&columns)?)?;
    let images = Images {
        per_sequence: columns.need("images")?,
        resolution: 0,
        // In Transformers 5, checkpointing makes the patches require gradients.
        tower: match (columns.raw("tower"), plain.recompute) {
            ("trained", _) => TowerTraining::Trained,
            (_, Recompute::Full) => TowerTraining::Passed,
            _ => TowerTraining::Frozen,
        },
        trains_projector: columns.raw("projector") == "trained",
    };
    columns.step(Scenario { choices: Choices { images, ..plain.choices }, ..plain })
}

fn architecture<'a, F: Fn(&str) -> Option<&'a str>>(columns: &Columns<F>) -> Result<Architecture, LeftOut> {
    let tower = Tower {
        layers: columns.need("tower_layers")?,
        hidden_size: columns.need("tower_hidden")?,
        heads: columns.need("tower_heads")?,
        mlp_width: columns.need("tower_ffn")?,
        patch_size: columns.need("patch")?,
        image_size: columns.need("image_size")?,
        merge: columns.need("merge")?,
        fixed_tokens: columns.count("image_tokens"),
        params: columns.number("tower_params")? as u64,
        projector_params: columns.number("projector_params")? as u64,
        ..Tower::NONE
    };
    columns.with_unnamed(Architecture {
        intermediate_size: columns.need("ffn")?,
        norms_per_layer: columns.need("norms")?,
        attention_bias: AttentionBias::None,
        global_every: columns.count("global_every"),
        tower,
        ..columns.decoder()?
    })
}
