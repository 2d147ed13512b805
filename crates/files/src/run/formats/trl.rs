//! TRL: `trl sft`, `dpo`, `grpo` and its other trainers (trl/trainer/*_config.py).

use catalog::programs::Program;
use engine::model::training::Recompute;
use engine::params::ParamId;

use super::{distillation, trainer};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use crate::run::tree::{COMMAND, TRAINERS};

/// The day from which GRPO and RLOO complete 512 tokens by default (1.10); 256 before.
const LONG_COMPLETIONS: &str = "2026-08-13";
/// The day from which all losses are fused with the head (1.15).
const FUSED_HEAD: &str = "2026-10-08";

/// Says the default of gradient checkpointing where nothing states it.
pub(super) fn checkpointing(keys: &Keys, draft: &mut Draft) {
    if !trainer::CHECKPOINTING.iter().any(|key| keys.has(key)) {
        let word = if draft.scenario.recompute == Recompute::Full { "on" } else { "off" };
        draft.assume(format!("Gradient checkpointing is {word}, TRL's default."));
    }
}

/// Reads the formats: TRL's default is `bf16=True` where the release has another recipe than fp32.
pub(super) fn precision(keys: &mut Keys, draft: &mut Draft) {
    let is_half = draft.usual(ParamId::Recipe) != Some("fp32");
    trainer::precision(keys, draft, is_half.then_some("Products are in bf16, TRL's default."));
}

/// Reads the lengths of sequences, prompts and completions.
pub(super) fn length(keys: &mut Keys, draft: &mut Draft) {
    let prompt = keys.count(&["max_prompt_length"]);
    let completion = keys.count(&["max_completion_length", "max_new_tokens"]);
    let whole = keys.count(&["max_length", "max_seq_length"]);
    let task = draft.scenario.objective.task;
    if task.distills() && !names(keys).0.iter().any(|name| name.contains("distillation")) {
        // GKDConfig is SFTConfig's: texts of `max_length`, of which the student completes the last.
        texts(keys, draft, whole);
        let answers = completion.map_or(128, |found| found.value);
        let prompts = draft.scenario.seq_len.saturating_sub(answers).max(1);
        if task.generates() {
            draft.set_number(ParamId::PromptTokens, f64::from(prompts));
            draft.assume(format!("Prompts of {prompts} tokens and completions of {answers}, within the length."));
        }
        return;
    }
    if task.generates() {
        // The defaults of GRPOConfig and RLOOConfig.
        let is_long = task.distills() || draft.is_from(Program::Trl, LONG_COMPLETIONS);
        let usual = if is_long { 512 } else { 256 };
        let (prompts, answers) =
            (prompt.as_ref().map_or(512, |found| found.value), completion.as_ref().map_or(usual, |found| found.value));
        if let Some(found) = completion.or_else(|| prompt.clone()) {
            draft.length(Some(found.with(prompts.saturating_add(answers))));
        } else {
            draft.set_number(ParamId::SequenceLength, f64::from(prompts + answers));
            draft.has_length = true;
            draft.assume(format!("Prompts of {prompts} tokens and completions of {answers}, TRL's defaults."));
        }
        if prompt.is_some() {
            draft.number(prompt, ParamId::PromptTokens);
        } else {
            draft.set_number(ParamId::PromptTokens, f64::from(prompts));
        }
        return;
    }
    keys.skip(&["max_prompt_length", "max_completion_length"]);
    texts(keys, draft, whole);
}

/// Reads the length of texts.
fn texts(keys: &Keys, draft: &mut Draft, whole: Option<KeyedValue<u32>>) {
    if whole.is_none() {
        draft.set_number(ParamId::SequenceLength, 1024.0);
        draft.has_length = true;
        draft.assume("Sequences of 1,024 tokens, TRL's default.");
    }
    draft.length(whole);
    if !keys.has("packing") {
        trainer::unpacked(draft);
    }
}

/// Release since which GRPO's beta is 0 by default.
const NO_DIVERGENCE: &str = "2025-06-13";

/// Keys that the trainers of one objective have alone, with that objective (huggingface/trl
/// `trl/trainer/*_config.py`, `trl/experimental/*/*_config.py` @ f2cd57710 and their history). RLOO
/// has GRPO's step: several completions of a prompt, and no critic. CPO has DPO's without a
/// reference.
const OWN_KEYS: [(&str, &[&str]); 5] = [
    ("opd", &["lmbda", "seq_kd", "teacher_model_name_or_path"]),
    (
        "grpo",
        &[
            "num_generations",
            "num_generations_eval",
            "generation_batch_size",
            "steps_per_generation",
            "num_iterations",
            "epsilon_high",
            "scale_rewards",
            "reward_weights",
            "importance_sampling_level",
            "mask_truncated_completions",
            "vllm_importance_sampling_correction",
            "top_entropy_quantile",
            "normalize_advantages",
            "reward_clip_range",
            "rloo_k",
        ],
    ),
    ("kto", &["desirable_weight", "undesirable_weight"]),
    (
        "dpo",
        &[
            "reference_free",
            "f_divergence_type",
            "f_alpha_divergence_coef",
            "rpo_alpha",
            "use_weighting",
            "force_use_ref_model",
            "discopop_tau",
            "loss_weights",
            CPO_KEYS[0],
            CPO_KEYS[1],
        ],
    ),
    ("reward", &["center_rewards_coefficient"]),
];
/// Keys of CPO and `SimPO`, which have no reference model.
const CPO_KEYS: [&str; 2] = ["cpo_alpha", "simpo_gamma"];

