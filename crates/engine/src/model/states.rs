//! Weights, gradients and optimizer state at rest (docs/book/model/states.md).

pub mod moments;

use super::per_rank::LocalParams;
use super::setup::Setup;
use super::training::{ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Sharding, UpdatePlace};
use super::unit_params::Units;
use crate::units::Bytes;
use moments::{moment_bytes, moments};

/// Bytes per parameter of each kind of state, and bytes of an activation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecipeBytes {
    /// Weights at rest.
    pub weights: f64,
    /// Gradients at rest.
    pub gradients: f64,
    /// Optimizer state: Adam's two moments, and the fp32 copy if weights at rest are 16-bit and the
    /// recipe has one.
    pub optimizer: f64,
    /// Weights as gathered for compute, and gradients as computed.
    pub gathered: f64,
    /// Gradients as reduced.
    pub reduced: f64,
    /// One element of an activation.
    pub activation: f64,
}

/// Returns the bytes of a recipe under AdamW (docs/book/model/states.md; ZeRO's row from arXiv
/// 1910.02054 section 3.1).
pub const fn recipe_bytes(recipe: PrecisionPolicy) -> RecipeBytes {
    let (weights, gradients, optimizer, gathered, reduced, activation) = match recipe {
        PrecisionPolicy::Fsdp2MixedBf16 => (4.0, 4.0, 8.0, 2.0, 4.0, 2.0),
        PrecisionPolicy::Fsdp2MixedBf16Reduce16 => (4.0, 4.0, 8.0, 2.0, 2.0, 2.0),
        PrecisionPolicy::ZeroMixed => (2.0, 2.0, 12.0, 2.0, 2.0, 2.0),
        PrecisionPolicy::MegatronMixed => (2.0, 4.0, 12.0, 2.0, 4.0, 2.0),
        PrecisionPolicy::PureBf16 => (2.0, 2.0, 4.0, 2.0, 2.0, 2.0),
        PrecisionPolicy::PureBf16Reduce32 => (2.0, 2.0, 4.0, 2.0, 4.0, 2.0),
        PrecisionPolicy::AutocastBf16 => (4.0, 4.0, 8.0, 4.0, 4.0, 2.0),
        PrecisionPolicy::Fp32 => (4.0, 4.0, 8.0, 4.0, 4.0, 4.0),
    };
    RecipeBytes { weights, gradients, optimizer, gathered, reduced, activation }
}

/// GPUs over which each kind of state is sharded at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShardDegrees {
    /// Weights.
    pub weights: f64,
    /// Gradients.
    pub gradients: f64,
    /// Optimizer state.
    pub optimizer: f64,
}

/// Returns the shard degrees of the strategy on its mesh (docs/book/model/states.md): context
/// parallelism replicates the weights, so its GPUs are part of the shard group.
pub fn shard_degrees(setup: &Setup) -> ShardDegrees {
    let z = f64::from(setup.mesh.shard_group().max(1));
    shards_among(setup.sharding, z)
}

/// Returns the shard degrees of routed experts, which are sharded over the GPUs that hold the same
/// experts. If whole experts are distributed unevenly, they are the degrees of the GPU that holds
/// most.
pub fn expert_shard_degrees(setup: &Setup) -> ShardDegrees {
    let z = f64::from(setup.mesh.expert_shard_group());
    shards_among(setup.sharding, z / expert_padding(setup))
}

/// Returns the factor by which padding increases the weights of routed experts that FSDP gathers.
/// Hugging Face's models stack a layer's experts in one tensor, which FSDP2 shards along the expert
/// dimension: whole experts on every GPU, with padding if they do not divide evenly. All other
/// frameworks shard other dimensions.
///
/// ```
/// # use links::decode;
/// # use engine::model::states::expert_padding;
/// let of = |link: &str| expert_padding(&decode(link).scenario.setup());
/// // The 8 experts of Mixtral on 64 GPUs: each GPU gathers 64 places.
/// assert_eq!(of("cluster=dgx-h100&gpus=64&model=mixtral-8x7b&framework=transformers"), 8.0);
/// assert_eq!(of("cluster=dgx-h100&gpus=8&model=mixtral-8x7b&framework=transformers"), 1.0);
/// assert_eq!(of("cluster=dgx-h100&gpus=64&model=mixtral-8x7b"), 1.0);
/// ```
pub fn expert_padding(setup: &Setup) -> f64 {
    let stacked = setup.traits().stacked_experts && matches!(setup.sharding, Sharding::Fsdp(_));
    let here = if stacked { setup.architecture.experts.num_experts / setup.mesh.ep.max(1) } else { 0 };
    if here == 0 {
        return 1.0;
    }
    let group = setup.mesh.expert_shard_group().max(1);
    f64::from(here.div_ceil(group)) * f64::from(group) / f64::from(here)
}

