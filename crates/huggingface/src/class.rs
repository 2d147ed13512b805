//! The values that a class of `transformers` has where a config says nothing, by `model_type`:
//! `classes.txt`, which `tests/families/ask.py --classes` writes.

use serde_json::{Map, Value};

/// A line a class: its `model_type`, then a JSON object of what its fields are by themselves.
const CLASSES: &str = include_str!("classes.txt");

/// The values of a class; none for one that is not known.
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
