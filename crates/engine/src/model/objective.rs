//! What the run optimises: the next token, preferences, a reward; the models beside the one that trains, and the passes without
//! gradients that they add (model.md section 11).

use super::memory::states::{self, expert_shard_degrees, shard_degrees};
use super::per_rank;
use super::setup::Setup;
use super::stages::Stage;
use crate::units::Bytes;

/// What the run optimises, and what it needs beside the model that trains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Which objective.
    pub task: Task,
    /// Where the reference's log-probabilities come from.
    pub reference: Reference,
    /// What scores completions in reinforcement learning.
    pub reward: RewardSource,
    /// Tokens of a prompt, of the sequence's, in reinforcement learning.
    pub prompt: u32,
    /// Completions of each prompt (TRL's `num_generations`, verl's `rollout.n`).
    pub group: u32,
    /// Optimizer steps on what one rollout generated.
    pub updates: u32,
    /// The engine that generates.
    pub engine: RolloutEngine,
}

/// The engine that generates completions, in vLLM's terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutEngine {
    /// Its tensor-parallel degree.
    pub tp: u32,
    /// Share of a GPU's memory for weights, overhead and cache (`gpu_memory_utilization`), 0 to 1.
    pub memory_share: f64,
    /// Whether it frees its memory while the policy trains (sleep mode).
    pub sleeps: bool,
    /// GPUs of its own; 0 where it runs on those that train.
    pub gpus: u32,
}

/// An objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// The next token: pretraining, supervised fine-tuning.
    NextToken,
    /// Direct preference optimisation: pairs, and a frozen reference (arXiv 2305.18290).
    Dpo,
    /// Odds-ratio preference optimisation: pairs, no reference (arXiv 2403.07691).
    Orpo,
    /// Kahneman-Tversky optimisation: single completions, a reference, and an estimate of the divergence from mismatched ones
    /// (arXiv 2402.01306).
    Kto,
    /// A reward model: pairs, and one output in place of the vocabulary (arXiv 2203.02155).
    Reward,
    /// Proximal policy optimisation with a critic (arXiv 1707.06347, 2203.02155).
    Ppo,
    /// Group-relative policy optimisation: the mean of a prompt's completions in place of the critic (arXiv 2402.03300).
    Grpo,
}

impl Task {
    /// Whether an example is two sequences, the chosen and the rejected one.
    pub const fn is_paired(self) -> bool {
        matches!(self, Self::Dpo | Self::Orpo | Self::Reward)
    }

    /// Whether a step generates what it trains on.
    pub const fn generates(self) -> bool {
        matches!(self, Self::Ppo | Self::Grpo)
    }

    /// Whether the objective compares the policy with a reference.
    pub const fn has_reference(self) -> bool {
        matches!(self, Self::Dpo | Self::Kto | Self::Ppo | Self::Grpo)
    }

    /// Sequences through the model for each example.
    pub const fn sequences(self) -> u32 {
        if self.is_paired() { 2 } else { 1 }
    }
}

/// Where the reference's log-probabilities come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// A frozen model, in every step; the base itself where adapters train.
    Model,
    /// They were computed before the run (TRL's `precompute_ref_log_probs`).
    Precomputed,
    /// There is none: no KL term.
    None,
}

/// What scores completions in reinforcement learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RewardSource {
    /// A function, a verifier, or a service elsewhere.
    Function,
    /// A reward model as large as the policy, on the same GPUs.
    Model,
}

impl Objective {
    /// The next token, and what TRL and verl take by default where a rollout is chosen.
    pub const NEXT_TOKEN: Self = Self {
        task: Task::NextToken,
        reference: Reference::Model,
        reward: RewardSource::Function,
        prompt: 512,
        group: 8,
        updates: 1,
        engine: RolloutEngine { tp: 1, memory_share: 0.5, sleeps: true, gpus: 0 },
    };

    /// Whether the next token is the objective: one model, one pass in either direction.
    pub const fn is_next_token(&self) -> bool {
        matches!(self.task, Task::NextToken)
    }

    /// Whether a frozen reference runs in every step. Completions that a step generates have no log-probabilities from before.
    pub const fn runs_reference(&self) -> bool {
        match self.reference {
            Reference::Model => self.task.has_reference(),
            Reference::Precomputed => self.task.generates(),
            Reference::None => false,
        }
    }

    /// Whether a reward model runs beside the policy.
    pub fn runs_reward_model(&self) -> bool {
        self.task.generates() && self.reward == RewardSource::Model
    }

    /// Whether a critic trains beside the policy.
    pub const fn has_critic(&self) -> bool {
        matches!(self.task, Task::Ppo)
    }

    /// Whether the model has one output in place of a vocabulary.
    pub const fn has_scalar_head(&self) -> bool {
        matches!(self.task, Task::Reward)
    }

