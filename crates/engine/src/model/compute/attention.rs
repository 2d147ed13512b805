//! Attention between its projections: kernels and their rates by sequence length and head width.

use super::blocks::{self, FORWARD_SHARE, Passes, Rates};
use super::recipe_peak;
use crate::fitted;
use crate::model::cost::{Cost, Operations};
use crate::model::flops::layer;
use crate::model::setup::Setup;
use crate::model::software::AttentionKernel;
use crate::model::training::PrecisionPolicy;
use crate::units::{Bytes, FlopsPerSecond};

/// Flash attention's backward pass runs five products over the score matrix for the forward pass's
/// two (arXiv 2205.14135, appendix B).
const FLASH_BACKWARD: f64 = 2.5;
/// An unfused attention's backward pass runs four products over the score matrix.
const UNFUSED_BACKWARD: f64 = 2.0;
/// Traffic of attention's backward pass over that of the forward pass: every tensor again, and its
/// gradient.
const BACKWARD_TRAFFIC: f64 = 2.0;
/// Bytes read and written per score by an unfused attention with fused softmax, both passes: the
/// product's write, the softmax's read and write, the read by the product with the values, and
/// about twice as much for the gradients.
const UNFUSED_SCORE_BYTES: f64 = 24.0;
/// Keys of a causal sequence at which flash kernels reach half of their rate, forward and backward,
/// and the softmax cost of one score, in channels of a head. Measured on an H200, attention alone,
/// and checked by a test (`tests/one_gpu/attention.csv`): FlashAttention-2 and cuDNN's with heads
/// of 64 to 256 channels and 512 to 32,768 tokens.
pub const HALF_KEYS: [f64; 2] = [300.0, 700.0];
const SOFTMAX_CHANNELS: f64 = 30.0;
/// Channels of a head beyond which wider heads are no faster; the catalog's efficiencies refer to
/// this width.
const WIDE_HEAD: f64 = 128.0;
/// Head widths for which flash kernels are compiled: other heads are padded to the next one.
const TILES: [u32; 5] = [64, 96, 128, 192, 256];
/// Alignment, in elements, of the leading dimension of strided 16-bit products that tensor cores
/// require: 16 bytes (NVIDIA, Matrix Multiplication Background; arXiv 2401.14489, section on head
/// size).
const ALIGNMENT: u32 = 8;

/// Speed-up of attention from products in 8 bits: FlashAttention-3 reaches 1.2 PFLOP/s in 8 bits
/// and 740 TFLOP/s in 16 on an H100 (arXiv 2407.08608, abstract). The figure is for the forward
/// pass; none is published for the backward pass, and the model assumes no gain there.
const EIGHT_BIT_ATTENTION: f64 = 1200.0 / 740.0;

/// Returns the fraction of the 16-bit peak that attention's kernels reach over long sequences with
/// wide heads, forward.
///
/// ```
/// # use links::decode;
/// # use engine::model::compute::attention_efficiency;
/// let reached = |kernel| attention_efficiency(&decode(&format!("cluster=dgx-h100&attnkernel={kernel}")).scenario.setup());
/// // FlashAttention-3: 1.2 PFLOP/s in 8 bits, 740 TFLOP/s in 16.
/// assert!((reached("flash-fp8") / reached("flash-tuned") - 1.62).abs() < 0.005);
/// ```
pub fn attention_efficiency(setup: &Setup) -> f64 {
    let efficiency = setup.accelerator.efficiency;
    match setup.kernels.attention {
        AttentionKernel::Unfused => efficiency.matmul,
        AttentionKernel::FlashFirstCuda => efficiency.attention * fitted::ATTENTION_FIRST_CUDA,
        AttentionKernel::FlashFirst => efficiency.attention * fitted::ATTENTION_FIRST,
        AttentionKernel::Flash => efficiency.attention,
        AttentionKernel::FlashTuned => efficiency.attention_tuned,
        AttentionKernel::Flash8bit => efficiency.attention_tuned * EIGHT_BIT_ATTENTION,
    }
}

