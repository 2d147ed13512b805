//! Image encoders that merge patches: Qwen's and GLM's.

use super::{NestedConfig, Tower, layer_norm, linear, patches, pixels, shape, usual_layer};

/// Returns the number of frames per patch of the Qwen family.
fn moments(part: &NestedConfig) -> f64 {
    part.number_or("temporal_patch_size", 1.0)
}

/// Reads Qwen2-VL's encoder (arXiv 2409.12191), with the MLP that merges patches.
pub(crate) fn qwen_2(part: &NestedConfig) -> Tower {
    // Here hidden_size is the width of the language model.
    let tower = Tower { hidden: part.number_or("embed_dim", part.number("hidden_size")), ..shape(part) };
    let tower = Tower { mlp: part.number_or("mlp_ratio", 4.0) * tower.hidden, ..tower };
    let (hidden, wide) = (tower.hidden, tower.merge * tower.merge * tower.hidden);
    let merger = layer_norm(hidden) + linear(wide, wide, true) + linear(wide, part.number("hidden_size"), true);
    let params = pixels(part, &tower) * moments(part) * hidden + tower.layers * usual_layer(&tower);
    Tower { params, merger, ..tower }
}

/// Reads Qwen2.5-VL's encoder (arXiv 2502.13923): gated MLPs with biases and RMS norms; key and
/// value heads may be fewer (EXAONE 4.5).
pub(crate) fn qwen_25(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let (hidden, wide) = (tower.hidden, tower.merge * tower.merge * tower.hidden);
    let kv = part.number_or("num_key_value_heads", tower.heads) / tower.heads.max(1.0) * hidden;
    let attention = linear(hidden, hidden + 2.0 * kv, true) + linear(hidden, hidden, true);
    let mlp = 2.0 * linear(hidden, tower.mlp, true) + linear(tower.mlp, hidden, true);
    let layer = attention + mlp + 2.0 * hidden;
    let merger = hidden + linear(wide, wide, true) + linear(wide, part.number("out_hidden_size"), true);
    let params = pixels(part, &tower) * moments(part) * hidden + tower.layers * layer;
    let window = (part.number("window_size") / tower.patch).floor();
    let global_layers = part.length("fullatt_block_indexes");
    Tower { gated: true, window, global_layers, params, merger, ..tower }
}

/// Reads Qwen3-VL's encoder: positions of a square grid, and mergers of some layers for the first
/// layers of the language model.
pub(crate) fn qwen_3(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let (hidden, wide) = (tower.hidden, tower.merge * tower.merge * tower.hidden);
    let ends = linear(wide, wide, true) + linear(wide, part.number("out_hidden_size"), true);
    let mergers = layer_norm(hidden) + ends + part.length("deepstack_visual_indexes") * (layer_norm(wide) + ends);
    let embeddings =
        linear(pixels(part, &tower) * moments(part), hidden, true) + part.number("num_position_embeddings") * hidden;
    let params = embeddings + tower.layers * usual_layer(&tower);
    Tower { params, merger: mergers, ..tower }
}

/// Reads GLM-4.1V's encoder: gated MLPs, a convolution that merges patches, a gated MLP of the
/// projection's width.
pub(crate) fn glm(part: &NestedConfig, ocr: bool) -> Tower {
    let tower = shape(part);
    let (hidden, out) = (tower.hidden, part.number("out_hidden_size"));
    let biased = part.flag("attention_bias");
    // In the first generation the layers are as wide as the language model, and the merger is as
    // wide as their MLP.
    let (mlp, merged) =
        if ocr { (tower.mlp, part.number_or("projection_intermediate_size", 3.0 * out)) } else { (out, tower.mlp) };
    let heads = if ocr { 2.0 * (hidden / tower.heads.max(1.0)) } else { 0.0 };
    let attention = linear(hidden, 3.0 * hidden, biased) + linear(hidden, hidden, biased && ocr) + heads;
    let gated = 2.0 * linear(hidden, mlp, biased && ocr) + linear(mlp, hidden, biased && ocr);
    let layer = attention + gated + 2.0 * hidden;
    let places = if ocr { 0.0 } else { patches(&tower) * hidden + hidden };
    let merger = out * out + layer_norm(out) + 3.0 * out * merged;
    let downsample = linear(hidden * tower.merge * tower.merge, out, true);
    let params = linear(pixels(part, &tower) * moments(part), hidden, true) + places + tower.layers * layer + hidden;
    Tower { gated: true, mlp, params, merger: merger + downsample, ..tower }
}

/// Reads ERNIE 4.5's encoder: Qwen2-VL's without its merger.
pub(crate) fn ernie(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let params = pixels(part, &tower) * tower.hidden + tower.layers * usual_layer(&tower) + layer_norm(tower.hidden);
    Tower { params, ..tower }
}

/// Reads MiniMax M3's encoder: Qwen2-VL's without its merger, with a norm before the layers.
pub(crate) fn minimax(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let embeddings = pixels(part, &tower) * moments(part) * tower.hidden + layer_norm(tower.hidden);
    Tower { params: embeddings + tower.layers * usual_layer(&tower), ..tower }
}
