//! PyTorch FSDP2: a Python file with functions for the mesh, the model, the optimizer, a step and a
//! checkpoint.

use askama::Template;

use super::adapters::Adapters;
use super::context::{ExportContext, render};
use super::{keeps_or_casts, notes, stages};
use engine::model::experts::Dispatcher;
use engine::model::parallel::{ContextExchange, Mesh, Schedule};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{
    ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, Reshard, Sharding,
};
use engine::scenario::Strategy;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    add_notes(&mut context);
    let script = TrainScript::new(&context);
    (render(&script), context.notes)
}

/// The values of the template. Python expressions are strings here.
#[derive(Template)]
#[template(path = "train_fsdp2.py.jinja", escape = "none")]
struct TrainScript<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    /// The sizes of the mesh, outermost first: `2, 4, 8`.
    mesh_sizes: String,
    /// Names of the mesh's axes, outermost first: `"dp_replicate", "dp_shard", "tp"`.
    mesh_names: String,
    /// The class of the pipeline schedule.
    schedule: &'static str,
    /// The layers of each pipeline stage, in the model's order.
    layers_of_stages: Vec<u32>,
    /// Whether tensor parallelism also shards norms along the sequence.
    sequence_parallel: bool,
    /// Whether parameters, gradients and optimizer state live on the host.
    offloads: bool,
    /// The formats of gathered weights and of reduced gradients, if weights are stored in another.
    mixed_precision: Option<[&'static str; 2]>,
    /// Value of `reshard_after_forward`: the treatment of gathered weights after the forward pass.
    reshard_after_forward: String,
    /// The layers of the model.
    layers: u32,
    /// Number of layers that are recomputed as a whole.
    recomputed_layers: u32,
    /// The call that makes the optimizer.
    optimizer: String,
    /// The adapters, if the code creates them.
    adapters: Option<Adapters>,
    /// Whether some weights are frozen by this code.
    freezes: bool,
    /// Number of frozen layers, if only some layers are trained.
    frozen_layers: Option<u32>,
    /// Whether the embedding and the head are frozen too.
    freezes_ends: bool,
    /// Whether frozen weights are bf16 while trained weights are fp32.
    casts_frozen: bool,
    /// The attention kernels that PyTorch may choose from.
    attention_backends: &'static str,
    /// Whether only the last micro-batch reduces gradients.
    syncs_last_micro_batch: bool,
}

impl<'a> TrainScript<'a> {
    fn new(context: &'a ExportContext) -> Self {
        let (setup, mesh) = (&context.setup, &context.setup.mesh);
        let layers = setup.architecture.num_hidden_layers;
        let axes = mesh_axes(mesh);
        let adapters = Adapters::from_context(context).filter(|_| mesh.tp == 1);
        let freezes = adapters.is_some() || setup.trained.method == Method::Layers;
        Self {
            context,
            setup,
            mesh,
            mesh_sizes: python_tuple(axes.iter().map(|(_, size)| size.to_string())),
            mesh_names: python_tuple(axes.iter().map(|(name, _)| format!("\"{name}\""))),
            schedule: schedule_class(setup.pipeline.schedule),
            layers_of_stages: stages::layers_of_stages(setup),
            sequence_parallel: setup.tensor.sequence_parallel,
            offloads: setup.offload.parameters || setup.offload.optimizer,
            mixed_precision: mixed_precision(context),
            reshard_after_forward: reshard_after_forward(setup.sharding, mesh.tp),
            layers,
            recomputed_layers: context.recomputed_layers(layers),
            optimizer: optimizer_call(setup.optimizer, setup.optimizer_kernel, !freezes),
            frozen_layers: (setup.trained.method == Method::Layers).then_some(setup.trained.frozen_layers.min(layers)),
            freezes_ends: !setup.trained.embeddings,
            casts_frozen: setup.trained.base != BaseFormat::Fp32 && !setup.recipe.is_pure_bf16(),
            freezes,
            adapters,
            attention_backends: match setup.kernels.attention {
                AttentionKernel::Unfused => "SDPBackend.MATH",
                AttentionKernel::FlashFirstCuda | AttentionKernel::FlashFirst | AttentionKernel::Flash => {
                    "SDPBackend.FLASH_ATTENTION"
                }
                AttentionKernel::FlashTuned | AttentionKernel::Flash8bit => {
                    "[SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION]"
                }
            },
            syncs_last_micro_batch: setup.batch.grad_accum_steps > 1 && !context.sync.reduce_each,
        }
    }
}

