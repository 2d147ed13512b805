//! The one table of parameters: a row gives a parameter its control, typed entry, bounds, unit, scale, URL key, CSV
//! header, help, glossary entry and property-test generator.

mod check;
mod id;
pub mod quantity;
pub mod scale;
mod table;

use crate::scenario::Scenario;
pub use check::{is_held, is_within_bounds, issues};
pub use id::{ARCHITECTURE, CONSTANTS, PARAMS, ParamId, every, find};

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

/// On which axes of figures a number may stand.
#[derive(Clone, Copy, Debug)]
pub enum AxisUse {
    /// On every axis, where the parameter has an effect.
    WhereItApplies,
    /// On every axis, where this holds.
    Where(fn(&Scenario) -> bool),
    /// On axes of figures of the whole run's cost alone.
    OfCost,
    /// On none.
    Never,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its identifier; the rows leave it out, as the list of parameters gives it to them.
    pub id: ParamId,
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
    /// Whether the page shows it beside this scenario's model: not the widths of experts of a dense model.
    pub is_relevant: fn(&Scenario) -> bool,
    /// On which axes it may stand.
    pub axis: AxisUse,
    /// What an axis shows of it, from and to, where its bounds are wider than what people train with.
    pub window: Option<(f64, f64)>,
    /// Whether there can be more of it, for the list of what moves the result most; where it applies, if nothing is said.
    knob: Option<fn(&Scenario) -> bool>,
}

impl Param {
    /// What a row is that says nothing: rows say what differs.
    const DEFAULT: Self = Self {
        id: ParamId::GpuMemory,
        key: "",
        label: "",
        csv: "",
        group: Group::Main,
        help: "",
        kind: Kind::Choice(Choice { options: &[], get: |_| 0, set: |_, _| {} }),
        applies: |_| true,
        is_relevant: |_| true,
        axis: AxisUse::WhereItApplies,
        window: None,
        knob: None,
    };

    /// The row with an effect in some scenarios alone.
    const fn when(mut self, applies: fn(&Scenario) -> bool) -> Self {
        self.applies = applies;
        self
    }

    /// The row shown beside some models alone.
    const fn relevant(mut self, is_relevant: fn(&Scenario) -> bool) -> Self {
        self.is_relevant = is_relevant;
        self
    }

    /// The row with other axes.
    const fn axis(mut self, axis: AxisUse) -> Self {
        self.axis = axis;
        self
    }

    /// The row with a window on its axes.
    const fn window(mut self, low: f64, high: f64) -> Self {
        self.window = Some((low, high));
        self
    }

    /// The row with its own answer to whether there can be more of it.
    const fn knob(mut self, is_knob: fn(&Scenario) -> bool) -> Self {
        self.knob = Some(is_knob);
        self
    }

    /// Whether it may stand on an axis of a figure over this scenario; `of_cost` where the figure shows the cost of the whole run.
    pub fn is_axis(&self, scenario: &Scenario, of_cost: bool) -> bool {
        match self.axis {
            AxisUse::WhereItApplies => (self.applies)(scenario),
            AxisUse::Where(holds) => holds(scenario),
            AxisUse::OfCost => of_cost,
            AxisUse::Never => false,
        }
    }

    /// Whether there can be more of it: a model that has a name has its size, and a kind of parallelism that is not used would be a
    /// new one.
    pub fn is_knob(&self, scenario: &Scenario) -> bool {
        self.knob.unwrap_or(self.applies)(scenario)
    }

    /// The bounds, unit and accessors of a number; `None` for a choice.
    pub fn number(&self) -> Option<&Number> {
        match &self.kind {
            Kind::Number(number) => Some(number),
            Kind::Choice(_) => None,
        }
    }

    /// The options and accessors of a choice; `None` for a number.
    pub fn choice(&self) -> Option<&Choice> {
        match &self.kind {
            Kind::Choice(choice) => Some(choice),
            Kind::Number(_) => None,
        }
    }
}
