//! The parts of a step's compute, each with its FLOPs, bytes and time: the points of a roofline.
//!
//! The costs add up to those of [`super::unit_times`].

use super::adapters;
use super::blocks::{Layer, Rates, Repeated};
use super::head::{heads, loss_bytes};
use super::mixed_layers::{mean_layer, uncounted_matrices};
use super::modules;
use super::optimizer::{optimizer_cost, traffic};
use super::products::{Block, mlp, projections, router_and_shared};
use super::recurrent;
use super::routed::{padded_rows, routed};
use super::{attention_core, embedding};
use crate::model::choices::Choices;
use crate::model::cost::{Operations, OperatorCost};
use crate::model::flops::backward::recomputed;
use crate::model::routing;
use crate::model::setup::Setup;
use crate::model::stages::stages;
use crate::model::training::ComputeFormat;
use crate::model::transformer::LayerShares;
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
}

impl Operator {
    /// Every kind, in the order of declaration, which is also the display order.
    pub const ALL: [Self; 8] = [
        Self::AttentionCore,
        Self::Projections,
        Self::Mlp,
        Self::Experts,
        Self::Elementwise,
        Self::Head,
        Self::Optimizer,
        Self::StateCore,
    ];
}

/// Bytes of an element of optimizer state and weights.
const STATE_BYTES: f64 = 4.0;

/// Returns the cost of every kind of work in one step as [`crate::model::step::parts`], without an
/// encoder.
pub(in crate::model) fn language_model_costs(setup: &Setup) -> [OperatorCost; Operator::ALL.len()] {
    let wide = setup.share_in_16_bits();
    let narrow = parts_in_one_format(setup);
    if wide <= 0.0 {
        return narrow;
    }
    let in_16_bits = parts_in_one_format(&Setup {
        choices: Choices { compute_format: ComputeFormat::AsPolicy, ..setup.choices },
        ..*setup
    });
    let mut mixed = narrow;
    for (part, other) in mixed.iter_mut().zip(in_16_bits) {
        *part = *part * (1.0 - wide) + other * wide;
    }
    mixed
}

fn parts_in_one_format(setup: &Setup) -> [OperatorCost; Operator::ALL.len()] {
    let arch = &setup.architecture;
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let rates = Rates::new(setup);
    let (tp, pp) = (f64::from(setup.mesh.tp.max(1)), f64::from(setup.mesh.pp.max(1)));
    let again = recomputed(setup);
    let further = arch.blocks().and(arch.mtp_blocks(setup.mtp));
    let shares = if setup.mtp > 0 { LayerShares::from_counts(further) } else { arch.shares() };
    let layers = f64::from(further.layers);
    let moe = if arch.has_experts() { shares.moe * layers } else { 0.0 };
    let dense = shares.mlp * layers - moe;
    let (with_attention, with_state) = (shares.attention * layers, shares.recurrent * layers);

    let [projections, mlps] = [projections(arch, tp), mlp(arch, f64::from(arch.intermediate_size) / tp)];
    let beside = router_and_shared(arch, tp);
    let routed = if moe > 0.0 { routed(&rates) } else { Layer::default() };
    let [attention_again, mlp_again, shared_again] = [
        modules::recomputed_attention(setup, tp),
        modules::recomputed_mlp(setup, tp),
        modules::recomputed_shared_experts(setup, tp),
    ];
    let of = |block: &Block, repeated: &Repeated| {
        Layer::<OperatorCost>::from_block(&rates, block).repeating(&rates, repeated)
    };
    let products = |block: &Block, repeated: &Repeated, beside: Layer<OperatorCost>| {
        of(block, repeated).plus(beside).products(&again)
    };
    let streams = |block: &Block, repeated: &Repeated, beside: Layer<OperatorCost>| {
        of(block, repeated).plus(beside).streams(&again)
    };
    let beside_attention = adapters::beside_attention::<OperatorCost>(&rates);
    let [beside_mlp, beside_shared] = [adapters::beside_mlp(&rates), adapters::beside_shared(&rates)];
    let of_stage = |part: OperatorCost| part * (micro_batches / pp);
    Operator::ALL.map(|operator| match operator {
        Operator::AttentionCore => {
            let core = attention_core::<OperatorCost>(&rates);
            of_stage((core.forward * (1.0 + again.attention) + core.backward * again.backward) * with_attention)
        }
        Operator::StateCore => {
            let core = recurrent::core::<OperatorCost>(&rates);
            of_stage((core.forward * (1.0 + again.matmul) + core.backward * again.backward) * with_state)
        }
        Operator::Projections => {
            let of_state = recurrent::products(arch, tp);
            let of_state = products(&of_state, &Repeated::NONE, adapters::beside_recurrent(&rates)) * with_state;
            let extra = uncounted_matrices::<OperatorCost>(&rates).products(&again) * layers;
            of_stage(products(&projections, &attention_again, beside_attention) * with_attention + of_state + extra)
        }
        Operator::Mlp => of_stage(
            products(&mlps, &mlp_again, beside_mlp) * dense + products(&beside, &shared_again, beside_shared) * moe,
        ),
        Operator::Experts => of_stage(unpadded(setup, routed.products(&again)) * moe),
        Operator::Elementwise => {
            let of_dense =
                streams(&projections.with(mlps), &attention_again.with(mlp_again), beside_attention.plus(beside_mlp));
            let of_moe = streams(
                &projections.with(beside),
                &attention_again.with(shared_again),
                beside_attention.plus(beside_shared),
            );
            let of_layers = if shares.is_uniform() {
                of_dense * dense + (of_moe + routed.streams(&again)) * moe
            } else {
                mean_layer(&rates, &shares, routed).streams(&again) * layers
            };
            of_stage(element_by_element(of_layers + embedding::<OperatorCost>(&rates) * 2.0, rates.element()))
        }
        Operator::Head => of_stage(heads(&rates)),
        Operator::Optimizer => update_cost(setup, pp),
    })
}

/// Returns the memory-bound time of one step on one GPU, averaged over the stages: element-wise
/// work, the loss over the vocabulary, and the embedding, without the optimizer.
pub fn memory_bound(setup: &Setup, parts: &[OperatorCost; Operator::ALL.len()]) -> Seconds {
    let rates = Rates::new(setup);
    let loss: Seconds = rates.streaming(Bytes::new(loss_bytes(&rates)));
    let per_stage = f64::from(setup.batch.grad_accum_steps) / f64::from(setup.mesh.pp.max(1));
    operator_cost(parts, Operator::Elementwise).time + per_stage * loss
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
