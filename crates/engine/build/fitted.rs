//! Generates the constants fitted to measured steps.

use std::fmt::Write;

use super::rows::File;
use super::shape::{Kind, Shape, needed, or};

const FITTED: Shape = Shape {
    name: "Fitted",
    base: "",
    fields: &[
        needed(Kind::Text, "key what"),
        needed(Kind::Number, "value expected width deviation held_out"),
        needed(Kind::By(pair), "between"),
        or("\"\"", Kind::Text, "because"),
        needed(Kind::Whole, "rows sources"),
    ],
};

/// Generates a Rust constant for each row, and the table of all.
pub(crate) fn table(file: &File) -> Result<String, String> {
    let [rows] = file.rows([("constant", "key")])?;
    let (mut constants, mut all) = (String::new(), Vec::new());
    let mut digest = String::new();
    for row in &rows {
        let what = row.fields.get("what").and_then(serde_json::Value::as_str).unwrap_or_default();
        let (name, value) = (row.key.to_uppercase(), row.number("value")?);
        let _ = write!(digest, "{}={value:?};", row.key);
        let _ = writeln!(constants, "/// {what}.\npub const {name}: f64 = {value:?};");
        all.push(FITTED.write(row)?);
    }
    // Equal values have an equal name, wherever they were fitted.
    let name = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(digest.as_bytes());
    let what = "/// Name of this calibration: a digest of its values.";
    let _ = writeln!(constants, "{what}\npub const CALIBRATION: &str = \"{name:08x}\";");
    let all = format!("/// All of them.\npub const ALL: &[Fitted] = &[\n    {},\n];\n", all.join(",\n    "));
    Ok(constants + &all)
}

/// Writes two numbers as a pair.
pub(crate) fn pair(value: &serde_json::Value) -> Result<String, String> {
    let ends: Vec<f64> = value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    if let [low, high] = ends[..] { Ok(format!("({low:?}, {high:?})")) } else { Err("it needs two numbers".to_owned()) }
}
