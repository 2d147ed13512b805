//! DeepSpeed: the JSON for `deepspeed.initialize`. JSON has no comments, so the notes are not in
//! the file.

mod config;

use super::context::ExportContext;
use super::{keeps_or_casts, notes};
use config::{
    ActivationCheckpointing, Config, DataTypes, ExpertParallel, HalfFormat, Offload, OptimizerConfig, OptimizerParams,
    Pipeline, TensorParallel, TorchAutocast, ZeroOptimization,
};
use engine::model::experts::Dispatcher;
use engine::model::parallel::Schedule;
use engine::model::setup::Setup;
use engine::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use engine::model::training::{
    ComputeFormat, Optimizer, OptimizerKernel, PrecisionPolicy, Recompute, Reshard, Sharding,
};
use engine::scenario::Strategy;

/// Writes the file and collects its notes.
pub(super) fn write(mut context: ExportContext) -> (String, Vec<&'static str>) {
    add_notes(&mut context);
    // Serialisation only fails for maps whose keys are not strings, and there are none.
    let json = serde_json::to_string_pretty(&Config::new(&context)).unwrap_or_default();
    (json + "\n", context.notes)
}

impl Config {
    fn new(context: &ExportContext) -> Self {
        let (setup, mesh) = (&context.setup, &context.setup.mesh);
        let recomputes = recomputes_layers(setup);
        let ([fp16, bf16], gradient_formats) = (half_formats(context), gradient_formats(context));
        Self {
            train_batch_size: context.global_batch() as u64,
            train_micro_batch_size_per_gpu: setup.batch.micro_batch_size,
            gradient_accumulation_steps: setup.batch.grad_accum_steps,
            gradient_clipping: 1.0,
            optimizer: OptimizerConfig::from_optimizer(setup.optimizer),
            zero_allow_untested_optimizer: is_untested(setup.optimizer).then_some(true),
            fp16,
            bf16,
            torch_autocast: torch_autocast(context),
            data_types: gradient_formats.map(|[accumulated, _]| DataTypes { grad_accum_dtype: accumulated }),
            communication_data_type: gradient_formats.map(|[_, reduced]| reduced),
            zero_optimization: ZeroOptimization::new(context),
            tensor_parallel: (mesh.tp > 1)
                .then_some(TensorParallel { autotp_size: mesh.tp, tp_overlap_comm: setup.tensor.asynchronous }),
            sequence_parallel_size: (mesh.cp > 1).then_some(mesh.cp),
            pipeline: (mesh.pp > 1)
                .then_some(Pipeline { stages: mesh.pp, activation_checkpoint_interval: recomputes.into() }),
            expert_parallel: (context.has_experts() && mesh.ep * mesh.etp > 1).then_some(ExpertParallel {
                enabled: true,
                autoep_size: mesh.ep,
                expert_tensor_parallel_size: mesh.etp,
                use_grouped_mm: setup.experts.grouped,
            }),
            activation_checkpointing: recomputes.then_some(ActivationCheckpointing {
                partition_activations: mesh.tp > 1,
                cpu_checkpointing: setup.offload.activations,
            }),
        }
    }
}

impl OptimizerConfig {
    fn from_optimizer(optimizer: Optimizer) -> Self {
        let (name, lr) = match optimizer {
            Optimizer::AdamW
            | Optimizer::AdamW16bit
            | Optimizer::AdamW8bit
            | Optimizer::AdamW4bit
            | Optimizer::AdamMini
            | Optimizer::GaLore
            | Optimizer::GaLore8bit => ("AdamW", "3e-4"),
            Optimizer::Sgd | Optimizer::SgdMomentum => ("SGD", "1e-2"),
            Optimizer::Adafactor => ("Adafactor", "1e-2"),
            Optimizer::Lion => ("Lion", "1e-4"),
            Optimizer::Muon => ("Muon", "2e-2"),
        };
        let momentum = (optimizer == Optimizer::SgdMomentum).then_some(0.9);
        // Written as 3e-4, not 0.0003.
        Self { name, params: OptimizerParams { lr: serde_json::from_str(lr).ok(), momentum } }
    }
}

/// Whether DeepSpeed runs an optimizer with ZeRO only if untested optimizers are allowed.
fn is_untested(optimizer: Optimizer) -> bool {
    matches!(optimizer, Optimizer::Sgd | Optimizer::SgdMomentum | Optimizer::Adafactor)
}

