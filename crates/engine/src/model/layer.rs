//! A layer of a transformer as a list: its matrix products, with widths, split and biases.
//!
//! Everything that is counted for a layer is a sum over this list: parameters, FLOPs, time, kept
//! activations, adapters, exchanges. A kind of block is a file that lists its products
//! ([`attention`], [`mlp`], [`experts`], [`mixer`]), and so is a kind of attention. [`Layers`] has
//! the number of blocks of each kind, and [`products`] is the list of one of them.

pub mod attention;
pub mod core;
pub mod experts;
pub mod kinds;
mod latent;
pub mod mixer;
pub mod mlp;
pub mod operator;
mod params;

pub use self::core::Core;
use self::core::Kind;
pub use kinds::{Block, Layers};
pub use operator::{Operator, Products, Role, Split};

use super::parallel::Mesh;
use super::transformer::{Architecture, QkNorm};

/// The kinds of attention; the first that a shape has counts.
const KINDS: [Kind; 2] = [latent::KIND, attention::KIND];

/// Returns the kind of a shape's attention.
fn kind(shape: &Architecture) -> &'static Kind {
    KINDS.iter().find(|kind| (kind.is_of)(shape)).unwrap_or(&attention::KIND)
}

/// Returns the products of one block on one of `tp` GPUs of tensor parallelism. Routed experts are
/// one expert, on one of `tp` GPUs of expert-tensor parallelism.
///
/// ```
/// # use engine::model::layer::{Block, products};
/// // Llama 2 7B: four square matrices of 4,096, and three of 4,096 by 11,008.
/// let llama = catalog::model("llama-2-7b").unwrap().architecture;
/// let weights = |block, tp| products(&llama, block, tp).weights();
/// assert_eq!(weights(Block::Attention, 1.0), 4.0 * 4096.0 * 4096.0);
/// assert_eq!(weights(Block::Mlp, 2.0), 3.0 * 4096.0 * 11_008.0 / 2.0);
/// ```
pub fn products(shape: &Architecture, block: Block, tp: f64) -> Products {
    match block {
        Block::Attention => (kind(shape).products)(shape, tp),
        Block::State => mixer::products(shape, tp),
        Block::Mlp => mlp::products(shape, f64::from(shape.intermediate_size), shape.mlp_bias, tp),
        Block::Shared => experts::beside(shape, tp),
        Block::Routed => experts::one(shape, tp),
    }
}

/// Returns the elements of a block's vectors: sinks, corrections of routing, convolutions, decays.
/// Norms are counted with the norms, biases with the products.
pub fn vectors(shape: &Architecture, block: Block) -> f64 {
    match block {
        Block::Attention => (kind(shape).vectors)(shape),
        Block::State => mixer::vectors(&shape.recurrent),
        Block::Shared => experts::vectors(shape),
        Block::Mlp | Block::Routed => 0.0,
    }
}

/// Returns the parameters of one block without its norms: matrices, biases, vectors.
pub fn params(shape: &Architecture, block: Block) -> f64 {
    let products = products(shape, block, 1.0);
    products.weights() + products.biases() + vectors(shape, block)
}

/// Returns the parameters of one block on one of `tp` GPUs without its norms: matrices as they are
/// split, and an equal part of biases and vectors.
pub fn params_on_gpu(shape: &Architecture, block: Block, tp: f64) -> f64 {
    let products = products(shape, block, tp);
    products.held(tp) + (products.biases() + vectors(shape, block)) / tp
}

/// Returns the number of GPUs that split a block's products: those of tensor parallelism, for
/// routed experts of expert-tensor parallelism.
pub fn degree(mesh: &Mesh, block: Block) -> f64 {
    f64::from(if block == Block::Routed { mesh.etp } else { mesh.tp }.max(1))
}

/// Returns the blocks of this kind in one place of a layer that a token passes: k routed experts,
/// otherwise 1.
pub fn passed(shape: &Architecture, block: Block) -> f64 {
    if block == Block::Routed { f64::from(shape.experts.top_k()) } else { 1.0 }
}

/// Returns the weights of one layer that enter the matrix products of a token, averaged over
/// layers, without biases and norms: projections and MLP; in expert layers the experts that the
/// token is sent to, the shared experts and the router. `of` returns those of a product that count.
pub fn weights_per_token(shape: &Architecture, of: impl Fn(Block, &Operator) -> f64) -> f64 {
    shape.layers().sum(|block| passed(shape, block) * products(shape, block, 1.0).sum(|product| of(block, product)))
}

/// Returns the elements of the largest matrix of a layer on one GPU, with `stacked` matrices of a
/// block in one tensor.
pub fn largest(shape: &Architecture, mesh: &Mesh, stacked: impl Fn(Block) -> f64) -> f64 {
    let layers = shape.layers();
    let present = Block::ALL.into_iter().filter(|&block| layers.blocks(block) > 0.0);
    let sizes = present.map(|block| {
        let products = products(shape, block, degree(mesh, block));
        stacked(block) * products.iter().map(|product| product.weights).fold(0.0, f64::max)
    });
    sizes.fold(0.0, f64::max)
}

/// Returns the parameters of the norms inside attention: of queries and keys, `2 d` per head or
/// `(n_q + n_kv) d`, and of latent ranks.
pub fn norm_params(shape: &Architecture) -> f64 {
    let heads = match shape.qk_norm {
        QkNorm::None => 0.0,
        QkNorm::PerHead => 2.0,
        QkNorm::Full => f64::from(shape.num_attention_heads) + f64::from(shape.num_key_value_heads),
    };
    heads * f64::from(shape.head_dim) + (kind(shape).norms)(shape)
}

impl Architecture {
    /// Returns the core of the model's attention.
    pub fn core(&self) -> Core {
        (kind(self).core)(self)
    }

    /// Returns the width of all heads' queries, `n_q d`.
    pub fn query_width(&self) -> f64 {
        self.core().query()
    }

    /// Returns the mean width of keys and values, `n_kv d`, as attention computes them.
    pub fn key_value_width(&self) -> f64 {
        self.core().key_value()
    }
}
