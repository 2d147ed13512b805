//! A measured row as a link: the scenario, the values completed for its source, and the measured
//! values that are comparable.

use super::cells::Cells;
use super::columns::{self, Stated};
use super::{LeftOut, Notes};
use analysis::published::{MemoryKind, MemoryStage};
use engine::params::quantity::shorten;
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
    FailedWithoutCause,
}

const ENDS: [(&str, End); 5] = [
    ("ran", End::Ran),
    ("ran at its limit", End::RanAtItsLimit),
    ("out of memory", End::OutOfMemory),
    ("oom", End::OutOfMemory),
    ("failed, untold", End::FailedWithoutCause),
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

impl Measured {
    /// No measurement.
    const NONE: Self =
        Self { step_time_s: None, mfu: None, peak_gib: None, kind: MemoryKind::Reserved, stage: MemoryStage::Most };
}

/// A converted row.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    /// Fragment of the scenario's link.
    pub link: String,
    /// Values missing from the source, and the values assumed.
    pub completed: Notes,
    /// Reason for having no prediction, if there is none.
    pub left_out: Option<LeftOut>,
    /// Subject of the row; `None` if the scenario decides.
    pub set: Option<Set>,
    /// Outcome of the run.
    pub end: Option<End>,
    /// The measured values.
    pub measured: Measured,
    /// Ratio of the tokens of the row's batch to the tokens of the scenario's full micro-batches.
    pub batch_share: f64,
    /// Slowest network that is consistent with the source.
    pub slowest: Option<BytesPerSecond>,
}

/// Finds the value of a word in a cell; `None` if the cell is blank.
fn find<T: Copy>(cells: &Cells<'_>, column: &str, words: &[(&str, T)]) -> Result<Option<T>, LeftOut> {
    let word = cells.get(column);
    let found = words.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, value)| *value);
    if found.is_some() || word.is_empty() {
        return Ok(found);
    }
    let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
    Err(LeftOut::because(format!("column `{column}` is not one of {}", known.join(", "))).about(shorten(word)))
}

impl Linked {
    /// Reads the columns of a link, or of a user's own table.
    pub fn from_columns(cells: &Cells<'_>) -> Self {
        Self::stated(cells).unwrap_or_else(|left_out| Self {
            link: String::new(),
            completed: Notes::default(),
            left_out: Some(left_out),
            set: None,
            end: None,
            measured: Measured::NONE,
            batch_share: 1.0,
            slowest: None,
        })
    }

    fn stated(cells: &Cells<'_>) -> Result<Self, LeftOut> {
        let ended = if cells.get("ended").is_empty() { "outcome" } else { "ended" };
        let [reason, completed] = ["left_out", "completed"].map(|name| cells.get(name));
        let mut linked = Self {
            link: cells.get("link").to_owned(),
            completed: completed.split("; ").filter(|note| !note.is_empty()).collect(),
            left_out: (!reason.is_empty()).then(|| LeftOut::because(reason).about(completed)),
            set: find(cells, "set", &SETS)?,
            end: find(cells, ended, &ENDS)?,
            measured: Measured {
                step_time_s: cells.measured("measured_step_time_s")?,
                mfu: cells.measured("measured_mfu")?,
                peak_gib: cells.measured("measured_peak_gib")?,
                kind: find(cells, "peak_kind", &KINDS)?.unwrap_or(MemoryKind::Reserved),
                stage: find(cells, "peak_stage", &STAGES)?.unwrap_or(MemoryStage::Most),
            },
            batch_share: cells.measured("batch_share")?.unwrap_or(1.0),
            slowest: cells.measured("slowest_link_gbit")?.map(BytesPerSecond::from_gbit_per_s),
        };
        if linked.link.is_empty() && linked.left_out.is_none() {
            linked.complete(columns::read_stated(cells, linked.batch_share)?);
        }
        Ok(linked)
    }

    /// Adds what the columns of a user's own table state.
    fn complete(&mut self, stated: Stated) {
        let measured = &mut self.measured;
        measured.step_time_s = measured.step_time_s.or(stated.step_time_s);
        measured.mfu = measured.mfu.or(stated.mfu);
        // Memory of a run at its failure is not a peak.
        measured.peak_gib = measured.peak_gib.or(stated.peak_gib).filter(|_| self.end != Some(End::OutOfMemory));
        let ran = measured.step_time_s.is_some() || measured.peak_gib.is_some();
        self.end = self.end.or(ran.then_some(End::Ran));
        (self.link, self.completed) = (stated.link, stated.notes);
    }
}
