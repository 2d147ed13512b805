use super::*;

/// Replaces thin spaces with plain ones.
fn plain(text: &str) -> String {
    text.replace(THIN_SPACE, " ")
}

#[test]
fn usable_memory_names_the_whole_where_it_is_less() {
    let gib = Bytes::from_gib;
    assert_eq!(usable(gib(79.11), gib(80.0)), "79.1\u{2009}GiB usable (of 80\u{2009}GiB)");
    assert_eq!(usable(gib(40.0), gib(40.0)), "40.0\u{2009}GiB");
}

#[test]
fn a_range_says_its_unit_once() {
    let range = |low, high| plain(&range(&seconds(Seconds::new(low)), &seconds(Seconds::new(high))));
    assert_eq!(range(1.96, 2.77), "1.96–2.77 s");
    assert_eq!(range(0.95, 1.1), "950 ms–1.10 s");
    assert_eq!(super::range("1,810", "2,130"), "1,810–2,130");
}

#[test]
fn memory() {
    let gib = |value| plain(&bytes(Bytes::from_gib(value)));
    assert_eq!(gib(38.23), "38.2 GiB");
    assert_eq!(gib(80.0), "80.0 GiB");
    assert_eq!(gib(0.5), "512 MiB");
    assert_eq!(gib(1234.0), "1.21 TiB");
    assert_eq!(plain(&bytes_of(Bytes::from_gib(32.31), Bytes::from_gib(39.5))), "32.3 of 39.5 GiB");
    assert_eq!(plain(&bytes_of(Bytes::from_gib(0.5), Bytes::from_gib(39.5))), "512 MiB of 39.5 GiB");
    assert_eq!([0.0, 0.456, 0.98, 1.0].map(|share| plain(&odds(share))), ["under 5 %", "46 %", "98 %", "over 98 %"]);
    assert_eq!(gib(0.0), "0 GiB");
    assert_eq!(gib(-3.456), "−3.46 GiB");
    assert_eq!(gib(0.9996), "1.00 GiB");
    assert_eq!(gib(1e-9), "1.07 bytes");
}

#[test]
fn time() {
    let s = |value| plain(&seconds(Seconds::new(value)));
    assert_eq!(s(4.2149), "4.21 s");
    assert_eq!(s(0.0873), "87.3 ms");
    assert_eq!(s(12e-6), "12.0 µs");
    assert_eq!(s(0.99999), "1.00 s");
    assert_eq!(s(0.0), "0 s");
    assert_eq!(s(12_345.0), "12,300 s");
    assert_eq!(s(3e-9), "3.00 ns");
}

#[test]
fn rates() {
    assert_eq!(plain(&tokens_per_s(3851.0)), "3,850 tokens/s");
    assert_eq!(plain(&tokens_per_s(999_999.0)), "1.00 M tokens/s");
    assert_eq!(plain(&tokens_per_s(1.234e6)), "1.23 M tokens/s");
    assert_eq!(plain(&tokens_per_s(2.5e9)), "2.50 G tokens/s");
    assert_eq!(plain(&tokens_per_s(0.0)), "0 tokens/s");
    assert_eq!(plain(&gbit_per_s(BytesPerSecond::from_gbit_per_s(200.0))), "200 Gbit/s");
    assert_eq!(plain(&gb_per_s(BytesPerSecond::from_gb_per_s(1555.0))), "1,560 GB/s");
    assert_eq!(plain(&tflops(FlopsPerSecond::from_tflops(312.0))), "312 TFLOP/s");
    assert_eq!(plain(&percent(0.43219)), "43.2 %");
    assert_eq!(plain(&percent(0.0)), "0 %");
    assert_eq!(plain(&percent(1.0)), "100 %");
}

#[test]
fn sizes() {
    assert_eq!(params(13e9), "13B");
    assert_eq!(params(6_738_415_616.0), "6.74B");
    assert_eq!(params(125e6), "125M");
    assert_eq!(params(1.5e12), "1.5T");
    assert_eq!(params(999.9e6), "1B");
    assert_eq!(params(12.0), "12");
}

#[test]
fn values_in_their_units() {
    assert_eq!(plain(&value(Unit::Gib, 80.0)), "80 GiB");
    assert_eq!(plain(&value(Unit::Gib, 79.649)), "79.6 GiB");
    assert_eq!(plain(&value(Unit::Tokens, 8192.0)), "8,192 tokens");
    assert_eq!(plain(&value(Unit::Params, 13e9)), "13B");
    assert_eq!(plain(&value(Unit::Percent, 7.000_000_000_000_001)), "7 %");
    assert_eq!(value(Unit::None, 16_384.0), "16,384");
    assert_eq!(value(Unit::None, 2.5), "2.5");
}

#[test]
fn ticks_are_short() {
    assert_eq!(tick(Unit::Tokens, 128.0), "128");
    assert_eq!(tick(Unit::Tokens, 8192.0), "8k");
    assert_eq!(tick(Unit::Tokens, 1_048_576.0), "1M");
    assert_eq!(tick(Unit::Params, 13e9), "13B");
    assert_eq!(tick(Unit::Gib, 80.0), "80");
    assert_eq!(tick(Unit::None, 16_384.0), "16,384");
    assert_eq!(tick(Unit::Percent, 0.0), "0");
}

#[test]
fn counts() {
    assert_eq!(count(1024.0), "1,024");
    assert_eq!(count(0.03123), "0.0312");
    assert_eq!(count(5.0), "5");
    assert_eq!(count(1e12), "1,000,000,000,000");
    assert_eq!(count(-2.5), "−2.50");
}

#[test]
fn changes_have_signs() {
    let gib = |change| plain(&delta(Bytes::from_gib(change).get(), |change| bytes(Bytes::new(change))));
    assert_eq!(gib(1.2), "+1.20 GiB");
    assert_eq!(gib(-0.5), "−512 MiB");
    assert_eq!(gib(0.0), "±0 GiB");
    assert_eq!(plain(&delta_points(0.032)), "+3.20 points");
}

#[test]
fn what_is_no_number_is_a_dash_with_the_reason() {
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let all = [
            bytes(Bytes::new(odd)),
            seconds(Seconds::new(odd)),
            tokens_per_s(odd),
            percent(odd),
            params(odd),
            gbit_per_s(BytesPerSecond::new(odd)),
            gb_per_s(BytesPerSecond::new(odd)),
            tflops(FlopsPerSecond::new(odd)),
            count(odd),
            value(Unit::Gib, odd),
            tick(Unit::Tokens, odd),
            delta(odd, percent),
            delta_points(odd),
        ];
        for text in all {
            assert_eq!(text, if odd.is_nan() { "– (undefined)" } else { "– (unlimited)" });
        }
    }
}

#[test]
fn long_times_have_at_least_two_of_their_unit() {
    let said = |seconds| duration(Seconds::new(seconds)).replace(THIN_SPACE, " ");
    assert_eq!(said(15.49), "15.5 s");
    assert_eq!(said(119.0), "119 s");
    assert_eq!(said(120.0), "2.00 min");
    assert_eq!(said(36.0 * 3600.0), "36.0 h");
    assert_eq!(said(54.0 * 86_400.0), "54.0 days");
    assert_eq!(said(1000.0 * 86_400.0), "2.74 years");
    assert_eq!(said(f64::INFINITY), "– (unlimited)");
}
