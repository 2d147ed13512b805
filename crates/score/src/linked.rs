//! A measured row as a link: the scenario, what its source leaves open and what was taken, and the
//! measured values as they compare.

use super::predict::{self, Measured, Prediction};
use super::row::Row;
use super::text::cell;
use super::{LeftOut, Notes};
use analysis::published::{MemoryKind, MemoryStage};
use engine::units::BytesPerSecond;
use links::decode;

/// Words for the kinds of a memory peak.
const KINDS: [(&str, MemoryKind); 3] =
    [("allocated", MemoryKind::Allocated), ("reserved", MemoryKind::Reserved), ("process", MemoryKind::Process)];
/// Words for the pipeline stage of a peak.
const STAGES: [(&str, MemoryStage); 3] =
    [("most", MemoryStage::Most), ("first", MemoryStage::First), ("last", MemoryStage::Last)];

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// Training of a dense model.
    Dense,
    /// Training of a mixture of experts, or of a model with latent attention.
    Mixture,
    /// Fine-tuning.
    Tuned,
    /// Silicon beside NVIDIA's, and MLPerf's pre-training.
    Silicon,
    /// One layer of experts alone.
    Layer,
}

const SETS: [(&str, Set); 5] = [
    ("dense", Set::Dense),
    ("mixture", Set::Mixture),
    ("tuned", Set::Tuned),
    ("silicon", Set::Silicon),
    ("layer", Set::Layer),
];

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// It ran.
    Ran,
    /// It ran where somebody sought the longest or largest that does.
    RanAtItsLimit,
    /// It was out of memory.
    OutOfMemory,
    /// It failed, and nobody says of what.
    FailedUntold,
}

const ENDS: [(&str, End); 4] = [
    ("ran", End::Ran),
    ("ran at its limit", End::RanAtItsLimit),
    ("out of memory", End::OutOfMemory),
    ("failed, untold", End::FailedUntold),
];

/// A converted row.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// The fragment of the scenario's link.
    pub link: String,
    /// What the source leaves open, and what was taken.
    pub completed: String,
    /// Why the row has no prediction; empty where it has one.
    pub left_out: String,
    /// What it is about.
    pub set: Set,
    /// How the run ended, where the row tells it.
    pub end: Option<End>,
    /// The measured values.
    pub measured: Measured,
    /// Tokens of the row's batch over those of the scenario's full micro-batches.
    pub batch_share: f64,
    /// The slowest network that the source leaves possible.
    pub slowest: Option<BytesPerSecond>,
}

fn find<T: Copy>(words: &[(&str, T)], word: &str) -> Option<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

impl Linked {
    /// Reads the columns; `None` where the row has neither a link nor a reason for none.
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

    /// Predicts the row.
    ///
    /// # Errors
    ///
    /// The reason why it is left out, or what of its link cannot be read.
    pub fn predict(&self, row: &Row) -> Result<Prediction, LeftOut> {
        if !self.left_out.is_empty() {
            return Err(LeftOut::because(&self.left_out).about(&self.completed));
        }
        if self.set == Set::Layer {
            return Err(LeftOut::because("one layer, not a training step"));
        }
        let decoded = decode(&self.link);
        if let Some(issue) = decoded.issues.into_iter().next() {
            return Err(LeftOut::because("the link cannot be read").about(issue.message));
        }
        let mut notes = Notes::default();
        self.completed.split("; ").filter(|note| !note.is_empty()).for_each(|note| notes.add(note));
        Ok(predict::evaluated(row, decoded.scenario, notes, self.measured, self.batch_share, self.slowest))
    }
}
