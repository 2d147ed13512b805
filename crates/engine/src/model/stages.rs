//! The stages of the pipeline: which layers lie on which GPU, and how many micro-batches are in
//! flight there.

use super::flops::layer;
use super::parallel::{Mesh, Schedule};
use super::per_rank::{self, LocalParams};
use super::setup::Setup;
use super::tower::params;
use super::transformer::LayerShares;
use super::transformer::pattern::BlockCounts;

/// One stage, as every GPU of it holds it. Without a pipeline there is one, with all layers,
/// embedding and head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Layers, over all model chunks.
    pub layers: u32,
    /// Of them, those with experts: the mean where stages like this one differ.
    pub moe_layers: f64,
    /// The shares of its layers that have each block.
    pub shares: LayerShares,
    /// Stages like this one.
    pub count: f64,
    /// Whether it holds the embedding.
    pub embedding: bool,
    /// Whether it holds the output head.
    pub head: bool,
    /// Micro-batches whose activations are alive at once.
    pub in_flight: f64,
    /// What one GPU holds before data parallelism shards it.
    pub params: LocalParams,
}

/// One value for each kind of stage that the pipeline has: the first, those between, the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByStage<T> {
    /// The first stage's; without a pipeline the only one's.
    pub first: T,
    /// That of the stages between the ends, where there are any.
    pub between: Option<T>,
    /// The last stage's, where it is not the first.
    pub last: Option<T>,
}

impl<T> ByStage<T> {
    /// The value of a pipeline of one kind of stage.
    pub fn only(first: T) -> Self {
        Self { first, between: None, last: None }
    }

    /// The values in the order of the stages.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        core::iter::once(&self.first).chain(&self.between).chain(&self.last)
    }

    /// A value made from each one.
    pub fn map<'a, U>(&'a self, mut of: impl FnMut(&'a T) -> U) -> ByStage<U> {
        ByStage {
            first: of(&self.first),
            between: self.between.as_ref().map(&mut of),
            last: self.last.as_ref().map(of),
        }
    }
}

/// The stages of a pipeline.
pub fn stages(setup: &Setup) -> ByStage<Stage> {
    let pp = setup.mesh.pp.max(1);
    let [first, between, last] = layers_by_stage(setup, pp);
    // In a V the last chunk of the model is on the first GPU.
    let turns = pp > 1 && setup.pipeline.schedule.is_v_shaped();
    let head_rank = if turns { 0 } else { pp - 1 };
    let arch = &setup.architecture;
    // `blocks` are those of its layers, or of the layers of all stages like it.
    let stage = |layers: u32, blocks: BlockCounts, moe_layers: f64, count, rank| {
        let (embedding, head) = (rank == 0, rank == head_rank);
        let shares = if arch.pattern.is_used() {
            LayerShares::of(blocks)
        } else {
            LayerShares::mixture(if layers > 0 { moe_layers / f64::from(layers) } else { 0.0 })
        };
        let params = per_rank::params(setup, layers, shares, embedding, head);
        let in_flight = in_flight(setup, pp, rank, layers);
        let stage = Stage { layers, moe_layers, shares, count, embedding, head, in_flight, params };
        if head && setup.mtp > 0 { with_mtp(setup, stage, blocks) } else { stage }
    };
    let all = arch.num_hidden_layers;
    let in_first = arch.blocks_among(first);
    if pp == 1 {
        return ByStage::only(stage(first, in_first, f64::from(in_first.experts), 1.0, 0));
    }
    let before_last = arch.blocks_among(all.saturating_sub(last));
    let (others, in_last) = (before_last.without(in_first), arch.blocks().without(before_last));
    let share = f64::from(others.experts) / f64::from(others.layers.max(1));
    let count = between_stages(setup, pp, [first, between, last]);
    ByStage {
        first: stage(first, in_first, f64::from(in_first.experts), 1.0, 0),
        between: (count > 0.0).then(|| stage(between, others, share * f64::from(between), count, 1)),
        last: Some(stage(last, in_last, f64::from(in_last.experts), 1.0, pp - 1)),
    }
}

/// The stage with the output head and a module that predicts further tokens: the layers that it
/// adds, as often as it is applied, and its parameters once.
fn with_mtp(setup: &Setup, stage: Stage, blocks: BlockCounts) -> Stage {
    let arch = &setup.architecture;
    let held = blocks.and(arch.mtp_blocks(1));
    let passed = blocks.and(arch.mtp_blocks(setup.mtp));
    let params = per_rank::params(setup, held.layers, LayerShares::of(held), stage.embedding, stage.head);
    Stage {
        layers: passed.layers,
        moe_layers: f64::from(passed.experts),
        shares: LayerShares::of(passed),
        params,
        ..stage
    }
}

/// The parameters of the whole model, as one GPU without any parallelism would hold and train them;
/// those of an encoder of images among what is outside the layers.
pub fn of_model(setup: &Setup) -> LocalParams {
    let alone = Setup { mesh: Mesh::data_parallel(1, 1), ..*setup };
    let mut params = stages(&alone).first.params;
    if setup.architecture.tower.is_used() {
        let tower = params::of_setup(&alone);
        params.held.root += tower.held.all();
        params.trained.root += tower.trained.all();
    }
    params
}

