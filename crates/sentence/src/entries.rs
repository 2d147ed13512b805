//! Finds catalog entries and parameter options that begin at a token: models, GPUs, nodes, training
//! programs.

use std::borrow::Cow;

use catalog::names::{cluster_named, gpu_assumed, gpu_named, model_named};
use catalog::releases::{self, RELEASES, Release};
use catalog::{MODELS, ModelEntry};
use engine::nearest::letters;
use engine::params::{self, ParamId};
use links::spelling::spell;

use crate::means;
use crate::numbers::{self, Read};
use crate::tokens::{Sort, Token};
use crate::words::{AMBIGUOUS, NAMED_ALONE};

/// An entry found in the text.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Key of the entry.
    pub(crate) id: &'static str,
    /// Note on the interpretation, if the text is ambiguous.
    pub(crate) note: Option<String>,
    /// Index after the last token of the entry.
    pub(crate) next: usize,
}

/// Maximum number of tokens in a name.
const LONGEST: usize = 16;

/// A text with its tokens.
pub(crate) struct Text<'a> {
    /// The whole text.
    pub(crate) text: &'a str,
    /// Tokens of the text.
    pub(crate) tokens: Vec<Token>,
}

impl Text<'_> {
    /// Returns the original text of a range of tokens.
    pub(crate) fn slice(&self, from: usize, next: usize) -> &str {
        let bytes = self.tokens.get(from).zip(next.checked_sub(1).and_then(|last| self.tokens.get(last)));
        bytes.and_then(|(first, last)| self.text.get(first.from..last.to)).unwrap_or_default()
    }

    /// Returns whether a token is separated from the token before it.
    pub(crate) fn is_edge(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|token| !token.is_glued)
    }

    /// Returns the possible ends of a name that begins at a token, longest first: at the end of a
    /// word, or before the `x` of a count.
    fn ends(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let of_part = self.tokens.iter().skip(at + 1).take_while(|token| !token.is_after_break).count();
        (at + 1..=at + 1 + of_part.min(LONGEST)).rev().filter(move |next| {
            let token = self.tokens.get(*next);
            let is_times = token
                .is_some_and(|token| token.word == "x" || token.sort == Sort::Sign && !token.is_sign("-_.=:'\u{2019}"));
            (self.is_edge(*next) || is_times)
                && self.tokens.get(next - 1).is_some_and(|last| last.is_alphanumeric() || last.is_sign("+)"))
        })
    }

    /// Returns the starts of all words in a span after its first word.
    fn starts(&self, from: usize, next: usize) -> impl Iterator<Item = usize> + '_ {
        (from + 1..next).filter(|at| self.is_edge(*at))
    }
}

/// Finds the model that begins at a token.
pub(crate) fn model(text: &Text, at: usize) -> Option<Entry> {
    let token = text.tokens.get(at)?;
    if token.sort == Sort::Sign {
        return None;
    }
    for next in text.ends(at) {
        let name = text.slice(at, next);
        let Some(found) = named(name) else { continue };
        // Use the shortest text that names the model: `llama 3.1 8b qlora` contains the model and a
        // training method.
        let is_same = |from: usize, next: usize| {
            let name = text.slice(from, next);
            let other = named(name).map(|other| other.entry).or_else(|| newest(name));
            other.is_some_and(|other| other.id == found.entry.id)
        };
        let starts: Vec<usize> = text.starts(at, next).collect();
        // `finetune mistral 7b on 2` names it after its first word.
        let is_within =
            |start: &usize| is_same(*start, next) || starts.iter().any(|end| end > start && is_same(*start, *end));
        if starts.iter().any(is_within) {
            continue;
        }
        let end = starts.iter().copied().filter(|end| is_same(at, *end)).min().unwrap_or(next);
        // `gpt2 1.5B`, `gpt-2 124M`.
        let size = numbers::size(&text.tokens, end)
            .or_else(|| numbers::millions(&text.tokens, end))
            .filter(|size| text.is_edge(size.next) && text.tokens.get(end).is_some_and(|token| !token.is_after_break));
        if let Some((entry, size)) = size.and_then(|size| Some((sibling(found.entry.id, &size)?, size))) {
            let note = (entry.id != found.entry.id).then(|| taken(text.slice(at, size.next), entry.name));
            return Some(Entry { id: entry.id, note, next: size.next });
        }
        let is_taken = named(text.slice(at, end)).is_some_and(|found| found.is_taken);
        let note = is_taken.then(|| taken(text.slice(at, end), found.entry.name));
        return Some(Entry { id: found.entry.id, note, next: end });
    }
    sized(text, at)
}

