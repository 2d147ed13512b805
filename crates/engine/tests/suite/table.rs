//! Rows of the table of parameters get and set what a scenario holds.

use catalog::default_scenario;
use engine::params::{ParamId, ParamKind, every};
use engine::scenario::Model;

#[test]
fn a_choice_out_of_range_changes_nothing() {
    let scenario = default_scenario();
    for param in every() {
        if let ParamKind::Choice(choice) = param.kind {
            let mut same = scenario;
            (choice.set)(&mut same, choice.options.len());
            assert_eq!(same, scenario, "{}", param.key);
        }
    }
}

#[test]
fn what_is_set_is_what_is_got() {
    let mut scenario = default_scenario();
    scenario.model = Model::Custom { architecture: scenario.model.architecture() };
    for param in every() {
        match param.kind {
            ParamKind::Number(number) => {
                for value in [number.min, number.max] {
                    (number.set)(&mut scenario, value);
                    let relative = ((number.get)(&scenario) - value) / value.max(1.0);
                    assert!(relative > -1e-15 && relative < 1e-15, "{}: {value}", param.key);
                }
            }
            ParamKind::Choice(choice) => {
                for index in 0..choice.options.len() {
                    (choice.set)(&mut scenario, index);
                    assert_eq!((choice.get)(&scenario), index, "{}", param.key);
                }
            }
        }
        if param.id == ParamId::ModelSize {
            scenario.model = Model::Custom { architecture: scenario.model.architecture() };
        }
    }
}
