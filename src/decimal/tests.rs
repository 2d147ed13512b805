use proptest::prelude::*;

use super::*;

/// Reads text here and in the standard library, whose words for what is no number have no place here.
fn check(text: &str) {
    assert_eq!(parse(text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{text}");
}

#[test]
fn hard_texts_are_read_as_in_the_standard_library() {
    for text in [
        "",
        "+",
        "-",
        ".",
        "e",
        "e5",
        ".e5",
        "1e",
        "1e+",
        "1.",
        ".5",
        "+.5e+1",
        "-0",
        "00012.50e-01",
        "1.2.3",
        "1e5.0",
        " 1",
        "1 ",
        "1e400",
        "-1e400",
        "1e-400",
        "0e999999999999",
        "1e999999999999",
        "1e-999999999999",
        "1,5",
        "0x1",
        "1_000",
        "½",
        "1e--5",
        "++1",
        "9007199254740993",
        "9007199254740992.9999999999999999999999999999999999999999999",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "6631236846766476e-316",
        "179769313486231580793e289",
    ] {
        check(text);
    }
    // The middle between zero and the smallest number with all its digits, and a little beside it.
    let middle = format!("{:.1074}", 5e-324).replace("494065", "247032");
    check(&middle);
    check(&format!("{middle}1"));
    check(&"123456789".repeat(200));
    check(&format!("0.{}1", "0".repeat(5000)));
    check(&format!("0.{}1e5000", "0".repeat(5000)));
    check(&format!("1{}e-5000", "0".repeat(5000)));
}

#[test]
fn every_power_of_two_is_read_as_in_the_standard_library() {
    for exponent in 0..2046_u64 {
        for bits in [(exponent << MANTISSA_BITS).saturating_sub(1), exponent << MANTISSA_BITS] {
            check(&format!("{:e}", f64::from_bits(bits)));
        }
    }
}

#[test]
fn what_is_no_number_stays() {
    assert_eq!((rounded(f64::INFINITY, 3), exponent(f64::NAN), exponent(0.0)), (f64::INFINITY, 0, 0));
    assert!(rounded(f64::NAN, 3).is_nan());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn every_number_is_read_as_in_the_standard_library(bits: u64) {
        let value = f64::from_bits(bits);
        prop_assume!(value.is_finite());
        check(&format!("{value:e}"));
        check(&format!("{value:.25e}"));
    }

    #[test]
    fn numbers_are_rounded_as_in_the_standard_library(value in -1e6_f64..1e6, scale in -15_i32..15, digits in 1_usize..18) {
        let value = value * 10_f64.powi(scale);
        prop_assert_eq!(rounded(value, digits), format!("{value:.*e}", digits - 1).parse::<f64>().unwrap());
    }

    #[test]
    fn every_text_is_read_as_in_the_standard_library(
        text in "[+-]?[0-9]{0,25}(\\.[0-9]{0,25})?([eE][+-]?[0-9]{1,3})?",
    ) {
        check(&text);
    }

    #[test]
    fn middles_between_whole_numbers_are_read_as_in_the_standard_library(
        half in (1_u64 << MANTISSA_BITS)..(1 << (MANTISSA_BITS + 1)), shift in 1_u32..60, beside in 0_usize..3,
    ) {
        let middle = (2 * u128::from(half) + 1) << (shift - 1);
        check(&format!("{middle}{}", ["", ".0000001", "e-0"][beside]));
    }
}

/// Writes a number here and in the standard library.
fn check_written(value: f64) {
    assert_eq!(plain(value), format!("{value}"));
    assert_eq!(with_exponent(value), format!("{value:e}"));
    for decimals in 0..5 {
        assert_eq!(fixed(value, decimals), format!("{value:.decimals$}"), "{value:e}");
    }
    for digits in 1..18 {
        let theirs: f64 = format!("{value:.*e}", digits - 1).parse().unwrap();
        assert!(rounded(value, digits) == theirs || theirs.is_infinite(), "{value:e} {digits}");
    }
}

#[test]
fn hard_numbers_are_written_as_in_the_standard_library() {
    for value in [
        0.0,
        -0.0,
        1.0,
        0.1,
        0.3,
        0.25,
        0.35,
        0.5,
        1.5,
        2.5,
        9.5,
        9.95,
        99.95,
        999.95,
        0.05,
        0.04,
        0.06,
        0.001,
        1e21,
        1e22,
        1e23,
        5e-324,
        1.8e16,
        f64::MAX,
        f64::MIN_POSITIVE,
        8192.0,
        13e9,
        1.0 / 3.0,
        123_456_789.125,
        // A quarter is halfway between tenths.
        8_862_039_280_938_129.0 / 4.0,
        8_862_039_280_938_131.0 / 4.0,
        8_862_039_280_938_133.0 / 4.0,
    ] {
        check_written(value);
        check_written(-value);
    }
    assert_eq!([f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(plain), ["NaN", "inf", "-inf"]);
    assert_eq!([f64::NAN, f64::INFINITY].map(|value| fixed(value, 2)), ["NaN", "inf"]);
}

proptest! {
    #[test]
    fn numbers_are_written_as_in_the_standard_library(
        value in proptest::num::f64::NORMAL, near in -1e6..1e6, quarters in (1_u64 << 50)..(1 << MANTISSA_BITS),
    ) {
        check_written(value);
        check_written(quarters as f64 / 4.0);
        check_written(near);
        check_written(rounded(near, 4));
    }
}
