//! The time of compute: a roofline for each class of operator (model.md section 5).

use super::experts::{self, Dispatcher};
use super::flops;
use super::hardware::Accelerator;
use super::memory::states;
use super::setup::Setup;
use super::share::{self, Params};
use super::software::{AttentionKernel, Graphs, Loss};
use super::training::{ComputeFormat, Optimizer, Recipe};
use super::transformer::Architecture;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

/// Compute times of the units of one micro-batch on one GPU, before communication slows them; layers on average over the layers
/// with experts and those without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitTimes {
    /// Embedding, forward; the same backward.
    pub embedding: Seconds,
    /// One layer, forward.
    pub layer_forward: Seconds,
    /// Output head and loss, forward and backward.
    pub head: Seconds,
    /// One layer, backward with its recomputation.
    pub layer_backward: Seconds,
    /// Of one layer's backward pass, its gradients of weights.
    pub layer_weight_gradient: Seconds,
    /// One layer's matrix products, forward.
    pub layer_matmul: Seconds,
    /// One layer's matrix products, backward, recomputation apart.
    pub layer_matmul_backward: Seconds,
    /// One layer's attention, forward.
    pub layer_attention: Seconds,
    /// Routed experts of one layer that has some, forward: their products and what is between them.
    pub experts_forward: Seconds,
    /// The same, backward with what is recomputed.
    pub experts_backward: Seconds,
    /// Host time to launch one layer's kernels in one pass: a floor under the layer's time, exchanges included.
    pub launch: Seconds,
}

/// Share of the element-wise traffic in the forward pass; the backward pass has the rest.
const FORWARD_SHARE: f64 = 1.0 / 3.0;
/// Flash attention's backward pass runs five products over the score matrix for the forward pass's two
/// (arXiv 2205.14135, appendix B).
const FLASH_BACKWARD: f64 = 2.5;
/// An unfused attention's backward pass runs four.
const UNFUSED_BACKWARD: f64 = 2.0;
/// Bytes read and written per score by an unfused attention, both passes, with its fused softmax: the product's write and the
/// softmax's read and write, the read by the product with the values, and about twice as much for the gradients.
const UNFUSED_SCORE_BYTES: f64 = 24.0;
/// Bytes read and written per element of the hidden state by the embedding look-up in 16 bits.
const EMBEDDING_BYTES: f64 = 4.0;
/// Columns of the product at which [`super::hardware::Efficiency::half_saturation_tokens`] holds.
pub(super) const REFERENCE_WIDTH: f64 = 4096.0;
/// Bytes read and written per element of a product's input to cast it to 8 bits and to transpose it, both passes.
const CAST_BYTES: f64 = 12.0;

/// Bytes read and written per logit by the cross-entropy, forward and backward. Standard: upcast (2 + 4), log-softmax
/// (4 + 4), its gradient (4 + 4), downcast (4 + 2) and the bf16 logits' write and read (2 + 2). Fused or chunked: the logits'
/// write, two reads and their gradient's write and reads.
const fn bytes_per_logit(loss: Loss) -> f64 {
    match loss {
        Loss::Standard => 32.0,
        Loss::Fused | Loss::Chunked => 12.0,
    }
}

/// The dense peak of the format in which the layers' matrix products run: what utilisation is counted against.
pub fn peak(setup: &Setup) -> FlopsPerSecond {
    let accelerator = &setup.accelerator;
    match setup.compute_format {
        ComputeFormat::Recipe => recipe_peak(accelerator, setup.recipe),
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => accelerator.peak_8bit,
        ComputeFormat::Fp4 => accelerator.peak_4bit,
    }
}

/// The dense peak of the recipe's format, in which attention and the output head run.
pub fn recipe_peak(accelerator: &Accelerator, recipe: Recipe) -> FlopsPerSecond {
    match recipe {
        Recipe::Fp32 => accelerator.peak_32bit,
        Recipe::Fsdp2MixedBf16
        | Recipe::Fsdp2MixedBf16Reduce16
        | Recipe::ZeroMixed
        | Recipe::MegatronMixed
        | Recipe::PureBf16 => accelerator.peak_16bit,
    }
}

