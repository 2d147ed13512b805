//! Encoders of images of fine-tuned models, and what their runs read.

use crate::Notes;
use crate::row::Row;
use crate::text::has;
use engine::model::images::{Images, TowerTraining};
use engine::model::transformer::{Architecture, Tower};
use engine::scenario::Model;

/// Qwen-VL's encoder, open_clip's ViT-bigG at 448 pixels (src/open_clip/model_configs/ViT-bigG-14.json), and its adapter: 256 queries that
/// attend to its 1,024 patches, 0.08 billion parameters (arXiv 2308.12966, section 2.1 and table 1).
const QWEN_VL: Tower = Tower {
    layers: 48,
    hidden_size: 1664,
    heads: 16,
    mlp_width: 8192,
    patch_size: 14,
    image_size: 448,
    fixed_tokens: 256,
    params: 1_844_910_000,
    projector_params: 80_000_000,
    ..Tower::NONE
};

/// Returns a row's model with its encoder of images.
pub fn with_tower(row: &Row, model: Model, notes: &mut Notes) -> Model {
    if !has(&row.model, &["qwen-vl"]) {
        return model;
    }
    notes.add("ViT-bigG and its adapter before the language model");
    Model::Custom { architecture: Architecture { tower: QWEN_VL, ..model.architecture() } }
}

/// Returns the images of a row's sequences: one a sample (the README), before an encoder and an adapter that adapters leave frozen
/// (finetune.py, QwenLM/Qwen-VL 0f31930: `lora_target_modules` are the language model's).
pub fn images(row: &Row) -> Images {
    if has(&row.model, &["qwen-vl"]) {
        return Images { per_sequence: 1, resolution: 0, tower: TowerTraining::Frozen, trains_projector: false };
    }
    Images::ONE
}
