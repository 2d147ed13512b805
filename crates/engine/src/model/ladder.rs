//! The ladder of GPT-style shapes that the model-size slider selects from.

use super::transformer::{Architecture, GPT_STYLE};

/// Nominal size in parameters, layers L, width H: the shapes used with the FSDP bounds (arXiv
/// 2504.03655), equal to those of GPT-3 (arXiv 2005.14165, Table 2.1) and LLaMA (arXiv 2302.13971,
/// Table 2) at common sizes.
pub const ANCHORS: [(f64, u32, u32); 7] = [
    (1.3e9, 24, 2048),
    (7e9, 32, 4096),
    (13e9, 40, 5120),
    (30e9, 60, 6656),
    (65e9, 80, 8192),
    (175e9, 96, 12_288),
    (310e9, 96, 16_384),
];

/// The smallest and the largest nominal size.
pub const SIZES: (f64, f64) = (1.3e9, 310e9);

/// Weights of one layer over H²: 4 in attention and 8 in an MLP of width 4 H.
const PARAMS_PER_SQUARE: f64 = 12.0;
/// Width of one head, as in GPT-3 13B and 175B; the width H is a multiple of it.
const HEAD_DIM: u32 = 128;
/// Width of the MLP over H, as in GPT-3.
const MLP_RATIO: u32 = 4;
/// GPT-2's and GPT-3's byte-pair vocabulary (arXiv 2005.14165).
const VOCABULARY: u32 = 50_257;

/// Returns the shape at a nominal size in parameters, clamped to 1.3B .. 310B; at an anchor,
/// exactly the anchor's shape.
///
/// Between anchors `φ = 12 L H²` grows linearly with the nominal size and so does L; H is the
/// multiple of 128 nearest to `√(φ / 12 L)`, and L then the whole number nearest to `φ / 12 H²`.
pub fn architecture(size: f64) -> Architecture {
    let (layers, hidden) = shape(size);
    Architecture {
        num_hidden_layers: layers,
        hidden_size: hidden,
        num_attention_heads: hidden / HEAD_DIM,
        num_key_value_heads: hidden / HEAD_DIM,
        head_dim: HEAD_DIM,
        intermediate_size: MLP_RATIO * hidden,
        vocab_size: VOCABULARY,
        ..GPT_STYLE
    }
}

fn shape(size: f64) -> (u32, u32) {
    let (mut below, mut above) = (ANCHORS[0], ANCHORS[0]);
    for anchor in ANCHORS {
        above = anchor;
        if size <= anchor.0 {
            break;
        }
        below = anchor;
    }
    if size <= below.0 || size >= above.0 || below.0 >= above.0 {
        let (_, layers, hidden) = if size <= below.0 { below } else { above };
        return (layers, hidden);
    }
    let share = (size - below.0) / (above.0 - below.0);
    let phi = between(square_params(below), square_params(above), share);
    let layers = between(f64::from(below.1), f64::from(above.1), share);
    let heads = ((phi / (PARAMS_PER_SQUARE * layers)).sqrt() / f64::from(HEAD_DIM)).round();
    let hidden = heads * f64::from(HEAD_DIM);
    let layers = (phi / (PARAMS_PER_SQUARE * hidden * hidden)).round();
    (layers as u32, hidden as u32)
}

fn square_params((_, layers, hidden): (f64, u32, u32)) -> f64 {
    PARAMS_PER_SQUARE * f64::from(layers) * f64::from(hidden) * f64::from(hidden)
}

fn between(low: f64, high: f64, share: f64) -> f64 {
    low + share * (high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_met_exactly() {
        for (size, layers, hidden) in ANCHORS {
            assert_eq!(shape(size), (layers, hidden), "{size}");
        }
        assert_eq!(shape(1.0), (24, 2048));
        assert_eq!(shape(1e15), (96, 16_384));
    }

    #[test]
    fn sizes_between_anchors_stay_within_two_percent_of_the_interpolated_one() {
        let mut size = 1.3e9;
        while size < 310e9 {
            let (layers, hidden) = shape(size);
            let got = square_params((0.0, layers, hidden));
            let pair = ANCHORS.windows(2).find(|pair| size <= pair[1].0).unwrap();
            let share = (size - pair[0].0) / (pair[1].0 - pair[0].0);
            let wanted = between(square_params(pair[0]), square_params(pair[1]), share);
            assert!((got / wanted - 1.0).abs() < 0.022, "{size}: {got} for {wanted}");
            size *= 1.013;
        }
    }
}
