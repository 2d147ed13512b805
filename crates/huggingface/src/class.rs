//! Defaults of the classes of `transformers`, by `model_type`: `classes.txt`, which
//! `tests/families/ask.py --classes` writes.

use serde_json::{Map, Value};

/// One line per class: its `model_type`, then a JSON object of the defaults of its fields.
const CLASSES: &str = include_str!("classes.txt");

/// Returns the defaults of a class; empty for an unknown class.
pub(super) fn values(kind: &str) -> Map<String, Value> {
    let of = |line: &'static str| line.strip_prefix(kind)?.strip_prefix(' ');
    CLASSES.lines().find_map(of).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_class() {
        for line in CLASSES.lines() {
            let (kind, _) = line.split_once(' ').unwrap();
            assert!(!values(kind).is_empty(), "{line}");
        }
    }
}
