//! Settings that TRL, Axolotl and LLaMA-Factory share: they run Hugging Face's Trainer on models of
//! transformers with PEFT's adapters.

use super::adapters::{Adapters, Names};
use super::context::ExportContext;
use super::{keeps_or_casts, notes};
use engine::model::experts::Dispatcher;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::trained::{BaseFormat, Method};
use engine::model::training::{ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute};

/// How the weights of the base model are loaded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Loaded {
    /// Not quantized.
    Whole,
    /// By bitsandbytes in 8 bits.
    EightBits,
    /// By bitsandbytes in 4 bits; `nested` quantizes the scales to 8 bits.
    FourBits { nested: bool },
}

/// The values that the templates share.
pub(super) struct Tuning {
    /// The model to load.
    pub(super) base_model: &'static str,
    pub(super) adapters: Option<Adapters>,
    pub(super) loaded: Loaded,
    pub(super) recomputes: bool,
    pub(super) compiles: bool,
    pub(super) attention: &'static str,
    /// The trained layers, if only some are trained: from the first to before the last.
    pub(super) trained_layers: Option<[u32; 2]>,
    /// The embedding and the head.
    pub(super) ends: [&'static str; 2],
    /// Whether weights that train are bf16.
    pub(super) is_pure: bool,
    pub(super) is_fp32: bool,
    /// The key of the 16-bit format: `bf16` or `fp16`.
    pub(super) half: &'static str,
    pub(super) learning_rate: &'static str,
}

impl Tuning {
    pub(super) fn new(context: &ExportContext) -> Self {
        let (setup, trained) = (&context.setup, &context.setup.trained);
        let layers = setup.architecture.num_hidden_layers;
        Self {
            base_model: context.repository(),
            adapters: Adapters::from_context(context),
            loaded: loaded(context),
            recomputes: recomputes(context),
            compiles: setup.kernels.compile,
            attention: match setup.kernels.attention {
                AttentionKernel::Unfused => "eager",
                AttentionKernel::FlashFirstCuda | AttentionKernel::FlashFirst | AttentionKernel::Flash => {
                    "flash_attention_2"
                }
                AttentionKernel::FlashTuned | AttentionKernel::Flash8bit => "sdpa",
            },
            trained_layers: (trained.method == Method::Layers).then_some([trained.frozen_layers.min(layers), layers]),
            ends: Names::for_context(context).ends,
            is_pure: setup.recipe.is_pure_bf16() && !context.takes_fp16(),
            is_fp32: context.is_fp32(),
            half: context.half_format(),
            learning_rate: if trained.has_adapters() { "2.0e-4" } else { "2.0e-5" },
        }
    }
}

/// Returns how the base model is loaded; only models with adapters are quantized.
fn loaded(context: &ExportContext) -> Loaded {
    let trained = &context.setup.trained;
    match trained.base {
        _ if !trained.has_adapters() => Loaded::Whole,
        BaseFormat::Int8 => Loaded::EightBits,
        BaseFormat::Nf4 => Loaded::FourBits { nested: false },
        BaseFormat::Nf4Double => Loaded::FourBits { nested: true },
        BaseFormat::Fp32 | BaseFormat::Bf16 | BaseFormat::Fp8 | BaseFormat::Int4 | BaseFormat::Mxfp4 => Loaded::Whole,
    }
}

/// Whether whole layers are recomputed, all or some of them.
pub(super) fn recomputes(context: &ExportContext) -> bool {
    matches!(context.setup.recompute, Recompute::Full | Recompute::Selective | Recompute::Fraction)
}

/// Returns the Trainer's name of the optimizer (`OptimizerNames` of transformers'
/// training_args.py); AdamW if the Trainer has none.
pub(super) fn optimizer(context: &ExportContext, fsdp: bool) -> &'static str {
    let (setup, in_backward) = (&context.setup, context.updates_in_backward());
    let paged = setup.offload.pages_state() && !fsdp;
    match (setup.optimizer, setup.optimizer_kernel) {
        (Optimizer::AdamW8bit, _) if paged => "paged_adamw_8bit",
        (Optimizer::AdamW, _) if paged => "paged_adamw_32bit",
        (Optimizer::Lion, _) if paged => "paged_lion_32bit",
        // The update of bitsandbytes does not support FSDP2's sharded tensors, that of torchao
        // does.
        (Optimizer::AdamW8bit, _) if fsdp => "adamw_torch_8bit",
        (Optimizer::AdamW8bit, _) => "adamw_bnb_8bit",
        (Optimizer::AdamW4bit, _) => "adamw_torch_4bit",
        (Optimizer::GaLore, _) if in_backward => "galore_adamw_layerwise",
        (Optimizer::GaLore, _) => "galore_adamw",
        (Optimizer::GaLore8bit, _) if in_backward => "galore_adamw_8bit_layerwise",
        (Optimizer::GaLore8bit, _) => "galore_adamw_8bit",
        (Optimizer::Sgd, _) if in_backward => "lomo",
        (Optimizer::Sgd | Optimizer::SgdMomentum, _) => "sgd",
        (Optimizer::Adafactor, _) if in_backward => "adalomo",
        (Optimizer::Adafactor, _) => "adafactor",
        (Optimizer::Lion, _) => "lion_32bit",
        (Optimizer::AdamW | Optimizer::AdamW16bit | Optimizer::AdamMini | Optimizer::Muon, OptimizerKernel::Fused) => {
            "adamw_torch_fused"
        }
        (
            Optimizer::AdamW | Optimizer::AdamW16bit | Optimizer::AdamMini | Optimizer::Muon,
            OptimizerKernel::ForEach,
        ) => "adamw_torch",
    }
}

