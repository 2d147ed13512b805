//! Compute and communication of one pipeline stage in a step: the inputs of its schedule.

use super::comm::DataParallelComm;
use super::comm::groups::Groups;
use super::comm::pipeline::stage_message_times;
use super::comm::tp_cp::{Hiding, TpCpComm};
use super::compute::copies::Copies;
use super::compute::{self, BlockCosts, UnitTimes, launches};
use super::experts::exchange::ExpertExchange;
use super::flops::backward::Backward;
use super::host;
use super::layer::Layers;
use super::memory::activations;
use super::per_rank;
use super::report::Work;
use super::schedule::{self, CommTimes, ComputeTimes, Exchanges, ExpertPass, ExpertTimes, Exposed, Phases};
use super::setup::Setup;
use super::stages::Stage;
use super::states;
use super::sync::GradientSyncPlan;
use super::tower::{self, TowerCosts};
use super::training::Sharding;
use crate::units::{Bytes, Seconds};

/// The inputs of the schedule of one stage, for the micro-batches of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StagePlan {
    /// Compute of one micro-batch.
    pub compute: ComputeTimes,
    /// The optimizer's update.
    pub optimizer: Seconds,
    /// Gathers and reductions of the data-parallel groups.
    pub data_parallel: DataParallelComm,
    /// The kind of collective that reduces gradients on the shard lane.
    pub reduction: Work,
    /// Whether the shard group crosses nodes.
    pub shard_crosses: bool,
    /// Whether the replicas of the shard group cross nodes.
    pub replicate_crosses: bool,
    /// Exchanges of one micro-batch: of tensor parallelism, of context parallelism, and between
    /// stages.
    pub exchanged: [Seconds; 3],
    /// Part of one micro-batch's exchanges that crosses nodes.
    pub exchange_between_nodes: Seconds,
    /// Host time of a micro-batch's launches, its minimum duration.
    launches: Seconds,
    /// Host time of a forward pass's launches, the minimum duration of a pass without gradients.
    launches_forward: Seconds,
    /// Exposed part of the host's time between steps.
    pub between_steps: Seconds,
    /// Messages between stages that are exposed while the pipeline fills and drains, in one step.
    pub filling: Seconds,
    /// FSDP's copies around its collectives, which the compute includes.
    copies: Copies,
    /// Launch time of an image encoder beyond its kernels, in each micro-batch.
    tower_launches: Seconds,
    sync: GradientSyncPlan,
    micro_batches: f64,
    /// The phases of the first micro-batch of a step, of one between, and of the last, without idle
    /// time for the host.
    alone: [Phases; 3],
}

/// Compute and exchanges of one layer, for all stages of equal layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerPlan {
    /// Compute.
    pub units: UnitTimes,
    /// Dispatch and combine of tokens.
    experts: ExpertExchange,
    /// Exchanges of tensor and context parallelism.
    exchange: TpCpComm,
}

impl LayerPlan {
    /// Returns the plan of the layers of a stage, of blocks of these costs.
    pub fn new(setup: &Setup, costs: &BlockCosts<Seconds>, layers: &Layers) -> Self {
        let units = costs.of_layers(setup, layers);
        let hiding = Hiding {
            matmul: units.layer_matmul,
            matmul_backward: units.layer_matmul_backward,
            attention: units.layer_attention,
            attention_backward: units.layer_attention_backward,
        };
        Self {
            units,
            experts: if layers.have_experts() { ExpertExchange::new(setup, &units) } else { ExpertExchange::default() },
            exchange: TpCpComm::new(setup, states::recipe_bytes(setup.recipe).activation, &hiding, layers),
        }
    }
}

