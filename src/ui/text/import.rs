//! What the import of a `config.json` says.

use crate::chart::format;
use crate::import::Imported;

/// On the button that opens the panel.
pub const OPEN: &str = "Import config.json";
/// On the button that closes it.
pub const CLOSE: &str = "Close the import";
/// Over the text.
pub const PASTE: &str = "Paste a Hugging Face config.json, or drop the file anywhere on the page";
/// Over the choice of a file.
pub const FILE: &str = "Or choose the file";
/// What becomes of it.
pub const LOCAL: &str = "It is read in this browser and sent nowhere.";
/// Where a file cannot be read.
pub const UNREADABLE: &str = "The browser could not read this file: try to paste its text.";

/// What was imported, in a sentence or two.
pub fn imported(imported: &Imported) -> String {
    let shape = &imported.architecture;
    let params = format::params(shape.params() as f64);
    let layers = shape.num_hidden_layers;
    let mut text = format!("{}: {layers} layers, {params} parameters", imported.name);
    if shape.has_experts() {
        text = text + ", " + &format::params(shape.active_params() as f64) + " active";
    }
    text.push('.');
    if !imported.not_understood.is_empty() {
        text = text + " Not understood: " + &imported.not_understood.join(", ") + ".";
    }
    text
}

/// What it was read from.
pub fn used(imported: &Imported) -> String {
    format!("Read: {}.", imported.used.join(", "))
}