/// Returns the sections `fp16` and `bf16`: one of them, which is off if all weights are fp32.
fn half_formats(context: &ExportContext) -> [Option<HalfFormat>; 2] {
    let pure = context.setup.recipe.is_pure_bf16() && zero_stage(&context.setup) > 0 && !context.takes_fp16();
    let autocast = context.setup.recipe == PrecisionPolicy::AutocastBf16;
    let section = HalfFormat {
        enabled: !context.is_fp32() && !autocast,
        bf16_master_weights_and_grads: pure.then_some(true),
        bf16_optimizer_states: pure.then_some(true),
    };
    if context.takes_fp16() && !context.is_fp32() && !autocast { [Some(section), None] } else { [None, Some(section)] }
}

/// Returns the section `torch_autocast`, which casts fp32 weights on use.
fn torch_autocast(context: &ExportContext) -> Option<TorchAutocast> {
    let dtype = if context.takes_fp16() { "float16" } else { "bfloat16" };
    (context.setup.recipe == PrecisionPolicy::AutocastBf16).then_some(TorchAutocast { enabled: true, dtype })
}

/// Returns the formats in which gradients are accumulated and reduced; `None` if both are the
/// weights' fp32.
fn gradient_formats(context: &ExportContext) -> Option<[&'static str; 2]> {
    let (half, full) = (context.half_format(), "fp32");
    match context.setup.recipe {
        PrecisionPolicy::Fsdp2MixedBf16 | PrecisionPolicy::MegatronMixed => Some([full, full]),
        PrecisionPolicy::Fsdp2MixedBf16Reduce16 => Some([full, half]),
        PrecisionPolicy::ZeroMixed | PrecisionPolicy::PureBf16 => Some([half, half]),
        PrecisionPolicy::PureBf16Reduce32 => Some([half, full]),
        PrecisionPolicy::Fp32 | PrecisionPolicy::AutocastBf16 => None,
    }
}

impl ZeroOptimization {
    fn new(context: &ExportContext) -> Self {
        let (setup, stage) = (&context.setup, zero_stage(&context.setup));
        let to = |drives: bool| {
            let (device, nvme_path) = if drives { ("nvme", Some("/local_nvme")) } else { ("cpu", None) };
            Offload { device, nvme_path, pin_memory: true }
        };
        let drives = setup.offload;
        // DeepSpeed keeps gathered weights while fewer parameters than this are gathered or are
        // reused within this many.
        let all_parameters = (stage == 3 && setup.sharding == Sharding::Fsdp(Reshard::Never))
            .then(|| setup.architecture.params().saturating_mul(2));
        let group = match setup.sharding {
            _ if stage != 3 => None,
            Sharding::Fsdp(Reshard::To(group)) => Some(group),
            _ => context.has_strategy(Strategy::HybridShard).then_some(setup.mesh.dp_shard),
        };
        Self {
            stage,
            overlap_comm: context.sync.overlap,
            contiguous_gradients: true,
            zero_hpz_partition_size: group,
            stage3_max_live_parameters: all_parameters,
            stage3_max_reuse_distance: all_parameters,
            stage3_gather_16bit_weights_on_model_save: (stage == 3).then_some(!context.scenario.run.sharded_checkpoint),
            offload_optimizer: (setup.offload.optimizer && stage > 0)
                .then(|| to(stage == 3 && drives.state_on_drives())),
            offload_param: (setup.offload.parameters && stage == 3).then(|| to(drives.weights_on_drives())),
        }
    }
}

/// Returns the ZeRO stage of a sharding.
fn wanted_stage(sharding: Sharding) -> u8 {
    match sharding {
        Sharding::Ddp => 0,
        Sharding::Zero1 => 1,
        Sharding::Zero2 => 2,
        Sharding::Fsdp(_) => 3,
    }
}

/// Returns the ZeRO stage that DeepSpeed runs: at most 1 in a pipeline.
fn zero_stage(setup: &Setup) -> u8 {
    let wanted = wanted_stage(setup.sharding);
    if setup.mesh.pp > 1 { wanted.min(1) } else { wanted }
}

/// Whether whole layers are recomputed, all or some of them.
fn recomputes_layers(setup: &Setup) -> bool {
    !matches!(setup.recompute, Recompute::None | Recompute::AttentionCore | Recompute::Modules)
}

