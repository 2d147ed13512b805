//! The cost of a layer's blocks: their matrix products and their element-wise work.

use super::products::{Products, Sums};
use super::{REFERENCE_WIDTH, gradient_rate, matmul_rate, memory_rate};
use crate::model::cost::{Cost, Operations};
use crate::model::flops::backward::{Backward, Recomputed};
use crate::model::framework;
use crate::model::layer::Block;
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::software::NormKernel;
use crate::model::states;
use crate::model::trained::ProductsKeep;
use crate::model::training::ComputeFormat;
use crate::model::transformer::Norm;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond};
use core::ops::{Add, Mul};

/// Share of the element-wise traffic that belongs to the forward pass; the rest is backward.
pub(super) const FORWARD_SHARE: f64 = 1.0 / 3.0;
/// Bytes read and written per element of a product's input to cast it to 8 bits and to transpose
/// it, both passes.
pub(super) const CAST_BYTES: f64 = 12.0;

/// Bytes that AutoGPTQ's PyTorch kernel reads and writes for each 4-bit weight: eight weights are
/// shifted out of an integer of 4 bytes (reads 0.5, writes 4), narrowed to 1 byte (4, 1), masked
/// (1, 1), reduced by their zero point (1, 1), and scaled (1, 2) (`qlinear_cuda_old.py`, v0.4.2).
const BY_OPERATORS: f64 = 0.5 + 4.0 + 4.0 + 1.0 + 1.0 + 1.0 + 1.0 + 1.0 + 1.0 + 2.0;

/// Width of an MLP's hidden tensors over H, averaged over its products, for which the element-wise
/// traffic is given: two hidden tensors of `F = 4 H`.
pub(super) const REFERENCE_MLP: f64 = 4.0;

/// Products and norms of a layer that are recomputed.
#[derive(Clone, Copy)]
pub(super) struct Repeated {
    pub(super) products: Sums,
    /// Number of norms.
    pub(super) norms: f64,
}

/// Parameters of the cost of a setup's blocks.
pub(super) struct Rates<'a> {
    pub(super) setup: &'a Setup,
    pub(super) tokens: f64,
    pub(super) half: f64,
    pub(super) matmul: FlopsPerSecond,
    /// Rate of weight-gradient products.
    pub(super) gradients: FlopsPerSecond,
    pub(super) memory: BytesPerSecond,
    /// Share of the backward pass that is computed.
    pub(super) share: Backward,
}

impl<'a> Rates<'a> {
    pub(super) fn new(setup: &'a Setup) -> Self {
        Self {
            setup,
            tokens: per_rank::tokens(setup),
            half: setup.accelerator.efficiency.half_saturation_tokens * REFERENCE_WIDTH,
            matmul: matmul_rate(setup),
            gradients: gradient_rate(setup),
            memory: memory_rate(setup),
            share: Backward::new(setup),
        }
    }

    /// Returns the cost of dequantizing a matrix of `weights` elements to 16 bits, forward and
    /// backward: a kernel reads the matrix and writes its copy in either pass, or operators do so
    /// in the forward pass alone and the copy is kept.
    pub(super) fn dequantize<C: Cost<Operations>>(&self, weights: f64) -> Passes<C> {
        if !self.setup.dequantizes() {
            return Passes { forward: C::default(), backward: C::default() };
        }
        let streaming = |bytes: f64| self.streaming(Bytes::new(bytes * weights));
        match self.setup.trained.kept_by_products() {
            ProductsKeep::Matrices => Passes { forward: streaming(BY_OPERATORS), backward: C::default() },
            ProductsKeep::Nothing | ProductsKeep::Inputs => {
                let once = streaming(self.setup.trained.base.bytes() + self.element());
                Passes { forward: once, backward: once }
            }
        }
    }

    /// Returns the bytes of an element of an activation.
    pub(super) fn element(&self) -> f64 {
        states::recipe_bytes(self.setup.recipe).activation
    }

    /// Returns the cost of reading and writing `bytes` of the GPU's memory.
    pub(super) fn streaming<C: Cost<Operations>>(&self, bytes: Bytes) -> C {
        C::new(bytes / self.memory, || Operations::streaming(bytes))
    }

    pub(super) fn products(&self, block: &Sums) -> Products {
        Products {
            tokens: self.tokens,
            weights: block.weights,
            inner: block.inner,
            outer: block.outer,
            count: block.count,
            half: self.half,
            rate: self.matmul,
            rate_of_gradients: self.gradients,
            aligned: block.aligned,
            memory: self.setup.accelerator.memory_bandwidth,
            operands: block.weights + self.tokens * (block.inner + block.outer),
            element: self.element(),
        }
    }