/// Returns the model of a size whose name begins with that of a model: GPT-2 XL for 1.5B.
fn sibling(id: &str, size: &Read) -> Option<&'static ModelEntry> {
    let size = means::number_of("size", &size.text)?;
    let is_of =
        |entry: &&ModelEntry| entry.id.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    MODELS.iter().filter(is_of).find(|entry| (entry.params as f64 / size - 1.0).abs() < NEAR)
}

/// Relative distance of the size of a model from the size in its name.
const NEAR: f64 = 0.05;

/// Finds a model by a name of at least three characters ([`model_named`]).
fn named(name: &str) -> Option<catalog::names::Named<ModelEntry>> {
    let longest = name.split(|sign: char| !sign.is_alphabetic()).map(str::len).max().unwrap_or(0);
    (longest > 1 && letters(name).len() > 2 && name.len() < 120).then(|| model_named(name)).flatten()
}

/// Describes the interpretation of a name in a sentence.
pub(crate) fn taken(typed: &str, name: &str) -> String {
    format!("“{}” is read as {name}.", params::quantity::shorten(typed))
}

/// Finds the newest model of a family with a size, in either order and without a version; or the
/// first model of a family name alone, if the family has one or two models.
fn sized(text: &Text, at: usize) -> Option<Entry> {
    for next in text.ends(at).filter(|next| *next <= at + 6) {
        if let Some(entry) = newest(text.slice(at, next)) {
            let note = Some(taken(text.slice(at, next), entry.name));
            return Some(Entry { id: entry.id, note, next });
        }
        // `70B Llama 3.1`.
        let size = numbers::size(&text.tokens, at).or_else(|| numbers::millions(&text.tokens, at));
        let Some(read) = size.filter(|read| read.next < next && text.is_edge(read.next)) else {
            continue;
        };
        let turned = format!("{} {}", text.slice(read.next, next), text.slice(at, read.next));
        let of_size = || sibling(named(text.slice(read.next, next))?.entry.id, &read);
        let found = named(&turned).map(|found| found.entry).or_else(|| newest(&turned)).or_else(of_size);
        let is_exact =
            text.starts(read.next, next).next().is_none() || named(&turned).is_some_and(|found| !found.is_taken);
        if let Some(entry) = found.filter(|_| is_exact) {
            let note = Some(taken(text.slice(at, next), entry.name));
            return Some(Entry { id: entry.id, note, next });
        }
    }
    let alone = text.tokens.get(at).filter(|token| token.sort == Sort::Word && token.word.len() > 3)?;
    // A longer name may follow, which would identify the model.
    if !text.is_edge(at + 1) {
        return None;
    }
    let of_family = || MODELS.iter().filter(|entry| family(entry.id) == alone.word);
    let first = of_family().next().filter(|_| of_family().count() < 3)?;
    Some(Entry { id: first.id, note: Some(taken(&alone.word, first.name)), next: at + 1 })
}

/// Returns the letters before the first digit of an identifier.
pub(crate) fn family(id: &str) -> String {
    id.chars().take_while(|sign| !sign.is_ascii_digit()).filter(char::is_ascii_alphabetic).collect()
}

/// Returns the last catalog model with this family and size, ignoring its version. The point of a
/// size counts: a GPT of 1.3B is not one of 13B.
pub(crate) fn newest(name: &str) -> Option<&'static ModelEntry> {
    if !name.is_ascii() {
        return None;
    }
    let name: String =
        name.to_lowercase().chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '.').collect();
    let is_one = |entry: &&ModelEntry| {
        let mut parts = entry.id.split('-');
        let family = parts.next().unwrap_or_default();
        let mut rest = parts.filter(|part| !part.chars().all(|sign| sign.is_ascii_digit() || sign == '.'));
        // Match entries of family, version and size only.
        let size =
            rest.next().filter(|size| size.ends_with('b') && size.starts_with(|sign: char| sign.is_ascii_digit()));
        size.is_some_and(|size| rest.next().is_none() && name == family.to_owned() + size)
    };
    MODELS.iter().rfind(is_one)
}