/// Returns the degrees under a sharding over z GPUs.
fn shards_among(sharding: Sharding, z: f64) -> ShardDegrees {
    let (weights, gradients, optimizer) = match sharding {
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
    /// Weights, with their narrower copies.
    pub weights: Bytes,
    /// Gradients, once all are accumulated.
    pub gradients: Bytes,
    /// Optimizer state.
    pub optimizer: Bytes,
}

impl States {
    /// Returns the sum of all three.
    pub fn total(&self) -> Bytes {
        self.weights + self.gradients + self.optimizer
    }
}

/// Returns the bytes of the states of `params` parameters at rest: `bytes(recipe) P / Z`, with a Z
/// for each state.
///
/// ```
/// # use engine::model::{states::{states, ShardDegrees}, training::PrecisionPolicy};
/// // A 7B model trained in pure bf16 holds 14 + 14 + 28 GB (docs/book/model/bounds.md, claim 5).
/// let whole = ShardDegrees { weights: 1.0, gradients: 1.0, optimizer: 1.0 };
/// let states = states(7e9, PrecisionPolicy::PureBf16, whole);
/// assert_eq!(states.weights.gb(), 14.0);
/// assert_eq!(states.gradients.gb(), 14.0);
/// assert_eq!(states.optimizer.gb(), 28.0);
/// ```
pub fn states(params: f64, recipe: PrecisionPolicy, degrees: ShardDegrees) -> States {
    let bytes = recipe_bytes(recipe);
    States {
        weights: Bytes::new(bytes.weights * params / degrees.weights),
        gradients: Bytes::new(bytes.gradients * params / degrees.gradients),
        optimizer: Bytes::new(bytes.optimizer * params / degrees.optimizer),
    }
}

/// Bytes of an element in 16 bits.
const HALF: f64 = 2.0;

/// Returns the bytes of optimizer state per parameter: the fp32 copy if the recipe has one, and the
/// optimizer's moments, in the format of AdamW's moments under the recipe. For matrices, and for
/// all other parameters (norms, embedding, head).
///
/// ```
/// # use engine::model::{choices::Choices, states::optimizer_bytes, setup::Setup};
/// # use engine::model::training::{Optimizer, PrecisionPolicy};
/// let setup = catalog::default_scenario().setup();
/// let bytes = |recipe, optimizer| {
///     let choices = Choices { recipe, optimizer, ..setup.choices };
///     optimizer_bytes(&Setup { choices, ..setup })
/// };
/// // ZeRO's K = 12 with Adam: the fp32 copy and two moments (arXiv 1910.02054, section 3.1).
/// assert_eq!(bytes(PrecisionPolicy::ZeroMixed, Optimizer::AdamW), (12.0, 12.0));
/// // Lion keeps one moment, Muon one on matrices alone.
/// assert_eq!(bytes(PrecisionPolicy::Fp32, Optimizer::Lion), (4.0, 4.0));
/// assert_eq!(bytes(PrecisionPolicy::Fp32, Optimizer::Muon), (4.0, 8.0));
/// ```
pub fn optimizer_bytes(setup: &Setup) -> (f64, f64) {
    let with_adam = recipe_bytes(setup.recipe).optimizer;
    let moment = moment_bytes(setup);
    let copy = with_adam - 2.0 * moment;
    let (matrix, other) = moments(setup, recipe_bytes(setup.recipe).gradients);
    (copy + matrix, copy + other)
}

/// Returns the bytes of the temporaries of AdamW's update with `foreach`: the root of the second
/// moment of all of a GPU's parameters at once (`torch/optim/adamw.py`). The fused kernel has none.
pub fn update_bytes(setup: &Setup, params: &LocalParams) -> Bytes {
    let at_once = setup.update_place == UpdatePlace::AfterBackward && setup.offload.updates_here();
    if setup.optimizer != Optimizer::AdamW || setup.optimizer_kernel != OptimizerKernel::ForEach || !at_once {
        return Bytes::ZERO;
    }
    let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
    let params = &params.trained;
    let on_gpu = params.dense() / degrees.optimizer + params.experts() / of_experts.optimizer;
    Bytes::new(moment_bytes(setup) * on_gpu)
}

/// Returns the bytes per parameter of the gradients that the update casts to fp32 on the GPU, all
/// of a GPU's shard at once, where PyTorch's FSDP has 16-bit weights and an optimizer with fp32
/// copies of them beside it (InternEvo's `FSDPadaptOptimizer.step`: `p.grad.to(dtype)` for all
/// parameters, the 16-bit gradients being freed after the update).
pub fn cast_gradient_bytes(setup: &Setup) -> f64 {
    const FP32: f64 = 4.0;
    let casts = setup.recipe == PrecisionPolicy::ZeroMixed && setup.traits().shards_by_fsdp;
    let is_fsdp = matches!(setup.sharding, Sharding::Fsdp(_));
    if casts && is_fsdp && setup.offload.updates_here() { FP32 } else { 0.0 }
}

/// Returns the bytes per parameter of a layer's gathered weights: one if they are gathered in 8
/// bits.
pub fn gathered_layer_bytes(setup: &Setup) -> f64 {
    match setup.compute_format {
        ComputeFormat::Fp8Gather => 1.0,
        ComputeFormat::AsPolicy | ComputeFormat::Fp8 | ComputeFormat::Fp4 => recipe_bytes(setup.recipe).gathered,
    }
}

/// Returns the bytes per parameter of a layer's weights in the gather after ZeRO's update: those at
/// rest, or one if Megatron keeps them in 8 bits (`--fp8-param-gather`, which its `arguments.py`
/// allows with the distributed optimizer). At rest 8-bit weights take as much as 16-bit ones: the
/// weight and its transposed copy in 8 bits.
///
/// ```
/// # use links::decode;
/// # use engine::model::states::updated_layer_bytes;
/// let of = |link: &str| updated_layer_bytes(&decode(&format!("strategy=zero1&recipe=megatron-mixed&{link}")).scenario.setup());
/// assert_eq!(of("framework=megatron&compute=fp8"), 2.0);
/// assert_eq!(of("framework=megatron&compute=fp8-gather"), 1.0);
/// assert_eq!(of("framework=deepspeed&compute=fp8-gather"), 2.0);
/// ```
pub fn updated_layer_bytes(setup: &Setup) -> f64 {
    match setup.compute_format {
        ComputeFormat::Fp8Gather if setup.traits().gathers_updates_in_8_bits => 1.0,
        ComputeFormat::Fp8Gather | ComputeFormat::AsPolicy | ComputeFormat::Fp8 | ComputeFormat::Fp4 => {
            recipe_bytes(setup.recipe).weights
        }
    }
}

/// Bytes per frozen parameter: of matrices of the layers, and of all other parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrozenBytes {
    /// Matrices of the layers.
    pub matrices: f64,
    /// Norms, biases, embedding and head: never in fewer than 16 bits.
    pub others: f64,
}

