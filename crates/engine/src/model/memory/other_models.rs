//! Models besides the trained one: reference, reward model, critic, teacher
//! (docs/book/model/rollout.md).

use crate::model::choices::Choices;
use crate::model::objective::{Objective, Task};
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::stages::Stage;
use crate::model::states::{self, expert_shard_degrees, shard_degrees};
use crate::model::trained::Trained;
use crate::units::Bytes;

/// Bytes of a frozen weight, in 16 bits.
const HALF: f64 = 2.0;

/// Models besides the trained one, at rest on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OtherModels {
    /// The frozen reference's weights.
    pub reference: Bytes,
    /// The reward model's weights.
    pub reward: Bytes,
    /// The critic's weights, gradients and optimizer state.
    pub critic: Bytes,
    /// The weights of a distillation's teacher.
    pub teacher: Bytes,
}

impl OtherModels {
    /// Returns the models on one GPU of a stage: a frozen model has `2 P / Z_w`, sharded if the
    /// policy's weights are sharded, otherwise whole; a critic has the policy's states, with one
    /// output instead of the vocabulary.
    ///
    /// P is the number of parameters of the stage. Adapters need no copy of the reference: the base
    /// without them is the reference (PEFT's `disable_adapter`). Offloaded parameters, including
    /// those of frozen models, are in host memory. Sources: TRL's `create_reference_model` and
    /// `prepare_deepspeed`; for the four models of PPO `DeepSpeed-Chat` (arXiv 2308.01320), section
    /// 4.
    ///
    /// ```
    /// # use links::decode;
    /// # use engine::model::{memory::OtherModels, stages::stages};
    /// let of = |link: &str| {
    ///     let setup = decode(link).scenario.setup();
    ///     OtherModels::new(&setup, &stages(&setup).first)
    /// };
    /// // Llama 2 7B: 6.74 billion parameters in 16 bits are 12.55 GiB, on each of 8 GPUs under FSDP an eighth.
    /// let [whole, shard] = ["ddp", "full-shard"].map(|strategy| {
    ///     of(&format!("cluster=dgx-h100&gpus=8&model=llama-2-7b&objective=dpo&strategy={strategy}")).reference
    /// });
    /// assert!((whole.gib() - 12.55).abs() < 0.01 && (whole.get() / shard.get() - 8.0).abs() < 1e-12);
    /// assert_eq!(of("model=llama-2-7b&objective=dpo&train=lora").reference.get(), 0.0);
    /// ```
    pub fn new(setup: &Setup, stage: &Stage) -> Self {
        let objective = &setup.objective;
        if objective.is_next_token() {
            return Self::default();
        }
        let (degrees, of_experts) = (shard_degrees(setup), expert_shard_degrees(setup));
        let frozen = |setup: &Setup| {
            let params = per_rank::params(setup, stage.layers, &stage.blocks, stage.embedding, stage.head).held;
            let tower = if stage.embedding { setup.architecture.tower.all_params() as f64 } else { 0.0 };
            Bytes::new(HALF * ((params.dense() + tower) / degrees.weights + params.experts() / of_experts.weights))
        };
        let when = |is_there: bool, of: &dyn Fn() -> Bytes| if is_there { of() } else { Bytes::ZERO };
        let here = !setup.offload.parameters;
        let has_copy = objective.runs_reference() && !setup.trained.has_adapters();
        Self {
            reference: when(has_copy && here, &|| {
                frozen(&Setup { choices: Choices { trained: Trained::ALL, ..setup.choices }, ..*setup })
            }),
            reward: when(objective.runs_reward_model() && here, &|| {
                let mut reward = with_scalar_head(setup);
                reward.trained = Trained::ALL;
                frozen(&reward)
            }),
            critic: when(objective.has_critic(), &|| {
                let critic = with_scalar_head(setup);
                let params = per_rank::params(&critic, stage.layers, &stage.blocks, stage.embedding, stage.head);
                states::gpu_states(&critic, &params).total()
            }),
            teacher: super::teacher::weights(setup, stage),
        }
    }

    /// Returns the sum of all models.
    pub fn total(&self) -> Bytes {
        self.reference + self.reward + self.critic + self.teacher
    }
}

/// Returns the setup with one output instead of the vocabulary, for a critic or a reward model.
#[must_use]
pub fn with_scalar_head(setup: &Setup) -> Setup {
    Setup {
        choices: Choices { objective: Objective { task: Task::Reward, ..setup.objective }, ..setup.choices },
        ..*setup
    }
}
