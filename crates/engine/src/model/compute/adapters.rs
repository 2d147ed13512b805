//! The cost of low-rank adapters of a layer's matrices.

use super::blocks::{Layer, Rates};
use super::products::{Block, Products};
use crate::model::adapters::{self, Module};
use crate::model::cost::{Cost, Operations};
use crate::model::routing;
use crate::model::setup::Setup;
use crate::model::transformer::LayerShares;
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

/// Returns the cost of these matrices' adapters over `rows` of tokens: two products each, of rank
/// r.
fn adapter_cost<C: Cost<Operations>>(rates: &Rates, modules: &[Module], rows: f64) -> Layer<C> {
    if !rates.setup.trained.has_adapters() {
        return Layer::default();
    }
    let rank = f64::from(rates.setup.trained.rank);
    let mut block = Block::NONE;
    let (mut streamed, kernels) = (0.0, Kernels::for_setup(rates.setup));
    for module in modules.iter().filter(|module| module.is_used()) {
        let adapter = Block {
            weights: rank * (module.inner + module.outer),
            inner: module.inner + rank,
            outer: rank + module.outer,
            count: 2.0,
            ..Block::NONE
        };
        block = block.with(adapter);
        streamed += kernels.inputs * module.inner + kernels.outputs * module.outer;
    }
    if block.count <= 0.0 || rank <= 0.0 {
        return Layer::default();
    }
    let operands = block.weights + rows * (block.inner + block.outer);
    let products = Products { tokens: rows, operands, ..rates.products(&block) };
    Layer {
        matmul: products.forward(),
        input_gradient: products.input_gradient(),
        weight_gradient: products.weight_gradient(),
        elementwise: rates.streaming(Bytes::new(rates.element() * rows * streamed)),
        ..Layer::default()
    }
    .times(rates.share.adapters)
}

/// Returns the cost of the adapters of attention's matrices.
pub(super) fn beside_attention<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    adapter_cost(rates, &adapters::attention_modules(rates.setup), rates.tokens)
}

/// Returns the cost of the adapters of a recurrent mixer's matrices.
pub(super) fn beside_recurrent<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    adapter_cost(rates, &adapters::recurrent_modules(rates.setup), rates.tokens)
}

/// Returns the cost of the adapters of a dense MLP.
pub(super) fn beside_mlp<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let [dense, _, _] = adapters::widths(rates.setup);
    adapter_cost(rates, &adapters::mlp_modules(rates.setup, dense), rates.tokens)
}

/// Returns the cost of the adapters of the shared experts.
pub(super) fn beside_shared<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let [_, shared, _] = adapters::widths(rates.setup);
    adapter_cost(rates, &adapters::mlp_modules(rates.setup, shared), rates.tokens)
}

/// Returns the cost of the adapters of routed experts, over the token copies that arrive.
pub(super) fn beside_routed<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let [_, _, routed] = adapters::widths(rates.setup);
    adapter_cost(rates, &adapters::expert_modules(rates.setup, routed), routing::received(rates.setup))
}

/// Returns the launches of one layer's adapters, over those of the layer; an adapter kernel of
/// routed experts covers all experts at once.
pub(super) fn launches(setup: &Setup, shares: &LayerShares) -> f64 {
    if !setup.trained.has_adapters() {
        return 0.0;
    }
    let used = |modules: &[Module]| modules.iter().filter(|module| module.is_used()).count() as f64;
    let [dense, shared, routed] = adapters::widths(setup).map(|width| used(&adapters::mlp_modules(setup, width)));
    Kernels::for_setup(setup).launches
        * (shares.attention * used(&adapters::attention_modules(setup))
            + shares.dense() * dense
            + shares.moe * (shared + routed)
            + shares.recurrent * used(&adapters::recurrent_modules(setup)))
}
