//! Questions about parts that were not understood: each answer is another text.

use catalog::names::gpus_near;
use catalog::{ACCELERATORS, accelerator, model};
use engine::nearest::letters;

/// An answer to the question about a part that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Label of the button.
    pub label: String,
    /// The whole text with this answer.
    pub text: String,
}

/// Label of the answer that drops a part.
const LEAVE: &str = "leave it out";
/// Largest number before an unknown name that is a number of cards.
const MOST_CARDS: u32 = 512;
/// Most answers to a question.
pub(crate) const MOST: usize = 3;

impl Choice {
    /// Returns the text without a part.
    pub(crate) fn without(text: &str, from: usize, to: usize) -> Self {
        Self { label: LEAVE.to_owned(), text: replaced(text, from, to, "") }
    }

    /// Returns the text with other words in place of a part. A count before the part stays: `4x`.
    pub(crate) fn instead(text: &str, (from, to): (usize, usize), label: &str, words: &str) -> Self {
        let typed = text.get(from..to).unwrap_or_default();
        let count = typed.split_once(['x', 'X', '×']).map(|(count, _)| count.trim());
        // `8 h1oo`; the first number of `1080 ti` is that of the card.
        let spaced = typed.split_once(' ').map(|(count, _)| count);
        let spaced = spaced.filter(|count| count.parse().is_ok_and(|count: u32| count <= MOST_CARDS));
        let is_number = |count: &&str| !count.is_empty() && count.bytes().all(|digit| digit.is_ascii_digit());
        let count = count.filter(is_number).or(spaced);
        let words = count.map_or_else(|| words.to_owned(), |count| format!("{count}x {words}"));
        Self::as_words(text, (from, to), label, &words)
    }

    /// Returns the text with other words in place of a part, whatever its own count.
    pub(crate) fn as_words(text: &str, (from, to): (usize, usize), label: &str, words: &str) -> Self {
        Self { label: label.to_owned(), text: replaced(text, from, to, words) }
    }
}

/// Replaces a part of a text, without leaving spaces or commas in a row.
fn replaced(text: &str, from: usize, to: usize, words: &str) -> String {
    let [before, after] = [text.get(..from), text.get(to..)].map(|part| part.unwrap_or_default().trim());
    let (before, after) =
        if words.is_empty() { (before, after.trim_start_matches([',', ' '])) } else { (before, after) };
    let is_sign = after.starts_with([',', '.', ';', '?', '!', ')']);
    let parts = [before, words, after].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let joined = parts.join(" ");
    let joined = if is_sign { joined.replacen(&format!(" {after}"), after, 1) } else { joined };
    joined.trim_end_matches([',', ' ']).to_owned()
}

/// Returns the answers about unknown words: the nearest names, and to leave the words out.
pub(crate) fn about(text: &str, from: usize, to: usize, near: &[String]) -> Vec<Choice> {
    let named = |id: &String| accelerator(id).map(|entry| entry.name).or_else(|| model(id).map(|entry| entry.name));
    let near = near.iter().take(MOST - 1);
    let instead = near.map(|id| Choice::instead(text, (from, to), named(id).unwrap_or(id), named(id).unwrap_or(id)));
    instead.chain([Choice::without(text, from, to)]).filter(|choice| !choice.text.is_empty()).collect()
}

/// Returns the GPUs nearest to an unknown one: by the number in its name, then by its memory.
pub(crate) fn cards_near(typed: &str, gib: Option<f64>) -> Vec<String> {
    /// Digits of the number in a card's name.
    const DIGITS: usize = 3;
    let numbers = typed.split(|sign: char| !sign.is_ascii_alphanumeric());
    let numbers = numbers.filter(|part| part.bytes().filter(u8::is_ascii_digit).count() >= DIGITS);
    let by_name = numbers.flat_map(|part| {
        let begun = ACCELERATORS.iter().map(|entry| entry.id).filter(|id| letters(id).contains(&letters(part)));
        begun.chain(gpus_near(part)).collect::<Vec<_>>()
    });
    let off = |of: f64| move |own: f64| (own / of).ln().abs();
    let mut by_memory: Vec<_> = ACCELERATORS.iter().filter(|entry| entry.name.starts_with("RTX")).collect();
    let own = |entry: &&catalog::AcceleratorEntry| entry.values.memory.gib();
    match gib {
        Some(gib) => by_memory.sort_by(|one, other| off(gib)(own(one)).total_cmp(&off(gib)(own(other)))),
        None => by_memory.clear(),
    }
    let mut found: Vec<String> = Vec::new();
    for id in by_name.chain(by_memory.into_iter().map(|entry| entry.id)) {
        if !found.iter().any(|own| own == id) {
            found.push(id.to_owned());
        }
    }
    found.truncate(MOST - 1);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_text_with_other_words() {
        let text = "3b model, 4x tesla k80 12gb, lora";
        let (from, to) = (10, 27);
        assert_eq!(text.get(from..to), Some("4x tesla k80 12gb"));
        assert_eq!(Choice::instead(text, (from, to), "", "RTX 4090").text, "3b model, 4x RTX 4090, lora");
        assert_eq!(Choice::instead("8b on 8 h1oo", (6, 12), "", "H100 SXM").text, "8b on 8x H100 SXM");
        assert_eq!(Choice::without(text, from, to).text, "3b model, lora");
        assert_eq!(Choice::without("8b on 8 H100 with frobs", 18, 23).text, "8b on 8 H100 with");
    }

    #[test]
    fn the_nearest_cards_have_the_number_or_the_memory() {
        assert_eq!(cards_near("4060 8GB", Some(8.0)).first().map(String::as_str), Some("rtx-4060-ti-16gb"));
        assert_eq!(cards_near("gizmo", None), Vec::<String>::new());
    }
}
