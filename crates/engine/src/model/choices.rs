//! The choices that reach the step model as the user makes them: one list, shared by scenario and
//! setup.

use super::images::Images;
use super::objective::Objective;
use super::parallel::{ContextExchange, ExpertParallel, Pipeline, TensorParallel};
use super::software::{Communication, Framework, Kernels, Offload, Segments};
use super::trained::Trained;
use super::training::{
    ComputeFormat, HalfFormat, MfuConvention, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, RecomputeModules,
    UpdatePlace,
};

/// Choices that a [`Scenario`](crate::scenario::Scenario) and its [`Setup`](super::setup::Setup)
/// share: in the scenario as the user entered them, in the setup the nearest possible ones.
///
/// Both structs dereference to the choices: add a field here and to [`Choices::DEFAULT`], and
/// formulas can read it from the setup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choices {
    /// The kind of tensor parallelism.
    pub tensor: TensorParallel,
    /// The exchange of keys and values under context parallelism.
    pub context: ContextExchange,
    /// GPUs of context parallelism that split a sequence by heads. In a scenario the number for
    /// [`ContextExchange::Mixed`]; in a setup all, some, or one if heads are not split.
    pub sequence_heads: u32,
    /// The pipeline schedule; its micro-batches are those of a step.
    pub pipeline: Pipeline,
    /// Execution of expert layers, and the routing of tokens.
    pub experts: ExpertParallel,
    /// The parts of the model that are trained, and how.
    pub trained: Trained,
    /// The training objective. For objectives that compare two answers, the micro-batch of a
    /// scenario counts pairs, and that of a setup both sequences of each pair.
    pub objective: Objective,
    /// The activations that are recomputed.
    pub recompute: Recompute,
    /// The share γ of the activations kept under [`Recompute::Fraction`], 0 to 1.
    pub keep_fraction: f64,
    /// The modules recomputed under [`Recompute::Modules`].
    pub recompute_modules: RecomputeModules,
    /// The precision recipe: the formats of weights, gradients and optimizer state.
    pub recipe: PrecisionPolicy,
    /// The 16-bit format of weights and products.
    pub half: HalfFormat,
    /// The format of the layers' matrix products.
    pub compute_format: ComputeFormat,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The implementation of the optimizer's update.
    pub optimizer_kernel: OptimizerKernel,
    /// The point in the step where the update runs.
    pub update_place: UpdatePlace,
    /// GaLore's rank.
    pub galore_rank: u32,
    /// Layers whose matrix products stay in the recipe's format while those of other layers run in
    /// 8 or 4 bits.
    pub layers_in_16_bits: u32,
    /// Whether weight-gradient products stay in the recipe's format too.
    pub gradients_in_16_bits: bool,
    /// Tokens predicted beyond the next one: applications of one module
    /// ([`super::transformer::Architecture::mtp_blocks`]).
    pub mtp: u32,
    /// Images in the sequences, for models that read them, and the trained parts of the vision
    /// encoder.
    pub images: Images,
    /// The time at which gradients are reduced.
    pub communication: Communication,
    /// The data that is offloaded to host memory.
    pub offload: Offload,
    /// The framework.
    pub framework: Framework,
    /// The kernels.
    pub kernels: Kernels,
    /// The way in which the allocator takes memory from the driver.
    pub segments: Segments,
    /// The FLOPs that the MFU counts.
    pub mfu_convention: MfuConvention,
}

impl Choices {
    /// The choices of a first visit, from which links also start.
    pub const DEFAULT: Self = Self {
        tensor: TensorParallel::USUAL,
        context: ContextExchange::Ring,
        sequence_heads: 8,
        pipeline: Pipeline::USUAL,
        experts: ExpertParallel::USUAL,
        trained: Trained::ALL,
        objective: Objective::NEXT_TOKEN,
        recompute: Recompute::None,
        keep_fraction: 0.5,
        recompute_modules: RecomputeModules::USUAL,
        recipe: PrecisionPolicy::Fsdp2MixedBf16,
        half: HalfFormat::OfGpu,
        compute_format: ComputeFormat::AsPolicy,
        optimizer: Optimizer::AdamW,
        optimizer_kernel: OptimizerKernel::Fused,
        update_place: UpdatePlace::AfterBackward,
        galore_rank: 128,
        layers_in_16_bits: 0,
        gradients_in_16_bits: false,
        mtp: 0,
        images: Images::ONE,
        communication: Communication::USUAL,
        offload: Offload::NONE,
        framework: Framework::Torchtitan,
        kernels: Kernels::USUAL,
        segments: Segments::Fixed,
        mfu_convention: MfuConvention::FullAttention,
    };
}