impl FrozenBytes {
    /// Returns the bytes at rest.
    pub fn at_rest(setup: &Setup) -> Self {
        let matrices = setup.trained.base.bytes();
        Self { matrices, others: if matrices > HALF { matrices } else { HALF } }
    }

    /// Returns the bytes as gathered: in the stored format, or in the format of compute if
    /// narrower.
    pub fn gathered(setup: &Setup) -> Self {
        let (at_rest, computed) = (Self::at_rest(setup), recipe_bytes(setup.recipe).gathered);
        let narrower = |bytes: f64| if bytes < computed { bytes } else { computed };
        Self { matrices: narrower(at_rest.matrices), others: narrower(at_rest.others) }
    }

    /// Returns the bytes for compute in addition to those at rest: the gathered bytes if the
    /// parameters are sharded or on the host, otherwise those of a cast if the stored format is
    /// wider than that of compute.
    ///
    /// ```
    /// # use links::decode;
    /// # use engine::model::states::FrozenBytes;
    /// let of = |base: &str, sharded| {
    ///     let setup = decode(&format!("train=lora&strategy=ddp&recipe=fsdp2-bf16&base={base}")).scenario.setup();
    ///     let FrozenBytes { matrices, others } = FrozenBytes::for_compute(&setup, sharded);
    ///     (matrices, others)
    /// };
    /// // Whole on each GPU: a base in fp32 is cast to the 16 bits of compute, one in bf16 is computed with as it stands.
    /// assert_eq!(of("fp32", false), (2.0, 2.0));
    /// assert_eq!(of("bf16", false), (0.0, 0.0));
    /// // Sharded, it is gathered in either case.
    /// assert_eq!(of("bf16", true), (2.0, 2.0));
    /// ```
    pub fn for_compute(setup: &Setup, sharded: bool) -> Self {
        let gathered = Self::gathered(setup);
        if sharded || setup.offload.parameters {
            return gathered;
        }
        let at_rest = Self::at_rest(setup);
        let cast = |stored: f64, computed: f64| if stored > computed { computed } else { 0.0 };
        Self { matrices: cast(at_rest.matrices, gathered.matrices), others: cast(at_rest.others, gathered.others) }
    }

