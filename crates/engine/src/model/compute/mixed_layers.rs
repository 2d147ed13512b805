//! The cost of layers that are not attention and an MLP: the mean over a list of layers, block by
//! block.

use super::blocks::{Layer, Rates, Repeated};
use super::products::{Block, mlp, projections, router_and_shared};
use super::{adapters, modules, recurrent};
use crate::model::cost::{Cost, Operations};
use crate::model::transformer::LayerShares;

/// Returns the cost of one layer, averaged over layers with the block shares `shares`, for models
/// in which not every layer has attention and an MLP.
pub(super) fn mean_layer<C: Cost<Operations>>(rates: &Rates, shares: &LayerShares, experts: Layer<C>) -> Layer<C> {
    let setup = rates.setup;
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let of = |share: f64, block: &Block, again: Repeated, beside: Layer<C>| {
        if share <= 0.0 {
            return Layer::default();
        }
        let alone =
            Layer { elementwise: rates.elementwise_of(block, HALF_A_LAYER), ..Layer::<C>::from_block(rates, block) };
        alone.repeating(rates, &again).plus(beside).times(share)
    };
    let attention = of(
        shares.attention,
        &projections(arch, tp),
        modules::recomputed_attention(setup, tp),
        adapters::beside_attention(rates),
    );
    let state = of(shares.recurrent, &recurrent::products(arch, tp), Repeated::NONE, adapters::beside_recurrent(rates));
    let dense_mlp = mlp(arch, f64::from(arch.intermediate_size) / tp);
    let dense = of(shares.dense(), &dense_mlp, modules::recomputed_mlp(setup, tp), adapters::beside_mlp(rates));
    let beside_experts = adapters::beside_shared(rates).plus(experts);
    let moe =
        of(shares.moe, &router_and_shared(arch, tp), modules::recomputed_shared_experts(setup, tp), beside_experts);
    attention.plus(state).plus(dense).plus(moe)
}

/// Returns the products of matrices that no field of the architecture describes, averaged over
/// layers; none if the model has fewer parameters than its fields add up to.
pub(super) fn uncounted_matrices<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let arch = &rates.setup.architecture;
    let matrices = arch.extra_layer_params();
    if matrices <= 0 {
        return Layer::default();
    }
    let hidden = f64::from(arch.hidden_size);
    let matrices = matrices as f64 / f64::from(arch.num_hidden_layers.max(1));
    let weights = matrices / f64::from(rates.setup.mesh.tp.max(1));
    let block = Block { weights, inner: hidden, outer: weights / hidden, count: 1.0, ..Block::NONE };
    Layer { elementwise: C::default(), ..Layer::from_block(rates, &block) }
}

/// Share of a layer's element-wise work on the residual stream that belongs to one of its two
/// blocks.
const HALF_A_LAYER: f64 = 0.5;
