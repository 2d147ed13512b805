//! Sound encoders.

use super::{NestedConfig, Tower, layer_norm, linear, shape, usual_layer};

/// Returns the parameters of Phi-4 multimodal's conformer (arXiv 2503.01743): convolutions of
/// audio, layers of two MLPs, attention and a convolution.
pub(crate) fn conformer(part: &NestedConfig) -> f64 {
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
        + linear(hidden, outer, true);
    let layer = 2.0 * gated + 4.0 * linear(hidden, hidden, true) + convolution + 2.0 * layer_norm(hidden);
    begin + part.number("num_blocks") * layer
}

/// Reads Whisper's encoder (arXiv 2212.04356), and similar audio encoders; `merged` positions
/// become one token.
pub(crate) fn whisper(part: &NestedConfig, merged: f64) -> Tower {
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

/// Reads Qwen3-Omni's encoder: three convolutions over time and pitch, each halving both, before
/// layers like Whisper's, but with biases of keys.
pub(crate) fn qwen_3(part: &NestedConfig) -> Tower {
    /// Frames per token: three convolutions halve the time axis.
    const FRAMES: f64 = 8.0;
    let usual = whisper(part, 1.0);
    let (hidden, mel) = (usual.hidden, part.number_or("num_mel_bins", 128.0));
    let channels = part.number("downsample_hidden_size");
    let half = |bins: f64| (0.5 * bins + 0.5).floor();
    let pitches = half(half(half(mel)));
    let convolutions = linear(9.0, channels, true) + 2.0 * linear(9.0 * channels, channels, true);
    let params = convolutions + channels * pitches * hidden + usual.layers * usual_layer(&usual) + layer_norm(hidden);
    // Thirty seconds of a hundred frames, as in Whisper.
    let positions = (2.0 * usual.positions / FRAMES).floor();
    Tower { params, positions, tokens: positions, ..usual }
}

/// Reads Voxtral Realtime's encoder: Whisper's convolutions, root-mean-square norms, gated MLPs.
pub(crate) fn causal(part: &NestedConfig, merged: f64) -> Tower {
    let usual = whisper(part, merged);
    let (hidden, mlp, mel) = (usual.hidden, usual.mlp, part.number_or("num_mel_bins", 128.0));
    let queries = usual.heads * part.number_or("head_dim", hidden / usual.heads.max(1.0));
    let keys = part.number_or("num_key_value_heads", usual.heads) * queries / usual.heads.max(1.0);
    let attention =
        linear(hidden, queries, true) + hidden * keys + linear(hidden, keys, true) + linear(queries, hidden, true);
    let layer = attention + 2.0 * hidden * mlp + linear(mlp, hidden, true) + 2.0 * hidden;
    let convolutions = 3.0 * mel * hidden + 3.0 * hidden * hidden + 2.0 * hidden;
    Tower { gated: true, params: convolutions + usual.layers * layer + hidden, ..usual }
}

/// Reads Granite Speech's conformer (arXiv 2005.08100): two MLPs, attention with relative
/// positions, a convolution, and a head of characters in the middle layer.
pub(crate) fn granite(part: &NestedConfig) -> Tower {
    /// Frames of thirty seconds of sound, two stacked.
    const POSITIONS: f64 = 1500.0;
    let (hidden, layers, heads) = (part.number("hidden_dim"), part.number("num_layers"), part.number("num_heads"));
    let mlp = hidden * part.number_or("feedforward_mult", 4.0);
    let (dim, out) = (part.number("dim_head"), part.number_or("output_dim", 42.0));
    let (inner, wide) = (heads * dim, hidden * part.number_or("conv_expansion_factor", 2.0));
    let of_mlp = layer_norm(hidden) + linear(hidden, mlp, true) + linear(mlp, hidden, true);
    let places = (2.0 * part.number_or("max_pos_emb", 512.0) + 1.0) * dim;
    let attention = layer_norm(hidden) + 3.0 * hidden * inner + linear(inner, hidden, true) + places;
    let convolution = layer_norm(hidden)
        + linear(hidden, 2.0 * wide, true)
        + wide * part.number("conv_kernel_size")
        + 2.0 * wide
        + linear(wide, hidden, true);
    let layer = 2.0 * of_mlp + attention + convolution + layer_norm(hidden);
    let ends = linear(part.number("input_dim"), hidden, true) + linear(hidden, out, true) + linear(out, hidden, true);
    let tower = Tower { layers, hidden, heads, mlp, positions: POSITIONS, ..shape(part) };
    Tower { params: ends + layers * layer, ..tower }
}