impl StagePlan {
    /// Returns the plan of a stage of layers with this plan.
    pub(in crate::model) fn new(setup: &Setup, groups: &Groups, of_layer: &LayerPlan, stage: &Stage) -> Self {
        let LayerPlan { units, experts, exchange } = of_layer;
        let params = stage.params;
        let sync = GradientSyncPlan::new(setup);
        let bytes = states::recipe_bytes(setup.recipe);
        let layers = f64::from(stage.layers);
        let passes = [units.layer_forward, units.layer_backward].map(|layer| layers * layer);
        let neighbours = stage_message_times(setup, bytes.activation, passes);
        let both = |[forward, backward]: [Seconds; 2]| layers * (forward + Backward::new(setup).passed * backward);
        let of_layers = both([exchange.layer_forward, exchange.layer_backward]);
        let here = |is: bool, time: Seconds| if is { time } else { Seconds::ZERO };
        let at_ends = here(stage.embedding, exchange.embedding) + here(stage.head, exchange.head);
        let of_tensor = both(exchange.layer_tensor);
        let copies = Copies::new(setup, stage, sync);
        let mut compute = compute_times(setup, units, &copies, stage, exchange, experts, neighbours.time);
        let mut data_parallel = DataParallelComm::over(setup, &params, groups, sync);
        let mut optimizer = compute::optimizer(setup, stage);
        let mut tower = TowerCosts::default();
        if stage.embedding && setup.architecture.tower.is_used() {
            tower = tower::costs(setup);
            compute.embedding_forward += tower.forward;
            compute.embedding_backward += tower.backward;
            let of_layer = data_parallel.micro_batch;
            let beside = [of_layer.gather_layer, of_layer.reduce_layer];
            data_parallel = tower::with_tower(setup, &tower, beside, data_parallel);
            optimizer += tower::update::<Seconds>(setup);
        }
        let mut plan = Self {
            exchanged: [of_tensor + at_ends, (of_layers - of_tensor).max(Seconds::ZERO), neighbours.time],
            compute,
            optimizer,
            launches: Seconds::ZERO,
            launches_forward: layers * units.launch,
            between_steps: Seconds::ZERO,
            data_parallel,
            copies,
            tower_launches: tower.launch_bound,
            reduction: if setup.sharding == Sharding::Ddp { Work::AllReduce } else { Work::ReduceScatter },
            shard_crosses: groups.shard_crosses(setup),
            replicate_crosses: groups.replicas_cross(),
            exchange_between_nodes: f64::from(stage.layers) * exchange.layer_between_nodes
                + if experts.crosses {
                    stage.moe_layers * (experts.exposed_forward + experts.exposed_backward)
                } else {
                    Seconds::ZERO
                }
                + if stage.embedding || stage.head { exchange.ends_between_nodes } else { Seconds::ZERO }
                + if neighbours.cross { neighbours.time } else { Seconds::ZERO },
            filling: neighbours.filling,
            sync,
            micro_batches: f64::from(setup.batch.grad_accum_steps),
            alone: [Phases::default(); 3],
        };
        plan.add_phases_and_host(setup, units);
        plan
    }

    /// Adds the phases of the micro-batches, most of which gather and reduce alike, and the host's
    /// time, which is hidden if the host runs ahead of the GPU: a micro-batch takes at least its
    /// launch time, and the last one at least its launch time and the host's time between steps.
    fn add_phases_and_host(&mut self, setup: &Setup, units: &UnitTimes) {
        let of = |is_first, is_last| schedule::phases(&self.compute, &self.comm(is_first, is_last));
        let GradientSyncPlan { gather_each, reduce_each, .. } = self.sync;
        let both = of(true, true);
        let first = if reduce_each { both } else { of(true, false) };
        let last = if gather_each { both } else { of(false, true) };
        let inner = match (gather_each, reduce_each) {
            (true, _) => first,
            (false, true) => last,
            (false, false) => of(false, false),
        };
        self.alone = [first, inner, last];
        self.launches =
            self.launches_forward + f64::from(self.compute.layers) * launches::backward(setup, units.launch);
        // The micro-batch with gathers and reductions, in which the GPU is furthest behind.
        let ahead = (both.forward + both.backward - self.launches).max(Seconds::ZERO);
        self.between_steps = (setup.host_time(setup.overheads.between_steps) - ahead).max(Seconds::ZERO);
        self.optimizer += self.between_steps;
    }

    /// Returns the phases of a micro-batch without idle time for the host.
    fn alone(&self, is_first: bool, is_last: bool) -> &Phases {
        let [first, inner, last] = &self.alone;
        match (is_first, is_last) {
            (true, _) => first,
            (false, true) => last,
            (false, false) => inner,
        }
    }

