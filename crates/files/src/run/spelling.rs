//! Normalises keys and values.

/// Normalises a key: lower case, with underscores for dashes.
pub(super) fn plain(key: &str) -> String {
    key.replace('-', "_").to_ascii_lowercase()
}

/// The longest value that is shown.
const LONGEST: usize = 120;

/// Removes control characters from a value, and cuts a long one.
pub(super) fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
