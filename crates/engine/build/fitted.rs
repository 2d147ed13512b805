//! The constants that are fitted to measured steps.

use std::fmt::Write;

use super::rows::File;
use super::shape::{Blank, Field, Kind, Shape};

const FITTED: Shape = Shape {
    name: "Fitted",
    base: "",
    fields: &[
        Field("key", "key", Kind::Text, Blank::Error),
        Field("what", "what", Kind::Text, Blank::Error),
        Field("value", "value", Kind::Number, Blank::Error),
        Field("between", "between", Kind::By(pair), Blank::Error),
        Field("expected", "expected", Kind::Number, Blank::Error),
        Field("width", "width", Kind::Number, Blank::Error),
        Field("because", "because", Kind::Text, Blank::Is("\"\"")),
        Field("rows", "rows", Kind::Whole, Blank::Error),
        Field("sources", "sources", Kind::Whole, Blank::Error),
        Field("deviation", "deviation", Kind::Number, Blank::Error),
        Field("held_out", "held_out", Kind::Number, Blank::Error),
    ],
};

/// A constant of Rust for each, and the table of all.
pub(crate) fn table(file: &File) -> Result<String, String> {
    let rows = file.rows("constant", "key")?;
    let (mut constants, mut all) = (String::new(), Vec::new());
    for row in &rows {
        let what = row.fields.get("what").and_then(serde_json::Value::as_str).unwrap_or_default();
        let (name, value) = (row.key.to_uppercase(), row.number("value")?);
        let _ = writeln!(constants, "/// {what}.\npub const {name}: f64 = {value:?};");
        all.push(FITTED.write(row)?);
    }
    let all = format!("/// All of them.\npub const ALL: &[Fitted] = &[\n    {},\n];\n", all.join(",\n    "));
    Ok(constants + &all)
}

fn pair(value: &serde_json::Value) -> Result<String, String> {
    let ends: Vec<f64> = value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    if let [low, high] = ends[..] { Ok(format!("({low:?}, {high:?})")) } else { Err("it needs two numbers".to_owned()) }
}
