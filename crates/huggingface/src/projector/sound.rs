//! Encoders of sound before a language model, and their projections.

use super::queries::q_former;
use super::several::OUT;
use crate::fields::Fields;
use crate::tower::{NestedConfig, Tower, layer_norm, linear, sound};

/// Returns the sound encoder and the parameters of its projection, for types that read no images.
pub(super) fn heard(fields: &mut Fields, kind: &str, text: f64) -> Option<(Tower, f64)> {
    let usual = match kind {
        "qwen2_audio" => "qwen2_audio_encoder",
        "voxtral" => "voxtral_encoder",
        "glmasr" => "glmasr_encoder",
        "qwen3_asr" => "qwen3_asr_encoder",
        "voxtral_realtime" => "voxtral_realtime_encoder",
        "moss_transcribe_diarize" => "moss_transcribe_diarize_audio",
        "granite_speech" | "granite_speech_plus" => return granite(fields, text),
        _ => return None,
    };
    let audio = NestedConfig::new(fields.object("audio_config")?, usual);
    for name in ["audio_token_index", "hidden_size", "audio_length_per_tok"] {
        fields.mark(name);
    }
    let width = audio.number_or("hidden_size", audio.number("d_model"));
    let wide = audio.number("intermediate_size");
    // Positions per token: an average of two, or as many as form the projection's input.
    let stacked = (wide / width.max(1.0)).floor().max(1.0);
    Some(match kind {
        "qwen2_audio" => (sound::whisper(&audio, 2.0), linear(width, text, true)),
        "voxtral" => (sound::whisper(&audio, stacked), wide * text + text * text),
        "glmasr" => (sound::whisper(&audio, stacked), linear(wide, 2.0 * text, true) + linear(2.0 * text, text, true)),
        "qwen3_asr" => {
            let out = audio.number_or("output_dim", OUT);
            (sound::qwen_3(&audio), linear(width, width, true) + linear(width, out, true))
        }
        "voxtral_realtime" => {
            let merged = fields.number(&["downsample_factor"]).max(1.0);
            (sound::causal(&audio, merged), merged * width * text + text * text)
        }
        _ => {
            let merged = fields.number(&["audio_merge_size"]);
            let biased = fields.flag("projector_bias", true);
            fields.mark("audio_chunk_size");
            let projection = linear(width * merged, text, biased) + linear(text, text, biased) + layer_norm(text);
            (sound::whisper(&audio, merged.max(1.0)), projection)
        }
    })
}

/// Reads Granite Speech (arXiv 2505.08699): a conformer, and a Q-Former over windows of its output.
fn granite(fields: &mut Fields, text: f64) -> Option<(Tower, f64)> {
    let encoder = NestedConfig::new(fields.object("encoder_config")?, "granite_speech_encoder");
    let former = NestedConfig::new(fields.object("projector_config")?, "blip_2_qformer");
    let window = fields.outer_number("window_size").unwrap_or(15.0);
    let rate = fields.outer_number("downsample_rate").unwrap_or(5.0).max(1.0);
    for name in ["window_size", "downsample_rate", "has_lora_adapter", "cat_hidden_layers"] {
        fields.mark(name);
    }
    let queries = (window / rate).floor();
    let width = former.number("hidden_size");
    let tower = sound::granite(&encoder);
    let tokens = (tower.positions / window.max(1.0)).ceil() * queries;
    let reads_text = former.flag("use_qformer_text_input");
    let projection = queries * width + q_former(&former, reads_text) + linear(width, text, true);
    Some((Tower { tokens, ..tower }, projection))
}
