//! Parts of a model other than its language model: towers and their projections, by the
//! `model_type` of the whole model.

mod drawn;
mod queries;
mod several;
mod sound;

use serde_json::{Map, Value};

use super::fields::Fields;
use super::tower::{NestedConfig, Tower, layer_norm, linear};
use super::tower::{images, qwen};
use engine::model::transformer::{self, Architecture};

/// Parts other than the language model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Beside {
    /// An encoder with its projection; the empty tower if the engine cannot represent the encoder.
    pub(super) tower: transformer::Tower,
    /// Parameters of all other parts.
    pub(super) outside: f64,
}

impl Beside {
    const NONE: Self = Self { tower: transformer::Tower::NONE, outside: 0.0 };

    /// Creates an encoder with a projection of this many parameters.
    fn new(tower: &Tower, projection: f64) -> Self {
        match tower.checked(projection) {
            Some(own) => Self { tower: own, outside: tower.others },
            None => Self { outside: tower.params + tower.merger + tower.others + projection, ..Self::NONE },
        }
    }
}

/// Types of which only the text model is built if the configuration names no class.
const TEXT_BY_DEFAULT: [&str; 7] = ["llama4", "mllama", "qwen3_5", "qwen3_5_moe", "emu3", "dots3_note", "qwen4_exp"];

/// Reads the parts other than the language model, and marks their fields; nothing for a pure text
/// model, or one with unknown parts, whose fields stay unread.
pub(super) fn read_other_parts(fields: &mut Fields, shape: &Architecture) -> Beside {
    let (Some(kind), class) = fields.outer_kind() else { return Beside::NONE };
    let whole = class.is_some_and(|class| !class.ends_with("ForCausalLM"));
    if TEXT_BY_DEFAULT.contains(&kind) && !whole {
        for name in ["vision_config", "audio_config", "vq_config", "vocabulary_map"] {
            fields.mark(name);
        }
        return Beside::NONE;
    }
    known(fields, kind, shape).map_or(Beside::NONE, |(tower, projection)| Beside::new(&tower, projection))
}

/// Returns the encoder and the parameters of its projection, for known types.
fn known(fields: &mut Fields, kind: &str, shape: &Architecture) -> Option<(Tower, f64)> {
    let text = f64::from(shape.hidden_size);
    if let Some(audio) = sound::heard(fields, kind, text) {
        return Some(audio);
    }
    let vision = fields.object("vision_config")?;
    let (tower, projection) = read_clip_encoder(fields, kind, text, vision)
        .or_else(|| read_shuffling_encoder(fields, kind, text, vision))
        .or_else(|| read_merging_encoder(fields, kind, text, vision))
        .or_else(|| queries::read_query_encoder(fields, kind, shape, vision))
        .or_else(|| several::read_several_encoders(fields, kind, text, vision))?;
    for name in [
        "image_token_index",
        "video_token_index",
        "image_seq_length",
        "vision_feature_layer",
        "vision_feature_layers",
        "vision_feature_select_strategy",
        "multimodal_projector_bias",
        "projector_hidden_act",
        "image_grid_pinpoints",
        "vision_aspect_ratio",
        "spatial_merge_size",
        "boi_token_index",
        "eoi_token_index",
        "use_image_newline_parameter",
        "projection_hidden_size",
        "image_size",
        "is_full_attention",
        "patch_size",
        "position_id_per_seconds",
        "seconds_per_chunk",
    ] {
        fields.mark(name);
    }
    Some((tower, projection))
}

