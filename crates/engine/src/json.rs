//! Writes JSON as text with `serde_json`. Only the format of numbers differs: whole numbers have no
//! fraction, others have the fewest characters that parse back to the same number, so that a report
//! survives its text bit for bit.

use serde::Serialize as _;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{Result, Write};

use crate::digits::shortest;

/// Largest magnitude below which every whole number is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes a value for people: one entry per line, indented by two spaces per level.
///
/// ```
/// use engine::json::{compact, pretty};
/// use serde_json::json;
///
/// let json = json!({ "fits": true, "mfu": 0.001, "gpus": 8.0 });
/// assert_eq!(pretty(&json), "{\n  \"fits\": true,\n  \"mfu\": 1e-3,\n  \"gpus\": 8\n}\n");
/// assert_eq!(compact(&json), "{\"fits\":true,\"mfu\":1e-3,\"gpus\":8}");
/// ```
pub fn pretty(json: &Value) -> String {
    write(json, PrettyFormatter::new()) + "\n"
}

/// Writes a value without spaces.
pub fn compact(json: &Value) -> String {
    write(json, CompactFormatter)
}

fn write(json: &Value, layout: impl Formatter) -> String {
    let mut text = Vec::new();
    // Writing cannot fail: keys are text, numbers are finite, and a vector accepts everything.
    let _ = json.serialize(&mut Serializer::with_formatter(&mut text, ShortNumbers(layout)));
    String::from_utf8(text).unwrap_or_default()
}

/// A formatter that writes numbers in their short form.
struct ShortNumbers<L>(L);

impl<L: Formatter> Formatter for ShortNumbers<L> {
    fn write_f64<W: Write + ?Sized>(&mut self, text: &mut W, number: f64) -> Result<()> {
        // Counts of parameters and bytes keep all their digits.
        if number.fract() == 0.0 && number.abs() <= EXACT {
            write!(text, "{number}")
        } else {
            text.write_all(shortest(number).as_bytes())
        }
    }

    fn begin_array<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.begin_array(text)
    }

    fn end_array<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.end_array(text)
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, text: &mut W, first: bool) -> Result<()> {
        self.0.begin_array_value(text, first)
    }

    fn end_array_value<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.end_array_value(text)
    }

    fn begin_object<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.begin_object(text)
    }

    fn end_object<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.end_object(text)
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, text: &mut W, first: bool) -> Result<()> {
        self.0.begin_object_key(text, first)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.begin_object_value(text)
    }

    fn end_object_value<W: Write + ?Sized>(&mut self, text: &mut W) -> Result<()> {
        self.0.end_object_value(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_back_to_the_bit() {
        let numbers = [0.1 + 0.2, 1e300, -1.5e-300, 13e9, f64::MIN_POSITIVE, 9_007_199_254_740_993.0, -0.0, 0.0];
        let json = json!({ "numbers": numbers, "text": "“a\"b\\c\nd\u{1}\u{1f}é”", "nothing": {}, "none": [] });
        for text in [pretty(&json), compact(&json)] {
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["text"], json["text"], "{text}");
            for (read, number) in read["numbers"].as_array().unwrap().iter().zip(numbers) {
                assert_eq!(read.as_f64().unwrap().to_bits(), number.to_bits(), "{text}");
            }
            assert!(read["nothing"].as_object().unwrap().is_empty() && read["none"].as_array().unwrap().is_empty());
        }
    }

    #[test]
    fn numbers_have_their_shortest_form() {
        let json = json!([80.0, 8, -4.0, 0.0, 0.5, 1e-3, 1e300, 9_007_199_254_740_992.0, 123456789012345680000.0]);
        assert_eq!(compact(&json), "[80,8,-4,0,0.5,1e-3,1e300,9007199254740992,123456789012345680000]");
        assert_eq!(compact(&json!([-0.0])), "[-0]");
    }

    #[test]
    fn what_is_no_number_is_null() {
        assert_eq!(compact(&json!([f64::NAN, f64::INFINITY, 2.0, None::<f64>])), "[null,null,2,null]");
    }
}
