//! Distillation by TRL's trainers (trl/experimental/{gkd,distillation} @ f2cd57710) and by
//! ms-swift, whose trainer builds on them (swift/rlhf_trainers/{gkd_trainer,rollout_mixin}.py @
//! 3602360a5).

use catalog::programs::Program;
use engine::model::software::{Framework, Loss};
use engine::model::trained::BaseFormat;
use engine::model::training::PrecisionPolicy;
use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::keys::Keys;

/// Reads which sequences the student learns from: of `lmbda` its own completions, of the rest the
/// data set's.
pub(super) fn sequences(keys: &mut Keys, draft: &mut Draft) {
    match keys.number(&["lmbda"]) {
        Some(found) if found.value == 0.0 => draft.set_option_from(&found, ParamId::Objective, "distill"),
        Some(found) => {
            draft.set_option_from(&found, ParamId::Objective, "opd");
            if found.value < 1.0 {
                draft.assume(format!(
                    "The student generates {} of the batches ({}): here all of them.",
                    found.shown, found.key
                ));
            }
        }
        None => {
            draft.set_option(ParamId::Objective, "opd");
            draft.assume("The student generates half of the batches (lmbda 0.5, the default): here all of them.");
        }
    }
}

/// Reads whether an engine generates, where the student does.
pub(super) fn generator(keys: &mut Keys, draft: &mut Draft) {
    let engine = keys.flag(&["use_vllm"]).is_some_and(|found| found.value);
    if draft.scenario.objective.task.generates() && !engine {
        draft.assume(
            "The student generates by Transformers' generate, several times as slow as an engine, and under ZeRO-3 \
             with all weights gathered: here by vLLM.",
        );
    }
}

/// Reads the divergence, by `beta`.
pub(super) fn divergence(keys: &mut Keys, draft: &mut Draft, usual: f64) {
    let kind = |beta: f64| match beta {
        0.0 => "forward",
        1.0 => "reverse",
        _ => "jsd",
    };
    match keys.number(&["beta"]) {
        Some(found) => draft.set_option_from(&found, ParamId::Divergence, kind(found.value)),
        None => drop(draft.set_option(ParamId::Divergence, kind(usual))),
    }
}

/// Reads GKD of ms-swift, whose rows read the rest.
pub(super) fn of_swift(keys: &mut Keys, draft: &mut Draft) {
    sequences(keys, draft);
    generator(keys, draft);
    divergence(keys, draft, 0.5);
    let answers = ["max_completion_length", "max_new_tokens"].iter().any(|key| keys.has(key));
    if draft.scenario.objective.task.generates()
        && !answers
        && let Some(prompts) = keys.count(&["max_length"])
    {
        draft.length(Some(prompts.with(prompts.value.saturating_add(512))));
        draft.number(Some(prompts), ParamId::PromptTokens);
        draft.assume("Completions of 512 tokens, ms-swift's default.");
    }
    if keys.flag(&["seq_kd"]).is_some_and(|found| found.value) {
        draft.contradict("seq_kd is on, which ms-swift no longer has: let the teacher answer before the run.");
    }
    let (teacher, student) = (keys.peek("teacher_model"), keys.peek("model"));
    if teacher.is_none() && keys.peek("teacher_model_server").is_none() {
        draft
            .unread
            .push("teacher_model: the student is its own teacher without one, which is not computed".to_owned());
    }
    if draft.scenario.trained.has_adapters() && teacher.is_some() && teacher == student {
        draft.unread.push(
            "teacher_model is the student's base, which is the teacher without its adapters: that is not computed"
                .to_owned(),
        );
    }
    if let Some(found) = keys.text(&["teacher_model"]) {
        draft.teacher_called(&found);
    }
}

/// Keys of the format in which a teacher is loaded.
const FORMATS: [&str; 4] = [
    "teacher_model_init_kwargs.dtype",
    "teacher_model_init_kwargs.torch_dtype",
    "teacher_model.dtype",
    "teacher_model.torch_dtype",
];

