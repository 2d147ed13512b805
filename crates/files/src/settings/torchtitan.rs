//! torchtitan: a Python file with a function that returns the trainer's configuration, for
//! torchtitan 0.3.

mod model;

use askama::Template;

use super::adapters::alpha_over_rank;
use super::context::{ExportContext, render};
use super::{keeps_or_casts, notes, stages};
use engine::model::experts::Dispatcher;
use engine::model::parallel::{ContextExchange, Mesh, Schedule, common_divisor};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::trained::{BaseFormat, Method, Targets};
use engine::model::training::{
    ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, Reshard, Sharding,
};
use engine::model::transformer::Architecture;
use engine::scenario::Strategy;
use model::Family;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    add_notes(&mut context);
    model::add_notes(&mut context);
    let config = TrainerConfig::new(&context);
    (render(&config), context.notes)
}

/// The values of the template. Python expressions are strings here.
#[derive(Template)]
#[template(path = "shardwise_config.py.jinja", escape = "none")]
struct TrainerConfig<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    /// The shape of the model.
    shape: &'a Architecture,
    family: Family,
    /// Whether the output head shares the embedding's weights.
    ties_weights: bool,
    /// The layers without experts, if some have experts; else all.
    dense_layers: u32,
    /// Number of shared experts, each as wide as a routed one.
    shared_experts: u32,
    /// The width of a head that is rotated by position.
    rope_dim: u32,
    /// Whether DeepEP sends tokens to experts.
    sends_by_deepep: bool,
    /// Whether the model is compiled.
    compiles: &'static str,
    /// The sequences that a GPU processes at once: in a pipeline all of a step, which torchtitan
    /// splits into micro-batches.
    local_batch_size: f64,
    /// Whether the whole step is one CUDA graph.
    captures_step: bool,
    expert_parallel_degree: u32,
    /// Whether FSDP frees gathered weights after the forward pass.
    reshards: bool,
    /// The class of the pipeline schedule.
    schedule: &'static str,
    /// The layers of each pipeline stage, in the model's order.
    layers_of_stages: Vec<u32>,
    activation_checkpoint: ActivationCheckpoint,
    /// How the optimizer's update runs, if not in torchtitan's usual fused kernel.
    implementation: Option<&'static str>,
    /// Whether tensor parallelism overlaps its communication with products.
    uses_async_tp: bool,
    /// The matrices with adapters, if any.
    adapted: Option<Vec<&'static str>>,
    /// Twice the rank; with rsLoRA also times its square root.
    alpha: String,
}

impl<'a> TrainerConfig<'a> {
    fn new(context: &'a ExportContext) -> Self {
        let (setup, mesh) = (&context.setup, &context.setup.mesh);
        let (shape, family) = (&setup.architecture, Family::select(context));
        let (experts, kernels, pipelined) = (&shape.experts, &setup.kernels, mesh.pp > 1);
        Self {
            context,
            setup,
            mesh,
            shape,
            family,
            // torchtitan ties no weights across stages.
            ties_weights: shape.tie_word_embeddings && !pipelined && family != Family::DeepSeek,
            dense_layers: if shape.has_experts() { experts.first_k_dense_replace } else { shape.num_hidden_layers },
            shared_experts: experts.shared_intermediate_size / experts.moe_intermediate_size.max(1),
            rope_dim: if family == Family::DeepSeek { shape.latent.qk_rope_head_dim } else { shape.head_dim },
            sends_by_deepep: setup.experts.dispatcher == Dispatcher::Fused && mesh.ep > 1,
            compiles: if kernels.compile { "True" } else { "False" },
            local_batch_size: if pipelined { context.local_batch() } else { f64::from(setup.batch.micro_batch_size) },
            captures_step: captures_step(context),
            expert_parallel_degree: expert_parallel_degree(mesh),
            reshards: matches!(setup.sharding, Sharding::Fsdp(Reshard::Always | Reshard::To(_))),
            schedule: schedule_class(setup.pipeline.schedule),
            layers_of_stages: stages::layers_of_stages(setup),
            activation_checkpoint: ActivationCheckpoint::from_setup(setup),
            implementation: match (setup.optimizer, setup.optimizer_kernel) {
                (Optimizer::AdamW16bit, _) => Some("fused_opt_states_bf16"),
                (_, OptimizerKernel::ForEach) => Some("foreach"),
                (_, OptimizerKernel::Fused) => None,
            },
            uses_async_tp: setup.tensor.asynchronous && mesh.tp > 1 && kernels.compile,
            adapted: setup.trained.has_adapters().then(|| model::adapted(context)),
            alpha: alpha_over_rank(&setup.trained),
        }
    }
}