/// Adds the notes about the place of the update and of its state.
pub(super) fn add_update_notes(context: &mut ExportContext, fsdp: bool) {
    let setup = context.setup;
    let paged = matches!(setup.optimizer, Optimizer::AdamW | Optimizer::AdamW8bit | Optimizer::Lion);
    context.note_if(setup.offload.pages_state() && paged && fsdp, notes::TUNING_PAGED_SHARDS);
    context.note_if(setup.offload.pages_state() && !paged, notes::TUNING_PAGED);
    context.note_if(fsdp && setup.offload.state_on_drives(), notes::NO_NVME);
    let in_backward = matches!(setup.optimizer, Optimizer::Sgd | Optimizer::Adafactor) || context.projects();
    context.note_if(context.updates_in_backward() && !in_backward, notes::TUNING_IN_BACKWARD);
}

/// Adds the notes that hold under the Trainer.
pub(super) fn add_notes(context: &mut ExportContext) {
    let (setup, kernels, trained) = (context.setup, context.setup.kernels, context.setup.trained);
    if trained.has_adapters() {
        context.note_adapters();
    } else {
        context.note_if(context.lacks_repository(), notes::NO_REPOSITORY);
    }
    if !trained.is_all() {
        context.note_if(trained.base == BaseFormat::Fp8, notes::TUNING_FP8_BASE);
        context.note_if(trained.base == BaseFormat::Mxfp4, notes::TUNING_MXFP4_BASE);
        let quantized = matches!(trained.base, BaseFormat::Int8 | BaseFormat::Nf4 | BaseFormat::Nf4Double);
        context.note_if(quantized && trained.method == Method::Layers, notes::TUNING_QUANTIZED_LAYERS);
    }
    let tied = trained.has_adapters() && trained.embeddings && setup.architecture.tie_word_embeddings;
    context.note_if(setup.kernels.attention.is_before_the_second(), notes::ATTENTION_FIRST);
    context.note_if(setup.kernels.attention == AttentionKernel::Flash8bit, notes::ATTENTION_8_BIT);
    context.note_if(tied, notes::TUNING_TIED);
    context.note_if(setup.mesh.pp > 1, notes::TUNING_PIPELINE);
    context.note_if(context.has_experts() && setup.mesh.ep * setup.mesh.etp > 1, notes::TUNING_EXPERTS);
    let mixed = matches!(
        setup.recipe,
        PrecisionPolicy::Fsdp2MixedBf16Reduce16
            | PrecisionPolicy::ZeroMixed
            | PrecisionPolicy::MegatronMixed
            | PrecisionPolicy::PureBf16Reduce32
    );
    context.note_if(mixed, notes::TUNING_RECIPE);
    context.note_if(setup.optimizer == Optimizer::SgdMomentum, notes::TUNING_MOMENTUM);
    context.note_if(setup.optimizer == Optimizer::AdamW16bit, notes::NO_ADAMW_16);
    context.note_if(setup.recompute == Recompute::Fraction, notes::TUNING_FRACTION);
    context.note_if(setup.recompute == Recompute::AttentionCore, notes::ATTENTION_IN_MODEL);
    context.note_modules();
    context.note_if(kernels.graphs != Graphs::None, notes::TUNING_GRAPHS);
    context.note_if(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    context.note_if(kernels.dropout, notes::DROPOUT_IN_MODEL);
    context.note_if(keeps_or_casts(kernels.loss), notes::LOGITS_IN_CODE);
    context.note_if(kernels.loss == Loss::Fused, notes::LOSS_IN_CODE);
    context.note_if(setup.compute_format == ComputeFormat::Fp4, notes::NO_FP4);
    if context.has_experts() {
        notes::add_expert_notes(context);
        context.note_if(setup.experts.dispatcher == Dispatcher::Fused, notes::DISPATCHER_IN_MODEL);
        context.note_if(!setup.experts.grouped, notes::GROUPED_IN_MODEL);
    }
}
