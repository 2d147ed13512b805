//! Helpers shared by all printed tables.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::table::OtherRow;

/// Writes the number of rows left out, by reason.
pub(crate) fn reasons<T>(out: &mut impl Write, lines: &[OtherRow<T>]) -> io::Result<()> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for left_out in lines.iter().filter_map(|line| line.outcome.as_ref().err()) {
        *reasons.entry(&left_out.reason).or_default() += 1;
    }
    for (reason, count) in reasons {
        writeln!(out, "  left out: {count} as {reason}")?;
    }
    Ok(())
}

/// Writes a JSON object on one line, with its keys in alphabetical order.
pub(crate) fn write_line(out: &mut impl Write, mut object: Value) -> io::Result<()> {
    object.sort_all_objects();
    writeln!(out, "{object}")
}

/// Creates an object of named byte counts, rounded to whole bytes.
pub(crate) fn object_of<'a>(named: impl Iterator<Item = (&'a str, f64)>) -> Value {
    Value::Object(named.map(|(name, bytes)| (name.to_owned(), json!(bytes.round() as u64))).collect())
}
