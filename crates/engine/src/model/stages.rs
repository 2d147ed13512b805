//! Pipeline stages: the layers on each GPU, and the micro-batches in flight there.

use super::encoder;
use super::flops::layer;
use super::layer::Layers;
use super::parallel::{Mesh, Schedule};
use super::per_rank::{self, LocalParams};
use super::setup::Setup;
use super::transformer::pattern::BlockCounts;

/// One stage, as held by each of its GPUs. Without a pipeline there is a single stage with all
/// layers, embedding and head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stage {
    /// Layers, over all model chunks.
    pub layers: u32,
    /// Expert layers among the stage's layers: the mean if such stages differ.
    pub moe_layers: f64,
    /// The blocks of the stage's layers.
    pub blocks: Layers,
    /// Number of such stages.
    pub count: f64,
    /// Whether the stage holds the embedding.
    pub embedding: bool,
    /// Whether the stage holds the output head.
    pub head: bool,
    /// Micro-batches whose activations are alive concurrently.
    pub in_flight: f64,
    /// Parameters of one GPU before data parallelism shards them.
    pub params: LocalParams,
}

impl Stage {
    /// Returns encoder and projection on one GPU as a stage; `encoder` is the result of
    /// [`encoder::encoder`].
    pub(super) fn of_encoder(setup: &Setup, encoder: &Setup, in_flight: f64) -> Self {
        Self {
            layers: encoder.architecture.num_hidden_layers,
            moe_layers: 0.0,
            blocks: Layers::DENSE,
            count: 1.0,
            embedding: true,
            head: false,
            in_flight,
            params: encoder::local_params(setup, encoder),
        }
    }
}

/// One value for each kind of stage: the first, those between, the last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByStage<T> {
    /// The value of the first stage, the only one without a pipeline.
    pub first: T,
    /// The value of the stages between the ends, if any.
    pub between: Option<T>,
    /// The value of the last stage, if it is not the first.
    pub last: Option<T>,
}

impl<T> ByStage<T> {
    /// Returns the value of a pipeline with one kind of stage.
    pub fn only(first: T) -> Self {
        Self { first, between: None, last: None }
    }

    /// Iterates over the values in the order of the stages.
    pub fn iter(&self) -> impl Iterator<Item = &T> + Clone {
        core::iter::once(&self.first).chain(&self.between).chain(&self.last)
    }

    /// Maps each value.
    pub fn map<'a, U>(&'a self, mut of: impl FnMut(&'a T) -> U) -> ByStage<U> {
        ByStage {
            first: of(&self.first),
            between: self.between.as_ref().map(&mut of),
            last: self.last.as_ref().map(of),
        }
    }
}

/// Returns the stages of a pipeline.
pub fn stages(setup: &Setup) -> ByStage<Stage> {
    let pp = setup.mesh.pp.max(1);
    let [first, between, last] = layers_by_stage(setup, pp);
    // In a V the last chunk of the model is on the first GPU.
    let turns = pp > 1 && setup.pipeline.schedule.is_v_shaped();
    let head_rank = if turns { 0 } else { pp - 1 };
    let arch = &setup.architecture;
    // `blocks` are the blocks of the stage's layers, or of the layers of all such stages.
    let stage = |layers: u32, blocks: BlockCounts, moe_layers: f64, count, rank| {
        let (embedding, head) = (rank == 0, rank == head_rank);
        let of_layers = if arch.pattern.is_used() {
            Layers::from_counts(blocks)
        } else {
            Layers::mixture(if layers > 0 { moe_layers / f64::from(layers) } else { 0.0 })
        };
        let params = per_rank::params(setup, layers, &of_layers, embedding, head);
        let in_flight = in_flight(setup, pp, rank, layers);
        let stage = Stage { layers, moe_layers, blocks: of_layers, count, embedding, head, in_flight, params };
        if head && setup.mtp > 0 { with_mtp(setup, stage, blocks) } else { stage }
    };
    let all = arch.num_hidden_layers;
    let in_first = arch.blocks_among(first);
    if pp == 1 {
        return ByStage::only(stage(first, in_first, f64::from(in_first.experts), 1.0, 0));
    }
    let before_last = arch.blocks_among(all.saturating_sub(last));
    let (others, in_last) = (before_last.minus(in_first), arch.blocks().minus(before_last));
    let share = f64::from(others.experts) / f64::from(others.layers.max(1));
    let count = between_stages(setup, pp, [first, between, last]);
    ByStage {
        first: stage(first, in_first, f64::from(in_first.experts), 1.0, 0),
        between: (count > 0.0).then(|| stage(between, others, share * f64::from(between), count, 1)),
        last: Some(stage(last, in_last, f64::from(in_last.experts), 1.0, pp - 1)),
    }
}

