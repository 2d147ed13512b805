//! The vision tower of a model, from its nested configuration: its shape, and its exact parameters. Source: the classes of
//! `transformers` that the model types name.

use engine::model::transformer;
use serde_json::{Map, Value};

use super::class;

/// An encoder of images or sound beside a language model, as its configuration has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tower {
    /// Layers.
    pub layers: f64,
    /// Width of its residual stream.
    pub hidden: f64,
    /// Heads of its attention.
    pub heads: f64,
    /// Width of its MLPs.
    pub mlp: f64,
    /// Pixels of a patch along one side.
    pub patch: f64,
    /// Pixels of an image along one side; 0 where images of any size are read.
    pub image_size: f64,
    /// Patches along one side that become one token of the language model.
    pub merge: f64,
    /// Whether its MLPs are gated.
    pub gated: bool,
    /// Patches along one side of the windows in which attention stays; 0 without windows.
    pub window: f64,
    /// Layers that see the whole image where others stay in windows.
    pub global_layers: f64,
    /// Positions of a clip of sound; 0 where the patches of an image say it.
    pub positions: f64,
    /// Tokens of an image or clip, where they are always as many; else 0.
    pub tokens: f64,
    /// Whether the tokens stand in the sequence of the text.
    pub in_sequence: bool,
    /// Parameters of the encoder, without the projection to the language model.
    pub params: f64,
    /// Parameters of the merger that the encoder's class has at its end.
    pub merger: f64,
    /// Parameters of other encoders beside it, whose work is not counted.
    pub others: f64,
}

/// Pixels of an image along one side where images of any size are read: as many as a tile of `InternVL` has, about 0.2 million in all.
const ANY_SIZE: f64 = 448.0;

impl Tower {
    /// The engine's encoder, with a projection of so many parameters beside the merger; `None` where a number is not one that it holds.
    pub(super) fn checked(&self, projection: f64) -> Option<transformer::Tower> {
        let whole = |value: f64, low: f64, high: f64| {
            (value.fract() == 0.0 && (low..=high).contains(&value)).then_some(value as u32)
        };
        let global_every = if self.global_layers > 0.0 { (self.layers / self.global_layers).round() } else { 0.0 };
        let counted = |value: f64| (0.0..=1e12).contains(&value).then_some(value as u64);
        Some(transformer::Tower {
            layers: whole(self.layers, 1.0, 2000.0)?,
            hidden_size: whole(self.hidden, 1.0, 262_144.0)?,
            heads: whole(self.heads, 1.0, 4096.0)?,
            mlp_width: whole(self.mlp.round(), 1.0, 2_097_152.0)?,
            gated: self.gated,
            patch_size: whole(self.patch, 1.0, 1024.0)?,
            image_size: whole(if self.image_size > 0.0 { self.image_size } else { ANY_SIZE }, 1.0, 65_536.0)?,
            merge: whole(self.merge.round(), 1.0, 64.0)?,
            fixed_positions: whole(self.positions, 0.0, 1e6)?,
            fixed_tokens: whole(self.tokens, 0.0, 1e6)?,
            in_sequence: self.in_sequence,
            window: whole(self.window.round(), 0.0, 1000.0)?,
            global_every: whole(global_every, 0.0, 100.0)?,
            params: counted(self.params)?,
            projector_params: counted(projection + self.merger)?,
        })
    }
}

/// The fields of a nested configuration, with what its class has where it says nothing.
pub(super) struct Part<'a> {
    given: &'a Map<String, Value>,
    class: Map<String, Value>,
}

impl<'a> Part<'a> {
    /// A nested configuration; `usual` is its type where it does not say one.
    pub(super) fn of(given: &'a Map<String, Value>, usual: &str) -> Self {
        let kind = given.get("model_type").and_then(Value::as_str).unwrap_or(usual);
        let values = class::values(kind);
        Self { given, class: if values.is_empty() { class::values(usual) } else { values } }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.given.get(name).or_else(|| self.class.get(name))
    }

    /// A number, the first of a list; 0 without one.
    pub(super) fn number(&self, name: &str) -> f64 {
        let value = self.get(name);
        let first = value.and_then(Value::as_array).and_then(|list| list.first());
        first.or(value).and_then(Value::as_f64).filter(|value| value.is_finite()).unwrap_or(0.0).clamp(-1e9, 1e9)
    }

