//! Text in a number's field: gives a value within its bounds, or a sentence with one.

use engine::params::quantity::{is_valid, parse, text, with_unit};
use engine::params::{ParamKind, every};

/// Parses the bytes as a number's text, and checks the value or the sentence.
///
/// # Panics
/// When a check fails.
pub fn check(data: &[u8]) {
    let Some((place, rest)) = data.split_first() else { return };
    let Some((current, typed)) = rest.split_first_chunk::<8>() else { return };
    let Some(param) = every().nth(usize::from(*place) % every().count()) else { return };
    let ParamKind::Number(number) = param.kind else { return };
    let typed = String::from_utf8_lossy(typed);
    match parse(param.label, &number, &typed, f64::from_le_bytes(*current)) {
        Ok(value) => {
            assert!(is_valid(&number, value), "{typed}: {value}");
            for written in [text(number.unit, value), with_unit(number.unit, value)] {
                let read = parse(param.label, &number, &written, number.min);
                assert_eq!(read.map(f64::to_bits), Ok(value.to_bits()), "{}: {typed}, {written}", param.key);
            }
        }
        Err(error) => {
            assert!(is_valid(&number, error.nearest), "{}: {typed}, {}", param.key, error.nearest);
            assert!(error.message.ends_with('.'), "{}", error.message);
        }
    }
}
