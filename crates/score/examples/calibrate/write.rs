//! Writes the results of the fit to `data/fitted.toml`.

use std::fmt::Write as _;
use std::path::Path;

/// Fitted value and statistics of a constant.
pub(crate) struct FittedValue {
    pub(crate) key: &'static str,
    pub(crate) value: f64,
    pub(crate) rows: usize,
    pub(crate) sources: usize,
    pub(crate) deviation: f64,
    /// `None` if no source was held out.
    pub(crate) held_out: Option<f64>,
}

/// Significant digits of a value.
const DIGITS: usize = 3;

/// Replaces the numbers of each constant and keeps all other lines.
pub(crate) fn write(found: &[FittedValue]) -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/fitted.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("data/fitted.toml: {error}."))?;
    let mut written = String::new();
    let mut of: Option<&FittedValue> = None;
    for line in text.lines() {
        let name = line.split(" = ").next().unwrap_or_default();
        if let Some(key) = line.strip_prefix("key = ") {
            of = found.iter().find(|found| format!("{:?}", found.key) == key);
        }
        let number = of.and_then(|found| match name {
            "value" => Some(format!("{:?}", rounded(found.value))),
            "rows" => Some(found.rows.to_string()),
            "sources" => Some(found.sources.to_string()),
            "deviation" => Some(format!("{:.2}", found.deviation)),
            "held_out" => found.held_out.map(|error| format!("{error:.1}")),
            _ => None,
        });
        // Writing to a string cannot fail.
        let _ = match number {
            Some(number) => writeln!(written, "{name} = {number}"),
            None => writeln!(written, "{line}"),
        };
    }
    std::fs::write(&path, written).map_err(|error| format!("data/fitted.toml: {error}."))
}

fn rounded(value: f64) -> f64 {
    engine::digits::rounded(value, DIGITS)
}
