//! torchtune: the YAML of one of its recipes for fine-tuning.

mod builders;

use askama::Template;

use super::adapters::{Adapters, alpha_over_rank};
use super::context::{ExportContext, render};
use super::{keeps_or_casts, notes};
use builders::Builder;
use engine::model::parallel::Mesh;
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{ComputeFormat, Optimizer, PrecisionPolicy, Recompute, Reshard, Sharding};
use engine::model::transformer::Architecture;
use engine::scenario::Strategy;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    add_notes(&mut context);
    let recipe = Recipe::new(&context);
    (render(&recipe), context.notes)
}

/// The values of the template.
#[derive(Template)]
#[template(path = "torchtune.yaml.jinja", escape = "none")]
struct Recipe<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    shape: &'a Architecture,
    builder: Builder,
    adapters: Option<Adapters>,
    /// The scale, which torchtune divides by the rank.
    alpha: String,
    /// Whether the builder can add an adapter to the head.
    has_output_switch: bool,
    /// Attention modules, by torchtune's names.
    attention_modules: Vec<&'static str>,
    applies_to_mlp: bool,
    quantizes: bool,
    /// Name of the recipe.
    name: &'static str,
    is_distributed: bool,
    dtype: &'static str,
    optimizer: &'static str,
    /// The optimizer's arguments other than the learning rate.
    optimizer_arguments: &'static str,
    learning_rate: &'static str,
    recomputes: bool,
    offloads: bool,
    reshards: bool,
    nodes: u32,
    gpus_per_node: u32,
}

impl<'a> Recipe<'a> {
    fn new(context: &'a ExportContext) -> Self {
        let setup = &context.setup;
        let trained = &setup.trained;
        let (adapted, targets) = (trained.has_adapters(), trained.targets.modules());
        let [nodes, gpus_per_node] = context.nodes();
        let is_distributed = setup.mesh.gpus() > 1;
        let attention = [
            (targets.query_value, "q_proj"),
            (targets.key, "k_proj"),
            (targets.query_value, "v_proj"),
            (targets.output, "output_proj"),
        ];
        let (optimizer, optimizer_arguments) = optimizer(context);
        Self {
            context,
            setup,
            mesh: &setup.mesh,
            shape: &setup.architecture,
            builder: Builder::select(context),
            adapters: Adapters::from_context(context),
            alpha: alpha_over_rank(trained),
            // Other builders of tied models use the embedding as the head.
            has_output_switch: !setup.architecture.tie_word_embeddings || Builder::select(context).is_general,
            attention_modules: attention.into_iter().filter_map(|(is, name)| is.then_some(name)).collect(),
            applies_to_mlp: targets.mlp,
            quantizes: adapted && matches!(trained.base, BaseFormat::Nf4 | BaseFormat::Nf4Double),
            name: recipe(context),
            is_distributed,
            dtype: if is_bf16(context) { "bf16" } else { "fp32" },
            optimizer,
            optimizer_arguments,
            learning_rate: if adapted { "3e-4" } else { "2e-5" },
            recomputes: matches!(setup.recompute, Recompute::Full | Recompute::Selective | Recompute::Fraction),
            offloads: setup.offload.parameters || setup.offload.optimizer,
            reshards: setup.sharding != Sharding::Fsdp(Reshard::Never),
            nodes,
            gpus_per_node,
        }
    }
}

/// Returns the name of the recipe.
pub(crate) fn recipe(context: &ExportContext) -> &'static str {
    match (context.setup.trained.has_adapters(), context.setup.mesh.gpus() > 1) {
        (true, true) => "lora_finetune_distributed",
        (true, false) => "lora_finetune_single_device",
        (false, true) => "full_finetune_distributed",
        (false, false) => "full_finetune_single_device",
    }
}

/// Whether weights are bf16: torchtune holds all tensors in one format.
fn is_bf16(context: &ExportContext) -> bool {
    let setup = &context.setup;
    let fp32 = setup.recipe == PrecisionPolicy::Fp32
        || (setup.trained.has_adapters() && setup.trained.base == BaseFormat::Fp32);
    !fp32 && !context.takes_fp16()
}

fn optimizer(context: &ExportContext) -> (&'static str, &'static str) {
    let setup = &context.setup;
    let fused = setup.optimizer_kernel == engine::model::training::OptimizerKernel::Fused;
    match setup.optimizer {
        Optimizer::AdamW8bit if pages(context) => ("bitsandbytes.optim.PagedAdamW8bit", ""),
        Optimizer::AdamW if pages(context) => ("bitsandbytes.optim.PagedAdamW", ""),
        Optimizer::AdamW8bit if setup.mesh.gpus() == 1 => ("bitsandbytes.optim.AdamW8bit", ""),
        Optimizer::AdamW8bit => ("torchao.optim.AdamW8bit", ""),
        Optimizer::AdamW4bit => ("torchao.optim.AdamW4bit", ""),
        Optimizer::Sgd => ("torch.optim.SGD", if fused { "fused: true" } else { "foreach: true" }),
        Optimizer::SgdMomentum => {
            ("torch.optim.SGD", if fused { "momentum: 0.9\n  fused: true" } else { "momentum: 0.9\n  foreach: true" })
        }
        Optimizer::AdamW
        | Optimizer::AdamW16bit
        | Optimizer::Adafactor
        | Optimizer::Lion
        | Optimizer::Muon
        | Optimizer::AdamMini
        | Optimizer::GaLore
        | Optimizer::GaLore8bit => ("torch.optim.AdamW", if fused { "fused: true" } else { "foreach: true" }),
    }
}

