//! Image encoders like CLIP's.

use serde_json::Value;

use super::{NestedConfig, Tower, layer_norm, linear, patches, pixels, shape, usual_layer};

/// Reads `SigLIP` (arXiv 2303.15343), with its pooling head or without.
pub(crate) fn siglip(part: &NestedConfig, head: bool) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    // Towers for images of any size have a grid of positions, or none.
    let places = match part.number("num_patches") {
        0.0 => patches(&tower),
        patches => patches,
    };
    let embeddings = linear(pixels(part, &tower), hidden, true) + places * hidden;
    let mlp = linear(hidden, tower.mlp, true) + linear(tower.mlp, hidden, true);
    let head = if head && part.get("vision_use_head") != Some(&Value::Bool(false)) {
        hidden + linear(hidden, 3.0 * hidden, true) + linear(hidden, hidden, true) + layer_norm(hidden) + mlp
    } else {
        0.0
    };
    let params = embeddings + tower.layers * usual_layer(&tower) + layer_norm(hidden) + head;
    Tower { params, ..tower }
}

/// Reads the image encoder of CLIP (arXiv 2103.00020).
pub(crate) fn clip(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let embeddings = hidden + pixels(part, &tower) * hidden + (patches(&tower) + 1.0) * hidden;
    let params = embeddings + tower.layers * usual_layer(&tower) + 2.0 * layer_norm(hidden);
    Tower { params, ..tower }
}

/// Reads `InternViT`, with scales of both blocks.
pub(crate) fn intern(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let biases = if part.flag("attention_bias") { 0.0 } else { 3.0 * hidden };
    let norms = if part.flag("use_qk_norm") { 2.0 * hidden } else { 0.0 };
    let places = if part.flag("use_absolute_position_embeddings") { (patches(&tower) + 1.0) * hidden } else { 0.0 };
    let mask = if part.flag("use_mask_token") { hidden } else { 0.0 };
    let of_norm = if part.get("norm_type").and_then(Value::as_str) == Some("rms_norm") { 2.0 * hidden } else { 0.0 };
    let layer = usual_layer(&tower) - biases + norms + 2.0 * hidden - of_norm;
    let norm = if of_norm > 0.0 { hidden } else { layer_norm(hidden) };
    let last = if part.flag("use_mean_pooling") { 0.0 } else { norm };
    let params = hidden + mask + places + linear(pixels(part, &tower), hidden, true) + tower.layers * layer + last;
    Tower { params, ..tower }
}

/// Reads Kimi K2.5's encoder: positions of a grid.
pub(crate) fn kimi(part: &NestedConfig) -> Tower {
    let tower = Tower { merge: part.number_or("merge_kernel_size", 2.0), ..shape(part) };
    let hidden = tower.hidden;
    let places = part.number("pos_emb_height") * part.number("pos_emb_width") * hidden;
    let embeddings = linear(pixels(part, &tower), hidden, true) + places;
    Tower { params: embeddings + tower.layers * usual_layer(&tower) + layer_norm(hidden), ..tower }
}

/// Reads Muse Glimmer's encoder: positions of a grid, which is a window of attention too, in all
/// but every fourth layer and the last, and norms before and after the layers.
pub(crate) fn muse(part: &NestedConfig) -> Tower {
    /// The distance of layers that attend to the whole image.
    const EVERY: f64 = 4.0;
    let tower = Tower { merge: part.number_or("merge_size", 2.0), ..shape(part) };
    let (hidden, window) = (tower.hidden, part.number("pos_emb_height"));
    let patch = pixels(part, &tower) * part.number_or("patch_temporal", 1.0);
    let embeddings = (patch + window * part.number("pos_emb_width")) * hidden;
    let global_layers = match part.get("layer_types").and_then(Value::as_array) {
        Some(kinds) => kinds.iter().filter(|kind| *kind == "full_attention").count() as f64,
        None => (tower.layers / EVERY).ceil(),
    };
    let params = embeddings + tower.layers * usual_layer(&tower) + 2.0 * layer_norm(hidden);
    Tower { window, global_layers, params, ..tower }
}

/// Reads Ovis 2's encoder (AIMv2): gated MLPs and RMS norms.
pub(crate) fn ovis(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let (qkv, mlp) = (part.flag("qkv_bias"), part.flag("mlp_bias"));
    let attention = 4.0 * linear(hidden, hidden, qkv);
    let gated = 2.0 * linear(hidden, tower.mlp, mlp) + linear(tower.mlp, hidden, mlp);
    let embeddings = linear(pixels(part, &tower), hidden, true) + patches(&tower) * hidden + hidden;
    Tower { gated: true, params: embeddings + tower.layers * (attention + gated + 2.0 * hidden) + hidden, ..tower }
}

/// Reads Pixtral's encoder: gated MLPs, no biases.
pub(crate) fn pixtral(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let layer = 4.0 * hidden * hidden + 3.0 * hidden * tower.mlp + 2.0 * hidden;
    Tower { gated: true, params: pixels(part, &tower) * hidden + hidden + tower.layers * layer, ..tower }
}

