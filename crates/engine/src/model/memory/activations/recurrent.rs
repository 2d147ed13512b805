//! What a mixer with a state of a fixed size keeps for its backward pass.

mod eager;

use super::FP32;
use crate::model::setup::Setup;
use crate::model::software::StateKernel;
use crate::model::transformer::recurrent::RecurrentKind;

/// Bytes per token of one mixer on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StateBytes {
    /// What it keeps from forward to backward.
    pub kept: f64,
    /// The most that is alive of it at once, in either pass, what it keeps among it.
    pub at_most: f64,
}

/// What one mixer holds, `element` bytes an activation.
pub(super) fn of_mixer(setup: &Setup, element: f64) -> StateBytes {
    let mixer = &setup.architecture.recurrent;
    if !mixer.is_used() {
        return StateBytes { kept: 0.0, at_most: 0.0 };
    }
    let tp = f64::from(setup.mesh.tp.max(1));
    let StateBytes { kept, at_most } = match setup.kernels.state {
        StateKernel::Fused => {
            let kept = fused(setup, element);
            StateBytes { kept, at_most: kept }
        }
        StateKernel::Eager => eager::of_mixer(mixer, element),
    };
    StateBytes { kept: kept / tp, at_most: at_most / tp }
}

/// Bytes per token that one mixer keeps, `element` bytes an activation, where its kernels are fused: what the projections into
/// it wrote, what its convolution wrote where the scan reads it from memory, the scan's output before and after the gated norm, and decays
/// in fp32. The input of the projections is the norm's output.
///
/// Mamba-2's kernel keeps its one input and its output and computes the convolution again (`MambaSplitConv1dScanCombinedFn` of
/// state-spaces/mamba); those of flash-linear-attention keep queries, keys, values, decays and steps (`ChunkGatedDeltaRuleFunction`).
fn fused(setup: &Setup, element: f64) -> f64 {
    let mixer = &setup.architecture.recurrent;
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
    element * elements + decays
}
