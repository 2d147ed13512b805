//! The time of a step, set by its slowest stage.

use crate::model::comm::DataParallelComm;
use crate::model::comm::groups::Groups;
use crate::model::compute::{BlockCosts, UnitTimes};
use crate::model::parallel::Schedule;
use crate::model::pipeline::{self, StageTimes};
use crate::model::report::TimeReport;
use crate::model::schedule::Phases;
use crate::model::setup::Setup;
use crate::model::stage_plan::{LayerPlan, StagePlan};
use crate::model::stages::{ByStage, Stage, stages};
use crate::model::{teacher, teacher_engine};
use crate::units::Seconds;

/// Returns the time of a forward pass without gradients over all micro-batches of a step, on the
/// slowest stage; a pipeline fills and drains once.
pub fn forward_pass(setup: &Setup) -> Seconds {
    let stages = stages(setup);
    let Pace { slowest, .. } = pace(setup, &stages);
    let (pass, _) = slowest.plan.forward_pass();
    (f64::from(setup.batch.grad_accum_steps) + f64::from(setup.mesh.pp.max(1)) - 1.0) * pass
}

/// Returns the time in which the shard group gathers all weights of a stage, as for a forward pass.
pub fn gather_all(setup: &Setup) -> Seconds {
    let stages = stages(setup);
    let Pace { slowest, .. } = pace(setup, &stages);
    slowest.plan.gathered_forward()
}

/// Times of a step's forward passes without gradients on a stage
/// ([`crate::model::objective::Objective::passes`]).
#[derive(Clone, Copy, Default)]
pub(super) struct Passes {
    pub(super) time: Seconds,
    pub(super) busy: Seconds,
    pub(super) exchange: Seconds,
    /// Idle time for the host.
    pub(super) waits: Seconds,
    /// Dispatch and combine that compute hides.
    hidden: Seconds,
    gathers: Seconds,
    /// Weights of a teacher on their way between host and GPU, a part of `exchange`.
    pub(super) moving: Seconds,
}

impl Passes {
    pub(super) fn new(setup: &Setup, plan: &StagePlan) -> Self {
        let passes = setup.objective.passes();
        if let Some(teacher) = teacher::on_training_gpus(setup) {
            return Self::of_teacher(setup, &teacher);
        }
        if passes == 0 {
            return Self::default();
        }
        Self::of_plan(setup, passes, plan)
    }

    /// Returns the pass of a teacher over each micro-batch, and its weights' way from host memory
    /// and back.
    fn of_teacher(setup: &Setup, teacher: &Setup) -> Self {
        let stages = stages(teacher);
        let Pace { slowest, .. } = pace(teacher, &stages);
        let of_passes = Self::of_plan(setup, 1, &slowest.plan);
        let moving = teacher_engine::moving(setup);
        let exchange = of_passes.exchange + moving;
        Self { time: of_passes.time + moving, busy: of_passes.busy + moving, exchange, moving, ..of_passes }
    }

    fn of_plan(setup: &Setup, passes: u32, plan: &StagePlan) -> Self {
        let count = f64::from(passes) * f64::from(setup.batch.grad_accum_steps);
        let (time, busy) = plan.forward_pass();
        Self {
            time: count * time,
            busy: count * busy,
            exchange: count * plan.compute.exchanged_forward(),
            waits: count * plan.pass_waits_for_host(),
            hidden: count * plan.compute.hidden_forward(),
            gathers: count * plan.gathered_forward(),
            moving: Seconds::ZERO,
        }
    }
}

/// Returns the time of the forward passes without gradients over one micro-batch.
pub(super) fn passes_of_micro_batch(setup: &Setup, plan: &StagePlan) -> Seconds {
    if let Some(teacher) = teacher::on_training_gpus(setup) {
        let stages = stages(&teacher);
        return pace(&teacher, &stages).slowest.plan.forward_pass().0;
    }
    match setup.objective.passes() {
        0 => Seconds::ZERO,
        passes => f64::from(passes) * plan.forward_pass().0,
    }
}

/// A stage, its plan, and its passes of one micro-batch.
#[derive(Clone, Copy)]
pub(super) struct TimedStage<'a> {
    pub(super) stage: &'a Stage,
    pub(super) units: UnitTimes,
    pub(super) plan: StagePlan,
    pub(super) passes: StageTimes,
    /// The phases of all micro-batches.
    all: Phases,
}

