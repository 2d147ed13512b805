//! Blocks that PyTorch's caching allocator holds under nanotron beyond allocated tensors.

use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::training::Sharding;

/// Kernels that the host can launch before the GPU has run the first of them: the depth of CUDA's
/// queue.
const QUEUE: f64 = 1024.0;
/// Kernels of one layer's forward and backward pass in nanotron's Llama under tensor parallelism,
/// including collectives.
const FORWARD_LAUNCHES: f64 = 37.0;
const BACKWARD_LAUNCHES: f64 = 59.0;
/// Tensors of all tokens and the full width that a layer passes to a reduction in each pass:
/// forward the outputs of the two products that a reduce-scatter adds up, backward the gradients of
/// the two gathered inputs.
const REDUCED: f64 = 2.0;
/// Such tensors in the current layer: one reduced, one that the next product writes.
const IN_WORK: f64 = 2.0;
/// Buffers for gathered inputs and gathered gradients, one each for all layers (`MemoryBuffer`).
const BUFFERS: f64 = 2.0;
/// GPUs of a pipeline from which messages between its stages stall almost always
/// (docs/book/accuracy/unexplained.md), so that the GPU is never behind the host.
const STALLS: u32 = 256;
/// Largest number of stages with which a host runs ahead of its GPU between messages.
const STAGES: u32 = 2;
/// GPUs of a tensor-parallel group, over four nodes of the sweep, from which no pipeline holds such
/// tensors.
const WIDE: u32 = 32;
/// Fragmentation as a share of the activations of micro-batches in flight: blocks split for one
/// micro-batch that do not fit tensors of the next.
const HOLES: f64 = 0.11;
/// Bytes of a gathered weight after ZeRO's update.
const GATHERED: f64 = 2.0;
/// Share of the flat block of gathered weights that activations cannot reuse.
const FLAT: f64 = 0.7;

/// Returns the bytes held on a GPU of a stage with `kept` bytes of activations.
///
/// - A block that a collective's stream has used becomes free only when the stream has passed the
///   use (`recordStream`). If the host runs ahead of the GPU, every reduced tensor of the last
///   [`QUEUE`] launches is therefore still allocated: `2 QUEUE / launches` tensors of `T H`
///   elements, however many layers there are.
/// - Pipelines have the fragmentation [`HOLES`].
/// - ZeRO's all-gather writes all weights to one flat block (`all_gather_coalesced`), larger than
///   any that a layer frees.
///
/// Source: github huggingface/nanotron, branch nouamane/bench2, which ran the ultra-scale
/// playbook's sweep. A simulation of the allocator over the tensors of its 1B, 3B, 8B and 80B
/// models matches the measured peaks of runs without a pipeline within 1 to 4 % in the median at
/// every degree of tensor parallelism.
pub(super) fn held_bytes(setup: &Setup, stage: &Stage, kept: f64) -> f64 {
    let mesh = &setup.mesh;
    let holes = if mesh.pp > 1 { HOLES * kept } else { 0.0 };
    let shards = setup.sharding == Sharding::Zero1 && mesh.shard_group() > 1;
    let flat = if shards { FLAT * GATHERED * stage.params.held.all() } else { 0.0 };
    let full = f64::from(setup.architecture.hidden_size) * per_rank::tokens(setup) * ELEMENT;
    holes + flat + full * full_width(setup, stage)
}

/// Bytes of an element of an activation.
const ELEMENT: f64 = 2.0;

/// Returns the number of tensors of all tokens and the full width that the allocator holds.
fn full_width(setup: &Setup, stage: &Stage) -> f64 {
    let mesh = &setup.mesh;
    if mesh.tp <= 1 {
        return 0.0;
    }
    let here = IN_WORK + if setup.tensor.sequence_parallel { BUFFERS } else { 0.0 };
    let layers = f64::from(stage.layers);
    if mesh.pp <= 1 {
        // At the loss: tensors of the forward pass, and of the previous micro-batch as far as the
        // queue reaches back.
        let forward = if layers < QUEUE / FORWARD_LAUNCHES { layers } else { QUEUE / FORWARD_LAUNCHES };
        let left = QUEUE - forward * FORWARD_LAUNCHES;
        let backward = if setup.batch.grad_accum_steps > 1 { left / BACKWARD_LAUNCHES } else { 0.0 };
        here + REDUCED * (forward + backward)
    } else if mesh.pp > STAGES && mesh.tp < WIDE && mesh.gpus() < STALLS {
        here + REDUCED * QUEUE / f64::midpoint(FORWARD_LAUNCHES, BACKWARD_LAUNCHES)
    } else {
        here
    }
}