    /// Returns the time for which a micro-batch is idle for the host, beyond its passes.
    fn waits(&self, Phases { forward, backward, .. }: &Phases) -> Seconds {
        (self.launches - *forward - *backward).max(Seconds::ZERO)
    }

    /// Returns the compute of a micro-batch, with its idle time for the host before its head.
    pub fn compute_of(&self, is_first: bool, is_last: bool) -> ComputeTimes {
        ComputeTimes { head: self.compute.head + self.waits(self.alone(is_first, is_last)), ..self.compute }
    }

    /// Returns the compute of one micro-batch without exchanges, at the speed that it has without
    /// collectives beside it.
    pub fn kernels(&self) -> Seconds {
        let (compute, inside) = (&self.compute, &self.compute.exchange);
        let layer = compute.layer_forward - inside.layer_forward + compute.layer_backward - inside.layer_backward;
        let ends = compute.embedding_forward - inside.embedding_forward + compute.embedding_backward;
        ends + f64::from(compute.layers) * layer + (compute.head - inside.head)
    }

    /// Returns the exposed dispatch and combine of one micro-batch.
    pub fn exposed_experts(&self) -> Seconds {
        let experts = &self.compute.experts;
        f64::from(self.compute.layers) * (experts.forward.exposed + experts.backward.exposed)
    }

    /// Returns the exposed copies of one micro-batch's activations to the host and back.
    pub fn host_link(&self) -> Seconds {
        let [tensor, context, neighbours] = self.exchanged;
        (self.compute.exchanged() - tensor - context - neighbours - self.exposed_experts()).max(Seconds::ZERO)
    }

    /// Returns the time for which all micro-batches are idle for the host, beyond their passes.
    pub fn waits_for_host(&self) -> Seconds {
        let [first, inner, last] = self.alone.map(|alone| self.waits(&alone));
        if self.micro_batches <= 1.0 {
            return first;
        }
        first + (self.micro_batches - 2.0) * inner + last
    }

    /// Returns the launch-bound time of one micro-batch, both passes: time beyond the kernels' own
    /// because the host launches too slowly.
    pub fn launch_bound(&self, units: &UnitTimes) -> Seconds {
        let inside = &self.compute.exchange;
        let above =
            |block: Seconds, kernels: Seconds, exchange: Seconds| (block - kernels - exchange).max(Seconds::ZERO);
        self.tower_launches
            + f64::from(self.compute.layers)
                * (above(
                    self.compute.layer_forward,
                    units.layer_forward + self.copies.layer_forward,
                    inside.layer_forward,
                ) + above(
                    self.compute.layer_backward,
                    units.layer_backward + self.copies.layer_backward,
                    inside.layer_backward,
                ))
    }

    /// Returns the communication of a micro-batch of the step.
    pub fn comm(&self, is_first: bool, is_last: bool) -> CommTimes {
        self.micro_batch_comm(self.data_parallel.micro_batch, is_first, is_last)
    }

    /// Returns the part of `both`, the communication of a micro-batch that gathers and reduces,
    /// that this micro-batch performs.
    pub fn micro_batch_comm<C: Copy + Default>(
        &self,
        both: CommTimes<C>,
        is_first: bool,
        is_last: bool,
    ) -> CommTimes<C> {
        let gathers = is_first || self.sync.gather_each;
        let comm = if gathers { both } else { both.without_gather() };
        if self.reduces(is_last) { comm } else { comm.without_reduction() }
    }

    /// Whether a micro-batch reduces gradients.
    pub fn reduces(&self, is_last: bool) -> bool {
        is_last || self.sync.reduce_each
    }

    /// Returns the number of micro-batches that reduce gradients.
    pub fn reductions(&self) -> f64 {
        if self.sync.reduce_each { self.micro_batches } else { 1.0 }
    }

    /// Returns the number of micro-batches that gather weights.
    pub fn gathers(&self) -> f64 {
        if self.sync.gather_each { self.micro_batches } else { 1.0 }
    }