/// The policies of recomputation that torchtitan has.
enum ActivationCheckpoint {
    None,
    Full,
    /// The share of the activations that torch.compile's partitioner keeps.
    MemoryBudget(f64),
    Selective,
}

impl ActivationCheckpoint {
    fn from_setup(setup: &Setup) -> Self {
        match setup.recompute {
            Recompute::None | Recompute::AttentionCore | Recompute::Modules => Self::None,
            Recompute::Full => Self::Full,
            Recompute::Fraction if setup.kernels.compile => Self::MemoryBudget(setup.keep_fraction),
            Recompute::Selective | Recompute::Fraction => Self::Selective,
        }
    }

    fn class(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Full => Some("FullAC"),
            Self::MemoryBudget(_) => Some("MemoryBudgetAC"),
            Self::Selective => Some("SelectiveAC"),
        }
    }
}

/// Whether the whole step is captured as one CUDA graph, which excludes pipelines and expert
/// parallelism.
fn captures_step(context: &ExportContext) -> bool {
    let mesh = &context.setup.mesh;
    context.setup.kernels.graphs == Graphs::Step
        && mesh.pp == 1
        && (!context.has_experts() || expert_parallel_degree(mesh) == 1)
}

/// Returns the degree of expert parallelism. torchtitan takes the GPUs from a shard group and its
/// tensor-parallel neighbours.
fn expert_parallel_degree(mesh: &Mesh) -> u32 {
    common_divisor(mesh.ep, mesh.dp_shard.saturating_mul(mesh.cp).saturating_mul(mesh.tp))
}

fn schedule_class(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::GPipe => "GPipe",
        Schedule::OneForwardOneBackward => "1F1B",
        Schedule::Interleaved => "Interleaved1F1B",
        Schedule::ZeroBubble => "InterleavedZeroBubble",
        Schedule::ZeroBubbleV => "ZBVZeroBubble",
        Schedule::DualPipe | Schedule::DualPipeV => "DualPipeV",
    }
}

