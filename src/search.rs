//! Ranks names against a typed query.

/// A typed query, word by word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query(Vec<String>);

/// Rank of a name for a query; the smallest is best. The worst word counts first, then the sum over
/// all words.
pub type Rank = (usize, usize);

impl Query {
    /// Splits a text into words; signs and capitals do not count: `llama-3.1` matches `Llama 3.1`.
    pub fn new(typed: &str) -> Self {
        let words = typed.split_whitespace().map(|word| letters(word).collect::<String>());
        Self(words.filter(|word| !word.is_empty()).collect())
    }

    /// Ranks a name, with further text that it may be found by; `None` if a word is in neither.
    pub fn rank(&self, name: &str, more: &str) -> Option<Rank> {
        let (name, more) = (Text::new(name), Text::new(more));
        let mut ranks = self.0.iter().map(|word| {
            let [named, other] = [(&name, Text::RANKS[0]), (&more, Text::RANKS[1])]
                .map(|(text, ranks)| text.place(word).and_then(|place| ranks.get(place).copied()));
            named.into_iter().chain(other).min()
        });
        ranks.try_fold((0, 0), |(worst, sum), rank| rank.map(|rank| (worst.max(rank), sum + rank)))
    }

    /// Returns the matching items, best first; equal ranks keep their order. Each item comes with
    /// its name and further text that it may be found by.
    pub fn answers<'a, T>(&self, items: impl Iterator<Item = (T, &'a str, &'a str)>) -> Vec<T> {
        let ranked = items.filter_map(|(item, name, more)| self.rank(name, more).map(|rank| (rank, item)));
        let mut ranked: Vec<(Rank, T)> = ranked.collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.into_iter().map(|(_, item)| item).collect()
    }
}

/// A text in lower case without signs, and the offsets of its words.
struct Text {
    letters: String,
    words: Vec<usize>,
}

impl Text {
    /// Ranks of a position in a name, and in further text: at the start of the text, at the start
    /// of a word, within a word. A match within a word of a name comes late: `oom` is in
    /// `BLOOM`.
    const RANKS: [[usize; 3]; 2] = [[0, 1, 4], [2, 3, 5]];

    fn new(text: &str) -> Self {
        let (mut squeezed, mut words) = (String::new(), Vec::new());
        for word in text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()) {
            words.push(squeezed.len());
            squeezed.extend(letters(word));
        }
        Self { letters: squeezed, words }
    }

    /// Returns the rank of a word by its position in the text; smaller is better.
    fn place(&self, word: &str) -> Option<usize> {
        let starts = |at: &usize| self.letters.get(*at..).is_some_and(|rest| rest.starts_with(word));
        if self.letters.starts_with(word) {
            Some(0)
        } else if self.words.iter().any(starts) {
            Some(1)
        } else {
            self.letters.contains(word).then_some(2)
        }
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
        Query::new(typed).answers(names.iter().map(|&name| (name, name, "")))
    }

    #[test]
    fn the_start_of_a_name_comes_before_the_start_of_a_word_and_that_before_the_inside() {
        let names = ["Dense 8B", "Code Llama 7B", "Llama 3.1 8B", "Ollama", "Mistral 7B"];
        assert_eq!(found("llama", &names), ["Llama 3.1 8B", "Code Llama 7B", "Ollama"]);
    }

    #[test]
    fn every_word_counts_and_signs_and_capitals_do_not() {
        let names = ["Llama 3.1 70B", "Llama 3.1 8B", "GPT-2 XL"];
        for typed in ["llama 8b", "8B LLAMA", "llama-3.1-8b", "Llama3.1 8", "llama  31 8b"] {
            assert_eq!(found(typed, &names), ["Llama 3.1 8B"], "{typed}");
        }
        assert_eq!(found("gpt2", &names), ["GPT-2 XL"]);
        assert_eq!(found("gpt llama", &names), [""; 0]);
    }

    #[test]
    fn nothing_typed_finds_everything_in_its_order() {
        assert_eq!(found(" - ", &["b", "a"]), ["b", "a"]);
    }

    #[test]
    fn a_name_comes_before_what_else_it_is_found_by() {
        let query = Query::new("qwen");
        let (own, other) = (query.rank("My Qwen", ""), query.rank("QwQ 32B", "Qwen 32.8B"));
        assert!(own < other && own.is_some(), "{own:?} {other:?}");
        assert_eq!(query.rank("Llama", "Meta"), None);
    }
}
