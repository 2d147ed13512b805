//! Recurrent mixers operator by operator, as transformers' own code runs without the packages that
//! have kernels: each tensor that autograd keeps, and the peak. The lists were compared with traces
//! of that code on fake tensors (`tests/hybrid/trace.py`).

use super::StateBytes;
use crate::model::flops::recurrent::chunk;
use crate::model::memory::activations::FP32;
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};

/// Widths of a mixer's tensors, in elements per token.
struct Widths {
    /// Values of all heads, h d_v.
    inner: f64,
    /// Keys repeated for all heads of values, h d_k.
    keys: f64,
    /// Decays between the tokens of a chunk, h Q.
    pairs: f64,
    /// The states at the ends of chunks, h d_k d_v / Q.
    states: f64,
    /// Heads.
    heads: f64,
    /// Channels of the convolution.
    conv: f64,
    /// Columns of the input projection.
    columns: f64,
}

impl Widths {
    fn from_mixer(mixer: &Recurrent) -> Self {
        let (heads, inner, chunk) = (f64::from(mixer.heads), mixer.inner_width(), chunk(mixer));
        Self {
            inner,
            keys: heads * f64::from(mixer.key_dim),
            pairs: heads * chunk,
            states: inner * f64::from(mixer.key_dim) / chunk,
            heads,
            conv: mixer.conv_width(),
            columns: mixer.input_columns(),
        }
    }
}

/// Returns the bytes per token of one mixer, with `element` bytes per activation.
pub(super) fn eager_mixer_bytes(mixer: &Recurrent, element: f64) -> StateBytes {
    let widths = Widths::from_mixer(mixer);
    match mixer.kind {
        RecurrentKind::Mamba => mamba(mixer, &widths, element),
        RecurrentKind::Mamba2 => mamba_2(&widths, element),
        RecurrentKind::GatedDelta => gated_delta(&widths, element),
        RecurrentKind::KimiDelta => kimi_delta(mixer, &widths, element),
        RecurrentKind::Lightning => lightning(&widths, element),
        RecurrentKind::RgLru => rg_lru(&widths, element),
        RecurrentKind::ShortConv => short_conv(&widths, element),
    }
}

/// Returns the bytes of `mamba2_chunk_scan` and the gated norm, all in fp32. Kept: B and C for each
/// head, three times as operands of products and B twice more with its decay; scores, decays and
/// their product within chunks; states before and after the pass over chunks; ten tensors of
/// values. The peak is at the end of the scan, while the function holds its locals: B, C and the
/// decayed B once more, and eleven tensors of values; or, with long chunks, at the gradients of the
/// scores.
fn mamba_2(w: &Widths, element: f64) -> StateBytes {
    let of_heads = w.heads * (4.0 * FP32 + 2.0 * element);
    let scan = 5.0 * w.keys + 3.0 * w.pairs + 2.0 * w.states + 10.0 * w.inner;
    let kept = FP32 * scan + element * (w.columns + w.conv + w.inner) + of_heads;
    let around = element * (w.columns + 2.0 * w.conv) + 1.5 * of_heads;
    let forward = FP32 * (7.0 * w.keys + 3.0 * w.pairs + 11.0 * w.inner + 3.0 * w.states) + around;
    let backward = FP32 * (4.0 * w.keys + 5.0 * w.pairs + 5.0 * w.inner) + around;
    StateBytes { kept, at_most: if forward > backward { forward } else { backward } }
}

/// Returns the bytes of `torch_chunk_gated_delta_rule` and the gated norm, in fp32. Kept: keys and
/// queries eight times, five tensors of token pairs within chunks, six of values, and the states at
/// the ends of chunks. In the backward pass each chunk's gradient is written into a whole tensor,
/// and two whole tensors of each kind are alive while they are added.
fn gated_delta(w: &Widths, element: f64) -> StateBytes {
    let of_heads = w.heads * (9.0 * FP32 + element);
    let scan = 8.0 * w.keys + 5.0 * w.pairs + 6.0 * w.inner + w.states;
    let backward = 11.0 * w.keys + 8.0 * w.pairs + 5.0 * w.inner + w.states;
    StateBytes {
        kept: FP32 * scan + element * (2.0 * w.conv + 3.0 * w.inner) + of_heads,
        at_most: FP32 * backward + element * (2.0 * w.conv + w.inner) + of_heads,
    }
}

