//! The one table of parameters: a row gives a parameter its control, typed entry, bounds, unit, scale, URL key, CSV
//! header, help, glossary entry and property-test generator.

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

/// How a slider's positions spread over its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By equal ratios.
    Log,
    /// By doublings: every position is a power of two times the minimum, and the typed field takes anything between.
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
    /// How the slider spreads.
    pub scale: Scale,
    /// Whether only whole numbers are valid.
    pub integer: bool,
    /// Reads it.
    pub get: fn(&Scenario) -> f64,
    /// Writes it; any finite number is accepted, the scenario's validation speaks of the rest.
    pub set: fn(&mut Scenario, f64),
}

/// One option of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceOption {
    /// Its name in links.
    pub key: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// One sentence on what it does.
    pub help: &'static str,
}

/// A parameter with named options.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The options, in display order.
    pub options: &'static [ChoiceOption],
    /// The chosen option's index.
    pub get: fn(&Scenario) -> usize,
    /// Chooses by index; an index out of range changes nothing.
    pub set: fn(&mut Scenario, usize),
}

/// What kind of value a parameter has.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number.
    Number(Number),
    /// One of several options.
    Choice(Choice),
}

/// Where on the page a parameter's control stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The first screen: the controls that matter.
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
    /// The GPU's numbers.
    Hardware,
    /// The nodes' and the network's numbers.
    Network,
    /// What the figures count.
    Accounting,
    /// The shape of a model of the user's own.
    Architecture,
    /// The whole run: data, price, power, failures, checkpoints.
    Run,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its key in links.
    pub key: &'static str,
    /// Its accessible name and label.
    pub label: &'static str,
    /// Its CSV header, unit included.
    pub csv: &'static str,
    /// Where its control stands.
    pub group: Group,
    /// One or two sentences: what it is, in the field's terms (tooltip and glossary entry).
    pub help: &'static str,
    /// Its value.
    pub kind: Kind,
    /// Whether it has an effect in this scenario (the shard size only for some strategies).
    pub applies: fn(&Scenario) -> bool,
}

/// The row with this key, with or without a control.
pub fn find(key: &str) -> Option<&'static Param> {
    every().find(|param| param.key == key)
}

/// Every row: [`PARAMS`], then those that have no control of their own, [`CONSTANTS`] and [`ARCHITECTURE`].
pub fn every() -> impl Iterator<Item = &'static Param> {
    PARAMS.iter().chain(CONSTANTS).chain(ARCHITECTURE)
}
