//! LLaMA-Factory: the YAML of `llamafactory-cli train`.

use askama::Template;

use super::accelerate::Backend;
use super::context::{ExportContext, render};
use super::notes;
use super::tuning::{self, Loaded, Tuning};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Loss};
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{ComputeFormat, Optimizer, Recompute};

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    let backend = Backend::select(&context);
    add_notes(&mut context, backend);
    let config = TrainConfig::new(&context, backend);
    (render(&config), context.notes)
}

/// The values of the template.
#[derive(Template)]
#[template(path = "llamafactory.yaml.jinja", escape = "none")]
struct TrainConfig<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    backend: Backend,
    tuning: Tuning,
    finetuning_type: &'static str,
    optimizer: &'static str,
    attention: &'static str,
    /// Whether LLaMA-Factory requests recomputation; with Accelerate's FSDP, Accelerate does.
    recomputes: bool,
    liger: bool,
    fp8: bool,
    nodes: u32,
    gpus_per_node: u32,
}

impl<'a> TrainConfig<'a> {
    fn new(context: &'a ExportContext, backend: Backend) -> Self {
        let (setup, tuning) = (&context.setup, Tuning::new(context));
        let [nodes, gpus_per_node] = context.nodes();
        Self {
            context,
            setup,
            backend,
            finetuning_type: match setup.trained.method {
                Method::All => "full",
                Method::Layers => "freeze",
                Method::Lora | Method::RsLora | Method::Dora => "lora",
            },
            // LLaMA-Factory's own GaLore accepts only these names (`_create_galore_optimizer`).
            optimizer: match setup.optimizer {
                Optimizer::GaLore => "adamw_torch",
                Optimizer::GaLore8bit => "adamw_8bit",
                _ => tuning::optimizer(context, backend == Backend::Fsdp),
            },
            attention: match setup.kernels.attention {
                AttentionKernel::Unfused => "disabled",
                AttentionKernel::FlashFirstCuda | AttentionKernel::FlashFirst | AttentionKernel::Flash => "fa2",
                AttentionKernel::FlashTuned | AttentionKernel::Flash8bit => "sdpa",
            },
            recomputes: tuning.recomputes && backend != Backend::Fsdp,
            liger: setup.kernels.loss == Loss::FusedLinear,
            // Refused with quantized weights.
            fp8: matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather)
                && tuning.loaded == Loaded::Whole,
            nodes,
            gpus_per_node,
            tuning,
        }
    }
}

fn add_notes(context: &mut ExportContext, backend: Backend) {
    let (setup, trained) = (context.setup, context.setup.trained);
    let experts = context.has_experts() && trained.has_adapters() && trained.targets.modules().mlp;
    context.note_if(experts, notes::FACTORY_EXPERTS);
    context.note_if(trained.has_adapters() && trained.frozen_layers > 0, notes::FACTORY_FROZEN);
    context.note_if(!trained.is_all() && trained.base == BaseFormat::Int4, notes::TUNING_INT4_BASE);
    context.note_if(!trained.is_all() && trained.base == BaseFormat::Fp32, notes::FACTORY_FP32_BASE);
    let eight = trained.has_adapters() && trained.base == BaseFormat::Int8;
    context.note_if(eight && backend == Backend::Fsdp, notes::FACTORY_INT8_FSDP);
    tuning::add_notes(context);
    context.note_allocator();
    context.note_if(setup.recompute == Recompute::Selective, notes::TRL_SELECTIVE);
    context.note_if(setup.kernels.loss == Loss::Chunked, notes::FACTORY_CHUNKED);
    context.note_if(setup.offload.activations, notes::FACTORY_OFFLOAD);
    let fp8 = matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather);
    context.note_if(fp8 && Tuning::new(context).loaded != Loaded::Whole, notes::FACTORY_FP8);
    context.note_if(setup.optimizer == Optimizer::Muon && setup.mesh.gpus() > 1, notes::FACTORY_MUON);
    tuning::add_update_notes(context, backend == Backend::Fsdp);
}
