//! What generation takes of a GPU and of a step.

use crate::units::{Bytes, Seconds};

/// What occupies a GPU while it generates, in the order of its bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenerationPart {
    /// What of training stays.
    Training,
    /// The engine's copy of the policy.
    Weights,
    /// Keys and values.
    Cache,
    /// The engine's buffers, context and libraries.
    Overhead,
}

impl GenerationPart {
    /// Every part, in display order.
    pub const ALL: [Self; 4] = [Self::Training, Self::Weights, Self::Cache, Self::Overhead];
}

/// Memory of one GPU while it generates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationMemory {
    /// What of training stays on the GPU: weights, gradients and optimizer state at rest, other
    /// models, context. None where the engine has GPUs of its own.
    pub training: Bytes,
    /// The policy's weights, once more.
    pub weights: Bytes,
    /// Buffers, context and libraries.
    pub overhead: Bytes,
    /// What is left for keys and values: less than nothing where the weights do not fit.
    pub cache: Bytes,
    /// The GPU's memory, as far as programs can use it.
    pub capacity: Bytes,
    /// What one sequence of full length takes of the cache.
    pub per_sequence: Bytes,
}

impl GenerationMemory {
    /// Each part with its bytes, in display order; a cache that is missing is none.
    pub fn parts(&self) -> [(GenerationPart, Bytes); GenerationPart::ALL.len()] {
        GenerationPart::ALL.map(|part| {
            let bytes = match part {
                GenerationPart::Training => self.training,
                GenerationPart::Weights => self.weights,
                GenerationPart::Cache => self.cache.max(Bytes::ZERO),
                GenerationPart::Overhead => self.overhead,
            };
            (part, bytes)
        })
    }

    /// What the engine takes.
    pub fn engine(&self) -> Bytes {
        self.weights + self.overhead + self.cache
    }

    /// What is taken of the GPU.
    pub fn total(&self) -> Bytes {
        self.training + self.engine()
    }

    /// Sequences of full length that the cache of an engine holds; less than one where it holds
    /// none.
    pub fn room(&self) -> f64 {
        if self.cache <= Bytes::ZERO { 0.0 } else { self.cache / self.per_sequence }
    }

    /// Whether a sequence can be generated, beside what stays of training.
    pub fn fits(&self) -> bool {
        self.total() <= self.capacity && self.room() >= 1.0
    }
}

/// Generation, and the step around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutReport {
    /// Memory of one GPU while it generates.
    pub memory: GenerationMemory,
    /// GPUs that generate.
    pub gpus: u32,
    /// GPUs that generate and do not train.
    pub own_gpus: u32,
    /// Completions of one rollout, on all GPUs.
    pub sequences: f64,
    /// Tokens of one rollout, prompts apart.
    pub tokens: f64,
    /// Completions for each engine.
    pub each: f64,
    /// Sequences that one engine generates at once.
    pub concurrent: f64,
    /// Passes that generate a token for each of them.
    pub decode_steps: f64,
    /// Time of one such pass.
    pub decode_step: Seconds,
    /// Reading the prompts.
    pub prefill: Seconds,
    /// Generating, token by token.
    pub decode: Seconds,
    /// The updated weights on their way to the engine.
    pub sync: Seconds,
    /// Forward passes that score completions: old log-probabilities, reference, reward model,
    /// critic.
    pub scoring: Seconds,
    /// Updates of the policy, all of them.
    pub update: Seconds,
    /// Updates of the critic.
    pub critic: Seconds,
}

impl RolloutReport {
    /// Time of the rollout: prompts, tokens, and the weights before it.
    pub fn time(&self) -> Seconds {
        self.sync + self.prefill + self.decode
    }

    /// Time of the whole step: one phase after the other.
    pub fn step(&self) -> Seconds {
        self.time() + self.scoring + self.update + self.critic
    }

    /// Tokens that all engines generate in a second of the rollout.
    pub fn tokens_per_s(&self) -> f64 {
        self.tokens / self.time().get()
    }

    /// Whether generation fits in memory.
    pub fn fits(&self) -> bool {
        self.memory.fits()
    }
}
