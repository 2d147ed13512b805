//! Changes of a scenario that lower a part of its memory, with their effect.

use analysis::memory_reductions::{MemoryReduction, memory_reductions};
use engine::format;
use engine::model::report::{MemoryPart, Report};
use engine::scenario::Scenario;
use serde::{Deserialize, Serialize};

use crate::difference;

/// A change that lowers a part of the memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removal {
    /// Each parameter that changes, with its new value: `Loss: fused`.
    pub change: String,
    /// The link of the changed scenario, without `#`.
    pub link: String,
    /// Bytes of the part, before and after.
    pub part: (f64, f64),
    /// Bytes that the run needs, before and after.
    pub needed: (f64, f64),
    /// Whether the changed run is predicted to fit.
    pub fits: bool,
    /// Relative gain in tokens per second and GPU: -0.1 is 10 % slower.
    pub gain: f64,
}

/// Maximum number of changes returned.
const MOST: usize = 4;

/// Returns the changes that lower a part, least effort first.
pub(crate) fn removals(scenario: &Scenario, report: &Report, part: MemoryPart) -> Vec<Removal> {
    memory_reductions(scenario, report, part)
        .iter()
        .take(MOST)
        .map(|one| removal(scenario, report, part, one))
        .collect()
}

fn removal(scenario: &Scenario, before: &Report, part: MemoryPart, one: &MemoryReduction) -> Removal {
    let of = |report: &Report| report.memory.parts.get(part).get();
    Removal {
        change: differences(scenario, &one.scenario).join(", "),
        link: links::encode(&one.scenario),
        part: (of(before), of(&one.report)),
        needed: (before.memory.needed.get(), one.report.memory.needed.get()),
        fits: one.report.fits(),
        gain: one.report.whole().tokens_per_s_per_gpu / before.whole().tokens_per_s_per_gpu - 1.0,
    }
}

/// Lists the parameters that differ between two scenarios, with their new values:
/// `Micro-batch size: 2`.
pub fn differences(from: &Scenario, to: &Scenario) -> Vec<String> {
    let said = |one: difference::Difference| format!("{}: {}", one.param.label, one.to);
    difference::differences(from, to, engine::rounding::nearest).map(said).collect()
}

/// Formats bytes for display.
pub fn bytes(value: f64) -> String {
    format::bytes(engine::units::Bytes::new(value))
}