/// The rate of large matrix products in the layers.
pub fn matmul_rate(setup: &Setup) -> FlopsPerSecond {
    let efficiency = setup.accelerator.efficiency;
    let reached = match setup.compute_format {
        ComputeFormat::Recipe => efficiency.matmul,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather | ComputeFormat::Fp4 => efficiency.matmul_8bit,
    };
    peak(setup) * reached
}

/// The fraction of the peak that attention's kernels reach, forward.
pub fn attention_efficiency(setup: &Setup) -> f64 {
    let efficiency = setup.accelerator.efficiency;
    match setup.kernels.attention {
        AttentionKernel::Unfused => efficiency.matmul,
        AttentionKernel::Flash => efficiency.attention,
        AttentionKernel::FlashTuned => efficiency.attention_tuned,
    }
}

/// Time of products of T rows whose weights have `weights` elements and whose dimensions, summed over the products, are
/// `inner` (contracted forward), `outer` (columns): forward, gradient of the input, gradient of the weight.
///
/// A product of an m x k by a k x n matrix takes `2 m n k / rate (1 + A/(m n))`: the last wave of tiles fills the GPU in part, and
/// A = `half_saturation_tokens x 4096` is the output at which that halves the rate.
struct Products {
    tokens: f64,
    weights: f64,
    inner: f64,
    outer: f64,
    count: f64,
    half: f64,
    rate: FlopsPerSecond,
}

impl Products {
    fn time(&self, flops: f64) -> Seconds {
        crate::units::Flops::new(flops) / self.rate
    }

    fn forward(&self) -> Seconds {
        self.time(2.0 * self.tokens * self.weights + 2.0 * self.inner * self.half)
    }

    fn input_gradient(&self) -> Seconds {
        self.time(2.0 * self.tokens * self.weights + 2.0 * self.outer * self.half)
    }

    fn weight_gradient(&self) -> Seconds {
        self.time(2.0 * self.tokens * self.weights + 2.0 * self.count * self.tokens * self.half)
    }
}

/// The products of one block of a layer, and the hidden tensors between them.
#[derive(Clone, Copy)]
struct Block {
    /// Elements of the weights.
    weights: f64,
    /// Dimensions that are contracted forward, summed over the products.
    inner: f64,
    /// Columns, summed over the products.
    outer: f64,
    /// Products by number.
    count: f64,
    /// Width of the hidden tensors of MLPs, all together.
    hidden: f64,
    /// Width of the products' inputs beside the residual stream, which 8-bit products cast.
    cast: f64,
}

impl Block {
    fn with(self, other: Self) -> Self {
        Self {
            weights: self.weights + other.weights,
            inner: self.inner + other.inner,
            outer: self.outer + other.outer,
            count: self.count + other.count,
            hidden: self.hidden + other.hidden,
            cast: self.cast + other.cast,
        }
    }
}

/// Attention's projections on one GPU: queries, keys and values as one product, and the output's; five under latent attention.
fn projections(arch: &Architecture, tp: f64) -> Block {
    let hidden = f64::from(arch.hidden_size);
    let (query, output) = (arch.query_width() / tp, arch.attention_output_width() / tp);
    if arch.latent.is_used() {
        let (rank, query_rank) = (f64::from(arch.latent.kv_lora_rank), f64::from(arch.latent.q_lora_rank));
        let down = query_rank + rank + f64::from(arch.latent.qk_rope_head_dim);
        let up = f64::from(arch.num_attention_heads) / tp
            * (f64::from(arch.latent.qk_nope_head_dim) + f64::from(arch.latent.v_head_dim));
        let (query_inner, query_count) = if query_rank > 0.0 { (query_rank, 3.0) } else { (hidden, 2.0) };
        return Block {
            weights: hidden * (down + output) + query_inner * query + rank * up,
            inner: hidden + query_inner + rank + output,
            outer: down + query + up + hidden,
            count: query_count + 2.0,
            hidden: 0.0,
            cast: hidden + query_inner + rank + output,
        };
    }
    let columns = query + 2.0 * share::key_value_width(arch, tp);
    Block {
        weights: hidden * (columns + query),
        inner: hidden + query,
        outer: columns + hidden,
        count: 2.0,
        hidden: 0.0,
        cast: hidden + query,
    }
}