fn add_notes(context: &mut ExportContext) {
    let (setup, mesh, kernels) = (context.setup, context.setup.mesh, context.setup.kernels);
    let trained = setup.trained;
    if trained.has_adapters() {
        context.note_if(trained.method == Method::Dora, notes::TITAN_DORA);
        context.note_if(trained.has_adapters() && trained.rank == 0, notes::RANK_0);
        context.note_if(trained.method == Method::RsLora, notes::TITAN_RSLORA);
        let keys = trained.targets == Targets::QueryValue && !setup.architecture.latent.is_used();
        context.note_if(keys, notes::TITAN_KEYS);
        context.note_if(trained.dropout, notes::TITAN_LORA_DROPOUT);
        context.note_if(trained.embeddings, notes::TITAN_EMBEDDINGS);
        context.note_if(trained.frozen_layers > 0, notes::TITAN_FROZEN);
        context.note_if(context.has_experts() && trained.targets.modules().mlp, notes::TITAN_EXPERTS_LORA);
    }
    context.note_if(trained.method == Method::Layers, notes::TITAN_LAYERS);
    context.note_if(!trained.is_all() && trained.base != BaseFormat::Bf16, notes::TITAN_BASE);
    context.note_if(matches!(setup.sharding, Sharding::Zero1 | Sharding::Zero2), notes::TITAN_ZERO);
    context.note_if(matches!(setup.sharding, Sharding::Fsdp(Reshard::To(_))), notes::TITAN_RESHARD);
    context.note_if(context.has_strategy(Strategy::Ddp) && mesh.cp > 1, notes::FSDP2_CP_SHARDS);
    context.note_if(!context.is_fsdp() && !setup.communication.overlap, notes::ALWAYS_OVERLAPS);
    context.note_if(
        matches!(setup.recipe, PrecisionPolicy::ZeroMixed | PrecisionPolicy::MegatronMixed),
        notes::FP32_SHARDS,
    );
    context.note_if(
        matches!(setup.recipe, PrecisionPolicy::Fsdp2MixedBf16Reduce16 | PrecisionPolicy::PureBf16),
        notes::TITAN_REDUCES_32,
    );
    context.note_if(setup.recipe == PrecisionPolicy::AutocastBf16, notes::TITAN_AUTOCAST);
    context.note_if(context.takes_fp16() && !context.is_fp32(), notes::TITAN_FP16);
    context.note_if(!matches!(setup.optimizer, Optimizer::AdamW | Optimizer::AdamW16bit), notes::TITAN_OPTIMIZER);
    notes::add_update_notes(context);
    context.note_if(setup.offload.state_on_drives(), notes::NO_NVME);
    context.note_if(setup.offload.optimizer && !setup.offload.parameters, notes::FSDP2_OFFLOAD);
    context.note_if(context.splits_sequences_unevenly(), notes::SEQUENCE_PARTS);
    context.note_if(setup.offload.activations, notes::TITAN_OFFLOAD);
    context.note_if(setup.recompute == Recompute::AttentionCore, notes::TITAN_ATTENTION_CORE);
    context.note_modules();
    let fraction = matches!(setup.recompute, Recompute::Fraction);
    context.note_if(fraction && kernels.compile, notes::TITAN_BUDGET);
    context.note_if(fraction && !kernels.compile, notes::TITAN_FRACTION);
    context.note_if(setup.tensor.asynchronous && mesh.tp > 1 && !kernels.compile, notes::ASYNC_COMPILES);
    context.note_if(setup.context != ContextExchange::AllGather && mesh.cp > 1, notes::TITAN_CP);
    let experts = context.has_experts();
    context.note_if(experts && setup.mesh.etp > 1, notes::TITAN_ETP);
    context.note_if(experts && expert_parallel_degree(&mesh) != mesh.ep, notes::TITAN_EP);
    let several = setup.batch.grad_accum_steps > 1 && mesh.pp == 1;
    context.note_if(several && context.sync.reduce_each != context.is_fsdp(), notes::TITAN_SYNC);
    let zero_bubble = setup.pipeline.schedule == Schedule::ZeroBubble && mesh.pp > 1;
    context.note_if(zero_bubble, notes::ZB_INTERLEAVED);
    context.note_if(setup.pipeline.schedule == Schedule::DualPipe && mesh.pp > 1, notes::DUALPIPE);
    context.note_if(kernels.graphs == Graphs::Layers, notes::TITAN_GRAPHS);
    context.note_if(kernels.graphs == Graphs::Step && !captures_step(context), notes::TITAN_NO_GRAPHS);
    context.note_if(kernels.attention != AttentionKernel::Flash, notes::TITAN_ATTENTION);
    context.note_if(matches!(kernels.loss, Loss::Fused | Loss::FusedLinear), notes::LOSS_IN_CODE);
    context.note_if(keeps_or_casts(kernels.loss), notes::LOGITS_IN_CODE);
    context.note_allocator();
    context.note_if(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    context.note_if(kernels.dropout, notes::DROPOUT_IN_MODEL);
    context.note_if(setup.compute_format == ComputeFormat::Fp8Gather, notes::TITAN_FP8_GATHER);
    context.note_if(!context.scenario.run.sharded_checkpoint, notes::ALWAYS_SHARDED);
    context.note_if(!context.scenario.run.deferred_init, notes::ALWAYS_DEFERRED);
}
