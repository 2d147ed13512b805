//! Language models that exist only with an encoder.

use serde_json::Value;

use super::extra::{Dims, plus};
use super::{Fields, base};
use crate::tower::NestedConfig;
use engine::model::transformer::Architecture;

/// Reads Idefics 1: every few layers are followed by a layer of attention to the images, with an
/// MLP and two gates.
pub(super) fn idefics(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let of = Dims::from_shape(&shape);
    let interval = fields.number(&["cross_layer_interval"]).max(1.0);
    let further = fields.number(&["additional_vocab_size"]);
    let (seen, resampled) = {
        let vision = fields.object("vision_config").map(|vision| NestedConfig::new(vision, "idefics_vision"));
        let seen = vision.map_or(0.0, |vision| vision.number_or("embed_dim", vision.number("hidden_size")));
        (seen, fields.flag("use_resampler", false))
    };
    let gates = if fields.peek("alpha_type").and_then(Value::as_str) == Some("vector") { of.hidden } else { 1.0 };
    let normed = fields.flag("qk_layer_norms", false);
    for name in ["alpha_type", "freeze_text_layers", "freeze_vision_layers", "freeze_lm_head", "perceiver_config"] {
        fields.mark(name);
    }
    if resampled {
        // Learned queries between the encoder and these layers are a separate class, which is not
        // read.
        fields.unmark("perceiver_config");
    }
    let norms = if normed { 2.0 * of.hidden / of.heads } else { 0.0 };
    let cross = 2.0 * of.hidden * of.hidden + 2.0 * seen * of.hidden + 3.0 * of.hidden * of.mlp;
    let count = (of.layers / interval).floor();
    let head = if shape.tie_word_embeddings { 1.0 } else { 2.0 };
    plus(shape, count * (cross + 2.0 * of.hidden + 2.0 * gates + norms), head * further * of.hidden)
}