/// An MLP of this width on one GPU.
fn mlp(arch: &Architecture, width: f64) -> Block {
    let hidden = f64::from(arch.hidden_size);
    let wide = if arch.gated_mlp { 2.0 * width } else { width };
    Block {
        weights: hidden * (wide + width),
        inner: hidden + width,
        outer: wide + hidden,
        count: 2.0,
        hidden: wide + width,
        cast: hidden + width,
    }
}

/// What the blocks of a setup are timed with.
struct Rates<'a> {
    setup: &'a Setup,
    tokens: f64,
    half: f64,
    matmul: FlopsPerSecond,
    memory: BytesPerSecond,
}

impl Rates<'_> {
    fn products(&self, block: &Block) -> Products {
        Products {
            tokens: self.tokens,
            weights: block.weights,
            inner: block.inner,
            outer: block.outer,
            count: block.count,
            half: self.half,
            rate: self.matmul,
        }
    }

    /// Element-wise traffic of both passes: half of it is on the residual stream, half on the hidden tensors of the blocks.
    fn elementwise(&self, block: &Block) -> Seconds {
        let hidden = f64::from(self.setup.architecture.hidden_size);
        let residual = share::sequence_share(self.setup);
        let in_blocks = block.hidden / (2.0 * REFERENCE_MLP * hidden);
        let per_token = self.setup.overheads.elementwise_bytes * hidden * (0.5 * residual + 0.5 * in_blocks);
        Bytes::new((per_token + casts(self.setup, block.cast)) * self.tokens) / self.memory
    }
}

/// Bytes of casting inputs of this width to 8 bits, where products run in them.
fn casts(setup: &Setup, width: f64) -> f64 {
    match setup.compute_format {
        ComputeFormat::Recipe => 0.0,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather | ComputeFormat::Fp4 => CAST_BYTES * width,
    }
}

/// Forward and backward time of one kind of work.
#[derive(Clone, Copy, Default)]
struct Passes {
    forward: Seconds,
    backward: Seconds,
}

/// Times of one layer's products and element-wise work.
#[derive(Clone, Copy, Default)]
struct Layer {
    matmul: Seconds,
    input_gradient: Seconds,
    weight_gradient: Seconds,
    elementwise: Seconds,
}

impl Layer {
    fn of(rates: &Rates, block: &Block) -> Self {
        let products = rates.products(block);
        Self {
            matmul: products.forward(),
            input_gradient: products.input_gradient(),
            weight_gradient: products.weight_gradient(),
            elementwise: rates.elementwise(block),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            matmul: self.matmul + other.matmul,
            input_gradient: self.input_gradient + other.input_gradient,
            weight_gradient: self.weight_gradient + other.weight_gradient,
            elementwise: self.elementwise + other.elementwise,
        }
    }

    fn times(self, share: f64) -> Self {
        Self {
            matmul: self.matmul * share,
            input_gradient: self.input_gradient * share,
            weight_gradient: self.weight_gradient * share,
            elementwise: self.elementwise * share,
        }
    }

    /// Both passes, with what the backward pass computes again.
    fn passes(&self, again: &flops::Recomputed) -> Passes {
        let backward = self.input_gradient + self.weight_gradient + (1.0 - FORWARD_SHARE) * self.elementwise;
        let recomputed = again.matmul * self.matmul + again.elementwise * FORWARD_SHARE * self.elementwise;
        Passes { forward: self.matmul + FORWARD_SHARE * self.elementwise, backward: backward + recomputed }
    }
}

/// Rows by which a group of products pads each expert's on average: half a tile of 128.
pub(super) const TILE_PADDING: f64 = 64.0;
/// Bytes read and written per element of a routed copy to sort tokens by expert and back, both passes: a collective all-to-all is
/// sorted before it and, by expert, after it, and the way back undoes both (two reads, two writes each of 16 bits).
const SORT_BYTES: f64 = 24.0;
/// The same where the kernels that send tokens sort them: one copy in, one out.
const FUSED_SORT_BYTES: f64 = 8.0;

