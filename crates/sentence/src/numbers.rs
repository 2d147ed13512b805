//! Parses numbers with units: counts, lengths, amounts, memory, rates.

use crate::tokens::{Sort, Token};
use crate::words::{FACTORS, NUMBERS};

/// Maximum digits of the first group, and digits of each further group of a number with separators.
const GROUP: usize = 3;

/// Parses the number of a token: `10,000` and `8.192` are whole, `1,5` and `2.5` are not.
pub(crate) fn value(text: &str) -> Option<f64> {
    let plain: String =
        text.chars().filter(|sign| !matches!(sign, '\'' | '_' | '\u{2019}' | '\u{202f}' | '\u{a0}')).collect();
    let parts: Vec<&str> = plain.split(['.', ',']).collect();
    let is_grouped = match parts.as_slice() {
        [_] => true,
        [first, rest @ ..] => {
            !first.is_empty() && first.len() <= GROUP && *first != "0" && rest.iter().all(|part| part.len() == GROUP)
            // `3.125` is read as 3,125: three decimals after a nonzero whole part are unusual.
        }
        [] => false,
    };
    let digits = match (is_grouped, parts.as_slice()) {
        (true, parts) => parts.concat(),
        (false, [whole, decimals]) => format!("{whole}.{decimals}"),
        // Groups of thousands, with decimals after the other separator.
        (false, [groups @ .., decimals]) if groups.iter().skip(1).all(|part| part.len() == GROUP) => {
            format!("{}.{decimals}", groups.concat())
        }
        _ => return None,
    };
    digits.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A parsed value, and the token after it.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    /// Value, in the notation of a parameter's input field.
    pub(crate) text: String,
    /// Index after the last token.
    pub(crate) next: usize,
}

fn number(tokens: &[Token], at: usize) -> Option<f64> {
    tokens.get(at).filter(|token| token.sort == Sort::Number).and_then(|token| value(&token.word))
}

/// Returns the word after a token, optionally only without a space between them.
fn suffix(tokens: &[Token], at: usize, must_be_glued: bool) -> Option<&str> {
    let token = tokens.get(at)?;
    let follows = token.sort == Sort::Word && !token.is_after_break && (token.is_glued || !must_be_glued);
    follows.then_some(token.word.as_str())
}

/// Formats a value without trailing zeros.
fn written(value: f64) -> String {
    format!("{value}")
}

/// Parses a whole number, in digits or as a word.
pub(crate) fn count(tokens: &[Token], at: usize) -> Option<Read> {
    let token = tokens.get(at)?;
    if let Some((_, value)) = NUMBERS.iter().find(|(word, _)| *word == token.word) {
        return Some(Read { text: written(*value), next: at + 1 });
    }
    let value = number(tokens, at).filter(|value| value.fract() == 0.0)?;
    Some(Read { text: written(value), next: at + 1 })
}

/// Parses a count with `k` for 1,024, as is usual for GPUs: `16k` is 16,384.
pub(crate) fn large_count(tokens: &[Token], at: usize) -> Option<Read> {
    let value = number(tokens, at)?;
    (suffix(tokens, at + 1, true)? == "k").then(|| Read { text: written((value * 1024.0).round()), next: at + 2 })
}

/// Maximum length; a larger number of tokens refers to the whole run.
const LONGEST: f64 = 1_048_576.0;

/// Parses a length in tokens: `8k`, `8192`, `1M`.
pub(crate) fn length(tokens: &[Token], at: usize) -> Option<Read> {
    let value = number(tokens, at)?;
    let (factor, next) = match suffix(tokens, at + 1, true) {
        Some("k" | "ki") => (1024.0, at + 2),
        Some("m" | "mi") => (1024.0 * 1024.0, at + 2),
        _ => (1.0, at + 1),
    };
    let length = if value.fract() == 0.0 || factor > 1.0 { (value * factor).round() } else { return None };
    (16.0..=LONGEST).contains(&length).then(|| Read { text: written(length), next })
}

/// Parses a length without further words: `8k`, or a multiple of 1,024.
pub(crate) fn bare_length(tokens: &[Token], at: usize) -> Option<Read> {
    let read = length(tokens, at)?;
    let value = number(tokens, at)?;
    let is_power = (1024.0..=131_072.0).contains(&value) && value % 1024.0 == 0.0;
    let is_exact = suffix(tokens, at + 1, true).is_some_and(|suffix| matches!(suffix, "k" | "ki"));
    (is_exact && read.next == at + 2 || is_power && read.next == at + 1).then_some(read)
}

/// Words after a “mil” of Portuguese or Spanish.
const OF_MIL: [&str; 9] =
    ["exemplos", "amostras", "ejemplos", "muestras", "textos", "conversas", "conversaciones", "diálogos", "documentos"];

/// Parses a number with a word for a large number; abbreviations must follow without a space.
fn large(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let value = number(tokens, at)?;
    let word = suffix(tokens, at + 1, false)?;
    let (_, factor) = FACTORS.iter().find(|(own, _)| *own == word)?;
    // `20 mil exemplos` are thousands; an English “mil” is a million.
    let next = tokens.get(at + 2).map_or("", |next| next.word.as_str());
    if word == "mil" && !OF_MIL.contains(&next) {
        return None;
    }
    let is_letter = word.len() <= 2;
    (!is_letter || tokens.get(at + 1).is_some_and(|token| token.is_glued)).then_some((value * factor, at + 2))
}

