//! Asynchronous tensor parallelism, which overlaps its exchanges with matrix products in one chunk
//! a GPU: exposed time, and cost of the chunks (PyTorch
//! `torch/distributed/_symmetric_memory/__init__.py`, `_pipelined_all_gather_and_consume`,
//! `_pipelined_produce_and_all2all`, `_fused_matmul_reduce_scatter_impl`).

use crate::model::compute::{REFERENCE_WIDTH, memory_rate};
use crate::model::flops::layer_matmul_params;
use crate::model::hardware::Generation;
use crate::model::layer::{self, Block, Layers, Split};
use crate::model::per_rank;
use crate::model::schedule::overlap_block;
use crate::model::setup::Setup;
use crate::units::{Bytes, Flops, Seconds};

/// Operations of one multiplication and addition.
const MULTIPLY_ADD: f64 = 2.0;
/// Reads and writes of the GPU's own chunk per pair of exchanges, beyond those of the final sum:
/// the copy (read, write) to the buffer that other GPUs read, and the sum's result.
const OWN_CHUNK: f64 = 3.0;

/// Returns the exposed time of exchanges over n GPUs that take `comm`, overlapped with products
/// that take `compute`. The GPU's own chunk is multiplied at once, the others during n-1 copies,
/// slowed by the contention σ: `max(g, min(σ c, c + (1 - 1/σ) g)) - c` with g = comm and `c =
/// (n-1)/n compute` ([`overlap_block`]).
///
/// ```
/// # use engine::model::comm::asynchronous::beside_products;
/// # use engine::units::Seconds;
/// let shows = |comm, compute| beside_products(Seconds::from_us(comm), Seconds::from_us(compute), 8.0, 1.25).us();
/// // Under long products a fifth of the copies' time, by which they slow them; without products all of it.
/// assert!((shows(100.0, 10_000.0) - 20.0).abs() < 1e-9);
/// assert!((shows(100.0, 0.0) - 100.0).abs() < 1e-9);
/// // As long as the products: these wait for the first chunk.
/// assert!((shows(800.0, 800.0) - 160.0).abs() < 1e-9);
/// ```
pub fn beside_products(comm: Seconds, compute: Seconds, gpus: f64, contention: f64) -> Seconds {
    let compute = compute * ((gpus - 1.0) / gpus);
    overlap_block(compute, comm, contention).both - compute
}

/// Returns the memory traffic that no product hides for one all-gather and one reduce-scatter of
/// `size` bytes S over n GPUs: the own chunk is copied to the buffer that other GPUs read, `2 S/n`,
/// and the n partial sums are added at the end, `S + S/n`.
///
/// ```
/// # use engine::model::comm::asynchronous::chunk_traffic;
/// # use engine::units::Bytes;
/// assert_eq!(chunk_traffic(Bytes::new(800.0), 8.0).get(), 1_100.0);
/// ```
pub fn chunk_traffic(size: Bytes, gpus: f64) -> Bytes {
    size * (1.0 + OWN_CHUNK / gpus)
}

/// Returns the FLOPs that n chunks of a product of an m x k by a k x n' matrix cost beyond the
/// unsplit product: each has a last wave of tiles that fills the GPU partly, `2 k A`, with A the
/// output size that halves the rate; so `(n-1) 2 k A`.
///
/// ```
/// # use engine::model::comm::asynchronous::chunk_tails;
/// // Eight chunks of 2,048 rows, 6,656 columns and 16,384 inner on an H100 (A of half a wave of 132 tiles of 128 x 256): 15 % more each.
/// let (rows, columns, inner, half) = (16_384.0, 6_656.0, 16_384.0, 132.0 * 128.0 * 256.0 / 2.0);
/// let longer = chunk_tails(8.0, inner, half).get() / (2.0 * rows * columns * inner);
/// assert!((longer - 7.0 / 8.0 * half / (2_048.0 * columns)).abs() < 1e-12);
/// ```
pub fn chunk_tails(gpus: f64, inner: f64, half: f64) -> Flops {
    Flops::new((gpus - 1.0) * MULTIPLY_ADD * inner * half)
}

/// Times that asynchronous exchanges add to one layer apart from exposed communication. Zero on
/// accelerators whose compiler splits the whole graph and which have no waves of tiles: their
/// compilers add partial sums in the products.
#[derive(Default)]
pub(super) struct Chunks {
    /// The memory traffic of one pair of exchanges.
    pub(super) pair: Seconds,
    /// Partial last waves of the chunks of one pass.
    pub(super) tails: Seconds,
}

impl Chunks {
    /// Returns the times for exchanges of `size` bytes under products that take `products` in the
    /// forward pass.
    pub(super) fn new(setup: &Setup, layers: &Layers, blocks: f64, size: Bytes, products: Seconds) -> Self {
        if matches!(setup.accelerator.generation, Generation::Gaudi | Generation::Tpu | Generation::Trainium) {
            return Self::default();
        }
        let arch = &setup.architecture;
        let gpus = f64::from(setup.mesh.tp.max(1));
        let half = setup.accelerator.efficiency.half_saturation_tokens * REFERENCE_WIDTH;
        let inner = inner(setup, layers, blocks, gpus);
        let flops = MULTIPLY_ADD * per_rank::tokens(setup) * layer_matmul_params(arch) / gpus;
        let all = flops + MULTIPLY_ADD * inner * half;
        let longer = if all > 0.0 { chunk_tails(gpus, inner, half).get() / all } else { 0.0 };
        Self { pair: chunk_traffic(size, gpus) / memory_rate(setup), tails: longer * products }
    }
}

/// Returns the summed inner dimensions of the products that overlap with exchanges, on one of
/// `gpus` GPUs: the hidden size for products into a block, the GPU's part of the block's width for
/// those out of it.
fn inner(setup: &Setup, layers: &Layers, blocks: f64, gpus: f64) -> f64 {
    let arch = &setup.architecture;
    let rows = layers.sum(|block| {
        let products = layer::products(arch, block, gpus);
        let rows = products.sum(|product| if product.split == Split::Rows { product.inner } else { 0.0 });
        if block == Block::Routed { 0.0 } else { rows }
    });
    blocks * f64::from(arch.hidden_size) + rows
}
