//! Skips layouts whose result follows from another layout of their block.
//!
//! Two laws hold for plain runs, which a test tries on random scenarios: recomputation never makes
//! a step shorter, and full recomputation needs the least memory. If a micro-batch fits without
//! recomputation, no other mode of that micro-batch can be the fastest; if it does not fit with
//! full recomputation, it fits in no mode. A third law holds for all runs: if a micro-batch does
//! not fit, no larger one fits ([`outgrows_smaller`]).

use crate::layout_space::LayoutSpace;
use engine::model::objective::Task;
use engine::model::parallel::Schedule;
use engine::model::software::AttentionKernel;
use engine::model::training::Recompute;
use engine::scenario::Scenario;

/// Laws that hold for the layouts of a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laws {
    /// A step without recomputation is never longer than a step with recomputation.
    pub none_is_fastest: bool,
    /// Full recomputation needs no more memory than any other mode.
    pub full_is_smallest: bool,
}

impl Laws {
    /// Returns the laws that hold in every layout of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let shape = scenario.model.architecture();
        let follows_memory = scenario.offload.activations
            || scenario.offload.paged
            || (shape.has_experts() && scenario.expert_choice.degrees);
        // These schedules fill their bubbles with parts of the backward pass, which recomputation
        // makes longer.
        let fills_bubbles = scenario.pipeline.schedule.is_dual();
        let is_plain = scenario.objective.task == Task::NextToken && !shape.tower.is_used();
        let none_is_fastest = is_plain && !follows_memory && !fills_bubbles;
        // In unlike layers, the live activations of the running layer may exceed the kept ones of
        // the others; so may attention scores in memory.
        let is_mixed =
            shape.has_experts() && (shape.experts.moe_layer_step > 1 || shape.experts.first_k_dense_replace > 0);
        let is_alike = !shape.pattern.is_used() && !is_mixed && scenario.kernels.attention != AttentionKernel::Unfused;
        let is_planned = scenario.framework.traits().is_one_program;
        Self { none_is_fastest, full_is_smallest: none_is_fastest && is_alike && !is_planned }
    }
}

/// Whether a scenario needs at least the memory of a smaller micro-batch with an equal batch. This
/// holds if several micro-batches run per step either way, with an equal number in flight on every
/// stage, and if the engine does not choose degrees by memory.
pub fn outgrows_smaller(scenario: &Scenario) -> bool {
    let (stages, micro_batches) = (scenario.pp, scenario.grad_accum_steps);
    let are_as_many = scenario.pipeline.schedule != Schedule::GPipe && micro_batches >= stages.saturating_mul(2);
    let architecture = scenario.model.architecture();
    // With tiles it depends on the tokens which of the layers of a list holds most.
    let has_equal_layers = !(scenario.kernels.tiled_mlp && architecture.pattern.is_used());
    micro_batches > 1 && (stages <= 1 || are_as_many) && !scenario.expert_choice.degrees && has_equal_layers
}

/// Indices in a block that earlier evaluations rule out. The layouts of a block differ only in
/// micro-batch and recomputation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RuledOut {
    /// Number of layouts in a block, and of its micro-batch sizes, which vary fastest, in ascending
    /// order.
    places: usize,
    sizes: usize,
    /// The block that the next fields describe.
    block: usize,
    /// A bit for each micro-batch of which no further mode can be the best.
    micro_batches: u32,
    /// The mode in which a micro-batch did not fit.
    outgrown: Option<Recompute>,
    /// Whether that micro-batch did not fit in any mode.
    in_all: bool,
}

impl RuledOut {
    /// Creates the state in which nothing is settled.
    pub(super) fn new(space: &LayoutSpace) -> Self {
        let (places, sizes) = (space.block().max(1), space.micro_batches().max(1));
        Self { places, sizes, block: 0, micro_batches: 0, outgrown: None, in_all: false }
    }

    /// Returns `place`, or the next one that is not settled. A new block resets the state.
    pub(super) fn next(&mut self, place: usize) -> usize {
        let block = place / self.places;
        if self.block != block {
            *self = Self { block, micro_batches: 0, outgrown: None, in_all: false, ..*self };
        }
        if self.micro_batches & self.bit(place) == 0 { place } else { place + 1 }
    }

    /// Settles the micro-batch at an index.
    pub(super) fn settle(&mut self, place: usize) {
        self.micro_batches |= self.bit(place);
    }

    /// Settles the whole block.
    pub(super) fn settle_all(&mut self) {
        self.micro_batches = u32::MAX;
    }

    /// Records that the micro-batch at an index does not fit in its mode, or in any mode.
    pub(super) fn outgrow(&mut self, mode: Recompute, place: usize, in_all: bool) {
        (self.outgrown, self.in_all) = (Some(mode), in_all);
        if in_all {
            self.settle(place);
        }
    }

    /// Whether a layout cannot fit because a smaller micro-batch in its mode did not.
    pub(super) fn is_outgrown(&mut self, layout: &Scenario, place: usize) -> bool {
        let is_outgrown = self.outgrown == Some(layout.recompute) && outgrows_smaller(layout);
        if is_outgrown && self.in_all {
            self.settle(place);
        }
        is_outgrown
    }

    /// Returns the bit of an index's micro-batch; there are fewer than 32 micro-batch sizes.
    fn bit(&self, place: usize) -> u32 {
        1_u32.checked_shl((place % self.sizes) as u32).unwrap_or(0)
    }
}