    /// Returns the bytes of one frozen layer without routed experts.
    pub fn layer_bytes(&self, frozen: &Units) -> f64 {
        self.matrices * frozen.layer_matrices + self.others * (frozen.layer - frozen.layer_matrices)
    }

    /// Returns the bytes of all frozen parameters without routed experts.
    pub fn dense_bytes(&self, frozen: &Units) -> f64 {
        frozen.layers * self.layer_bytes(frozen) + self.others * frozen.root
    }
}

/// Bytes of an element in 8 bits, and in 4 with its share of an 8-bit scale for 16 elements
/// (NVFP4).
const EIGHT_BIT: f64 = 1.0;
const FOUR_BIT: f64 = 0.5 + 1.0 / 16.0;

/// Returns the bytes of an element in the format of the layers' matrix products, if narrower than
/// an activation.
pub(in crate::model) const fn product_bytes(format: ComputeFormat) -> Option<f64> {
    match format {
        ComputeFormat::AsPolicy => None,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => Some(EIGHT_BIT),
        ComputeFormat::Fp4 => Some(FOUR_BIT),
    }
}
/// Copies of a trained weight in the format of its products: one for the forward pass, one
/// transposed for the backward pass. A frozen weight has the first alone
/// (`disable_parameter_transpose_cache`, true in the logs of MLPerf v6.0's adapters).
const COPIES: f64 = 2.0;
const FROZEN_COPIES: f64 = 1.0;

