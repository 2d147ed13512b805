//! Memory and time of generation in reinforcement learning.

use crate::units::{Bytes, Seconds};

/// A part of GPU memory during generation, in the order of the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GenerationPart {
    /// Training memory that stays allocated.
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

/// Memory of one GPU during generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationMemory {
    /// Training memory that stays on the GPU: weights, gradients and optimizer state at rest, other
    /// models, context. Zero if the engine has separate GPUs.
    pub training: Bytes,
    /// The engine's copy of the policy's weights.
    pub weights: Bytes,
    /// Buffers, context and libraries.
    pub overhead: Bytes,
    /// Memory for keys and values: negative if the weights do not fit.
    pub cache: Bytes,
    /// Memory that programs can use.
    pub capacity: Bytes,
    /// Cache bytes of one sequence of full length.
    pub per_sequence: Bytes,
    /// Cache bytes of a running sequence on average; those of full length if all are equally long.
    pub held: Bytes,
}

impl GenerationMemory {
    /// Returns each part with its bytes, in display order; a negative cache counts as zero.
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

    /// Returns the engine's memory.
    pub fn engine(&self) -> Bytes {
        self.weights + self.overhead + self.cache
    }

    /// Returns the memory of the engine and of training.
    pub fn total(&self) -> Bytes {
        self.training + self.engine()
    }

    /// Returns the running sequences that an engine's cache holds; less than one if it holds none.
    pub fn room(&self) -> f64 {
        if self.cache <= Bytes::ZERO { 0.0 } else { self.cache / self.held }
    }

    /// Whether the cache holds a sequence of full length.
    pub fn holds_one(&self) -> bool {
        self.cache > Bytes::ZERO && self.cache >= self.per_sequence
    }

    /// Whether a sequence can be generated, given the training memory that stays.
    pub fn fits(&self) -> bool {
        self.total() <= self.capacity && self.holds_one()
    }
}

/// Generation, and times of the step around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RolloutReport {
    /// Memory of one GPU during generation.
    pub memory: GenerationMemory,
    /// GPUs that generate.
    pub gpus: u32,
    /// GPUs that generate and do not train.
    pub own_gpus: u32,
    /// Updates by which a rollout may be older than the policy that trains on it; 0 if training and
    /// generation take turns.
    pub staleness: u32,
    /// Completions of one rollout, on all GPUs.
    pub sequences: f64,
    /// Tokens of one rollout, without prompts.
    pub tokens: f64,
    /// Tokens of the longest completion, for which all engines wait.
    pub longest: f64,
    /// Completions for each engine.
    pub each: f64,
    /// Sequences that one engine generates concurrently while some are left to begin.
    pub concurrent: f64,
    /// Sequences that one engine generates concurrently, on average until the longest ends.
    pub running: f64,
    /// Passes that generate a token for each running sequence.
    pub decode_steps: f64,
    /// Time of one decode pass.
    pub decode_step: Seconds,
    /// Time to process the prompts.
    pub prefill: Seconds,
    /// Time to generate, token by token.
    pub decode: Seconds,
    /// Time to send the updated weights to the engine.
    pub sync: Seconds,
    /// Time in which training state moves to the host for generation, and back.
    pub moving: Seconds,
    /// Time of forward passes that score completions: old log-probabilities, reference, reward
    /// model, critic.
    pub scoring: Seconds,
    /// Time of all updates of the policy.
    pub update: Seconds,
    /// Time of the updates of the critic.
    pub critic: Seconds,
}

impl RolloutReport {
    /// Returns the time of the rollout: sending weights, prompts, tokens.
    pub fn time(&self) -> Seconds {
        self.sync + self.prefill + self.decode
    }

    /// Returns the time of training on the rollout: scoring and all updates.
    pub fn training(&self) -> Seconds {
        self.scoring + self.update + self.critic
    }

    /// Returns the time of the whole step: the sum of its phases, or the longer of generation and
    /// training if separate GPUs generate the next rollout meanwhile, and the transfer of weights,
    /// for which both pause.
    ///
    /// One step ahead is verl's one-step-off trainer (docs/advance/one_step_off.md: "step ≈
    /// wait_prev_gen + old_log_prob + update_actor"), and NeMo RL's asynchronous GRPO with
    /// `max_trajectory_age_steps` of 1; more are NeMo RL's larger ages and `AReaL`'s η (arXiv
    /// 2505.24298, equation 3).
    pub fn step(&self) -> Seconds {
        if self.staleness == 0 {
            return self.time() + self.moving + self.training();
        }
        (self.prefill + self.decode).max(self.training()) + self.sync
    }

    /// Returns the share of a step in which the training GPUs wait for generation, and that in
    /// which separate generating GPUs wait for training, 0 to 1 each. GPUs that do both never wait.
    pub fn idle(&self) -> (f64, f64) {
        if self.own_gpus == 0 {
            return (0.0, 0.0);
        }
        let waits = |busy: Seconds| (1.0 - (busy + self.sync) / self.step()).max(0.0);
        (waits(self.training()), waits(self.prefill + self.decode))
    }

