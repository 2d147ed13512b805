//! What curves show up their vertical axis.

use crate::spec::{Axis, Grain, Line, Quantity};
use engine::analysis::cost;
use engine::analysis::sweep::{self, Sample};
use engine::catalog::accuracy::{self, Band};
use engine::format;
use engine::params::{Number, Scale, Unit};
use engine::scenario::Scenario;

/// One hundred percent.
pub(super) const PERCENT: f64 = 100.0;

/// What the vertical axis shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Model FLOPs utilisation.
    #[default]
    Mfu,
    /// Tokens per second and GPU.
    TokensPerSecond,
    /// Time of one step.
    StepTime,
    /// Peak memory of one GPU.
    PeakMemory,
    /// Dollars for a billion tokens, failures and checkpoints included.
    Cost,
}

/// Memory is shown up to this many times what the GPU has: DDP needs far more, and would press the rest together.
const CAPACITIES: f64 = 2.5;
/// The step in which the end of an axis of MFU moves.
const MFU_STEP: f64 = 10.0;
/// Room below and above curves on an axis of equal ratios, as a factor.
const ROOM: f64 = 1.15;

impl Metric {
    /// Every metric, in display order.
    pub const ALL: [Self; 5] = [Self::Mfu, Self::TokensPerSecond, Self::StepTime, Self::PeakMemory, Self::Cost];

    /// Its name in links.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Mfu => "mfu",
            Self::TokensPerSecond => "tokens",
            Self::StepTime => "step",
            Self::PeakMemory => "memory",
            Self::Cost => "cost",
        }
    }

    /// Its name and unit.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Mfu => Quantity { label: "MFU", unit: Unit::Percent },
            Self::TokensPerSecond => Quantity { label: "Tokens per second per GPU", unit: Unit::None },
            Self::StepTime => Quantity { label: "Step time", unit: Unit::Seconds },
            Self::PeakMemory => Quantity { label: "Peak memory", unit: Unit::Gib },
            Self::Cost => Quantity { label: "Cost per billion tokens", unit: Unit::Dollars },
        }
    }

    /// Whether more of it is better.
    pub const fn rises(self) -> bool {
        matches!(self, Self::Mfu | Self::TokensPerSecond)
    }

    /// Its value in a scenario of which `sample` is known.
    pub fn of(self, sample: &Sample, scenario: &Scenario) -> f64 {
        match self {
            Self::Mfu => PERCENT * sample.mfu,
            Self::TokensPerSecond => sample.tokens_per_s_per_gpu,
            Self::StepTime => sample.step.get(),
            Self::PeakMemory => sample.peak.gib(),
            Self::Cost => cost::per_billion_tokens(scenario),
        }
    }

    /// Its value where one parameter of the scenario has another value, of which `sample` is known.
    pub(super) fn at(self, sample: &Sample, scenario: &Scenario, number: &Number, value: f64) -> f64 {
        if self != Self::Cost {
            return self.of(sample, scenario);
        }
        let mut moved = *scenario;
        sweep::assign(&mut moved, number, value);
        self.of(sample, &moved)
    }

    /// The range in which four of five measurements lie, as factors of the value.
    pub(super) fn band(self, scenario: &Scenario) -> (f64, f64) {
        let Band { low, high } = match self {
            Self::PeakMemory => accuracy::peak_memory(scenario),
            _ => accuracy::step_time(scenario),
        };
        if self.rises() { (1.0 / high, 1.0 / low) } else { (low, high) }
    }

    /// A value in a sentence: `43.1 % MFU`, `3,850 tokens/s per GPU`, `4.21 s`.
    pub(super) fn amount(self, value: f64) -> String {
        let quantity = self.quantity();
        let value = format::value(quantity.unit, value);
        match self {
            Self::Mfu => value + " MFU",
            Self::TokensPerSecond => value + " tokens/s per GPU",
            Self::StepTime | Self::PeakMemory => value,
            Self::Cost => value + " per billion tokens",
        }
    }

    /// The vertical axis: from zero to a round number above every curve; times and costs, which spread over decades, by equal ratios.
    pub(super) fn axis(self, lines: &[Line], capacity: f64) -> Axis {
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
        let by_ratios = matches!(self, Self::StepTime | Self::Cost) && least > 0.0 && least <= most;
        let (scale, min, max) = if by_ratios {
            (Scale::Log, least / ROOM, most * ROOM)
        } else {
            let most = if self == Self::PeakMemory { most.min(CAPACITIES * capacity) } else { most };
            let step = if self == Self::Mfu { MFU_STEP } else { step(most) };
            (Scale::Linear, 0.0, ((most / step).ceil() * step).max(step))
        };
        Axis { label: label.into(), unit, scale, min, max, key: None, grain: Grain::Digits, own: None }
    }
}

/// The step in which the end of an axis moves: an eighth of it or so, half of a doubling.
fn step(most: f64) -> f64 {
    let mut step = 0.5;
    while most > 10.0 * step {
        step *= 2.0;
    }
    step
}