    /// Returns the forward pass's element-wise traffic of recomputed work: hidden tensors, and
    /// norms, which read their input and write their output.
    fn recomputed_elementwise<C: Cost<Operations>>(&self, again: &Repeated) -> C {
        const PASSES: f64 = 2.0;
        let hidden = f64::from(self.setup.architecture.hidden_size);
        let in_blocks = again.products.hidden / (2.0 * REFERENCE_MLP * hidden);
        let hidden_tensors = self.setup.overheads.elementwise_bytes * hidden * 0.5 * in_blocks;
        let forward = FORWARD_SHARE * (hidden_tensors + casts(self.setup, again.products.cast));
        let norms = PASSES * self.element() * hidden * per_rank::sequence_share(self.setup) * again.norms;
        self.streaming(Bytes::new((forward + norms) * self.tokens))
    }

    /// Returns the element-wise traffic of a block, both passes: on the residual stream, with the
    /// block's norms, and on the hidden tensors between its products.
    pub(super) fn elementwise<C: Cost<Operations>>(&self, block: Block, products: &Sums) -> C {
        let setup = self.setup;
        let hidden = f64::from(setup.architecture.hidden_size);
        let in_blocks = products.hidden / (2.0 * REFERENCE_MLP * hidden);
        let shared = per_rank::sequence_share(setup);
        let per_channel = setup.overheads.elementwise_bytes * 0.5 * (RESIDUAL_OF_BLOCK * shared + in_blocks)
            + norm_bytes(setup) * shared;
        let turned = if block == Block::Attention { rotary(setup) } else { 0.0 };
        self.streaming(Bytes::new((per_channel * hidden + turned + casts(setup, products.cast)) * self.tokens))
    }
}

/// Share of a layer's element-wise work on the residual stream that belongs to one of its two
/// blocks.
const RESIDUAL_OF_BLOCK: f64 = 0.5;

/// Bytes that a fused norm reads and writes per element, in 16 bits: forward `2+2`, backward
/// `2+2+2` and for the weights' gradients `2+2`.
const FUSED_NORM: f64 = 4.0 + 10.0;

/// Bytes that one layer norm reads and writes per element beyond a fused kernel's, forward and
/// backward, if autocast runs it in fp32: one kernel between two casts, with 2 bytes an element in
/// 16 bits and 4 in 32. Forward `2+4, 4+4, 4+2` against a fused kernel's `2+2`, backward `2+4,
/// 4+4+4, 4+4, 4+2` against `2+2+2, 2+2`.
const LAYER_NORM_IN_FP32: f64 = (20.0 + 32.0) - FUSED_NORM;

/// Bytes that one root-mean-square norm reads and writes per element beyond a fused kernel's,
/// operator by operator in fp32 (`LlamaRMSNorm`). Forward the input is cast (2+4), squared (4+4),
/// averaged (4), scaled (4+4), cast (4+2) and weighted (2+2), against a fused kernel's `2+2`;
/// backward about twice as much.
const RMS_NORM_IN_FP32: f64 = (36.0 + 60.0) - FUSED_NORM;

/// Returns the traffic of a block's norms in bytes per element: of unfused ones what they read and
/// write beyond fused ones, and of each norm more or less than one, of which the residual stream's
/// traffic has one, all.
fn norm_bytes(setup: &Setup) -> f64 {
    let norms = setup.architecture.norms_per_block();
    let in_fp32 = match setup.architecture.norm {
        Norm::Layer | Norm::LayerNoBias => LAYER_NORM_IN_FP32,
        Norm::Rms => RMS_NORM_IN_FP32,
    };
    let is_fused = setup.kernels.norms == NormKernel::Fused || setup.kernels.compile;
    (norms - 1.0) * FUSED_NORM + if is_fused { 0.0 } else { norms * in_fp32 }
}

/// Bytes that rotary positions read and write per element of queries and keys in PyTorch, operator
/// by operator: forward half of the channels are negated and both halves joined (2 + 4), both
/// copies are multiplied (2 x 4) and added (6); backward costs as much again.
const ROTARY: f64 = 2.0 * 20.0;

