//! A measured row as a link: the scenario, the values completed for its source, and the measured
//! values that are comparable.

use super::text::cell;
use analysis::published::{MemoryKind, MemoryStage};
use engine::units::BytesPerSecond;

/// Names of the kinds of a memory peak.
const KINDS: [(&str, MemoryKind); 3] =
    [("allocated", MemoryKind::Allocated), ("reserved", MemoryKind::Reserved), ("process", MemoryKind::Process)];
/// Names of the pipeline stage of a peak.
const STAGES: [(&str, MemoryStage); 3] =
    [("most", MemoryStage::Most), ("first", MemoryStage::First), ("last", MemoryStage::Last)];

/// Subject of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// Training of a dense model.
    Dense,
    /// Training of a mixture of experts, or of a model with latent attention.
    Mixture,
    /// Fine-tuning.
    Tuned,
    /// Silicon other than NVIDIA's, and MLPerf's pre-training.
    Silicon,
    /// A single expert layer.
    Layer,
}

const SETS: [(&str, Set); 5] = [
    ("dense", Set::Dense),
    ("mixture", Set::Mixture),
    ("tuned", Set::Tuned),
    ("silicon", Set::Silicon),
    ("layer", Set::Layer),
];

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// The run succeeded.
    Ran,
    /// The run succeeded in a search for the longest or largest run that fits.
    RanAtItsLimit,
    /// The run ran out of memory.
    OutOfMemory,
    /// The run failed for an unknown reason.
    FailedUntold,
}

const ENDS: [(&str, End); 4] = [
    ("ran", End::Ran),
    ("ran at its limit", End::RanAtItsLimit),
    ("out of memory", End::OutOfMemory),
    ("failed, untold", End::FailedUntold),
];

/// Measurements of a run that are comparable with its scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Time of a step in seconds; `None` if the measured time is not comparable.
    pub step_time_s: Option<f64>,
    /// MFU as a fraction.
    pub mfu: Option<f64>,
    /// Peak memory in GiB.
    pub peak_gib: Option<f64>,
    /// Kind of memory that the peak includes.
    pub kind: MemoryKind,
    /// Pipeline stage on which the peak was measured.
    pub stage: MemoryStage,
}

/// A converted row.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// Fragment of the scenario's link.
    pub link: String,
    /// Values missing from the source, and the values assumed.
    pub completed: String,
    /// Reason for having no prediction; empty if there is one.
    pub left_out: String,
    /// Subject of the row.
    pub set: Set,
    /// Outcome of the run, if the row has one.
    pub end: Option<End>,
    /// The measured values.
    pub measured: Measured,
    /// Ratio of the tokens of the row's batch to the tokens of the scenario's full micro-batches.
    pub batch_share: f64,
    /// Slowest network that is consistent with the source.
    pub slowest: Option<BytesPerSecond>,
}

fn find<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

impl Linked {
    /// Reads the columns; `None` if the row has neither a link nor a reason for having none.
    pub fn read<'a>(column: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let word = |name: &str| cell(column(name).unwrap_or_default()).to_owned();
        let number = |name: &str| word(name).parse::<f64>().ok();
        let (link, left_out) = (word("link"), word("left_out"));
        (!link.is_empty() || !left_out.is_empty()).then(|| Self {
            link,
            completed: word("completed"),
            left_out,
            set: find(&SETS, &word("set")).unwrap_or(Set::Dense),
            end: find(&ENDS, &word("ended")),
            measured: Measured {
                step_time_s: number("measured_step_time_s"),
                mfu: number("measured_mfu"),
                peak_gib: number("measured_peak_gib"),
                kind: find(&KINDS, &word("peak_kind")).unwrap_or(MemoryKind::Reserved),
                stage: find(&STAGES, &word("peak_stage")).unwrap_or(MemoryStage::Most),
            },
            batch_share: number("batch_share").unwrap_or(1.0),
            slowest: number("slowest_link_gbit").map(BytesPerSecond::from_gbit_per_s),
        })
    }
}
