//! Models with more than one encoder, or with an encoder that merges patches in a different way.

use serde_json::{Map, Value};

use super::drawn;
use crate::fields::Fields;
use crate::tower::{NestedConfig, Tower, images, layer_norm, linear, qwen, sound};

/// Default width of the audio encoder's output.
pub(super) const OUT: f64 = 3584.0;

/// Returns the encoder and the parameters of its projection.
pub(super) fn read_several_encoders(
    fields: &mut Fields,
    kind: &str,
    text: f64,
    vision: &Map<String, Value>,
) -> Option<(Tower, f64)> {
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "minicpmv4_6" | "minicpmv4_7" | "minicpm_ocr" => {
            let tower = images::siglip(&part("minicpmv4_6_vision"), false);
            for name in
                ["downsample_mode", "drop_vision_last_layer", "insert_layer_id", "merge_kernel_size", "merger_times"]
            {
                fields.mark(name);
            }
            // Four patches merge inside the encoder, and four of the results after it.
            let (hidden, four) = (tower.hidden, 4.0 * tower.hidden);
            let inside = 4.0 * linear(hidden, hidden, true) + layer_norm(hidden) + layer_norm(four);
            let inside = inside + linear(four, 4.0 * tower.mlp, true) + linear(4.0 * tower.mlp, hidden, true);
            let behind = layer_norm(four) + linear(four, four, true) + linear(four, text, true);
            (Tower { merge: 4.0, ..tower }, inside + behind)
        }
        "ernie4_5_vl_moe" => {
            let part = part("ernie4_5_vl_moe_vision");
            let tower = qwen::ernie(&part);
            let wide = tower.hidden * tower.merge * tower.merge;
            let long = wide * part.number_or("temporal_merge_size", 2.0);
            let both = linear(wide, wide, true) + linear(long, wide, true);
            (tower, both + 2.0 * (linear(wide, wide, true) + layer_norm(wide)) + linear(wide, text, true) + text)
        }
        "idefics" => (images::clip(&part("idefics_vision")), 0.0),
        "nemotron_h_omni" => {
            let part = part("radio");
            let tower = images::radio(&part);
            let ratio = fields.peek("downsample_ratio").and_then(Value::as_f64).unwrap_or(0.5);
            let inner = fields.number(&["projector_hidden_size"]);
            for name in ["downsample_ratio", "video_temporal_patch_size", "vision_hidden_size"] {
                fields.mark(name);
            }
            let wide = tower.hidden * (1.0 / (ratio * ratio)).floor();
            (Tower { merge: 1.0 / ratio, ..tower }, wide + wide * inner + inner * text)
        }
        "minimax_m3_vl" => {
            let tower = qwen::minimax(&part("minimax_m3_vl_vision"));
            let inner = fields.number(&["projector_hidden_size"]);
            let merged = fields.number(&["merged_hidden_size"]);
            let each = linear(tower.hidden, inner, true) + linear(inner, text, true);
            (tower, each + linear(merged, inner, true) + linear(inner, text, true))
        }
        _ => {
            return read_encoders_of_sound(fields, kind, text, vision)
                .or_else(|| read_two_image_encoders(fields, kind, text, vision));
        }
    })
}

