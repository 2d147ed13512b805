//! Normalises keys and values.

use engine::scenario::issue::cut;

/// Normalises a key: lower case, with underscores for dashes.
pub(super) fn plain(key: &str) -> String {
    key.replace('-', "_").to_ascii_lowercase()
}

/// The longest value that is shown.
const LONGEST: usize = 120;

/// Removes invisible characters from a value, and cuts a long one.
pub(super) fn shortened(text: &str) -> String {
    cut(text, LONGEST)
}
