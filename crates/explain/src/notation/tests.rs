use super::*;
use Tree::{Call, Fraction, Group, Number, Operator, Power, Row, Symbol};

#[test]
fn a_fraction_takes_the_product_before_it() {
    let read = parse("MFU = F · n / (T_step · N)").unwrap();
    let over = Row(vec![Symbol("F"), Operator('·'), Symbol("n")]);
    let under = Group(Box::new(Row(vec![Symbol("T_step"), Operator('·'), Symbol("N")])));
    assert_eq!(read, Row(vec![Symbol("MFU"), Operator('='), Fraction(Box::new([over, under]))]));
}

#[test]
fn sums_powers_and_functions_are_read() {
    let square = Power(Box::new([Symbol("H"), Number("2")]));
    assert_eq!(parse("1.5 + H^2").unwrap(), Row(vec![Number("1.5"), Operator('+'), square]));
    let most = Call("max", vec![Number("0"), Row(vec![Number("1"), Operator('−'), Symbol("τ")])]);
    assert_eq!(parse("max(0, 1 − τ)").unwrap(), most);
    assert_eq!(parts("T_step"), ("T", "step"));
    assert_eq!(symbols("x = max(x, b_w · 2)"), ["x", "b_w"]);
    assert_eq!(write_line("x = 2 · b_w", |name| format!("<{name}>")), "<x> = 2 · <b_w>");
}

#[test]
fn what_is_no_formula_is_none() {
    for text in ["", "=", "a +", "(a", "a)", "a b", "max(", "a ^", "· a", "a, b", "2x", &"(".repeat(100_000)] {
        assert_eq!(parse(text), None, "{text:.20}");
    }
}

#[test]
fn any_text_is_read_without_a_panic() {
    use proptest::prelude::*;
    proptest!(crate::cases::cases(256), |(text in "[a-zT_0-9 ·+−=/^(),.é\u{1F600}]{0,40}")| {
        let _ = (parse(&text), symbols(&text), write_line(&text, str::to_owned));
    });
}