/// Casts of routed copies expert by expert, padded to the blocks of the format, over those of one tensor that streams: fitted to
/// Megatron-Bridge's steps of mixtures before 26.06 (docs/accuracy.md).
const CASTS_BY_EXPERT: f64 = 5.0;
/// Bytes read and written per hidden element of experts with biases (gpt-oss), whose clamp and gate run operator by operator, both
/// passes: fitted to the same steps of gpt-oss.
const GATED_BY_HAND_BYTES: f64 = 65.0;

/// Routed experts of one layer on one GPU: grouped products of the copies that arrive, no faster than their weights are read, and
/// the element-wise work between and around them.
fn routed(rates: &Rates) -> Layer {
    let setup = rates.setup;
    let arch = &setup.architecture;
    let local = experts::local_experts(setup);
    let received = experts::received(setup);
    let width = f64::from(arch.experts.moe_intermediate_size) / f64::from(setup.mesh.etp.max(1));
    let block = mlp(arch, width);
    // Every chunk of the tokens has products of its own.
    let chunks = f64::from(setup.experts.chunks.max(1));
    let padding = if setup.experts.grouped { chunks * TILE_PADDING * local } else { 0.0 };
    let launches = if setup.experts.grouped { chunks } else { chunks * local };
    let rows = received + padding;
    let products = Products {
        tokens: rows,
        weights: block.weights,
        inner: block.inner * launches,
        outer: block.outer * launches,
        count: block.count,
        half: rates.half,
        rate: rates.matmul,
    };
    // The gradient of the weights contracts each expert's rows alone, whatever is launched at once and in how many chunks.
    let contracted = if setup.experts.grouped { rows / local } else { rows };
    let weight_gradient = Products { count: block.count * contracted / rows, ..products }.weight_gradient();
    let element = states::recipe_bytes(setup.recipe).activation;
    let read = Bytes::new(element * chunks * local * block.weights) / rates.memory;
    let hidden = f64::from(arch.hidden_size);
    let sort = match setup.experts.dispatcher {
        Dispatcher::AllToAll => SORT_BYTES,
        Dispatcher::Fused => FUSED_SORT_BYTES,
    };
    let in_blocks = block.hidden / (2.0 * REFERENCE_MLP);
    let gate = if arch.experts.expert_bias { GATED_BY_HAND_BYTES * block.hidden } else { 0.0 };
    let activation = 0.5 * setup.overheads.elementwise_bytes * in_blocks + gate;
    let casts =
        if setup.experts.grouped && setup.experts.fused { 1.0 } else { CASTS_BY_EXPERT } * casts(setup, block.cast);
    let per_copy = sort * hidden + activation + casts;
    Layer {
        matmul: products.forward().max(read),
        input_gradient: products.input_gradient().max(read),
        weight_gradient: weight_gradient.max(read),
        elementwise: Bytes::new(per_copy * received) / rates.memory,
    }
}

/// What every token passes in a layer with experts beside attention: the router, and the shared experts' MLP.
fn router_and_shared(arch: &Architecture, tp: f64) -> Block {
    let (hidden, experts) = (f64::from(arch.hidden_size), f64::from(arch.experts.num_experts));
    // Sequence parallelism shares the router's tokens.
    let router = Block {
        weights: hidden * experts / tp,
        inner: hidden,
        outer: experts / tp,
        count: 1.0,
        hidden: 0.0,
        cast: 0.0,
    };
    let shared = f64::from(arch.experts.shared_intermediate_size);
    if shared > 0.0 { mlp(arch, shared / tp).with(router) } else { router }
}

/// Times of the experts of one layer alone, forward and backward: routed and shared ones with their router, without attention, the
/// residual stream and the exchanges.
pub fn experts_alone(setup: &Setup) -> (Seconds, Seconds) {
    let rates = Rates {
        setup,
        tokens: share::tokens(setup),
        half: setup.accelerator.efficiency.half_saturation_tokens * REFERENCE_WIDTH,
        matmul: matmul_rate(setup),
        memory: memory_rate(setup),
    };
    let arch = &setup.architecture;
    let beside = router_and_shared(arch, f64::from(setup.mesh.tp.max(1)));
    let of_residual = Block { hidden: 0.0, cast: 0.0, ..beside };
    let beside = Layer {
        elementwise: rates.elementwise(&beside) - rates.elementwise(&of_residual),
        ..Layer::of(&rates, &beside)
    };
    let passes = routed(&rates).plus(beside).passes(&flops::recomputed(setup));
    (passes.forward, passes.backward)
}

