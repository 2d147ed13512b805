//! Axolotl: the YAML of `axolotl train`.

use askama::Template;

use super::context::{ExportContext, render};
use super::notes;
use super::tuning::{self, Loaded, Tuning};
use engine::model::parallel::{ContextExchange, Mesh};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Loss};
use engine::model::trained::BaseFormat;
use engine::model::training::{ComputeFormat, Optimizer, Recompute, Reshard, Sharding};
use engine::scenario::Strategy;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    add_notes(&mut context);
    let config = TrainConfig::new(&context);
    (render(&config), context.notes)
}

/// The values of the template.
#[derive(Template)]
#[template(path = "axolotl.yaml.jinja", escape = "none")]
struct TrainConfig<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    tuning: Tuning,
    optimizer: &'static str,
    fsdp: bool,
    deepspeed: bool,
    reshards: bool,
    offloads: bool,
    /// Whether only rank 0 reads the weights, which Axolotl refuses with 4 bits.
    loads_once: bool,
    fp8: bool,
    /// `lora` or `qlora`.
    adapter: &'static str,
    nodes: u32,
    gpus_per_node: u32,
}

impl<'a> TrainConfig<'a> {
    fn new(context: &'a ExportContext) -> Self {
        let (setup, tuning) = (&context.setup, Tuning::new(context));
        let four_bits = matches!(tuning.loaded, Loaded::FourBits { .. });
        let [nodes, gpus_per_node] = context.nodes();
        Self {
            context,
            setup,
            mesh: &setup.mesh,
            optimizer: optimizer(context),
            fsdp: is_fsdp(context),
            deepspeed: is_deepspeed(context),
            reshards: setup.sharding != Sharding::Fsdp(Reshard::Never),
            offloads: setup.offload.parameters || setup.offload.optimizer,
            loads_once: context.scenario.run.deferred_init && !four_bits,
            fp8: matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather),
            adapter: if four_bits { "qlora" } else { "lora" },
            nodes,
            gpus_per_node,
            tuning,
        }
    }
}

fn is_fsdp(context: &ExportContext) -> bool {
    context.is_fsdp() && context.setup.mesh.shard_group() > 1 && context.setup.mesh.gpus() > 1
}

fn is_deepspeed(context: &ExportContext) -> bool {
    context.setup.mesh.gpus() > 1
        && (matches!(context.setup.sharding, Sharding::Zero1 | Sharding::Zero2)
            || context.setup.mesh.tp > 1 && !is_fsdp(context))
}

fn optimizer(context: &ExportContext) -> &'static str {
    match context.setup.optimizer {
        Optimizer::Muon if !is_deepspeed(context) => "muon",
        _ => tuning::optimizer(context, is_fsdp(context)),
    }
}

fn add_notes(context: &mut ExportContext) {
    let (setup, mesh, trained) = (context.setup, context.setup.mesh, context.setup.trained);
    let (fsdp, deepspeed) = (is_fsdp(context), is_deepspeed(context));
    tuning::add_notes(context);
    context.note_if(trained.has_adapters() && trained.base == BaseFormat::Int4, notes::AXOLOTL_INT4_BASE);
    context.note_if(!trained.is_all() && trained.base == BaseFormat::Fp32, notes::AXOLOTL_FP32_BASE);
    context.note_if(deepspeed, notes::AXOLOTL_DEEPSPEED);
    context.note_if(mesh.tp > 1 && fsdp, notes::ACCELERATE_TP);
    context.note_if(mesh.tp > 1 && setup.tensor.asynchronous, notes::ACCELERATE_ASYNC_TP);
    context.note_if(mesh.tp > 1 && setup.tensor.sequence_parallel, notes::ACCELERATE_SP);
    context.note_if(mesh.cp > 1 && setup.context != ContextExchange::Ring, notes::AXOLOTL_RING);
    context.note_if(mesh.cp > 1 && setup.batch.micro_batch_size > 1, notes::AXOLOTL_RING_BATCH);
    context.note_if(mesh.cp > 1 && setup.kernels.attention != AttentionKernel::Flash, notes::AXOLOTL_RING_FLASH);
    context.note_if(mesh.tp > 1 && setup.kernels.loss == Loss::FusedLinear, notes::AXOLOTL_LIGER_TP);
    context.note_if(context.has_strategy(Strategy::ReshardTo), notes::ACCELERATE_RESHARD);
    context.note_if(context.has_strategy(Strategy::Zero1Group), notes::ACCELERATE_ZERO1_GROUP);
    context.note_if(setup.offload.activations && !tuning::recomputes(context), notes::AXOLOTL_OFFLOAD);
    let several = setup.batch.grad_accum_steps > 1;
    context.note_if(several && context.sync.reduce_each, notes::TUNING_SYNC);
    context.note_if(!context.is_fsdp() && !setup.communication.overlap, notes::ALWAYS_OVERLAPS);
    context.note_if(setup.optimizer == Optimizer::Muon && deepspeed, notes::AXOLOTL_MUON);
    context.note_if(setup.optimizer == Optimizer::AdamMini, notes::TUNING_ADAM_MINI);
    tuning::add_update_notes(context, fsdp);
    context.note_if(fsdp && setup.offload.optimizer && !setup.offload.parameters, notes::FSDP2_OFFLOAD);
    let nowhere = !fsdp && !deepspeed && (setup.offload.optimizer || setup.offload.parameters);
    context.note_if(nowhere, notes::ACCELERATE_NO_OFFLOAD);
    context.note_if(setup.recompute == Recompute::Selective, notes::AXOLOTL_SELECTIVE);
    context.note_if(setup.kernels.loss == Loss::Chunked, notes::AXOLOTL_CHUNKED);
    context.note_allocator();
}
