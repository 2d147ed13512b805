use proptest::prelude::*;

use super::*;
use crate::params::{ParamKind, every};

fn numbers() -> Vec<(&'static str, Number)> {
    every()
        .filter_map(|param| match param.kind {
            ParamKind::Number(number) => Some((param.key, number)),
            ParamKind::Choice(_) => None,
        })
        .collect()
}

fn number(key: &str) -> Number {
    numbers().into_iter().find(|(found, _)| *found == key).unwrap().1
}

#[test]
fn every_position_of_every_slider_is_valid_and_above_the_one_before() {
    for (key, number) in numbers() {
        let steps = slider_steps(&number);
        assert!((1..=1000).contains(&steps), "{key}: {steps}");
        let values: Vec<f64> = (0..=steps).map(|index| slider_value(&number, index)).collect();
        assert_eq!(values[0], number.min, "{key}");
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{key}: {values:?}");
        assert!(values[steps as usize] <= number.max, "{key}");
        for (index, &value) in values.iter().enumerate() {
            assert_eq!(slider_index(&number, value), index as u32, "{key}: {value}");
            assert!(!number.integer || value.fract() == 0.0, "{key}: {value}");
        }
        assert_eq!(slider_value(&number, steps + 9), values[steps as usize], "{key}");
    }
}

#[test]
fn sliders_pass_the_round_values_of_the_field() {
    let passes = |key: &str, wanted: f64| {
        let number = number(key);
        let value = slider_value(&number, slider_index(&number, wanted));
        assert_eq!(value, wanted, "{key}");
    };
    for gib in [8.0, 16.0, 24.0, 32.0, 40.0, 48.0, 80.0, 128.0, 512.0] {
        passes("mem", gib);
    }
    passes("intra", 100.0);
    for gbit in [1.0, 10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 3200.0] {
        passes("link", gbit);
    }
    for size in [1.3e9, 7e9, 13e9, 30e9, 65e9, 70e9, 310e9] {
        passes("size", size);
    }
    for tokens in [128.0, 8192.0, 1_048_576.0] {
        passes("seq", tokens);
    }
    for share in [0.0, 25.0, 50.0, 100.0] {
        passes("keep", share);
    }
}

#[test]
fn a_value_between_doublings_or_outside_has_a_nearest_position() {
    let seq = number("seq");
    assert_eq!(slider_steps(&seq), 17);
    assert_eq!(slider_index(&seq, 10_000.0), 6);
    assert_eq!(slider_index(&seq, 1.0), 0);
    assert_eq!(slider_index(&seq, 0.0), 0);
    assert_eq!(slider_index(&seq, f64::NAN), 0);
    assert_eq!(slider_index(&seq, f64::INFINITY), 17);
    assert_eq!(slider_index(&number("mem"), 1e99), slider_steps(&number("mem")));
}

#[test]
fn ticks_are_round() {
    assert_eq!(ticks(Scale::Log, 8.0, 512.0, 8), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
    assert_eq!(ticks(Scale::Log, 8.0, 512.0, 3), [10.0, 100.0]);
    assert_eq!(ticks(Scale::Log, 1.0, 1e6, 4), [1.0, 100.0, 1e4, 1e6]);
    assert_eq!(ticks(Scale::Log, 1.3e9, 310e9, 8), [2e9, 5e9, 1e10, 2e10, 5e10, 1e11, 2e11]);
    assert_eq!(ticks(Scale::Log, 30.0, 45.0, 5), [30.0, 35.0, 40.0, 45.0]);
    assert_eq!(ticks(Scale::PowersOfTwo, 128.0, 1024.0, 8), [128.0, 256.0, 512.0, 1024.0]);
    assert_eq!(ticks(Scale::PowersOfTwo, 100.0, 3000.0, 8), [128.0, 256.0, 512.0, 1024.0, 2048.0]);
    assert_eq!(
        ticks(Scale::PowersOfTwo, 128.0, 1_048_576.0, 7),
        [128.0, 512.0, 2048.0, 8192.0, 32768.0, 131072.0, 524288.0]
    );
    assert_eq!(ticks(Scale::Linear, 0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    assert_eq!(ticks(Scale::Linear, 0.0, 0.57, 6), [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]);
    assert_eq!(ticks(Scale::Linear, -0.3, 0.3, 4), [-0.2, 0.0, 0.2]);
}

#[test]
fn an_axis_without_extent_has_no_ticks() {
    for (min, max) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(ticks(Scale::Log, min, max, 8).is_empty());
    }
    assert!(ticks(Scale::Linear, 0.0, 1.0, 0).is_empty());
}

#[test]
fn samples_hold_both_ends() {
    for scale in [Scale::Linear, Scale::Log, Scale::PowersOfTwo] {
        assert_eq!(sample(scale, 128.0, 4096.0, 0, 200), 128.0);
        assert_eq!(sample(scale, 128.0, 4096.0, 199, 200), 4096.0);
        assert_eq!(sample(scale, 128.0, 4096.0, 0, 1), 128.0);
    }
    assert!((sample(Scale::Log, 1.0, 100.0, 1, 3) - 10.0).abs() < 1e-12);
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn ticks_rise_within_the_axis(a in -1e6..1e12_f64, b in -1e6..1e12_f64, most in 1..20_usize) {
        for scale in [Scale::Linear, Scale::Log, Scale::PowersOfTwo] {
            let ticks = ticks(scale, a, b, most);
            prop_assert!(ticks.len() <= most + 1, "{ticks:?}");
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{ticks:?}");
            prop_assert!(ticks.iter().all(|tick| (a..=b).contains(tick)), "{ticks:?}");
        }
    }

    #[test]
    fn fraction_and_value_undo_each_other(fraction in 0.0..=1.0_f64) {
        for scale in [Scale::Linear, Scale::Log, Scale::PowersOfTwo] {
            let back = fraction_at(scale, 8.0, 512.0, value_at(scale, 8.0, 512.0, fraction));
            prop_assert!((back - fraction).abs() < 1e-12);
        }
    }
}