/// Stages between the ends, as if all of them were as large as the largest: their layers over its.
fn between_stages(setup: &Setup, pp: u32, [first, between, last]: [u32; 3]) -> f64 {
    if pp <= 2 || between == 0 {
        return 0.0;
    }
    let layers = setup.architecture.num_hidden_layers.saturating_sub(first).saturating_sub(last);
    f64::from(layers) / f64::from(between)
}

/// Layers of the first stage, of the largest one between, and of the last.
///
/// What is asked for the ends is taken; the rest is shared evenly, what is left over going to the
/// stages between, then to the first. nanotron balances parameters instead and counts the output
/// head among them.
fn layers_by_stage(setup: &Setup, pp: u32) -> [u32; 3] {
    let layers = setup.architecture.num_hidden_layers;
    if pp == 1 {
        return [layers, 0, 0];
    }
    let asked = [setup.pipeline.first_stage_layers, setup.pipeline.last_stage_layers];
    if setup.traits().balances_parameters && asked == [0, 0] {
        return balanced(setup, pp);
    }
    // Every other stage holds a layer at least.
    let room = layers.saturating_sub(pp - 1).max(1);
    let [first, last] = asked.map(|wanted| wanted.min(room));
    let last = last.min(layers.saturating_sub(first).saturating_sub(pp - 2));
    // Two stages that are both asked for share all layers.
    let first = if pp == 2 && last > 0 && first > 0 { layers - last } else { first };
    let free = layers - first - last;
    let sharing = pp - u32::from(first > 0) - u32::from(last > 0);
    let share = free.checked_div(sharing).unwrap_or(0);
    let left = free - share * sharing;
    let between = share + u32::from(left > 0);
    let first = if first > 0 { first } else { share + u32::from(left > pp - 2) };
    let last = if last > 0 { last } else { share };
    [first, between, last]
}

/// Stages of equal parameters, the head's among them: the k-th ends with the layer in which the
/// running sum passes its share.
fn balanced(setup: &Setup, pp: u32) -> [u32; 3] {
    let arch = &setup.architecture;
    let layers = f64::from(arch.num_hidden_layers);
    let head = layer::head(arch) / layer::layer_matmul(arch);
    let share = (layers + head) / f64::from(pp);
    let until = |stage: u32| {
        let end = (f64::from(stage) * share).ceil();
        if end < layers { end } else { layers }
    };
    let between = share.ceil();
    let [first, before_last] = [until(1), until(pp - 1)];
    let most = if between < layers - first { between } else { layers - first };
    [first as u32, most as u32, (layers - before_last) as u32]
}

/// Micro-batches in flight on a stage: all of them under GPipe, the stages from here to the last
/// under 1F1B and ZB-H1, `1 + (pp-1)/(pp v)` times the first stage's when interleaved (arXiv
/// 2205.05198, appendix B), as many as there are stages on every one under ZB-V (arXiv 2405.15362),
/// one stage's more under `DualPipe` and `DualPipeV` (arXiv 2412.19437, table 2). Where exchanges
/// of experts run beside another micro-batch's compute: one more under DualPipe (arXiv 2412.19437,
/// table 2), whose schedule is a zero-bubble one. Megatron-Core pairs one layer's forward pass with
/// one layer's backward pass and releases that layer before the next pair, and the forward pass
/// that it puts before the first pair takes the place of the one that a stage without overlap runs
/// before its first backward pass (`TransformerModelChunkSchedulePlan.run`,
/// `get_pp_rank_microbatches`; github NVIDIA/Megatron-LM d98e8a64): one layer more of the stage's
/// `layers`.
fn in_flight(setup: &Setup, pp: u32, rank: u32, layers: u32) -> f64 {
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    // DualPipe's own count has the micro-batch beside.
    let dual = setup.pipeline.schedule.is_dual() && pp > 1;
    let overlaps = setup.experts.across_micro_batches && setup.architecture.has_experts() && !dual;
    let splits = matches!(setup.pipeline.schedule, Schedule::ZeroBubble | Schedule::ZeroBubbleV) && pp > 1;
    let beside = match (overlaps, setup.traits().pairs_layers && !splits) {
        (false, _) => 0.0,
        (true, true) => 1.0 / f64::from(layers.max(1)),
        (true, false) => 1.0,
    };
    let (stages, left) = (f64::from(pp), f64::from(pp.saturating_sub(rank)));
    let alive = match setup.pipeline.schedule {
        _ if pp == 1 => 1.0,
        Schedule::GPipe => micro_batches,
        Schedule::OneForwardOneBackward | Schedule::ZeroBubble => left,
        // With one chunk a GPU frameworks run 1F1B.
        Schedule::Interleaved if setup.chunks() <= 1 => left,
        Schedule::Interleaved => {
            let chunks = f64::from(setup.chunks());
            // Warm-up passes: two a stage behind, and a round of the stages for each further chunk.
            let passes = 2.0 * (left - 1.0) + (chunks - 1.0) * stages + 1.0;
            passes / chunks
        }
        Schedule::ZeroBubbleV => stages,
        Schedule::DualPipe => stages + 1.0,
        Schedule::DualPipeV => stages + 0.5,
    };
    let alive = alive + beside;
    if alive < micro_batches { alive } else { micro_batches }
}
