//! Ratios of measured to predicted values of the user's own run.

use super::{AxisUse, Group, Kind, Param, Scale, Unit, never, number};

/// Returns a row of this group, which is on no axis and in no list of sensitive numbers.
const fn row(key: &'static str, label: &'static str, csv: &'static str, help: &'static str, kind: Kind) -> Param {
    let group = Group::Accounting;
    Param { key, label, csv, group, help, kind, knob: Some(never), axis: AxisUse::Never, ..Param::DEFAULT }
}

/// Measured over predicted time.
pub(in crate::params) const TIME: Param = row(
    "anchortime",
    "Measured over predicted time",
    "measured_over_predicted_time",
    "Time of a step that you measured over the predicted one: every rate is divided by it, every latency multiplied. 1 where nothing is measured.",
    number(
        Unit::None,
        (0.5, 20.0),
        Scale::Log,
        |scenario| scenario.anchor.time,
        |scenario, value| scenario.anchor.time = value,
    ),
);

/// Measured over predicted memory.
pub(in crate::params) const MEMORY: Param = row(
    "anchormemory",
    "Measured over predicted memory",
    "measured_over_predicted_memory",
    "Peak of memory that you measured over the predicted one: each part is multiplied by it. 1 where nothing is measured.",
    number(
        Unit::None,
        (0.5, 4.0),
        Scale::Log,
        |scenario| scenario.anchor.memory,
        |scenario, value| scenario.anchor.memory = value,
    ),
);
