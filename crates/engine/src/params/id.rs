//! Every parameter, listed once: its identifier and its row. The order is the display order, and
//! the order of links.

use enum_map::{Enum, EnumMap};

use super::table::{
    accounting, anchor, architecture, constants, data, experts, hardware, host, images, kernels, main_controls,
    objective, optimizer, parallelism, recompute, run, sharding, trained, training,
};
use super::{Number, Param};
use crate::scenario::Scenario;

/// Defines the enum, its rows, and a list of the rows of each part.
macro_rules! parameters {
    ($($(#[$doc:meta])* $list:ident { $($id:ident: $row:path,)+ })+) => {
        /// A parameter of a scenario. [`ParamId::param`] returns its row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Enum)]
        pub enum ParamId {
            $($(#[doc = concat!("The row `", stringify!($row), "`.")] $id,)+)+
        }

        impl ParamId {
            /// Every parameter, in the order of the rows.
            pub const ALL: &[Self] = &[$($(Self::$id,)+)+];
        }

        static ROWS: EnumMap<ParamId, Param> =
            EnumMap::from_array([$($(Param { id: ParamId::$id, ..$row },)+)+]);

        $(
            $(#[$doc])*
            pub static $list: &[Param] = {
                const IDS: &[ParamId] = &[$(ParamId::$id),+];
                match IDS {
                    [first, ..] => ROWS.as_array().split_at(*first as usize).1.split_at(IDS.len()).0,
                    [] => &[],
                }
            };
        )+
    };
}

parameters! {
    /// Every parameter with a control on the page, in display order.
    PARAMS {
        GpuMemory: main_controls::GPU_MEMORY,
        LinkBandwidth: main_controls::LINK_BANDWIDTH,
        SequenceLength: main_controls::SEQUENCE_LENGTH,
        ModelSize: main_controls::MODEL_SIZE,
        Gpus: main_controls::GPUS,
        Method: trained::METHOD,
        LoraRank: trained::RANK,
        LoraTargets: trained::TARGETS,
        LoraDropout: trained::DROPOUT,
        TrainEmbeddings: trained::EMBEDDINGS,
        FrozenLayers: trained::FROZEN_LAYERS,
        BaseFormat: trained::BASE,
        TrainTower: images::TOWER,
        TrainProjector: images::PROJECTOR,
        Objective: objective::TASK,
        Reference: objective::REFERENCE,
        RewardSource: objective::REWARD,
        PromptTokens: objective::PROMPT,
        Completions: objective::GROUP,
        UpdatesPerRollout: objective::UPDATES,
        EngineTp: objective::ENGINE_TP,
        EngineMemory: objective::ENGINE_MEMORY,
        EngineSleeps: objective::ENGINE_SLEEPS,
        EngineGpus: objective::ENGINE_GPUS,
        Batching: data::BATCHING,
        MeanTextLength: data::MEAN_LENGTH,
        Images: images::PER_SEQUENCE,
        ImageResolution: images::RESOLUTION,
        Samples: data::SAMPLES,
        Epochs: data::EPOCHS,
        LossTokens: data::LOSS_SHARE,
        MicroBatchSize: training::MICRO_BATCH_SIZE,
        GradAccumSteps: training::GRAD_ACCUM_STEPS,
        Recompute: training::RECOMPUTE,
        KeepFraction: training::KEEP_FRACTION,
        RecomputeCoreAttn: recompute::CORE_ATTN,
        RecomputeMlp: recompute::MLP,
        RecomputeMoe: recompute::MOE,
        RecomputeMoeAct: recompute::MOE_ACT,
        RecomputeLayernorm: recompute::LAYERNORM,
        RecomputeMlaUpProj: recompute::MLA_UP_PROJ,
        RecomputeSharedExperts: recompute::SHARED_EXPERTS,
        Recipe: training::RECIPE,
        Optimizer: optimizer::OPTIMIZER,
        OptimizerKernel: optimizer::OPTIMIZER_KERNEL,
        UpdatePlace: optimizer::UPDATE_PLACE,
        GaloreRank: optimizer::GALORE_RANK,
        LayersIn16Bits: optimizer::LAYERS_IN_16_BITS,
        GradientsIn16Bits: optimizer::GRADIENTS_IN_16_BITS,
        MultiTokenPrediction: optimizer::MTP,
        PagedOptimizer: optimizer::PAGED,
        OffloadOptimizer: training::OFFLOAD_OPTIMIZER,
        OffloadParameters: training::OFFLOAD_PARAMETERS,
        OffloadActivations: training::OFFLOAD_ACTIVATIONS,
        OffloadNvme: training::OFFLOAD_NVME,
        Strategy: sharding::STRATEGY,
        ShardSize: sharding::SHARD_SIZE,
        Tp: parallelism::TP,
        SequenceParallel: parallelism::SEQUENCE_PARALLEL,
        AsyncTp: parallelism::ASYNC_TP,
        LossParallel: parallelism::LOSS_PARALLEL,
        EmbeddingTp: parallelism::EMBEDDING_TP,
        Cp: parallelism::CP,
        ContextExchange: parallelism::CONTEXT_EXCHANGE,
        SequenceHeads: parallelism::SEQUENCE_HEADS,
        Pp: parallelism::PP,
        PipelineSchedule: parallelism::SCHEDULE,
        VirtualStages: parallelism::VIRTUAL_STAGES,
        FirstLayers: parallelism::FIRST_LAYERS,
        LastLayers: parallelism::LAST_LAYERS,
        GradientSync: parallelism::GRADIENT_SYNC,
        RootUnit: parallelism::ROOT_UNIT,
        GradientOverlap: parallelism::OVERLAP,
        Ep: experts::EP,
        Etp: experts::ETP,
        AdaptiveDegrees: experts::ADAPTIVE_DEGREES,
        TokenDispatcher: experts::DISPATCHER,
        AllToAllAlgorithm: experts::ALGORITHM,
        ExpertChunks: experts::CHUNKS,
        AdaptiveChunks: experts::ADAPTIVE_CHUNKS,
        ExpertOverlap: experts::EXPERT_OVERLAP,
        CapacityFactor: experts::CAPACITY,
        Imbalance: experts::IMBALANCE,
        GroupedExperts: experts::GROUPED,
        FusedExperts: experts::FUSED,
        Framework: kernels::FRAMEWORK,
        Compile: kernels::COMPILE,
        CudaGraphs: kernels::GRAPHS,
        AttentionKernel: kernels::ATTENTION_KERNEL,
        Loss: kernels::LOSS,
        NormKernel: kernels::NORM_KERNEL,
        Dropout: kernels::DROPOUT,
        TiledMlp: kernels::TILED_MLP,
        RepeatedHeads: kernels::REPEATED_HEADS,
        StateKernel: kernels::STATE_KERNEL,
        ComputeFormat: kernels::COMPUTE,
        Segments: kernels::SEGMENTS,
        GpusPerNode: hardware::GPUS_PER_NODE,
        IntraNodeBandwidth: hardware::INTRA_NODE,
        Oversubscription: hardware::OVERSUBSCRIPTION,
        Rails: hardware::RAILS,
        Relays: hardware::RELAYS,
        MemoryBandwidth: hardware::MEMORY_BANDWIDTH,
        UsableMemory: hardware::USABLE_MEMORY,
        Peak16Bit: hardware::PEAK,
        InterNodeLatency: hardware::INTER_NODE_LATENCY,
        InterNodeEfficiency: hardware::INTER_NODE_EFFICIENCY,
        Topology: hardware::TOPOLOGY,
        MfuConvention: accounting::MFU_CONVENTION,
        AnchorTime: anchor::TIME,
        AnchorMemory: anchor::MEMORY,
        TrainingTokens: run::TOKENS,
        GpuHourPrice: run::PRICE,
        Pue: run::PUE,
        GridIntensity: run::GRID,
        StorageBandwidth: run::STORAGE,
        Mtbf: run::MTBF,
        RestartTime: run::RESTART,
        CheckpointInterval: run::CHECKPOINT_INTERVAL,
        ShardedCheckpoint: run::SHARDED_CHECKPOINT,
        DeferredInit: run::DEFERRED_INIT,
        CriticalBatch: run::CRITICAL_BATCH,
        HostMemory: host::HOST_MEMORY,
        HostGpus: host::HOST_GPUS,
        HostBandwidth: host::HOST_BANDWIDTH,
        NvmeBandwidth: host::NVME_BANDWIDTH,
        HostSpeed: host::HOST_SPEED,
        Loader: host::LOADER,
        Dispatch8Bit: experts::DISPATCH_8BIT,
    }
    /// Constants of the hardware that have a key in links and no control on the page.
    CONSTANTS {
        Peak8Bit: constants::PEAK_8BIT,
        Peak4Bit: constants::PEAK_4BIT,
        Peak32Bit: constants::PEAK_32BIT,
        HostLink: constants::HOST_LINK,
        Power: constants::POWER,
        MatmulEfficiency: constants::MATMUL,
        Matmul8BitEfficiency: constants::MATMUL_8BIT,
        Matmul4BitEfficiency: constants::MATMUL_4BIT,
        AttentionEfficiency: constants::ATTENTION,
        TunedAttentionEfficiency: constants::ATTENTION_TUNED,
        MemoryEfficiency: constants::ELEMENTWISE,
        HalfSaturationTokens: constants::HALF_SATURATION,
        LaunchTime: constants::LAUNCH,
        IntraNodeLatency: constants::INTRA_NODE_LATENCY,
        IntraNodeEfficiency: constants::INTRA_NODE_EFFICIENCY,
        AllReducePasses: constants::ALL_REDUCE_PASSES,
        NodeDecay: constants::NODE_DECAY,
        TorusAxes: constants::TORUS,
    }
    /// The shape of a custom model, as links hold it.
    ARCHITECTURE {
        Layers: architecture::LAYERS,
        HiddenSize: architecture::HIDDEN,
        AttentionHeads: architecture::HEADS,
        KvHeads: architecture::KV_HEADS,
        HeadDim: architecture::HEAD_DIM,
        MlpWidth: architecture::INTERMEDIATE,
        VocabSize: architecture::VOCAB,
        MlpKind: architecture::MLP,
        NormKind: architecture::NORM,
        NormsPerLayer: architecture::NORMS_PER_LAYER,
        QkNorm: architecture::QK_NORM,
        AttentionBias: architecture::ATTENTION_BIAS,
        MlpBias: architecture::MLP_BIAS,
        TiedEmbeddings: architecture::TIED,
        LearnedPositions: architecture::POSITIONS,
        EmbeddingNorm: architecture::EMBEDDING_NORM,
        SlidingWindow: architecture::SLIDING_WINDOW,
        GlobalEvery: architecture::GLOBAL_EVERY,
        AttentionChunks: architecture::CHUNKED,
        AttentionSinks: architecture::SINKS,
        FusedProjections: architecture::FUSED_PROJECTIONS,
        LogitSoftcap: architecture::LOGIT_SOFTCAP,
        HeadBias: architecture::HEAD_BIAS,
        KvRank: architecture::latent::KV_RANK,
        QueryRank: architecture::latent::Q_RANK,
        NopeHeadDim: architecture::latent::NOPE,
        RopeHeadDim: architecture::latent::ROPE,
        ValueHeadDim: architecture::latent::VALUE,
        Experts: architecture::experts::EXPERTS,
        TopK: architecture::experts::TOP_K,
        ExpertWidth: architecture::experts::EXPERT_WIDTH,
        SharedExpertWidth: architecture::experts::SHARED_WIDTH,
        SharedExpertGate: architecture::experts::SHARED_GATE,
        FirstDenseLayers: architecture::experts::FIRST_DENSE,
        MoeStep: architecture::experts::MOE_STEP,
        RouterBias: architecture::experts::ROUTER_BIAS,
        ExpertBias: architecture::experts::EXPERT_BIAS,
        ExpertGroups: architecture::experts::N_GROUP,
        TopKGroups: architecture::experts::TOPK_GROUP,
        ExpertLatentSize: architecture::experts::LATENT_SIZE,
        GatedAttention: architecture::GATED_ATTENTION,
        StateMixer: architecture::recurrent::MIXER,
        StateHeads: architecture::recurrent::HEADS,
        StateHeadDim: architecture::recurrent::HEAD_DIM,
        StateKeyHeads: architecture::recurrent::KEY_HEADS,
        StateKeyDim: architecture::recurrent::KEY_DIM,
        ConvWidth: architecture::recurrent::CONV,
        StateRank: architecture::recurrent::RANK,
        StateChunk: architecture::recurrent::CHUNK,
        ConvBias: architecture::recurrent::CONV_BIAS,
        StateBias: architecture::recurrent::BIAS,
        ExtraInLayers: architecture::recurrent::EXTRA_LAYERS,
        ExtraOutside: architecture::recurrent::EXTRA_OUTSIDE,
        TowerLayers: architecture::tower::LAYERS,
        TowerHiddenSize: architecture::tower::HIDDEN,
        TowerHeads: architecture::tower::HEADS,
        TowerMlpWidth: architecture::tower::MLP_WIDTH,
        TowerMlpKind: architecture::tower::MLP,
        PatchSize: architecture::tower::PATCH,
        ImageSize: architecture::tower::IMAGE_SIZE,
        PatchesMerged: architecture::tower::MERGE,
        TowerPositions: architecture::tower::POSITIONS,
        ImageTokens: architecture::tower::TOKENS,
        ImageTokensIn: architecture::tower::IN_SEQUENCE,
        TowerWindow: architecture::tower::WINDOW,
        TowerGlobalEvery: architecture::tower::GLOBAL_EVERY,
        TowerParams: architecture::tower::PARAMS,
        ProjectorParams: architecture::tower::PROJECTOR_PARAMS,
    }
}

impl ParamId {
    /// Returns the row, which holds everything about the parameter.
    pub fn param(self) -> &'static Param {
        &ROWS[self]
    }

    /// Returns the key in links.
    pub fn key(self) -> &'static str {
        self.param().key
    }

    /// Returns the bounds, unit and accessors of a number; `None` for a choice.
    pub fn number(self) -> Option<&'static Number> {
        self.param().number()
    }

    /// Returns the key of the option that a scenario has; empty for a number.
    pub fn option(self, scenario: &Scenario) -> &'static str {
        let choice = self.param().choice();
        choice.and_then(|choice| choice.options.get((choice.get)(scenario))).map_or("", |option| option.key)
    }
}

impl From<ParamId> for &'static str {
    fn from(id: ParamId) -> Self {
        id.key()
    }
}

/// Iterates over every row: [`PARAMS`], then the rows without a control, [`CONSTANTS`] and
/// [`ARCHITECTURE`].
pub fn every() -> impl Iterator<Item = &'static Param> {
    ROWS.as_slice().iter()
}

/// Returns the row with this key, for text from outside; code names a [`ParamId`] instead.
pub fn find(key: &str) -> Option<&'static Param> {
    every().find(|param| param.key == key)
}
