//! Encoders of sound.

use super::{Part, Tower, layer_norm, linear, shape, usual_layer};

/// The conformer of Phi-4 multimodal (arXiv 2503.01743): convolutions of audio, layers of two MLPs, attention and a convolution.
pub(in crate::config) fn conformer(part: &Part) -> f64 {
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
pub(in crate::config) fn whisper(part: &Part, merged: f64) -> Tower {
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
