//! Matches patterns of words against tokens.

use std::sync::LazyLock;

use links::spelling::option_names;

use crate::Topic;
use crate::entries::{self, Text};
use crate::numbers::{self, Read};
use crate::tokens::{Sort, Token, tokens};
use crate::words::{NAMED_ALONE, ROWS, Row};

/// An element of a pattern.
enum PatternPart {
    /// A slot, by name.
    Slot(&'static str),
    /// One of several sequences of words.
    Words(Vec<Vec<String>>),
}

/// Elements, each with a flag for optional ones.
type Parts = Vec<(PatternPart, bool)>;

/// All patterns, each with its row.
static PATTERNS: LazyLock<Vec<(Parts, &Row)>> = LazyLock::new(|| ROWS.iter().map(|row| (parts(row.0), row)).collect());

fn parts(pattern: &'static str) -> Parts {
    let part = |word: &'static str| {
        let (word, is_optional) = word.strip_suffix('?').map_or((word, false), |word| (word, true));
        if word.starts_with('{') {
            return (PatternPart::Slot(word), is_optional);
        }
        let any = if word == "/" { vec![word] } else { word.split('/').collect() };
        let words = any.into_iter().map(|word| tokens(word).into_iter().map(|token| token.word).collect());
        (PatternPart::Words(words.collect()), is_optional)
    };
    pattern.split_whitespace().map(part).collect()
}

/// Returns all words of the patterns, and of the options that are named alone.
pub(crate) fn vocabulary() -> impl Iterator<Item = &'static str> {
    let words = PATTERNS.iter().flat_map(|(parts, _)| parts).filter_map(|(part, _)| match part {
        PatternPart::Words(any) => Some(any.iter().flatten().map(String::as_str)),
        PatternPart::Slot(_) => None,
    });
    let names = NAMED_ALONE.iter().flat_map(|key| option_names(key));
    words.flatten().chain(names.flat_map(|name| name.split(|sign: char| !sign.is_alphabetic())))
}

/// The interpretation of a span of tokens.
#[derive(Clone, Debug)]
pub(crate) struct Match {
    /// Topic of the span.
    pub(crate) kind: Topic,
    /// Keys with values.
    pub(crate) pairs: Vec<(String, String)>,
    /// Notes on the interpretation.
    pub(crate) notes: Vec<String>,
    /// Index after the last token.
    pub(crate) next: usize,
}

/// Catalog entries that begin at a token, cached.
struct Beginning {
    model: Option<entries::Entry>,
    gpu: Option<entries::Entry>,
    node: Option<entries::Entry>,
    program: Option<entries::Entry>,
}

/// A text with the catalog entries that begin at each token.
pub(crate) struct IndexedText<'a> {
    /// The text.
    pub(crate) text: Text<'a>,
    entries: Vec<Beginning>,
}

impl<'a> IndexedText<'a> {
    /// Looks up the entries of all tokens.
    pub(crate) fn new(text: Text<'a>) -> Self {
        let look = |at| Beginning {
            model: entries::model(&text, at),
            gpu: entries::gpu(&text, at),
            node: entries::node(&text, at),
            program: entries::program(&text, at),
        };
        let entries = (0..text.tokens.len()).map(look).collect();
        Self { text, entries }
    }

    /// Returns the longest match at a token; ties go to the first row.
    pub(crate) fn longest(&self, at: usize) -> Option<Match> {
        let mut best: Option<Match> = None;
        for (parts, (_, kind, meaning)) in PATTERNS.iter() {
            let mut slots = Vec::new();
            let mut notes = Vec::new();
            let Some(next) = self.matched(parts, at, at, &mut slots, &mut notes) else { continue };
            if best.as_ref().is_some_and(|best| best.next >= next) {
                continue;
            }
            best = Some(Match { kind: *kind, pairs: pairs(meaning, &slots), notes, next });
        }
        if let Some(set) = self.set_by_name(at).or_else(|| self.set_by_key(at))
            && best.as_ref().is_none_or(|best| best.next < set.next)
        {
            best = Some(set);
        }
        if let Some((id, meaning, next)) = entries::option(&self.text, at)
            && best.as_ref().is_none_or(|best| best.next < next)
            && !self.is_program_before(at, next)
        {
            best = Some(Match { kind: Topic::from_param(id), pairs: pairs(&meaning, &[]), notes: Vec::new(), next });
        }
        best
    }

    /// Returns whether an option is a program with an option after it: `deepspeed zero3`.
    fn is_program_before(&self, at: usize, next: usize) -> bool {
        let program = self.entries.get(at).and_then(|here| here.program.as_ref());
        let rest = program.filter(|program| program.next < next && self.may_end(program.next));
        rest.and_then(|program| self.longest(program.next)).is_some_and(|option| option.next >= next)
    }

