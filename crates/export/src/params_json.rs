//! The table of parameters as JSON: the data that a slider or a menu needs.

use serde::Serialize;

use engine::params::{Choice, Number, Param, ParamKind, Scale, every, is_held, quantity};
use engine::scenario::Scenario;
use links::spelling::names_of;
use links::v1;

/// One row.
#[derive(Debug, Serialize)]
struct ParamJson {
    /// Its key in links.
    key: &'static str,
    label: &'static str,
    /// Its CSV header, unit included.
    name: &'static str,
    /// Other names that are accepted.
    names: Vec<&'static str>,
    group: &'static str,
    help: &'static str,
    /// Whether the parameter has an effect in the scenario.
    applies: bool,
    #[serde(flatten)]
    kind: KindJson,
}

/// Kind of a value.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum KindJson {
    /// A number in its unit.
    Number { unit: &'static str, min: f64, max: f64, scale: &'static str, integer: bool, default: f64, value: f64 },
    /// One of its options, by key.
    Choice { options: Vec<OptionJson>, default: Option<&'static str>, value: Option<&'static str> },
}

/// One option of a choice.
#[derive(Debug, Serialize)]
struct OptionJson {
    key: &'static str,
    label: &'static str,
    help: &'static str,
}

/// Returns every parameter with its bounds, its default (its value in the starting point of links)
/// and its value in this scenario.
pub fn params_json(scenario: &Scenario) -> impl Serialize + use<> {
    let start = v1::start();
    every().map(|param| row(param, &start, scenario)).collect::<Vec<_>>()
}

fn row(param: &Param, start: &Scenario, scenario: &Scenario) -> ParamJson {
    ParamJson {
        key: param.key,
        label: param.label,
        name: param.csv,
        names: names_of(param.id).filter(|name| *name != param.csv).collect(),
        group: group_key(param),
        help: param.help,
        applies: (param.applies)(scenario) && is_held(param, scenario),
        kind: match &param.kind {
            ParamKind::Number(number) => number_json(&number.within(scenario), start, scenario),
            ParamKind::Choice(choice) => choice_json(choice, start, scenario),
        },
    }
}

fn number_json(number: &Number, start: &Scenario, scenario: &Scenario) -> KindJson {
    // The value that a link would hold: 200 Gbit/s, not 199.99999999999997.
    let value = |of: &Scenario| quantity::exact(number, of).unwrap_or_else(|| (number.get)(of));
    KindJson::Number {
        unit: quantity::unit_label(number.unit),
        min: number.min,
        max: number.max,
        scale: match number.scale {
            Scale::Linear => "linear",
            Scale::Log => "log",
            Scale::PowersOfTwo => "doublings",
        },
        integer: number.integer,
        default: value(start),
        value: value(scenario),
    }
}

fn choice_json(choice: &Choice, start: &Scenario, scenario: &Scenario) -> KindJson {
    let key = |of: &Scenario| choice.options.get((choice.get)(of)).map(|option| option.key);
    let options = choice.options.iter();
    KindJson::Choice {
        options: options.map(|option| OptionJson { key: option.key, label: option.label, help: option.help }).collect(),
        default: key(start),
        value: key(scenario),
    }
}

fn group_key(param: &Param) -> &'static str {
    use engine::params::Group;
    match param.group {
        Group::Main => "main",
        Group::Trained => "trained",
        Group::Data => "data",
        Group::Training => "training",
        Group::Sharding => "sharding",
        Group::Parallelism => "parallelism",
        Group::Experts => "experts",
        Group::Kernels => "kernels",
        Group::Hardware => "hardware",
        Group::Network => "network",
        Group::Accounting => "accounting",
        Group::Architecture => "architecture",
        Group::Run => "run",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn a_row_has_its_bounds_its_default_and_its_value() {
        let json = serde_json::to_value(params_json(&decode("link=400&strategy=ddp").scenario)).unwrap();
        let rows = json.as_array().unwrap();
        assert_eq!(rows.len(), every().count());
        let find = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap();
        let link = find("link");
        assert_eq!((link["unit"].as_str(), link["scale"].as_str()), (Some("Gbit/s"), Some("log")));
        assert_eq!((link["default"].as_f64(), link["value"].as_f64()), (Some(200.0), Some(400.0)));
        let strategy = find("strategy");
        assert_eq!((strategy["default"].as_str(), strategy["value"].as_str()), (Some("full-shard"), Some("ddp")));
        assert_eq!(find("shard")["applies"], false);
    }
}