/// Returns the axes of the mesh that the run uses, outermost first. Their product is the number of
/// GPUs.
fn mesh_axes(mesh: &Mesh) -> Vec<(&'static str, u32)> {
    let all = [
        ("pp", mesh.pp),
        ("dp_replicate", mesh.dp_replicate),
        ("dp_shard", mesh.dp_shard),
        ("cp", mesh.cp),
        ("tp", mesh.tp),
    ];
    all.into_iter().filter(|(name, size)| *size > 1 || *name == "dp_shard").collect()
}

/// Writes the inside of a Python tuple: a single value needs a trailing comma.
fn python_tuple(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    let comma = if values.len() == 1 { "," } else { "" };
    values.join(", ") + comma
}

fn schedule_class(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::GPipe => "ScheduleGPipe",
        Schedule::OneForwardOneBackward => "Schedule1F1B",
        Schedule::Interleaved => "ScheduleInterleaved1F1B",
        Schedule::ZeroBubble => "ScheduleInterleavedZeroBubble",
        Schedule::ZeroBubbleV => "ScheduleZBVZeroBubble",
        Schedule::DualPipe | Schedule::DualPipeV => "ScheduleDualPipeV",
    }
}

/// Returns `[param_dtype, reduce_dtype]`, or `None` if weights are gathered in the format of their
/// storage.
fn mixed_precision(context: &ExportContext) -> Option<[&'static str; 2]> {
    let half = if context.takes_fp16() { "torch.float16" } else { "torch.bfloat16" };
    match context.setup.recipe {
        PrecisionPolicy::Fp32 | PrecisionPolicy::PureBf16 | PrecisionPolicy::AutocastBf16 => None,
        PrecisionPolicy::Fsdp2MixedBf16Reduce16 | PrecisionPolicy::ZeroMixed => Some([half, half]),
        PrecisionPolicy::Fsdp2MixedBf16 | PrecisionPolicy::MegatronMixed | PrecisionPolicy::PureBf16Reduce32 => {
            Some([half, "torch.float32"])
        }
    }
}

fn reshard_after_forward(sharding: Sharding, tp: u32) -> String {
    match sharding {
        Sharding::Fsdp(Reshard::To(group)) if tp == 1 => group.to_string(),
        Sharding::Fsdp(Reshard::Always | Reshard::To(_)) => "True".to_owned(),
        Sharding::Fsdp(Reshard::Never) | Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => "False".to_owned(),
    }
}

fn optimizer_call(optimizer: Optimizer, kernel: OptimizerKernel, all: bool) -> String {
    let parameters = if all { "model.parameters()" } else { "[p for p in model.parameters() if p.requires_grad]" };
    // PyTorch's fused kernels run on the host as well as on the GPU.
    let kernel = match kernel {
        OptimizerKernel::ForEach => "foreach=True",
        OptimizerKernel::Fused => "fused=True",
    };
    match optimizer {
        Optimizer::AdamW
        | Optimizer::AdamW16bit
        | Optimizer::Lion
        | Optimizer::Adafactor
        | Optimizer::Muon
        | Optimizer::AdamMini
        | Optimizer::GaLore
        | Optimizer::GaLore8bit => format!("torch.optim.AdamW({parameters}, lr=3e-4, {kernel})"),
        Optimizer::AdamW8bit => format!("AdamW8bit({parameters}, lr=3e-4)"),
        Optimizer::AdamW4bit => format!("AdamW4bit({parameters}, lr=3e-4)"),
        Optimizer::Sgd => format!("torch.optim.SGD({parameters}, lr=1e-2, {kernel})"),
        Optimizer::SgdMomentum => format!("torch.optim.SGD({parameters}, lr=1e-2, momentum=0.9, {kernel})"),
    }
}

