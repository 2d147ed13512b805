//! Memory of one GPU at its peak (model.md section 3).

mod peak;

use super::setup::Setup;
use super::training::{Recipe, Recompute, Sharding};
use super::transformer::Architecture;
use crate::units::Bytes;
pub use peak::peak;

/// Bytes per parameter, by what they hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecipeBytes {
    /// Weights at rest.
    pub weights: f64,
    /// Gradients at rest.
    pub gradients: f64,
    /// Optimizer state: Adam's two moments, and the fp32 copy where weights at rest are 16-bit and it keeps one.
    pub optimizer: f64,
    /// Weights as gathered for compute, and the gradients that compute produces.
    pub gathered: f64,
    /// Gradients as reduced.
    pub reduced: f64,
    /// One element of an activation.
    pub activation: f64,
}

/// The bytes of a recipe under AdamW (model.md section 3's table; ZeRO's row from arXiv 1910.02054 section 3.1).
pub const fn recipe_bytes(recipe: Recipe) -> RecipeBytes {
    let (weights, gradients, optimizer, gathered, reduced, activation) = match recipe {
        Recipe::Fsdp2MixedBf16 => (4.0, 4.0, 8.0, 2.0, 4.0, 2.0),
        Recipe::Fsdp2MixedBf16Reduce16 => (4.0, 4.0, 8.0, 2.0, 2.0, 2.0),
        Recipe::ZeroMixed => (2.0, 2.0, 12.0, 2.0, 2.0, 2.0),
        Recipe::MegatronMixed => (2.0, 4.0, 12.0, 2.0, 4.0, 2.0),
        Recipe::PureBf16 => (2.0, 2.0, 4.0, 2.0, 2.0, 2.0),
        Recipe::Fp32 => (4.0, 4.0, 8.0, 4.0, 4.0, 4.0),
    };
    RecipeBytes { weights, gradients, optimizer, gathered, reduced, activation }
}

/// By how many GPUs each kind of state is divided at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardDegrees {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Optimizer state.
    pub optimizer: f64,
}

/// The shard degrees of the strategy on its mesh (model.md section 3's table).
pub fn shard_degrees(setup: &Setup) -> ShardDegrees {
    let z = f64::from(setup.mesh.dp_shard.max(1));
    let (weights, gradients, optimizer) = match setup.sharding {
        Sharding::Ddp => (1.0, 1.0, 1.0),
        Sharding::Zero1 => (1.0, 1.0, z),
        Sharding::Zero2 => (1.0, z, z),
        Sharding::Fsdp(_) => (z, z, z),
    };
    ShardDegrees { weights, gradients, optimizer }
}

/// Weights, gradients and optimizer state at rest on one GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct States {
    /// Weights.
    pub weights: Bytes,
    /// Gradients, once all are accumulated.
    pub gradients: Bytes,
    /// Optimizer state.
    pub optimizer: Bytes,
}

impl States {
    /// All three.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer
    }
}

/// Bytes of the states of `params` parameters at rest: `bytes(recipe) P / Z`, for each state its own Z.
///
/// ```
/// # use shardwise::model::{memory::{states, ShardDegrees}, training::Recipe};
/// // A 7B model trained in pure bf16 holds 14 + 14 + 28 GB (model.md section 8, claim 5).
/// let whole = ShardDegrees { weights: 1.0, gradients: 1.0, optimizer: 1.0 };
/// let states = states(7e9, Recipe::PureBf16, whole);
/// assert_eq!(states.weights.gb(), 14.0);
/// assert_eq!(states.gradients.gb(), 14.0);
/// assert_eq!(states.optimizer.gb(), 28.0);
/// ```
pub fn states(params: f64, recipe: Recipe, degrees: ShardDegrees) -> States {
    let bytes = recipe_bytes(recipe);
    States {
        weights: Bytes::new(bytes.weights * params / degrees.weights),
        gradients: Bytes::new(bytes.gradients * params / degrees.gradients),
        optimizer: Bytes::new(bytes.optimizer * params / degrees.optimizer),
    }
}

/// Bytes per element of flash attention's log-sum-exp, kept in fp32 for each head and token.
const LOG_SUM_EXP_BYTES: f64 = 4.0;

/// Elements per token that autograd keeps for one layer's backward pass when nothing is recomputed.
///
/// Norm inputs and outputs, q, k, v, the attention output, the MLP's hidden tensors: gate, up, activation and product
/// (4 F), or the first projection and its activation (2 F). Log-sum-exp apart. No dropout masks.
pub fn layer_elements(arch: &Architecture) -> f64 {
    let norms = 2.0 * f64::from(arch.norms_per_layer) * f64::from(arch.hidden_size);
    let attention = 2.0 * arch.query_width() + 2.0 * arch.key_value_width();
    let mlp = if arch.gated_mlp { 4.0 } else { 2.0 } * f64::from(arch.intermediate_size);
    norms + attention + mlp
}

/// Bytes per token that autograd keeps for one layer when nothing is recomputed.
///
/// ```
/// # use shardwise::{catalog, model::memory};
/// // GPT-style with flash attention: 34 H (arXiv 2205.05198) less the two dropout masks of H bytes, so 32 H,
/// // and 4 bytes of log-sum-exp a head.
/// let gpt = catalog::model("gpt-3-175b").unwrap().architecture;
/// assert_eq!(memory::layer_bytes(&gpt, 2.0), 32.0 * 12_288.0 + 4.0 * 96.0);
/// ```
pub fn layer_bytes(arch: &Architecture, element: f64) -> f64 {
    layer_elements(arch) * element + log_sum_exp(arch)
}

fn log_sum_exp(arch: &Architecture) -> f64 {
    LOG_SUM_EXP_BYTES * f64::from(arch.num_attention_heads)
}

/// Bytes per token and layer kept between forward and backward under a recomputation mode.
///
/// Full keeps the layer's input. Selective is torchtitan's per-operator mode: the input, the attention output, and
/// every second matrix product's output (query, value, first MLP projection, output). A fraction γ interpolates
/// between full (0) and none (1). Never more than [`layer_bytes`].
pub fn kept_bytes(arch: &Architecture, mode: Recompute, element: f64) -> f64 {
    let hidden = f64::from(arch.hidden_size);
    let all = layer_bytes(arch, element);
    let input = hidden * element;
    match mode {
        Recompute::None | Recompute::AttentionCore => all,
        Recompute::Full => input,
        Recompute::Fraction(kept) => (1.0 - kept) * input + kept * all,
        Recompute::Selective => {
            let elements =
                2.0 * hidden + 2.0 * arch.query_width() + arch.key_value_width() + f64::from(arch.intermediate_size);
            let kept = elements * element + log_sum_exp(arch);
            if kept < all { kept } else { all }
        }
    }
}