    /// Matches elements recursively, and returns the index after the last token.
    fn matched(
        &self,
        parts: &[(PatternPart, bool)],
        start: usize,
        at: usize,
        slots: &mut Vec<String>,
        notes: &mut Vec<String>,
    ) -> Option<usize> {
        let Some(((part, is_optional), rest)) = parts.split_first() else {
            return (at > start && self.may_end(at)).then_some(at);
        };
        let at_part = if at == start { at } else { self.skipped(at) };
        let is_broken = at_part > start && self.text.tokens.get(at_part).is_some_and(|token| token.is_after_break);
        let (many_slots, many_notes) = (slots.len(), notes.len());
        if !is_broken {
            for next in self.part(part, at_part, slots, notes) {
                if let Some(end) = self.matched(rest, start, next, slots, notes) {
                    return Some(end);
                }
            }
        }
        slots.truncate(many_slots);
        notes.truncate(many_notes);
        if *is_optional { self.matched(rest, start, at, slots, notes) } else { None }
    }

    /// Skips signs between words, such as hyphens.
    fn skipped(&self, at: usize) -> usize {
        let mut at = at;
        while self.text.tokens.get(at).is_some_and(|token| token.is_sign("-_=:~.") && !token.is_after_break) {
            at += 1;
        }
        at
    }

    /// Returns whether a match may end before a token, which excludes positions inside a word.
    fn may_end(&self, at: usize) -> bool {
        let tokens = &self.text.tokens;
        let Some(next) = tokens.get(at).filter(|next| next.is_glued) else { return true };
        let is_last_alphanumeric =
            at.checked_sub(1).and_then(|last| tokens.get(last)).is_some_and(Token::is_alphanumeric);
        // `32k-context` has its own row; the `3.1-8B` of a longer name is not a size.
        let is_number_led = next.is_sign("-_.=:");
        !(is_number_led || next.is_alphanumeric() && is_last_alphanumeric)
    }

    /// Returns the possible ends of an element that begins at a token, and appends values to slots
    /// and notes.
    fn part(&self, part: &PatternPart, at: usize, slots: &mut Vec<String>, notes: &mut Vec<String>) -> Vec<usize> {
        match part {
            PatternPart::Slot(name) => self.slot(name, at, slots, notes).into_iter().collect(),
            PatternPart::Words(any) => {
                let is_here = |words: &&Vec<String>| {
                    let here = self.text.tokens.get(at..at + words.len());
                    here.is_some_and(|here| here.iter().zip(words.iter()).all(|(token, word)| token.word == *word))
                };
                any.iter().filter(is_here).map(|words| at + words.len()).collect()
            }
        }
    }

    fn slot(&self, name: &str, at: usize, slots: &mut Vec<String>, notes: &mut Vec<String>) -> Option<usize> {
        let tokens = &self.text.tokens;
        let of_number = |read: Option<Read>| read.map(|read| (read.text, None, read.next));
        let of_entry =
            |entry: &Option<entries::Entry>| entry.clone().map(|entry| (entry.id.to_owned(), entry.note, entry.next));
        let here = self.entries.get(at)?;
        let (value, note, next) = match name {
            "{n}" => of_number(numbers::count(tokens, at)),
            "{kn}" => of_number(numbers::large_count(tokens, at)),
            "{len}" => of_number(numbers::length(tokens, at)),
            "{klen}" => of_number(numbers::bare_length(tokens, at)),
            "{many}" => of_number(numbers::many(tokens, at)),
            "{mega}" => of_number(numbers::millions_of(tokens, at)),
            "{trill}" => of_number(numbers::trillions(tokens, at)),
            "{size}" => of_number(numbers::size(tokens, at)),
            "{gb}" => of_number(numbers::memory(tokens, at)),
            "{rate}" => of_number(numbers::rate(self.text.text, tokens, at)),
            "{amount}" => of_number(numbers::amount(tokens, at)),
            "{model}" => of_entry(&here.model),
            "{gpu}" => of_entry(&here.gpu),
            "{node}" => of_entry(&here.node),
            "{program}" => of_entry(&here.program),
            _ => None,
        }?;
        slots.push(value);
        notes.extend(note);
        Some(next)
    }

