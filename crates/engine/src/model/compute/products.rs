//! The cost of the matrix products of a block, from the list of them.

use crate::model::cost::{Cost, Operations};
use crate::model::layer::{self, Operator, Role};
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

/// The dimensions of products of a block, summed, and the hidden tensors between them.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    /// Elements of the weights.
    pub(super) weights: f64,
    /// Inner dimensions, contracted forward, of each kernel.
    pub(super) inner: f64,
    /// Columns.
    pub(super) outer: f64,
    /// Number of kernels.
    pub(super) count: f64,
    /// Summed width of the hidden tensors of MLPs.
    pub(super) hidden: f64,
    /// Width of the inputs that 8-bit products cast.
    pub(super) cast: f64,
    /// Fraction of the rate that the operands' alignment allows ([`aligned`]).
    pub(super) aligned: f64,
}

impl Sums {
    /// No products.
    pub(super) const NONE: Self =
        Self { weights: 0.0, inner: 0.0, outer: 0.0, count: 0.0, hidden: 0.0, cast: 0.0, aligned: 1.0 };

    /// Returns the sums over the products of a block that count.
    pub(super) fn of(products: &layer::Products, counts: impl Fn(&Operator) -> bool) -> Self {
        let mut sums = Self::NONE;
        for product in products.iter().filter(|product| counts(product)) {
            sums.weights += product.weights;
            sums.outer += product.outer;
            sums.count += product.kernels;
            let inner = if product.kernels > 0.0 { product.inner } else { 0.0 };
            sums.inner += inner;
            match product.role {
                // The router's products are in a wide format, like those inside a mixer.
                Role::Router | Role::StateInner => {}
                Role::StateInput | Role::StateOutput | Role::ExpertLatent => sums.cast += inner,
                _ => {
                    sums.cast += inner;
                    sums.aligned = sums.aligned.min(aligned(product.inner));
                }
            }
            sums.hidden += match product.role {
                Role::Gate | Role::Up => product.outer,
                Role::Down => product.inner,
                _ => 0.0,
            };
        }
        sums
    }

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
