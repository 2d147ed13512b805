//! The time of compute: a roofline for each class of operator (model.md section 5).

use super::flops;
use super::hardware::Accelerator;
use super::memory::states;
use super::setup::Setup;
use super::share::{self, Params};
use super::software::{AttentionKernel, Loss};
use super::training::{ComputeFormat, Optimizer, Recipe};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

/// Compute times of the units of one micro-batch on one GPU, before communication slows them.
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
const REFERENCE_WIDTH: f64 = 4096.0;
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

/// Products of one layer by number: queries, keys and values as one, output projection, into the MLP, out of it.
const PRODUCTS: f64 = 4.0;

/// The times of all units for one micro-batch on one GPU.
pub fn unit_times(setup: &Setup) -> UnitTimes {
    let arch = &setup.architecture;
    let efficiency = setup.accelerator.efficiency;
    let tp = f64::from(setup.mesh.tp.max(1));
    let tokens = share::tokens(setup);
    let hidden = f64::from(arch.hidden_size);
    let memory_rate = memory_rate(setup);
    let half = efficiency.half_saturation_tokens * REFERENCE_WIDTH;

    let key_value = share::key_value_width(arch, tp);
    let (query, width) = (arch.query_width() / tp, f64::from(arch.intermediate_size) / tp);
    let wide = if arch.gated_mlp { 2.0 * width } else { width };
    let projections = query + 2.0 * key_value;
    let products = Products {
        tokens,
        weights: hidden * (projections + query + wide + width),
        inner: 2.0 * hidden + query + width,
        outer: projections + 2.0 * hidden + wide,
        count: PRODUCTS,
        half,
        rate: matmul_rate(setup),
    };
    let matmul = products.forward();
    let weight_gradient = products.weight_gradient();
    let matmul_backward = products.input_gradient() + weight_gradient;

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

    // Half of the element-wise traffic is on the residual stream, half on the hidden tensors of the blocks.
    let residual = share::sequence_share(setup);
    let in_blocks = (wide + width) / (2.0 * REFERENCE_MLP * hidden);
    let per_token = setup.overheads.elementwise_bytes * hidden * (0.5 * residual + 0.5 * in_blocks);
    let casts = match setup.compute_format {
        ComputeFormat::Recipe => 0.0,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather | ComputeFormat::Fp4 => {
            CAST_BYTES * (2.0 * hidden + query + width)
        }
    };
    let elementwise = Bytes::new((per_token + casts) * tokens) / memory_rate;

    let forward = matmul + attention + FORWARD_SHARE * elementwise;
    let again = flops::recomputed(setup);
    let recomputed =
        again.matmul * matmul + again.attention * attention + again.elementwise * FORWARD_SHARE * elementwise;
    let backward = matmul_backward + attention_backward + (1.0 - FORWARD_SHARE) * elementwise + recomputed;

    UnitTimes {
        embedding: Bytes::new(EMBEDDING_BYTES * tokens * hidden) / memory_rate,
        layer_forward: forward,
        head: head(setup, tokens, tp, half, memory_rate),
        layer_backward: backward,
        layer_weight_gradient: weight_gradient,
        layer_matmul: matmul,
        layer_matmul_backward: matmul_backward,
        layer_attention: attention,
        launch: efficiency.launch_per_layer * launches(setup),
    }
}

/// Host time of a layer's launches over the accelerator's constant, exchanges included.
fn launches(setup: &Setup) -> f64 {
    let exchanges = setup.mesh.tp > 1 || setup.mesh.cp > 1;
    setup.overheads.launch + if exchanges { setup.overheads.launch_exchange } else { 0.0 }
}

/// Width of the hidden tensors of an MLP over H, on average over its products, where the element-wise traffic is counted:
/// `F = 4 H` and two of them.
const REFERENCE_MLP: f64 = 4.0;

fn memory_rate(setup: &Setup) -> BytesPerSecond {
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
    let degrees = states::shard_degrees(setup);
    let all = params.all();
    let state = matrix * of_matrices + other * (all - of_matrices);
    let traffic = 2.0 * (bytes.weights * all + state) + bytes.gradients * all;
    let share = Bytes::new(traffic / degrees.optimizer);
    let here = (share / memory_rate(setup)).max(setup.overheads.step);
    let orthogonal = newton_schulz(setup, of_matrices / degrees.optimizer);
    if !(setup.offload.optimizer || setup.offload.parameters) {
        return here + orthogonal;
    }
    // On the host, whose memory is taken to be as fast as the link; offloaded weights and gradients are there already.
    let crossing = if setup.offload.parameters { 0.0 } else { (bytes.gradients + bytes.weights) * all };
    let update = (share / setup.accelerator.host_link).max(setup.overheads.step);
    update + orthogonal + Bytes::new(crossing / degrees.optimizer) / setup.accelerator.host_link
}