    /// Returns the tokens per second that all engines generate during the rollout.
    pub fn tokens_per_s(&self) -> f64 {
        self.tokens / self.time().get()
    }

    /// Whether the rollout sets the pace: it takes most of the step or, if separate GPUs generate
    /// the next rollout meanwhile, longer than training.
    pub fn is_longest(&self) -> bool {
        if self.staleness == 0 {
            return self.time() > 0.5 * self.step();
        }
        self.prefill + self.decode > self.training()
    }

    /// Whether generation fits in memory.
    pub fn fits(&self) -> bool {
        self.memory.fits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine with 16 GB of weights, 4 of overhead and 20 of cache, on a GPU of 80.
    fn beside(training: f64) -> GenerationMemory {
        let [training, weights, overhead, cache, capacity, per_sequence, held] =
            [training, 16e9, 4e9, 20e9, 80e9, 8e9, 5e9].map(Bytes::new);
        GenerationMemory { training, weights, overhead, cache, capacity, per_sequence, held }
    }

    #[test]
    fn generation_needs_the_engine_and_the_training_that_stays() {
        let memory = beside(40e9);
        assert_eq!((memory.engine(), memory.total(), memory.room()), (Bytes::new(40e9), memory.capacity, 4.0));
        let sum: Bytes = memory.parts().into_iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(sum, memory.total());
        assert!(memory.fits() && !beside(41e9).fits());
    }

    #[test]
    fn a_cache_has_room_for_a_sequence_or_nothing_is_generated() {
        let full = GenerationMemory { per_sequence: Bytes::new(20e9), held: Bytes::new(20e9), ..beside(0.0) };
        assert!(full.fits() && full.room() == 1.0);
        assert!(!GenerationMemory { per_sequence: Bytes::new(21e9), ..full }.fits());
        let none = GenerationMemory { cache: Bytes::new(-1e9), ..full };
        assert_eq!((none.room(), none.parts()[2].1), (0.0, Bytes::ZERO));
    }

    /// Phases of 1, 2, 4, 8, 16, 32 and 64 s.
    fn step_of_phases() -> RolloutReport {
        let [sync, prefill, decode, scoring, update, critic, moving] =
            [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(Seconds::new);
        RolloutReport {
            memory: beside(0.0),
            gpus: 8,
            own_gpus: 0,
            staleness: 0,
            sequences: 10.0,
            tokens: 700.0,
            longest: 70.0,
            each: 1.0,
            concurrent: 1.0,
            running: 1.0,
            decode_steps: 70.0,
            decode_step: Seconds::new(1.0),
            prefill,
            decode,
            sync,
            moving,
            scoring,
            update,
            critic,
        }
    }

    #[test]
    fn a_step_is_the_sum_of_its_phases() {
        let report = step_of_phases();
        assert_eq!(
            (report.time(), report.step(), report.tokens_per_s()),
            (Seconds::new(7.0), Seconds::new(127.0), 100.0)
        );
        assert_eq!(report.idle(), (0.0, 0.0));
        // On separate GPUs nothing moves to the host.
        let apart = RolloutReport { own_gpus: 8, moving: Seconds::ZERO, ..report };
        assert_eq!((apart.step(), apart.idle()), (Seconds::new(63.0), (6.0 / 63.0, 56.0 / 63.0)));
    }

    /// verl, Qwen2.5-Math-7B on 12 H20 that train and 4 that generate
    /// (docs/advance/one_step_off.md, seconds): generation 458, old log-probabilities 108, update
    /// 337, step 520 under FSDP2; 501, 120, 347 and 566 under Megatron. The step also has
    /// advantages and waits of the driver.
    #[test]
    fn an_asynchronous_step_takes_the_longer_of_generation_and_training() {
        for ([decode, scoring, update], measured) in [([458.0, 108.0, 337.0], 520.0), ([501.0, 120.0, 347.0], 566.0)] {
            let [decode, scoring, update] = [decode, scoring, update].map(Seconds::new);
            let none = Seconds::ZERO;
            let phases =
                RolloutReport { decode, scoring, update, prefill: none, sync: none, critic: none, ..step_of_phases() };
            let [asynchronous, in_turns] = [1, 0].map(|staleness| RolloutReport { own_gpus: 4, staleness, ..phases });
            assert!((0.85..1.0).contains(&(asynchronous.step().get() / measured)), "{}", asynchronous.step().get());
            assert!(asynchronous.step() < in_turns.step());
            // The generating GPUs set the pace; those that train wait 3 and 7 % of the step.
            let (training, generating) = asynchronous.idle();
            assert!((0.02..0.08).contains(&training) && generating == 0.0, "{training} {generating}");
        }
    }
}
