//! What a mixer with a state of a fixed size keeps for its backward pass.

use crate::model::setup::Setup;
use crate::model::transformer::recurrent::RecurrentKind;

/// Bytes of an element in fp32.
const FP32: f64 = 4.0;

/// Bytes per token on one GPU that one mixer keeps, `element` bytes an activation, where its kernels are fused: what the projections into
/// it wrote, what its convolution wrote where the scan reads it from memory, the scan's output before and after the gated norm, and decays
/// in fp32. The input of the projections is the norm's output.
///
/// Mamba-2's kernel keeps its one input and its output and computes the convolution again (`MambaSplitConv1dScanCombinedFn` of
/// state-spaces/mamba); those of flash-linear-attention keep queries, keys, values, decays and steps (`ChunkGatedDeltaRuleFunction`).
pub(super) fn kept(setup: &Setup, element: f64) -> f64 {
    let mixer = &setup.architecture.recurrent;
    if !mixer.is_used() {
        return 0.0;
    }
    let tp = f64::from(setup.mesh.tp.max(1));
    let (columns, inner, keys) = (mixer.input_columns(), mixer.inner_width(), mixer.key_width());
    let heads = f64::from(mixer.heads);
    // The same keys for each head of values.
    let spread = heads * f64::from(mixer.key_dim);
    let elements = match mixer.kind {
        RecurrentKind::Mamba => columns + 2.0 * inner + f64::from(mixer.rank) + 2.0 * f64::from(mixer.key_dim) + inner,
        RecurrentKind::Mamba2 => columns + 2.0 * inner,
        RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => {
            columns + mixer.conv_width() + inner + 2.0 * keys + 2.0 * spread + 2.0 * inner
        }
        RecurrentKind::Lightning => columns + 2.0 * inner,
        RecurrentKind::RgLru => columns + 6.0 * inner,
        RecurrentKind::ShortConv => columns + 2.0 * inner,
    };
    let decays = match mixer.kind {
        RecurrentKind::GatedDelta => FP32 * heads,
        RecurrentKind::KimiDelta => FP32 * spread,
        RecurrentKind::Mamba
        | RecurrentKind::Mamba2
        | RecurrentKind::Lightning
        | RecurrentKind::RgLru
        | RecurrentKind::ShortConv => 0.0,
    };
    (element * elements + decays) / tp
}
