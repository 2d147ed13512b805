//! Scenarios pinned for comparison with the one on screen.

/// Maximum number of pinned scenarios.
pub const MOST_PINS: usize = 3;

/// The letters of pinned scenarios.
pub const PIN_LETTERS: [&str; MOST_PINS] = ["A", "B", "C"];

/// Returns the letter of a pinned scenario, by its index.
pub fn pin_letter(place: usize) -> &'static str {
    PIN_LETTERS.get(place).copied().unwrap_or_default()
}
