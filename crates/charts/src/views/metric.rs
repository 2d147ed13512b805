//! The quantities on the vertical axis of curves.

use crate::spec::{Axis, Grain, Polyline, Quantity};
use analysis::cost;
use analysis::sweep::{self, Sample};
use catalog::accuracy::{self, Band};
use engine::format;
use engine::params::{Number, Scale, Unit};
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The coloured quantity of the map of the best configuration of each place.
pub(super) const OF_BEST: Quantity = Quantity { label: "Best MFU", unit: Unit::Percent };
/// End of the colour scale. It is one for all maps, so that a colour keeps its meaning while a
/// slider moves; only a few published runs reach more.
pub(super) const SCALE_END: f64 = 80.0;
/// One hundred percent.
pub(super) const PERCENT: f64 = 100.0;

/// The quantity on the vertical axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Model FLOPs utilisation.
    #[default]
    Mfu,
    /// Tokens per second and GPU.
    TokensPerSecond,
    /// Time of one step.
    StepTime,
    /// Memory that one GPU needs.
    Needed,
    /// Dollars per billion tokens, including failures and checkpoints.
    Cost,
    /// Days of the whole run, including failures and checkpoints.
    TimeToTrain,
    /// Dollars of the whole run.
    RunCost,
}

/// Largest visible memory over the GPU's capacity: DDP needs far more, and would compress the rest.
const CAPACITIES: f64 = 2.5;
/// Hours in a day.
const HOURS: f64 = 24.0;
/// The step to which the end of an MFU axis is rounded.
const MFU_STEP: f64 = 10.0;
/// Margin below and above curves on a logarithmic axis, as a factor.
const ROOM: f64 = 1.15;

impl Metric {
    /// Every metric, in display order.
    pub const ALL: [Self; 7] =
        [Self::Mfu, Self::TokensPerSecond, Self::StepTime, Self::Needed, Self::Cost, Self::TimeToTrain, Self::RunCost];

    /// Returns the key in links.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Mfu => "mfu",
            Self::TokensPerSecond => "tokens",
            Self::StepTime => "step",
            Self::Needed => "memory",
            Self::Cost => "cost",
            Self::TimeToTrain => "days",
            Self::RunCost => "total",
        }
    }

    /// Whether the metric is about the whole run and depends on price, storage and failures.
    pub const fn is_of_run(self) -> bool {
        matches!(self, Self::Cost | Self::TimeToTrain | Self::RunCost)
    }

    /// Returns the name and the unit.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Mfu => Quantity { label: "MFU", unit: Unit::Percent },
            Self::TokensPerSecond => Quantity { label: "Tokens per second per GPU", unit: Unit::None },
            Self::StepTime => Quantity { label: "Step time", unit: Unit::Seconds },
            Self::Needed => Quantity { label: "Memory needed", unit: Unit::Gib },
            Self::Cost => Quantity { label: "Cost per billion tokens", unit: Unit::Dollars },
            Self::TimeToTrain => Quantity { label: "Time to train", unit: Unit::Days },
            Self::RunCost => Quantity { label: "Cost of the run", unit: Unit::Dollars },
        }
    }

    /// Whether larger values are better.
    pub const fn rises(self) -> bool {
        matches!(self, Self::Mfu | Self::TokensPerSecond)
    }

    /// Returns the value in a scenario, given its sample.
    pub fn value(self, sample: &Sample, scenario: &Scenario) -> f64 {
        match self {
            Self::Mfu => PERCENT * sample.mfu,
            Self::TokensPerSecond => sample.tokens_per_s_per_gpu,
            Self::StepTime => sample.step.get(),
            Self::Needed => sample.needed.gib(),
            Self::Cost => cost::per_billion_tokens(scenario),
            Self::TimeToTrain => scenario.run_report().time.days(),
            Self::RunCost => scenario.run_report().cost.get(),
        }
    }

    /// Returns the value with one parameter of the scenario changed, given the sample of the
    /// change.
    pub(super) fn at(self, sample: &Sample, scenario: &Scenario, number: &Number, value: f64) -> f64 {
        if !self.is_of_run() {
            return self.value(sample, scenario);
        }
        let mut moved = *scenario;
        sweep::assign(&mut moved, number, value);
        self.value(sample, &moved)
    }

    /// Returns the range that contains four of five measurements, as factors of the value; `None`
    /// for times of a step with a rollout, which is measured too rarely.
    pub(super) fn band(self, scenario: &Scenario) -> Option<(f64, f64)> {
        let Band { low, high } = match self {
            Self::Needed => accuracy::peak_memory(&scenario.report()),
            _ if scenario.objective.task.generates() => return None,
            _ => accuracy::step_time(scenario),
        };
        Some(if self.rises() { (1.0 / high, 1.0 / low) } else { (low, high) })
    }

    /// Formats a value for a sentence: `43.1 % MFU`, `3,850 tokens/s per GPU`, `4.21 s`.
    pub(super) fn amount(self, value: f64) -> String {
        let quantity = self.quantity();
        if self == Self::TimeToTrain {
            return format::duration(Seconds::from_hours(HOURS * value));
        }
        let value = format::value(quantity.unit, value);
        match self {
            Self::Mfu => value + " MFU",
            Self::TokensPerSecond => value + " tokens/s per GPU",
            Self::StepTime | Self::Needed | Self::TimeToTrain | Self::RunCost => value,
            Self::Cost => value + " per billion tokens",
        }
    }

    /// Returns the vertical axis: from zero to a round number above every curve, or logarithmic for
    /// times and costs, which span decades.
    pub(super) fn axis(self, lines: &[Polyline], capacity: f64) -> Axis {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for line in lines {
            let (low, high) = line.band.unwrap_or((1.0, 1.0));
            for (pieces, low, high) in [(&line.segments, low, high), (&line.infeasible, 1.0, 1.0)] {
                for &(_, height) in pieces.iter().flatten() {
                    least = least.min(low * height);
                    most = most.max(high * height);
                }
            }
        }
        let Quantity { label, unit } = self.quantity();
        let by_ratios = (self == Self::StepTime || self.is_of_run()) && least > 0.0 && least <= most;
        let (scale, min, max) = if by_ratios {
            (Scale::Log, least / ROOM, most * ROOM)
        } else {
            let most = match self {
                Self::Needed => most.min(CAPACITIES * capacity),
                // One scale for all runs, that of the map's colours, unless a range goes beyond.
                Self::Mfu => most.max(SCALE_END),
                _ => most,
            };
            let step = if self == Self::Mfu { MFU_STEP } else { step(most) };
            (Scale::Linear, 0.0, ((most / step).ceil() * step).max(step))
        };
        Axis { label: label.into(), unit, scale, min, max, key: None, grain: Grain::Digits, own: None }
    }
}

/// Returns the step to which the end of an axis is rounded: a power of two that splits the axis
/// into 5 to 10 steps.
fn step(most: f64) -> f64 {
    let mut step = 0.5;
    while most > 10.0 * step {
        step *= 2.0;
    }
    step
}
