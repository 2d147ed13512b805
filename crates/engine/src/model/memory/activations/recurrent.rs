//! Activations that a recurrent mixer keeps for its backward pass.

mod eager;

use super::FP32;
use crate::model::flops::recurrent::chunk;
use crate::model::setup::Setup;
use crate::model::software::StateKernel;
use crate::model::transformer::recurrent::RecurrentKind;

/// Bytes per token of one mixer on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StateBytes {
    /// Bytes kept from forward to backward.
    pub kept: f64,
    /// Peak bytes in either pass, including kept tensors.
    pub at_most: f64,
}

impl StateBytes {
    /// No mixer.
    pub(super) const NONE: Self = Self { kept: 0.0, at_most: 0.0 };

    /// Returns the bytes of this many mixers.
    pub(super) fn times(self, mixers: f64) -> Self {
        Self { kept: mixers * self.kept, at_most: mixers * self.at_most }
    }
}

/// Returns the bytes of one mixer, with `element` bytes per activation.
pub(super) fn mixer_bytes(setup: &Setup, element: f64) -> StateBytes {
    let mixer = &setup.architecture.recurrent;
    if !mixer.is_used() {
        return StateBytes::NONE;
    }
    let tp = f64::from(setup.mesh.tp.max(1));
    let StateBytes { kept, at_most } = match setup.kernels.state {
        StateKernel::Fused => fused(setup, element),
        StateKernel::Eager => eager::eager_mixer_bytes(mixer, element),
    };
    StateBytes { kept, at_most }.times(1.0 / tp)
}

/// Returns the bytes per token of one mixer with fused kernels, with `element` bytes per
/// activation; the input of the projections is the norm's output. Tensors that the backward pass
/// recomputes are alive in addition, with the gradient of the input projection's output.
///
/// - Mamba-2: one function from the input projection's output to the output projection keeps its
///   input and the scan's output (`MambaSplitConv1dScanCombinedFn` of state-spaces/mamba;
///   Megatron-Core's output projection is outside the function and keeps its own input).
/// - Mamba: `causal_conv1d_fn` and `selective_scan_fn` keep their inputs, steps and outputs before
///   and after the gate.
/// - Delta rules: the convolution's input, normalised queries and keys, values, steps and decays,
///   the triangle's inverse for each chunk (Kimi's: two triangles, and its gate in fp32), the
///   output before and after the gated norm, its gate (`ChunkGatedDeltaRuleFunction`,
///   `ChunkKDAFunction` of flash-linear-attention).
/// - A short convolution: its gated input, its output, and the output times the other gate.
fn fused(setup: &Setup, element: f64) -> StateBytes {
    let mixer = &setup.architecture.recurrent;
    let (columns, inner, keys, conv) =
        (mixer.input_columns(), mixer.inner_width(), mixer.key_width(), mixer.conv_width());
    let (heads, chunk) = (f64::from(mixer.heads), chunk(mixer));
    // Keys repeated for each head of values, and the states at the ends of chunks.
    let (spread, states) = (heads * f64::from(mixer.key_dim), inner * f64::from(mixer.key_dim) / chunk);
    let small = f64::from(mixer.rank) + 2.0 * f64::from(mixer.key_dim);
    let projected = if setup.traits().projects_state_outside { inner } else { 0.0 };
    let (elements, wide, again) = match mixer.kind {
        RecurrentKind::Mamba => (columns + 4.0 * inner + small, 0.0, columns + inner),
        RecurrentKind::Mamba2 => {
            let states_in_fp32 = 2.0 * FP32 / element * states;
            (columns + inner + projected, 0.0, columns + 2.0 * conv + inner + states_in_fp32)
        }
        RecurrentKind::GatedDelta => (
            conv + 2.0 * keys + 4.0 * inner + heads * chunk,
            2.0 * heads,
            conv + 4.0 * spread + 3.0 * inner + 2.0 * states,
        ),
        RecurrentKind::KimiDelta => (
            conv + 2.0 * keys + 4.0 * inner + 2.0 * heads * chunk + 2.0 * f64::from(mixer.rank),
            KIMI_GATE * spread,
            conv + 6.0 * spread + 3.0 * inner + 2.0 * states,
        ),
        // No package has kernels for the library's implementations of these two mixers.
        RecurrentKind::Lightning => (columns + 2.0 * inner, 0.0, 0.0),
        RecurrentKind::RgLru => (columns + 6.0 * inner, 0.0, 0.0),
        RecurrentKind::ShortConv => (columns + 3.0 * inner, 0.0, 0.0),
    };
    let kept = element * elements + FP32 * wide;
    StateBytes { kept, at_most: kept + element * again }
}

/// Tensors in fp32 of Kimi's decay for each channel of the keys: before and after its sum over a
/// chunk, and those of its softplus.
const KIMI_GATE: f64 = 5.25;