/// Reads verl's teachers (verl/trainer/config/distillation/distillation.yaml @ 1dda039b9): the one
/// named `teacher_model` counts only where no other is.
pub(super) fn teachers_of_verl(keys: &mut Keys, draft: &mut Draft) {
    let all = keys.paths("distillation.teacher_models.", ".model_path");
    let named: Vec<&String> = all.iter().filter(|path| !path.contains(".teacher_model.")).collect();
    match (named.as_slice(), all.first()) {
        ([], Some(path)) => teacher_at(path, keys, draft),
        ([path], _) => teacher_at(path, keys, draft),
        ([], None) => draft.unread.push("distillation.teacher_models: no file names the teacher".to_owned()),
        _ => draft.unread.push("distillation.teacher_models: several teachers are not computed".to_owned()),
    }
}

fn teacher_at(path: &str, keys: &mut Keys, draft: &mut Draft) {
    if let Some(found) = keys.text(&[path]) {
        draft.teacher_called(&found);
    }
}

/// Reads the teacher of TRL's trainers.
pub(super) fn teacher_of_trl(keys: &mut Keys, draft: &mut Draft) {
    // The result of a call is named by what it loads.
    let is_name = |name: &&str| keys.peek(name).is_some_and(|value| !value.ends_with(".from_pretrained"));
    let name = ["teacher_model_name_or_path", "teacher_model"].into_iter().find(is_name);
    match name.and_then(|name| keys.text(&[name])) {
        Some(found) => draft.teacher_called(&found),
        None => draft.unread.push("teacher_model_name_or_path: no file names the teacher".to_owned()),
    }
    keys.skip(&["teacher_model"]);
    if let Some(found) = keys.word(&FORMATS) {
        let is_single = matches!(found.value.trim_start_matches("torch."), "float32" | "fp32" | "float");
        draft.set_option_from(&found, ParamId::TeacherFormat, if is_single { "fp32" } else { "bf16" });
        draft.said.push(ParamId::TeacherFormat);
    }
    keys.skip_section("teacher_model_init_kwargs");
    keys.skip_section("teacher_model");
}

/// Sets, once all files are read, where TRL has the teacher, and the format of its logits.
///
/// Under DeepSpeed `prepare_deepspeed` of trl/models/utils.py shards it in stage 3 alone, in the
/// run's format. Otherwise `prepare_model(evaluation_mode=True)` of accelerate/accelerator.py
/// @ 16cb6eb80 wraps it in neither DDP nor FSDP, leaves it under FSDP where it was loaded, and
/// returns fp32 logits under autocast.
pub(in crate::run) fn prepared(draft: &mut Draft) {
    let objective = draft.scenario.objective;
    if !draft.has(Program::Trl) || !objective.task.distills() {
        return;
    }
    // By Liger; the default of newer releases is that of the cross-entropy.
    let is_fused = draft.scenario.kernels.loss == Loss::FusedLinear && draft.said.contains(&ParamId::Loss);
    if draft.scenario.framework == Framework::DeepSpeed {
        draft.set_option(ParamId::TeacherPlace, "trainer");
        draft.set_option(ParamId::TeacherFormat, "bf16");
        if !is_fused {
            draft.set_option(ParamId::Loss, "bf16");
        }
        return;
    }
    draft.set_option(ParamId::TeacherPlace, "whole");
    if !is_fused {
        draft.set_option(ParamId::Loss, "fp32-logits");
    }
    if !draft.said.contains(&ParamId::TeacherFormat) {
        let trained = &draft.scenario.trained;
        let is_single = if trained.has_adapters() {
            trained.base == BaseFormat::Fp32
        } else {
            matches!(draft.scenario.recipe, PrecisionPolicy::AutocastBf16 | PrecisionPolicy::Fp32)
        };
        let (option, word) = if is_single { ("fp32", "fp32") } else { ("bf16", "16 bits") };
        draft.set_option(ParamId::TeacherFormat, option);
        draft.assume(format!("The teacher is loaded in {word}, as the student is."));
    }
    if draft.scenario.trained.base.is_quantized() {
        draft.unread.push(
            "load_in_4bit, load_in_8bit: TRL's script quantizes the teacher too, which is not computed".to_owned(),
        );
    }
    if draft.scenario.strategy.shards_weights() && draft.scenario.gpus > 1 {
        draft.contradict(
            "Accelerate does not shard a teacher under FSDP, so that each GPU has all of it: and TRL leaves it on the \
             CPU, where its pass fails, unless the script moves it (trl issue 2580). ZeRO-3 shards it.",
        );
    }
}
