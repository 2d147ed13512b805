//! The table of parameters: one row gives a parameter its control, typed entry, bounds, unit,
//! scale, URL key, CSV header, help, glossary entry and property-test generator.

mod check;
pub mod quantity;
pub mod scale;
pub mod table;

use crate::scenario::Scenario;
pub use check::{is_held, is_within_bounds, issues};
pub use table::{ARCHITECTURE, CONSTANTS, PARAMS};

/// The unit in which a parameter is shown, typed and written to links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A bare number.
    None,
    /// GiB.
    Gib,
    /// Gbit/s.
    GbitPerS,
    /// GB/s.
    GbPerS,
    /// TFLOP/s.
    Tflops,
    /// Tokens.
    Tokens,
    /// Parameters.
    Params,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    Seconds,
    /// Watts.
    Watt,
    /// Percent of one.
    Percent,
    /// Tokens of a whole run, in decimal billions and trillions.
    TrainTokens,
    /// US dollars an hour.
    DollarsPerHour,
    /// Grams a kWh.
    GramsPerKwh,
    /// Hours.
    Hours,
    /// Minutes.
    Minutes,
    /// US dollars.
    Dollars,
    /// Tokens a second, of all GPUs.
    TokensPerS,
}

/// How the positions of a slider map to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal ratios.
    Log,
    /// Powers of two times the minimum; the typed field accepts values in between.
    PowersOfTwo,
}

/// A numeric parameter, in its display unit.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The unit of `min`, `max`, `get` and `set`.
    pub unit: Unit,
    /// The smallest valid value.
    pub min: f64,
    /// The largest valid value.
    pub max: f64,
    /// The scale of the slider.
    pub scale: Scale,
    /// Whether only whole numbers are valid.
    pub integer: bool,
    /// Reads the value from a scenario.
    pub get: fn(&Scenario) -> f64,
    /// Writes the value to a scenario. Any finite number is accepted; validation reports invalid
    /// ones.
    pub set: fn(&mut Scenario, f64),
}

/// One option of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceOption {
    /// The key in links.
    pub key: &'static str,
    /// The label on the page.
    pub label: &'static str,
    /// One sentence about the effect of the option.
    pub help: &'static str,
}

/// A parameter with named options.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The options, in display order.
    pub options: &'static [ChoiceOption],
    /// Returns the index of the chosen option.
    pub get: fn(&Scenario) -> usize,
    /// Chooses an option by index; an index out of range is ignored.
    pub set: fn(&mut Scenario, usize),
}

/// The kind of value of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number(Number),
    /// One of several options.
    Choice(Choice),
}

/// The group of controls on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The first screen: the most important controls.
    Main,
    /// Batch and recomputation.
    Training,
    /// Sharding.
    Sharding,
    /// Tensor, context and pipeline parallelism.
    Parallelism,
    /// The experts of a mixture of experts.
    Experts,
    /// Framework and kernels.
    Kernels,
    /// The GPU's rates and sizes.
    Hardware,
    /// The rates and sizes of nodes and network.
    Network,
    /// The conventions of the figures.
    Accounting,
    /// The shape of a custom model.
    Architecture,
    /// The whole run: data, price, power, failures, checkpoints.
    Run,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The key in links.
    pub key: &'static str,
    /// The accessible name and label.
    pub label: &'static str,
    /// The CSV header, including the unit.
    pub csv: &'static str,
    /// The group of the control.
    pub group: Group,
    /// One or two sentences of help (tooltip and glossary entry).
    pub help: &'static str,
    /// The kind of value.
    pub kind: Kind,
    /// Whether the parameter has an effect in a scenario (the shard size only has one under some
    /// strategies).
    pub applies: fn(&Scenario) -> bool,
}

/// Returns the row with this key, with or without a control.
pub fn find(key: &str) -> Option<&'static Param> {
    every().find(|param| param.key == key)
}

/// Iterates over every row: [`PARAMS`], then the rows without a control, [`CONSTANTS`] and
/// [`ARCHITECTURE`].
pub fn every() -> impl Iterator<Item = &'static Param> {
    PARAMS.iter().chain(CONSTANTS).chain(ARCHITECTURE)
}
