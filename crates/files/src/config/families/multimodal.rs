//! Language models of their own behind an encoder.

use serde_json::Value;

use super::extra::{Dims, plus};
use super::general::{base, dense};
use super::{Family, Fields, TIED, family};
use crate::config::tower::Part;
use engine::catalog::models::{GPT_STYLE, LLAMA_STYLE};
use engine::model::transformer::{Architecture, AttentionBias, QkNorm};

const MOLMO: Architecture = Architecture { qk_norm: QkNorm::PerHead, ..LLAMA_STYLE };
const VOXTRAL: Architecture = Architecture { num_key_value_heads: 8, sliding_window: 8192, head_dim: 128, ..TIED };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("Idefics", &["idefics"], LLAMA_STYLE, idefics),
    family("Kosmos-2", &["kosmos_2_text_model"], GPT_STYLE, kosmos),
    family("Molmo 2", &["molmo2_text"], MOLMO, molmo),
    family("Voxtral Realtime", &["voxtral_realtime_text"], VOXTRAL, voxtral),
];

/// Reads the first Idefics: after so many layers one of attention to the images, with an MLP of its own and two gates.
fn idefics(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let of = Dims::of(&shape);
    let interval = fields.number(&["cross_layer_interval"]).max(1.0);
    let further = fields.number(&["additional_vocab_size"]);
    let (seen, resampled) = {
        let vision = fields.object("vision_config").map(|vision| Part::of(vision, "idefics_vision"));
        let seen = vision.map_or(0.0, |vision| vision.number_or("embed_dim", vision.number("hidden_size")));
        (seen, fields.flag("use_resampler", false))
    };
    let gates = if fields.peek("alpha_type").and_then(Value::as_str) == Some("vector") { of.hidden } else { 1.0 };
    let normed = fields.flag("qk_layer_norms", false);
    for name in ["alpha_type", "freeze_text_layers", "freeze_vision_layers", "freeze_lm_head", "perceiver_config"] {
        fields.mark(name);
    }
    if resampled {
        // Learned queries stand between the encoder and these layers: a class of its own.
        fields.unmark("perceiver_config");
    }
    let norms = if normed { 2.0 * of.hidden / of.heads } else { 0.0 };
    let cross = 2.0 * of.hidden * of.hidden + 2.0 * seen * of.hidden + 3.0 * of.hidden * of.mlp;
    let count = (of.layers / interval).floor();
    let head = if shape.tie_word_embeddings { 1.0 } else { 2.0 };
    plus(shape, count * (cross + 2.0 * of.hidden + 2.0 * gates + norms), head * further * of.hidden)
}

/// Reads Molmo 2's text model: rows of the embedding that the head has not.
fn molmo(fields: &mut Fields, style: Architecture) -> Architecture {
    let further = fields.number(&["additional_vocab_size"]);
    let biased = fields.flag("qkv_bias", false);
    for name in ["norm_after", "qk_norm_type", "use_qk_norm"] {
        fields.mark(name);
    }
    let shape = dense(fields, style);
    let hidden = f64::from(shape.hidden_size);
    let attention_bias = if biased { AttentionBias::Qkv } else { shape.attention_bias };
    plus(Architecture { attention_bias, ..shape }, 0.0, further * hidden)
}

/// Reads Kosmos-2's text model: norms inside attention and MLP.
fn kosmos(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let of = Dims::of(&shape);
    for name in ["add_cross_attention", "layerdrop"] {
        fields.mark(name);
    }
    plus(shape, of.layers * 2.0 * (of.hidden + of.mlp), 0.0)
}

/// Reads Voxtral Realtime's text model: each layer scales by what a small MLP makes of the delay.
fn voxtral(fields: &mut Fields, style: Architecture) -> Architecture {
    /// Width of that MLP (`VoxtralRealtimeTextAdaRmsNorm`).
    const WIDTH: f64 = 32.0;
    let shape = dense(fields, style);
    let of = Dims::of(&shape);
    plus(shape, of.layers * 2.0 * WIDTH * of.hidden, 0.0)
}
