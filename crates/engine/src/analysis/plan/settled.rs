//! What need not be evaluated, as another layout of the same block answers for it.
//!
//! Two laws hold for plain runs, which a test tries on random scenarios: recomputation never makes a step shorter, and the most of it
//! needs the least memory. Where a micro-batch fits without recomputation, no other mode of it can be the fastest; where it does not fit with
//! full recomputation, it fits in no mode.

use crate::model::objective::Task;
use crate::model::software::{AttentionKernel, Framework};
use crate::scenario::Scenario;

/// Which laws hold for the layouts of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Laws {
    /// A step without recomputation is never longer than one with.
    pub none_is_fastest: bool,
    /// Full recomputation needs no more memory than any other.
    pub full_is_smallest: bool,
}

impl Laws {
    /// Returns the laws that hold in every layout of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let shape = scenario.model.architecture();
        let follows_memory = scenario.offload.activations
            || scenario.offload.paged
            || (shape.has_experts() && scenario.expert_choice.degrees);
        // These fill their bubbles with parts of the backward pass, which recomputation makes longer.
        let fills_bubbles = scenario.pipeline.schedule.is_dual();
        let is_plain = scenario.objective.task == Task::NextToken && !shape.tower.is_used();
        let none_is_fastest = is_plain && !follows_memory && !fills_bubbles;
        // Of unlike layers the one in work may hold more than what the others keep, and so may written scores.
        let is_mixed =
            shape.has_experts() && (shape.experts.moe_layer_step > 1 || shape.experts.first_k_dense_replace > 0);
        let is_alike = !shape.pattern.is_used() && !is_mixed && scenario.kernels.attention != AttentionKernel::Unfused;
        let is_planned = scenario.framework == Framework::MaxText;
        Self { none_is_fastest, full_is_smallest: none_is_fastest && is_alike && !is_planned }
    }
}

/// Micro-batches of a block, by their place in it, of which no further mode can be the best.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settled {
    /// The block that this is about.
    block: usize,
    /// A bit for each micro-batch.
    micro_batches: u32,
}

impl Settled {
    /// Whether a place of a block is settled; another block begins anew.
    pub(super) fn has(&mut self, block: usize, micro_batch: usize) -> bool {
        if self.block != block {
            *self = Self { block, micro_batches: 0 };
        }
        self.micro_batches & bit(micro_batch) != 0
    }

    /// Settles a micro-batch of the block at hand.
    pub(super) fn settle(&mut self, micro_batch: usize) {
        self.micro_batches |= bit(micro_batch);
    }
}

/// The bit of a micro-batch; there are fewer than 32 doublings.
fn bit(micro_batch: usize) -> u32 {
    1_u32.checked_shl(micro_batch as u32).unwrap_or(0)
}
