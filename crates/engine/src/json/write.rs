//! JSON as text, and for programs that write with `serde`.

use core::fmt::{Display, Formatter, Result};
use serde::{Serialize, Serializer};

use super::Json;
use crate::digits::shortest;

/// Whole numbers up to here are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// A control character is written as `\u00` and two of these.
const DIGITS: &[u8; 16] = b"0123456789abcdef";

impl Json {
    /// As text for people: an entry a line, set in by two spaces a level.
    ///
    /// ```
    /// use engine::json::Json;
    ///
    /// let json = Json::object([("fits", true.into()), ("mfu", 0.1.into())]);
    /// assert_eq!(json.pretty(), "{\n  \"fits\": true,\n  \"mfu\": 0.1\n}\n");
    /// assert_eq!(json.to_string(), "{\"fits\":true,\"mfu\":0.1}");
    /// ```
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        write(self, Some(0), &mut text);
        text + "\n"
    }
}

/// As text without spaces.
impl Display for Json {
    fn fmt(&self, out: &mut Formatter) -> Result {
        let mut text = String::new();
        write(self, None, &mut text);
        out.write_str(&text)
    }
}

/// Writes a value at this level; without one, on one line.
fn write(json: &Json, level: Option<usize>, text: &mut String) {
    let deeper = level.map(|level| level + 1);
    match json {
        Json::Bool(yes) => *text += if *yes { "true" } else { "false" },
        // Counts of parameters and bytes have all their digits.
        Json::Number(number) if is_whole(*number) => *text += &number.to_string(),
        Json::Number(number) if number.is_finite() => *text += &shortest(*number),
        Json::Null | Json::Number(_) => *text += "null",
        Json::Text(own) => quote(own, text),
        Json::List(values) => {
            text.push('[');
            for (place, value) in values.iter().enumerate() {
                begin(place, deeper, text);
                write(value, deeper, text);
            }
            end(values.is_empty(), level, text);
            text.push(']');
        }
        Json::Object(entries) => {
            text.push('{');
            for (place, (key, value)) in entries.iter().enumerate() {
                begin(place, deeper, text);
                quote(key, text);
                *text += if level.is_some() { ": " } else { ":" };
                write(value, deeper, text);
            }
            end(entries.is_empty(), level, text);
            text.push('}');
        }
    }
}

/// Whether a number has no fraction, and no whole one beside it is the same.
fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= EXACT
}

/// Before an entry.
fn begin(place: usize, level: Option<usize>, text: &mut String) {
    if place > 0 {
        text.push(',');
    }
    end(false, level, text);
}

/// A line of its own, where there are lines.
fn end(empty: bool, level: Option<usize>, text: &mut String) {
    if let (false, Some(level)) = (empty, level) {
        text.push('\n');
        for _ in 0..level {
            *text += "  ";
        }
    }
}

/// A text between quotes.
fn quote(own: &str, text: &mut String) {
    text.push('"');
    for letter in own.chars() {
        match letter {
            '"' => *text += "\\\"",
            '\\' => *text += "\\\\",
            '\n' => *text += "\\n",
            '\u{0}'..' ' => {
                *text += "\\u00";
                for place in [letter as usize >> 4, letter as usize & 15] {
                    text.push(DIGITS.get(place).copied().map_or('0', char::from));
                }
            }
            _ => text.push(letter),
        }
    }
    text.push('"');
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, to: S) -> core::result::Result<S::Ok, S::Error> {
        match self {
            Self::Bool(yes) => to.serialize_bool(*yes),
            Self::Number(number) if is_whole(*number) && *number != 0.0 => to.serialize_i64(*number as i64),
            Self::Number(number) if number.is_finite() => to.serialize_f64(*number),
            Self::Null | Self::Number(_) => to.serialize_unit(),
            Self::Text(text) => to.serialize_str(text),
            Self::List(values) => to.collect_seq(values),
            Self::Object(entries) => to.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn what_is_written_is_read_back_to_the_bit() {
        let numbers = [0.1 + 0.2, 1e300, -1.5e-300, 13e9, f64::MIN_POSITIVE, 9_007_199_254_740_993.0, -0.0, 0.0];
        let json = Json::object([
            ("numbers", Json::List(numbers.map(Json::from).to_vec())),
            ("text", "“a\"b\\c\nd\u{1}\u{1f}é”".into()),
            ("nothing", Json::object([])),
            ("none", Json::List(Vec::new())),
        ]);
        for text in [json.pretty(), json.to_string()] {
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(Json::from(&read).get("text"), json.get("text"), "{text}");
            for (read, number) in read["numbers"].as_array().unwrap().iter().zip(numbers) {
                assert_eq!(read.as_f64().unwrap().to_bits(), number.to_bits(), "{text}");
            }
            assert!(read["nothing"].as_object().unwrap().is_empty() && read["none"].as_array().unwrap().is_empty());
        }
    }

    #[test]
    fn what_is_no_number_is_null_by_either_way() {
        let json = Json::List(vec![f64::NAN.into(), f64::INFINITY.into(), 2.0.into(), None::<f64>.into()]);
        assert_eq!(json.to_string(), "[null,null,2,null]");
        assert_eq!(serde_json::to_string(&json).unwrap(), json.to_string());
    }
}