fn add_notes(context: &mut ExportContext) {
    let (setup, mesh, kernels) = (context.setup, context.setup.mesh, context.setup.kernels);
    let (pipelined, stage) = (mesh.pp > 1, zero_stage(&setup));
    context.note_trained_in_model();
    context.note_if(pipelined, notes::DS_PIPELINE);
    context.note_if(pipelined && stage != wanted_stage(setup.sharding), notes::DS_PIPELINE_ZERO);
    let other_schedule = setup.pipeline.schedule != Schedule::OneForwardOneBackward;
    context.note_if(pipelined && other_schedule, notes::DS_SCHEDULE);
    let ends = setup.pipeline.first_stage_layers + setup.pipeline.last_stage_layers > 0;
    context.note_if(pipelined && ends, notes::DS_STAGES);
    context.note_if(context.has_strategy(Strategy::Zero1Group), notes::DS_ZERO1_GROUP);
    context.note_if(context.has_strategy(Strategy::ShardGradOp) && !pipelined, notes::DS_SHARD_GRAD_OP);
    context.note_if(context.has_strategy(Strategy::HybridShard) && !pipelined, notes::DS_HYBRID);
    context.note_if(mesh.tp > 1, notes::DS_TP);
    context.note_if(mesh.tp > 1 && setup.tensor.sequence_parallel, notes::DS_NO_SP);
    context.note_if(mesh.cp > 1, notes::DS_ULYSSES);
    context.note_if(context.has_experts() && mesh.ep * mesh.etp > 1, notes::DS_EP);
    let fp32_shards = matches!(setup.recipe, PrecisionPolicy::Fsdp2MixedBf16 | PrecisionPolicy::Fsdp2MixedBf16Reduce16);
    context.note_if(fp32_shards, notes::DS_MASTER);
    context.note_if(setup.recipe.is_pure_bf16() && stage == 0, notes::DS_PURE);
    context.note_if(setup.optimizer_kernel == OptimizerKernel::ForEach, notes::ALWAYS_FUSED_OPTIMIZER);
    context.note_if(setup.optimizer == Optimizer::AdamW8bit, notes::DS_8BIT);
    notes::add_optimizer_notes(context);
    context.note_if(setup.optimizer == Optimizer::AdamW16bit && !setup.recipe.is_pure_bf16(), notes::NO_ADAMW_16);
    context.note_if(setup.offload.optimizer && stage == 0, notes::DS_OFFLOAD);
    context.note_if(setup.offload.parameters && stage != 3, notes::DS_OFFLOAD_PARAMETERS);
    context.note_if(setup.offload.state_on_drives() && stage != 3, notes::DS_NVME);
    let recomputed = recomputes_layers(&setup);
    context.note_if(setup.offload.activations && !recomputed, notes::DS_OFFLOAD_ACTIVATIONS);
    context.note_if(recomputed, notes::DS_RECOMPUTE);
    context.note_if(matches!(setup.recompute, Recompute::Selective | Recompute::Fraction), notes::DS_RECOMPUTE_MODE);
    context.note_if(setup.recompute == Recompute::AttentionCore, notes::ATTENTION_IN_MODEL);
    context.note_modules();
    let several = setup.batch.grad_accum_steps > 1;
    let by_default = stage >= 2;
    context.note_if(several && context.sync.reduce_each != by_default, notes::DS_SYNC);
    context.note_if(setup.compute_format != ComputeFormat::AsPolicy, notes::DS_FP8);
    context.note_if(kernels.compile, notes::DS_COMPILE);
    context.note_if(kernels.graphs != Graphs::None, notes::NO_GRAPHS);
    context.note_if(kernels.attention != AttentionKernel::Flash, notes::ATTENTION_IN_MODEL);
    let other = kernels.loss != Loss::Standard && !keeps_or_casts(kernels.loss);
    context.note_if(other, notes::LOSS_IN_CODE);
    context.note_if(keeps_or_casts(kernels.loss), notes::LOGITS_IN_CODE);
    context.note_allocator();
    context.note_if(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    context.note_if(kernels.dropout, notes::DROPOUT_IN_MODEL);
    context.note_if(!context.scenario.run.deferred_init, notes::DS_INIT);
    add_expert_notes(context);
    context.notes.dedup();
}

fn add_expert_notes(context: &mut ExportContext) {
    if context.has_experts() {
        notes::add_expert_notes(context);
        let fused = context.setup.experts.dispatcher == Dispatcher::Fused;
        context.note_if(fused, notes::DS_DISPATCHER);
        context.note_if(
            !context.setup.experts.grouped && context.setup.mesh.ep * context.setup.mesh.etp <= 1,
            notes::GROUPED_IN_MODEL,
        );
    }
}
