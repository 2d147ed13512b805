//! Generates the generations of silicon: their formats, and what depends on their instructions.

use std::fmt::Write;

use crate::rows::{File, Row};

/// Fields of a row, which the head of `data/silicon.toml` describes.
const FIELDS: &[&str] = &["id", "link", "boards", "capability", "bf16", "fp8", "fp4", "fitted"];

/// Returns the rows of generations; the file's other rows, of silicon, are the catalog's.
///
/// # Errors
/// When the file or a row of it is wrong.
pub fn rows(file: &File) -> Result<Vec<Row>, String> {
    let [generations, _] = file.rows([("generation", "id"), ("silicon", "name")])?;
    generations.iter().try_for_each(|row| row.only(FIELDS))?;
    Ok(generations)
}

/// Generates the enumeration of generations, and the table of what is known of each, given the
/// well-fitted constants.
///
/// # Errors
/// When a row is wrong.
pub fn table(file: &File, well_fitted: &[String]) -> Result<String, String> {
    let (mut variants, mut names, mut known) = (String::new(), String::new(), String::new());
    for row in rows(file)? {
        let _ = writeln!(variants, "    /// {}.\n    {},", row.text("boards")?, row.key);
        let _ = write!(names, "Self::{}, ", row.key);
        // The catalog compares it with the peaks of boards.
        units(&row, "fp4")?;
        let text = |name: &str| row.fields.get(name).and_then(serde_json::Value::as_str);
        let _ = writeln!(
            known,
            "    Known {{ link: {:?}, boards: {:?}, capability: {:?}, bf16: {}, fp8: {}, is_fitted: {} }},",
            row.text("link")?,
            row.text("boards")?,
            row.fields.get("capability").map(|_| row.number("capability")).transpose()?,
            units(&row, "bf16")?,
            units(&row, "fp8")?,
            text("fitted").is_some_and(|key| well_fitted.iter().any(|other| other == key)),
        );
    }
    Ok(format!(
        "/// The silicon of an accelerator, which determines its formats and the efficiency of kernels.\n\
         #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
         pub enum Generation {{\n{variants}}}\n\
         impl Generation {{\n    /// Every generation, in the order of the rows.\n    pub const ALL: &[Self] = &[{names}];\n}}\n\
         const KNOWN: &[Known] = &[\n{known}];\n"
    ))
}

/// Writes how a generation multiplies in a format.
fn units(row: &Row, format: &str) -> Result<&'static str, String> {
    match row.text(format)? {
        "native" => Ok("Units::Native"),
        "emulated" => Ok("Units::Emulated"),
        "absent" => Ok("Units::Absent"),
        "by board" => Ok("Units::ByBoard"),
        other => Err(row.error(format!("says {other:?} for {format}: native, emulated, absent, or by board"))),
    }
}
