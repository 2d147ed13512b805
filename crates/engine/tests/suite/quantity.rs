//! Texts of numbers, as scenarios hold them.

use crate::cases::cases;
use catalog::{default_scenario, field_text};
use engine::params::quantity::{link_text, parse};
use engine::params::{Group, ParamKind, every, find};
use engine::scenario::Model;
use proptest::prelude::*;

#[test]
fn what_a_conversion_left_behind_is_not_shown() {
    let mut scenario = default_scenario();
    for (key, value) in [("eff", 7.0), ("link", 100.1), ("lat", 1.1), ("hbm", 2039.0), ("peak", 989.4), ("keep", 55.0)]
    {
        let number = find(key).and_then(|param| param.number()).unwrap();
        (number.set)(&mut scenario, value);
        assert_eq!(field_text(number, &scenario), value.to_string());
        assert_eq!(link_text(number, &scenario), value.to_string());
    }
}

proptest! {
    #![proptest_config(cases(256))]

    /// The text of a value sets the same scenario when it is read back, to the bit.
    #[test]
    fn link_text_sets_the_same_value(place in 0..every().count(), fraction in 0.0..=1.0_f64) {
        let param = every().nth(place).unwrap();
        if let ParamKind::Number(number) = param.kind {
            let mut scenario = default_scenario();
            if param.group == Group::Architecture {
                scenario.model = Model::Custom { architecture: scenario.model.architecture() };
            }
            (number.set)(&mut scenario, number.min + fraction * (number.max - number.min));
            let written = link_text(&number, &scenario);
            let mut copy = scenario;
            (number.set)(&mut copy, parse(param.label, &number, &written, number.min).unwrap());
            prop_assert_eq!(copy, scenario, "{}", written);
        }
    }
}
