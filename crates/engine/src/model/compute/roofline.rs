//! The parts of a step's compute, each with its FLOPs, bytes and time: the points of a roofline.
//!
//! The costs add up to those of [`super::unit_times`].

use super::BlockCosts;
use super::blocks::{Passes, Rates};
use super::copies::Copies;
use super::head::loss_bytes;
use super::optimizer::{optimizer_cost, traffic};
use super::routed::padded_rows;
use crate::model::cost::{Operations, OperatorCost};
use crate::model::layer::Block;
use crate::model::routing;
use crate::model::setup::Setup;
use crate::model::stages::{Stage, stages};
use crate::model::states::recipe_bytes;
use crate::model::sync::GradientSyncPlan;
use crate::units::{Bytes, Flops, Seconds};

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
    /// Convolution, scan and gate of a recurrent mixer.
    StateCore,
    /// Copies of weights, gradients and exchanged activations, and sums of gradients.
    Copies,
}

impl Operator {
    /// Every kind, in the order of declaration, which is also the display order.
    pub const ALL: [Self; 9] = [
        Self::AttentionCore,
        Self::Projections,
        Self::Mlp,
        Self::Experts,
        Self::Elementwise,
        Self::Head,
        Self::Optimizer,
        Self::StateCore,
        Self::Copies,
    ];
}

/// Bytes of an element of optimizer state and weights.
const STATE_BYTES: f64 = 4.0;

/// Returns the cost of every kind of work in one step as [`crate::model::step::parts`], without an
/// encoder.
pub(in crate::model) fn language_model_costs(setup: &Setup) -> [OperatorCost; Operator::ALL.len()] {
    let arch = &setup.architecture;
    let costs = BlockCosts::<OperatorCost>::new(setup);
    let again = costs.again;
    let pp = f64::from(setup.mesh.pp.max(1));
    let layers = arch.layers_and_mtp(setup.mtp);
    let all = f64::from(arch.blocks().and(arch.mtp_blocks(setup.mtp)).layers);
    let of = |block| costs.of(block) * (layers.blocks(block) * all);
    let [attention, state, mlp, shared, experts] = Block::ALL.map(of);
    let extra = costs.uncounted * all;
    let streams = Block::ALL.into_iter().fold(costs.embedding * 2.0, |sum, block| sum + of(block).streams(&again));
    let core = |passes: Passes<OperatorCost>, again_forward: f64, block| {
        let of_layer = passes.forward * (1.0 + again_forward) + passes.backward * again.backward;
        of_layer * (layers.blocks(block) * all)
    };
    let of_stage = |part: OperatorCost| part * (f64::from(setup.batch.grad_accum_steps) / pp);
    let element = recipe_bytes(setup.recipe).activation;
    Operator::ALL.map(|operator| match operator {
        Operator::AttentionCore => of_stage(core(costs.attention, again.attention, Block::Attention)),
        Operator::StateCore => of_stage(core(costs.state, again.matmul, Block::State)),
        Operator::Projections => of_stage((attention + state + extra).products(&again)),
        Operator::Mlp => of_stage((mlp + shared).products(&again)),
        Operator::Experts => of_stage(unpadded(setup, experts.products(&again))),
        Operator::Elementwise => of_stage(element_by_element(streams, element)),
        Operator::Head => of_stage(costs.head),
        Operator::Optimizer => update_cost(setup, pp),
        Operator::Copies => element_by_element(copies(setup, pp), element),
    })
}

/// Returns the memory-bound time of one step on one GPU, averaged over the stages: element-wise
/// work, copies, the loss over the vocabulary, and the embedding, without the optimizer.
pub fn memory_bound(setup: &Setup, parts: &[OperatorCost; Operator::ALL.len()]) -> Seconds {
    let rates = Rates::new(setup);
    let loss: Seconds = rates.streaming(Bytes::new(loss_bytes(&rates)));
    let per_stage = f64::from(setup.batch.grad_accum_steps) / f64::from(setup.mesh.pp.max(1));
    let streamed = [Operator::Elementwise, Operator::Copies].map(|operator| operator_cost(parts, operator).time);
    streamed.into_iter().sum::<Seconds>() + per_stage * loss
}

/// Returns the cost of a kind of work.
pub fn operator_cost(parts: &[OperatorCost; Operator::ALL.len()], operator: Operator) -> OperatorCost {
    parts.get(operator as usize).copied().unwrap_or_default()
}

/// Returns the cost with one operation added for each element of the streamed bytes.
fn element_by_element(cost: OperatorCost, element: f64) -> OperatorCost {
    let flops = cost.amount.flops + Flops::new(cost.amount.bytes.get() / element);
    OperatorCost { amount: Operations { flops, ..cost.amount }, ..cost }
}

/// Returns the products of routed experts, counting only the FLOPs of received token copies,
/// without padding.
fn unpadded(setup: &Setup, cost: OperatorCost) -> OperatorCost {
    if cost.amount.flops <= Flops::ZERO {
        return cost;
    }
    let flops = cost.amount.flops * (routing::received(setup) / padded_rows(setup));
    OperatorCost { amount: Operations { flops, ..cost.amount }, ..cost }
}

/// Returns the copies of weights and gradients in one step, averaged over the stages.
fn copies(setup: &Setup, stages_count: f64) -> OperatorCost {
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let sync = GradientSyncPlan::new(setup);
    let of = |stage: &Stage| Copies::<OperatorCost>::new(setup, stage, sync).all(stage) * (stage.count * micro_batches);
    stages(setup).iter().map(of).fold(OperatorCost::default(), |sum, cost| sum + cost) * (1.0 / stages_count)
}

/// Returns the optimizer's update, averaged over the stages, with the bytes of the state wherever
/// the state is stored.
fn update_cost(setup: &Setup, stages_count: f64) -> OperatorCost {
    let mut all = OperatorCost::default();
    for stage in stages(setup).iter() {
        let cost: OperatorCost = optimizer_cost(setup, stage);
        let bytes = traffic(setup, &stage.params);
        let cost = OperatorCost { amount: Operations { bytes, ..cost.amount }, ..cost };
        all = all + element_by_element(cost, STATE_BYTES) * stage.count;
    }
    all * (1.0 / stages_count)
}
