//! Accelerate: the YAML of `accelerate launch --config_file`.

use askama::Template;

use super::context::{ExportContext, render};
use super::{keeps_or_casts, notes, stages};
use engine::model::experts::Dispatcher;
use engine::model::parallel::{ContextExchange, Mesh, Schedule};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::training::{
    ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, Reshard, Sharding, UpdatePlace,
};
use engine::scenario::Strategy;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    let backend = Backend::select(&context);
    add_notes(&mut context, backend);
    let config = LaunchConfig::new(&context, backend);
    (render(&config), context.notes)
}

/// The library that Accelerate uses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    One,
    Ddp,
    Fsdp,
    DeepSpeed,
    Megatron,
}

impl Backend {
    /// Selects Megatron-LM for pipelines, experts and splits that FSDP2 lacks, FSDP2 if it shards
    /// anything, DDP for plain replicas, and DeepSpeed for the other ZeRO stages.
    pub(crate) fn select(context: &ExportContext) -> Self {
        let mesh = context.setup.mesh;
        let shards = context.is_fsdp() && mesh.shard_group() > 1;
        let splits_layers = mesh.tp * mesh.cp > 1;
        if mesh.gpus() == 1 {
            Self::One
        } else if mesh.pp > 1
            || mesh.ep * mesh.etp > 1
            || (splits_layers && (!shards || mesh.dp_shard == 1 && mesh.dp_replicate > 1))
        {
            Self::Megatron
        } else if shards {
            Self::Fsdp
        } else if context.has_strategy(Strategy::Ddp) || context.is_fsdp() {
            Self::Ddp
        } else {
            Self::DeepSpeed
        }
    }

    fn distributed_type(self) -> &'static str {
        match self {
            Self::One => "\"NO\"",
            Self::Ddp => "MULTI_GPU",
            Self::Fsdp => "FSDP",
            Self::DeepSpeed => "DEEPSPEED",
            Self::Megatron => "MEGATRON_LM",
        }
    }
}

/// The values of the template.
#[derive(Template)]
#[template(path = "accelerate.yaml.jinja", escape = "none")]
struct LaunchConfig<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    backend: Backend,
    machines: u32,
    mixed_precision: &'static str,
    /// The layers of the last pipeline stage.
    last_stage_layers: u32,
    /// The probability with which attention and the residual stream drop a value.
    dropout: &'static str,
}

impl<'a> LaunchConfig<'a> {
    fn new(context: &'a ExportContext, backend: Backend) -> Self {
        let setup = &context.setup;
        let [machines, _] = context.nodes();
        Self {
            context,
            setup,
            mesh: &setup.mesh,
            backend,
            machines,
            mixed_precision: mixed_precision(context),
            last_stage_layers: stages::layers_of_gpus(setup).last().copied().unwrap_or_default(),
            dropout: if setup.kernels.dropout { "0.1" } else { "0.0" },
        }
    }
}

/// Returns the format that weights and activations are cast to.
fn mixed_precision(context: &ExportContext) -> &'static str {
    let setup = &context.setup;
    match (setup.compute_format, setup.recipe) {
        (ComputeFormat::Fp8 | ComputeFormat::Fp8Gather, _) => "fp8",
        (_, PrecisionPolicy::Fp32 | PrecisionPolicy::PureBf16 | PrecisionPolicy::PureBf16Reduce32) => "\"no\"",
        _ => context.half_format(),
    }
}

