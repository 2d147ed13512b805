//! How well measurements support a prediction: a grade by the distance to the nearest published run
//! ([`crate::similar_runs`]).

mod table;

use std::sync::LazyLock;

use catalog::accuracy::{Evidence as OfSilicon, evidence};
use engine::model::anchor::Anchor;
use engine::scenario::Scenario;

use crate::similar_runs::Traits;
pub use table::{Measurement, write};

/// Distance in steps ([`crate::similar_runs`]) up to which a published run is a measurement of
/// nearly the same run: another model of up to twice the size, or four times the GPUs.
pub const NEAR: f64 = 1.0;
/// Distance in steps beyond which a published run is weak evidence.
pub const FAR: f64 = 4.0;

/// Grade of the evidence for a figure, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// A published run at most [`NEAR`] steps away measured it, or a measurement of the reader
    /// corrects it.
    Measured,
    /// The nearest published run that measured it is at most [`FAR`] steps away.
    Interpolated,
    /// Formulas and data sheets alone: no published run is near.
    Formula,
}

impl Grade {
    /// Every grade, the strongest first.
    pub const ALL: [Self; 3] = [Self::Measured, Self::Interpolated, Self::Formula];

    /// Returns the name of the grade in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Interpolated => "interpolated",
            Self::Formula => "formula",
        }
    }

    fn of_distance(steps: Option<f64>) -> Self {
        match steps {
            Some(steps) if steps <= NEAR => Self::Measured,
            Some(steps) if steps <= FAR => Self::Interpolated,
            _ => Self::Formula,
        }
    }
}

/// The evidence for the figures of a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Grade of the step time, and of throughput and MFU with it. With a rollout, of the formulas:
    /// such steps are measured too rarely.
    pub step_time: Grade,
    /// Grade of the memory.
    pub memory: Grade,
    /// Published runs on the same accelerator.
    pub runs: u32,
}

impl Evidence {
    /// Returns the weaker grade of step time and memory.
    pub fn grade(&self) -> Grade {
        self.step_time.max(self.memory)
    }
}

/// Every published run that measured a step time or a peak of memory, each combination of traits
/// once.
static MEASUREMENTS: LazyLock<Vec<Measurement>> = LazyLock::new(|| table::parse(table::ROWS));

/// Grades the evidence for the figures of a scenario.
///
/// ```
/// # use analysis::evidence::{Grade, grade};
/// let of = |link: &str| grade(&links::decode(link).scenario);
/// let known = of("cluster=dgx-h100&model=llama-2-7b&gpus=8&seq=4096&strategy=shard-grad-op&recompute=none\
///     &recipe=pure-bf16&attnkernel=flash&mbs=1");
/// assert_eq!((known.grade(), known.runs > 500), (Grade::Measured, true));
/// // No run on a T4 is published.
/// assert_eq!(of("gpu=t4&model=llama-3-8b&gpus=8").grade(), Grade::Formula);
/// ```
pub fn grade(scenario: &Scenario) -> Evidence {
    let own = Traits::from_scenario(scenario);
    let nearest = |is_of: fn(&Measurement) -> bool| {
        let distances = MEASUREMENTS.iter().filter(|row| is_of(row)).map(|row| own.distance(&row.traits));
        Grade::of_distance(distances.min_by(f64::total_cmp))
    };
    let Anchor { time, memory } = scenario.anchor;
    let corrected = |is_corrected: bool, grade: Grade| if is_corrected { Grade::Measured } else { grade };
    let step_time = if scenario.objective.task.generates() {
        Grade::Formula
    } else {
        corrected(time != Anchor::NONE.time, nearest(|row| row.step_time))
    };
    Evidence {
        step_time,
        memory: corrected(memory != Anchor::NONE.memory, nearest(|row| row.peak)),
        runs: match evidence(scenario) {
            OfSilicon::Runs(of) => of.runs,
            OfSilicon::SameSilicon(_) | OfSilicon::DataSheet => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    fn of(link: &str) -> Evidence {
        grade(&decode(link).scenario)
    }

    #[test]
    fn a_correction_is_a_measurement_of_the_run_itself() {
        let plain = "gpu=t4&model=llama-3-8b&gpus=8";
        assert_eq!(of(plain).step_time, Grade::Formula);
        let corrected = of(&format!("{plain}&anchortime=1.2"));
        assert_eq!((corrected.step_time, corrected.memory), (Grade::Measured, Grade::Formula));
        assert_eq!(corrected.grade(), Grade::Formula);
    }

    #[test]
    fn a_rollout_is_no_measured_step() {
        let grpo = of("cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo");
        assert_eq!(grpo.step_time, Grade::Formula);
    }

    #[test]
    fn the_grade_falls_with_the_distance() {
        let grades = [Some(0.0), Some(NEAR), Some(1.5), Some(FAR), Some(4.5), None].map(Grade::of_distance);
        assert!(grades.is_sorted());
        assert_eq!([grades[1], grades[3], grades[5]], Grade::ALL);
    }
}
