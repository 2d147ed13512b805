//! Recurrent mixers, from the implementations of `transformers` (`MambaMixer`, `Mamba2Mixer`,
//! `Qwen3NextGatedDeltaNet`, `KimiDeltaAttention`, `MiniMaxLightningAttention`,
//! `RecurrentGemmaRecurrentBlock`, `Lfm2ShortConv`).

use super::{Operator, Products, Role, Split};
use crate::model::transformer::Architecture;
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};

/// Returns the products of a mixer on one of `tp` GPUs: the input projection, low ranks and
/// block-wise gates inside, and the output projection.
pub(super) fn products(shape: &Architecture, tp: f64) -> Products {
    let mixer = &shape.recurrent;
    if !mixer.is_used() {
        return Products::new([Operator::NONE; 6]);
    }
    let (hidden, inner) = (f64::from(shape.hidden_size), mixer.inner_width());
    let (columns, middle, rank) = (mixer.input_columns(), mixer.middle_weights() / tp, f64::from(mixer.rank));
    // Two products: to the rank, and from it.
    let inside = Operator {
        role: Role::StateInner,
        inner: inner / tp + rank,
        outer: rank + inner / tp,
        weights: middle,
        split: Split::Columns,
        kernels: 2.0,
        ..Operator::NONE
    };
    Products::three([
        Operator::by_columns(Role::StateInput, hidden, columns, tp).biased(columns, mixer.bias),
        inside.when(middle > 0.0),
        Operator::by_rows(Role::StateOutput, inner, hidden, tp).biased(hidden, mixer.bias),
    ])
}

/// Returns the elements of a mixer's vectors: the convolution, steps, decays and skips, the inner
/// norm, and biases inside.
pub(super) fn vectors(mixer: &Recurrent) -> f64 {
    if !mixer.is_used() {
        return 0.0;
    }
    let [heads, head, state, kernel] = [mixer.heads, mixer.head_dim, mixer.key_dim, mixer.conv_kernel].map(f64::from);
    let (inner, keys) = (mixer.inner_width(), mixer.key_width());
    let bias = f64::from(u8::from(mixer.conv_bias && mixer.conv_kernel > 0));
    let convolution = mixer.conv_width() * (kernel + bias);
    convolution
        + match mixer.kind {
            // The step's projection has its own bias; A and D.
            RecurrentKind::Mamba => 2.0 * inner + inner * state,
            // The step's bias, A, D, and the gated norm.
            RecurrentKind::Mamba2 => 3.0 * heads + inner,
            RecurrentKind::GatedDelta => 2.0 * heads + head,
            RecurrentKind::KimiDelta => keys + heads + head,
            RecurrentKind::Lightning => inner,
            // The biases of both gates, and the decay.
            RecurrentKind::RgLru => 3.0 * inner,
            RecurrentKind::ShortConv => 0.0,
        }
}
