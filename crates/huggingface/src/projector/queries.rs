//! Projections by learned queries, which attend to an image or sound and give a fixed number of
//! tokens.

use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::tower::{NestedConfig, Tower, images, layer_norm, linear};
use engine::model::transformer::Architecture;

/// Returns the parameters of a Q-Former (arXiv 2301.12597): layers like BERT's, some of which
/// attend to the encoder's output; with the layers for text or without.
pub(super) fn q_former(part: &NestedConfig, reads_text: bool) -> f64 {
    /// Default number of text positions.
    const POSITIONS: f64 = 512.0;
    let (hidden, mlp) = (part.number("hidden_size"), part.number("intermediate_size"));
    let (layers, seen) = (part.number("num_hidden_layers"), part.number("encoder_hidden_size"));
    let crossing = (layers / part.number_or("cross_attention_frequency", 2.0).max(1.0)).ceil();
    let own = linear(hidden, hidden, true);
    let wide = linear(hidden, mlp, true) + linear(mlp, hidden, true) + layer_norm(hidden);
    let attention = 4.0 * own + layer_norm(hidden);
    let cross = 2.0 * own + 2.0 * linear(seen, hidden, true) + layer_norm(hidden);
    let queries = layer_norm(hidden) + layers * (attention + wide) + crossing * cross;
    if !reads_text {
        return queries;
    }
    let places = part.number_or("max_position_embeddings", POSITIONS);
    queries + layers * wide + (part.number("vocab_size") + places) * hidden
}

/// Returns the encoder and the parameters of its projection.
pub(super) fn read_query_encoder(
    fields: &mut Fields,
    kind: &str,
    shape: &Architecture,
    vision: &Map<String, Value>,
) -> Option<(Tower, f64)> {
    let (text, wide) = (f64::from(shape.hidden_size), f64::from(shape.intermediate_size));
    let part = |usual: &str| NestedConfig::new(vision, usual);
    Some(match kind {
        "idefics2" => {
            /// Width of the MLPs, relative to the model (`Idefics2PerceiverLayer`).
            const WIDER: f64 = 4.0;
            let tower = images::siglip(&part("idefics2_vision"), false);
            let queries = NestedConfig::new(fields.object("perceiver_config")?, "idefics2_perceiver");
            let number = |name: &str| queries.number(name);
            let (head, tokens) = (number("resampler_head_dim"), number("resampler_n_latents"));
            let (query, key) = (number("resampler_n_heads") * head, number("num_key_value_heads") * head);
            let layer = 2.0 * text * (query + key) + 3.0 * WIDER * text * text + 3.0 * text;
            let resampler = tokens * text + number("resampler_depth") * layer + text;
            (Tower { tokens, ..tower }, 2.0 * tower.hidden * wide + wide * text + resampler)
        }
        "blip-2" | "instructblip" | "instructblipvideo" => {
            /// Default number of queries.
            const USUAL: f64 = 32.0;
            let instructed = kind != "blip-2";
            let tower = images::blip(&part("blip_2_vision_model"));
            let usual = if instructed { "instructblip_qformer" } else { "blip_2_qformer" };
            let former = NestedConfig::new(fields.object("qformer_config")?, usual);
            let width = former.number("hidden_size");
            for name in ["use_decoder_only_language_model", "image_text_hidden_size"] {
                fields.mark(name);
            }
            let tokens = fields.outer_number("num_query_tokens").unwrap_or(USUAL);
            let reads_text = instructed || former.flag("use_qformer_text_input");
            let projection = tokens * width + q_former(&former, reads_text) + linear(width, text, true);
            (Tower { tokens, ..tower }, projection)
        }
        "molmo2" => {
            // The queries are means of four patches; two layers of the encoder are read.
            let vision = part("molmo2_vision");
            let tower = images::molmo(&vision);
            let adapter = NestedConfig::new(fields.object("adapter_config")?, "molmo2_adapter");
            let (width, mlp) = (adapter.number("hidden_size"), adapter.number("intermediate_size"));
            let dim = adapter.number("head_dim");
            let (queries, keys) =
                (adapter.number("num_attention_heads") * dim, adapter.number("num_key_value_heads") * dim);
            let layers = [adapter.length("vision_feature_layer"), adapter.length("vit_layers")];
            let read = layers.into_iter().find(|&count| count > 0.0).unwrap_or(2.0) * tower.hidden;
            let biased = adapter.flag("attention_bias");
            let pooling =
                linear(read, queries, biased) + 2.0 * linear(read, keys, biased) + linear(queries, width, biased);
            fields.mark("image_patch_id");
            (
                Tower { merge: 2.0, ..tower },
                pooling
                    + 2.0 * linear(width, mlp, adapter.flag("mlp_bias"))
                    + mlp * adapter.number_or("text_hidden_size", text),
            )
        }
        "kosmos-2" => {
            let tower = images::clip(&part("kosmos_2_vision_model"));
            let tokens = fields.number(&["latent_query_num"]);
            let projection = tokens * text + linear(tower.hidden, text, true) + 4.0 * linear(text, text, true);
            (Tower { tokens, ..tower }, projection)
        }
        _ => return None,
    })
}
