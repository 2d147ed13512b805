//! Lengths of completions, and the passes that generate them.

use crate::model::lengths::{Lengths, Texts};
use crate::model::setup::Setup;

/// Completions of a rollout, in tokens. Texts of a list (prompt and completion together) have a
/// mean and a longest length. Without a list all completions have the longest, and with a mean that
/// leaves none after the prompt.
///
/// Completions have the distribution of [`Texts`], `most u^a` with u uniform from 0 to 1 and `a =
/// most / mean - 1`. Nothing is fitted: mean and maximum determine it. Of completions that are cut
/// at the maximum the distribution has more the nearer the mean is to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completions {
    /// Tokens of a prompt.
    pub prompt: f64,
    /// Mean tokens of a completion, at least 1.
    pub mean: f64,
    /// Most tokens of a completion (`max_completion_length`, `response_length`).
    pub most: f64,
    /// Completions in a training sequence: above 1 if several texts share it.
    pub per_sequence: f64,
    texts: Texts,
}

impl Completions {
    /// Returns the completions of a setup's rollout.
    pub fn new(setup: &Setup) -> Self {
        let whole = |longest: u32| (longest, f64::from(longest), 1.0);
        let (longest, mean, per_sequence) = match setup.lengths {
            Lengths::Equal | Lengths::LongestOf { .. } => whole(setup.batch.seq_len),
            Lengths::OfTexts { longest, mean, .. } if mean <= f64::from(setup.objective.prompt) => whole(longest),
            Lengths::OfTexts { longest, mean, texts, .. } => (longest, mean, texts),
        };
        let prompt = setup.objective.prompt.min(longest.saturating_sub(1));
        let most = longest - prompt;
        let texts = Texts::new(mean - f64::from(prompt), most);
        Self { prompt: f64::from(prompt), mean: texts.longest_of(1.0), most: f64::from(most), per_sequence, texts }
    }

    /// Returns the mean length of the longest of `count` completions.
    pub fn longest_of(&self, count: f64) -> f64 {
        self.texts.longest_of(count)
    }

    /// Returns the tokens that a running sequence has generated on average, `E[l²] / 2 E[l]`: a
    /// sequence is met more often the longer it runs.
    pub fn age(&self) -> f64 {
        0.5 * self.texts.attended_of(1.0)
    }

    /// Returns the completion tokens that a running sequence keeps in the cache: their mean age,
    /// and at least the mean length, as sequences that start together are old together.
    pub fn held(&self) -> f64 {
        self.age().max(self.mean)
    }

    /// Returns the passes in which an engine generates `each` completions, at most `concurrent` at
    /// a time, until the longest of all engines, of `longest` tokens, ends: `(each / concurrent -
    /// 1) mean + longest`.
    ///
    /// As a completion ends the next begins (continuous batching), so the engine is full until
    /// none is left to begin; then the last ones run out. This is the bound of list scheduling
    /// (Graham 1969, Bounds on multiprocessing timing anomalies, theorem 2: work over machines,
    /// and the longest job). With completions of equal length it is their number of rounds.
    pub fn passes(&self, each: f64, concurrent: f64, longest: f64) -> f64 {
        let waiting = each / concurrent - 1.0;
        if waiting > 0.0 { waiting * self.mean + longest } else { longest }
    }
}