    /// A number, or another where there is none.
    pub(super) fn number_or(&self, name: &str, usual: f64) -> f64 {
        match self.number(name) {
            0.0 => usual,
            value => value,
        }
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    /// Entries of a list.
    pub(super) fn length(&self, name: &str) -> f64 {
        self.get(name).and_then(Value::as_array).map_or(0.0, |list| list.len() as f64)
    }
}

/// A matrix from one width to another, with biases or without.
pub(super) const fn linear(from: f64, to: f64, biased: bool) -> f64 {
    from * to + if biased { to } else { 0.0 }
}

/// A layer norm with biases.
pub(super) const fn layer_norm(width: f64) -> f64 {
    2.0 * width
}

/// The shapes that vision configurations share, under their names.
fn shape(part: &Part) -> Tower {
    let hidden = part.number_or("hidden_size", part.number("embed_dim"));
    let ratio = part.number_or("mlp_ratio", 4.0);
    Tower {
        layers: part.number_or("num_hidden_layers", part.number("depth")),
        hidden,
        heads: part.number_or("num_attention_heads", part.number("num_heads")),
        mlp: part.number_or("intermediate_size", part.number_or("mlp_dim", ratio * hidden)),
        patch: part.number_or("patch_size", 1.0),
        image_size: part.number("image_size"),
        merge: part.number_or("spatial_merge_size", 1.0),
        gated: false,
        window: 0.0,
        global_layers: 0.0,
        positions: 0.0,
        tokens: 0.0,
        in_sequence: true,
        params: 0.0,
        merger: 0.0,
        others: 0.0,
    }
}

/// Patches of an image.
fn patches(tower: &Tower) -> f64 {
    let side = (tower.image_size / tower.patch).floor();
    side * side
}

/// Layers of attention with biases and a plain MLP with biases, two layer norms.
fn usual_layer(tower: &Tower) -> f64 {
    let (hidden, mlp) = (tower.hidden, tower.mlp);
    4.0 * linear(hidden, hidden, true)
        + linear(hidden, mlp, true)
        + linear(mlp, hidden, true)
        + 2.0 * layer_norm(hidden)
}

/// Pixels of a patch.
fn pixels(part: &Part, tower: &Tower) -> f64 {
    part.number_or("num_channels", part.number_or("in_channels", 3.0)) * tower.patch * tower.patch
}

/// `SigLIP` (arXiv 2303.15343), with its pooling head or without.
pub(super) fn siglip(part: &Part, head: bool) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    // Towers that take images of any size have a grid of positions, or none.
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

/// The image encoder of CLIP (arXiv 2103.00020).
pub(super) fn clip(part: &Part) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let embeddings = hidden + pixels(part, &tower) * hidden + (patches(&tower) + 1.0) * hidden;
    let params = embeddings + tower.layers * usual_layer(&tower) + 2.0 * layer_norm(hidden);
    Tower { params, ..tower }
}

/// InternViT, with scales of both blocks.
pub(super) fn intern(part: &Part) -> Tower {
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

/// Kimi K2.5's: positions of a grid.
pub(super) fn kimi(part: &Part) -> Tower {
    let tower = Tower { merge: part.number_or("merge_kernel_size", 2.0), ..shape(part) };
    let hidden = tower.hidden;
    let places = part.number("pos_emb_height") * part.number("pos_emb_width") * hidden;
    let embeddings = linear(pixels(part, &tower), hidden, true) + places;
    Tower { params: embeddings + tower.layers * usual_layer(&tower) + layer_norm(hidden), ..tower }
}

/// Ovis 2's (AIMv2): gated MLPs and RMS norms.
pub(super) fn ovis(part: &Part) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let (qkv, mlp) = (part.flag("qkv_bias"), part.flag("mlp_bias"));
    let attention = 4.0 * linear(hidden, hidden, qkv);
    let gated = 2.0 * linear(hidden, tower.mlp, mlp) + linear(tower.mlp, hidden, mlp);
    let embeddings = linear(pixels(part, &tower), hidden, true) + patches(&tower) * hidden + hidden;
    Tower { gated: true, params: embeddings + tower.layers * (attention + gated + 2.0 * hidden) + hidden, ..tower }
}

/// Pixtral: gated MLPs, no biases.
pub(super) fn pixtral(part: &Part) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let layer = 4.0 * hidden * hidden + 3.0 * hidden * tower.mlp + 2.0 * hidden;
    Tower { gated: true, params: pixels(part, &tower) * hidden + hidden + tower.layers * layer, ..tower }
}

/// Images and moments of a patch of the Qwen family.
fn moments(part: &Part) -> f64 {
    part.number_or("temporal_patch_size", 1.0)
}

/// Qwen2-VL's (arXiv 2409.12191), with the MLP that merges patches.
pub(super) fn qwen_2(part: &Part) -> Tower {
    // Here hidden_size is the width of the language model.
    let tower = Tower { hidden: part.number_or("embed_dim", part.number("hidden_size")), ..shape(part) };
    let tower = Tower { mlp: part.number_or("mlp_ratio", 4.0) * tower.hidden, ..tower };
    let (hidden, wide) = (tower.hidden, tower.merge * tower.merge * tower.hidden);
    let merger = layer_norm(hidden) + linear(wide, wide, true) + linear(wide, part.number("hidden_size"), true);
    let params = pixels(part, &tower) * moments(part) * hidden + tower.layers * usual_layer(&tower);
    Tower { params, merger, ..tower }
}

