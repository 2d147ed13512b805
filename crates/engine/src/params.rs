//! The table of parameters: one row of `data/parameters.toml` gives a parameter its control, typed
//! entry, bounds, unit, scale, URL key, CSV header, help, glossary entry and property-test
//! generator.

mod check;
mod conditions;
mod fields;
mod id;
pub mod labels;
pub mod quantity;
pub mod scale;

use crate::scenario::Scenario;
pub(crate) use check::issue;
pub use check::{is_held, is_within_bounds};
pub use id::{ARCHITECTURE, CONSTANTS, PARAMS, ParamId, every, find};

/// One hundred percent.
const PERCENT: f64 = 100.0;

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
    /// Days.
    Days,
    /// US dollars.
    Dollars,
    /// Tokens a second, of all GPUs.
    TokensPerS,
}

/// The mapping from positions of a slider to values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal ratios.
    Log,
    /// Powers of two times the minimum; the typed field accepts values in between.
    PowersOfTwo,
}

/// Returns the smallest and the largest valid value in a scenario.
pub type BoundsOf = fn(&Scenario) -> (f64, f64);

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
    /// The bounds in a scenario, if they depend on it: a model family publishes sizes beyond those
    /// of the ladder.
    pub bounds: Option<BoundsOf>,
    /// Reads the value from a scenario.
    pub get: fn(&Scenario) -> f64,
    /// Writes the value to a scenario. Any finite number is accepted; validation reports invalid
    /// ones.
    pub set: fn(&mut Scenario, f64),
}

impl Number {
    /// Returns the number with its bounds in a scenario.
    #[must_use]
    pub fn within(self, scenario: &Scenario) -> Self {
        let (min, max) = self.bounds.map_or((self.min, self.max), |bounds| bounds(scenario));
        Self { min, max, ..self }
    }
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
pub enum ParamKind {
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
    /// The parts of the model that are trained.
    Trained,
    /// The contents of the sequences.
    Data,
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

/// The axes of figures that a parameter can be on.
#[derive(Clone, Copy, Debug)]
pub enum AxisUse {
    /// Every axis, if the parameter has an effect.
    WhereItApplies,
    /// Every axis, if this condition holds.
    Where(fn(&Scenario) -> bool),
    /// Only axes of figures that show the cost of the whole run.
    OfCost,
    /// No axis.
    Never,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The identifier.
    pub id: ParamId,
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
    pub kind: ParamKind,
    /// Whether the parameter has an effect in a scenario (the shard size only has one under some
    /// strategies).
    pub applies: fn(&Scenario) -> bool,
    /// Whether the page has a control for the parameter; others are only set by files and links.
    pub has_control: bool,
    /// Whether the page shows the parameter for this scenario: the widths of experts are hidden for
    /// a dense model, the modules to recompute under every other recomputation mode.
    pub is_relevant: fn(&Scenario) -> bool,
    /// The axes that the parameter can be on.
    pub axis: AxisUse,
    /// The visible range of an axis, if the bounds are wider than the range that people train with.
    pub window: Option<(f64, f64)>,
    /// Whether the number can grow, for the list of the most sensitive numbers; `None` means
    /// whenever `applies` holds.
    knob: Option<fn(&Scenario) -> bool>,
}

impl Param {
    /// Whether the parameter can be on an axis of a figure over this scenario; `of_cost` is set for
    /// figures of the cost of the whole run.
    pub fn is_axis(&self, scenario: &Scenario, of_cost: bool) -> bool {
        match self.axis {
            AxisUse::WhereItApplies => (self.applies)(scenario),
            AxisUse::Where(holds) => holds(scenario),
            AxisUse::OfCost => of_cost,
            AxisUse::Never => false,
        }
    }

    /// Whether the page shows a control for this scenario: only if the parameter has an effect.
    /// Rows of the architecture have an effect in every model, as changing them makes the model
    /// custom.
    pub fn is_shown(&self, scenario: &Scenario) -> bool {
        (self.is_relevant)(scenario) && (self.group == Group::Architecture || (self.applies)(scenario))
    }

    /// Whether the number can grow: the size of a named model is fixed, and a kind of parallelism
    /// that is off stays off.
    pub fn is_knob(&self, scenario: &Scenario) -> bool {
        self.knob.unwrap_or(self.applies)(scenario)
    }

    /// Returns the bounds, unit and accessors of a number; `None` for a choice.
    pub fn number(&self) -> Option<&Number> {
        match &self.kind {
            ParamKind::Number(number) => Some(number),
            ParamKind::Choice(_) => None,
        }
    }

    /// Returns the options and accessors of a choice; `None` for a number.
    pub fn choice(&self) -> Option<&Choice> {
        match &self.kind {
            ParamKind::Choice(choice) => Some(choice),
            ParamKind::Number(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fields::SWITCH;
    use super::{Group, PARAMS, ParamId, ParamKind, every, find};

    #[test]
    fn keys_are_distinct_and_fit_a_link() {
        for (place, param) in every().enumerate() {
            assert!(param.key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{}", param.key);
            assert!(!["v", "rev", "cluster", "gpu", "model"].contains(&param.key), "{}", param.key);
            assert_eq!(every().position(|other| other.key == param.key), Some(place), "{}", param.key);
            assert_eq!(find(param.key).map(|found| found.id), Some(param.id));
            assert_eq!(ParamId::ALL.get(place), Some(&param.id));
        }
    }

    #[test]
    fn the_controls_of_the_first_screen_have_the_names_that_tests_and_screen_readers_know() {
        let labels: Vec<_> =
            PARAMS.iter().filter(|param| param.group == Group::Main).map(|param| (param.key, param.label)).collect();
        let expected = [
            ("mem", "GPU memory"),
            ("link", "Link bandwidth"),
            ("seq", "Sequence length"),
            ("size", "Model size"),
            ("gpus", "GPUs"),
        ];
        assert_eq!(labels, expected);
    }

    #[test]
    fn option_keys_are_distinct_and_every_row_is_explained() {
        for param in every() {
            assert!(param.help.ends_with('.') && param.help.len() > 20, "{}", param.key);
            if let ParamKind::Choice(choice) = param.kind {
                for (place, option) in choice.options.iter().enumerate() {
                    assert!(option.help.ends_with('.') || choice.options == SWITCH, "{}", option.key);
                    assert_eq!(choice.options.iter().position(|other| other.key == option.key), Some(place));
                }
            }
        }
    }
}
