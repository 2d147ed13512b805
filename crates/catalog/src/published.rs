//! Findings of the sources of claims, where they give a number. Rows of `data/examples.toml`.

use engine::scenario::Id;

/// A published number, and the quantity that is compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Key of the claim.
    pub id: Id,
    /// The source's finding.
    pub found: &'static str,
    /// Place in the source.
    pub at: &'static str,
    /// The engine's quantity that is compared with the finding.
    pub here: Comparison,
}

/// Quantity of the claim's scenario, and of the scenarios pinned with it, to compare with a
/// finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// MFU divided by the MFU of the first pinned scenario.
    MfuGain,
    /// Step time of the first pinned scenario divided by that of the claim's scenario.
    Longer,
    /// Model size divided by the model size of the second pinned scenario.
    SizeRatio,
    /// Step time divided by the step time of the first pinned scenario.
    Slower,
    /// Tokens per second and GPU, divided by those of the first pinned scenario.
    Throughput,
    /// Model states of the first pinned scenario per GPU.
    PinnedStates,
    /// Step time of the first pinned scenario.
    PinnedStep,
    /// Speed relative to the first pinned scenario.
    Faster,
}

/// Published numbers, by claim.
pub const PUBLISHED: &[Published] = include!(concat!(env!("OUT_DIR"), "/published.rs"));