/// Reads encoders like CLIP and SigLIP with a projection of each patch.
fn read_clip_encoder(fields: &mut Fields, kind: &str, text: f64, vision: &Map<String, Value>) -> Option<(Tower, f64)> {
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "gemma3" | "shieldgemma2" => {
            /// Tokens of an image (arXiv 2503.19786, section 2.1).
            const USUAL: f64 = 256.0;
            let tower = images::siglip(&part("siglip_vision_model"), true);
            // Patches are averaged to this number for any image.
            let given = fields.number(&["mm_tokens_per_image"]);
            let tokens = if given > 0.0 { given } else { USUAL };
            let merge = ((tower.image_size / tower.patch).floor() / tokens.sqrt()).max(1.0);
            (Tower { merge, tokens, ..tower }, tower.hidden * text + tower.hidden)
        }
        "paligemma" => {
            let tower = images::siglip(&part("siglip_vision_model"), true);
            let part = part("siglip_vision_model");
            let out = part.number_or("projection_dim", text);
            fields.mark("projection_dim");
            (tower, linear(tower.hidden, out, true))
        }
        "llava" | "llava_next" | "llava_next_video" | "vipllava" | "llava_onevision" => {
            let part = part("clip_vision_model");
            let kind_of = vision.get("model_type").and_then(Value::as_str);
            let tower = match kind_of {
                Some("siglip_vision_model") => images::siglip(&part, true),
                Some("pixtral") => images::pixtral(&part),
                _ => images::clip(&part),
            };
            let several = fields.list("vision_feature_layer").map_or(1.0, |layers| layers.len() as f64);
            let (first, norm) = match kind {
                "vipllava" => {
                    let layers = fields.list("vision_feature_layers").map_or(5.0, |layers| layers.len() as f64);
                    (layers * tower.hidden, layer_norm(layers * tower.hidden))
                }
                _ => (several * tower.hidden, 0.0),
            };
            let multimodal_bias = fields.peek("multimodal_projector_bias") != Some(&Value::Bool(false));
            let biased = multimodal_bias || kind == "vipllava";
            let newline =
                if matches!(kind, "llava_next" | "llava_next_video" | "llava_onevision") { text } else { 0.0 };
            (tower, norm + linear(first, text, biased) + linear(text, text, biased) + newline)
        }
        "mistral3" | "lighton_ocr" | "mistral_large4" => {
            let tower = images::pixtral(&part("pixtral"));
            let merge = fields.number(&["spatial_merge_size"]).max(1.0);
            let biased = fields.flag("multimodal_projector_bias", false);
            let merger = tower.hidden * tower.hidden * merge * merge + tower.hidden;
            (Tower { merge, ..tower }, merger + linear(tower.hidden, text, biased) + linear(text, text, biased))
        }
        _ => return None,
    })
}

/// Reads `InternViT`, whose patches are shuffled by a ratio before two projections.
fn shuffled_intern(fields: &mut Fields, part: &NestedConfig, text: f64) -> (Tower, f64) {
    let tower = images::intern(part);
    let ratio = fields.peek("downsample_ratio").and_then(Value::as_f64).unwrap_or(0.5);
    fields.mark("downsample_ratio");
    let wide = tower.hidden * (1.0 / (ratio * ratio)).floor();
    (Tower { merge: 1.0 / ratio, ..tower }, layer_norm(wide) + linear(wide, text, true) + linear(text, text, true))
}

/// Reads encoders whose patches are shuffled into fewer, wider tokens.
fn read_shuffling_encoder(
    fields: &mut Fields,
    kind: &str,
    text: f64,
    vision: &Map<String, Value>,
) -> Option<(Tower, f64)> {
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "idefics3" | "smolvlm" => {
            let tower = images::siglip(&part("idefics3_vision"), false);
            let scale = fields.number(&["scale_factor"]).max(1.0);
            (Tower { merge: scale, ..tower }, tower.hidden * scale * scale * text)
        }
        "internvl" => shuffled_intern(fields, &part("internvl_vision"), text),
        "cohere2_vision" | "aya_vision" => {
            let tower = images::siglip(&part("siglip_vision_model"), true);
            let factor = fields.number(&["downsample_factor"]).max(1.0);
            let given = fields.number(&["alignment_intermediate_size"]);
            let inner = if given > 0.0 { given } else { text };
            let wide = tower.hidden * factor * factor;
            let norm = if kind == "aya_vision" { layer_norm(wide) } else { 0.0 };
            let half = (inner / 2.0).floor();
            (Tower { merge: factor, ..tower }, norm + linear(wide, inner, true) + linear(half, text, true))
        }
        "deepseek_vl" => {
            let tower = images::siglip(&part("siglip_vision_model"), true);
            (tower, linear(tower.hidden, text, true) + linear(text, text, true))
        }
        _ => return None,
    })
}

