//! The choices that reach the step model as the user makes them: one list for scenario and setup.

use super::experts::ExpertParallel;
use super::images::Images;
use super::objective::Objective;
use super::parallel::{ContextExchange, Pipeline, TensorParallel};
use super::software::{Communication, Framework, Kernels, Offload, Segments};
use super::trained::Trained;
use super::training::{
    ComputeFormat, MfuConvention, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, RecomputeModules, UpdatePlace,
};

/// What a [`Scenario`](crate::scenario::Scenario) and its [`Setup`](super::setup::Setup) both hold,
/// of the same type: in the scenario as asked for, in the setup the nearest that is possible.
///
/// Both lend its fields as their own: add a choice here and to [`Choices::DEFAULT`], and formulas
/// read it from the setup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choices {
    /// How tensor parallelism runs.
    pub tensor: TensorParallel,
    /// How context parallelism exchanges keys and values.
    pub context: ContextExchange,
    /// GPUs of context parallelism that share a sequence by heads: as asked for under
    /// [`ContextExchange::Mixed`]; in a setup all of them, some, or one where heads stay together.
    pub sequence_heads: u32,
    /// How the pipeline runs; its micro-batches are those of a step.
    pub pipeline: Pipeline,
    /// How the layers with experts run, and how tokens reach them.
    pub experts: ExpertParallel,
    /// What of the model is trained.
    pub trained: Trained,
    /// What the run optimises. Where it compares two answers, the micro-batch of a scenario counts
    /// pairs, and that of a setup both sequences of each.
    pub objective: Objective,
    /// Which activations are recomputed.
    pub recompute: Recompute,
    /// The share γ of the activations kept under [`Recompute::Fraction`], 0 to 1.
    pub keep_fraction: f64,
    /// The modules recomputed under [`Recompute::Modules`].
    pub recompute_modules: RecomputeModules,
    /// Which formats hold the state.
    pub recipe: PrecisionPolicy,
    /// The format of the layers' matrix products.
    pub compute_format: ComputeFormat,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// How its update runs.
    pub optimizer_kernel: OptimizerKernel,
    /// Where in the step it runs.
    pub update_place: UpdatePlace,
    /// GaLore's rank.
    pub galore_rank: u32,
    /// Layers whose products stay in the recipe's format where the others' run in 8 or 4 bits.
    pub layers_in_16_bits: u32,
    /// Whether the products that give gradients of weights stay in it too.
    pub gradients_in_16_bits: bool,
    /// Tokens that are predicted beyond the next one: applications of one module
    /// ([`super::transformer::mtp`]).
    pub mtp: u32,
    /// Images beside the text, for models that read them, and what of the model for them trains.
    pub images: Images,
    /// When gradients are reduced.
    pub communication: Communication,
    /// What is offloaded to host memory.
    pub offload: Offload,
    /// The framework.
    pub framework: Framework,
    /// The kernels.
    pub kernels: Kernels,
    /// How the allocator takes memory from the driver.
    pub segments: Segments,
    /// Which FLOPs the MFU counts.
    pub mfu_convention: MfuConvention,
}

impl Choices {
    /// The choices of the first visit, from which links start too.
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
