//! The matrix products of a layer's blocks: dimensions and cost of one pass.

use crate::model::cost::{Cost, Operations};
use crate::model::transformer::Architecture;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond};

/// Matrix products over T rows: forward, gradient of the input, gradient of the weight. The weights
/// have `weights` elements; summed over the products, the dimensions are `inner` (contracted
/// forward) and `outer` (columns).
///
/// A product of an m x k by a k x n matrix takes `2 m n k / rate (1 + A/(m n))`: the last wave of
/// tiles fills the GPU partly, and A = `half_saturation_tokens x 4096` is the output size at which
/// this halves the rate.
#[derive(Clone, Copy)]
pub(super) struct Products {
    pub(super) tokens: f64,
    pub(super) weights: f64,
    pub(super) inner: f64,
    pub(super) outer: f64,
    pub(super) count: f64,
    pub(super) half: f64,
    pub(super) rate: FlopsPerSecond,
    /// Rate of weight-gradient products.
    pub(super) rate_of_gradients: FlopsPerSecond,
    /// Peak memory bandwidth.
    pub(super) memory: BytesPerSecond,
    /// Fraction of the rate that the operands' alignment allows ([`aligned`]).
    pub(super) aligned: f64,
    /// Elements that one pass reads and writes: weights, input rows and output rows.
    pub(super) operands: f64,
    /// Bytes of an element.
    pub(super) element: f64,
}

impl Products {
    /// Returns the cost of one pass, whose last wave of tiles takes as long as `tail` FLOPs more;
    /// at least the time in which the operands cross the memory bus.
    fn pass<C: Cost<Operations>>(&self, tail: f64) -> C {
        let flops = 2.0 * self.tokens * self.weights;
        let bytes = Bytes::new(self.element * self.operands);
        let time = (Flops::new(flops + tail) / (self.rate * self.aligned)).max(bytes / self.memory);
        C::new(time, || Operations { flops: Flops::new(flops), bytes })
    }

    pub(super) fn forward<C: Cost<Operations>>(&self) -> C {
        self.pass(2.0 * self.inner * self.half)
    }

    pub(super) fn input_gradient<C: Cost<Operations>>(&self) -> C {
        self.pass(2.0 * self.outer * self.half)
    }

    pub(super) fn weight_gradient<C: Cost<Operations>>(&self) -> C {
        Self { rate: self.rate_of_gradients, ..*self }.pass(2.0 * self.count * self.tokens * self.half)
    }
}

/// Returns the fraction of their rate that products reach, by the largest power of two that divides
/// the contiguous dimension. Tensor cores read 16 bytes at once: with odd columns cuBLAS falls back
/// to other kernels. Of 650 TFLOP/s, 8,192 x 1,600 x 50,257 reaches 97 on an H200 and 8,192 x 4,096
/// x 4,095 reaches 129 (`tests/one_gpu/matmul.csv`). From a multiple of 64 (128 bytes) alignment
/// has no effect, a multiple of 8 costs a tenth (arXiv 2401.14489). In between, each factor of two
/// doubles the rate.
///
/// ```
/// # use engine::model::compute::aligned;
/// assert!((aligned(50_257.0) / (97.0 / 650.0) - 1.0).abs() < 0.1);
/// assert_eq!([50_304.0, 4_096.0].map(aligned), [1.0; 2]);
/// ```
pub fn aligned(width: f64) -> f64 {
    // Widths are whole numbers wherever parallelism divides them evenly.
    let width = width as u64;
    match width.trailing_zeros().min(6) {
        _ if width == 0 => 1.0,
        0 => 0.15,
        1 => 0.30,
        2 => 0.60,
        3 => 0.90,
        4 => 0.93,
        5 => 0.97,
        _ => 1.0,
    }
}

/// The products of one block of a layer, and the hidden tensors between them.
#[derive(Clone, Copy)]
pub(super) struct Block {
    /// Elements of the weights.
    pub(super) weights: f64,
    /// Inner dimensions, contracted forward, summed over the products.
    pub(super) inner: f64,
    /// Columns, summed over the products.
    pub(super) outer: f64,
    /// Number of products.
    pub(super) count: f64,
    /// Summed width of the hidden tensors of MLPs.
    pub(super) hidden: f64,
    /// Width of the products' inputs that 8-bit products cast, without the residual stream.
    pub(super) cast: f64,
    /// Fraction of the rate that the operands' alignment allows ([`aligned`]).
    pub(super) aligned: f64,
}