/// Qwen2.5-VL's (arXiv 2502.13923): gated MLPs with biases and RMS norms; heads of keys and values may be fewer (EXAONE 4.5).
pub(super) fn qwen_25(part: &Part) -> Tower {
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

/// Qwen3-VL's: positions of a square grid, and mergers of some layers for the first layers of the language model.
pub(super) fn qwen_3(part: &Part) -> Tower {
    let tower = shape(part);
    let (hidden, wide) = (tower.hidden, tower.merge * tower.merge * tower.hidden);
    let ends = linear(wide, wide, true) + linear(wide, part.number("out_hidden_size"), true);
    let mergers = layer_norm(hidden) + ends + part.length("deepstack_visual_indexes") * (layer_norm(wide) + ends);
    let embeddings =
        linear(pixels(part, &tower) * moments(part), hidden, true) + part.number("num_position_embeddings") * hidden;
    let params = embeddings + tower.layers * usual_layer(&tower);
    Tower { params, merger: mergers, ..tower }
}

/// GLM-4.1V's: gated MLPs, a convolution that merges patches, a gated MLP of the projection's width.
pub(super) fn glm(part: &Part, ocr: bool) -> Tower {
    let tower = shape(part);
    let (hidden, out) = (tower.hidden, part.number("out_hidden_size"));
    let biased = part.flag("attention_bias");
    // Of the first generation the layers are as wide as the language model, and the merger is as wide as their MLP.
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
    Tower { gated: true, params, merger: merger + downsample, ..tower }
}

/// SAM's encoder (arXiv 2304.02643), as GOT-OCR has it: relative positions, attention in windows but for some layers, a neck.
pub(super) fn sam(part: &Part) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let out = part.number_or("output_channels", 256.0);
    let side = (tower.image_size / tower.patch).floor();
    let width = hidden / tower.heads.max(1.0);
    let full = part.length("global_attn_indexes");
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

/// Llama 4's: CLIP without positions along patches' height and width, a pixel shuffle and its MLP.
pub(super) fn llama_4(part: &Part) -> Tower {
    let tower = shape(part);
    let hidden = tower.hidden;
    let ratio = part.number_or("pixel_shuffle_ratio", 0.5);
    let (inner, out) = (part.number("projector_input_dim"), part.number("projector_output_dim"));
    let adapter = tower.mlp * inner + inner * out;
    let embeddings = pixels(part, &tower) * hidden + hidden + (patches(&tower) + 1.0) * hidden;
    let params = embeddings + tower.layers * usual_layer(&tower) + 2.0 * layer_norm(hidden);
    Tower { params, merger: adapter, merge: 1.0 / ratio, ..tower }
}

/// Llama 3.2 Vision's: tiles of an image with positions of their own, and global layers with gates after the others.
pub(super) fn mllama(part: &Part) -> Tower {
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

/// The conformer of Phi-4 multimodal (arXiv 2503.01743): convolutions of audio, layers of two MLPs, attention and a convolution.
pub(super) fn conformer(part: &Part) -> f64 {
    let (hidden, mlp) = (part.number("hidden_size"), part.number("intermediate_size"));
    let channels = part.number("nemo_conv_channels");
    let (outer, separable) = (part.number("ext_pw_out_channel"), part.number("depthwise_separable_out_channel"));
    let wide = hidden * part.number_or("depthwise_multiplier", 1.0);
    let distances = part.number("bias_max_distance") * if part.flag("bias_symmetric") { 1.0 } else { 2.0 };
    let begin = 27.0 * channels + 5.0 * channels + 2.0 * channels * channels;
    let begin = begin
        + linear(channels * part.number("nemo_final_size"), hidden, true)
        + distances * part.number("num_attention_heads");
    let gated = layer_norm(hidden) + linear(hidden, 2.0 * mlp, true) + linear(mlp, hidden, true);
    let convolution = layer_norm(hidden)
        + 2.0 * outer
        + linear(hidden, 2.0 * outer, true)
        + linear(part.number("kernel_size"), wide, true)
        + linear(wide, separable, true)
        + linear(separable, outer, true);
    let layer = 2.0 * gated + 4.0 * linear(hidden, hidden, true) + convolution + 2.0 * layer_norm(hidden);
    begin + part.number("num_blocks") * layer
}

/// Whisper's encoder (arXiv 2212.04356), and audio encoders like it; so many of its positions become one token.
pub(super) fn whisper(part: &Part, merged: f64) -> Tower {
    let hidden = part.number_or("hidden_size", part.number("d_model"));
    let mlp = part.number_or("intermediate_size", part.number("encoder_ffn_dim"));
    let layers = part.number_or("num_hidden_layers", part.number("encoder_layers"));
    let mel = part.number_or("num_mel_bins", 80.0);
    let heads = part.number_or("num_attention_heads", part.number("encoder_attention_heads"));
    let positions = part.number_or("max_source_positions", 1500.0);
    let tokens = (positions / merged).floor();
    let tower = Tower { layers, hidden, heads, mlp, positions, tokens, ..shape(part) };
    let convolutions = 3.0 * mel * hidden + 3.0 * hidden * hidden + 2.0 * hidden;
    // Keys have no bias.
    let params = convolutions
        + part.number("max_source_positions") * hidden
        + layers * (usual_layer(&tower) - hidden)
        + layer_norm(hidden);
    Tower { params, ..tower }
}
