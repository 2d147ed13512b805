//! Generates the constants fitted to measured steps.

use std::fmt::Write;

use build::rows::File;
use build::shape::{Kind, Shape, needed, or};

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

const SEPARATE: Shape = Shape {
    name: "Separate",
    base: "",
    fields: &[needed(Kind::Text, "key what fitted_to"), needed(Kind::Number, "value")],
};

/// Generates a Rust constant for each row, and the tables of all.
pub(crate) fn table(file: &File) -> Result<String, String> {
    let [calibrated, separate] = file.rows([("constant", "key"), ("separate", "key")])?;
    let (mut constants, mut digest) = (String::new(), String::new());
    for row in calibrated.iter().chain(&separate) {
        let (name, value, what) = (row.key.to_uppercase(), row.number("value")?, row.text("what")?);
        let _ = write!(digest, "{}={value:?};", row.key);
        let _ = writeln!(constants, "/// {what}.\npub const {name}: f64 = {value:?};");
    }
    // Equal values have an equal name, wherever they were fitted.
    let name = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(digest.as_bytes());
    let what = "/// Name of this calibration: a digest of its values.";
    let _ = writeln!(constants, "{what}\npub const CALIBRATION: &str = \"{name:08x}\";");
    for (shape, name, what, rows) in [
        (FITTED, "ALL", "Constants fitted together to measured steps.", calibrated),
        (SEPARATE, "SEPARATE", "Constants fitted by hand, each to measurements of one kind.", separate),
    ] {
        let rows = rows.iter().map(|row| shape.write(row)).collect::<Result<Vec<_>, _>>()?;
        let (of, rows) = (shape.name, rows.join(",\n    "));
        let _ = writeln!(constants, "/// {what}\npub const {name}: &[{of}] = &[\n    {rows},\n];");
    }
    Ok(constants)
}

/// Fewest publications of a well-fitted constant.
const SOURCES: f64 = 2.0;
/// Share by which a well-fitted constant is uncertain at most.
const DEVIATION: f64 = 0.3;

/// Returns the keys of the constants that are well fitted: by steps of several publications, which
/// leave them uncertain by less than three tenths.
pub(crate) fn well_fitted(file: &File) -> Result<Vec<String>, String> {
    let [calibrated, _] = file.rows([("constant", "key"), ("separate", "key")])?;
    let mut keys = Vec::new();
    for row in &calibrated {
        if row.number("sources")? >= SOURCES && row.number("deviation")? < DEVIATION {
            keys.push(row.key.clone());
        }
    }
    Ok(keys)
}

/// Writes two numbers as a pair.
pub(crate) fn pair(value: &serde_json::Value) -> Result<String, String> {
    let ends: Vec<f64> = value.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64).collect();
    if let [low, high] = ends[..] { Ok(format!("({low:?}, {high:?})")) } else { Err("it needs two numbers".to_owned()) }
}