    /// Returns the phases of a micro-batch of the step.
    pub fn phases(&self, is_first: bool, is_last: bool) -> Phases {
        self.with_waits(self.alone(is_first, is_last))
    }

    fn with_waits(&self, alone: &Phases) -> Phases {
        let waits = self.waits(alone);
        // The forward pass takes at least its own launches, the backward pass the rest.
        let in_forward = (self.launches_forward - alone.forward).max(Seconds::ZERO).min(waits);
        Phases {
            forward: alone.forward + in_forward,
            backward: alone.backward + (waits - in_forward),
            busy: alone.busy + waits,
        }
    }

    /// Returns the phases of a micro-batch between the first and the last, for which other stages
    /// of a pipeline wait. They wait for gradients of activations, not for the reductions of a
    /// single micro-batch.
    pub fn steady(&self) -> Phases {
        if self.micro_batches > 1.0 {
            return self.phases(false, false);
        }
        self.with_waits(&schedule::phases(&self.compute, &self.comm(false, false).without_reduction()))
    }

    /// Returns the exposed gathers and reductions of all micro-batches, without each micro-batch's
    /// last reductions and the gather after the update.
    pub fn exposed(&self) -> Exposed {
        let of = |is_first, is_last| schedule::exposed(&self.compute, &self.comm(is_first, is_last));
        if self.micro_batches <= 1.0 {
            return of(true, true);
        }
        let (first, inner, last) = (of(true, false), of(false, false), of(false, true));
        let sum =
            |time: fn(&Exposed) -> Seconds| time(&first) + (self.micro_batches - 2.0) * time(&inner) + time(&last);
        Exposed { gather: sum(|e| e.gather), reduce: sum(|e| e.reduce), replicate: sum(|e| e.replicate) }
    }

    /// Returns the sum of the phases of all micro-batches.
    pub fn all_micro_batches(&self) -> Phases {
        let [first, inner, last] = self.alone.map(|alone| self.with_waits(&alone));
        if self.micro_batches <= 1.0 {
            return first;
        }
        let inner_ones = self.micro_batches - 2.0;
        let sum = |time: fn(&Phases) -> Seconds| time(&first) + inner_ones * time(&inner) + time(&last);
        Phases { forward: sum(|p| p.forward), backward: sum(|p| p.backward), busy: sum(|p| p.busy) }
    }

    /// Returns the compute of a pass without gradients over one micro-batch, with its idle time for
    /// the host before its head.
    pub fn compute_without_gradients(&self) -> ComputeTimes {
        let compute = self.compute.without_gradients();
        ComputeTimes { head: compute.head + self.pass_waits_for_host(), ..compute }
    }

    /// Returns the time for which a pass without gradients over one micro-batch is idle for the
    /// host.
    pub fn pass_waits_for_host(&self) -> Seconds {
        let (kernels, _) = schedule::forward_pass(&self.compute.without_gradients(), &self.data_parallel.micro_batch);
        (self.launches_forward - kernels).max(Seconds::ZERO)
    }

    /// Returns the time of a forward pass without gradients over one micro-batch, at least the host
    /// time of its launches, and the part in which blocks run.
    pub fn forward_pass(&self) -> (Seconds, Seconds) {
        schedule::forward_pass(&self.compute_without_gradients(), &self.data_parallel.micro_batch)
    }

    /// Returns the gathers of a forward pass without gradients.
    pub fn gathered_forward(&self) -> Seconds {
        let comm = &self.data_parallel.micro_batch;
        comm.gather_root + f64::from(self.compute.layers) * comm.gather_layer
    }

    /// Returns the time of the step on this stage beyond `all` of its micro-batches at the pace of
    /// a steady one: its gathers and reductions, and the update.
    pub fn beyond_steady(&self, all: &Phases, steady: Seconds) -> Seconds {
        all.forward + all.backward - self.micro_batches * steady
            + self.reductions() * self.data_parallel.after_backward
            + self.optimizer
            + self.data_parallel.after_update
    }

