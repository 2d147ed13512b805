//! Attention windows: which layers attend to the whole sequence and which only to a window.

use serde_json::Value;

use super::fields::Fields;
use engine::model::transformer::Architecture;
use engine::params::ParamId;

/// Reads `sliding_window` and, from `layer_types` or `sliding_window_pattern`, which layers attend
/// to the whole sequence.
pub(super) fn with_windows(fields: &mut Fields, mut shape: Architecture) -> Architecture {
    let usual = if fields.is_null("sliding_window") { 0 } else { shape.sliding_window };
    shape.sliding_window = fields.count(&["sliding_window"], ParamId::SlidingWindow, Some(usual));
    shape.global_every = fields.count(&["sliding_window_pattern"], ParamId::GlobalEvery, Some(shape.global_every));
    by_list(fields, "layer_types", is_full, &mut shape);
    settled(fields, shape)
}

/// Whether a layer of this type attends to the whole sequence.
fn is_full(kind: &Value) -> Option<bool> {
    match kind.as_str() {
        Some("full_attention") => Some(true),
        Some("sliding_attention" | "chunked_attention") => Some(false),
        _ => None,
    }
}

/// Reads the attention chunks of Llama 4, whose local layers cut the sequence into chunks and have
/// rotary positions.
pub(super) fn with_chunks(fields: &mut Fields, mut shape: Architecture) -> Architecture {
    let usual = if fields.is_null("attention_chunk_size") { 0 } else { shape.sliding_window };
    shape.sliding_window = fields.count(&["attention_chunk_size"], ParamId::SlidingWindow, Some(usual));
    shape.global_every = fields.count(&["no_rope_layer_interval"], ParamId::GlobalEvery, Some(shape.global_every));
    let full = |rotary: &Value| rotary.as_f64().map(|rotary| rotary == 0.0);
    by_list(fields, "layer_types", is_full, &mut shape);
    by_list(fields, "no_rope_layers", full, &mut shape);
    settled(fields, shape)
}

/// Reads the windows of Qwen, which apply only if `use_sliding_window` is set, from layer
/// `max_window_layers` on.
pub(super) fn with_switched_windows(fields: &mut Fields, mut shape: Architecture) -> Architecture {
    /// Default of the classes.
    const USUAL: u32 = 28;
    shape.sliding_window = 0;
    let slides = fields.flag("use_sliding_window", false);
    let first = fields.count(&["max_window_layers"], ParamId::LearnedPositions, Some(USUAL));
    if !slides || first >= shape.num_hidden_layers {
        fields.mark("sliding_window");
        fields.mark("layer_types");
        return shape;
    }
    let shape = with_windows(fields, shape);
    if first > 0 && fields.peek("layer_types").is_none() {
        fields.unmark("max_window_layers");
    }
    shape
}

/// Upper bound of [`Architecture::global_every`].
const MOST_EVERY: usize = 100;

/// Reads the period of full-attention layers from a list with one entry per layer; a list without a
/// period stays unused.
fn by_list(fields: &mut Fields, name: &'static str, full: fn(&Value) -> Option<bool>, shape: &mut Architecture) {
    let Some(kinds) = fields.list(name).filter(|kinds| !kinds.is_empty()) else { return };
    let is_full = |place: usize| kinds.get(place).and_then(full);
    let every = (0..kinds.len()).find(|&place| is_full(place) == Some(true)).map_or(0, |place| place + 1);
    let regular = |place: usize| is_full(place) == Some(every > 0 && (place + 1).is_multiple_of(every));
    if every > MOST_EVERY || !(0..kinds.len()).all(regular) {
        return;
    }
    fields.mark(name);
    shape.global_every = u32::try_from(every).unwrap_or(0);
}

/// Removes a window that has no effect: every layer is full, or the window is as long as the
/// longest sequence.
fn settled(fields: &mut Fields, mut shape: Architecture) -> Architecture {
    let longest = fields.count(&["max_position_embeddings"], ParamId::LearnedPositions, Some(0));
    if shape.global_every == 1 || (longest > 0 && shape.sliding_window >= longest) {
        shape.sliding_window = 0;
    }
    if shape.sliding_window == 0 {
        (shape.global_every, shape.attention_chunks) = (0, false);
    }
    shape
}
