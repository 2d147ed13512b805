//! Matrix products in 8 and 4 bits, by the recipe names of Transformer Engine, torchao and
//! Megatron-Bridge (`catalog::low_precision`).

use catalog::low_precision::{Library, mixed, named};
use engine::model::training::ComputeFormat;
use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::keys::KeyedValue;

/// Sets a recipe by name; an unknown name is reported, and nothing changes.
pub(super) fn recipe(found: &KeyedValue<String>, library: Library, gathered: bool, draft: &mut Draft) {
    let Some(recipe) = named(library, &found.value) else {
        draft.unknown(found, ParamId::ComputeFormat);
        return;
    };
    draft.scenario = recipe.on(&draft.scenario, gathered);
    draft.record(found, format!("{}: {}", library.name(), recipe.name));
    if !gathered {
        return;
    }
    if !recipe.can_gather() && recipe.format != ComputeFormat::Fp4 {
        draft.contradict(format!(
            "{} gathers weights in 16 bits under {}: so it is here.",
            library.name(),
            recipe.name
        ));
    } else if recipe.gathered == 16 {
        draft.assume(format!(
            "Megatron gathers the weights of {} in 16 bits, through its buffer of gradients: here they count as gathered in 8.",
            recipe.name
        ));
    } else if recipe.format == ComputeFormat::Fp4 {
        draft.assume(format!("Weights of {} count as gathered in 16 bits.", recipe.name));
    }
}

/// Sets one of Megatron-Bridge's recipes; returns false if the name is not a low-precision recipe.
pub(super) fn set_bridge_recipe(found: &KeyedValue<String>, draft: &mut Draft) -> bool {
    let Some(mixed) = mixed(&found.value) else { return false };
    recipe(&found.with(mixed.recipe.to_owned()), Library::TransformerEngine, mixed.gathered, draft);
    let layers: u32 = mixed.layers_in_16_bits.iter().sum();
    if layers > 0 {
        draft.number(Some(found.with(layers)), ParamId::LayersIn16Bits);
    }
    true
}
