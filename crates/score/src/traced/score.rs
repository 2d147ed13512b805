//! Scores traced steps: errors of allocated and reserved bytes, and agreement on the moment of the
//! peak.

use std::collections::BTreeMap;

use super::{Figures, Traced};
use engine::stats::Errors;

/// A traced step with its prediction. Errors are predicted over traced bytes, less one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Identifier of the row.
    pub id: String,
    /// Origin of the traced code.
    pub source: String,
    /// Prediction of the engine.
    pub predicted: Figures,
    /// Error of the bytes alive at the peak.
    pub allocated: f64,
    /// Errors of the reserved bytes, with fixed segments and with expandable segments.
    pub reserved: [f64; 2],
    /// Whether the moment and the operator of the peak agree with the trace.
    pub agrees: bool,
}

impl Compared {
    /// Plays the step and compares the result with the trace.
    pub fn compare(traced: &Traced) -> Self {
        let (predicted, measured) = (traced.predicted(), &traced.measured);
        let ([fixed, expandable], [measured_fixed, measured_expandable]) = (predicted.reserved, measured.reserved);
        Self {
            id: traced.id.clone(),
            source: traced.source.clone(),
            allocated: predicted.allocated / measured.allocated - 1.0,
            reserved: [fixed / measured_fixed - 1.0, expandable / measured_expandable - 1.0],
            agrees: predicted.moment == measured.moment && predicted.operator == measured.operator,
            predicted,
        }
    }
}

/// Errors of one value over many steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Median, mean and signed mean.
    pub errors: Errors,
    /// The largest absolute error.
    pub worst: f64,
}

impl Spread {
    fn from_errors(errors: &[f64]) -> Self {
        let worst = errors.iter().map(|error| error.abs()).fold(0.0, f64::max);
        Self { errors: Errors::from_errors(errors).unwrap_or_default(), worst }
    }
}

/// Score of a set of traced steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Number of steps.
    pub rows: usize,
    /// Bytes alive at the peak.
    pub allocated: Spread,
    /// Reserved bytes with segments of a fixed size.
    pub reserved: Spread,
    /// Reserved bytes with expandable segments.
    pub expandable: Spread,
    /// Share of the steps with the moment and the operator of the trace.
    pub agree: f64,
}

/// Scores a set of steps.
pub fn score<'a>(steps: impl IntoIterator<Item = &'a Compared>) -> Score {
    let (mut allocated, mut reserved, mut expandable, mut agree) = (Vec::new(), Vec::new(), Vec::new(), 0_usize);
    for step in steps {
        let [fixed, other] = step.reserved;
        allocated.push(step.allocated);
        reserved.push(fixed);
        expandable.push(other);
        agree += usize::from(step.agrees);
    }
    Score {
        rows: allocated.len(),
        agree: agree as f64 / allocated.len().max(1) as f64,
        allocated: Spread::from_errors(&allocated),
        reserved: Spread::from_errors(&reserved),
        expandable: Spread::from_errors(&expandable),
    }
}

/// Scores steps by origin of the traced code in alphabetical order, followed by all steps.
pub fn by_source(steps: &[Compared]) -> Vec<(&str, Score)> {
    let mut groups: BTreeMap<&str, Vec<&Compared>> = BTreeMap::new();
    for step in steps {
        groups.entry(&step.source).or_default().push(step);
    }
    let mut scores: Vec<(&str, Score)> = groups.into_iter().map(|(source, steps)| (source, score(steps))).collect();
    scores.push(("All", score(steps)));
    scores
}