/// Rows and tables that the row-by-row inverse of a chunk's triangle copies: `sum (i^2 + i) / 64`
/// over its 63 rows.
const SUBSTITUTION: f64 = 1365.0;

/// Returns the bytes of `chunk_kimi_delta_attention`: decays between tokens are materialised for
/// each channel of the keys; three such tensors are kept and six are alive while their gradients
/// are added.
fn kimi_delta(mixer: &Recurrent, w: &Widths, element: f64) -> StateBytes {
    let by_channel = w.pairs * f64::from(mixer.key_dim);
    // Twenty-two tensors in fp32 and a mask of one byte per element.
    let of_keys = 22.75 * w.keys;
    let scan = 3.0 * by_channel + of_keys + 2.0 * w.pairs + SUBSTITUTION * w.heads + w.states;
    let kept = FP32 * scan + element * (2.0 * w.conv + 2.0 * f64::from(mixer.rank));
    StateBytes { kept, at_most: kept + FP32 * (3.0 * by_channel + 4.0 * w.keys) }
}

/// Returns the bytes of `MiniMaxLightningAttention`, in the format of the activations except for
/// its norm: queries, keys and values before and after their activation, scores within blocks with
/// their decays, decayed keys and queries, and the state of each block.
fn lightning(w: &Widths, element: f64) -> StateBytes {
    let alike = w.pairs + w.states;
    StateBytes {
        kept: element * (12.0 * w.inner + alike) + FP32 * w.inner,
        // The norm's backward pass in fp32.
        at_most: element * (8.0 * w.inner + alike) + 6.0 * FP32 * w.inner,
    }
}

/// Returns the bytes of `MambaMixer.slow_forward`, token by token: the decay, the input and the
/// state of every channel and token in fp32, and the state once more in the format of the
/// activations. In the backward pass each token's gradient is written into a whole tensor.
fn mamba(mixer: &Recurrent, w: &Widths, element: f64) -> StateBytes {
    let state = w.inner * f64::from(mixer.key_dim);
    let small = f64::from(mixer.key_dim) * (3.0 * FP32 + 3.0 * element) + f64::from(mixer.rank) * 4.0 * element;
    StateBytes {
        kept: state * (3.0 * FP32 + element) + w.inner * (2.0 * FP32 + 6.0 * element) + element * w.columns + small,
        at_most: state * (7.0 * FP32 + element) + w.inner * (FP32 + 7.0 * element) + element * w.columns + small,
    }
}

/// Returns the bytes of `RecurrentGemmaRecurrentBlock`: gates, decays and inputs, and the state of
/// every token in fp32, twice.
fn rg_lru(w: &Widths, element: f64) -> StateBytes {
    let kept = w.inner * (2.0 * FP32 + 14.0 * element);
    StateBytes { kept, at_most: kept }
}

