//! The whole run: data, price, power, failures, checkpoints.

use super::{AxisUse, Group, Kind, Param, Scale, Unit, never, number, switched};
use crate::scenario::{Scenario, data};
use crate::units::{BytesPerSecond, Seconds};

/// Creates a row of this group.
pub(super) const fn row(
    key: &'static str,
    label: &'static str,
    csv: &'static str,
    help: &'static str,
    kind: Kind,
) -> Param {
    Param { key, label, csv, group: Group::Run, help, kind, knob: Some(never), axis: AxisUse::Never, ..Param::DEFAULT }
}

/// Tokens to train on.
pub(in crate::params) const TOKENS: Param = row(
    "tokens",
    "Training tokens",
    "training_tokens",
    "Tokens of the whole run. Chinchilla's rule is 20 a parameter; Llama 3 405B took 15.6T.",
    number(Unit::TrainTokens, data::TOKENS, Scale::Log, Scenario::said_tokens, |scenario, tokens| {
        scenario.run.tokens = tokens;
    }),
)
.window(1e10, 1e14)
.axis(AxisUse::OfCost)
.when(|scenario| !scenario.has_texts());

/// Price of a GPU-hour.
pub(in crate::params) const PRICE: Param = row(
    "price",
    "Price of a GPU-hour",
    "usd_per_gpu_hour",
    "What one GPU costs for one hour.",
    number(
        Unit::DollarsPerHour,
        (0.01, 100.0),
        Scale::Log,
        |scenario| scenario.run.price_per_gpu_hour,
        |scenario, value| scenario.run.price_per_gpu_hour = value,
    ),
)
.window(0.2, 20.0)
.axis(AxisUse::OfCost);

/// Power usage effectiveness.
pub(in crate::params) const PUE: Param = row(
    "pue",
    "PUE",
    "pue",
    "Energy of the data centre over energy of its computers.",
    number(
        Unit::None,
        (1.0, 3.0),
        Scale::Linear,
        |scenario| scenario.run.pue,
        |scenario, value| scenario.run.pue = value,
    ),
);

/// Carbon intensity of the grid.
pub(in crate::params) const GRID: Param = row(
    "co2",
    "Grid CO₂",
    "grid_gco2_per_kwh",
    "Grams of CO₂ equivalent a kWh of the grid: about 57 in France, 385 in the United States.",
    number(
        Unit::GramsPerKwh,
        (0.0, 1500.0),
        Scale::Linear,
        |scenario| scenario.run.grid_intensity,
        |scenario, value| scenario.run.grid_intensity = value,
    ),
);

/// Rate of the file system for checkpoints.
pub(in crate::params) const STORAGE: Param = row(
    "storage",
    "Storage bandwidth",
    "storage_gb_per_s",
    "Rate at which the file system takes checkpoints from all nodes together.",
    number(
        Unit::GbPerS,
        (0.1, 100_000.0),
        Scale::Log,
        |scenario| scenario.run.storage.gb_per_s(),
        |scenario, value| scenario.run.storage = BytesPerSecond::from_gb_per_s(value),
    ),
)
.axis(AxisUse::OfCost);

/// Mean time between failures of one GPU.
pub(in crate::params) const MTBF: Param = row(
    "mtbf",
    "MTBF of a GPU",
    "gpu_mtbf_hours",
    "Mean time between failures of one GPU. Llama 3 had 419 in 54 days on 16,384 GPUs: 50,700 h.",
    number(
        Unit::Hours,
        (100.0, 10_000_000.0),
        Scale::Log,
        |scenario| scenario.run.mtbf.hours(),
        |scenario, value| scenario.run.mtbf = Seconds::from_hours(value),
    ),
)
.axis(AxisUse::OfCost);

/// Time to restart.
pub(in crate::params) const RESTART: Param = row(
    "restart",
    "Restart time",
    "restart_minutes",
    "From a failure until the run trains again.",
    number(
        Unit::Minutes,
        (0.1, 1440.0),
        Scale::Log,
        |scenario| scenario.run.restart.minutes(),
        |scenario, value| scenario.run.restart = Seconds::from_minutes(value),
    ),
)
.axis(AxisUse::OfCost);

/// Interval between checkpoints.
pub(in crate::params) const CHECKPOINT_INTERVAL: Param = row(
    "ckptevery",
    "Checkpoint interval",
    "checkpoint_interval_minutes",
    "From one checkpoint to the next; 0 for the interval that loses least (Young, Daly).",
    number(
        Unit::Minutes,
        (0.0, 1440.0),
        Scale::Linear,
        |scenario| scenario.run.checkpoint_interval.minutes(),
        |scenario, value| scenario.run.checkpoint_interval = Seconds::from_minutes(value),
    ),
)
.axis(AxisUse::OfCost);

switched!(
    /// Whether every rank writes its own shard of a checkpoint.
    SHARDED_CHECKPOINT, Run, run.sharded_checkpoint, "ckptsharded", "Sharded checkpoints", "sharded_checkpoints", [],
    "Whether every rank writes its part of a checkpoint, rather than one rank all of it (FULL_STATE_DICT)."
);

switched!(
    /// Deferred initialisation of the model.
    DEFERRED_INIT, Run, run.deferred_init, "deferred", "Deferred initialisation", "deferred_initialisation", [],
    "Whether the model is built unit by unit (meta device), rather than whole and in fp32 on every rank's host."
);

/// The critical batch size, above which tokens are wasted.
pub(in crate::params) const CRITICAL_BATCH: Param = row(
    "critbatch",
    "Critical batch",
    "critical_batch_tokens",
    "Tokens per step at which a run needs twice the data of small batches. It grows as the loss falls; Llama 3 405B ended at \
     batches of 16.8M.",
    number(
        Unit::TrainTokens,
        (1e4, 1e9),
        Scale::Log,
        |scenario| scenario.run.critical_batch_tokens,
        |scenario, value| scenario.run.critical_batch_tokens = value,
    ),
);
