//! Parts that generate images next to a language model: quantizers with an encoder and a decoder of
//! convolutions, and their heads.

use crate::tower::{NestedConfig, layer_norm, linear};

/// Returns the parameters of a convolution of 3 by 3 with biases.
const fn convolution(from: f64, to: f64) -> f64 {
    9.0 * from * to + to
}

/// Returns the parameters of two convolutions with norms, and a shortcut of 1 by 1 if the width
/// changes.
fn residual(from: f64, to: f64) -> f64 {
    let past = if from == to { 0.0 } else { linear(from, to, true) };
    layer_norm(from) + convolution(from, to) + layer_norm(to) + convolution(to, to) + past
}

/// Returns the parameters of attention with one head.
fn attention(width: f64) -> f64 {
    layer_norm(width) + 4.0 * linear(width, width, true)
}

/// Returns the parameters of Janus's quantizer (VQGAN, arXiv 2012.09841), its table, aligner and
/// image head (arXiv 2410.13848).
pub(super) fn vq(part: &NestedConfig) -> f64 {
    /// Widths of the resolutions, relative to the first.
    const USUAL: [f64; 5] = [1.0, 1.0, 2.0, 2.0, 4.0];
    let given = part.numbers("channel_multiplier");
    let over = if given.is_empty() { USUAL.to_vec() } else { given };
    let (base, latent) = (part.number("base_channels"), part.number("latent_channels"));
    let blocks = part.number("num_res_blocks");
    let widths: Vec<f64> = over.iter().map(|times| times * base).collect();
    let (first, top) = (widths.first().copied().unwrap_or(base), widths.last().copied().unwrap_or(base));
    let middle = 2.0 * residual(top, top) + attention(top);
    let level = |from: f64, to: f64, blocks: f64, attends: bool| {
        let of_attention = if attends { blocks * attention(to) } else { 0.0 };
        residual(from, to) + (blocks - 1.0) * residual(to, to) + of_attention
    };
    let double = if part.flag("double_latent") { 2.0 } else { 1.0 };
    let mut encoder = convolution(part.number_or("in_channels", 3.0), base) + middle + layer_norm(top);
    encoder += convolution(top, double * latent);
    let mut decoder = convolution(latent, top) + middle + layer_norm(first);
    decoder += convolution(first, part.number_or("out_channels", 3.0));
    let befores = core::iter::once(base).chain(widths.iter().copied());
    let afters = widths.iter().skip(1).copied().map(Some).chain(core::iter::once(None));
    for (at, ((below, &width), above)) in befores.zip(&widths).zip(afters).enumerate() {
        let is_last = above.is_none();
        encoder += level(below, width, blocks, is_last);
        encoder += if is_last { 0.0 } else { convolution(width, width) };
        decoder += level(above.unwrap_or(top), width, blocks + 1.0, is_last);
        decoder += if at > 0 { convolution(width, width) } else { 0.0 };
    }
    let (words, own) = (part.number("num_embeddings"), part.number("embed_dim"));
    let out = part.number("projection_dim");
    let quantizer = words * own + linear(latent, own, true) + linear(own, latent, true);
    let aligner = linear(own, out, true) + (part.number("num_hidden_layers") - 1.0) * linear(out, out, true);
    let head = linear(part.number_or("image_token_embed_dim", 2048.0), out, true) + linear(out, words, true);
    encoder + decoder + quantizer + words * own + aligner + head
}