impl<'a> TimedStage<'a> {
    /// Returns a stage of layers with this plan; the passes of a single stage are not timed.
    fn new(setup: &Setup, groups: &Groups, of_layer: &LayerPlan, stage: &'a Stage) -> Self {
        let (plan, units) = (StagePlan::new(setup, groups, of_layer, stage), of_layer.units);
        let mut passes = StageTimes::default();
        if setup.mesh.pp > 1 {
            let Phases { forward, backward, .. } = plan.steady();
            let layers = f64::from(plan.compute.layers);
            let pipeline_fill = pipeline_fill(setup, forward + backward, layers, &units);
            passes = StageTimes { count: stage.count, forward, backward, pipeline_fill };
        }
        Self { stage, units, all: plan.all_micro_batches(), plan, passes }
    }

    /// Returns a stage without regard to others.
    fn alone(setup: &Setup, stage: &'a Stage) -> Self {
        let groups = Groups::new(setup, setup.architecture.has_experts());
        Self::new(setup, &groups, &LayerPlan::new(setup, &BlockCosts::new(setup), &stage.blocks), stage)
    }

    /// Returns the time of the step on the stage beyond its micro-batches at the pace of a steady
    /// one.
    fn beyond_steady(&self) -> Seconds {
        self.plan.beyond_steady(&self.all, self.both())
    }

    fn both(&self) -> Seconds {
        self.passes.both()
    }
}

/// The slowest stage, and its bubble.
pub(super) struct Pace<'a> {
    pub(super) slowest: TimedStage<'a>,
    pub(super) bubble: Seconds,
}

/// Returns the slowest stage of a pipeline.
pub(super) fn pace<'a>(setup: &Setup, stages: &'a ByStage<Stage>) -> Pace<'a> {
    let groups = Groups::new(setup, setup.architecture.has_experts());
    // Stages with equal blocks have equal layer times.
    let costs = BlockCosts::new(setup);
    let mut of_layer = LayerPlan::new(setup, &costs, &stages.first.blocks);
    let mut blocks = &stages.first.blocks;
    let mut timed = |stage: &'a Stage| {
        if stage.blocks != *blocks {
            (blocks, of_layer) = (&stage.blocks, LayerPlan::new(setup, &costs, &stage.blocks));
        }
        TimedStage::new(setup, &groups, &of_layer, stage)
    };
    let mut slowest = timed(&stages.first);
    if setup.mesh.pp <= 1 {
        return Pace { slowest, bubble: Seconds::ZERO };
    }
    let first = slowest.passes;
    let (mut filling, mut beyond_steady) = (slowest.plan.filling, slowest.beyond_steady());
    let mut later = |stage| {
        let next = timed(stage);
        filling = filling.max(next.plan.filling);
        beyond_steady = beyond_steady.max(next.beyond_steady());
        let passes = next.passes;
        if next.both() > slowest.both() {
            slowest = next;
        }
        passes
    };
    let between = stages.between.as_ref().map(&mut later);
    let times = ByStage { first, between, last: stages.last.as_ref().map(later) };
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let bubble = pipeline::bubble(setup.pipeline.schedule, setup.chunks(), micro_batches, &times) + filling;
    // All stages start together and pass on their results; the step ends with the last stage to
    // reduce and update.
    let end = micro_batches * pipeline::slowest(&times).both() + bubble + beyond_steady;
    let own = micro_batches * slowest.both() + slowest.beyond_steady();
    // Passes without gradients fill and drain the pipeline before the step.
    let filling = (f64::from(setup.mesh.pp) - 1.0) * passes_of_micro_batch(setup, &slowest.plan);
    Pace { slowest, bubble: (end - own).max(Seconds::ZERO) + filling }
}

/// Returns the part of a stage's passes that delays the others when weight gradients fill the
/// bubble: both passes less twice the weight gradients under ZB-H1 and less three times the weight
/// gradients under ZB-V; under `DualPipe` both passes and a further backward pass, less three times
/// the weight gradients. Only time of kernels counts, except that ZB-H1's part is at least a third
/// of `passes`.
pub fn pipeline_fill(setup: &Setup, passes: Seconds, layers: f64, units: &UnitTimes) -> Seconds {
    let kernels = units.layer_forward + units.layer_backward;
    if setup.pipeline.schedule.is_dual() {
        return layers * (kernels + units.layer_backward - 3.0 * units.layer_weight_gradient).max(Seconds::ZERO);
    }
    if setup.pipeline.schedule == Schedule::ZeroBubbleV {
        layers * (kernels - 3.0 * units.layer_weight_gradient).max(Seconds::ZERO)
    } else {
        (layers * (kernels - 2.0 * units.layer_weight_gradient)).max(passes / 3.0)
    }
}