/// Returns the stage with the output head and a module that predicts further tokens: the module's
/// layers count once for each application, its parameters once.
fn with_mtp(setup: &Setup, stage: Stage, blocks: BlockCounts) -> Stage {
    let arch = &setup.architecture;
    let held = blocks.and(arch.mtp_blocks(1));
    let passed = blocks.and(arch.mtp_blocks(setup.mtp));
    let of_held = Layers::from_counts(held);
    let params = per_rank::params(setup, held.layers, &of_held, stage.embedding, stage.head);
    Stage {
        layers: passed.layers,
        moe_layers: f64::from(passed.experts),
        blocks: Layers::from_counts(passed),
        params,
        ..stage
    }
}

/// Returns the parameters of the whole model, as held and trained by one GPU without any
/// parallelism; those of an image encoder are included outside the layers.
pub fn model_params(setup: &Setup) -> LocalParams {
    let alone = Setup { mesh: Mesh::data_parallel(1, 1), ..*setup };
    let mut params = stages(&alone).first.params;
    if setup.architecture.tower.is_used() {
        let tower = encoder::tower_params(&alone);
        params.held.root += tower.held.all();
        params.trained.root += tower.trained.all();
    }
    params
}

/// Returns the number of stages between the ends, as if all were as large as the largest: their
/// layers over those of the largest.
fn between_stages(setup: &Setup, pp: u32, [first, between, last]: [u32; 3]) -> f64 {
    if pp <= 2 || between == 0 {
        return 0.0;
    }
    let layers = setup.architecture.num_hidden_layers.saturating_sub(first).saturating_sub(last);
    f64::from(layers) / f64::from(between)
}

/// Returns the layers of the first stage, of the largest stage between, and of the last.
///
/// Chosen numbers for the ends are used; the other layers are distributed evenly, and the remainder
/// goes to the stages between, then to the first. nanotron balances parameters instead, including
/// the output head.
fn layers_by_stage(setup: &Setup, pp: u32) -> [u32; 3] {
    let layers = setup.architecture.num_hidden_layers;
    if pp == 1 {
        return [layers, 0, 0];
    }
    let asked = [setup.pipeline.first_stage_layers, setup.pipeline.last_stage_layers];
    if setup.traits().balances_parameters && asked == [0, 0] {
        return balanced(setup, pp);
    }
    // Every other stage holds at least one layer.
    let room = layers.saturating_sub(pp - 1).max(1);
    let [first, last] = asked.map(|wanted| wanted.min(room));
    let last = last.min(layers.saturating_sub(first).saturating_sub(pp - 2));
    // If both of two stages are chosen, they share all layers.
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

/// Returns stages of equal parameters, including the head: the k-th ends with the layer in which
/// the running sum exceeds its share.
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

/// Returns the micro-batches in flight on a stage: all of them under GPipe, the stages from this
/// one to the last under 1F1B and ZB-H1, `1 + (pp-1)/(pp v)` times the first stage's when
/// interleaved (arXiv 2205.05198, appendix B), the number of stages on every stage under ZB-V
/// (arXiv 2405.15362), plus those of one stage under `DualPipe` and `DualPipeV` (arXiv 2412.19437,
/// table 2).
///
/// If exchanges of experts overlap with another micro-batch's compute, there is one more, which the
/// number of DualPipe, a zero-bubble schedule, includes. Megatron-Core pairs one layer's forward
/// pass with one layer's backward pass and releases that layer before the next pair, and the
/// forward pass before the first pair replaces the one that a stage without overlap runs before its
/// first backward pass (`TransformerModelChunkSchedulePlan.run`, `get_pp_rank_microbatches`; github
/// NVIDIA/Megatron-LM d98e8a64): one layer more of the stage's `layers`.
fn in_flight(setup: &Setup, pp: u32, rank: u32, layers: u32) -> f64 {
    let micro_batches = f64::from(setup.batch.grad_accum_steps);
    // DualPipe's number includes the overlapped micro-batch.
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
        // With one chunk per GPU, frameworks run 1F1B.
        Schedule::Interleaved if setup.chunks() <= 1 => left,
        Schedule::Interleaved => {
            let chunks = f64::from(setup.chunks());
            // Warm-up passes: two per later stage, and one round of the stages per further chunk.
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