    /// Returns the time of all collectives on the shard lane that overlap with compute.
    pub fn shard_lane(&self) -> Seconds {
        let comm = &self.data_parallel.micro_batch;
        let layers = f64::from(self.compute.layers);
        let regathers = f64::from(self.compute.layers.saturating_sub(1));
        self.gathers() * (comm.gather_root + layers * comm.gather_layer + regathers * comm.regather_layer)
            + self.reductions() * (layers * comm.reduce_layer + comm.reduce_root)
    }

    /// Returns the time of all collectives on the replicate lane.
    pub fn replicate_lane(&self) -> Seconds {
        let comm = &self.data_parallel.micro_batch;
        self.reductions() * (f64::from(self.compute.layers) * comm.replicate_layer + comm.replicate_root)
    }
}

fn compute_times(
    setup: &Setup,
    units: &UnitTimes,
    copies: &Copies,
    stage: &Stage,
    exchange: &TpCpComm,
    experts: &ExpertExchange,
    neighbours: Seconds,
) -> ComputeTimes {
    let here = |is: bool, time: Seconds| if is { time } else { Seconds::ZERO };
    // Kept activations are copied to the host during the forward pass and back during the backward
    // pass: copy time beyond the layer and its launches is exposed after both.
    let moe_share = stage.blocks.experts();
    let host = offloaded_activations(setup, &stage.blocks);
    let layer_forward = exchange.layer_forward + moe_share * experts.exposed_forward;
    let share = Backward::new(setup);
    let layer_backward = (exchange.layer_backward + moe_share * experts.exposed_backward) * share.passed;
    let waits = |block: Seconds| (host - block).max(Seconds::ZERO);
    let (forward, backward) = (
        units.layer_forward + copies.layer_forward + layer_forward,
        units.layer_backward + copies.layer_backward + layer_backward,
    );
    let launch = [units.launch, launches::backward(setup, units.launch)];
    let [floor_forward, floor_backward] = launches::floors(setup, [forward, backward], launch);
    let (waits_forward, waits_backward) = (waits(forward + floor_forward), waits(backward + floor_backward));
    let inside = Exchanges {
        embedding_forward: here(stage.embedding, exchange.embedding),
        layer_forward: layer_forward + waits_forward,
        head: here(stage.head, exchange.head) + neighbours,
        layer_backward: layer_backward + waits_backward,
    };
    let head = here(stage.head, units.head) + inside.head;
    ComputeTimes {
        layers: stage.layers,
        embedding_forward: here(stage.embedding, units.embedding) + copies.root_forward + inside.embedding_forward,
        layer_forward: forward + floor_forward + waits_forward,
        head,
        layer_backward: backward + floor_backward + waits_backward,
        embedding_backward: here(stage.embedding, units.embedding * share.head) + copies.root_backward,
        contention: setup.overheads.contention,
        exchange: inside,
        experts: expert_times(setup, units, experts, moe_share, share.passed),
    }
}

/// Returns the times of a layer's experts, averaged over layers of which the share `moe_share` has
/// experts.
fn expert_times(
    setup: &Setup,
    units: &UnitTimes,
    exchange: &ExpertExchange,
    moe_share: f64,
    passed: f64,
) -> ExpertTimes {
    let pass = |products, all_to_all, exposed| ExpertPass {
        products: moe_share * products,
        all_to_all: moe_share * all_to_all,
        exposed: moe_share * exposed,
    };
    ExpertTimes {
        forward: pass(units.experts_forward, exchange.forward, exchange.exposed_forward),
        backward: pass(units.experts_backward, exchange.backward * passed, exchange.exposed_backward * passed),
        chunks: setup.experts.chunks.max(1),
        across_micro_batches: setup.experts.across_micro_batches,
        crosses: exchange.crosses,
    }
}

/// Returns the time in which one layer's kept activations cross the link to the host, one way; zero
/// if they stay on the GPU.
fn offloaded_activations(setup: &Setup, layers: &Layers) -> Seconds {
    if !setup.offload.activations {
        return Seconds::ZERO;
    }
    let kept = activations::layer(setup, states::recipe_bytes(setup.recipe).activation, layers).kept;
    Bytes::new(kept * per_rank::tokens(setup)) / host::transfer_rate(setup)
}