/// Words after the size of a model.
const OF_MODELS: [&str; 6] = ["model", "models", "parameter", "parameters", "params", "llm"];

/// Finds the GPU that begins at a token, with memory before or after its name, and possibly in the
/// plural.
pub(crate) fn gpu(text: &Text, at: usize) -> Option<Entry> {
    text.tokens.get(at).filter(|token| token.is_alphanumeric())?;
    let lead = numbers::memory(&text.tokens, at);
    for next in text.ends(at) {
        let name = text.slice(at, next);
        let single = name.strip_suffix(['s', 'S']).unwrap_or(name);
        let turned = lead.as_ref().filter(|lead| lead.next < next).map(|lead| {
            format!("{} {}", text.slice(lead.next, next).trim_end_matches(['s', 'S']), text.slice(at, lead.next))
        });
        // `910B model` is a size.
        let is_size = numbers::size(&text.tokens, at).is_some_and(|size| size.next == next);
        if is_size && text.tokens.get(next).is_some_and(|token| OF_MODELS.contains(&token.word.as_str())) {
            continue;
        }
        let names = [Some(name), Some(single), turned.as_deref()];
        for name in names.into_iter().flatten() {
            let name = in_latin(name);
            if let Some(found) = gpu_named(&name) {
                let note = found.is_taken.then(|| taken(text.slice(at, next), found.entry.name));
                return Some(Entry { id: found.entry.id, note, next });
            }
            if let Some(entry) = gpu_assumed(&name) {
                return Some(Entry { id: entry.id, note: Some(taken(text.slice(at, next), entry.name)), next });
            }
        }
    }
    None
}

/// Returns a name with Latin letters in place of the Cyrillic ones before its digits, which look
/// alike: the `А` of `А100`.
fn in_latin(name: &str) -> Cow<'_, str> {
    /// Cyrillic letters and the Latin ones that they look like.
    const ALIKE: [(char, &str); 8] = [
        ('\u{410}', "A"),
        ('\u{430}', "a"),
        ('\u{41d}', "H"),
        ('\u{412}', "B"),
        ('\u{422}', "T"),
        ('\u{442}', "t"),
        ('\u{41c}', "M"),
        ('\u{420}', "P"),
    ];
    let alike = ALIKE.iter().find_map(|(sign, latin)| Some((latin, name.strip_prefix(*sign)?)));
    let alike = alike.filter(|(_, rest)| rest.starts_with(|sign: char| sign.is_ascii_digit()));
    alike.map_or(Cow::Borrowed(name), |(latin, rest)| Cow::Owned(format!("{latin}{rest}")))
}

/// Finds the node or cluster that begins at a token; bare GPU names are excluded.
pub(crate) fn node(text: &Text, at: usize) -> Option<Entry> {
    text.ends(at).find_map(|next| {
        let name = text.slice(at, next);
        if gpu_named(name).is_some() || !name.starts_with(|sign: char| sign.is_alphabetic()) {
            return None;
        }
        let single = name.strip_suffix(['s', 'S']).unwrap_or(name);
        let found = [name, single].into_iter().filter(|name| gpu_named(name).is_none()).find_map(cluster_named)?;
        let note = found.is_taken.then(|| taken(name, found.entry.name));
        Some(Entry { id: found.entry.id, note, next })
    })
}

/// Finds the training program that begins at a token, with its version if one follows.
pub(crate) fn program(text: &Text, at: usize) -> Option<Entry> {
    text.tokens.get(at).filter(|token| token.sort == Sort::Word)?;
    text.ends(at).find_map(|next| {
        let name = letters(text.slice(at, next));
        // A program that has the name as its own comes before one whose name begins with it.
        let own = RELEASES.iter().rfind(|release| is_program_itself(release, &name));
        let last = own.or_else(|| RELEASES.iter().rfind(|release| is_program(release, &name)))?;
        let version = text.tokens.get(next).filter(|token| token.sort == Sort::Number && !token.is_after_break);
        let of_version =
            version.filter(|token| token.word.contains('.')).and_then(|token| release_at_version(last, &token.word));
        Some(match of_version {
            Some(release) => Entry { id: release.id, note: None, next: next + 1 },
            None => Entry { id: releases::newest(last.program_key())?.id, note: None, next },
        })
    })
}