/// Words of `loss_type` by objective.
const LOSSES: [(&str, &[&str]); 3] = [
    (
        "dpo",
        &[
            "sigmoid",
            "sigmoid_norm",
            "hinge",
            "ipo",
            "exo_pair",
            "nca_pair",
            "robust",
            "bco_pair",
            "kto_pair",
            "sppo_hard",
            "aot",
            "aot_pair",
            "aot_unpaired",
            "apo_zero",
            "apo_down",
            "discopop",
            CPO_LOSSES[0],
            CPO_LOSSES[1],
        ],
    ),
    ("kto", &["kto", "apo_zero_unpaired"]),
    ("grpo", &["grpo", "dr_grpo", "dapo", "bnpo", "cispo", "sapo", "luspo", "vespo"]),
];
/// Losses of CPO alone.
const CPO_LOSSES: [&str; 2] = ["simpo", "alphapo"];

/// Keys that trainers of several objectives have.
const SHARED_KEYS: [&str; 6] = [
    "beta",
    "precompute_ref_log_probs",
    "precompute_ref_batch_size",
    "sync_ref_model",
    "ref_model_sync_steps",
    "ref_model_mixup_alpha",
];

/// Returns the objective of a class, a command or the name of a file or a script.
fn named(names: &[String]) -> Option<&'static str> {
    let words = [
        ("gkd", "opd"),
        ("distillation", "opd"),
        ("grpo", "grpo"),
        ("rloo", "grpo"),
        ("orpo", "orpo"),
        ("kto", "kto"),
        ("dpo", "dpo"),
        ("cpo", "dpo"),
        ("reward", "reward"),
        ("sft", "lm"),
    ];
    words.into_iter().find_map(|(word, task)| names.iter().any(|name| name.contains(word)).then_some(task))
}

/// Reads a distillation of the trainers `GKDTrainer` and `DistillationTrainer`, whose student
/// always generates (trl/experimental/{gkd,distillation} @ f2cd57710).
fn distilled(keys: &mut Keys, draft: &mut Draft, always_generates: bool) {
    if always_generates {
        draft.set_option(ParamId::Objective, "opd");
        draft.number(keys.count(&["num_generations"]), ParamId::Completions);
        draft.assume("The student generates every batch, as in TRL's DistillationTrainer.");
    } else {
        distillation::sequences(keys, draft);
        if keys.flag(&["seq_kd"]).is_some_and(|found| found.value) && keys.peek("lmbda").as_deref() != Some("1.0") {
            draft.unread.push("seq_kd = true: a teacher that generates is not computed".to_owned());
        }
    }
    distillation::generator(keys, draft);
    distillation::divergence(keys, draft, if always_generates { 1.0 } else { 0.5 });
    distillation::teacher_of_trl(keys, draft);
    engine(keys, draft);
    keys.skip(&["use_vllm", "vllm_mode"]);
}

/// Returns the names that may tell the trainer, in lower case: the class that a script calls, else
/// those of the file and the command; and the class.
fn names(keys: &Keys) -> (Vec<String>, Option<String>) {
    let class =
        keys.class_ending(&["Trainer"]).filter(|class| !class.is_empty()).or_else(|| keys.class_ending(&["Config"]));
    let class = class.filter(|class| TRAINERS.contains(&class.as_str()));
    let command = keys.peek(COMMAND).unwrap_or_default();
    let names = match &class {
        Some(class) => vec![class.to_ascii_lowercase()],
        None => vec![keys.name().to_ascii_lowercase(), command.to_ascii_lowercase()],
    };
    (names, class)
}

