//! Megatron-LM: the flags of its training script.

mod model;
mod modules;

use askama::Template;

use super::context::{ExportContext, render};
use super::{keeps_or_casts, notes, stages};
use engine::model::experts::Dispatcher;
use engine::model::parallel::{ContextExchange, Mesh, Schedule};
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, Sharding};
use engine::model::transformer::{Architecture, AttentionBias, Norm, QkNorm};
use engine::scenario::Strategy;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    add_notes(&mut context);
    model::add_notes(&mut context);
    modules::add_notes(&mut context);
    let script = LaunchScript::new(&context);
    (render(&script), context.notes)
}

/// The values of the template.
#[derive(Template)]
#[template(path = "megatron.sh.jinja", escape = "none")]
struct LaunchScript<'a> {
    context: &'a ExportContext,
    setup: &'a Setup,
    mesh: &'a Mesh,
    /// The shape of the model.
    shape: &'a Architecture,
    max_position_embeddings: u32,
    /// Whether linear layers have biases.
    has_linear_bias: bool,
    /// Layers with experts, if not all, as a Python expression.
    moe_layer_freq: Option<String>,
    /// Whether DeepEP sends tokens to experts.
    sends_by_deepep: bool,
    /// Whether exchanges of experts overlap with another micro-batch.
    overlaps_exchanges: bool,
    /// The sequences of the whole run.
    train_samples: f64,
    stages: Stages,
    /// Whether Megatron-FSDP shards gradients, and parameters if the strategy does.
    is_sharded: bool,
    checkpoint_format: &'static str,
    reduces_in_16_bits: bool,
    optimizer: &'static str,
    /// The format of the moments of Adam, if it is not fp32.
    moment_format: Option<&'static str>,
    /// Layers at the start and at the end whose products stay in 16 bits.
    layers_in_16_bits: Option<(u32, u32)>,
    /// Whether weights are gathered in fp8.
    gathers_fp8: bool,
    /// The layers of a pipeline stage that are recomputed as a whole.
    recomputed_layers_of_stage: u32,
    /// The modules that are recomputed individually, separated by spaces.
    recomputed_modules: String,
    offloads_activations: bool,
    attention_backend: &'static str,
    attends_in_8_bits: bool,
    /// The probability with which attention and the residual stream drop a value.
    dropout: &'static str,
    /// Whether each layer is a CUDA graph.
    captures_layers: bool,
}

impl<'a> LaunchScript<'a> {
    fn new(context: &'a ExportContext) -> Self {
        let (setup, mesh) = (&context.setup, &context.setup.mesh);
        let (shape, kernels) = (&setup.architecture, &setup.kernels);
        let chunks = if interleaves(context) { setup.chunks() } else { 1 };
        let layers_of_stage = shape.num_hidden_layers / mesh.pp.max(1) / chunks;
        let (optimizer, moment_format) = optimizer(context);
        Self {
            context,
            setup,
            mesh,
            shape,
            max_position_embeddings: shape.learned_positions.max(setup.batch.seq_len),
            has_linear_bias: model::has_linear_bias(shape),
            moe_layer_freq: model::moe_layer_freq(shape),
            sends_by_deepep: setup.experts.dispatcher == Dispatcher::Fused,
            overlaps_exchanges: model::overlaps_exchanges(context),
            train_samples: context.steps() * context.global_batch(),
            stages: Stages::new(context),
            is_sharded: is_sharded(context),
            checkpoint_format: match (is_sharded(context), context.scenario.run.sharded_checkpoint) {
                (true, _) => "fsdp_dtensor",
                (false, true) => "torch_dist",
                (false, false) => "torch",
            },
            reduces_in_16_bits: matches!(
                setup.recipe,
                PrecisionPolicy::Fsdp2MixedBf16Reduce16 | PrecisionPolicy::ZeroMixed | PrecisionPolicy::PureBf16
            ),
            optimizer,
            moment_format,
            layers_in_16_bits: (setup.share_in_16_bits() > 0.0).then(|| {
                let last = setup.layers_in_16_bits / 2;
                (setup.layers_in_16_bits - last, last)
            }),
            gathers_fp8: setup.compute_format == ComputeFormat::Fp8Gather && copies_weights(context),
            recomputed_layers_of_stage: context.recomputed_layers(layers_of_stage),
            recomputed_modules: modules::names(context).join(" "),
            offloads_activations: offloads_activations(context),
            attention_backend: match kernels.attention {
                AttentionKernel::Unfused => "unfused",
                AttentionKernel::FlashFirstCuda | AttentionKernel::FlashFirst | AttentionKernel::Flash => "flash",
                AttentionKernel::FlashTuned | AttentionKernel::Flash8bit => "fused",
            },
            attends_in_8_bits: kernels.attention == AttentionKernel::Flash8bit
                && setup.compute_format != ComputeFormat::AsPolicy,
            dropout: if kernels.dropout { "0.1" } else { "0.0" },
            captures_layers: kernels.graphs == Graphs::Layers && !recomputes_layers(context),
        }
    }
}

