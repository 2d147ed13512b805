//! The texts of the import; what came of it is said where it is read ([`files::brought::words`]).

use engine::params::quantity::shorten;

/// On the button that opens the panel.
pub const OPEN: &str = "Import";
/// What it does.
pub const OPEN_HELP: &str = "Import a config.json";
/// On the button that closes it.
pub const CLOSE: &str = "Close";
/// What it does.
pub const CLOSE_HELP: &str = "Close the import";
/// Over the field for a text.
pub const PASTE: &str = "Paste a Hugging Face config.json, PEFT's adapter_config.json, lengths of texts, a link or a report, or drop a file anywhere on the page";
/// Over the choice of a file.
pub const FILE: &str = "Or choose the file";
/// Under the choice of a file.
pub const LOCAL: &str = "It is read in this browser and sent nowhere.";
/// Where a file is too large.
pub const TOO_LARGE: &str = "This is larger than 32 MiB, which nothing that this page saves or reads is. Drop less.";
/// Where the module that reads is missing.
pub const NOT_LOADED: &str = "What reads files could not be loaded. Check the connection and try again.";
/// While it is loaded and reads.
pub const READING: &str = "Reading …";

/// Where a file cannot be read.
pub fn unreadable(file: &str) -> String {
    format!("The browser could not read “{}”: try to paste its text.", shorten(file))
}
