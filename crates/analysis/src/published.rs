//! Published measurements as text that the page loads: each row holds the measured values and the
//! scenario as a link. Predictions are not stored; the reader computes them, so they always come
//! from the current engine.
//!
//! One row per line, with tabs between the fields: source and model (each blank if equal to the
//! line before), the letter of the [`Set`] (a capital if constants were fitted to the row),
//! measured seconds per step, the fraction of the scenario's tokens in the row's batch, measured
//! peak in GiB, the letters of the peak's kind and stage, the link. Values that were not measured
//! are blank.

use engine::model::memory;
use engine::model::report::{MemoryPart, MemoryReport};
use engine::model::setup::Setup;
use engine::model::stages::stages;
use engine::scenario::Scenario;
use engine::units::Bytes;
use links::decode::decode_link;

/// Scope of a measured peak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Live tensors (`max_memory_allocated`).
    Allocated,
    /// Memory held by the caching allocator (`max_memory_reserved`).
    Reserved,
    /// Memory held by the process, including the CUDA context and libraries (nvidia-smi).
    Process,
}

impl MemoryKind {
    /// Returns the engine's prediction of this kind for one stage.
    pub fn predicted(self, memory: &MemoryReport) -> Bytes {
        let context = memory.parts.get(MemoryPart::Context);
        match self {
            Self::Allocated => memory.allocated,
            Self::Reserved => memory.peak - context,
            Self::Process => memory.peak,
        }
    }
}

/// The pipeline stage on which a row's memory was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryStage {
    /// The stage with the highest peak, if the row does not name one.
    Most,
    /// The first stage: nanotron logs rank 0.
    First,
    /// The last stage: the log is that of the last rank.
    Last,
}

impl MemoryStage {
    /// Returns the memory of the stage: simulated if the allocator trace covers the whole step,
    /// else from the formulas.
    pub fn memory(self, setup: &Setup) -> MemoryReport {
        let all = stages(setup);
        match self {
            Self::Most => trace::simulated(setup, &all.first).unwrap_or_else(|| memory::peak(setup, &all)),
            Self::First => memory::stage_memory(setup, &all.first),
            Self::Last => memory::stage_memory(setup, all.last.as_ref().unwrap_or(&all.first)),
        }
    }
}

/// The sets into which docs/book/accuracy.md divides rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// Dense models whose measured MFU shows that the hardware limited the step.
    Fast,
    /// Dense models with a lower measured MFU, or with memory measurements only.
    Slow,
    /// Mixtures of experts, and models with latent attention.
    Mixture,
}

impl Set {
    /// Every set, in display order.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Slow, Self::Mixture];
}

/// The letters of sets, of memory kinds, and of memory stages.
const SETS: [(&str, Set); 3] = [("f", Set::Fast), ("s", Set::Slow), ("m", Set::Mixture)];
const KINDS: [(&str, MemoryKind); 3] =
    [("a", MemoryKind::Allocated), ("r", MemoryKind::Reserved), ("p", MemoryKind::Process)];
const STAGES: [(&str, MemoryStage); 3] =
    [("m", MemoryStage::Most), ("f", MemoryStage::First), ("l", MemoryStage::Last)];

/// A published row: a run that completed and was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The publisher.
    pub source: String,
    /// The model, as the source names it.
    pub model: String,
    /// The set of the row.
    pub set: Set,
    /// Whether constants of step time were fitted to the row.
    pub fitted: bool,
    /// Measured time of a step, in seconds.
    pub step_s: Option<f64>,
    /// Tokens of the row's batch over those of the scenario's full micro-batches.
    pub batch_share: f64,
    /// Measured peak memory.
    pub peak: Option<Peak>,
    /// The link of the scenario.
    pub link: String,
}

/// A measured memory peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Size in GiB.
    pub gib: f64,
    /// Scope of the peak.
    pub kind: MemoryKind,
    /// The pipeline stage where the peak was measured.
    pub stage: MemoryStage,
}

impl Peak {
    /// Returns the predicted peak in GiB, of the same kind and on the same stage.
    pub fn predicted(&self, scenario: &Scenario) -> f64 {
        self.kind.predicted(&self.stage.memory(&scenario.setup())).gib()
    }
}

impl Published {
    /// Decodes the scenario of the row.
    pub fn scenario(&self) -> Scenario {
        decode_link(&self.link).scenario
    }

    /// Returns the predicted time of a step with the row's batch, in seconds.
    pub fn predicted_step(&self, scenario: &Scenario) -> f64 {
        scenario.report().whole().time.get() * self.batch_share
    }
}