/// How the layers of the model are divided among the stages of the pipeline.
enum Stages {
    /// An equal number of layers in each of this many chunks per GPU.
    Even(u32),
    /// Megatron's notation: `Et*3|t*4|t*4|t*3L`.
    Layout(String),
}

impl Stages {
    fn new(context: &ExportContext) -> Self {
        let (setup, interleaves) = (&context.setup, interleaves(context));
        if setup.mesh.pp == 1 {
            return Self::Even(1);
        }
        let layers = if interleaves { stages::layers_of_stages(setup) } else { stages::layers_of_gpus(setup) };
        if stages::are_even(&layers) {
            return Self::Even(if interleaves { setup.chunks() } else { 1 });
        }
        // The embedding goes before the first layer, the loss after the last.
        let stages = layers.iter().map(|layers| if *layers > 0 { format!("t*{layers}") } else { String::new() });
        Self::Layout(format!("E{}L", stages.collect::<Vec<_>>().join("|")))
    }
}

/// Returns the optimizer, and the format of its moments if it is not fp32.
fn optimizer(context: &ExportContext) -> (&'static str, Option<&'static str>) {
    match context.setup.optimizer {
        Optimizer::AdamW
        | Optimizer::Adafactor
        | Optimizer::AdamW4bit
        | Optimizer::AdamMini
        | Optimizer::GaLore
        | Optimizer::GaLore8bit => ("adam", None),
        Optimizer::AdamW16bit => ("adam", Some("bf16")),
        Optimizer::AdamW8bit => ("adam", Some("fp8")),
        Optimizer::Sgd | Optimizer::SgdMomentum => ("sgd", None),
        Optimizer::Lion | Optimizer::Muon if is_sharded(context) => ("adam", None),
        Optimizer::Lion => ("lion", None),
        Optimizer::Muon => ("muon", None),
    }
}

/// Whether Megatron-FSDP does the sharding, as it does ZeRO-2 and FSDP.
fn is_sharded(context: &ExportContext) -> bool {
    matches!(context.setup.sharding, Sharding::Zero2 | Sharding::Fsdp(_))
}

/// Whether the optimizer keeps a copy of the weights, without which they cannot be held in 8 bits.
fn copies_weights(context: &ExportContext) -> bool {
    context.setup.sharding != Sharding::Ddp
}

/// Whether GPUs hold several chunks of the pipeline. Megatron has no V-shaped schedule.
fn interleaves(context: &ExportContext) -> bool {
    context.setup.pipeline.schedule == Schedule::Interleaved && context.setup.chunks() > 1
}

/// Whether whole layers are recomputed.
fn recomputes_layers(context: &ExportContext) -> bool {
    context.recomputed_layers(context.setup.architecture.num_hidden_layers) > 0
}

/// Whether activations are offloaded. Fine-grained offloading applies to layers that are not
/// recomputed as a whole.
fn offloads_activations(context: &ExportContext) -> bool {
    context.setup.offload.activations && !recomputes_layers(context)
}