/// Whether bitsandbytes pages the state: only on one GPU, as its update does not support sharded
/// tensors.
fn pages(context: &ExportContext) -> bool {
    let paged = matches!(context.setup.optimizer, Optimizer::AdamW | Optimizer::AdamW8bit);
    context.setup.offload.pages_state() && paged && context.setup.mesh.gpus() == 1
}

fn add_notes(context: &mut ExportContext) {
    let (setup, mesh, kernels) = (context.setup, context.setup.mesh, context.setup.kernels);
    let trained = setup.trained;
    builders::add_notes(context);
    if trained.has_adapters() {
        context.note_if(trained.method == Method::RsLora, notes::TUNE_RSLORA);
        context.note_if(trained.has_adapters() && trained.rank == 0, notes::RANK_0);
        context.note_if(trained.frozen_layers > 0, notes::TUNE_FROZEN);
        context.note_if(trained.embeddings, notes::TUNE_EMBEDDINGS);
        context.note_if(trained.base == BaseFormat::Nf4, notes::TUNE_NF4);
    }
    context.note_if(trained.method == Method::Layers, notes::TUNE_LAYERS);
    let other = matches!(trained.base, BaseFormat::Fp8 | BaseFormat::Int8 | BaseFormat::Int4 | BaseFormat::Mxfp4);
    context.note_if(!trained.is_all() && other, notes::TUNE_BASE);
    let sharded = context.is_fsdp() && !context.has_strategy(Strategy::ReshardTo);
    context.note_if(mesh.gpus() > 1 && !sharded, notes::TUNE_SHARDS);
    context.note_if(mesh.dp_replicate > 1 && context.is_fsdp(), notes::TUNE_REPLICAS);
    context.note_if(mesh.pp > 1, notes::TUNE_PIPELINE);
    context.note_if(mesh.cp > 1, notes::TUNE_CONTEXT);
    context.note_if(mesh.tp > 1 && trained.has_adapters(), notes::TUNE_TP);
    context.note_if(mesh.tp > 1 && !trained.has_adapters() && setup.tensor.asynchronous, notes::ACCELERATE_ASYNC_TP);
    context.note_if(mesh.tp > 1 && setup.tensor.sequence_parallel, notes::TUNE_SP);
    let one_format = setup.recipe != PrecisionPolicy::PureBf16 && setup.recipe != PrecisionPolicy::Fp32;
    context.note_if(one_format, notes::TUNE_FORMAT);
    context.note_if(context.takes_fp16() && !context.is_fp32(), notes::TUNE_FP16);
    let built = matches!(
        setup.optimizer,
        Optimizer::AdamW | Optimizer::AdamW8bit | Optimizer::AdamW4bit | Optimizer::Sgd | Optimizer::SgdMomentum
    );
    context.note_if(!built, notes::TUNE_OPTIMIZER);
    context.note_if(setup.offload.pages_state() && !pages(context), notes::TUNE_PAGED);
    context.note_if(context.updates_in_backward() && trained.has_adapters(), notes::TUNE_IN_BACKWARD);
    let partly = matches!(setup.recompute, Recompute::Selective | Recompute::Fraction);
    context.note_if(partly, notes::TUNE_RECOMPUTE);
    context.note_if(setup.recompute == Recompute::AttentionCore, notes::TUNE_ATTENTION);
    context.note_modules();
    context.note_if(setup.offload.activations && !(partly || setup.recompute == Recompute::Full), notes::TUNE_OFFLOAD);
    let moves = setup.offload.optimizer || setup.offload.parameters;
    context.note_if(setup.offload.state_on_drives(), notes::NO_NVME);
    context.note_if(moves && setup.offload.optimizer != setup.offload.parameters, notes::FSDP2_OFFLOAD);
    context.note_if(moves && mesh.gpus() == 1, notes::ACCELERATE_NO_OFFLOAD);
    let several = setup.batch.grad_accum_steps > 1;
    context.note_if(several && !context.sync.reduce_each, notes::TUNE_SYNC);
    context.note_if(!context.is_fsdp() && !setup.communication.overlap, notes::ALWAYS_OVERLAPS);
    context.note_if(setup.compute_format != ComputeFormat::AsPolicy, notes::TUNE_FP8);
    context.note_if(kernels.attention != AttentionKernel::Flash, notes::TUNE_ATTENTION);
    context.note_if(kernels.graphs != Graphs::None, notes::NO_GRAPHS);
    context.note_if(matches!(kernels.loss, Loss::Fused | Loss::FusedLinear), notes::LOSS_IN_CODE);
    context.note_if(keeps_or_casts(kernels.loss), notes::LOGITS_IN_CODE);
    context.note_if(kernels.norms == NormKernel::Upcast, notes::TUNE_NORMS);
    context.note_if(kernels.dropout, notes::TUNE_DROPOUT);
    context.note_if(!context.scenario.run.deferred_init, notes::ALWAYS_DEFERRED);
    context.note_if(context.scenario.run.sharded_checkpoint, notes::TUNE_WHOLE);
    if context.has_experts() {
        notes::add_expert_notes(context);
    }
    context.note_allocator();
    context.notes.dedup();
}
