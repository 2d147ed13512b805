//! Blocks that PyTorch's caching allocator holds under nanotron beyond what is alive.

use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::training::Sharding;

/// Kernels that the host can launch before the GPU has run the first of them: the depth of CUDA's
/// queue.
const QUEUE: f64 = 1024.0;
/// Kernels of one layer's forward and backward pass in nanotron's Llama under tensor parallelism,
/// collectives among them.
const FORWARD_LAUNCHES: f64 = 37.0;
const BACKWARD_LAUNCHES: f64 = 59.0;
/// Tensors of all tokens and the full width that a layer gives to a reduction in each pass: forward
/// the outputs of the two products that a reduce-scatter adds up, backward the gradients of the two
/// gathered inputs.
const REDUCED: f64 = 2.0;
/// The same in the layer in work: one reduced, one that the next product writes.
const IN_WORK: f64 = 2.0;
/// Buffers for gathered inputs and gathered gradients, one each for all layers (`MemoryBuffer`).
const BUFFERS: f64 = 2.0;
/// GPUs of a pipeline from which messages between its stages stall nearly always
/// (docs/book/accuracy/unexplained.md), so that the GPU is never behind.
const STALLS: u32 = 256;
/// Stages between whose messages a host runs ahead of its GPU.
const STAGES: u32 = 2;
/// GPUs of a tensor-parallel group, over four nodes of the sweep, at which no pipeline of it holds
/// any.
const WIDE: u32 = 32;
/// Share of the activations of micro-batches in flight that is holes: blocks split for one
/// micro-batch that fit no tensor of the next.
const HOLES: f64 = 0.11;
/// Bytes of a weight as gathered after ZeRO's update.
const GATHERED: f64 = 2.0;
/// Share of the flat block of these that no activation finds room in.
const FLAT: f64 = 0.7;

/// Bytes held on a GPU of a stage, `kept` of whose bytes are activations.
///
/// - A block that a collective's stream has used is free only when that stream has passed it
///   (`recordStream`). Where the host runs ahead of the GPU, every reduced tensor of the last
///   [`QUEUE`] launches is therefore still there: `2 QUEUE / launches` tensors of `T H` elements,
///   however many layers there are.
/// - Pipelines leave [`HOLES`].
/// - ZeRO's all-gather writes all weights to one flat block (`all_gather_coalesced`), larger than
///   any that a layer frees.
///
/// Source: github huggingface/nanotron, branch nouamane/bench2, which ran the ultra-scale
/// playbook's sweep. A simulation of the allocator over its 1B, 3B, 8B and 80B models' tensors
/// meets the measured peaks of runs without a pipeline within 1 to 4 % in the median at every
/// degree of tensor parallelism.
pub(super) fn held(setup: &Setup, stage: &Stage, kept: f64) -> f64 {
    let mesh = &setup.mesh;
    let holes = if mesh.pp > 1 { HOLES * kept } else { 0.0 };
    let shards = setup.sharding == Sharding::Zero1 && mesh.shard_group() > 1;
    let flat = if shards { FLAT * GATHERED * stage.params.held.all() } else { 0.0 };
    let full = f64::from(setup.architecture.hidden_size) * per_rank::tokens(setup) * ELEMENT;
    holes + flat + full * full_width(setup, stage)
}

/// Bytes of an element of an activation.
const ELEMENT: f64 = 2.0;

/// Tensors of all tokens and the full width that the allocator holds.
fn full_width(setup: &Setup, stage: &Stage) -> f64 {
    let mesh = &setup.mesh;
    if mesh.tp <= 1 {
        return 0.0;
    }
    let here = IN_WORK + if setup.tensor.sequence_parallel { BUFFERS } else { 0.0 };
    let layers = f64::from(stage.layers);
    if mesh.pp <= 1 {
        // At the loss: those of the forward pass, and what the queue reaches back into the
        // micro-batch before.
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
