//! Conditions of rows of the table: where a parameter has an effect, is shown, or can grow.

use crate::model::experts::Dispatcher;
use crate::model::framework::Layers;
use crate::model::objective::{Task, TeacherPlace};
use crate::model::parallel::{ContextExchange, Schedule};
use crate::model::software::AttentionKernel;
use crate::model::training::{ComputeFormat, Optimizer, PrecisionPolicy, Recompute};
use crate::scenario::{Model, Scenario};

/// For rows about experts.
pub(super) fn with_experts(scenario: &Scenario) -> bool {
    scenario.model.architecture().has_experts()
}

/// For rows about a fraction of activations.
pub(super) fn with_fraction(scenario: &Scenario) -> bool {
    scenario.recompute == Recompute::Fraction
}

/// For rows that only matter if every GPU keeps whole weights, which FSDP shards.
pub(super) fn unsharded_weights(scenario: &Scenario) -> bool {
    !with_fsdp(scenario)
}

/// For rows about sharded weights.
pub(super) fn with_fsdp(scenario: &Scenario) -> bool {
    scenario.strategy.shards_weights()
}

/// For rows about the shard group.
pub(super) fn with_shard_group(scenario: &Scenario) -> bool {
    scenario.strategy.uses_shard_size()
}

/// For rows about the whole run, whose numbers do not change the results of a step.
pub(super) fn never(_: &Scenario) -> bool {
    false
}

/// Whether the size of the model is a free number.
pub(super) fn is_on_ladder(scenario: &Scenario) -> bool {
    scenario.model.is_on_ladder()
}

/// For rows about adapters.
pub(super) fn with_adapters(scenario: &Scenario) -> bool {
    scenario.trained.has_adapters()
}

/// For rows about a model of which a part trains.
pub(super) fn in_part(scenario: &Scenario) -> bool {
    !scenario.trained.is_all()
}

/// For rows about objectives that generate what they train on.
pub(super) fn generates(scenario: &Scenario) -> bool {
    scenario.objective.task.generates()
}

/// For rows about the scores of completions.
pub(super) fn has_rewards(scenario: &Scenario) -> bool {
    scenario.objective.task.has_rewards()
}

/// For rows about the teacher of a distillation.
pub(super) fn distills(scenario: &Scenario) -> bool {
    scenario.objective.task.distills()
}

/// For rows about a teacher that runs with the training.
pub(super) fn needs_teacher(scenario: &Scenario) -> bool {
    distills(scenario) && scenario.objective.teacher.place != TeacherPlace::Offline
}

/// For rows about a teacher on the training GPUs.
pub(super) fn holds_teacher(scenario: &Scenario) -> bool {
    needs_teacher(scenario) && scenario.objective.teacher.place != TeacherPlace::Engine
}

/// For rows about a teacher on GPUs of its own.
pub(super) fn serves_teacher(scenario: &Scenario) -> bool {
    distills(scenario) && scenario.objective.teacher.place == TeacherPlace::Engine
}

/// For rows about objectives with a reference model.
pub(super) fn compares(scenario: &Scenario) -> bool {
    scenario.objective.task.has_reference()
}

/// For rows about a rollout engine on the GPUs that train.
pub(super) fn shares_gpus(scenario: &Scenario) -> bool {
    generates(scenario) && scenario.objective.engine.gpus == 0
}

/// For rows about a rollout engine with GPUs of its own.
pub(super) fn generates_apart(scenario: &Scenario) -> bool {
    generates(scenario) && scenario.objective.engine.gpus > 0
}

/// For rows about a run without a list of texts.
pub(super) fn without_texts(scenario: &Scenario) -> bool {
    !scenario.has_texts()
}

/// For rows about a list of texts.
pub(super) fn with_texts(scenario: &Scenario) -> bool {
    scenario.has_texts()
}

/// For rows about images, whose patches are the positions of the encoder.
pub(super) fn has_pixels(scenario: &Scenario) -> bool {
    has_tower(scenario) && scenario.model.architecture().tower.fixed_positions == 0
}

/// For rows about recomputation by module.
pub(super) fn by_module(scenario: &Scenario) -> bool {
    scenario.recompute == Recompute::Modules
}

/// For rows about recomputed modules of experts.
pub(super) fn of_experts(scenario: &Scenario) -> bool {
    by_module(scenario) && with_experts(scenario)
}

/// For rows about modules inside the experts, if the experts are not recomputed as a whole.
pub(super) fn inside_experts(scenario: &Scenario) -> bool {
    of_experts(scenario) && !scenario.recompute_modules.moe
}

/// For rows about recomputed shared experts.
pub(super) fn of_shared_experts(scenario: &Scenario) -> bool {
    inside_experts(scenario) && scenario.model.architecture().experts.shared_intermediate_size > 0
}

/// For rows about recomputed parts of latent attention.
pub(super) fn of_latent_attention(scenario: &Scenario) -> bool {
    by_module(scenario) && scenario.model.architecture().latent.is_used()
}

/// For rows about GaLore.
pub(super) fn projects(scenario: &Scenario) -> bool {
    matches!(scenario.optimizer, Optimizer::GaLore | Optimizer::GaLore8bit)
}

/// For rows that only apply where products run in 8 or 4 bits.
pub(super) fn computes_narrow(scenario: &Scenario) -> bool {
    scenario.compute_format != ComputeFormat::AsPolicy
}

/// For rows that only apply where one kernel computes the activation of a gated MLP.
pub(super) fn fuses_activation(scenario: &Scenario) -> bool {
    scenario.framework.traits().fused_activation && scenario.model.architecture().gated_mlp
}

/// For rows that only apply to pre-training: every weight, and the next token.
pub(super) fn predicts_next_token(scenario: &Scenario) -> bool {
    scenario.objective.task == Task::NextToken && scenario.trained.is_all()
}