/// Returns the bytes per element of a matrix that Transformer Engine keeps from one micro-batch to
/// the next in addition to the weights: the weight cast to the narrower format, and a transposed
/// copy (github NVIDIA/TransformerEngine #1261, #1764, #1880). Casts of sharded weights live as
/// long as the gathered weights, and torchtitan's float8 keeps none.
///
/// ```
/// # use links::decode;
/// # use engine::{model::states::{copy_bytes, gpu_states}, model::stages::stages};
/// // Llama 3.1 405B on 8 x 16 x 128 GPUs: about 6 GB more on each.
/// let link = "cluster=dgx-h100&model=llama-3.1-405b&gpus=16384&tp=8&pp=16&strategy=zero1&recipe=megatron-mixed&framework=megatron";
/// let weights = |format: &str| {
///     let setup = decode(&format!("{link}&compute={format}")).scenario.setup();
///     gpu_states(&setup, &stages(&setup).first.params).weights.gb()
/// };
/// let more = weights("fp8") - weights("recipe");
/// assert!((5.5..6.5).contains(&more), "{more}");
/// assert_eq!(copy_bytes(&decode("compute=fp8&strategy=ddp").scenario.setup()), 0.0);
///
/// // Adapters on Llama 2 70B in FP4 on one B300, which ran with its 268 GiB (MLPerf v6.0): one copy.
/// let lora = "cluster=dgx-b300&model=llama-2-70b&gpus=8&train=lora&strategy=zero1&framework=megatron&compute=fp4";
/// assert_eq!(copy_bytes(&decode(lora).scenario.setup()), 0.5625);
/// assert_eq!(copy_bytes(&decode(&format!("{lora}&base=fp8")).scenario.setup()), 0.5625);
/// ```
pub fn copy_bytes(setup: &Setup) -> f64 {
    let keeps = setup.traits().keeps_narrow_weights && !matches!(setup.sharding, Sharding::Fsdp(_));
    // A frozen base in the products' format is that copy.
    let native = setup.trained.base.is_quantized() && !setup.dequantizes();
    let copies = match (setup.trained.is_all(), native) {
        (true, _) => COPIES,
        (false, true) => 0.0,
        (false, false) => FROZEN_COPIES,
    };
    match setup.compute_format {
        ComputeFormat::Fp8 if keeps => copies * EIGHT_BIT,
        ComputeFormat::Fp4 if keeps => copies * FOUR_BIT,
        ComputeFormat::AsPolicy | ComputeFormat::Fp8 | ComputeFormat::Fp8Gather | ComputeFormat::Fp4 => 0.0,
    }
}

/// Returns the states of one GPU's parameters at rest under the setup's recipe, optimizer and
/// offloading: weights of all parameters, gradients and optimizer state of trained ones; without
/// paged state ([`paged`]).
pub fn gpu_states(setup: &Setup, params: &LocalParams) -> States {
    let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
    let trained = &params.trained;
    let at_rest = states(trained.dense(), setup.recipe, degrees);
    let experts = states(trained.experts(), setup.recipe, of_experts);
    let copied = params.held.layers * params.held.layer_matrices + params.held.experts();
    let copies = Bytes::new(copy_bytes(setup) * copied);
    let here = |offloaded: bool, bytes: Bytes| if offloaded { Bytes::ZERO } else { bytes };
    // Both directions of DualPipe have a copy of the stage.
    let stages = setup.stage_copies();
    let weights = stages * (at_rest.weights + experts.weights + copies);
    States {
        weights: here(setup.offload.parameters, weights) + base(setup, params),
        gradients: here(setup.offload.parameters, stages * (at_rest.gradients + experts.gradients)),
        optimizer: here(!setup.offload.updates_here() || setup.offload.pages_state(), optimizer_state(setup, params)),
    }
}

/// Returns the bytes of the optimizer state of one GPU's parameters, wherever it is stored.
pub fn optimizer_state(setup: &Setup, params: &LocalParams) -> Bytes {
    let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
    let (matrix, other) = optimizer_bytes(setup);
    let trained = &params.trained;
    let (dense, matrices) = (trained.dense(), trained.layers * trained.layer_matrices);
    Bytes::new(
        (matrix * matrices + other * (dense - matrices)) / degrees.optimizer
            + matrix * trained.experts() / of_experts.optimizer,
    )
}

/// Returns the bytes of the optimizer state that the driver pages: they are outside PyTorch's
/// allocator, and yield to its allocations.
pub fn paged(setup: &Setup, params: &LocalParams) -> Bytes {
    if setup.offload.pages_state() { optimizer_state(setup, params) } else { Bytes::ZERO }
}

/// Returns the bytes of one GPU's frozen parameters at rest; zero if they are offloaded.
pub fn base(setup: &Setup, params: &LocalParams) -> Bytes {
    if setup.trained.is_all() || setup.offload.parameters {
        return Bytes::ZERO;
    }
    let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
    let (frozen, bytes) = (params.frozen(), FrozenBytes::at_rest(setup));
    Bytes::new(bytes.dense_bytes(&frozen) / degrees.weights + bytes.matrices * frozen.experts() / of_experts.weights)
}
