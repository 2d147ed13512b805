//! The rows of the table. To add a parameter, write its row in the file of its group and list it in
//! [`super::id`].

/// A row with named options, for a field of the scenario.
macro_rules! picked {
    (
        $(#[$doc:meta])* $name:ident, $group:ident, $($field:ident).+, $key:literal, $label:literal, $csv:literal,
        [$($special:ident($($value_of:expr),*)),*], $help:literal, $($value:expr => $option:literal, $named:literal, $meaning:literal;)+
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: $csv,
            group: Group::$group,
            help: $help,
            kind: choice(
                &[$(option($option, $named, $meaning)),+],
                |scenario| position(&[$($value),+], &scenario.$($field).+),
                |scenario, index| {
                    if let Some(&value) = [$($value),+].get(index) {
                        scenario.$($field).+ = value;
                    }
                },
            ),
            ..Param::DEFAULT
        }
        $(.$special($($value_of),*))*;
    };
}

/// A row with the options on and off.
macro_rules! switched {
    (
        $(#[$doc:meta])* $name:ident, $group:ident, $($field:ident).+, $key:literal, $label:literal, $csv:literal,
        [$($special:ident($($value_of:expr),*)),*], $help:literal
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: $csv,
            group: Group::$group,
            help: $help,
            kind: switched(
                |scenario| usize::from(scenario.$($field).+),
                |scenario, index| {
                    if index < 2 {
                        scenario.$($field).+ = index == 1;
                    }
                },
            ),
            ..Param::DEFAULT
        }
        $(.$special($($value_of),*))*;
    };
}

/// A row that counts something in a field of the scenario, without a unit.
macro_rules! counted {
    (
        $(#[$doc:meta])* $name:ident, $group:ident, $($field:ident).+, $key:literal, $label:literal, $csv:literal,
        $min:literal ..= $max:literal, [$($special:ident($($value_of:expr),*)),*], $help:literal
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: $csv,
            group: Group::$group,
            help: $help,
            kind: count(
                Unit::None,
                ($min, $max),
                |scenario| f64::from(scenario.$($field).+),
                |scenario, value| scenario.$($field).+ = whole(value),
            ),
            ..Param::DEFAULT
        }
        $(.$special($($value_of),*))*;
    };
}

pub(super) mod accounting;
pub(super) mod anchor;
pub(super) mod architecture;
pub(super) mod constants;
pub(super) mod data;
pub(super) mod experts;
pub(super) mod hardware;
pub(super) mod host;
pub(super) mod images;
pub(super) mod kernels;
pub(super) mod main_controls;
pub(super) mod objective;
pub(super) mod optimizer;
pub(super) mod parallelism;
pub(super) mod recompute;
pub(super) mod run;
pub(super) mod sharding;
pub(super) mod trained;
pub(super) mod training;

use super::{AxisUse, Choice, ChoiceOption, Group, Kind, Number, Param, Scale, Unit};
use crate::model::training::Recompute;
use crate::scenario::Scenario;

/// For rows about experts.
fn with_experts(scenario: &Scenario) -> bool {
    scenario.model.architecture().has_experts()
}

/// For rows about a fraction of activations.
fn with_fraction(scenario: &Scenario) -> bool {
    scenario.recompute == Recompute::Fraction
}

/// For rows that only matter if every GPU keeps whole weights, which FSDP shards.
fn unsharded_weights(scenario: &Scenario) -> bool {
    !with_fsdp(scenario)
}

/// For rows about sharded weights.
fn with_fsdp(scenario: &Scenario) -> bool {
    scenario.strategy.shards_weights()
}

/// For rows about the shard group.
fn with_shard_group(scenario: &Scenario) -> bool {
    scenario.strategy.uses_shard_size()
}

/// For rows about the whole run, whose numbers do not change the results of a step.
fn never(_: &Scenario) -> bool {
    false
}

/// One hundred percent.
const PERCENT: f64 = 100.0;

/// Rounds to a whole number that a field can hold; negative numbers and NaN become 0.
fn whole(value: f64) -> u32 {
    value.round() as u32
}

/// Returns the index of a choice among its options.
fn position<T: PartialEq>(all: &[T], chosen: &T) -> usize {
    all.iter().position(|option| option == chosen).unwrap_or(0)
}

/// Creates an option of a choice.
const fn option(key: &'static str, label: &'static str, help: &'static str) -> ChoiceOption {
    ChoiceOption { key, label, help }
}

/// Creates a number in its unit, on a given scale.
const fn number(
    unit: Unit,
    (min, max): (f64, f64),
    scale: Scale,
    get: fn(&Scenario) -> f64,
    set: fn(&mut Scenario, f64),
) -> Kind {
    Kind::Number(Number { unit, min, max, scale, integer: false, bounds: None, get, set })
}

/// Creates a whole number, on a slider of doublings unless it starts at 0.
const fn count(unit: Unit, (min, max): (f64, f64), get: fn(&Scenario) -> f64, set: fn(&mut Scenario, f64)) -> Kind {
    let scale = if min > 0.0 { Scale::PowersOfTwo } else { Scale::Linear };
    Kind::Number(Number { unit, min, max, scale, integer: true, bounds: None, get, set })
}

/// Creates a choice among options.
const fn choice(options: &'static [ChoiceOption], get: fn(&Scenario) -> usize, set: fn(&mut Scenario, usize)) -> Kind {
    Kind::Choice(Choice { options, get, set })
}

/// The options of a switch.
const SWITCH: &[ChoiceOption] = &[option("no", "Off", ""), option("yes", "On", "")];

/// Creates a switch: on or off.
const fn switched(get: fn(&Scenario) -> usize, set: fn(&mut Scenario, usize)) -> Kind {
    choice(SWITCH, get, set)
}

#[cfg(test)]
mod tests {
    use super::SWITCH;
    use crate::params::{Group, Kind, PARAMS, ParamId, every, find};

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
            if let Kind::Choice(choice) = param.kind {
                for (place, option) in choice.options.iter().enumerate() {
                    assert!(option.help.ends_with('.') || choice.options == SWITCH, "{}", option.key);
                    assert_eq!(choice.options.iter().position(|other| other.key == option.key), Some(place));
                }
            }
        }
    }
}
