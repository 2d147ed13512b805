//! The cost of low-rank adapters of a layer's matrices.

use super::blocks::{Layer, Rates};
use super::products::{Products, Sums};
use crate::model::adapters;
use crate::model::cost::{Cost, Operations};
use crate::model::layer::{Block, Layers};
use crate::model::routing;
use crate::model::setup::Setup;
use crate::units::Bytes;

/// Traffic and number of the kernels around an adapter's two products.
struct Kernels {
    /// Elements of the input in both passes.
    inputs: f64,
    /// Elements of the output in both passes.
    outputs: f64,
    /// Kernels in one pass over those of a layer without adapters, some thirty-five in a layer of
    /// transformers.
    launches: f64,
}

/// Kernels of a layer of transformers in its forward pass.
pub(super) const OF_A_LAYER: f64 = 35.0;
/// Operator by operator. Forward, the first product reads the input, the second writes the output,
/// which is scaled (2) and added to the matrix's own output (3). Backward, the gradient is scaled
/// (2), both products read it, and the first product's gradients read the input and write its
/// gradient, which is added (3). The launches are a dropout or a cast, two products, a scale and a
/// sum.
const EAGER: Kernels = Kernels { inputs: 6.0, outputs: 10.0, launches: 5.0 / OF_A_LAYER };
/// Fused by a compiler or hand-written kernels: the scale has no traffic of its own.
const FUSED: Kernels = Kernels { inputs: 6.0, outputs: 6.0, launches: 3.0 / OF_A_LAYER };

impl Kernels {
    fn for_setup(setup: &Setup) -> &'static Self {
        if setup.kernels.compile || setup.traits().fused_adapters { &FUSED } else { &EAGER }
    }
}

/// Returns the cost of the adapters of a block's matrices: two products each, of rank r, over the
/// tokens, or over the copies that arrive at routed experts.
pub(super) fn of_block<C: Cost<Operations>>(rates: &Rates, block: Block) -> Layer<C> {
    let setup = rates.setup;
    if !setup.trained.has_adapters() {
        return Layer::default();
    }
    let rank = f64::from(setup.trained.rank);
    let rows = if block == Block::Routed { routing::received(setup) } else { rates.tokens };
    let mut sums = Sums::NONE;
    let (mut streamed, kernels) = (0.0, Kernels::for_setup(setup));
    for module in adapters::modules(setup, block).iter() {
        let adapter = Sums {
            weights: rank * (module.inner + module.outer),
            inner: module.inner + rank,
            outer: rank + module.outer,
            count: 2.0,
            ..Sums::NONE
        };
        sums = sums.with(adapter);
        streamed += kernels.inputs * module.inner + kernels.outputs * module.outer;
    }
    if sums.count <= 0.0 || rank <= 0.0 {
        return Layer::default();
    }
    let operands = sums.weights + rows * (sums.inner + sums.outer);
    let products = Products { tokens: rows, operands, ..rates.products(&sums) };
    let all = Layer {
        matmul: products.forward(),
        input_gradient: products.input_gradient(),
        weight_gradient: products.weight_gradient(),
        elementwise: rates.streaming(Bytes::new(rates.element() * rows * streamed)),
        ..Layer::default()
    };
    all * rates.share.adapters
}

/// Returns the launches of one layer's adapters, over those of the layer; an adapter kernel of
/// routed experts covers all experts at once.
pub(super) fn launches(setup: &Setup, layers: &Layers) -> f64 {
    if !setup.trained.has_adapters() {
        return 0.0;
    }
    Kernels::for_setup(setup).launches * layers.sum(|block| adapters::modules(setup, block).sum(|_| 1.0))
}