impl Block {
    /// No products.
    pub(super) const NONE: Self =
        Self { weights: 0.0, inner: 0.0, outer: 0.0, count: 0.0, hidden: 0.0, cast: 0.0, aligned: 1.0 };

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            weights: self.weights + other.weights,
            inner: self.inner + other.inner,
            outer: self.outer + other.outer,
            count: self.count + other.count,
            hidden: self.hidden + other.hidden,
            cast: self.cast + other.cast,
            aligned: self.aligned.min(other.aligned),
        }
    }
}

/// Returns attention's projections on one GPU: queries, keys and values as one product, and the
/// output projection; five projections under latent attention.
pub(super) fn projections(arch: &Architecture, tp: f64) -> Block {
    let hidden = f64::from(arch.hidden_size);
    let (query, output) = (arch.query_width() / tp, arch.attention_output_width() / tp);
    if arch.latent.is_used() {
        let (rank, query_rank) = (f64::from(arch.latent.kv_lora_rank), f64::from(arch.latent.q_lora_rank));
        let down = query_rank + rank + f64::from(arch.latent.qk_rope_head_dim);
        let up = f64::from(arch.num_attention_heads) / tp
            * (f64::from(arch.latent.qk_nope_head_dim) + f64::from(arch.latent.v_head_dim));
        let (query_inner, query_count) = if query_rank > 0.0 { (query_rank, 3.0) } else { (hidden, 2.0) };
        return Block {
            weights: hidden * (down + output) + query_inner * query + rank * up,
            inner: hidden + query_inner + rank + output,
            outer: down + query + up + hidden,
            count: query_count + 2.0,
            hidden: 0.0,
            cast: hidden + query_inner + rank + output,
            aligned: aligned(hidden).min(aligned(output)),
        };
    }
    let columns = query + 2.0 * arch.key_value_width_over(tp);
    Block {
        weights: hidden * (columns + query),
        inner: hidden + query,
        outer: columns + hidden,
        count: 2.0,
        hidden: 0.0,
        cast: hidden + query,
        aligned: aligned(hidden).min(aligned(query)),
    }
}

/// Returns an MLP of this width on one GPU.
pub(super) fn mlp(arch: &Architecture, width: f64) -> Block {
    mlp_between(f64::from(arch.hidden_size), arch.gated_mlp, width)
}

/// Returns an MLP of this width, gated or not, from `hidden` channels and back.
pub(super) fn mlp_between(hidden: f64, gated: bool, width: f64) -> Block {
    let wide = if gated { 2.0 * width } else { width };
    Block {
        weights: hidden * (wide + width),
        inner: hidden + width,
        outer: wide + hidden,
        count: 2.0,
        hidden: wide + width,
        cast: hidden + width,
        aligned: aligned(hidden).min(aligned(width)),
    }
}

/// Returns the products that every token passes in an expert layer besides attention and routed
/// experts: the router, and the shared experts' MLP.
pub(super) fn router_and_shared(arch: &Architecture, tp: f64) -> Block {
    let (hidden, experts) = (f64::from(arch.hidden_size), f64::from(arch.experts.num_experts));
    // Sequence parallelism splits the router's tokens.
    let router = Block {
        weights: hidden * experts / tp,
        inner: hidden,
        outer: experts / tp,
        count: 1.0,
        hidden: 0.0,
        cast: 0.0,
        aligned: 1.0,
    };
    let latent = f64::from(arch.experts.latent_size);
    let router = if latent > 0.0 { router.with(to_and_from_latent(hidden, latent, tp)) } else { router };
    let shared = f64::from(arch.experts.shared_intermediate_size);
    if shared > 0.0 { mlp(arch, shared / tp).with(router) } else { router }
}

/// Returns the products to the latent width of routed experts, and back.
fn to_and_from_latent(hidden: f64, latent: f64, tp: f64) -> Block {
    Block {
        weights: 2.0 * hidden * latent / tp,
        inner: hidden + latent,
        outer: (hidden + latent) / tp,
        count: 2.0,
        hidden: 0.0,
        cast: hidden + latent,
        aligned: 1.0,
    }
}
