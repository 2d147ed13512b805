//! Memory over one step for a figure: drawn only where it is the step that the report adds up.

use super::curve::{Curve, RunStep};
use super::event::Category;
use super::gaps::{Gap, NotSimulated};
use super::play::Peak;
use super::step::Trace;
use core::fmt::{self, Display, Formatter};
use engine::format;
use engine::model::memory;
use engine::model::report::{MemoryPart, MemoryReport};
use engine::model::setup::Setup;
use engine::model::stages::{Stage, stages};
use engine::units::Bytes;

/// Largest difference between the peak of the simulated step and the sum of the report, over the
/// sum.
const TOLERANCE: f64 = 0.02;
/// Parts that exist throughout a step, each in one category.
const AT_REST: [(MemoryPart, Category); 3] = [
    (MemoryPart::Weights, Category::Parameter),
    (MemoryPart::Optimizer, Category::Optimizer),
    (MemoryPart::Models, Category::OtherModel),
];

/// Memory over one step on the stage that needs most.
#[derive(Clone, Debug)]
pub struct StepMemory {
    /// The bytes alive, event by event.
    pub curve: Curve,
    /// The stage.
    pub stage: Stage,
    /// The report's memory. The highest point of a steady step is within 2 % of its `allocated`,
    /// and the reserved memory is its own.
    pub report: MemoryReport,
}

/// The reason why memory over one step is not drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum NotDrawn {
    /// The step has tensors elsewhere than in the simulation all the time.
    Unlike(Gap),
    /// A part that exists throughout the step differs.
    Part {
        /// The part.
        part: MemoryPart,
        /// Bytes of the simulated step.
        simulated: Bytes,
        /// Bytes of the report.
        sum: Bytes,
        /// Gaps of the simulation.
        gaps: NotSimulated,
    },
    /// The peaks differ.
    Peak {
        /// Bytes of the simulated step.
        simulated: Bytes,
        /// Bytes of the report.
        sum: Bytes,
        /// Gaps of the simulation.
        gaps: NotSimulated,
    },
}

impl Display for NotDrawn {
    /// Writes one or two sentences.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let gaps = match self {
            Self::Unlike(gap) => return write!(f, "Not drawn, as {} are not simulated.", gap.name()),
            Self::Part { part, simulated, sum, gaps } => {
                let name = engine::names::part(*part).name.to_lowercase();
                let [simulated, sum] = [simulated, sum].map(|bytes| format::bytes(*bytes));
                write!(f, "Not drawn: {name} of {simulated} in the simulated step, of {sum} in the sum.")?;
                gaps
            }
            Self::Peak { simulated, sum, gaps } => {
                let [simulated, sum] = [simulated, sum].map(|bytes| format::bytes(*bytes));
                write!(f, "Not drawn: the simulated step peaks at {simulated}, the sum at {sum}.")?;
                gaps
            }
        };
        if gaps.0.is_empty() { Ok(()) } else { write!(f, " {gaps}") }
    }
}

/// Simulates a step of the stage that needs most memory, as a curve of about `points` points.
///
/// # Errors
///
/// Returns the reason if the simulated step is another one than the report's: if its peak, its
/// weights, its optimizer state or its other models differ by over 2 % of the report's peak.
pub fn step_memory(setup: &Setup, step: RunStep, points: usize) -> Result<StepMemory, NotDrawn> {
    let setup = &setup.at_longest();
    if setup.offload.activations {
        return Err(NotDrawn::Unlike(Gap::Activations));
    }
    let report = memory::peak(setup, &stages(setup));
    let stage = memory::largest_stage(setup);
    let trace = Trace::record(setup, &stage);
    let Peak { allocated, by, .. } = trace.peak();
    let corrected = |bytes: u64| setup.measured_memory * Bytes::new(bytes as f64);
    let differs = |one: Bytes, other: Bytes| {
        let (most, least) = if one > other { (one, other) } else { (other, one) };
        most - least > TOLERANCE * report.allocated
    };
    let gaps = || NotSimulated(Gap::of(setup).collect());
    let at_rest = AT_REST.map(|(part, category)| (part, corrected(by[category]), report.parts.get(part)));
    if let Some((part, simulated, sum)) = at_rest.into_iter().find(|(_, one, other)| differs(*one, *other)) {
        return Err(NotDrawn::Part { part, simulated, sum, gaps: gaps() });
    }
    let mut curve = trace.curve(RunStep::Steady, setup.segments, points);
    // What one step leaves behind is alive in the next one.
    let simulated = corrected(allocated.max(curve.peak.allocated));
    if differs(simulated, report.allocated) {
        return Err(NotDrawn::Peak { simulated, sum: report.allocated, gaps: gaps() });
    }
    if step != RunStep::Steady {
        curve = trace.curve(step, setup.segments, points);
    }
    curve.scale(setup.measured_memory);
    Ok(StepMemory { curve, stage, report })
}