    /// Forward passes without gradients over each micro-batch, inside the update.
    ///
    /// DPO: the reference's. KTO: the policy's on mismatched completions, and the reference's on both (TRL's `KTOTrainer`, `_compute_kl_logps`).
    /// In reinforcement learning they come before the updates ([`super::rollout`]).
    ///
    /// ```
    /// # use engine::share::decode;
    /// let passes = |link: &str| decode(link).scenario.setup().objective.passes();
    /// assert_eq!([passes(""), passes("objective=dpo"), passes("objective=orpo")], [0, 1, 0]);
    /// assert_eq!([passes("objective=kto"), passes("objective=kto&ref=kept")], [3, 1]);
    /// assert_eq!(passes("objective=dpo&ref=kept"), 0);
    /// ```
    pub const fn passes(&self) -> u32 {
        let reference = if self.runs_reference() { 1 } else { 0 };
        match self.task {
            Task::Dpo => reference,
            Task::Kto => 1 + 2 * reference,
            Task::NextToken | Task::Orpo | Task::Reward | Task::Ppo | Task::Grpo => 0,
        }
    }
}

/// Bytes of a weight that does not train, in 16 bits.
const HALF: f64 = 2.0;

/// The models beside the one that trains, at rest on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OtherModels {
    /// The frozen reference's weights.
    pub reference: Bytes,
    /// The reward model's weights.
    pub reward: Bytes,
    /// The critic's weights, gradients and optimizer state.
    pub critic: Bytes,
}

impl OtherModels {
    /// On one GPU of a stage: a frozen model `2 P / Z_w`, sharded as the policy's weights are, whole otherwise; a critic as the policy's
    /// states, with one output in place of the vocabulary.
    ///
    /// P parameters of the stage. Adapters need no copy of the reference: the base without them is the reference (PEFT's
    /// `disable_adapter`). Offloaded parameters are in host memory, those of frozen models too. Sources: TRL's `create_reference_model` and
    /// `prepare_deepspeed`; for the four models of PPO `DeepSpeed-Chat` (arXiv 2308.01320), section 4.
    ///
    /// ```
    /// # use engine::{model::{objective::OtherModels, stages::stages}, share::decode};
    /// let of = |link: &str| {
    ///     let setup = decode(link).scenario.setup();
    ///     OtherModels::of(&setup, &stages(&setup).first)
    /// };
    /// // Llama 2 7B: 6.74 billion parameters in 16 bits are 12.55 GiB, on each of 8 GPUs under FSDP an eighth.
    /// let [whole, shard] = ["ddp", "full-shard"].map(|strategy| {
    ///     of(&format!("cluster=dgx-h100&gpus=8&model=llama-2-7b&objective=dpo&strategy={strategy}")).reference
    /// });
    /// assert!((whole.gib() - 12.55).abs() < 0.01 && (whole.get() / shard.get() - 8.0).abs() < 1e-12);
    /// assert_eq!(of("model=llama-2-7b&objective=dpo&train=lora").reference.get(), 0.0);
    /// ```
    pub fn of(setup: &Setup, stage: &Stage) -> Self {
        let objective = &setup.objective;
        if objective.is_next_token() {
            return Self::default();
        }
        let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
        let frozen = |setup: &Setup| {
            let params = per_rank::params(setup, stage.layers, stage.moe_layers, stage.embedding, stage.head).held;
            Bytes::new(HALF * (params.dense() / degrees.weights + params.experts() / of_experts.weights))
        };
        let when = |is_there: bool, of: &dyn Fn() -> Bytes| if is_there { of() } else { Bytes::ZERO };
        let here = !setup.offload.parameters;
        let has_copy = objective.runs_reference() && !setup.trained.has_adapters();
        Self {
            reference: when(has_copy && here, &|| frozen(&Setup { trained: super::trained::Trained::ALL, ..*setup })),
            reward: when(objective.runs_reward_model() && here, &|| {
                frozen(&Setup { trained: super::trained::Trained::ALL, ..with_scalar_head(setup) })
            }),
            critic: when(objective.has_critic(), &|| {
                let critic = with_scalar_head(setup);
                let params = per_rank::params(&critic, stage.layers, stage.moe_layers, stage.embedding, stage.head);
                states::of_gpu(&critic, &params).total()
            }),
        }
    }

    /// All of them.
    pub fn total(&self) -> Bytes {
        self.reference + self.reward + self.critic
    }
}

/// The same model with one output in place of the vocabulary: a critic, a reward model.
#[must_use]
pub fn with_scalar_head(setup: &Setup) -> Setup {
    Setup { objective: Objective { task: Task::Reward, ..setup.objective }, ..*setup }
}

/// What the engine that generates keeps of this GPU's memory while the policy trains: its share, unless it sleeps or has GPUs of its own.
pub fn engine_beside_training(setup: &Setup) -> Bytes {
    let Objective { task, engine, .. } = &setup.objective;
    if !task.generates() || engine.sleeps || engine.gpus > 0 {
        return Bytes::ZERO;
    }
    super::rollout::reserved(setup)
}
