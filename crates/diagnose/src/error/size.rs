//! Parses memory sizes in messages.

use serde::{Deserialize, Serialize};

/// A printed size with its rounding error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Printed {
    /// Bytes, as printed.
    pub bytes: f64,
    /// Half of the last printed digit, in bytes.
    pub within: f64,
}

/// Maximum length of a number, in characters.
const LONGEST: usize = 24;

/// Reads the size at the start of a text: `7.81 GiB`, `64.00MiB`, `21.90G`, `285212672 bytes`.
/// Units are powers of 1,024, as in PyTorch and XLA.
pub(crate) fn size_at(text: &str) -> Option<Printed> {
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let number = text.get(..end)?.trim_end_matches('.');
    if number.is_empty() || number.len() > LONGEST {
        return None;
    }
    let value: f64 = number.parse().ok()?;
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let unit = text.get(end..)?.trim_start();
    let letters = unit.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(unit.len());
    let scale = match unit.get(..letters)? {
        "bytes" | "byte" | "B" => 1.0,
        "KiB" | "KB" | "K" => 1024.0,
        "MiB" | "MB" | "M" => 1_048_576.0,
        "GiB" | "GB" | "G" => 1_073_741_824.0,
        "TiB" | "TB" | "T" => 1_099_511_627_776.0,
        _ => return None,
    };
    let step = (0..decimals).fold(scale, |step, _| step / 10.0);
    // Whole bytes are exact.
    let within = if scale == 1.0 { 0.0 } else { step / 2.0 };
    Some(Printed { bytes: value * scale, within })
}

/// Returns the size after a phrase.
pub(super) fn size_after(text: &str, phrase: &str) -> Option<Printed> {
    text.match_indices(phrase).find_map(|(at, _)| size_at(text.get(at + phrase.len()..)?))
}

/// Returns the size before a phrase: `79.15 GiB total capacity`.
pub(super) fn size_before(text: &str, phrase: &str) -> Option<Printed> {
    let before = text.get(..text.find(phrase)?)?.trim_end();
    // The unit and the number before the unit, with or without a space between them.
    let unit = before.rfind(|letter: char| !letter.is_ascii_alphabetic())? + 1;
    let number = before.get(..unit)?.trim_end();
    let start = number.rfind(|letter: char| !letter.is_ascii_digit() && letter != '.').map_or(0, |at| at + 1);
    // `start` is one byte after the start of a character, which may be several bytes long.
    let start = (start..=number.len()).find(|at| number.is_char_boundary(*at))?;
    size_at(before.get(start..)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_their_precision() {
        let gib = size_at("7.81 GiB (GPU 0").unwrap();
        assert!((gib.bytes / 8_385_923_809.0 - 1.0).abs() < 1e-6 && gib.within > 5.3e6 && gib.within < 5.4e6);
        assert_eq!(size_at(" 285212672 bytes."), Some(Printed { bytes: 285_212_672.0, within: 0.0 }));
        assert_eq!(size_at("64.00MiB (6").map(|size| size.bytes), Some(67_108_864.0));
        assert_eq!(size_at("21.90G of 7").map(|size| size.bytes), Some(21.9 * 1_073_741_824.0));
        for none in ["", "GiB", "12", "12 apples", "...", "1..2 GiB", "\u{2009}5 ß"] {
            assert_eq!(size_at(none), None, "{none}");
        }
        let text = "(GPU 0; 79.15 GiB total capacity; 2.0 MiB free)";
        assert_eq!(size_before(text, " total capacity").map(|size| size.bytes), Some(79.15 * 1_073_741_824.0));
        assert_eq!(size_before(text, " free").map(|size| size.bytes), Some(2_097_152.0));
        assert_eq!(size_before("é GiB free", " free"), None);
    }
}
