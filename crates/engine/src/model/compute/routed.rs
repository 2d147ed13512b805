//! The products of routed experts, and the element-wise work between and around them.

use super::blocks::{FORWARD_SHARE, Layer, REFERENCE_MLP, Rates, casts};
use super::products::{Products, Sums};
use super::{adapters, block_cost};
use crate::fitted;
use crate::model::cost::{Cost, Operations};
use crate::model::flops::backward::recomputed;
use crate::model::layer::{self, Block};
use crate::model::parallel::Dispatcher;
use crate::model::routing;
use crate::model::setup::Setup;
use crate::units::{Bytes, Seconds};

/// Rows by which grouped products pad each expert's rows on average: half a tile of 128.
pub(in crate::model) const TILE_PADDING: f64 = 64.0;
/// Bytes read and written per element of a routed copy to sort tokens by expert and back, both
/// passes: tokens are sorted before a collective all-to-all and, by expert, after it, and both are
/// undone on the way back: four copies of 16 bits a pass, each read and written.
const SORT_BYTES: f64 = 32.0;
/// Sorting traffic with fused dispatchers, which sort tokens by GPU themselves: copies are put in
/// the experts' order and back, two a pass.
const FUSED_SORT_BYTES: f64 = 16.0;

/// Returns the copies that arrive at one GPU's experts, padded to whole tiles if the products of
/// all experts are one grouped kernel.
pub(super) fn padded_rows(setup: &Setup) -> f64 {
    let chunks = f64::from(setup.experts.chunks.max(1));
    let padding = if setup.experts.grouped { chunks * TILE_PADDING * routing::local_experts(setup) } else { 0.0 };
    routing::received(setup) + padding
}

/// Returns the rate of grouped products over that of dense ones: JAX's kernel for ragged groups
/// reaches less than GPU libraries. Mixtral with fixed-size slots, whose products are dense, is not
/// affected.
fn grouped_over_dense_rate(setup: &Setup) -> f64 {
    if setup.traits().grouped_by_megablox && setup.experts.grouped { fitted::MEGABLOX } else { 1.0 }
}

/// The products of a GPU's experts.
struct Grouped {
    products: Products,
    /// The products as the weight gradient runs them: it contracts each expert's rows separately,
    /// however many experts share a launch and into however many chunks tokens are split.
    weight_gradient: Products,
}

impl Grouped {
    /// Returns the products of experts of these dimensions each, over the copies that arrive.
    fn new(rates: &Rates, expert: &Sums) -> Self {
        let setup = rates.setup;
        let (local, received, rows) = (routing::local_experts(setup), routing::received(setup), padded_rows(setup));
        // Every chunk of the tokens launches its own products.
        let chunks = f64::from(setup.experts.chunks.max(1));
        let grouped = setup.experts.grouped;
        let launches = if grouped { chunks } else { chunks * local };
        let over_dense = grouped_over_dense_rate(setup);
        let products = Products {
            tokens: rows,
            weights: expert.weights,
            inner: expert.inner * launches,
            outer: expert.outer * launches,
            count: expert.count,
            half: rates.half,
            rate: rates.matmul * over_dense,
            rate_of_gradients: rates.gradients * over_dense,
            aligned: expert.aligned,
            memory: setup.accelerator.memory_bandwidth,
            // Padding rows are computed, but not read.
            operands: chunks * local * expert.weights + received * (expert.inner + expert.outer),
            element: rates.element(),
        };
        let contracted = if grouped { rows / local } else { rows };
        Self { products, weight_gradient: Products { count: expert.count * contracted / rows, ..products } }
    }
}

/// Returns the cost of routed experts of one layer on one GPU: grouped products of the copies that
/// arrive, limited by the reads of their weights, and the element-wise work between and around
/// them.
pub(super) fn routed<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let setup = rates.setup;
    let arch = &setup.architecture;
    let local = routing::local_experts(setup);
    let received = routing::received(setup);
    let hidden = arch.expert_hidden_size();
    let list = layer::products(arch, Block::Routed, layer::degree(&setup.mesh, Block::Routed));
    let block = Sums::of(&list, |_| true);
    let chunks = f64::from(setup.experts.chunks.max(1));
    let Grouped { products, weight_gradient } = Grouped::new(rates, &block);
    let read = Bytes::new(rates.element() * chunks * local * block.weights) / rates.memory;
    let sort = match setup.experts.dispatcher {
        Dispatcher::AllToAll => SORT_BYTES,
        Dispatcher::Fused => FUSED_SORT_BYTES,
    };
    let in_blocks = block.hidden / (2.0 * REFERENCE_MLP);
    let gate = if arch.experts.clamped_gate { fitted::UNFUSED_GATE_BYTES * block.hidden } else { 0.0 };
    let activation = 0.5 * setup.overheads.elementwise_bytes * in_blocks + gate;
    let casts = if setup.experts.grouped && setup.experts.fused { 1.0 } else { fitted::EXPERT_CAST_TRAFFIC }
        * casts(setup, block.cast);
    let per_copy = sort * f64::from(hidden) + activation + casts;
    let dequantized = rates.dequantize::<C>(chunks * local * block.weights);
    let matmul = products.forward::<C>().at_least(read) + dequantized.forward;
    let elementwise: C = rates.streaming(Bytes::new(per_copy * received));
    let modules = setup.modules();
    let (products_again, recomputed_elementwise) = if modules.moe || setup.is_tiled(Block::Routed) {
        (matmul, elementwise * FORWARD_SHARE)
    } else if modules.moe_act {
        (C::default(), rates.streaming(Bytes::new(FORWARD_SHARE * activation * received)))
    } else {
        (C::default(), C::default())
    };
    let own = Layer {
        matmul,
        input_gradient: (products.input_gradient::<C>().at_least(read) + dequantized.backward) * rates.share.passed,
        weight_gradient: weight_gradient.weight_gradient::<C>().at_least(read) * rates.share.trained,
        elementwise,
        products_again,
        recomputed_elementwise,
    };
    own + adapters::of_block(rates, Block::Routed)
}

/// Returns the times of one layer's experts alone, forward and backward: routed and shared experts
/// with their router, without attention, the residual stream with its norms, and the exchanges.
pub fn experts_alone(setup: &Setup) -> (Seconds, Seconds) {
    let rates = Rates::new(setup);
    let beside: Layer<Seconds> = block_cost(&rates, Block::Shared);
    let residual = rates.elementwise(Block::Shared, &Sums::NONE);
    let beside = Layer { elementwise: beside.elementwise - residual, ..beside };
    let passes = (routed(&rates) + beside).passes(&recomputed(setup));
    (passes.forward, passes.backward)
}
