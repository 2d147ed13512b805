//! Attention between its projections: kernels by name, their rates by the length of the sequence
//! and the width of the heads.

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
/// An unfused attention's backward pass runs four.
const UNFUSED_BACKWARD: f64 = 2.0;
/// What attention reads and writes in its backward pass over what it does forward: everything
/// again, and its gradient.
const BACKWARD_TRAFFIC: f64 = 2.0;
/// Bytes read and written per score by an unfused attention, both passes, with its fused softmax:
/// the product's write and the softmax's read and write, the read by the product with the values,
/// and about twice as much for the gradients.
const UNFUSED_SCORE_BYTES: f64 = 24.0;
/// Keys of a causal sequence at which flash kernels reach half of their rate, forward and backward;
/// and what the softmax over one score costs, in channels of a head. Measured on an H200, alone
/// (`tests/one_gpu/attention.csv`, a test holds it): FlashAttention-2 and cuDNN's with heads of 64
/// to 256 channels and 512 to 32,768 tokens.
pub const HALF_KEYS: [f64; 2] = [300.0, 700.0];
const SOFTMAX_CHANNELS: f64 = 30.0;
/// Channels from which wider heads gain nothing, at which the catalog's shares hold.
const WIDE_HEAD: f64 = 128.0;
/// Widths for which flash kernels are compiled: heads in between are padded.
const TILES: [u32; 5] = [64, 96, 128, 192, 256];
/// Elements to which the leading dimension of strided 16-bit products has to be aligned for tensor
/// cores to run them: 16 bytes (NVIDIA, Matrix Multiplication Background; arXiv 2401.14489, section
/// on head size).
const ALIGNMENT: u32 = 8;

/// What attention gains from products in 8 bits: FlashAttention-3 reaches 1.2 PFLOP/s in them and
/// 740 TFLOP/s in 16 on an H100 (arXiv 2407.08608, abstract). That is the forward pass; of the
/// backward one no such figure is published, and it is taken to gain nothing.
const EIGHT_BIT_ATTENTION: f64 = 1200.0 / 740.0;

/// The fraction of the 16-bit peak that attention's kernels reach over long sequences with wide
/// heads, forward.
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
        AttentionKernel::FlashFirst => efficiency.attention * fitted::ATTENTION_FIRST,
        AttentionKernel::Flash => efficiency.attention,
        AttentionKernel::FlashTuned => efficiency.attention_tuned,
        AttentionKernel::Flash8bit => efficiency.attention_tuned * EIGHT_BIT_ATTENTION,
    }
}

/// The rates at which the kernels run their products, forward and backward.
fn rates_of(setup: &Setup) -> [FlopsPerSecond; 2] {
    let peak = recipe_peak(&setup.accelerator, setup.recipe);
    let reached = attention_efficiency(setup);
    let head = setup.architecture.head_dim;
    match setup.kernels.attention {
        // Scores are products of their own, whose leading dimension is the head's width.
        AttentionKernel::Unfused => {
            let narrow = setup.recipe != PrecisionPolicy::Fp32 && !head.is_multiple_of(ALIGNMENT);
            [if narrow { setup.accelerator.peak_32bit.min(peak) * reached } else { peak * reached }; 2]
        }
        kernel => {
            let of_length = HALF_KEYS.map(|half| by_length(setup.attended(), half) * by_width(head));
            // The backward pass of 8-bit attention gains nothing that is published.
            let slower = if kernel == AttentionKernel::Flash8bit { EIGHT_BIT_ATTENTION } else { 1.0 };
            [peak * (reached * of_length[0]), peak * (reached * of_length[1] / slower)]
        }
    }
}

/// The share of their rate over long sequences that flash kernels reach over one of so many tokens.
pub fn by_length(tokens: f64, half: f64) -> f64 {
    tokens / (tokens + half)
}

/// The share of their rate with wide heads that flash kernels reach with heads of this width:
/// padding, and the softmax, which costs the same whatever the width.
pub fn by_width(head: u32) -> f64 {
    let tile = TILES.into_iter().find(|tile| head <= *tile).unwrap_or(head);
    let padded = f64::from(tile).min(WIDE_HEAD);
    let wide = WIDE_HEAD / (WIDE_HEAD + SOFTMAX_CHANNELS);
    f64::from(head) / f64::from(tile) * (padded / (padded + SOFTMAX_CHANNELS)) / wide
}

/// Attention's core in one layer that has it, on average over these. Fused kernels read queries,
/// keys and values and write the output, backward with their gradients; unfused kernels write and
/// read the scores too.
pub(super) fn attention_core<C: Cost<Operations>>(rates: &Rates) -> Passes<C> {
    let setup = rates.setup;
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let [forward, backward] = rates_of(setup);
    let flops = rates.tokens * (layer::mean_executed_attention(setup) / tp);
    let widths = arch.query_width() / tp + arch.attention_output_width() / tp + 2.0 * arch.key_value_width_over(tp);
    // In 8 bits its inputs and their gradients are cast as those of the layers' products are.
    let casts = if setup.kernels.attention == AttentionKernel::Flash8bit { blocks::CAST_BYTES } else { 0.0 };
    let around: C = rates.streaming(Bytes::new(casts * rates.tokens * widths));
    let products = |share: f64, rate: FlopsPerSecond, streams: f64| {
        C::new(share * (flops / rate), || {
            let keys = 2.0 * arch.key_value_width_over(tp) * f64::from(setup.mesh.cp.max(1));
            let width = arch.query_width() / tp + arch.attention_output_width() / tp + keys;
            Operations { flops: share * flops, bytes: Bytes::new(streams * rates.element() * rates.tokens * width) }
        })
    };
    if setup.kernels.attention != AttentionKernel::Unfused {
        return Passes {
            forward: products(1.0, forward, 1.0) + around * FORWARD_SHARE,
            backward: products(FLASH_BACKWARD, backward, BACKWARD_TRAFFIC) + around * (1.0 - FORWARD_SHARE),
        };
    }
    let scores = rates.tokens * f64::from(arch.num_attention_heads) / tp * f64::from(setup.batch.seq_len);
    let traffic: C = rates.streaming(Bytes::new(UNFUSED_SCORE_BYTES * scores));
    Passes {
        forward: products(1.0, forward, 1.0) + traffic * FORWARD_SHARE,
        backward: products(UNFUSED_BACKWARD, backward, BACKWARD_TRAFFIC) + traffic * (1.0 - FORWARD_SHARE),
    }
}