/// The times of all units for one micro-batch on one GPU of a stage, `moe_share` of whose layers have experts.
pub fn unit_times(setup: &Setup, moe_share: f64) -> UnitTimes {
    let arch = &setup.architecture;
    let efficiency = setup.accelerator.efficiency;
    let tp = f64::from(setup.mesh.tp.max(1));
    let tokens = share::tokens(setup);
    let hidden = f64::from(arch.hidden_size);
    let memory_rate = memory_rate(setup);
    let half = efficiency.half_saturation_tokens * REFERENCE_WIDTH;
    let rates = Rates { setup, tokens, half, matmul: matmul_rate(setup), memory: memory_rate };

    let attention_block = projections(arch, tp);
    let dense = || Layer::of(&rates, &attention_block.with(mlp(arch, f64::from(arch.intermediate_size) / tp)));
    let again = flops::recomputed(setup);
    let (layer, experts) = if moe_share > 0.0 {
        let experts = routed(&rates);
        let moe = Layer::of(&rates, &attention_block.with(router_and_shared(arch, tp))).plus(experts);
        let layer = if moe_share < 1.0 { moe.times(moe_share).plus(dense().times(1.0 - moe_share)) } else { moe };
        (layer, experts.passes(&again))
    } else {
        (dense(), Passes::default())
    };

    let attention_rate = recipe_peak(&setup.accelerator, setup.recipe) * attention_efficiency(setup);
    let mean_attention = flops::mean_executed_attention(setup) / tp;
    let attention_flops = tokens * mean_attention / attention_rate;
    let (attention, attention_backward) = if setup.kernels.attention == AttentionKernel::Unfused {
        let scores = tokens * f64::from(arch.num_attention_heads) / tp * f64::from(setup.batch.seq_len);
        let traffic = Bytes::new(UNFUSED_SCORE_BYTES * scores) / memory_rate;
        (
            attention_flops + FORWARD_SHARE * traffic,
            UNFUSED_BACKWARD * attention_flops + (1.0 - FORWARD_SHARE) * traffic,
        )
    } else {
        (attention_flops, FLASH_BACKWARD * attention_flops)
    };
    let passes = layer.passes(&again);

    UnitTimes {
        embedding: Bytes::new(EMBEDDING_BYTES * tokens * hidden) / memory_rate,
        layer_forward: passes.forward + attention,
        head: head(setup, tokens, tp, half, memory_rate),
        layer_backward: passes.backward + attention_backward + again.attention * attention,
        layer_weight_gradient: layer.weight_gradient,
        layer_matmul: layer.matmul,
        layer_matmul_backward: layer.input_gradient + layer.weight_gradient,
        layer_attention: attention,
        experts_forward: experts.forward,
        experts_backward: experts.backward,
        launch: efficiency.launch_per_layer * launches(setup, moe_share),
    }
}

/// Launches of a layer's experts that are left where the rest of the layer is one CUDA graph, as a share: fitted, with
/// [`CAST_LAUNCHES`], to Megatron-Bridge's steps of mixtures (docs/accuracy.md).
const BESIDE_GRAPHS: f64 = 0.6;
/// Launches of a layer's experts with their inputs' casts to 8 or 4 bits, over those without.
const CAST_LAUNCHES: f64 = 1.4;

/// Host time of a layer's launches over the accelerator's constant, exchanges included.
fn launches(setup: &Setup, moe_share: f64) -> f64 {
    let overheads = &setup.overheads;
    let exchanges = setup.mesh.tp > 1 || setup.mesh.cp > 1;
    let exchange = if exchanges { overheads.launch_exchange } else { 0.0 };
    let latent = if setup.architecture.latent.is_used() { overheads.launch_latent } else { 0.0 };
    let casts = if setup.compute_format == ComputeFormat::Recipe { 1.0 } else { CAST_LAUNCHES };
    let experts = moe_share * casts * overheads.launch_experts;
    match setup.kernels.graphs {
        Graphs::None => overheads.launch + exchange + latent + experts,
        Graphs::Layers => BESIDE_GRAPHS * experts,
        Graphs::Step => 0.0,
    }
}