/// Reads an encoder of images and one of sound.
fn read_encoders_of_sound(
    fields: &mut Fields,
    kind: &str,
    text: f64,
    vision: &Map<String, Value>,
) -> Option<(Tower, f64)> {
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "phi4_multimodal" => {
            let tower = images::siglip(&part("phi4_multimodal_vision"), true);
            let audio = NestedConfig::new(fields.object("audio_config")?, "phi4_multimodal_audio");
            // Two vectors separate crops; audio has one projection alone, and one for use with
            // images.
            let seen = linear(tower.hidden, text, true) + linear(text, text, true) + 2.0 * tower.hidden;
            let heard = 2.0 * (linear(audio.number("hidden_size"), text, true) + linear(text, text, true));
            (Tower { others: sound::conformer(&audio), ..tower }, seen + heard)
        }
        "qwen2_5_omni_thinker" => {
            let tower = qwen::qwen_25(&part("qwen2_5_omni_vision_encoder"));
            let audio = NestedConfig::new(fields.object("audio_config")?, "qwen2_5_omni_audio_encoder");
            let (heard, out) = (sound::whisper(&audio, 2.0), audio.number_or("output_dim", OUT));
            // The positions of the encoder are a buffer.
            let others = heard.params - audio.number("max_source_positions") * heard.hidden
                + 2.0 * out
                + linear(heard.hidden, out, true);
            (Tower { others, ..tower }, 0.0)
        }
        "qwen3_omni_moe_thinker" => {
            let tower = qwen::qwen_3(&part("qwen3_omni_moe_vision_encoder"));
            let audio = NestedConfig::new(fields.object("audio_config")?, "qwen3_omni_moe_audio_encoder");
            let heard = sound::qwen_3(&audio);
            let out = audio.number_or("output_dim", OUT);
            let ends = linear(heard.hidden, heard.hidden, true) + linear(heard.hidden, out, true);
            (Tower { others: heard.params + ends, ..tower }, 0.0)
        }
        _ => return None,
    })
}

/// Reads two encoders of images: of different resolutions, or one that reads and one that draws.
fn read_two_image_encoders(
    fields: &mut Fields,
    kind: &str,
    text: f64,
    vision: &Map<String, Value>,
) -> Option<(Tower, f64)> {
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "janus" => {
            let part = part("janus_vision_model");
            let tower = images::janus(&part);
            let out = part.number("projection_dim");
            let aligner = linear(tower.hidden, out, true) + (part.number("depth") - 1.0) * linear(out, out, true);
            let drawn = NestedConfig::new(fields.object("vq_config")?, "janus_vqgan");
            (Tower { others: drawn::vq(&drawn), ..tower }, aligner)
        }
        "deepseek_vl_hybrid" => {
            // SAM reads the image at a higher resolution; two convolutions reduce its output to an
            // equal number of tokens.
            let tower = images::siglip(&part("siglip_vision_model"), true);
            let fine = NestedConfig::new(fields.object("high_res_vision_config")?, "sam_vision_model");
            let sam = images::sam(&fine);
            let out = fine.number_or("output_channels", 256.0);
            let neck = sam.hidden * out + 9.0 * out * out + 2.0 * layer_norm(out) + 9.0 * 10.0 * out * out + 1.0;
            let half = (text / 2.0).floor();
            let aligner = linear(tower.hidden, half, true) + linear(4.0 * out, half, true) + linear(text, text, true);
            (Tower { others: sam.params + neck, ..tower }, aligner)
        }
        "unlimited_ocr" => {
            // The layers of CLIP read SAM's output, reduced to fewer tokens.
            let own = |name: &str| vision.get(name).and_then(Value::as_object);
            let fine = NestedConfig::new(own("sam_config")?, "unlimited_ocr_sam_vision_model");
            let sam = images::sam(&fine);
            let out = fine.number_or("output_channels", 256.0);
            let widths = fine.numbers("downsample_channels");
            let (first, last) = (widths.first()?, widths.last()?);
            let smaller = 9.0 * (out * first + first * last);
            let encoder = images::clip(&NestedConfig::new(own("encoder_config")?, "unlimited_ocr_vision_encoder"));
            // These layers have no patch embedding and no final norm.
            let patches = 3.0 * encoder.patch * encoder.patch * encoder.hidden + layer_norm(encoder.hidden);
            let projection = linear(encoder.hidden + last, text, true) + 2.0 * text;
            (Tower { others: sam.params + smaller, params: encoder.params - patches, ..encoder }, projection)
        }
        _ => return None,
    })
}
