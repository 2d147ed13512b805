//! Host time of tensor parallelism that dispatches each operator on a `DTensor`, in Python.

use crate::model::layer::{self, Block, Layers, Split};
use crate::model::setup::Setup;
use crate::model::transformer::QkNorm;
use crate::units::Seconds;

/// Host time of one operator on a `DTensor`: `aten.detach` takes 133 us, on a plain tensor 4.8 us
/// (github pytorch/pytorch #160580, August 2025; 336 us before it).
const OPERATOR: Seconds = Seconds::from_ms(0.133);

/// Operations on `DTensor`s around a product: from and to a local tensor, redistribution, the
/// transposed weight, and the product between two views (`torch/distributed/tensor/parallel/
/// style.py`, `ColwiseParallel` and `RowwiseParallel`).
const OF_A_PRODUCT: f64 = 7.0;

/// Operations of a norm whose sequence is split: from and to a local tensor, redistribution of its
/// weight and of its output, and the norm (`SequenceParallel`).
const OF_A_NORM: f64 = 5.0;

/// Returns the host time that `DTensor`s add to a layer's forward pass; zero if they do not exist
/// or a compiler traces through them.
///
/// ```text
/// (7 products + 5 norms under sequence parallelism) τ
/// ```
///
/// Eager tensor parallelism of Qwen3 32B over 8 H100, one sequence of 2,048, full recomputation:
/// 1.35 s with transformers' models, 2.03 s with torchtitan, which also splits the sequence (github
/// tohtana/benchmark_tp, PyTorch 2.9).
///
/// ```
/// # use links::decode;
/// let step = |link: &str| {
///     let run = "cluster=dgx-h100&model=qwen-3-32b&seq=2048&gpus=8&recompute=full&recipe=pure-bf16&strategy=ddp&tp=8";
///     decode(&format!("{run}&{link}")).scenario.report().update.time.step.get()
/// };
/// let (transformers, torchtitan) = (step("sp=no&framework=transformers"), step("framework=pytorch"));
/// assert!((transformers / 1.354 - 1.0).abs() < 0.12, "{transformers}");
/// assert!((torchtitan / 2.028 - 1.0).abs() < 0.12, "{torchtitan}");
/// // Compiled, they cost nothing.
/// assert!(step("compile=yes") < 0.35);
/// ```
pub fn forward(setup: &Setup, layers: &Layers) -> Seconds {
    if setup.mesh.tp <= 1 || setup.kernels.compile || !setup.traits().dispatches_dtensors {
        return Seconds::ZERO;
    }
    let architecture = &setup.architecture;
    let products = layers.sum(|block| match block {
        // Grouped products of experts run on local tensors.
        Block::Routed => 0.0,
        _ => layer::products(architecture, block, layer::degree(&setup.mesh, block))
            .sum(|product| f64::from(u8::from(matches!(product.split, Split::Columns | Split::Rows)))),
    });
    let norms = if setup.tensor.sequence_parallel {
        let of_heads = if architecture.qk_norm == QkNorm::None { 0.0 } else { 2.0 };
        layers.count() * architecture.norms_per_block() + layers.blocks(Block::Attention) * of_heads
    } else {
        0.0
    };
    (OF_A_PRODUCT * products + OF_A_NORM * norms) * OPERATOR
}