/// Width of the hidden tensors of an MLP over H, on average over its products, where the element-wise traffic is counted:
/// `F = 4 H` and two of them.
const REFERENCE_MLP: f64 = 4.0;

/// Memory bandwidth that element-wise kernels reach.
pub fn memory_rate(setup: &Setup) -> BytesPerSecond {
    setup.accelerator.memory_bandwidth * setup.accelerator.efficiency.memory
}

/// Output head and loss, forward and backward; they stay in the recipe's format.
fn head(setup: &Setup, tokens: f64, tp: f64, half: f64, memory_rate: BytesPerSecond) -> Seconds {
    let hidden = f64::from(setup.architecture.hidden_size);
    let columns = f64::from(setup.architecture.vocab_size) / tp;
    let products = Products {
        tokens,
        weights: hidden * columns,
        inner: hidden,
        outer: columns,
        count: f64::from(u8::from(columns > 0.0)),
        half: if columns > 0.0 { half } else { 0.0 },
        rate: recipe_peak(&setup.accelerator, setup.recipe) * setup.accelerator.efficiency.matmul,
    };
    products.forward()
        + products.input_gradient()
        + products.weight_gradient()
        + Bytes::new(bytes_per_logit(setup.kernels.loss) * tokens * columns) / memory_rate
}

/// FLOPs a parameter, over H, of the Newton-Schulz iterations that make Muon's update orthogonal: five times `4 m + 2 m²/n` of
/// an m x n matrix, m = H and n twice that.
const NEWTON_SCHULZ: f64 = 5.0 * (4.0 + 1.0);

/// Time of Muon's products over these matrices' parameters; none for other optimizers.
fn newton_schulz(setup: &Setup, params: f64) -> Seconds {
    if setup.optimizer != Optimizer::Muon {
        return Seconds::ZERO;
    }
    let flops = NEWTON_SCHULZ * f64::from(setup.architecture.hidden_size) * params;
    let rate = recipe_peak(&setup.accelerator, setup.recipe) * setup.accelerator.efficiency.matmul;
    crate::units::Flops::new(flops) / rate
}

/// Time of the optimizer's update, no less than the host takes for it: it reads weights, gradients and state of this GPU's shard and writes weights and state; where
/// the state is in host memory, gradients and weights cross the link to it, there and back, and the update runs there
/// at the link's pace.
pub fn optimizer(setup: &Setup, params: &Params) -> Seconds {
    let bytes = states::recipe_bytes(setup.recipe);
    let (matrix, other) = states::optimizer_bytes(setup);
    let of_matrices = params.layers * params.layer_matrices;
    let (degrees, of_experts) = (states::shard_degrees(setup), states::expert_shard_degrees(setup));
    let dense = params.dense();
    let traffic = |params: f64, state: f64| 2.0 * (bytes.weights * params + state) + bytes.gradients * params;
    let of_dense = traffic(dense, matrix * of_matrices + other * (dense - of_matrices));
    let routed = params.experts();
    let share = Bytes::new(of_dense / degrees.optimizer + traffic(routed, matrix * routed) / of_experts.optimizer);
    let here = (share / memory_rate(setup)).max(setup.overheads.step);
    let orthogonal = newton_schulz(setup, of_matrices / degrees.optimizer + routed / of_experts.optimizer);
    if !(setup.offload.optimizer || setup.offload.parameters) {
        return here + orthogonal;
    }
    // On the host, whose memory is taken to be as fast as the link; offloaded weights and gradients are there already.
    let crossing = if setup.offload.parameters { 0.0 } else { bytes.gradients + bytes.weights };
    let sharded = dense / degrees.optimizer + routed / of_experts.optimizer;
    let update = (share / setup.accelerator.host_link).max(setup.overheads.step);
    update + orthogonal + Bytes::new(crossing * sharded) / setup.accelerator.host_link
}