/// Parses an amount: any number, with or without a word for a large number.
pub(crate) fn amount(tokens: &[Token], at: usize) -> Option<Read> {
    let (value, next) = large(tokens, at).or_else(|| Some((number(tokens, at)?, at + 1)))?;
    Some(Read { text: written(value), next })
}

/// Parses an amount of at least a million.
pub(crate) fn many(tokens: &[Token], at: usize) -> Option<Read> {
    let read = amount(tokens, at)?;
    read.text.parse::<f64>().is_ok_and(|value| value >= 1e6).then_some(read)
}

/// Parses an amount of millions, which is no size of a model that has billions.
pub(crate) fn millions_of(tokens: &[Token], at: usize) -> Option<Read> {
    many(tokens, at).filter(|read| read.text.parse::<f64>().is_ok_and(|value| value < 1e9))
}

/// Parses an amount of at least 0.2 trillion with a word for a large number.
pub(crate) fn trillions(tokens: &[Token], at: usize) -> Option<Read> {
    many(tokens, at).filter(|read| read.text.parse::<f64>().is_ok_and(|value| value >= 2e11) && read.next == at + 2)
}

/// Parses the size of a model: `70B`, `0.5b`.
pub(crate) fn size(tokens: &[Token], at: usize) -> Option<Read> {
    let (value, next) = large(tokens, at)?;
    let word = suffix(tokens, at + 1, false)?;
    let is_size = matches!(word, "b" | "bn" | "billion" | "mrd" | "milliarden" | "milliards");
    (is_size && value < 2e12).then(|| Read { text: format!("{}B", value / 1e9), next })
}

/// Parses the size of a small model after its name: `124M`.
pub(crate) fn millions(tokens: &[Token], at: usize) -> Option<Read> {
    /// Sizes in millions.
    const SMALL: core::ops::Range<f64> = 10.0..1000.0;
    let value = number(tokens, at).filter(|value| SMALL.contains(value))?;
    (suffix(tokens, at + 1, true)? == "m").then(|| Read { text: format!("{}B", value / 1e3), next: at + 2 })
}

/// Parses memory in GiB: `80GB`, `80 GiB`, `80 Go`.
pub(crate) fn memory(tokens: &[Token], at: usize) -> Option<Read> {
    let value = number(tokens, at)?;
    let word = suffix(tokens, at + 1, false)?;
    let glued = tokens.get(at + 1).is_some_and(|token| token.is_glued);
    let factor = match word {
        "gb" | "gib" | "go" | "gig" | "gigs" | "гб" => 1.0,
        "g" if glued && !NETWORKS.contains(&value) => 1.0,
        "tb" | "tib" | "to" if glued => 1024.0,
        "tb" | "tib" => 1024.0,
        _ => return None,
    };
    // `50 GB/s` is a rate.
    let is_rate = tokens.get(at + 2).is_some_and(|token| token.is_glued && (token.is_sign("/") || token.word == "ps"));
    (!is_rate).then(|| Read { text: written(value * factor), next: at + 2 })
}

/// Network rates in Gbit/s that are used as names.
const NETWORKS: [f64; 8] = [10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0];

/// Parses a network rate with unit, in the notation of the link's input field: `400 Gbit/s`,
/// `50 GB/s`, `100GbE`, `400G`.
pub(crate) fn rate(text: &str, tokens: &[Token], at: usize) -> Option<Read> {
    let value = number(tokens, at)?;
    let token = tokens.get(at + 1).filter(|token| token.sort == Sort::Word && !token.is_after_break)?;
    let per_second = |at: usize| {
        let is_slash = tokens.get(at).is_some_and(|token| token.is_sign("/"));
        let is_second = tokens.get(at + 1).is_some_and(|token| matches!(token.word.as_str(), "s" | "sec"));
        (is_slash && is_second).then_some(at + 2)
    };
    let raw = text.get(token.from..token.to).unwrap_or_default();
    match raw {
        "GbE" | "GBE" | "gbe" | "Gbps" | "gbps" | "GBps" | "Gbits" | "gbits" => {
            let unit = if raw == "GBps" { "GB/s" } else { "Gbit/s" };
            Some(Read { text: format!("{value} {unit}"), next: at + 2 })
        }
        "Gbit" | "gbit" | "Gb" | "gb" => {
            let next = per_second(at + 2).or_else(|| raw.ends_with("bit").then_some(at + 2))?;
            Some(Read { text: format!("{value} Gbit/s"), next })
        }
        "GB" | "Go" | "GiB" => per_second(at + 2).map(|next| Read { text: format!("{value} GB/s"), next }),
        "G" | "g" if token.is_glued && NETWORKS.contains(&value) => {
            Some(Read { text: format!("{value} Gbit/s"), next: at + 2 })
        }
        _ => None,
    }
}
