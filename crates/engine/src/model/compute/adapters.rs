//! The cost of low-rank adapters beside a layer's matrices.

use super::blocks::{Block, Layer, Products, Rates};
use crate::model::adapters::{self, Module};
use crate::model::cost::{Cost, Operations};
use crate::model::experts;
use crate::model::setup::Setup;
use crate::units::Bytes;

/// Elements of an adapter's input and output that its kernels read and write in both passes: forward the first product reads the
/// input, the second writes the output, which is scaled and added to the matrix's own (1 and 6); backward the same in reverse, and
/// both products' gradients of weights read them once more.
const INPUTS: f64 = 6.0;
const OUTPUTS: f64 = 10.0;

/// Kernels of an adapter in one pass over those of a layer without adapters: a dropout or a cast, two products, a scale and a sum
/// beside some thirty-five of a layer of transformers.
const LAUNCHES: f64 = 5.0 / 35.0;

/// Adapters beside these matrices, over `rows` of tokens: two products each, of rank r.
fn of_adapters<C: Cost<Operations>>(rates: &Rates, modules: &[Module], rows: f64) -> Layer<C> {
    let rank = f64::from(rates.setup.trained.rank);
    let mut block = Block::NONE;
    let mut streamed = 0.0;
    for module in modules.iter().filter(|module| module.is_used()) {
        let adapter = Block {
            weights: rank * (module.inner + module.outer),
            inner: module.inner + rank,
            outer: rank + module.outer,
            count: 2.0,
            ..Block::NONE
        };
        block = block.with(adapter);
        streamed += INPUTS * module.inner + OUTPUTS * module.outer;
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

/// Adapters beside attention's matrices.
pub(super) fn beside_attention<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    of_adapters(rates, &adapters::of_attention(rates.setup), rates.tokens)
}

/// Adapters beside a dense MLP's.
pub(super) fn beside_mlp<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let [dense, _, _] = adapters::widths(rates.setup);
    of_adapters(rates, &adapters::of_mlp(rates.setup, dense), rates.tokens)
}

/// Adapters beside the shared experts'.
pub(super) fn beside_shared<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let [_, shared, _] = adapters::widths(rates.setup);
    of_adapters(rates, &adapters::of_mlp(rates.setup, shared), rates.tokens)
}

/// Adapters beside the routed experts', over the copies that arrive.
pub(super) fn beside_routed<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let [_, _, routed] = adapters::widths(rates.setup);
    of_adapters(rates, &adapters::of_mlp(rates.setup, routed), experts::received(rates.setup))
}

/// Launches of the adapters of one layer, over those of the layer; routed experts' are of all experts at once.
pub(super) fn launches(setup: &Setup, moe_share: f64) -> f64 {
    let used = |modules: &[Module]| modules.iter().filter(|module| module.is_used()).count() as f64;
    let [dense, shared, routed] = adapters::widths(setup).map(|width| used(&adapters::of_mlp(setup, width)));
    LAUNCHES * (used(&adapters::of_attention(setup)) + (1.0 - moe_share) * dense + moe_share * (shared + routed))
}