fn add_notes(context: &mut ExportContext, backend: Backend) {
    let (setup, mesh, kernels) = (context.setup, context.setup.mesh, context.setup.kernels);
    let (fsdp, megatron) = (backend == Backend::Fsdp, backend == Backend::Megatron);
    context.note_trained_in_model();
    context.note_if(megatron, notes::ACCELERATE_MEGATRON);
    context.note_if(fsdp && context.has_strategy(Strategy::ReshardTo), notes::ACCELERATE_RESHARD);
    context.note_if(context.has_strategy(Strategy::Zero1Group), notes::ACCELERATE_ZERO1_GROUP);
    context.note_if(
        megatron && matches!(setup.sharding, Sharding::Zero2 | Sharding::Fsdp(_)),
        notes::ACCELERATE_MEGATRON_FSDP,
    );
    context.note_if(mesh.tp > 1 && fsdp, notes::ACCELERATE_TP);
    context.note_if(mesh.tp > 1 && fsdp && setup.tensor.sequence_parallel, notes::ACCELERATE_SP);
    context.note_if(mesh.tp > 1 && setup.tensor.asynchronous, notes::ACCELERATE_ASYNC_TP);
    context.note_if(mesh.cp > 1 && megatron && setup.context != ContextExchange::Ring, notes::ACCELERATE_CP);
    let schedule = setup.pipeline.schedule != Schedule::OneForwardOneBackward;
    context.note_if(mesh.pp > 1 && schedule, notes::ACCELERATE_SCHEDULE);
    context.note_if(mesh.pp > 1 && setup.pipeline.first_stage_layers > 0, notes::ACCELERATE_STAGES);
    context.note_if(setup.recipe.is_pure_bf16(), notes::ACCELERATE_PURE);
    context.note_if(
        !matches!(setup.recipe, PrecisionPolicy::Fsdp2MixedBf16 | PrecisionPolicy::PureBf16 | PrecisionPolicy::Fp32),
        notes::ACCELERATE_RECIPE,
    );
    let other = setup.optimizer != Optimizer::AdamW
        || setup.optimizer_kernel != OptimizerKernel::Fused
        || setup.update_place != UpdatePlace::AfterBackward
        || setup.offload.pages_state();
    context.note_if(other, notes::ACCELERATE_OPTIMIZER);
    let several = setup.batch.grad_accum_steps > 1;
    context.note_if(several && context.sync.reduce_each, notes::ACCELERATE_SYNC);
    let no_switch = !context.is_fsdp() && !setup.communication.overlap;
    context.note_if(no_switch, notes::ALWAYS_OVERLAPS);
    let offload = setup.offload;
    context.note_if(setup.offload.state_on_drives(), notes::NO_NVME);
    context.note_if(fsdp && offload.optimizer && !offload.parameters, notes::FSDP2_OFFLOAD);
    context.note_if(
        (offload.optimizer || offload.parameters) && matches!(backend, Backend::One | Backend::Ddp),
        notes::ACCELERATE_NO_OFFLOAD,
    );
    context.note_if(offload.parameters && megatron, notes::MEGATRON_OFFLOAD);
    context.note_if(offload.activations, notes::ACCELERATE_OFFLOAD);
    let recomputed = !matches!(setup.recompute, Recompute::None | Recompute::Modules);
    context.note_if(recomputed && !matches!(backend, Backend::Fsdp | Backend::Megatron), notes::ACCELERATE_RECOMPUTE);
    let partly = !matches!(setup.recompute, Recompute::None | Recompute::Full | Recompute::Modules);
    context.note_if(partly && fsdp, notes::ACCELERATE_FULL_ONLY);
    if !megatron {
        context.note_modules();
    }
    context.note_if(
        matches!(setup.recompute, Recompute::Selective | Recompute::Fraction | Recompute::Modules) && megatron,
        notes::ACCELERATE_MEGATRON_RECOMPUTE,
    );
    context.note_if(setup.compute_format == ComputeFormat::Fp4, notes::NO_FP4);
    context.note_if(
        kernels.graphs == Graphs::Step || (kernels.graphs == Graphs::Layers && !kernels.compile),
        notes::GRAPHS_BY_COMPILE,
    );
    context.note_if(kernels.attention != AttentionKernel::Flash, notes::ATTENTION_IN_MODEL);
    let other = kernels.loss != Loss::Standard && !keeps_or_casts(kernels.loss);
    context.note_if(other, notes::LOSS_IN_CODE);
    context.note_if(keeps_or_casts(kernels.loss), notes::LOGITS_IN_CODE);
    context.note_allocator();
    context.note_if(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    context.note_if(kernels.dropout && !megatron, notes::DROPOUT_IN_MODEL);
    if context.has_experts() {
        notes::add_expert_notes(context);
        context.note_if(setup.experts.dispatcher == Dispatcher::Fused, notes::DISPATCHER_IN_MODEL);
        context.note_if(!setup.experts.grouped, notes::GROUPED_IN_MODEL);
    }
}