/// Returns the traffic of unfused rotary positions in a layer with attention, in bytes per token.
fn rotary(setup: &Setup) -> f64 {
    let arch = &setup.architecture;
    // Models with layer norms and no learned positions bias their scores instead (ALiBi).
    let turns = arch.norm == Norm::Rms && arch.learned_positions == 0;
    if !turns || setup.kernels.compile || setup.traits().layers == framework::Layers::Own {
        return 0.0;
    }
    let tp = f64::from(setup.mesh.tp.max(1));
    let core = arch.core();
    ROTARY * (core.query() / tp + core.key_value_over(tp))
}

/// Returns the bytes of casting inputs of this width to 8 bits, if products run in 8 or 4 bits.
pub(super) fn casts(setup: &Setup, width: f64) -> f64 {
    match setup.compute_format {
        ComputeFormat::AsPolicy => 0.0,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather | ComputeFormat::Fp4 => CAST_BYTES * width,
    }
}

/// The cost of one kind of work, forward and backward.
#[derive(Clone, Copy, Default)]
pub(super) struct Passes<C> {
    pub(super) forward: C,
    pub(super) backward: C,
}

impl<C: Cost<Operations>> Mul<f64> for Passes<C> {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self { forward: self.forward * times, backward: self.backward * times }
    }
}

/// The cost of one layer's products and element-wise work.
#[derive(Clone, Copy, Default)]
pub(super) struct Layer<C> {
    pub(super) matmul: C,
    pub(super) input_gradient: C,
    pub(super) weight_gradient: C,
    pub(super) elementwise: C,
    /// Forward products of single modules that the backward pass recomputes.
    pub(super) products_again: C,
    /// Element-wise work of single modules that the backward pass recomputes.
    pub(super) recomputed_elementwise: C,
}

impl<C: Cost<Operations>> Add for Layer<C> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            matmul: self.matmul + other.matmul,
            input_gradient: self.input_gradient + other.input_gradient,
            weight_gradient: self.weight_gradient + other.weight_gradient,
            elementwise: self.elementwise + other.elementwise,
            products_again: self.products_again + other.products_again,
            recomputed_elementwise: self.recomputed_elementwise + other.recomputed_elementwise,
        }
    }
}

impl<C: Cost<Operations>> Mul<f64> for Layer<C> {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self {
            matmul: self.matmul * times,
            input_gradient: self.input_gradient * times,
            weight_gradient: self.weight_gradient * times,
            elementwise: self.elementwise * times,
            products_again: self.products_again * times,
            recomputed_elementwise: self.recomputed_elementwise * times,
        }
    }
}

impl<C: Cost<Operations>> Layer<C> {
    /// Returns the products of a block, without its element-wise work.
    pub(super) fn products_only(rates: &Rates, sums: &Sums) -> Self {
        let (products, share) = (rates.products(sums), &rates.share);
        let dequantized = rates.dequantize::<C>(sums.weights);
        Self {
            matmul: products.forward::<C>() + dequantized.forward,
            input_gradient: (products.input_gradient::<C>() + dequantized.backward) * share.passed,
            weight_gradient: products.weight_gradient::<C>() * share.trained,
            ..Self::default()
        }
    }

    /// Returns the layer with the work that the backward pass recomputes for single modules.
    pub(super) fn repeating(self, rates: &Rates, again: &Repeated) -> Self {
        if again.products.count <= 0.0 && again.norms <= 0.0 {
            return self;
        }
        Self {
            products_again: self.products_again + rates.products(&again.products).forward(),
            recomputed_elementwise: self.recomputed_elementwise + rates.recomputed_elementwise(again),
            ..self
        }
    }

    /// Returns both passes, including recomputation.
    pub(super) fn passes(&self, again: &Recomputed) -> Passes<C> {
        let streams = self.elementwise * ((1.0 - FORWARD_SHARE) * again.backward);
        let backward = self.input_gradient + self.weight_gradient + streams;
        let recomputed = self.matmul * again.matmul + self.elementwise * (again.elementwise * FORWARD_SHARE);
        let modules = self.products_again + self.recomputed_elementwise;
        Passes { forward: self.matmul + self.elementwise * FORWARD_SHARE, backward: backward + recomputed + modules }
    }

    /// Returns the products of all passes, including recomputation.
    pub(super) fn products(&self, again: &Recomputed) -> C {
        self.matmul * (1.0 + again.matmul) + self.input_gradient + self.weight_gradient + self.products_again
    }

    /// Returns the element-wise work of both passes, including recomputation.
    pub(super) fn streams(&self, again: &Recomputed) -> C {
        let passes = 1.0 - (1.0 - FORWARD_SHARE) * (1.0 - again.backward);
        self.elementwise * (passes + again.elementwise * FORWARD_SHARE) + self.recomputed_elementwise
    }
}
