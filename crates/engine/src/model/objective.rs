//! What the run optimises: the next token, preferences, a reward; and the passes without gradients
//! that this adds (docs/book/model/rollout.md).

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
    /// Kahneman-Tversky optimisation: single completions, a reference, and an estimate of the
    /// divergence from mismatched ones (arXiv 2402.01306).
    Kto,
    /// A reward model: pairs, and one output in place of the vocabulary (arXiv 2203.02155).
    Reward,
    /// Proximal policy optimisation with a critic (arXiv 1707.06347, 2203.02155).
    Ppo,
    /// Group-relative policy optimisation: the mean of a prompt's completions in place of the
    /// critic (arXiv 2402.03300).
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

    /// Whether a frozen reference runs in every step. Completions that a step generates have no
    /// log-probabilities from before.
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
    /// DPO: the reference's. KTO: the policy's on mismatched completions, and the reference's on
    /// both (TRL's `KTOTrainer`, `_compute_kl_logps`). In reinforcement learning they come before
    /// the updates ([`super::rollout`]).
    ///
    /// ```
    /// # use links::decode;
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
