//! FLOPs of recurrent mixers, apart from their projections.

use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::units::Flops;

/// Tokens of one chunk of the kernels of flash-linear-attention.
const DELTA_CHUNK: f64 = 64.0;
/// Tokens of one chunk of lightning attention's kernel (`BLOCK` of arXiv 2401.04658's
/// implementation).
const LIGHTNING_CHUNK: f64 = 256.0;
/// Tokens of one chunk of Mamba-2's kernel if the model does not specify it (`chunk_size` of
/// `Mamba2Config`).
const MAMBA_CHUNK: f64 = 256.0;

/// Returns the tokens of one chunk of the scan.
pub fn chunk(mixer: &Recurrent) -> f64 {
    match mixer.kind {
        RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => DELTA_CHUNK,
        _ if mixer.chunk > 0 => f64::from(mixer.chunk),
        RecurrentKind::Lightning => LIGHTNING_CHUNK,
        RecurrentKind::Mamba | RecurrentKind::Mamba2 | RecurrentKind::RgLru | RecurrentKind::ShortConv => MAMBA_CHUNK,
    }
}

/// Returns the elements of the state: a matrix of keys by values for each head.
pub fn state(mixer: &Recurrent) -> f64 {
    match mixer.kind {
        RecurrentKind::RgLru | RecurrentKind::ShortConv => mixer.inner_width(),
        RecurrentKind::Lightning => mixer.inner_width() * f64::from(mixer.head_dim),
        RecurrentKind::Mamba | RecurrentKind::Mamba2 | RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => {
            mixer.inner_width() * f64::from(mixer.key_dim)
        }
    }
}

/// Returns the forward model FLOPs per token of the recurrence of one mixer, as if token by token:
/// the state decays, is updated with the token and is read.
///
/// Seven for each element of Mamba's state (`mamba_layer_flops` of Megatron-LM's
/// `num_floating_point_operations`); three products of the state for a delta rule (read the value
/// for the key, write the difference, read for the query: arXiv 2412.06464, equation 10), two for
/// linear attention (arXiv 2006.16236, section 3.3).
///
/// ```
/// # use engine::model::{flops::recurrent::recurrence, transformer::recurrent::{Recurrent, RecurrentKind}};
/// // Megatron-LM counts 7 x 64 heads x 64 channels x a state of 128 for a Mamba-2 layer of Nemotron 3 Nano.
/// let nano = Recurrent { kind: RecurrentKind::Mamba2, heads: 64, head_dim: 64, key_heads: 8, key_dim: 128, ..Recurrent::NONE };
/// assert_eq!(recurrence(&nano).get(), 7.0 * 64.0 * 64.0 * 128.0);
/// ```
pub fn recurrence(mixer: &Recurrent) -> Flops {
    if !mixer.is_used() {
        return Flops::ZERO;
    }
    let of_each = match mixer.kind {
        RecurrentKind::Mamba | RecurrentKind::Mamba2 => 7.0,
        RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => 6.0,
        RecurrentKind::Lightning | RecurrentKind::RgLru => 4.0,
        RecurrentKind::ShortConv => 0.0,
    };
    let convolution = 2.0 * mixer.conv_width() * f64::from(mixer.conv_kernel);
    let convolution = if mixer.kind == RecurrentKind::ShortConv { convolution } else { 0.0 };
    Flops::new(of_each * state(mixer) + convolution)
}

/// Returns the forward FLOPs per token that the kernels of one mixer execute, in chunks of Q
/// tokens: products within a chunk, which grow with Q, and products with the state at the chunk's
/// ends.
///
/// - Mamba-2: `2 Q (G N + I) + 4 N I` (arXiv 2405.21060, section 6: C Bᵀ, its product with X, the
///   chunk's state and its output).
/// - Delta rules: `6 d_k d_v + 2 Q (3 d_k + 2 d_v)` a head (arXiv 2412.06464, section 3.3: K Kᵀ, W,
///   U, Q Kᵀ, its product with U; three with the state), without the triangular inverse.
/// - Lightning: `4 Q d + 4 d²` a head (arXiv 2401.04658, section 3).
pub fn executed(mixer: &Recurrent) -> Flops {
    if !mixer.is_used() {
        return Flops::ZERO;
    }
    let (chunk, inner, keys) = (chunk(mixer), mixer.inner_width(), mixer.key_width());
    let (key, value) = (f64::from(mixer.key_dim), f64::from(mixer.head_dim));
    match mixer.kind {
        RecurrentKind::Mamba2 => Flops::new(2.0 * chunk * (keys + inner) + 4.0 * key * inner),
        RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => {
            let of_head = 6.0 * key * value + 2.0 * chunk * (3.0 * key + 2.0 * value);
            Flops::new(f64::from(mixer.heads) * of_head)
        }
        RecurrentKind::Lightning => Flops::new(f64::from(mixer.heads) * (4.0 * chunk * value + 4.0 * value * value)),
        RecurrentKind::Mamba | RecurrentKind::RgLru | RecurrentKind::ShortConv => recurrence(mixer),
    }
}