    /// Matches a parameter by one of its names with a value: `seq_len=4096`, `--tp 8`.
    fn set_by_name(&self, at: usize) -> Option<Match> {
        let tokens = &self.text.tokens;
        let sign = (at + 1..tokens.len().min(at + 10))
            .find(|sign| tokens.get(*sign).is_some_and(|token| token.is_sign("=")))?;
        let is_one_word = (at + 1..=sign + 1).all(|place| tokens.get(place).is_some_and(|token| token.is_glued));
        let next = (sign + 2..=tokens.len())
            .find(|next| tokens.get(*next).is_none_or(|token| !token.is_glued || token.is_sign("&)")))?;
        let name = self.text.slice(at, sign);
        let spelled = links::spelling::spell(name, self.text.slice(sign + 1, next));
        let all_known = spelled.pairs.iter().all(|(key, _)| links::v1::is_key(key));
        let first = spelled.pairs.first().and_then(|(key, _)| engine::params::find(key));
        (is_one_word && all_known && name.len() > 1).then(|| Match {
            kind: first.map_or(Topic::Layout, |param| Topic::from_param(param.id)),
            pairs: spelled.pairs.clone(),
            notes: Vec::new(),
            next,
        })
    }

    /// Matches a program's key of several words with its value after it: `lora_rank 16`.
    fn set_by_key(&self, at: usize) -> Option<Match> {
        let tokens = &self.text.tokens;
        let of_word = |at: usize| tokens.iter().skip(at + 1).take_while(|token| token.is_glued).count();
        let value = at + 1 + of_word(at);
        let next = value + 1 + of_word(value);
        let name = self.text.slice(at, value);
        let is_value = |token: &Token| {
            !token.is_after_break && (token.sort == Sort::Number || matches!(token.word.as_str(), "true" | "false"))
        };
        if !name.contains('_') || !tokens.get(value).is_some_and(is_value) {
            return None;
        }
        let pairs = links::spelling::spell(name, self.text.slice(value, next)).pairs;
        let kind = Topic::from_param(engine::params::find(&pairs.first()?.0)?.id);
        let all_known = pairs.iter().all(|(key, _)| links::v1::is_key(key));
        all_known.then(|| Match { kind, pairs, notes: Vec::new(), next })
    }

    /// Returns whether a match may begin at a token: at the start of a word, or after a sign that
    /// separates words.
    pub(crate) fn may_begin(&self, at: usize, is_after_match: bool) -> bool {
        let tokens = &self.text.tokens;
        let Some(token) = tokens.get(at) else { return false };
        if !token.is_glued || is_after_match {
            return true;
        }
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        before.is_some_and(|before| before.sort == Sort::Sign && !before.is_sign("-_.=:'\u{2019}"))
    }
}

/// Fills the slots of a meaning and returns its pairs of keys and values.
fn pairs(meaning: &str, slots: &[String]) -> Vec<(String, String)> {
    let value = |text: &str| match text {
        "*" => slots.first().cloned(),
        "**" => slots.get(1).cloned(),
        "***" => slots.get(2).cloned(),
        other => Some(other.to_owned()),
    };
    let pairs = meaning.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter_map(|(key, text)| Some((key.to_owned(), value(text)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::params;
    use links::v1;

    /// Keys that are resolved to parameters later.
    const OWN: [&str; 18] = [
        "hw",
        "dp",
        "nvlink",
        "infiniband",
        "tunes",
        "optimal",
        "card",
        "pernode",
        "cores",
        "batchtokens",
        "batchword",
        "sixteen",
        "quantized",
        "refuse",
        "ask.days",
        "ask.budget",
        "ask.question",
        "ask.layout",
    ];

    #[test]
    fn every_row_has_known_keys_options_and_slots() {
        for key in NAMED_ALONE {
            assert!(params::find(key).is_some_and(|param| param.choice().is_some()), "{key}");
        }
        for (pattern, _, meaning) in ROWS {
            for (key, value) in pairs(meaning, &["1".to_owned(), "2".to_owned(), "3".to_owned()]) {
                let is_own = OWN.contains(&key.as_str()) || key.starts_with("ask.");
                assert!(is_own || v1::is_key(&key), "{pattern}: {key}");
                if let Some(choice) = params::find(&key).and_then(|param| param.choice()) {
                    assert!(choice.options.iter().any(|option| option.key == value), "{pattern}: {key}={value}");
                }
            }
            let slots = (1..4).rev().find(|many| meaning.contains(&"*".repeat(*many))).unwrap_or(0);
            assert!(slots <= pattern.matches('{').count(), "{pattern} has no slot for {meaning}");
        }
    }
    #[test]
    fn every_slot_matches_a_value() {
        let text = "8 16k 1024 4M 3B 2T 80GB, 400 Gbit/s, llama 3 8b, H100, dgx-h100, torchtitan";
        let looked = IndexedText::new(Text { text, tokens: tokens(text) });
        for (part, _) in PATTERNS.iter().flat_map(|(parts, _)| parts) {
            let PatternPart::Slot(slot) = part else { continue };
            let matches = |at| looked.slot(slot, at, &mut Vec::new(), &mut Vec::new()).is_some();
            assert!((0..looked.text.tokens.len()).any(matches), "{slot}");
        }
    }
}