/// Returns the bytes of `Lfm2ShortConv`: three projections, of which two are multiplied before the
/// convolution and one after it.
fn short_conv(w: &Widths, element: f64) -> StateBytes {
    let kept = element * (w.columns + 3.0 * w.inner);
    StateBytes { kept, at_most: kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes per token of one mixer of a small shape, traced in transformers 5.23 on fake tensors
    /// (`tests/hybrid/trace.py`): the layer's kept tensors without its norms and MLP, and the peak
    /// without the layer's norm, input and gradient.
    #[test]
    fn mixers_keep_and_hold_what_the_library_s_do() {
        let of = |kind, [heads, head_dim, key_heads, key_dim, conv_kernel, rank, chunk]: [u32; 7]| Recurrent {
            kind,
            heads,
            head_dim,
            key_heads,
            key_dim,
            conv_kernel,
            rank,
            chunk,
            ..Recurrent::NONE
        };
        let cases = [
            (of(RecurrentKind::Mamba2, [24, 8, 3, 56, 4, 0, 40]), 51_772.5, Some(65_286.9)),
            (of(RecurrentKind::GatedDelta, [24, 40, 12, 56, 4, 0, 64]), 116_032.0, Some(142_821.0)),
            (of(RecurrentKind::KimiDelta, [24, 56, 24, 56, 4, 56, 64]), 1_318_446.0, Some(2_340_500.0)),
            (of(RecurrentKind::Mamba, [1, 192, 1, 14, 4, 10, 0]), 42_684.8, Some(85_285.0)),
            (of(RecurrentKind::Lightning, [24, 40, 24, 40, 0, 0, 80]), 31_440.0, Some(42_960.0)),
            (of(RecurrentKind::RgLru, [6, 20, 0, 0, 4, 0, 0]), 4_328.0, None),
            (of(RecurrentKind::ShortConv, [1, 96, 0, 0, 3, 0, 0]), 1_152.3, None),
        ];
        for (mixer, kept, at_most) in cases {
            let bytes = eager_mixer_bytes(&mixer, 2.0);
            assert!((bytes.kept / kept - 1.0).abs() < 0.015, "{:?}: {} of {kept}", mixer.kind, bytes.kept);
            let at_most = at_most.unwrap_or(kept);
            assert!((bytes.at_most / at_most - 1.0).abs() < 0.02, "{:?}: {} of {at_most}", mixer.kind, bytes.at_most);
        }
    }
    /// Two heads of 4 values and one of 8 keys: I = 8, keys repeated for the heads 16, a
    /// convolution of 8 + 2 x 8 channels. Each tensor counted by hand from the functions' lists; in
    /// chunks of Q tokens 2 Q pairs and 64/Q elements of states, Q = 64 in delta rules.
    #[test]
    fn tensors_of_a_small_shape_are_those_of_the_lists() {
        let of = |kind, chunk| Recurrent {
            kind,
            heads: 2,
            head_dim: 4,
            key_heads: 1,
            key_dim: 8,
            conv_kernel: 4,
            rank: 3,
            chunk,
            ..Recurrent::NONE
        };
        // 34 columns; of the two peaks long chunks reach the gradients of the scores.
        let heads = 2.0 * (4.0 * 4.0 + 2.0 * 2.0);
        let around = 2.0 * (34.0 + 48.0) + 1.5 * heads;
        let mamba_2 = |pairs: f64, states: f64| {
            4.0 * (80.0 + 3.0 * pairs + 2.0 * states + 80.0) + 2.0 * (34.0 + 24.0 + 8.0) + heads
        };
        let cases = [
            (of(RecurrentKind::Mamba2, 16), mamba_2(32.0, 4.0), 4.0 * (112.0 + 96.0 + 88.0 + 12.0) + around),
            (of(RecurrentKind::Mamba2, 64), mamba_2(128.0, 1.0), 4.0 * (64.0 + 640.0 + 40.0) + around),
            (
                of(RecurrentKind::GatedDelta, 0),
                4.0 * (128.0 + 640.0 + 48.0 + 1.0) + 2.0 * (48.0 + 24.0) + 76.0,
                4.0 * (176.0 + 1024.0 + 40.0 + 1.0) + 2.0 * (48.0 + 8.0) + 76.0,
            ),
            (
                of(RecurrentKind::KimiDelta, 0),
                4.0 * (3.0 * 1024.0 + 22.75 * 16.0 + 256.0 + 2.0 * 1365.0 + 1.0) + 2.0 * (48.0 + 6.0),
                25_800.0 + 4.0 * (3.0 * 1024.0 + 64.0),
            ),
            (
                of(RecurrentKind::Lightning, 16),
                2.0 * (96.0 + 32.0 + 4.0) + 4.0 * 8.0,
                2.0 * (64.0 + 32.0 + 4.0) + 24.0 * 8.0,
            ),
            (
                of(RecurrentKind::Mamba, 0),
                64.0 * 14.0 + 8.0 * 20.0 + 2.0 * 16.0 + 8.0 * 18.0 + 3.0 * 8.0,
                64.0 * 30.0 + 8.0 * 18.0 + 2.0 * 16.0 + 8.0 * 18.0 + 3.0 * 8.0,
            ),
            (of(RecurrentKind::RgLru, 0), 8.0 * 36.0, 8.0 * 36.0),
            (of(RecurrentKind::ShortConv, 0), 2.0 * (24.0 + 24.0), 2.0 * (24.0 + 24.0)),
        ];
        for (mixer, kept, at_most) in cases {
            assert_eq!(eager_mixer_bytes(&mixer, 2.0), StateBytes { kept, at_most }, "{:?}", mixer.kind);
        }
    }
}