/// Returns whether a release belongs to a program, by the letters of the program's key or name.
fn is_program_itself(release: &Release, name: &str) -> bool {
    letters(release.program_key()) == name || letters(release.program) == name
}

/// Returns whether a release belongs to a program, by the letters of the first word of its name.
fn is_program(release: &Release, name: &str) -> bool {
    let first = release.program.split(' ').next().unwrap_or_default();
    first.len() > 2 && letters(first) == name && !first.eq_ignore_ascii_case("nemo")
}

/// Returns the last release of a program up to a version.
fn release_at_version(of: &Release, version: &str) -> Option<&'static Release> {
    let numbers = |text: &str| text.split('.').filter_map(|part| part.parse().ok()).collect::<Vec<u32>>();
    let wanted = numbers(version);
    let is_before = |release: &&Release| {
        let own = release.name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')')).map(numbers);
        own.is_some_and(|own| own.iter().take(wanted.len()).copied().collect::<Vec<_>>() <= wanted)
    };
    RELEASES.iter().filter(|release| release.program == of.program).rfind(is_before)
}

/// Finds an option that begins at a token, with its parameter and pairs of keys and values.
pub(crate) fn option(text: &Text, at: usize) -> Option<(ParamId, String, usize)> {
    text.tokens.get(at).filter(|token| token.is_alphanumeric())?;
    text.ends(at).filter(|next| *next <= at + 6).find_map(|next| {
        let (id, pairs) = option_of(text, at, next)?;
        (!is_number_of_gpus(text, at, next)).then_some((id, pairs, next))
    })
}

/// Returns the option that a span of tokens names.
fn option_of(text: &Text, at: usize, next: usize) -> Option<(ParamId, String)> {
    let tokens = text.tokens.get(at..next)?.iter().filter(|token| token.is_alphanumeric());
    let words: Vec<&str> = tokens.map(|token| token.word.as_str()).collect();
    // A bare number is the code of an option in a file, not in a sentence.
    if !words.iter().any(|word| word.contains(char::is_alphabetic)) {
        return None;
    }
    let glued = text.slice(at, next).to_lowercase().replace([' ', '_'], "-");
    let spellings = [glued, words.join("-"), words.concat()];
    NAMED_ALONE.iter().filter_map(|key| Some(params::find(key)?.id)).find_map(|id| {
        let mut known = spellings.iter().filter(|word| !AMBIGUOUS.contains(&word.as_str()));
        known.find_map(|word| Some((id, pairs_of(id, word)?)))
    })
}

/// Returns whether the last word of a name is the number of the GPUs after it: that of
/// `fsdp 2x4090`, where `fsdp` alone is a name too.
fn is_number_of_gpus(text: &Text, at: usize, next: usize) -> bool {
    let last = next - 1;
    let is_number = last > at && text.tokens.get(last).is_some_and(|token| token.sort == Sort::Number);
    if !is_number || !text.is_edge(last) || text.tokens.get(next).is_none_or(|token| token.is_after_break) {
        return false;
    }
    let is_times = text.tokens.get(next).is_some_and(|token| matches!(token.word.as_str(), "x" | "×" | "*"));
    let of_gpu = gpu(text, if is_times { next + 1 } else { next });
    of_gpu.is_some() && option_of(text, at, last).is_some()
}

/// Returns the pairs of keys and values for an option of a parameter, by any of the option's names.
pub(crate) fn pairs_of(id: ParamId, word: &str) -> Option<String> {
    let spelled = spell(id.key(), word);
    let is_option = |(key, value): &(String, String)| {
        let param = params::find(key)?;
        param.choice()?.options.iter().any(|option| option.key == value).then(|| format!("{key}={value}"))
    };
    let pairs: Option<Vec<String>> = spelled.pairs.iter().map(is_option).collect();
    pairs.filter(|pairs| !pairs.is_empty()).map(|pairs| pairs.join("&"))
}