fn add_notes(context: &mut ExportContext) {
    let (setup, mesh, kernels) = (context.setup, context.setup.mesh, context.setup.kernels);
    let pipelined = mesh.pp > 1;
    let trained = setup.trained;
    context.note_if(trained.has_adapters(), notes::MEGATRON_ADAPTERS);
    context.note_if(trained.method == Method::Layers, notes::MEGATRON_LAYERS);
    context.note_if(!trained.is_all() && trained.base != BaseFormat::Bf16, notes::MEGATRON_BASE);
    context.note_if(context.splits_sequences_unevenly(), notes::SEQUENCE_PARTS);
    context.note_if(context.has_strategy(Strategy::ShardGradOp), notes::MEGATRON_RESHARDS);
    context.note_if(context.has_strategy(Strategy::ReshardTo), notes::MEGATRON_NO_GROUP);
    let other = !matches!(setup.pipeline.schedule, Schedule::OneForwardOneBackward | Schedule::Interleaved);
    context.note_if(pipelined && other, notes::MEGATRON_SCHEDULE);
    let interleaved = setup.pipeline.schedule == Schedule::Interleaved && setup.chunks() > 1;
    let round = setup.batch.grad_accum_steps.is_multiple_of(mesh.pp);
    context.note_if(pipelined && interleaved && !round, notes::MEGATRON_ROUNDS);
    context.note_if(
        mesh.tp > 1 && setup.tensor.asynchronous && !setup.tensor.sequence_parallel,
        notes::MEGATRON_OVERLAP_SP,
    );
    let several = setup.batch.grad_accum_steps > 1;
    context.note_if(several && context.sync.reduce_each != is_sharded(context), notes::MEGATRON_SYNC);
    context.note_if(
        matches!(setup.recipe, PrecisionPolicy::Fsdp2MixedBf16 | PrecisionPolicy::Fsdp2MixedBf16Reduce16),
        notes::MEGATRON_MASTER,
    );
    context.note_if(setup.recipe.is_pure_bf16(), notes::MEGATRON_PURE);
    context.note_if(setup.recipe == PrecisionPolicy::AutocastBf16, notes::MEGATRON_AUTOCAST);
    context.note_if(setup.optimizer_kernel == OptimizerKernel::ForEach, notes::ALWAYS_FUSED_OPTIMIZER);
    context.note_if(setup.optimizer == Optimizer::Adafactor, notes::MEGATRON_ADAFACTOR);
    notes::add_optimizer_notes(context);
    let emerging = matches!(setup.optimizer, Optimizer::Lion | Optimizer::Muon);
    context.note_if(emerging && is_sharded(context), notes::MEGATRON_FSDP_OPTIMIZER);
    context.note_if(setup.offload.state_on_drives(), notes::NO_NVME);
    context.note_if(setup.offload.parameters, notes::MEGATRON_OFFLOAD);
    context.note_if(setup.offload.activations && !offloads_activations(context), notes::MEGATRON_OFFLOAD_ACTIVATIONS);
    context.note_if(setup.recompute == Recompute::Selective, notes::MEGATRON_SELECTIVE);
    context.note_if(matches!(setup.recompute, Recompute::Fraction), notes::FRACTION_LAYERS);
    context.note_if(kernels.attention.is_before_the_second(), notes::ATTENTION_FIRST);
    context.note_if(kernels.compile, notes::MEGATRON_COMPILE);
    context.note_if(kernels.graphs == Graphs::Layers && recomputes_layers(context), notes::MEGATRON_GRAPHS);
    context.note_if(kernels.loss == Loss::Chunked, notes::LOSS_CHUNKED);
    context.note_if(keeps_or_casts(kernels.loss), notes::MEGATRON_LOGITS);
    context.note_if(kernels.loss == Loss::FusedLinear, notes::MEGATRON_LINEAR);
    context.note_if(kernels.norms == NormKernel::Upcast, notes::ALWAYS_FUSED_NORMS);
    context.note_if(
        setup.compute_format == ComputeFormat::Fp8Gather && !copies_weights(context),
        notes::MEGATRON_FP8_GATHER,
    );
    context.note_if(context.has_strategy(Strategy::Ddp) && setup.offload.optimizer, notes::MEGATRON_OFFLOAD_DDP);
}