/// For rows about tensor parallelism.
pub(super) fn with_tp(scenario: &Scenario) -> bool {
    scenario.tp > 1
}

/// For rows about the units that FSDP gathers and frees.
pub(super) fn by_units(scenario: &Scenario) -> bool {
    with_fsdp(scenario) && scenario.framework.traits().shards_by_fsdp
}

/// For rows about context parallelism.
pub(super) fn with_cp(scenario: &Scenario) -> bool {
    scenario.cp > 1
}

/// For rows about the pipeline.
pub(super) fn with_pp(scenario: &Scenario) -> bool {
    scenario.pp > 1
}

/// For rows about the chunks of an interleaved pipeline.
pub(super) fn with_chunks(scenario: &Scenario) -> bool {
    with_pp(scenario) && scenario.pipeline.schedule == Schedule::Interleaved
}

/// For rows about more than one micro-batch.
pub(super) fn with_accumulation(scenario: &Scenario) -> bool {
    scenario.grad_accum_steps > 1
}

/// Whether layers are split over GPUs.
pub(super) fn is_tp_used(scenario: &Scenario) -> bool {
    scenario.degrees().tp > 1
}

/// For rows about head groups within context parallelism.
pub(super) fn with_mixed_cp(scenario: &Scenario) -> bool {
    scenario.cp > 1 && scenario.context == ContextExchange::Mixed
}

/// Whether sequences are split over GPUs.
pub(super) fn is_cp_used(scenario: &Scenario) -> bool {
    scenario.degrees().cp > 1
}

/// Whether there is a pipeline.
pub(super) fn is_pp_used(scenario: &Scenario) -> bool {
    scenario.degrees().pp > 1
}

/// For rows about degrees that the user chooses.
pub(super) fn with_own_degrees(scenario: &Scenario) -> bool {
    with_experts(scenario) && !scenario.expert_choice.degrees
}

/// For degrees of parallelism that split experts.
pub(super) fn is_expert_split(scenario: &Scenario) -> bool {
    let degrees = scenario.degrees();
    degrees.ep * degrees.etp > 1 && with_own_degrees(scenario)
}

/// For rows about chunks that the user chooses.
pub(super) fn with_own_chunks(scenario: &Scenario) -> bool {
    with_experts(scenario) && !scenario.expert_choice.chunks
}

/// For rows about grouped products whose inputs are cast.
pub(super) fn with_casts(scenario: &Scenario) -> bool {
    with_experts(scenario) && scenario.experts.grouped && scenario.compute_format != ComputeFormat::AsPolicy
}

/// For rows about the algorithm of a collective all-to-all.
pub(super) fn with_collective(scenario: &Scenario) -> bool {
    with_own_chunks(scenario) && scenario.experts.dispatcher == Dispatcher::AllToAll
}

/// For rows about layers of PyTorch.
pub(super) fn by_pytorch(scenario: &Scenario) -> bool {
    scenario.framework.traits().layers != Layers::Own
}

/// Whether leaf switches have fewer links up than down.
pub(super) fn is_oversubscribed(scenario: &Scenario) -> bool {
    scenario.network.values.fabric.oversubscription > 1.0
}

/// Whether data loaders have a limit.
pub(super) fn with_loader(scenario: &Scenario) -> bool {
    scenario.network.values.host.loader > 0.0
}

/// For rows about products in 8 and 4 bits.
pub(super) fn in_few_bits(scenario: &Scenario) -> bool {
    scenario.compute_format != ComputeFormat::AsPolicy || scenario.kernels.attention == AttentionKernel::Flash8bit
}

/// For rows about products in 4 bits.
pub(super) fn in_4_bits(scenario: &Scenario) -> bool {
    scenario.compute_format == ComputeFormat::Fp4
}

/// For rows about 16-bit formats.
pub(super) fn in_16_bits(scenario: &Scenario) -> bool {
    !in_32_bits(scenario)
}

/// For rows about GPUs without units for bf16.
pub(super) fn emulates_bf16(scenario: &Scenario) -> bool {
    scenario.accelerator.values.emulates_bf16()
}

/// For rows about products in 32 bits.
pub(super) fn in_32_bits(scenario: &Scenario) -> bool {
    scenario.recipe == PrecisionPolicy::Fp32
}

/// For rows about attention kernels tuned to the GPU.
pub(super) fn with_tuned_attention(scenario: &Scenario) -> bool {
    matches!(scenario.kernels.attention, AttentionKernel::FlashTuned | AttentionKernel::Flash8bit)
}

/// For rows about fp32 compute: the recipe, or scans of recurrent mixers under any recipe.
pub(super) fn computes_in_32_bits(scenario: &Scenario) -> bool {
    in_32_bits(scenario) || scenario.model.architecture().recurrent.is_used()
}

/// For rows that only apply to models with experts.
pub(super) fn has_routed_experts(scenario: &Scenario) -> bool {
    scenario.model.architecture().experts.num_experts > 0
}

/// For rows that only apply to models with latent attention.
pub(super) fn with_latent_attention(scenario: &Scenario) -> bool {
    scenario.model.architecture().latent.is_used()
}

/// For rows that only apply to models with a recurrent mixer.
pub(super) fn has_recurrent_layers(scenario: &Scenario) -> bool {
    scenario.model.architecture().recurrent.is_used()
}

/// For rows that only apply to models with an encoder.
pub(super) fn has_tower(scenario: &Scenario) -> bool {
    scenario.model.architecture().tower.is_used()
}

/// For rows that only apply to a custom model.
pub(super) fn is_custom(scenario: &Scenario) -> bool {
    matches!(scenario.model, Model::Custom { .. })
}
