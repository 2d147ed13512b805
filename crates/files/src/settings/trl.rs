//! TRL: the YAML of `trl sft --config`.

use askama::Template;

use super::accelerate::Backend;
use super::context::{ExportContext, render};
use super::notes;
use super::tuning::{self, Loaded, Tuning};
use engine::model::parallel::Mesh;
use engine::model::setup::Setup;
use engine::model::software::Loss;
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{ComputeFormat, Optimizer, Recompute};

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    let backend = Backend::select(&context);
    add_notes(&mut context, backend);
    let config = SftConfig::new(&context, backend);
    (render(&config), context.notes)
}

/// The values of the template.
#[derive(Template)]
#[template(path = "trl.yaml.jinja", escape = "none")]
struct SftConfig<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    tuning: Tuning,
    /// The format in which the model is loaded.
    dtype: &'static str,
    optimizer: &'static str,
    /// Whether the Trainer requests recomputation; with Accelerate's FSDP, Accelerate does.
    recomputes: bool,
    /// Whether 4-bit weights are stored as 16-bit numbers, which FSDP requires.
    packs_weights: bool,
    liger: bool,
}

impl<'a> SftConfig<'a> {
    fn new(context: &'a ExportContext, backend: Backend) -> Self {
        let (setup, tuning) = (&context.setup, Tuning::new(context));
        let fsdp = backend == Backend::Fsdp;
        Self {
            context,
            setup,
            mesh: &setup.mesh,
            dtype: dtype(context, &tuning),
            optimizer: tuning::optimizer(context, backend == Backend::Fsdp),
            recomputes: tuning.recomputes && !fsdp,
            packs_weights: fsdp && matches!(tuning.loaded, Loaded::FourBits { .. }),
            liger: setup.kernels.loss == Loss::FusedLinear,
            tuning,
        }
    }
}

/// Returns the format in which the model is loaded: fp32 for an fp32 base under adapters, or if
/// trained weights are not bf16; else the GPU's 16-bit format.
pub(super) fn dtype(context: &ExportContext, tuning: &Tuning) -> &'static str {
    let trained = &context.setup.trained;
    let whole = if trained.has_adapters() { trained.base == BaseFormat::Fp32 } else { !tuning.is_pure };
    match (whole, context.takes_fp16()) {
        (true, _) => "float32",
        (false, true) => "float16",
        (false, false) => "bfloat16",
    }
}

fn add_notes(context: &mut ExportContext, backend: Backend) {
    let (setup, trained) = (context.setup, context.setup.trained);
    context.note_if(trained.method == Method::Layers, notes::TRL_LAYERS);
    context.note_if(trained.has_adapters() && trained.frozen_layers > 0, notes::TRL_FROZEN);
    context.note_if(!trained.is_all() && trained.base == BaseFormat::Int4, notes::TUNING_INT4_BASE);
    tuning::add_notes(context);
    context.note_allocator();
    context.note_if(setup.recompute == Recompute::Selective, notes::TRL_SELECTIVE);
    context.note_if(setup.optimizer == Optimizer::Muon, notes::TRL_MUON);
    context.note_if(setup.optimizer == Optimizer::AdamMini, notes::TUNING_ADAM_MINI);
    tuning::add_update_notes(context, backend == Backend::Fsdp);
    context.note_if(setup.kernels.loss == Loss::Standard, notes::TRL_LOSS);
    let fp8 = matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather);
    context.note_if(fp8, notes::TUNING_FP8);
}
