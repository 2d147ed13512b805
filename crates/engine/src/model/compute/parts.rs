//! What a step's compute is made of, each part with its FLOPs, its bytes and its time: the points of a roofline.
//!
//! Times are those that [`super::unit_times`] adds up. Bytes are those that it prices; a matrix product, which is priced by its FLOPs, reads
//! both of its matrices and writes the third once.

use super::blocks::{Block, FORWARD_SHARE, Layer, Rates, mlp, projections, router_and_shared};
use super::optimizer::{orthogonal, traffic};
use super::routed::routed;
use super::{EMBEDDING_BYTES, FLASH_BACKWARD, REFERENCE_WIDTH, UNFUSED_BACKWARD, UNFUSED_SCORE_BYTES};
use super::{attention_efficiency, bytes_per_logit, head, matmul_rate, memory_rate, optimizer, recipe_peak};
use crate::model::experts;
use crate::model::flops::{self, Recomputed};
use crate::model::memory::states;
use crate::model::setup::Setup;
use crate::model::share;
use crate::model::software::AttentionKernel;
use crate::model::stages::stages;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};

/// A kind of work on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Scores, softmax, and the product with the values.
    AttentionCore,
    /// Queries, keys, values and output.
    Projections,
    /// Dense MLPs; shared experts and routers.
    Mlp,
    /// Products of routed experts.
    Experts,
    /// Norms, activations, residuals, casts, sorting of tokens, the embedding.
    Elementwise,
    /// Output head and loss.
    Head,
    /// The optimizer's update.
    Optimizer,
}

impl Operator {
    /// Every kind, in display order.
    pub const ALL: [Self; 7] = [
        Self::AttentionCore,
        Self::Projections,
        Self::Mlp,
        Self::Experts,
        Self::Elementwise,
        Self::Head,
        Self::Optimizer,
    ];
}

/// What one kind of work takes of a step, all micro-batches, on one GPU of a stage on average over the stages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Part {
    /// Operations that are executed, what is computed again among them. Element-wise work has one for each element that it reads or
    /// writes: nothing prices more.
    pub flops: Flops,
    /// Bytes to and from the GPU's memory.
    pub bytes: Bytes,
    /// Time of its kernels alone.
    pub time: Seconds,
}

impl Part {
    /// Operations for each byte.
    pub fn intensity(&self) -> f64 {
        self.flops.get() / self.bytes.get()
    }

    /// The rate that it reaches.
    pub fn rate(&self) -> FlopsPerSecond {
        FlopsPerSecond::new(self.flops.get() / self.time.get())
    }

    fn plus(self, other: Self) -> Self {
        Self { flops: self.flops + other.flops, bytes: self.bytes + other.bytes, time: self.time + other.time }
    }

    fn times(self, count: f64) -> Self {
        Self { flops: self.flops * count, bytes: self.bytes * count, time: self.time * count }
    }

    /// Work that streams this many bytes of elements so large.
    fn streamed(bytes: Bytes, element: f64, time: Seconds) -> Self {
        Self { flops: Flops::new(bytes.get() / element), bytes, time }
    }
}

/// Bytes of an element of the optimizer's state and of what it updates.
const STATE_BYTES: f64 = 4.0;
/// What attention reads and writes in its backward pass over what it does forward: everything again, and its gradient.
const BACKWARD_TRAFFIC: f64 = 2.0;
/// Passes of a product: forward, gradient of the input, gradient of the weight.
const PASSES: f64 = 3.0;

/// Every kind of work of one step.
pub fn parts(setup: &Setup) -> [Part; Operator::ALL.len()] {
    let arch = &setup.architecture;
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let memory = memory_rate(setup);
    let half = setup.accelerator.efficiency.half_saturation_tokens * REFERENCE_WIDTH;
    let rates = Rates { setup, tokens: share::tokens(setup), half, matmul: matmul_rate(setup), memory };
    let (tp, pp) = (f64::from(setup.mesh.tp.max(1)), f64::from(setup.mesh.pp.max(1)));
    let element = states::recipe_bytes(setup.recipe).activation;
    let again = flops::recomputed(setup);
    let layers = f64::from(arch.num_hidden_layers);
    let moe = if arch.has_experts() { flops::moe_share(arch) * layers } else { 0.0 };
    let dense = layers - moe;

    let [attention, mlps] = [projections(arch, tp), mlp(arch, f64::from(arch.intermediate_size) / tp)];
    let beside = router_and_shared(arch, tp);
    let routed_layer = if moe > 0.0 { routed(&rates) } else { Layer::default() };
    let products = |block: &Block| of_products(&Layer::of(&rates, block), block, rates.tokens, element, &again);
    let expert_products = if moe > 0.0 { of_experts(setup, &routed_layer, element, &again) } else { Part::default() };
    let elementwise = |time: Seconds| {
        let both = time * (1.0 + again.elementwise * FORWARD_SHARE);
        streamed_in(both, memory, element)
    };
    let embedding = Bytes::new(2.0 * EMBEDDING_BYTES * rates.tokens * f64::from(arch.hidden_size));
    let around = elementwise(rates.elementwise(&attention.with(mlps)))
        .times(dense)
        .plus(elementwise(rates.elementwise(&attention.with(beside)) + routed_layer.elementwise).times(moe))
        .plus(Part::streamed(embedding, element, embedding / memory));
    let of_stage = |part: Part| part.times(micro_batches / pp);
    Operator::ALL.map(|operator| match operator {
        Operator::AttentionCore => of_stage(attention_core(setup, &rates, element, &again).times(layers)),
        Operator::Projections => of_stage(products(&attention).times(layers)),
        Operator::Mlp => of_stage(products(&mlps).times(dense).plus(products(&beside).times(moe))),
        Operator::Experts => of_stage(expert_products.times(moe)),
        Operator::Elementwise => of_stage(around),
        Operator::Head => of_stage(of_head(setup, &rates, element)),
        Operator::Optimizer => of_optimizer(setup, pp),
    })
}

