//! Parses numbers and words in hand-written cells: `32.0`, `1 (8)`, `8 (LBS at 16 nodes)`,
//! `~17500`, `6.7B`.

/// Cells without a value.
const BLANK: [&str; 8] = ["", "-", "–", "n/a", "na", "nan", "null", "see notes"];

/// Maximum plausible count; larger numbers are errors.
const LARGEST_COUNT: f64 = 1e8;

/// Trims a cell; returns an empty text if the cell means no value.
pub fn cell(text: &str) -> &str {
    let text = text.trim();
    if BLANK.iter().any(|blank| text.eq_ignore_ascii_case(blank)) { "" } else { text }
}

/// Splits off the number at the start of a text.
pub fn leading_number(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_start().trim_start_matches(['~', '≈', '>', '<', '=']).trim_start();
    let mantissa = prefix_length(text, |byte| byte.is_ascii_digit() || byte == b'.' || byte == b',');
    let (mut number, mut rest) = text.split_at_checked(mantissa)?;
    // A trailing comma or full stop ends a clause.
    while let Some(shorter) = number.strip_suffix([',', '.']) {
        number = shorter;
        rest = text.get(number.len()..)?;
    }
    let mut digits = number.replace(',', "");
    if let Some((exponent, after)) = exponent(rest) {
        digits.push_str(exponent);
        rest = after;
    }
    Some((digits.parse().ok()?, rest))
}

/// Splits off an exponent at the start of a text: `e9`, `e+11`, `E-3`.
fn exponent(text: &str) -> Option<(&str, &str)> {
    let after = text.strip_prefix(['e', 'E'])?;
    let unsigned = after.strip_prefix(['+', '-']).unwrap_or(after);
    let digits = prefix_length(unsigned, |byte| byte.is_ascii_digit());
    if digits == 0 { None } else { text.split_at_checked(text.len() - unsigned.len() + digits) }
}

fn prefix_length(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| belongs(*byte)).count()
}

/// Returns the number in a cell; remarks may follow after a space or in brackets. `8x200` is no
/// number.
pub fn number(text: &str) -> Option<f64> {
    let (number, rest) = leading_number(cell(text))?;
    let ends = rest.is_empty() || rest.starts_with(|next: char| next.is_whitespace() || "(%*;".contains(next));
    (ends && number.is_finite()).then_some(number)
}

/// Returns the positive whole number in a cell.
pub fn count(text: &str) -> Option<u32> {
    let number = number(text)?;
    let whole = number.round();
    ((number - whole).abs() < 1e-6 && (1.0..=LARGEST_COUNT).contains(&whole)).then_some(whole as u32)
}

/// Parses a number with a decimal suffix: `6.7B`, `350m`, `1.5T`.
pub fn amount(text: &str) -> Option<f64> {
    let (number, rest) = leading_number(cell(text))?;
    let factor = match rest.trim_start().chars().next().map(|suffix| suffix.to_ascii_lowercase()) {
        Some('k') => 1e3,
        Some('m') => 1e6,
        Some('b' | 'g') => 1e9,
        Some('t') => 1e12,
        None | Some('(') => 1.0,
        Some(_) => return None,
    };
    Some(number * factor)
}

/// Parses a length in tokens, in which `8k` is 8,192.
pub fn length(text: &str) -> Option<u32> {
    let (number, rest) = leading_number(cell(text))?;
    match rest.strip_prefix(['k', 'K']) {
        Some(after) if after.is_empty() || after.starts_with(' ') => {
            Some(number * 1024.0).filter(|tokens| *tokens <= LARGEST_COUNT).map(|tokens| tokens as u32)
        }
        _ => count(text),
    }
}

/// Returns whether the text contains any of these words, ignoring case.
pub fn has(text: &str, words: &[&str]) -> bool {
    let text = text.to_ascii_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Keeps letters and digits of a name, in lower case: `DeepSeek-V3` and `DeepSeekV3` are equal.
fn joined(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_lowercase()).collect()
}

/// Returns whether a name contains any of these, ignoring separators.
pub fn names(text: &str, words: &[&str]) -> bool {
    let text = joined(text);
    words.iter().any(|word| text.contains(&joined(word)))
}

/// Returns whether a name starts with any of these, ignoring separators.
pub fn starts(text: &str, beginnings: &[&str]) -> bool {
    let text = joined(text);
    beginnings.iter().any(|beginning| text.starts_with(&joined(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_typed_for_persons_are_read() {
        assert_eq!(number("32.0"), Some(32.0));
        assert_eq!(number("1 (8)"), Some(1.0));
        assert_eq!(number("~17500"), Some(17_500.0));
        assert_eq!(number("1,234.5"), Some(1234.5));
        assert_eq!(number("1.75e11"), Some(1.75e11));
        assert_eq!(number("n/a"), None);
        assert_eq!(number("8x200"), None);
        assert_eq!(count("8 (LBS at 16 nodes)"), Some(8));
        assert_eq!(count("0"), None);
        assert_eq!(count("2.5"), None);
        assert_eq!(amount("6.7B"), Some(6.7e9));
        assert_eq!(amount("6738415616"), Some(6_738_415_616.0));
        assert_eq!(length("8k"), Some(8192));
        assert_eq!(length("4096"), Some(4096));
        assert_eq!(cell(" see notes "), "");
    }

    #[test]
    fn names_are_one_however_their_words_are_joined() {
        assert!(starts("DeepSeek-V3 671B", &["deepseekv3"]) && starts("LLAMA3_70B", &["llama3 70b"]));
        assert!(names("NVIDIA Nemotron 3 Super 120B", &["nemotron_3_super"]));
        assert!(!names("Qwen3-30B-A3B", &["qwen3_235b"]) && !starts("GB200", &["b200"]));
    }
}
