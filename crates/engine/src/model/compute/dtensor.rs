//! Costs of tensor parallelism by `DTensor`: dispatch in Python, and copies around collectives.

use crate::model::flops::backward::recomputed;
use crate::model::layer::{self, Block, Layers, Split};
use crate::model::per_rank;
use crate::model::policy::split_blocks;
use crate::model::setup::Setup;
use crate::model::states::recipe_bytes;
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

/// Collectives of a block in each pass: a gather before it and a reduce-scatter after it.
const COLLECTIVES: f64 = 2.0;

/// Returns the bytes of the copies around the collectives of sequence parallelism in one layer,
/// forward and backward. The collectives split the first dimension and the sequence is the second,
/// so that gathered tensors are concatenated anew, and those to be reduced are rearranged
/// (`torch.cat(torch.chunk(...))` in `torch/distributed/_functional_collectives.py`); with one
/// sequence both are views.
///
/// ```text
/// 2 collectives · 2 e b s h
/// ```
///
/// with e bytes an element, read and written.
///
/// ```
/// # use links::decode;
/// # use engine::model::compute::dtensor::copies;
/// // Qwen3 32B, 16 sequences of 4,096 under TP 8: attention and MLP, 671 MB each time.
/// let of = |link: &str| {
///     let run = "cluster=dgx-h100&model=qwen-3-32b&seq=4096&gpus=32&recompute=full&tp=8";
///     let setup = decode(&format!("{run}&{link}")).scenario.setup();
///     copies(&setup, &setup.architecture.layers()).map(|bytes| bytes / 1e9)
/// };
/// let [first, second] = of("mbs=16");
/// assert!((first / (2.0 * 2.0 * 2.0 * 0.671) - 1.0).abs() < 0.01 && (second / first - 2.0).abs() < 1e-9);
/// assert_eq!(of("mbs=1"), [0.0; 2]);
/// ```
pub fn copies(setup: &Setup, layers: &Layers) -> [f64; 2] {
    let splits_sequence = setup.mesh.tp > 1 && setup.tensor.sequence_parallel && setup.batch.micro_batch_size > 1;
    if !splits_sequence || !setup.traits().dispatches_dtensors {
        return [0.0; 2];
    }
    let elements = per_rank::tokens(setup) * f64::from(setup.architecture.hidden_size);
    let once = 2.0 * recipe_bytes(setup.recipe).activation * elements;
    let [all, again] = split_blocks(setup, layers, &setup.policy());
    let passes = 1.0 + recomputed(setup).matmul;
    [COLLECTIVES * all * once, COLLECTIVES * (passes * all + again) * once]
}
