use proptest::prelude::*;

use super::*;
use crate::params::{ParamKind, every, find};

fn number(key: &str) -> (&'static str, Number) {
    match find(key).map(|param| (param.label, param.kind)) {
        Some((label, ParamKind::Number(number))) => (label, number),
        _ => panic!("no number {key}"),
    }
}

fn read(key: &str, typed: &str) -> f64 {
    let (label, number) = number(key);
    parse(label, &number, typed, number.min).unwrap_or_else(|error| panic!("{typed}: {}", error.message))
}

fn complaint(key: &str, typed: &str, current: f64) -> (String, f64) {
    let (label, number) = number(key);
    let error = parse(label, &number, typed, current).expect_err(typed);
    (error.message.replace('\u{2009}', " "), error.nearest)
}

#[test]
fn sequence_lengths_count_in_binary_thousands() {
    for typed in ["8k", "8K", "8192", "8,192", "8 192", "8 Ki", "8192 tokens", "8k tokens", "8'192", "8_192", "+8k"] {
        assert_eq!(read("seq", typed), 8192.0, "{typed}");
    }
    assert_eq!(read("seq", "1M"), 1_048_576.0);
    assert_eq!(read("seq", "1,048,576"), 1_048_576.0);
    assert_eq!(read("seq", "128\u{202f}k"), 131_072.0);
    assert_eq!(read("gpus", "16k"), 16_384.0);
    assert_eq!(read("gpus", "64 GPUs"), 64.0);
    assert_eq!(read("gpus", "8x"), 8.0);
}

/// A point groups thousands in German, and no count of GPUs or tokens has decimals.
#[test]
fn a_point_between_groups_of_three_digits_offers_the_whole_number() {
    for (key, typed, meant) in
        [("seq", "8.192", 8192.0), ("gpus", "1.024", 1024.0), ("gpus", "1.000", 1000.0), ("seq", "131.072", 131_072.0)]
    {
        let (message, nearest) = complaint(key, typed, 1.0);
        assert!(nearest == meant && message.contains("without it"), "{typed}: {message}");
    }
    assert_eq!(read("gpus", "8.0"), 8.0);
    assert_eq!(read("seq", "1.5k"), 1536.0);
}

#[test]
fn memory_is_in_gib_whatever_the_vendor_calls_it() {
    for typed in ["80", "80GB", "80 GiB", "80 gb", "80g", "80\u{a0}GiB", "80\u{2009}GiB", "80.0", "81920 MiB", "8e1"] {
        assert_eq!(read("mem", typed), 80.0, "{typed}");
    }
    assert_eq!(read("mem", "0.25 TB"), 256.0);
    assert_eq!(read("mem", "94,5"), 94.5);
}

#[test]
fn links_are_converted_between_bits_and_bytes() {
    for typed in [
        "400",
        "400G",
        "400 Gbit/s",
        "400Gbps",
        "400 Gb/s",
        "400 gb/s",
        "50 GB/s",
        "50GBps",
        "0.4 Tbit/s",
        "400000 Mbit",
    ] {
        assert_eq!(read("link", typed), 400.0, "{typed}");
    }
    for typed in ["300", "300 GB/s", "300 gb/s", "2400 Gbit/s", "2400 Gb/s", "0.3 TB/s", "300GBps"] {
        assert_eq!(read("intra", typed), 300.0, "{typed}");
    }
    assert_eq!(read("hbm", "3.35 TB/s"), 3350.0);
    assert_eq!(read("peak", "989 TFLOPS"), 989.0);
    assert_eq!(read("peak", "2.25 PFLOP/s"), 2250.0);
    assert_eq!(read("lat", "5 μs"), 5.0);
    assert_eq!(read("lat", "0.01 ms"), 10.0);
    assert_eq!(read("eff", "65%"), 65.0);
    assert_eq!(read("eff", "65 percent"), 65.0);
}

#[test]
fn a_run_is_typed_as_people_say_it() {
    for typed in ["1.5T", "1.5t tokens", "1500B", "1.5e12", "1,500 billion"] {
        assert_eq!(read("tokens", typed), 1.5e12, "{typed}");
    }
    assert_eq!(read("price", "2.5 $/h"), 2.5);
    assert_eq!(read("co2", "57 g/kWh"), 57.0);
    assert_eq!(read("restart", "1 h"), 60.0);
    assert_eq!(read("restart", "90 s"), 1.5);
    assert_eq!(read("mtbf", "5 years"), 43_800.0);
    assert_eq!(read("ckptevery", "30"), 30.0);
    assert_eq!(read("storage", "2 TB/s"), 2000.0);
    assert_eq!(read("critbatch", "4M tokens"), 4e6);
    assert_eq!(with_unit(Unit::TrainTokens, 1.5e12), "1.5T\u{2009}tokens");
}

#[test]
fn sizes_are_in_billions_and_exact() {
    for typed in ["13B", "13b", "13 B", "13e9", "13 billion", "13,000,000,000", "0.013T", "13000M", "13G", "1.3e10"] {
        assert_eq!(read("size", typed), 13e9, "{typed}");
    }
    assert_eq!(read("size", "70 b"), 70e9);
    assert_eq!(read("size", "2.07B"), 2_070_000_000.0);
}

