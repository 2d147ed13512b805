//! Findings of the sources of claims, where they give a number. Rows of `data/examples.toml`.

use engine::scenario::Id;

/// A published number, and the quantity that is compared with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// Key of the claim.
    pub id: Id,
    /// The source's finding.
    pub found: &'static str,
    /// The finding as a number, in the unit of [`Comparison`].
    pub value: f64,
    /// Largest distance from the finding at which the engine's quantity agrees with it.
    pub tolerance: f64,
    /// The sides on which the distance counts.
    pub bound: Bound,
    /// Why the engine's quantity is further away; empty if it agrees, as a test checks.
    pub differs: &'static str,
    /// Place in the source.
    pub at: &'static str,
    /// The engine's quantity that is compared with the finding.
    pub here: Comparison,
}

/// Meaning of a published number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The finding itself.
    Near,
    /// The least of what was found.
    AtLeast,
    /// The most of what was found.
    AtMost,
}

impl Published {
    /// Whether a number, in the unit of [`Comparison`], agrees with the finding.
    pub fn agrees(&self, here: f64) -> bool {
        let above = here - self.value;
        let away = match self.bound {
            Bound::Near => above.abs(),
            Bound::AtLeast => -above,
            Bound::AtMost => above,
        };
        away <= self.tolerance
    }
}

/// Quantity of the claim's scenario, and of the scenarios pinned with it, to compare with a
/// finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// MFU above that of the first pinned scenario, as a fraction.
    MfuGain,
    /// Step time of the first pinned scenario over that of the claim's scenario, less 1.
    Longer,
    /// Model size divided by the model size of the second pinned scenario, if both fit.
    SizeRatio,
    /// Step time over the step time of the first pinned scenario, less 1.
    Slower,
    /// Tokens per second and GPU over those of the first pinned scenario, less 1.
    Throughput,
    /// Model states of the first pinned scenario per GPU, in GB.
    PinnedStates,
    /// Step time of the first pinned scenario, in seconds.
    PinnedStep,
    /// Speed of the scenario's layer of experts alone with the best pipelining, relative to linear
    /// exchanges in one piece and dense kernels.
    LayerFaster,
}

/// Published numbers, by claim.
pub const PUBLISHED: &[Published] = include!(concat!(env!("OUT_DIR"), "/published.rs"));
