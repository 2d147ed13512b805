//! The data of a run: a number of tokens, or a list of texts.

use super::Scenario;
use crate::model::lengths::{Batching, Texts, lengths_from_texts};
use crate::model::run::{RunChoices, batch, budget};
use crate::model::setup::Setup;
use crate::model::step;

/// A list of texts to train on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextList {
    /// The way in which batches are made of texts.
    pub batching: Batching,
    /// Mean length in tokens; longer texts are truncated to the sequence length.
    pub mean_length: f64,
    /// Number of texts.
    pub samples: f64,
    /// Number of epochs.
    pub epochs: f64,
}

impl TextList {
    /// Full sequences, with the number and lengths of a typical instruction data set in case texts
    /// are chosen.
    pub const USUAL: Self = Self { batching: Batching::Full, mean_length: 512.0, samples: 1e5, epochs: 3.0 };

    /// Returns the tokens of all texts in all epochs, where the longest text has `longest` tokens.
    fn tokens(&self, longest: u32) -> f64 {
        self.samples * self.epochs * Texts::new(self.mean_length, longest).longest_of(1.0)
    }
}

/// The length of a run. Defaults: 1T tokens for pre-training, three epochs of 10,000 full-length
/// texts for fine-tuning, and 1,000 steps for reinforcement learning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// A number of tokens.
    Tokens(f64),
    /// Texts and epochs.
    Texts(f64, f64),
    /// A number of steps, each with a rollout.
    Steps(f64),
}

/// Texts and epochs of a fine-tuning run of default length.
pub const USUAL_TEXTS: (f64, f64) = (1e4, 3.0);
/// The value of [`RunChoices::tokens`] for a run of default length, which changes with the task,
/// and of a teacher of the student's size.
pub const UNSAID: f64 = 0.0;
/// The fewest and the most tokens of a run.
pub(crate) const TOKENS: (f64, f64) = (3e6, 1e15);

/// A run over a list of texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextRun {
    /// Texts in one step, all GPUs.
    pub per_step: f64,
    /// Texts a second, all GPUs.
    pub per_second: f64,
    /// Steps of one epoch.
    pub steps_per_epoch: f64,
    /// Share of the computed tokens that are padding.
    pub padding: f64,
}

impl Scenario {
    /// Whether the data is a list of texts.
    pub fn has_texts(&self) -> bool {
        self.texts.batching != Batching::Full
    }

    /// Returns the tokens to train on: those of all texts in all epochs, the chosen number, or the
    /// task's default ([`Length`]).
    pub fn train_tokens(&self) -> f64 {
        if self.has_texts() { self.texts.tokens(self.seq_len) } else { self.said_tokens() }
    }

    /// Returns the tokens to train on if the data is not a list of texts.
    pub(crate) fn said_tokens(&self) -> f64 {
        if self.run.tokens == UNSAID { self.usual_tokens() } else { self.run.tokens }
    }

    fn usual_tokens(&self) -> f64 {
        let tokens = match self.usual_length() {
            Length::Tokens(tokens) => tokens,
            Length::Texts(texts, epochs) => texts * epochs * f64::from(self.seq_len),
            Length::Steps(steps) => {
                steps * f64::from(self.objective.updates.max(1)) * batch::global_batch_tokens(&self.setup())
            }
        };
        tokens.clamp(TOKENS.0, TOKENS.1)
    }

    /// Returns the length of the run, in the unit in which it was chosen.
    pub fn length(&self) -> Length {
        if self.has_texts() {
            Length::Texts(self.texts.samples, self.texts.epochs)
        } else if self.is_of_usual_length() {
            self.usual_length()
        } else {
            Length::Tokens(self.run.tokens)
        }
    }

    /// Whether nobody has said how long the run is: it is as long as its task's default.
    pub fn is_of_usual_length(&self) -> bool {
        !self.has_texts() && self.run.tokens == UNSAID
    }

    fn usual_length(&self) -> Length {
        if self.objective.task.generates() {
            Length::Steps(1e3)
        } else if !self.trained.is_all() || !self.objective.is_next_token() {
            Length::Texts(USUAL_TEXTS.0, USUAL_TEXTS.1)
        } else {
            Length::Tokens(1e12)
        }
    }

    /// Returns the parameters of the run, with the resolved number of tokens.
    pub fn run_choices(&self) -> RunChoices {
        RunChoices { tokens: self.train_tokens(), ..self.run }
    }

    /// Returns the run in samples and epochs; `None` if the data is a number of tokens.
    pub fn text_run(&self) -> Option<TextRun> {
        if !self.has_texts() {
            return None;
        }
        let setup = self.setup();
        let report = step::evaluate(&setup);
        let mean = Texts::new(self.texts.mean_length, self.seq_len).longest_of(1.0);
        let per_step = batch::global_batch_tokens(&setup) / mean;
        Some(TextRun {
            per_step,
            per_second: per_step / report.update.time.step.get(),
            steps_per_epoch: budget::steps(self.texts.samples, per_step),
            padding: 1.0 - setup.useful(),
        })
    }

    /// Sets the sequence lengths of batches made of texts.
    pub(super) fn set_lengths(&self, setup: &mut Setup) {
        if !self.has_texts() {
            return;
        }
        let texts = Texts::new(self.texts.mean_length, setup.batch.seq_len);
        let replicas = setup.mesh.replicas();
        (setup.batch.seq_len, setup.lengths) =
            lengths_from_texts(self.texts.batching, texts, &setup.batch, setup.sharding, replicas);
    }
}
