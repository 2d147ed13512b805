//! Playback of a step, or a part of it, span by span, for the timeline.

use crate::model::comm::DataParallelComm;
use crate::model::compute::copies::Copies;
use crate::model::compute::{UnitCosts, optimizer_cost, unit_costs};
use crate::model::cost::{Amount, CollectiveCost, Operations, OperatorCost};
use crate::model::experts::exchange::{dispatch_cost, repeated};
use crate::model::pace::{Pace, TimedStage, pace, passes_of_micro_batch};
use crate::model::report::{Lane, Span, Work};
use crate::model::setup::Setup;
use crate::model::stage_plan::StagePlan;
use crate::model::stages::{Stage, stages};
use crate::model::sync::GradientSyncPlan;
use crate::model::timeline::{self, BlockAmounts, LayerAmounts, MicroBatch, PassesBefore, computed, moved};
use crate::model::tower::{self, TowerCosts};
use crate::model::{teacher, teacher_engine};
use crate::units::Seconds;

/// The step of the slowest stage, ready to be played. The pipeline's bubble is split before the
/// first micro-batch and after the last, in the proportion of forward and backward passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    plan: StagePlan,
    /// Gathers and reductions of the stage, with their traffic.
    comm: DataParallelComm<CollectiveCost>,
    /// Compute and exchanges of the blocks of one micro-batch.
    blocks: BlockAmounts,
    /// Work of the optimizer's update.
    update: Operations,
    micro_batches: u32,
    /// Forward passes without gradients before each micro-batch.
    passes: PassesBefore,
    /// The way of a teacher's weights between host and GPU, before the first micro-batch.
    moving: Seconds,
    /// Duration of the first micro-batch, of one between, and of the last.
    lengths: [Seconds; 3],
    /// The bubble before the first micro-batch and after the last.
    bubble: [Seconds; 2],
}

/// Plays a whole step, in the order in which spans start on each lane.
pub fn spans(setup: &Setup, sink: &mut dyn FnMut(Span)) {
    let playback = Playback::new(setup);
    for micro_batch in 0..playback.micro_batches {
        playback.micro_batch(micro_batch, sink);
    }
}

impl Playback {
    /// Returns the playback of a setup's step.
    pub fn new(setup: &Setup) -> Self {
        let all = stages(setup);
        let Pace { slowest: TimedStage { stage, plan, passes: times, .. }, bubble } = pace(setup, &all);
        let micro_batches = setup.batch.grad_accum_steps;
        let before = if times.both() > Seconds::ZERO { times.forward / times.both() } else { 0.0 };
        let passes = passes_of_micro_batch(setup, &plan);
        let length = |is_first, is_last| {
            let phases = plan.phases(is_first, is_last);
            let reduces = if plan.reduces(is_last) { plan.data_parallel.after_backward } else { Seconds::ZERO };
            phases.forward + phases.backward + reduces + passes
        };
        let only = micro_batches <= 1;
        let mut update: OperatorCost = optimizer_cost(setup, stage);
        let mut comm = DataParallelComm::new(setup, &stage.params);
        if stage.embedding && setup.architecture.tower.is_used() {
            update = update + tower::update(setup);
            let of_layer = plan.data_parallel.micro_batch;
            let beside = [of_layer.gather_layer, of_layer.reduce_layer];
            comm = tower::with_tower(setup, &tower::costs(setup), beside, comm);
        }
        let blocks = block_amounts(setup, stage);
        let own = PassesBefore {
            count: setup.objective.passes(),
            compute: plan.compute_without_gradients(),
            amounts: blocks,
            gathers: comm.micro_batch,
        };
        Self {
            plan,
            comm,
            blocks,
            update: update.amount,
            micro_batches,
            passes: teacher::on_training_gpus(setup).map_or(own, |teacher| pass_of(&teacher)),
            moving: teacher_engine::moving(setup),
            lengths: [length(true, only), length(false, false), length(only, true)],
            bubble: [before * bubble, (1.0 - before) * bubble],
        }
    }

    /// Returns the compute and communication of the stage.
    pub fn plan(&self) -> &StagePlan {
        &self.plan
    }

    /// Returns the layers of the stage.
    pub fn layers(&self) -> u32 {
        self.plan.compute.layers
    }

    /// Returns the number of micro-batches of the step.
    pub fn micro_batches(&self) -> u32 {
        self.micro_batches
    }

    /// Returns a micro-batch that plays like this one, shifted in time: the first, the second or
    /// the last.
    pub fn like(&self, micro_batch: u32) -> u32 {
        if micro_batch + 1 < self.micro_batches { micro_batch.min(1) } else { micro_batch }
    }

