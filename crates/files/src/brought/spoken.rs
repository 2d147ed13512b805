//! Import of a run in a person's own words: the result of the crate `sentence`, for the page,
//! programs and the shell.

use engine::scenario::Scenario;
use sentence::{Topic as About, Understood, understand};
use serde::{Deserialize, Serialize};

use super::{Import, ImportKind, Section};

/// An understood part of a text; positions are UTF-16 code units, as in browsers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marked {
    /// The first unit.
    pub from: usize,
    /// The unit after the last.
    pub to: usize,
    /// The text of this part.
    pub text: String,
    /// Meaning in words; empty for a word without meaning.
    pub means: String,
    /// Topic: `model`, `gpu`, `count`, `length`, … ([`sentence::Topic::key`]).
    pub kind: String,
    /// Interpretations that were chosen, in sentences.
    pub taken: Vec<String>,
}

/// Most characters and most lines of a sentence: a longer text is a pasted file.
const MOST: (usize, usize) = (600, 6);

/// Words of configurations, logs and errors that no sentence contains.
const NO_SENTENCE: [&str; 11] = ["{", "}", " --", "\"", "traceback", "error:", "import ", "#!", "://", "</", "\t"];

/// Whether a text may be a sentence: short, in words, and not a configuration.
pub(super) fn may_be(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_setting = |line: &str| line.split_once(": ").is_some_and(|(key, _)| !key.trim().contains(' '));
    text.chars().count() <= MOST.0
        && text.trim().lines().count() <= MOST.1
        && !NO_SENTENCE.iter().any(|word| lower.contains(word))
        && text.trim().lines().filter(|line| is_setting(line)).count() < 2
}

/// Whether a text is one line of words with few settings.
pub(super) fn is_plain(text: &str) -> bool {
    let (all, set) =
        (text.split_whitespace().count(), text.split_whitespace().filter(|word| word.contains('=')).count());
    text.trim().lines().count() == 1 && all > 2 && set * 2 < all && !text.contains(": ")
}

/// Reads a text as a sentence; `None` if less than half of it was understood.
pub(super) fn spoken(text: &str, scenario: &Scenario) -> Option<Import> {
    let read = understand(text, scenario);
    let length = |from: usize, to: usize| to.saturating_sub(from);
    let unread: usize = read.unread.iter().map(|unread| length(unread.from, unread.to)).sum();
    let known: usize = read.marks.iter().map(|mark| length(mark.from, mark.to)).sum();
    (read.is_anything() && known >= unread).then(|| import_understood(text, &read))
}

/// Returns the understood sentence as an import.
fn import_understood(text: &str, read: &Understood) -> Import {
    let known = read.marks.iter().filter(|mark| mark.kind != About::Filler);
    let meant: Vec<&str> = known.map(|mark| mark.means.as_str()).filter(|means| !means.is_empty()).collect();
    let asked = read.asks.as_ref().map_or_else(String::new, |asks| format!(" Asked for: {}.", asks.words()));
    let said = format!("Understood: {}.{asked}", meant.join("; "));
    let lines =
        |title: &str, lines: Vec<String>| (!lines.is_empty()).then(|| Section { title: title.to_owned(), lines });
    let sections = [
        lines("Assumed, as the text does not say it", read.assumed.iter().map(sentence::Assumed::sentence).collect()),
        lines("Not understood", read.unread.iter().map(|unread| unread.sentence.clone()).collect()),
        lines("What contradicts itself", read.conflicts.clone()),
    ];
    Import {
        sections: sections.into_iter().flatten().collect(),
        contradictions: read.conflicts.clone(),
        marks: marks(text, read),
        plan: read.asks.as_ref().and_then(sentence::Asks::query),
        ..Import::new(ImportKind::Sentence, read.link.clone(), said, String::new())
    }
}

/// Returns the understood parts of a text.
pub fn marks(text: &str, read: &Understood) -> Vec<Marked> {
    let marked = |mark: &sentence::Mark| Marked {
        from: units(text, mark.from),
        to: units(text, mark.to),
        text: text.get(mark.from..mark.to).unwrap_or_default().to_owned(),
        means: mark.means.clone(),
        kind: mark.kind.key().to_owned(),
        taken: mark.taken.clone(),
    };
    read.marks.iter().map(marked).collect()
}

/// Returns the number of UTF-16 code units before a byte of a text.
pub fn units(text: &str, byte: usize) -> usize {
    text.get(..byte).map_or(0, |before| before.encode_utf16().count())
}

#[cfg(test)]
mod tests {
    use super::super::{Item, import_items};
    use super::*;
    use catalog::default_scenario;

    fn brought(text: &str) -> Result<Import, String> {
        import_items(&[Item { name: None, bytes: text.as_bytes().to_vec() }], &default_scenario())
    }

    #[test]
    fn a_short_text_is_a_sentence() {
        let run = brought("🚀 llama 3.1 8b qlora on 2x4090, 8k").unwrap();
        assert_eq!(run.kind, ImportKind::Sentence);
        let scenario = links::decode(&run.scenario).scenario;
        assert_eq!((scenario.gpus, scenario.seq_len), (2, 8192));
        // The rocket is two units of UTF-16.
        let model = run.marks.iter().find(|mark| mark.kind == "model").unwrap();
        assert_eq!((model.from, model.text.as_str(), run.plan), (3, "llama 3.1 8b", None));
        let plan = brought("70B, 1T tokens, 30 days, cheapest").unwrap();
        assert_eq!(plan.plan.as_deref(), Some("?plan=cheapest&days=30"));
        let unread = brought("llama 3.1 8b on 8 H100 with hyperdrive").unwrap();
        assert!(unread.sections.iter().any(|section| section.title == "Not understood"));
    }

    #[test]
    fn sentences_of_users_are_no_files() {
        let users = include_str!("../../../../tests/sentences/users.txt");
        for text in users.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert_eq!(brought(text).map(|brought| brought.kind), Ok(ImportKind::Sentence), "{text}");
        }
    }

    #[test]
    fn what_is_no_sentence_is_not_read_as_one() {
        let kind = |text: &str| brought(text).map(|brought| brought.kind).ok();
        assert_eq!(kind("v=1&gpus=8"), Some(ImportKind::Scenario));
        assert_ne!(
            kind("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.81 GiB."),
            Some(ImportKind::Sentence)
        );
        assert_ne!(
            kind("base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\nsequence_len: 4096"),
            Some(ImportKind::Sentence)
        );
        assert_ne!(
            kind("torchrun train.py --model_name_or_path meta-llama/Llama-3.1-8B --max_seq_length 8192"),
            Some(ImportKind::Sentence)
        );
        assert_ne!(kind("lorem ipsum dolor sit amet"), Some(ImportKind::Sentence));
        assert_ne!(kind("{\"model_type\": 1"), Some(ImportKind::Sentence));
    }
}