#[test]
fn complaints_name_the_text_and_what_is_valid() {
    let cases = [
        (
            "mem",
            "abc",
            "“abc” is not a number: GPU memory must be a number from 8 GiB to 512 GiB, for example 40 GiB.",
            40.0,
        ),
        (
            "mem",
            "nan",
            "“nan” is not a number: GPU memory must be a number from 8 GiB to 512 GiB, for example 40 GiB.",
            40.0,
        ),
        ("mem", "-1", "“-1” is too small: GPU memory must be at least 8 GiB.", 8.0),
        ("mem", "1e99", "“1e99” is too large: GPU memory must be at most 512 GiB.", 512.0),
        ("mem", "1e999", "“1e999” is too large: GPU memory must be at most 512 GiB.", 512.0),
        ("mem", "inf", "“inf” is too large: GPU memory must be at most 512 GiB.", 512.0),
        ("mem", "-∞", "“-∞” is too small: GPU memory must be at least 8 GiB.", 8.0),
        (
            "mem",
            " ",
            "The value is empty: GPU memory must be a number from 8 GiB to 512 GiB, for example 40 GiB.",
            40.0,
        ),
        (
            "mem",
            "80 kg",
            "“80 kg” has the wrong unit: GPU memory must be a number from 8 GiB to 512 GiB, for example 80 GiB.",
            80.0,
        ),
        (
            "gpus",
            "3.4",
            "“3.4” is not a whole number: GPUs must be a whole number from 1 to 131,072, for example 3.",
            3.0,
        ),
        ("gpus", "0", "“0” is too small: GPUs must be at least 1.", 1.0),
        (
            "seq",
            "1.2.3",
            "“1.2.3” is not a number: Sequence length must be a whole number from 128 tokens to 16,777,216 tokens, for example \
             128 tokens.",
            128.0,
        ),
        ("size", "13", "“13” counts single parameters: enter 13B for Model size in billions.", 13e9),
        ("size", "1.5T", "“1.5T” is too large: Model size must be at most 310B.", 310e9),
    ];
    for (key, typed, message, nearest) in cases {
        assert_eq!(complaint(key, typed, 40.0), (message.to_owned(), nearest), "{typed}");
    }
}

#[test]
fn a_long_text_is_quoted_in_part_and_on_one_line() {
    let (message, _) = complaint("mem", &"é\n".repeat(1000), 40.0);
    assert!(message.starts_with("“é é é é é é é é é é é é é é é é é é é é é é é é …” is not"), "{message}");
}

#[test]
fn values_are_written_as_people_write_them() {
    assert_eq!(text(Unit::Params, 13e9), "13B");
    assert_eq!(text(Unit::Params, 1.3e9), "1.3B");
    assert_eq!(text(Unit::Params, 310e9), "310B");
    assert_eq!(text(Unit::Params, 8_030_261_248.0), "8.030261248B");
    assert_eq!(text(Unit::Params, 1.5e12), "1.5T");
    assert_eq!(text(Unit::Params, 1e15), "1000T");
    assert_eq!(text(Unit::Params, 12.0), "12");
    assert_eq!(text(Unit::Tokens, 8192.0), "8192");
    assert_eq!(text(Unit::GbitPerS, 200.0), "200");
    assert_eq!(with_unit(Unit::Tokens, 1_048_576.0), "1,048,576\u{2009}tokens");
    assert_eq!(group_thousands("-1234567.25"), "-1,234,567.25");
}

proptest! {
    // Failing cases of the past are kept for this test.
    #![proptest_config(ProptestConfig {
        failure_persistence: ProptestConfig::default().failure_persistence,
        ..crate::cases::cases(256)
    })]

    /// Written text parses back to the same bits, in every unit.
    #[test]
    fn text_reads_back_to_the_same_bits(place in 0..every().count(), fraction in 0.0..=1.0_f64) {
        let param = every().nth(place).unwrap();
        if let ParamKind::Number(number) = param.kind {
            let value = number.min + fraction * (number.max - number.min);
            let value = if number.integer { value.round() } else { value };
            for written in [text(number.unit, value), with_unit(number.unit, value), format!("{value}")] {
                let read = parse(param.label, &number, &written, number.min);
                prop_assert_eq!(read.map(f64::to_bits), Ok(value.to_bits()), "{}", written);
            }
        }
    }

    /// Any typed text gives a value within the bounds or sentences with such a value, and never
    /// panics.
    #[test]
    fn anything_may_be_typed(place in 0..every().count(), typed in "\\PC{0,12}|[-+0-9.,eEkKMBGT/s %iu]{0,12}", current: f64) {
        let param = every().nth(place).unwrap();
        if let ParamKind::Number(number) = param.kind {
            match parse(param.label, &number, &typed, current) {
                Ok(value) => prop_assert!(is_valid(&number, value)),
                Err(error) => {
                    prop_assert!(is_valid(&number, error.nearest), "{}", error.nearest);
                    prop_assert!(error.message.ends_with('.'));
                }
            }
        }
    }
}