/// Reads encoders that merge patches themselves, and others of one model.
fn read_merging_encoder(
    fields: &mut Fields,
    kind: &str,
    text: f64,
    vision: &Map<String, Value>,
) -> Option<(Tower, f64)> {
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "qwen2_vl" | "qwen2_vl_text" => (qwen::qwen_2(&part("qwen2_vl_vision")), 0.0),
        "qwen2_5_vl" | "exaone4_5" => (qwen::qwen_25(&part("qwen2_5_vl_vision")), 0.0),
        "hyperclovax_vision_v2" => {
            let part = part("qwen2_5_vl_vision");
            (qwen::qwen_25(&part), linear(part.number("out_hidden_size"), text, true))
        }
        "qwen3_vl" | "qwen3_vl_moe" | "cosmos3_omni" => (qwen::qwen_3(&part("qwen3_vl_vision")), 0.0),
        "qwen3_5" | "qwen3_5_moe" => (qwen::qwen_3(&part("qwen3_5_vision")), 0.0),
        "glm4v" | "glm4v_moe" | "glm46v" | "glmga" => (qwen::glm(&part("glm4v_vision"), false), 0.0),
        "aria" => read_aria(fields, &part("idefics3_vision"), text),
        "kimi_k25" => {
            let part = part("kimi_k25_vision");
            let tower = images::kimi(&part);
            let wide = tower.hidden * tower.merge * tower.merge;
            let normed = fields.outer_number("projection_hidden_size").unwrap_or(tower.hidden);
            (tower, layer_norm(normed) + linear(wide, wide, true) + linear(wide, text, true))
        }
        "muse_glimmer" => {
            let tower = images::muse(&part("muse_glimmer_vision"));
            let none = Map::new();
            let class = NestedConfig::new(&none, kind);
            let mut width = |name: &'static str| match fields.number(&[name]) {
                0.0 => class.number(name),
                width => width,
            };
            let (out, inner) = (width("out_hidden_size"), width("projector_hidden_size"));
            (tower, linear(out, inner, false) + linear(inner, inner, false) + linear(inner, text, false))
        }
        "lfm2_vl" | "lfm3_vl" => {
            let tower = images::siglip(&part("siglip2_vision_model"), true);
            let factor = fields.number(&["downsample_factor"]).max(1.0);
            let inner = fields.number(&["projector_hidden_size"]);
            let biased = fields.flag("projector_bias", true);
            let wide = tower.hidden * factor * factor;
            let norm = if fields.flag("projector_use_layernorm", true) { layer_norm(wide) } else { 0.0 };
            (Tower { merge: factor, ..tower }, norm + linear(wide, inner, biased) + linear(inner, text, biased))
        }
        "paddleocr_vl" => {
            let tower = images::siglip(&part("paddleocr_vl_vision"), false);
            let wide = tower.hidden * tower.merge * tower.merge;
            (tower, layer_norm(tower.hidden) + linear(wide, wide, true) + linear(wide, text, true))
        }
        "video_llama_3" => {
            let tower = images::siglip(&part("video_llama_3_vision"), false);
            (tower, linear(tower.hidden, text, true) + linear(text, text, true))
        }
        "qianfan_ocr" => shuffled_intern(fields, &part("qianfan_ocr_vision"), text),
        "ovis2" => read_ovis(fields, &part("ovis2_vision"), text),
        "glm_ocr" | "glm5_next" => (qwen::glm(&part("glm_ocr_vision"), true), 0.0),
        "got_ocr2" | "pp_chart2table" => {
            let part = part("got_ocr2_vision");
            let out = part.number_or("output_channels", 256.0);
            let widths = [out, 2.0 * out, text];
            let convolutions = 9.0 * (widths[0] * widths[1] + widths[1] * widths[2]);
            (images::sam(&part), convolutions + linear(widths[2], text, true))
        }
        "video_llava" => {
            // One tower for images and one for video.
            let tower = images::clip(&part("clip_vision_model"));
            fields.mark("video_seq_length");
            let tower = Tower { others: tower.params, ..tower };
            (tower, linear(tower.hidden, text, true) + linear(text, text, true))
        }
        "mllama" => {
            let part = part("mllama_vision_model");
            (images::mllama(&part), linear(part.number("vision_output_dim"), text, true))
        }
        "llama4" => {
            let part = part("llama4_vision_model");
            let out = part.number("vision_output_dim");
            (images::llama_4(&part), out * text)
        }
        _ => return None,
    })
}

/// Reads Aria: queries attend to the patches of an image.
fn read_aria(fields: &mut Fields, part: &NestedConfig, text: f64) -> (Tower, f64) {
    let tower = images::siglip(part, false);
    let queries = fields.number(&["max_value_projector_patch_to_query_dict"]);
    fields.mark("projector_patch_to_query_dict");
    let width = tower.hidden;
    let attention = 3.0 * width * width + linear(width, 3.0 * width, true) + 2.0 * linear(width, width, true);
    let tower = Tower { tokens: queries, ..tower };
    (tower, queries * width + attention + 3.0 * layer_norm(width) + width * text + text * text)
}

/// Reads Ovis: patches become words of a visual vocabulary.
fn read_ovis(fields: &mut Fields, part: &NestedConfig, text: f64) -> (Tower, f64) {
    let tower = images::ovis(part);
    let words = part.number("vocab_size");
    let read = words - part.number("num_visual_indicator_tokens");
    let stride = part.number_or("hidden_stride", 1.0);
    // The table of visual words has the width of the outer configuration.
    let wide = fields.outer_number("hidden_size").unwrap_or(text);
    (tower, tower.hidden * stride * stride * read + layer_norm(read) + words * wide)
}
