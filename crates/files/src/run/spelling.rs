//! Keys and values as texts, whatever their file.

/// A key without what spellings differ in.
pub(super) fn plain(key: &str) -> String {
    key.replace('-', "_").to_ascii_lowercase()
}

/// The longest value that is shown.
const LONGEST: usize = 120;

/// A value without what breaks a line, cut where it is long.
pub(super) fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}
