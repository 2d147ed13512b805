//! Import of a run in a person's own words: the result of the crate `sentence`, for the page,
//! programs and the shell.

use engine::params::quantity::shorten;
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

/// A value that a sentence does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssumedValue {
    /// Key of the parameter in links, or `layout`, `hardware`, `deadline`.
    pub key: String,
    /// Label of the parameter.
    pub label: String,
    /// The value.
    pub value: String,
    /// The reason, as part of a sentence.
    pub why: String,
}

impl AssumedValue {
    /// An assumption about files, which is a sentence of its own.
    pub(super) fn of_file(sentence: &str) -> Self {
        let empty = String::new;
        Self { key: empty(), label: empty(), value: empty(), why: sentence.to_owned() }
    }

    /// Returns the assumption as a sentence.
    pub fn sentence(&self) -> String {
        let Self { label, value, why, .. } = self;
        if label.is_empty() { why.clone() } else { format!("{label}: {value}, as {why}.") }
    }
}

/// A question about a part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The text of the part; empty if the question is about the whole.
    pub text: String,
    /// The part that was not understood, as a sentence.
    pub sentence: String,
    /// Answers, at most three: the label of a button, and the whole text with the answer.
    pub choices: Vec<(String, String)>,
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

/// Most words of a text that is answered as a sentence though nothing was understood.
const FEW_WORDS: usize = 12;

/// Whether a text is a few words, with no sign of a configuration.
pub(super) fn is_of_words(text: &str) -> bool {
    let words = text.split_whitespace().count();
    text.trim().lines().count() == 1 && (1..=FEW_WORDS).contains(&words) && !text.contains(['=', ':', '<', '['])
}

/// Returns the answer to words of which nothing was understood.
pub(super) fn nothing(text: &str) -> String {
    format!(
        "“{}” names no model and no GPU: say a run, as in “llama 3.1 8b qlora on 2x4090, 8k”.",
        shorten(text.trim())
    )
}

/// Reads a text as a sentence; `None` if it names no model and less than half of it was understood.
pub(super) fn spoken(text: &str, scenario: &Scenario) -> Option<Import> {
    let read = understand(text, scenario);
    let length = |from: usize, to: usize| to.saturating_sub(from);
    let unread: usize = read.unread.iter().map(|unread| length(unread.from, unread.to)).sum();
    let known: usize = read.marks.iter().map(|mark| length(mark.from, mark.to)).sum();
    // A line of words; a configuration names models, too.
    let is_line = text.trim().lines().count() == 1;
    let has_model = is_line && read.marks.iter().any(|mark| mark.kind == About::Model);
    let is_comparison = is_line
        && !read.is_anything()
        && read.unread.iter().any(|unread| unread.choices.len() > 1 && unread.near.is_empty());
    (read.is_anything() && (has_model || known >= unread) || is_comparison).then(|| import_understood(text, &read))
}

/// Returns the understood sentence as an import.
fn import_understood(text: &str, read: &Understood) -> Import {
    let known_marks: Vec<_> = read.marks.iter().filter(|mark| mark.kind != About::Filler).collect();
    let meant: Vec<&str> =
        known_marks.iter().map(|mark| mark.means.as_str()).filter(|means| !means.is_empty()).collect();
    let asked = read.asks.as_ref().map_or_else(String::new, |asks| format!(" Asked for: {}.", asks.words()));
    let shown = read.shown.map_or_else(String::new, |shown| format!(" {}", shown.says));
    let said = format!("Understood: {}.{asked}{shown}", meant.join("; "));
    let lines =
        |title: &str, lines: Vec<String>| (!lines.is_empty()).then(|| Section { title: title.to_owned(), lines });
    let sections = [
        lines("Assumed, as the text does not say it", read.assumed.iter().map(sentence::Assumed::sentence).collect()),
        lines("Not understood", read.unread.iter().map(|unread| unread.sentence.clone()).collect()),
        lines("What cannot be", read.conflicts.clone()),
    ];
    let passed_over = read.marks.iter().filter(|mark| mark.kind == About::Filler);
    let words = |mark: &sentence::Mark| text.get(mark.from..mark.to).unwrap_or_default().to_owned();
    let means = |mark: &sentence::Mark| format!("{}: {}", words(mark), mark.means);
    Import {
        understood: known_marks.iter().map(|mark| means(mark)).collect(),
        ignored: passed_over.map(words).collect(),
        unread: read.unread.iter().map(|unread| unread.sentence.clone()).collect(),
        sections: sections.into_iter().flatten().collect(),
        contradictions: read.conflicts.clone(),
        marks: marks(text, read),
        plan: read.asks.as_ref().and_then(sentence::Asks::query),
        view: read.shown.map(|shown| shown.query.to_owned()),
        answer: format!("{asked}{shown}").trim().to_owned(),
        compared: read.compared.iter().map(links::encode).collect(),
        assumed: read.assumed.iter().map(assumed).collect(),
        questions: questions(text, read),
        ..Import::new(ImportKind::Sentence, read.link.clone(), said, String::new())
    }
}

/// Returns an assumed value.
fn assumed(of: &sentence::Assumed) -> AssumedValue {
    let sentence::Assumed { key, label, value, why } = of;
    AssumedValue { key: (*key).to_owned(), label: (*label).to_owned(), value: value.clone(), why: why.clone() }
}

/// Begin of the names that are near to unknown words ([`engine::nearest::did_you_mean`]).
const DID_YOU_MEAN: &str = " Did you mean ";

/// Returns the questions about a text: its unknown parts, then its impossible values.
fn questions(text: &str, read: &Understood) -> Vec<Question> {
    let of_part = |unread: &sentence::Unread| Question {
        text: text.get(unread.from..unread.to).unwrap_or_default().to_owned(),
        // The answers name what else may be meant.
        sentence: match unread.sentence.split_once(DID_YOU_MEAN) {
            Some((says, _)) if !unread.choices.is_empty() => says.to_owned(),
            _ => unread.sentence.clone(),
        },
        choices: unread.choices.iter().map(|choice| (choice.label.clone(), choice.text.clone())).collect(),
    };
    let of_value =
        |sentence: &String| Question { text: String::new(), sentence: sentence.clone(), choices: Vec::new() };
    read.unread.iter().map(of_part).chain(read.conflicts.iter().map(of_value)).collect()
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
        let laptop = brought("phi-4 sft on my laptop 4060 8GB").unwrap();
        assert_eq!(laptop.questions.len(), 1);
        assert!(laptop.questions.iter().all(|question| question.choices.len() == 3));
        assert!(laptop.questions.iter().all(|question| question.sentence.ends_with("is not in the list of GPUs.")));
        let compared = brought("compare H100 with MI300X and B200 for 70B").unwrap();
        assert_eq!((compared.compared.len(), compared.questions.len()), (2, 0));
        let network = brought("13B on 64 A100, from how many Gbit/s not limited by the network").unwrap();
        assert_eq!(network.view.as_deref(), Some("?view=curve&curve=link"));
        let nothing = brought("asdf").unwrap_err();
        assert!(nothing.starts_with("“asdf” names no model"), "{nothing}");
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
