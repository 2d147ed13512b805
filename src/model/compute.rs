//! The time of compute: a roofline for each class of operator (model.md section 5).

use super::flops;
use super::hardware::Accelerator;
use super::setup::Setup;
use super::training::Recipe;
use super::transformer::UnitParams;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};

/// Compute times of the units of one micro-batch, before communication slows them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitTimes {
    /// Embedding, forward.
    pub embedding_forward: Seconds,
    /// One layer, forward.
    pub layer_forward: Seconds,
    /// Output head and loss, forward and backward.
    pub head: Seconds,
    /// One layer, backward with its recomputation.
    pub layer_backward: Seconds,
    /// Embedding, backward.
    pub embedding_backward: Seconds,
    /// The optimizer's update.
    pub optimizer: Seconds,
    /// Of all layers, both passes: time above the kernels' own because the host launches them too slowly.
    pub launch_bound: Seconds,
}

/// Share of the element-wise traffic in the forward pass; the backward pass has the rest.
const FORWARD_SHARE: f64 = 1.0 / 3.0;
/// Matrix products in the backward pass over those of the forward pass.
const BACKWARD_MATMULS: f64 = 2.0;
/// Flash attention's backward pass runs five products over the score matrix for the forward pass's two
/// (arXiv 2205.14135, appendix B).
const BACKWARD_ATTENTION: f64 = 2.5;
/// Bytes read and written per logit by an unfused cross-entropy, forward and backward: upcast (2 + 4), log-softmax
/// (4 + 4), its gradient (4 + 4), downcast (4 + 2) and the bf16 logits' write and read (2 + 2).
const LOSS_BYTES_PER_LOGIT: f64 = 32.0;
/// Bytes read and written per element of the hidden state by the embedding look-up in 16 bits.
const EMBEDDING_BYTES: f64 = 4.0;

/// The dense peak of the format in which the recipe computes.
pub fn peak(accelerator: &Accelerator, recipe: Recipe) -> FlopsPerSecond {
    match recipe {
        Recipe::Fp32 => accelerator.peak_32bit,
        Recipe::Fsdp2MixedBf16
        | Recipe::Fsdp2MixedBf16Reduce16
        | Recipe::ZeroMixed
        | Recipe::MegatronMixed
        | Recipe::PureBf16 => accelerator.peak_16bit,
    }
}

/// The rate of matrix products over `tokens` rows: `peak e T / (T + T_half)`.
pub fn matmul_rate(setup: &Setup, tokens: f64) -> FlopsPerSecond {
    let efficiency = setup.accelerator.efficiency;
    peak(&setup.accelerator, setup.recipe) * (efficiency.matmul * tokens / (tokens + efficiency.half_saturation_tokens))
}

/// The times of all units for one micro-batch.
pub fn unit_times(setup: &Setup, params: &UnitParams) -> UnitTimes {
    let arch = &setup.architecture;
    let efficiency = setup.accelerator.efficiency;
    let tokens = f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len);
    let keys = flops::executed_keys(f64::from(setup.batch.seq_len), setup.mask);
    let hidden = f64::from(arch.hidden_size);
    let rate = matmul_rate(setup, tokens);
    let attention_rate = peak(&setup.accelerator, setup.recipe) * efficiency.attention;
    let memory_rate = setup.accelerator.memory_bandwidth * efficiency.memory;

    let matmul = tokens * flops::layer_matmul(arch) / rate;
    let attention = tokens * flops::layer_attention(arch, keys) / attention_rate;
    let elementwise = Bytes::new(setup.overheads.elementwise_bytes * hidden * tokens) / memory_rate;

    let forward = matmul + attention + FORWARD_SHARE * elementwise;
    let again = flops::recomputed(arch, setup.recompute);
    let recomputed =
        again.matmul * matmul + again.attention * attention + again.elementwise * FORWARD_SHARE * elementwise;
    let backward =
        BACKWARD_MATMULS * matmul + BACKWARD_ATTENTION * attention + (1.0 - FORWARD_SHARE) * elementwise + recomputed;

    let layer_forward = forward.max(efficiency.launch_per_layer);
    let layer_backward = backward.max(efficiency.launch_per_layer);
    UnitTimes {
        embedding_forward: embedding(tokens * hidden, memory_rate),
        layer_forward,
        head: head(tokens, flops::head(arch), f64::from(arch.vocab_size), rate, memory_rate),
        layer_backward,
        embedding_backward: embedding(tokens * hidden, memory_rate),
        optimizer: optimizer(setup, params, memory_rate),
        launch_bound: f64::from(arch.num_hidden_layers) * (layer_forward - forward + (layer_backward - backward)),
    }
}

fn embedding(elements: f64, memory_rate: BytesPerSecond) -> Seconds {
    Bytes::new(EMBEDDING_BYTES * elements) / memory_rate
}

fn head(tokens: f64, per_token: Flops, vocabulary: f64, rate: FlopsPerSecond, memory_rate: BytesPerSecond) -> Seconds {
    let matmul = tokens * per_token / rate;
    (1.0 + BACKWARD_MATMULS) * matmul + Bytes::new(LOSS_BYTES_PER_LOGIT * tokens * vocabulary) / memory_rate
}

/// The update reads weights, gradients and state of this GPU's shard and writes weights and state.
fn optimizer(setup: &Setup, params: &UnitParams, memory_rate: BytesPerSecond) -> Seconds {
    let bytes = super::memory::recipe_bytes(setup.recipe);
    let traffic = 2.0 * (bytes.weights + bytes.optimizer) + bytes.gradients;
    let updated = params.model / super::memory::shard_degrees(setup).optimizer;
    Bytes::new(traffic * updated) / memory_rate
}
