//! What the sources of claims found, where they give a number. Rows of `data/examples.toml`.

use engine::scenario::Id;

/// A published number, and what is compared with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// The claim.
    pub id: Id,
    /// What the source found.
    pub found: &'static str,
    /// Where it says so.
    pub at: &'static str,
    /// What is compared with it.
    pub here: Comparison,
}

/// What a published number is compared with, of the claim's scenario and those pinned beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// MFU over that of the first pinned scenario.
    MfuGain,
    /// The step of the first pinned scenario over this one.
    Longer,
    /// The size of the model over that of the second pinned scenario.
    SizeRatio,
    /// The step over that of the first pinned scenario.
    Slower,
    /// Tokens a second and GPU over those of the first pinned scenario.
    Throughput,
    /// The states of the first pinned scenario on one GPU.
    PinnedStates,
    /// The step of the first pinned scenario.
    PinnedStep,
    /// How many times as fast as the first pinned scenario it is.
    Faster,
}

/// The published numbers, by claim.
pub const PUBLISHED: &[Published] = include!(concat!(env!("OUT_DIR"), "/published.rs"));