/// Returns the rates of the kernels' products, forward and backward.
fn rates_of(setup: &Setup) -> [FlopsPerSecond; 2] {
    let peak = recipe_peak(&setup.accelerator, setup.recipe);
    let reached = attention_efficiency(setup);
    let head = (setup.architecture.core().head as u32).max(1);
    match setup.kernels.attention {
        // Scores are separate products, whose leading dimension is the head's width.
        AttentionKernel::Unfused => {
            let narrow = setup.recipe != PrecisionPolicy::Fp32 && !head.is_multiple_of(ALIGNMENT);
            [if narrow { setup.accelerator.peak_32bit.min(peak) * reached } else { peak * reached }; 2]
        }
        kernel => {
            let of_length = HALF_KEYS.map(|half| by_length(setup.attended(), half) * by_width(head));
            // No gain is published for the backward pass of 8-bit attention.
            let slower = if kernel == AttentionKernel::Flash8bit { EIGHT_BIT_ATTENTION } else { 1.0 };
            [peak * (reached * of_length[0]), peak * (reached * of_length[1] / slower)]
        }
    }
}

/// Returns the fraction of their long-sequence rate that flash kernels reach over `tokens` tokens.
pub fn by_length(tokens: f64, half: f64) -> f64 {
    tokens / (tokens + half)
}

/// Returns the fraction of their wide-head rate that flash kernels reach with heads of this width:
/// padding, and the softmax, whose cost is independent of the width.
pub fn by_width(head: u32) -> f64 {
    let tile = TILES.into_iter().find(|tile| head <= *tile).unwrap_or(head);
    let padded = f64::from(tile).min(WIDE_HEAD);
    let wide = WIDE_HEAD / (WIDE_HEAD + SOFTMAX_CHANNELS);
    f64::from(head) / f64::from(tile) * (padded / (padded + SOFTMAX_CHANNELS)) / wide
}

/// Returns the cost of attention's core in one layer with attention, on average over such layers.
/// Fused kernels read queries, keys and values and write the output, backward with their gradients;
/// unfused kernels also write and read the scores.
pub(super) fn attention_core<C: Cost<Operations>>(rates: &Rates) -> Passes<C> {
    let setup = rates.setup;
    let core = setup.architecture.core();
    let tp = f64::from(setup.mesh.tp.max(1));
    let [forward, backward] = rates_of(setup);
    let flops = rates.tokens * (layer::mean_executed_attention(setup) / tp);
    let widths = (core.query() + core.output()) / tp + 2.0 * core.key_value_over(tp);
    // In 8 bits, attention's inputs and their gradients are cast like those of the layers'
    // products.
    let casts = if setup.kernels.attention == AttentionKernel::Flash8bit { blocks::CAST_BYTES } else { 0.0 };
    let around: C = rates.streaming(Bytes::new(casts * rates.tokens * widths));
    let products = |share: f64, rate: FlopsPerSecond, streams: f64| {
        C::new(share * (flops / rate), || {
            let keys = 2.0 * core.key_value_over(tp) * f64::from(setup.mesh.cp.max(1));
            let width = (core.query() + core.output()) / tp + keys;
            Operations { flops: share * flops, bytes: Bytes::new(streams * rates.element() * rates.tokens * width) }
        })
    };
    if setup.kernels.attention != AttentionKernel::Unfused {
        return Passes {
            forward: products(1.0, forward, 1.0) + around * FORWARD_SHARE,
            backward: products(FLASH_BACKWARD, backward, BACKWARD_TRAFFIC) + around * (1.0 - FORWARD_SHARE),
        };
    }
    let scores = rates.tokens * core.heads / tp * layer::unfused_keys(setup);
    let traffic: C = rates.streaming(Bytes::new(UNFUSED_SCORE_BYTES * scores));
    Passes {
        forward: products(1.0, forward, 1.0) + traffic * FORWARD_SHARE,
        backward: products(UNFUSED_BACKWARD, backward, BACKWARD_TRAFFIC) + traffic * (1.0 - FORWARD_SHARE),
    }
}