/// Writes rows as text. Numbers keep every digit.
pub fn write<'a>(rows: impl IntoIterator<Item = &'a Published>) -> String {
    let mut text = String::new();
    let (mut source, mut model) = ("", "");
    for row in rows {
        let number = |value: Option<f64>| value.map(|value: f64| value.to_string()).unwrap_or_default();
        let set = letter(&SETS, &row.set);
        let cells = [
            if row.source == source { String::new() } else { plain(&row.source) },
            if row.model == model { String::new() } else { plain(&row.model) },
            if row.fitted { set.to_ascii_uppercase() } else { set.to_owned() },
            number(row.step_s),
            number(Some(row.batch_share).filter(|share| *share != 1.0)),
            number(row.peak.map(|peak| peak.gib)),
            row.peak
                .map(|peak| letter(&KINDS, &peak.kind).to_owned() + letter(&STAGES, &peak.stage))
                .unwrap_or_default(),
            row.link.clone(),
        ];
        text.push_str(&cells.join("\t"));
        text.push('\n');
        (source, model) = (&row.source, &row.model);
    }
    text
}

/// Reads rows from text; invalid lines are skipped.
pub fn parse_published(text: &str) -> Vec<Published> {
    let mut rows: Vec<Published> = Vec::with_capacity(text.len() / 256);
    for line in text.lines() {
        if let Some(row) = row(line, rows.last()) {
            rows.push(row);
        }
    }
    rows
}

fn row(line: &str, last: Option<&Published>) -> Option<Published> {
    let mut cells = line.split('\t');
    let mut cell = || cells.next();
    let (source, model, set, step, share, peak, memory) =
        (cell()?, cell()?, cell()?, cell()?, cell()?, cell()?, cell()?);
    let link = cell()?.to_owned();
    let lower = set.to_ascii_lowercase();
    let (kind, stage) = memory.split_at_checked(1).unwrap_or_default();
    let same = |text: &str, of: fn(&Published) -> &String| match last {
        Some(last) if text.is_empty() => of(last).clone(),
        _ => text.to_owned(),
    };
    Some(Published {
        source: same(source, |last| &last.source),
        model: same(model, |last| &last.model),
        set: named(&SETS, &lower)?,
        fitted: lower != set,
        step_s: step.parse::<f64>().ok(),
        batch_share: share.parse().unwrap_or(1.0),
        peak: peak.parse::<f64>().ok().zip(named(&KINDS, kind)).zip(named(&STAGES, stage)).map(peak_of),
        link,
    })
}

fn peak_of(((gib, kind), stage): ((f64, MemoryKind), MemoryStage)) -> Peak {
    Peak { gib, kind, stage }
}

/// Replaces the characters that separate cells and lines with spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn letter<T: PartialEq>(names: &[(&'static str, T)], of: &T) -> &'static str {
    names.iter().find(|name| name.1 == *of).map_or("", |name| name.0)
}

fn named<T: Copy>(names: &[(&'static str, T)], letter: &str) -> Option<T> {
    names.iter().find(|name| name.0 == letter).map(|name| name.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step_s: Option<f64>, peak_gib: Option<f64>) -> Published {
        Published {
            source: "A paper (2022)".into(),
            model: "Llama 2 7B".into(),
            set: Set::Fast,
            fitted: true,
            step_s,
            batch_share: 1.0,
            peak: peak_gib.map(|gib| Peak { gib, kind: MemoryKind::Reserved, stage: MemoryStage::Most }),
            link: "v=1&gpus=128".into(),
        }
    }

    #[test]
    fn rows_survive_the_text() {
        let peak = Peak { gib: 39.25, kind: MemoryKind::Process, stage: MemoryStage::Last };
        let process = Published { peak: Some(peak), ..row(None, None) };
        let mixture = Published { set: Set::Mixture, fitted: false, model: "Kimi K2".into(), ..process.clone() };
        let rows = [row(Some(0.1 + 0.2), None), process, mixture, row(Some(1e-3), Some(71.0))];
        let rows = rows.map(|row| Published { batch_share: 1.0 / 3.0, ..row });
        assert_eq!(parse_published(&write(&rows)), rows);
        assert_eq!(parse_published("nonsense\n\n\t\t\n"), []);
    }

    #[test]
    fn what_repeats_is_written_once() {
        let rows = [row(Some(1.0), None), row(Some(2.0), None)];
        let text = write(&rows);
        assert_eq!(text.lines().nth(1), Some("\t\tF\t2\t\t\t\tv=1&gpus=128"));
    }

    #[test]
    fn predictions_are_the_engine_s() {
        let row = Published { batch_share: 0.5, ..row(Some(1.0), Some(40.0)) };
        let (scenario, report) = (row.scenario(), row.scenario().report());
        assert_eq!(row.predicted_step(&scenario), 0.5 * report.whole().time.get());
        // Reserved memory excludes the CUDA context.
        let peak = row.peak.unwrap();
        let memory = peak.stage.memory(&scenario.setup());
        let reserved = memory.peak - memory.parts.get(MemoryPart::Context);
        assert_eq!((peak.kind, peak.predicted(&scenario)), (MemoryKind::Reserved, reserved.gib()));
    }
}