/// Reads SAM's encoder (arXiv 2304.02643), as in GOT-OCR: relative positions, attention in windows
/// except in some layers, a neck.
pub(crate) fn sam(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let out = part.number_or("output_channels", 256.0);
    let side = (tower.image_size / tower.patch).floor();
    let width = hidden / tower.heads.max(1.0);
    let full = part.numbers("global_attn_indexes").iter().filter(|layer| **layer < tower.layers).count() as f64;
    let relative = |side: f64| 2.0 * (2.0 * side - 1.0) * width;
    let places = if part.flag("use_rel_pos") {
        full * relative(side) + (tower.layers - full) * relative(part.number_or("window_size", 14.0))
    } else {
        0.0
    };
    let biases = if part.flag("qkv_bias") { 0.0 } else { 3.0 * hidden };
    let absolute = if part.flag("use_abs_pos") { side * side * hidden } else { 0.0 };
    let neck = hidden * out + 9.0 * out * out + 2.0 * layer_norm(out);
    let params = linear(pixels(part, &tower), hidden, true)
        + absolute
        + tower.layers * (usual_layer(&tower) - biases)
        + places
        + neck;
    Tower { window: part.number_or("window_size", 14.0), global_layers: full, params, ..tower }
}

/// Reads Llama 4's encoder: CLIP without positions along the height and width of patches, a pixel
/// shuffle and its MLP.
pub(crate) fn llama_4(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let ratio = part.number_or("pixel_shuffle_ratio", 0.5);
    let (inner, out) = (part.number("projector_input_dim"), part.number("projector_output_dim"));
    let adapter = tower.mlp * inner + inner * out;
    let embeddings = pixels(part, &tower) * hidden + hidden + (patches(&tower) + 1.0) * hidden;
    let params = embeddings + tower.layers * usual_layer(&tower) + 2.0 * layer_norm(hidden);
    Tower { params, merger: adapter, merge: 1.0 / ratio, ..tower }
}

/// Reads Llama 3.2 Vision's encoder: tiles of an image with tile positions, and global layers with
/// gates after the others.
pub(crate) fn mllama(part: &NestedConfig) -> Tower {
    let heads = part.number_or("attention_heads", 16.0);
    let tower = Tower { heads, ..shape(part) };
    let hidden = tower.hidden;
    let tiles = part.number_or("max_num_tiles", 4.0);
    let ratios = part.length("supported_aspect_ratios").max(1.0) + 1.0;
    let places = patches(&tower) + 1.0;
    let of_tiles = ratios * tiles * hidden;
    let embeddings =
        hidden + pixels(part, &tower) * hidden + places * hidden + 1.0 + of_tiles * places + 2.0 * (of_tiles + 1.0);
    // Attention without biases.
    let layer = usual_layer(&tower) - 4.0 * hidden;
    let global = part.number_or("num_global_layers", 8.0);
    let params = embeddings + (tower.layers + global) * layer + 2.0 * global + 2.0 * layer_norm(hidden);
    Tower { layers: tower.layers + global, in_sequence: false, params, ..tower }
}

/// Reads BLIP-2's encoder (EVA, arXiv 2211.07636).
pub(crate) fn blip(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let places = (patches(&tower) + 1.0) * hidden;
    let biases = if part.flag("qkv_bias") { 0.0 } else { 3.0 * hidden };
    let embeddings = hidden + places + linear(pixels(part, &tower), hidden, true);
    let params = embeddings + tower.layers * (usual_layer(&tower) - biases) + layer_norm(hidden);
    Tower { params, ..tower }
}

/// Reads Janus's encoder: `SigLIP` without a head, queries and keys normalised or not.
pub(crate) fn janus(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let tower = Tower { mlp: (part.number_or("mlp_ratio", 4.0) * tower.hidden).floor(), ..tower };
    let hidden = tower.hidden;
    let biases = if part.flag("attention_bias") { 0.0 } else { 3.0 * hidden };
    let norms = if part.flag("use_qk_norm") { 2.0 * layer_norm(hidden) } else { 0.0 };
    let embeddings = linear(pixels(part, &tower), hidden, true) + patches(&tower) * hidden;
    let params = embeddings + tower.layers * (usual_layer(&tower) - biases + norms) + layer_norm(hidden);
    Tower { params, ..tower }
}

/// Reads Molmo 2's encoder: attention with a separate head width.
pub(crate) fn molmo(part: &NestedConfig) -> Tower {
    let tower = shape(part);
    let (hidden, dim) = (tower.hidden, part.number("head_dim"));
    let (queries, keys) = (tower.heads * dim, part.number_or("num_key_value_heads", tower.heads) * dim);
    let biased = part.flag("attention_bias");
    let attention =
        linear(hidden, queries, biased) + 2.0 * linear(hidden, keys, biased) + linear(queries, hidden, biased);
    let mlp = linear(hidden, tower.mlp, true) + linear(tower.mlp, hidden, true);
    let places = part.number("num_position_embeddings") * hidden;
    let params = linear(pixels(part, &tower), hidden, true)
        + places
        + tower.layers * (attention + mlp + 2.0 * layer_norm(hidden));
    Tower { params, ..tower }
}

/// Reads RADIO (arXiv 2312.06709), as in Nemotron: positions of the largest image, class tokens and
/// registers, scales of both blocks.
pub(crate) fn radio(part: &NestedConfig) -> Tower {
    /// Class tokens of the teachers and registers together.
    const FIRST: f64 = 10.0;
    let tower = shape(part);
    let hidden = tower.hidden;
    let tower = Tower { mlp: (part.number_or("mlp_ratio", 4.0) * hidden).floor(), ..tower };
    let side = (part.number_or("max_img_size", 2048.0) / tower.patch).floor();
    let patch = part.number_or("patch_dim", pixels(part, &tower));
    let moving = part.number_or("video_patch_dim", 2.0 * patch);
    let biases = if part.flag("qkv_bias") { 0.0 } else { 3.0 * hidden };
    let params =
        (side * side + FIRST + patch + moving) * hidden + tower.layers * (usual_layer(&tower) - biases + 2.0 * hidden);
    Tower { params, ..tower }
}
