//! The training objective, its other models, and the generation engine.

use super::{Group, PERCENT, Param, Scale, Unit, choice, count, number, option, position, switched, whole};
use crate::model::objective::{Reference, RewardSource, Task};
use crate::scenario::Scenario;

fn generates(scenario: &Scenario) -> bool {
    scenario.objective.task.generates()
}

fn compares(scenario: &Scenario) -> bool {
    scenario.objective.task.has_reference()
}

fn shares_gpus(scenario: &Scenario) -> bool {
    generates(scenario) && scenario.objective.engine.gpus == 0
}

picked!(
    /// The objective.
    TASK, Trained, objective.task, "objective", "Objective", "objective", [],
    "What the run optimises. Preferences add a second sequence to every example and a frozen reference model; reinforcement learning generates what it trains on.",
    Task::NextToken => "lm", "Next token", "Pretraining and supervised fine-tuning: one model, one sequence an example.";
    Task::Dpo => "dpo", "DPO", "Direct preference optimisation: the micro-batch counts pairs, a chosen and a rejected answer each, and a frozen reference reads them too.";
    Task::Orpo => "orpo", "ORPO", "Odds-ratio preference optimisation: pairs, without a reference model.";
    Task::Kto => "kto", "KTO", "Kahneman-Tversky optimisation: single answers, a reference model, and a second pass of both over mismatched answers.";
    Task::Reward => "reward", "Reward model", "Pairs through a model with one output in place of the vocabulary: no logits.";
    Task::Ppo => "ppo", "PPO", "Proximal policy optimisation: policy, reference and a critic that trains beside it; completions come from a rollout engine.";
    Task::Grpo => "grpo", "GRPO", "Group-relative policy optimisation: several completions of every prompt in place of the critic; they come from a rollout engine.";
);
picked!(
    /// The source of the reference's log-probabilities.
    REFERENCE, Trained, objective.reference, "ref", "Reference model", "reference", [when(compares), relevant(compares)],
    "Where the log-probabilities of the frozen reference come from. With LoRA the reference is the base without its adapters and needs no copy.",
    Reference::Model => "model", "In every step", "A frozen copy in 16 bits reads each batch, sharded as the policy is.";
    Reference::Precomputed => "kept", "Precomputed", "They were computed before the run (TRL's precompute_ref_log_probs): no copy, no pass. Completions of a rollout are new, so there the model runs.";
    Reference::None => "none", "None", "No reference: GRPO with beta = 0 (TRL's default), DPO with reference_free.";
);
picked!(
    /// The source of completion scores.
    REWARD, Trained, objective.reward, "rm", "Rewards from", "rewards_from", [when(generates), relevant(generates)],
    "What scores completions.",
    RewardSource::Function => "function", "Function", "A verifier, rules, or a service on other machines.";
    RewardSource::Model => "model", "Reward model", "A model as large as the policy, in 16 bits on the same GPUs.";
);
/// Tokens of a prompt.
pub(in crate::params) const PROMPT: Param = Param {
    key: "prompt",
    label: "Prompt tokens",
    csv: "prompt_tokens",
    group: Group::Trained,
    help: "Tokens of the prompt. The rest of the sequence length is the completion that the rollout generates (max_completion_length, response_length).",
    kind: count(
        Unit::Tokens,
        (1.0, 1_048_576.0),
        |scenario| f64::from(scenario.objective.prompt),
        |scenario, value| scenario.objective.prompt = whole(value),
    ),
    ..Param::DEFAULT
}
.when(generates)
.relevant(generates);
counted!(
    /// Completions of a prompt.
    GROUP, Trained, objective.group, "group", "Completions per prompt", "completions_per_prompt", 1.0..=1024.0, [when(generates), relevant(generates)],
    "Completions of every prompt (TRL's num_generations, verl's rollout.n). They share the prompt's keys and values."
);
counted!(
    /// Updates per rollout.
    UPDATES, Trained, objective.updates, "upd", "Updates per rollout", "updates_per_rollout", 1.0..=1024.0, [when(generates), relevant(generates)],
    "Optimizer steps on what one rollout generates (verl's train_batch_size over ppo_mini_batch_size): so many global batches are generated at once."
);
counted!(
    /// The engine's tensor parallelism.
    ENGINE_TP, Trained, objective.engine.tp, "gentp", "Rollout tensor parallelism", "rollout_tp", 1.0..=64.0, [when(generates), relevant(generates)],
    "GPUs over which the rollout engine splits each layer (vllm_tensor_parallel_size, rollout.tensor_model_parallel_size)."
);
/// The engine's share of memory.
pub(in crate::params) const ENGINE_MEMORY: Param = Param {
    key: "genmem",
    label: "Rollout memory share",
    csv: "rollout_memory_percent",
    group: Group::Trained,
    help: "Share of a GPU's memory that the rollout engine takes for weights, buffers and keys and values (gpu_memory_utilization).",
    kind: number(
        Unit::Percent,
        (1.0, 100.0),
        Scale::Linear,
        |scenario| scenario.objective.engine.memory_share * PERCENT,
        |scenario, value| scenario.objective.engine.memory_share = value / PERCENT,
    ),
    ..Param::DEFAULT
}
.when(generates)
.relevant(generates);
switched!(
    /// Whether the engine sleeps.
    ENGINE_SLEEPS, Trained, objective.engine.sleeps, "sleep", "Rollout engine sleeps", "rollout_sleeps",
    [when(shares_gpus), relevant(generates)],
    "Whether the rollout engine gives its memory back while the policy trains (vLLM's sleep mode, TRL's vllm_enable_sleep_mode, verl's free_cache_engine)."
);
counted!(
    /// GPUs reserved for the engine.
    ENGINE_GPUS, Trained, objective.engine.gpus, "gengpu", "Dedicated rollout GPUs", "rollout_gpus", 0.0..=16_384.0, [when(generates), relevant(generates)],
    "GPUs that only generate (TRL's server mode). At 0 the engine runs on the GPUs that train (colocate, hybrid engine)."
);