/// Share of the compute below which a difference of two sums of it is rounding.
const ROUNDING: f64 = 1e-12;

/// Returns the times of one step.
pub fn time(setup: &Setup, stages: &ByStage<Stage>) -> TimeReport {
    let Pace { slowest: TimedStage { units, plan, all, .. }, bubble } = pace(setup, stages);
    let Phases { forward, backward, busy } = all;
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let reductions = plan.reductions();
    let DataParallelComm { after_backward, after_update, .. } = plan.data_parallel;
    let passes = Passes::new(setup, &plan);
    let (forward, busy) = (forward + passes.time, busy + passes.busy);
    let backward = backward + reductions * after_backward;
    let optimizer = plan.optimizer + after_update;
    let exchange = micro_batches * plan.compute.exchanged() + passes.exchange;
    let hidden = micro_batches * plan.compute.hidden() + passes.hidden;
    let compute = busy - exchange + plan.optimizer;
    let alone = micro_batches * plan.kernels() + plan.waits_for_host() + passes.busy - passes.exchange + plan.optimizer;
    let ran = forward + backward + bubble + optimizer;
    let loading = (loaded(setup) - ran).max(Seconds::ZERO);
    let step = ran + loading;
    let shard = plan.shard_lane() + reductions * after_backward + after_update + passes.gathers;
    let replicate = plan.replicate_lane();
    let crossing = |crosses: bool, time: Seconds| if crosses { time } else { Seconds::ZERO };
    TimeReport {
        step,
        forward,
        backward,
        optimizer,
        bubble,
        compute,
        contention: if compute - alone > ROUNDING * compute { compute - alone } else { Seconds::ZERO },
        comm: shard + replicate + exchange + hidden,
        loading,
        exposed_comm: (ran - compute - bubble).max(Seconds::ZERO),
        inter_node_comm: crossing(plan.shard_crosses, shard)
            + crossing(plan.replicate_crosses, replicate)
            + (micro_batches * plan.exchange_between_nodes).min(exchange)
            + crossing(plan.compute.experts.crosses, hidden),
        exchange,
        host_link: micro_batches * plan.host_link() + passes.moving,
        longest_lane: shard.max(replicate) + exchange,
        launch_bound: micro_batches * plan.launch_bound(&units)
            + plan.waits_for_host()
            + passes.waits
            + plan.between_steps,
    }
}

/// Returns the time of a step of a pipeline of two stages that stand on two kinds of GPUs: the
/// first stage as in the first setup, the last as in the second. Both have the same model, layers
/// by stage, mesh, batch and schedule.
///
/// As in a pipeline of equal GPUs, the slower stage sets the time of a micro-batch, and the other
/// its bubble (docs/book/model/overlap.md).
pub fn of_two_kinds(setups: [&Setup; 2]) -> Seconds {
    let [on_first, on_last] = setups;
    let (held, held_by_last) = (stages(on_first), stages(on_last));
    let first = TimedStage::alone(on_first, &held.first);
    let last = TimedStage::alone(on_last, held_by_last.last.as_ref().unwrap_or(&held_by_last.first));
    let (slower, setup) = if last.both() > first.both() { (last, on_last) } else { (first, on_first) };
    let times = ByStage { first: first.passes, between: None, last: Some(last.passes) };
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    let bubble = pipeline::bubble(setup.pipeline.schedule, setup.chunks(), micro_batches, &times)
        + first.plan.filling.max(last.plan.filling);
    let passes = Passes::new(setup, &slower.plan);
    let filling = passes_of_micro_batch(setup, &slower.plan);
    let ran = micro_batches * slower.both()
        + bubble
        + first.beyond_steady().max(last.beyond_steady())
        + passes.time
        + filling;
    ran.max(loaded(setup))
}

/// Returns the minimum time of a step due to the data loaders: the sequences of a replica over the
/// loaders' rate, and the time of a teacher on its own GPUs, which reads batches ahead of training.
/// Generated data needs no loader.
fn loaded(setup: &Setup) -> Seconds {
    let rate = setup.network.host.loader;
    if setup.objective.task.generates() {
        return Seconds::ZERO;
    }
    let sequences = f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.grad_accum_steps);
    let loader = if rate > 0.0 { Seconds::new(sequences / rate) } else { Seconds::ZERO };
    loader.max(teacher_engine::served(setup))
}