/// Streaming that takes so long.
fn streamed_in(time: Seconds, memory: BytesPerSecond, element: f64) -> Part {
    Part::streamed(memory * time, element, time)
}

/// The products of a block, all passes: each reads two of weights, inputs and outputs and writes the third.
fn of_products(layer: &Layer, block: &Block, rows: f64, element: f64, again: &Recomputed) -> Part {
    let passes = PASSES + again.matmul;
    Part {
        flops: Flops::new(passes * 2.0 * rows * block.weights),
        bytes: Bytes::new(passes * element * (block.weights + rows * (block.inner + block.outer))),
        time: layer.matmul * (1.0 + again.matmul) + layer.input_gradient + layer.weight_gradient,
    }
}

/// The products of routed experts: every expert's weights are read for each chunk of its tokens.
fn of_experts(setup: &Setup, layer: &Layer, element: f64, again: &Recomputed) -> Part {
    let arch = &setup.architecture;
    let block = mlp(arch, f64::from(arch.experts.moe_intermediate_size) / f64::from(setup.mesh.etp.max(1)));
    let read = f64::from(setup.experts.chunks.max(1)) * experts::local_experts(setup) * block.weights;
    let rows = experts::received(setup);
    let part = of_products(layer, &block, rows, element, again);
    let bytes = Bytes::new((PASSES + again.matmul) * element * (read + rows * (block.inner + block.outer)));
    Part { bytes, ..part }
}

/// Attention's core in one layer, on average over the layers. Fused kernels read queries, keys and values and write the output, backward
/// with their gradients; unfused ones write and read the scores too.
fn attention_core(setup: &Setup, rates: &Rates, element: f64, again: &Recomputed) -> Part {
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let is_unfused = setup.kernels.attention == AttentionKernel::Unfused;
    let backward = if is_unfused { UNFUSED_BACKWARD } else { FLASH_BACKWARD };
    let passes = 1.0 + again.attention + backward;
    let forward = flops::mean_executed_attention(setup) / tp * rates.tokens;
    let rate = recipe_peak(&setup.accelerator, setup.recipe) * attention_efficiency(setup);
    let keys = 2.0 * share::key_value_width(arch, tp) * f64::from(setup.mesh.cp.max(1));
    let width = arch.query_width() / tp + arch.attention_output_width() / tp + keys;
    let streams = 1.0 + again.attention + BACKWARD_TRAFFIC;
    let fused = Bytes::new(streams * element * rates.tokens * width);
    let scores = rates.tokens * f64::from(arch.num_attention_heads) / tp * f64::from(setup.batch.seq_len);
    let score_passes = if is_unfused { 1.0 + again.attention * FORWARD_SHARE } else { 0.0 };
    let unfused = Bytes::new(score_passes * UNFUSED_SCORE_BYTES * scores);
    Part { flops: forward * passes, bytes: fused + unfused, time: forward * passes / rate + unfused / rates.memory }
}

/// The output head and the loss.
fn of_head(setup: &Setup, rates: &Rates, element: f64) -> Part {
    let tp = f64::from(setup.mesh.tp.max(1));
    let hidden = f64::from(setup.architecture.hidden_size);
    let columns = f64::from(setup.architecture.vocab_size) / tp;
    let weights = hidden * columns;
    let products = PASSES * element * (weights + rates.tokens * (hidden + columns));
    let loss = bytes_per_logit(setup.kernels.loss) * rates.tokens * columns;
    Part {
        flops: Flops::new(PASSES * 2.0 * rates.tokens * weights),
        bytes: Bytes::new(products + loss),
        time: head(setup, rates.tokens, tp, rates.half, rates.memory),
    }
}

/// The optimizer's update, on average over the stages; the bytes of Muon's products are small beside those of its state.
fn of_optimizer(setup: &Setup, stages_count: f64) -> Part {
    let rate = recipe_peak(&setup.accelerator, setup.recipe) * setup.accelerator.efficiency.matmul;
    let mut all = Part::default();
    for stage in stages(setup).iter().filter(|stage| stage.count > 0.0) {
        let streamed = Part::streamed(traffic(setup, &stage.params), STATE_BYTES, optimizer(setup, &stage.params));
        let products = Part { flops: rate * orthogonal(setup, &stage.params), ..Part::default() };
        all = all.plus(streamed.plus(products).times(stage.count));
    }
    all.times(1.0 / stages_count)
}

#[cfg(test)]
mod tests;