fn add_notes(context: &mut ExportContext) {
    let setup = context.setup;
    let (mesh, kernels) = (setup.mesh, setup.kernels);
    let trained = setup.trained;
    context.note_if(trained.has_adapters() && mesh.tp > 1, notes::FSDP2_ADAPTERS_TP);
    context.note_if(trained.has_adapters() && trained.rank == 0, notes::RANK_0);
    if trained.has_adapters() && mesh.tp == 1 && context.has_experts() && trained.targets.modules().mlp {
        context
            .note_if(true, if trained.method == Method::Dora { notes::PEFT_EXPERTS_DORA } else { notes::PEFT_EXPERTS });
        context.note_if(trained.dropout && trained.method != Method::Dora, notes::PEFT_EXPERTS_DROPOUT);
    }
    context.note_if(!trained.is_all() && trained.base.is_quantized(), notes::FSDP2_BASE);
    context.note_if(context.has_strategy(Strategy::Ddp), notes::FSDP2_DDP);
    let unsharded = !context.is_fsdp() && !context.has_strategy(Strategy::Ddp);
    context.note_if(unsharded, notes::FSDP2_ZERO);
    context.note_if(context.has_strategy(Strategy::ReshardTo) && mesh.tp > 1, notes::FSDP2_RESHARD_TP);
    context.note_if(context.has_strategy(Strategy::Ddp) && mesh.cp > 1, notes::FSDP2_CP_SHARDS);
    context.note_if(!context.is_fsdp() && !setup.communication.overlap, notes::ALWAYS_OVERLAPS);
    if context.has_experts() {
        context.note_if(true, notes::FSDP2_EXPERTS);
        notes::add_expert_notes(context);
        context.note_if(setup.experts.dispatcher == Dispatcher::Fused, notes::DISPATCHER_IN_MODEL);
        context.note_if(!setup.experts.grouped, notes::GROUPED_IN_MODEL);
    }
    context.note_if(context.has_experts() && mesh.ep * mesh.etp > 1, notes::FSDP2_EP);
    context.note_if(
        matches!(setup.recipe, PrecisionPolicy::ZeroMixed | PrecisionPolicy::MegatronMixed),
        notes::FP32_SHARDS,
    );
    context.note_if(context.takes_fp16() && !context.is_fp32(), notes::LOSS_SCALE);
    context.note_if(setup.kernels.attention.is_before_the_second(), notes::ATTENTION_FIRST);
    context.note_if(setup.kernels.attention == AttentionKernel::Flash8bit, notes::ATTENTION_8_BIT);
    context.note_if(setup.recompute == Recompute::AttentionCore, notes::ATTENTION_MODULE);
    context.note_modules();
    context.note_if(matches!(setup.recompute, Recompute::Fraction), notes::FRACTION_LAYERS);
    context.note_if(setup.offload.state_on_drives(), notes::NO_NVME);
    context.note_if(setup.offload.optimizer && !setup.offload.parameters, notes::FSDP2_OFFLOAD);
    context.note_if(matches!(setup.optimizer, Optimizer::AdamW16bit), notes::NO_ADAMW_16);
    context.note_if(matches!(setup.optimizer, Optimizer::Lion), notes::NO_LION);
    context.note_if(context.projects() || setup.optimizer == Optimizer::AdamMini, notes::NO_LIBRARY_OPTIMIZER);
    notes::add_update_notes(context);
    context.note_if(matches!(setup.optimizer, Optimizer::Adafactor | Optimizer::Muon), notes::FSDP2_OPTIMIZER);
    context.note_if(setup.tensor.asynchronous && mesh.tp > 1 && !kernels.compile, notes::ASYNC_COMPILES);
    context.note_if(setup.compute_format == ComputeFormat::Fp4, notes::NO_FP4);
    context.note_if(setup.compute_format == ComputeFormat::Fp8Gather && mesh.tp > 1, notes::FP8_TP);
    context.note_if(
        kernels.graphs == Graphs::Step || (kernels.graphs == Graphs::Layers && !kernels.compile),
        notes::GRAPHS_BY_COMPILE,
    );
    context.note_if(matches!(kernels.loss, Loss::Fused | Loss::FusedLinear), notes::LOSS_IN_CODE);
    context.note_if(kernels.loss == Loss::Chunked, notes::LOSS_CHUNKED);
    context.note_if(keeps_or_casts(kernels.loss), notes::LOGITS_IN_CODE);
    context.note_allocator();
    context.note_if(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    context.note_if(kernels.dropout, notes::DROPOUT_IN_MODEL);
    let few = setup.batch.grad_accum_steps < mesh.pp.saturating_mul(setup.chunks());
    context.note_if(few && mesh.pp > 1, notes::FEW_MICRO_BATCHES);
    context.note_if(setup.pipeline.schedule == Schedule::ZeroBubble && mesh.pp > 1, notes::ZB_INTERLEAVED);
    context.note_if(setup.pipeline.schedule == Schedule::DualPipe && mesh.pp > 1, notes::DUALPIPE);
}