/// Reads the objective: from the class that a script calls, else from keys that only one trainer
/// has, else from the name of the command, the script or the file, else from the loss. Keys that
/// several trainers have decide nothing: that is said first.
pub(super) fn objective(keys: &mut Keys, draft: &mut Draft) {
    let (names, class) = names(keys);
    let refused = match class.as_deref() {
        Some("PPO") => Some("PPOTrainer: TRL's PPO with its value model is not read"),
        Some("MiniLLM") => Some("MiniLLMTrainer: its two passes with gradients are not computed"),
        Some("Distillation") => Some(
            "DistillationTrainer: its loss and the preparation of its teacher are others since August 2026 (trl pull \
             6640), and are not read",
        ),
        Some("GOLD") => Some("GOLDTrainer: a teacher with another vocabulary is not computed"),
        _ => None,
    };
    draft.unread.extend(refused.map(|said| format!("trainer = {said}")));
    let is_called = class.is_some();
    let has = |word: &str| names.iter().any(|name| name.contains(word));
    let groups = keys.count(&["num_generations"]);
    let is_grouped = keys.has("max_completion_length") && keys.has("vllm_mode");
    let own = OWN_KEYS.iter().find(|(_, own)| own.iter().any(|key| keys.has(key))).map(|(task, _)| *task);
    let own = own.or(is_grouped.then_some("grpo"));
    // A list of losses is a sum: one of DPO's makes the run DPO.
    let loss = keys.peek("loss_type").map(|word| word.to_ascii_lowercase()).unwrap_or_default();
    let losses: Vec<&str> = loss.split(',').map(str::trim).collect();
    let by_loss = LOSSES.iter().find(|(_, words)| words.iter().any(|word| losses.contains(word)));
    let by_name = named(&names);
    let own = if is_called { by_name } else { own.or(by_name) };
    let shared = || SHARED_KEYS.iter().find(|key| keys.has(key));
    let task = own.or(by_loss.map(|(task, _)| *task)).unwrap_or_else(|| {
        let Some(key) = shared() else { return "lm" };
        draft.unread.push(format!(
            "{key}: trainers of DPO, KTO, ORPO, CPO and GRPO have it, and no key says which this is. Name the file by \
             it (dpo.yaml) or give the script that calls the trainer; DPO is taken"
        ));
        "dpo"
    });
    if task == "opd" {
        return distilled(keys, draft, has("distillation"));
    }
    let is_cpo =
        has("cpo") || CPO_KEYS.iter().any(|key| keys.has(key)) || CPO_LOSSES.iter().any(|word| losses.contains(word));
    draft.set_option(ParamId::Objective, task);
    if task == "lm"
        && let Some(found) = keys.word(&["loss_type"])
    {
        let whole = if draft.is_from(Program::Trl, FUSED_HEAD) { "fused-linear" } else { "standard" };
        let words = [("nll", whole), ("chunked_nll", "fused-linear"), ("dft", whole)];
        draft.one_of(Some(found), ParamId::Loss, &words);
    }
    if task != "lm" && groups.is_none() {
        draft.assume(format!("The run is {}, by its name or its keys.", task.to_uppercase()));
    }
    draft.number(groups, ParamId::Completions);
    draft.number(keys.count(&["num_iterations"]), ParamId::UpdatesPerRollout);
    if task == "dpo" && is_cpo {
        draft.set_option(ParamId::Reference, "none");
    }
    if let Some(found) = keys.flag(&["precompute_ref_log_probs"]).filter(|found| found.value) {
        draft.set_option_from(&found, ParamId::Reference, "kept");
    }
    // A second model for the divergence, unless beta is 0: GRPO's default since 2025, not RLOO's.
    // Adapters are switched off instead (trainer/grpo_trainer.py, grpo_config.py).
    if task == "grpo" {
        match keys.number(&["beta"]) {
            Some(found) => {
                draft.set_option_from(&found, ParamId::Reference, if found.value == 0.0 { "none" } else { "model" });
            }
            None if !has("rloo") && !draft.is_before(Program::Trl, NO_DIVERGENCE) => {
                draft.set_option(ParamId::Reference, "none");
                draft.assume("No reference model, as beta is 0 by default in GRPO.");
            }
            None => {}
        }
    }
    engine(keys, draft);
    keys.skip(&["use_vllm", "vllm_mode", "beta", "loss_type"]);
}

/// Reads the engine that generates.
fn engine(keys: &mut Keys, draft: &mut Draft) {
    let share = keys.number(&["vllm_gpu_memory_utilization"]);
    draft.number(
        share.map(|found| {
            let share = found.value * 100.0;
            found.with(share)
        }),
        ParamId::EngineMemory,
    );
    draft.number(keys.count(&["vllm_tensor_parallel_size"]), ParamId::EngineTp);
    draft.set_flag(keys.flag(&["vllm_enable_sleep_mode"]), ParamId::EngineSleeps);
    if let Some(found) = keys.word(&["vllm_mode"]).filter(|found| found.value == "server") {
        let engine = draft.scenario.objective.engine.tp.max(1);
        draft.number(Some(found.with(engine)), ParamId::EngineGpus);
        draft.assume("vLLM's server has GPUs of its own, which no file counts.");
    }
}