    /// Returns the start of a micro-batch; for the index after the last, the end of the last.
    pub fn start(&self, micro_batch: u32) -> Seconds {
        let before = self.bubble[0] + self.moving;
        let [first, between, last] = self.lengths;
        if micro_batch == 0 {
            return before;
        }
        let ended = micro_batch.min(self.micro_batches.saturating_sub(1)).saturating_sub(1);
        let until = before + first + f64::from(ended) * between;
        if micro_batch >= self.micro_batches && self.micro_batches > 1 { until + last } else { until }
    }

    /// Returns the micro-batch that runs at a time, or the nearest one.
    pub fn at(&self, time: Seconds) -> u32 {
        let [_, between, _] = self.lengths;
        let past = time - self.start(1);
        if past < Seconds::ZERO || self.micro_batches <= 1 {
            return 0;
        }
        let passed = if between > Seconds::ZERO { past / between } else { 0.0 };
        // A cast saturates at the largest number.
        (passed as u32).saturating_add(1).min(self.micro_batches - 1)
    }

    /// Returns the end of the step.
    pub fn end(&self) -> Seconds {
        let [_, after] = self.bubble;
        self.start(self.micro_batches) + after + self.plan.optimizer + self.plan.data_parallel.after_update
    }

    /// Plays one micro-batch, including the spans before the first and after the last.
    pub fn micro_batch(&self, micro_batch: u32, sink: &mut dyn FnMut(Span)) {
        let [before, after] = self.bubble;
        let (is_first, is_last) = (micro_batch == 0, micro_batch + 1 >= self.micro_batches);
        let alone = |lane, work, start: Seconds, cost: (Seconds, Option<Amount>), sink: &mut dyn FnMut(Span)| {
            let (time, amount) = cost;
            let end = start + time;
            if time > Seconds::ZERO {
                sink(Span { lane, work, layer: None, micro_batch, start, end, amount });
            }
            end
        };
        let of_collective = |cost: CollectiveCost| (cost.time, moved(cost.amount));
        if is_first {
            let moved = alone(Lane::Exchange, Work::Exchange, Seconds::ZERO, (self.moving, None), sink);
            alone(Lane::Compute, Work::Bubble, moved, (before, None), sink);
        }
        let comm = self.plan.micro_batch_comm(self.comm.micro_batch, is_first, is_last);
        let compute = self.plan.compute_of(is_first, is_last);
        let played = MicroBatch {
            index: micro_batch,
            start: self.start(micro_batch),
            compute: &compute,
            amounts: &self.blocks,
            comm: &comm,
            passes: &self.passes,
            reduction: self.plan.reduction,
        };
        let mut now = timeline::play(&played, sink);
        if self.plan.reduces(is_last) {
            now = alone(Lane::Shard, self.plan.reduction, now, of_collective(self.comm.after_backward), sink);
        }
        if is_last {
            let update = (self.plan.optimizer, computed(self.update));
            now = alone(Lane::Compute, Work::Bubble, now, (after, None), sink);
            now = alone(Lane::Compute, Work::OptimizerStep, now, update, sink);
            alone(Lane::Shard, Work::AllGather, now, of_collective(self.comm.after_update), sink);
        }
    }
}

/// Returns the pass of a teacher over one micro-batch.
fn pass_of(teacher: &Setup) -> PassesBefore {
    let all = stages(teacher);
    let Pace { slowest: TimedStage { stage, plan, .. }, .. } = pace(teacher, &all);
    PassesBefore {
        count: 1,
        compute: plan.compute_without_gradients(),
        amounts: block_amounts(teacher, stage),
        gathers: DataParallelComm::<CollectiveCost>::new(teacher, &stage.params).micro_batch,
    }
}

/// Returns the compute and exchanges of a stage's blocks in one micro-batch.
fn block_amounts(setup: &Setup, stage: &Stage) -> BlockAmounts {
    let share = stage.blocks.experts();
    let units: UnitCosts<OperatorCost> = unit_costs(setup, &stage.blocks);
    let copies = Copies::<OperatorCost>::new(setup, stage, GradientSyncPlan::new(setup));
    let dispatch: CollectiveCost = if share > 0.0 { dispatch_cost(setup) } else { CollectiveCost::default() };
    let tower: TowerCosts<OperatorCost> = if stage.embedding { tower::costs(setup) } else { TowerCosts::default() };
    // The layer's cost includes routed experts, which have separate spans.
    let pass = |layer: OperatorCost, experts: OperatorCost, copies: OperatorCost, dispatches: f64| LayerAmounts {
        layer: (layer - experts * share + copies).amount,
        experts: experts.amount * share,
        dispatch: dispatch.amount * (share * dispatches),
    };
    BlockAmounts {
        embedding: (units.embedding + tower.forward + copies.root_forward).amount,
        embedding_backward: (units.embedding + tower.backward + copies.root_backward).amount,
        head: units.head.amount,
        forward: pass(units.layer_forward, units.experts_forward, copies.layer_forward, 1.0),
        backward: pass(units.layer_backward, units.experts_backward, copies.layer_backward, 1.0 + repeated(setup)),
    }
}
