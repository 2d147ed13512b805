//! Splits a text into understood parts, filler words and unknown parts.

use std::collections::HashSet;
use std::sync::LazyLock;

use catalog::names::{gpu_named, gpu_with_memory, gpus_near, model_named, refusal, usual_node};
use catalog::{ACCELERATORS, CLUSTERS, MODELS, ModelEntry, accelerator};
use engine::format::count;
use engine::nearest::{Names, did_you_mean, letters, slips};
use engine::params::quantity::shorten;
use engine::scenario::pins::MOST_PINS;
use links::spelling;

use crate::Topic;
use crate::choices;
use crate::entries::{Text, family, newest, taken};
use crate::finding::{Finding, gpu_of, has_several, is_comparison};
use crate::patterns::{IndexedText, Match, vocabulary};
use crate::tokens::{Sort, Token, tokens};
use crate::words::{BETWEEN_NEGATIONS, DEVICES, FILLERS, LAPTOPS, NEGATIONS, NUMBERS, PORTUGUESE};

/// A span that was not understood.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    /// Offset of the first byte.
    pub(crate) from: usize,
    /// Offset after the last byte.
    pub(crate) to: usize,
    /// Nearest names and words.
    pub(crate) near: Vec<String>,
    /// Whether the span names a GPU that the catalog lacks, with its memory.
    pub(crate) is_card: bool,
}

/// Result of reading a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reading {
    /// Understood spans, in order.
    pub(crate) found: Vec<Finding>,
    /// Unknown spans, in order.
    pub(crate) gaps: Vec<Gap>,
    /// Spans of filler words.
    pub(crate) fillers: Vec<(usize, usize)>,
}

/// Refusal of a GPU beside other GPUs.
pub(crate) const SEVERAL: &str = "gpus";
/// Refusal of a memory that no GPU has.
pub(crate) const NO_CARD: &str = "card";
/// Refusal of a memory that is not that of the named GPU.
pub(crate) const OTHER_MEMORY: &str = "memory";
/// Refusal of a question for the tokens of a run.
pub(crate) const TOKENS: &str = "tokens";
/// Refusal of a budget in hours of a GPU.
pub(crate) const GPU_HOURS: &str = "gpuhours";
/// Refusal of a model whose shape nobody has published.
pub(crate) const CLOSED: &str = "closed";
/// Refusal of a length of completions without their prompts.
pub(crate) const COMPLETION: &str = "completion";
/// Refusal of a utilization, which is computed.
pub(crate) const UTILIZATION: &str = "utilization";
/// Refusal of links of PCIe with fewer lanes than the catalog's.
pub(crate) const LANES: &str = "lanes";
/// Refusal of a number that may be that of machines or that of GPUs.
pub(crate) const MACHINES: &str = "machines";
/// Refusal of a bound of a number of GPUs.
pub(crate) const BOUND: &str = "bound";
/// Refusal of a grade of an accelerator that the catalog lacks.
pub(crate) const GRADE: &str = "grade";
/// Refusal of the name of a desktop's card beside a laptop.
pub(crate) const LAPTOP: &str = "laptop";
/// Refusal of a comparison of something else than GPUs.
pub(crate) const NO_COMPARISON: &str = "comparison";
/// Refusal of a distillation without its teacher.
pub(crate) const NO_TEACHER: &str = "teacher";
/// Relative distance of a memory from that of a GPU that has it.
const NEAR: f64 = 0.15;
/// Words that say that a memory is that of each GPU, whatever GPU it is.
const OF_EACH: [&str; 4] = ["vram", "gpu memory", "each", "per gpu"];

impl Reading {
    /// Names the devices that the catalog lacks as such, with the nearest: `Jetson Xavier`.
    pub(crate) fn name_unknown_devices(&mut self, text: &str) {
        for gap in self.gaps.iter_mut().filter(|gap| !gap.is_card) {
            let from = from_brand(text, gap.from);
            let typed = text.get(from..gap.to).unwrap_or_default().to_lowercase().replace("昇腾", "ascend ");
            let Some(device) = typed.split(|sign: char| !sign.is_alphanumeric()).find(|word| DEVICES.contains(word))
            else {
                continue;
            };
            (gap.from, gap.is_card) = (from, true);
            let by_number = choices::cards_near(&typed, None);
            let of_name =
                ACCELERATORS.iter().map(|entry| entry.id).filter(|id| id.split('-').any(|word| word == device));
            let by_name = of_name.take(2).map(str::to_owned);
            gap.near = if by_number.is_empty() { by_name.collect() } else { by_number };
        }
        let gaps: Vec<(usize, usize)> = self.gaps.iter().map(|gap| (gap.from, gap.to)).collect();
        self.fillers.retain(|(from, to)| !gaps.iter().any(|(start, end)| start <= from && to <= end));
    }

    /// Refuses the memory of a GPU that the catalog lacks, which would be that of another GPU: one
    /// beside an unknown name, or one that no GPU has. A memory beside a named GPU that has another
    /// may be that of the host.
    pub(crate) fn refuse_unknown_cards(&mut self, text: &str) {
        let named = self.found.iter().filter_map(gpu_of).filter_map(|id| accelerator(&id));
        let own: Vec<f64> = named.map(|entry| entry.values.memory.gib()).collect();
        if !own.is_empty() {
            return self.refuse_other_memory(text, &own);
        }
        let has = |keys: &[&str]| self.found.iter().any(|found| found.value(keys).is_some());
        if has(&["gpu"]) || !has(&["model", "size"]) {
            return;
        }
        let fillers = self.fillers.clone();
        for found in self.found.iter_mut().filter(|found| found.value(&["card"]).is_some()) {
            let is_blank = |from: usize, to: usize| {
                let is_filler = |at: usize| fillers.iter().any(|(from, to)| (*from..*to).contains(&at));
                let between = text.get(from..to);
                between.is_some_and(|words| words.char_indices().all(|(at, sign)| sign == ' ' || is_filler(from + at)))
            };
            let is_beside = |gap: &&mut Gap| is_blank(gap.to, found.from) || is_blank(found.to, gap.from);
            let memory = found.value(&["card"]).and_then(|value| value.parse().ok());
            if let Some(gap) = self.gaps.iter_mut().find(is_beside) {
                (gap.from, gap.to) = (gap.from.min(found.from), gap.to.max(found.to));
                gap.from = from_brand(text, gap.from);
                gap.near = choices::cards_near(text.get(gap.from..gap.to).unwrap_or_default(), memory);
                gap.is_card = true;
                found.is.pairs.clear();
            } else if memory.and_then(gpu_with_memory).is_none() {
                found.is.pairs = vec![("refuse".to_owned(), NO_CARD.to_owned())];
            }
        }
        let gaps: Vec<(usize, usize)> = self.gaps.iter().map(|gap| (gap.from, gap.to)).collect();
        let is_outside = |from: usize, to: usize| !gaps.iter().any(|(start, end)| *start <= from && to <= *end);
        self.found.retain(|found| is_outside(found.from, found.to));
        self.fillers.retain(|(from, to)| is_outside(*from, *to));
    }

    /// Refuses a memory that is not that of a named GPU, unless it is said to be that of each.
    fn refuse_other_memory(&mut self, text: &str, own: &[f64]) {
        for found in &mut self.found {
            let typed = text.get(found.from..found.to).unwrap_or_default().to_lowercase();
            let memory = found.value(&["card"]).and_then(|value| value.parse::<f64>().ok());
            let is_other = memory.is_some_and(|memory| !own.iter().any(|own| is_near(memory, *own)));
            if is_other && gpu_of(found).is_none() && !OF_EACH.iter().any(|word| typed.contains(word)) {
                found.is.pairs = vec![("refuse".to_owned(), OTHER_MEMORY.to_owned())];
            }
        }
    }

    /// Refuses the card of a laptop: it is another than the desktop's with its name.
    pub(crate) fn refuse_cards_of_laptops(&mut self, text: &str) {
        let is_laptop = |gap: &Gap| {
            let typed = text.get(gap.from..gap.to).unwrap_or_default().to_lowercase();
            let has = |words: &[&str]| typed.split_whitespace().any(|word| words.contains(&word));
            has(LAPTOPS) && !has(NEGATIONS)
        };
        let is_card = |found: &Finding| {
            let entry = gpu_of(found).and_then(|id| accelerator(&id));
            entry.is_some_and(|entry| entry.name.starts_with("RTX") || entry.name.starts_with("GTX"))
        };
        let places = self.gaps.iter().position(is_laptop).zip(self.found.iter().position(is_card));
        let Some((gap, card)) = places else { return };
        let Some((gap, own)) = self.gaps.get(gap).zip(self.found.get(card)) else { return };
        let (from, to) = (gap.from.min(own.from), gap.to.max(own.to));
        let is_beside =
            self.found.iter().enumerate().all(|(at, other)| at == card || other.to <= from || to <= other.from);
        // A memory beside it is that of the laptop's card.
        let is_memory = |found: &Finding| found.is.pairs.iter().all(|(key, _)| key == "card");
        let memories = self.found.iter_mut().filter(|found| !found.is.pairs.is_empty() && is_memory(found));
        memories.for_each(|found| found.is.pairs.clear());
        if let Some(found) = self.found.get_mut(card) {
            found.is.pairs.insert(0, ("refuse".to_owned(), LAPTOP.to_owned()));
            found.is.notes.clear();
            if is_beside {
                (found.from, found.to) = (from, to);
                let is_outside = |start: usize, end: usize| end <= from || to <= start;
                self.gaps.retain(|gap| is_outside(gap.from, gap.to));
                self.fillers.retain(|(start, end)| is_outside(*start, *end));
            }
        }
    }

    /// Takes “4台” for machines, where the text says the GPUs of each or of all, or each has one.
    pub(crate) fn count_machines(&mut self) {
        let is_unsure = |found: &Finding| found.value(&["refuse"]) == Some(MACHINES);
        let has_gpus = |found: &Finding| !is_unsure(found) && found.value(&["pernode", "gpus"]).is_some();
        let is_said = self.found.iter().any(has_gpus);
        let has_one =
            |found: &Finding| gpu_of(found).and_then(|id| usual_node(&id)).is_some_and(|node| node.gpus_per_node == 1);
        for found in self.found.iter_mut().filter(|found| is_unsure(found) && (is_said || has_one(found))) {
            found.is.pairs.retain(|(key, _)| key != "refuse");
        }
    }

    /// Adds the length of the prompt to that of completions where the text says both: a sequence
    /// holds the two.
    pub(crate) fn add_prompts_to_completions(&mut self) {
        let tokens = |value: &str| value.parse::<u64>().ok();
        let prompt = self.found.iter().find_map(|found| found.value(&["prompt"]).and_then(tokens));
        let Some(prompt) = prompt else { return };
        for found in self.found.iter_mut().filter(|found| found.value(&["refuse"]) == Some(COMPLETION)) {
            let Some(completion) = found.value(&["seq"]).and_then(tokens) else { continue };
            let parts = [prompt, completion].map(|tokens| count(tokens as f64));
            found.is.notes.push(format!("{} tokens of the prompt and {} of the completion.", parts[0], parts[1]));
            found.is.pairs.retain(|(key, _)| !["refuse", "seq"].contains(&key.as_str()));
            found.is.pairs.insert(0, ("seq".to_owned(), (prompt + completion).to_string()));
        }
    }

    /// Refuses a comparison in a text with fewer than two GPUs, or numbers of one.
    pub(crate) fn refuse_other_comparisons(&mut self, text: &str) {
        let has_several = has_several(text, &self.found);
        for found in self.found.iter_mut().filter(|_| !has_several) {
            if found.value(&["ask.compare", "ask.money"]).is_some() {
                found.is.pairs = vec![("refuse".to_owned(), NO_COMPARISON.to_owned())];
            }
        }
    }

    /// Refuses a distillation in a text that names no teacher: the model beside the word may be
    /// either.
    pub(crate) fn refuse_distillation_without_teacher(&mut self) {
        let has_teacher = self.found.iter().any(|found| found.value(&["teacher"]).is_some());
        let is_offline = self.found.iter().any(|found| found.value(&["teacherat"]) == Some("offline"));
        for found in self.found.iter_mut().filter(|_| !has_teacher && !is_offline) {
            if matches!(found.value(&["objective"]), Some("distill" | "opd")) {
                found.is.pairs = vec![("refuse".to_owned(), NO_TEACHER.to_owned())];
            }
        }
    }

    /// Refuses all GPUs of a text with several, as a run has one, unless they are compared.
    pub(crate) fn refuse_several_gpus(&mut self, text: &str) {
        let gpus: HashSet<String> = self.found.iter().filter_map(gpu_of).collect();
        let is_one = gpus.len() < 2 || gpus.len() <= MOST_PINS + 1 && is_comparison(text, &self.found);
        for found in self.found.iter_mut().filter(|found| !is_one && gpu_of(found).is_some()) {
            found.is.pairs = vec![("refuse".to_owned(), SEVERAL.to_owned())];
            found.is.notes.clear();
        }
    }
}

/// Returns whether a memory is that of a GPU, in GiB.
pub(crate) fn is_near(memory: f64, own: f64) -> bool {
    (memory / own - 1.0).abs() <= NEAR
}

/// Returns where the brand before a GPU's number begins: that of `RTX` in `RTX 4060`.
fn from_brand(text: &str, from: usize) -> usize {
    const BRANDS: [&str; 5] = ["nvidia", "geforce", "rtx", "gtx", "amd"];
    let mut from = from;
    while let Some(before) = text.get(..from).map(str::trim_end)
        && let Some(word) = before.split_whitespace().next_back()
        && BRANDS.contains(&word.to_lowercase().as_str())
    {
        from = before.len() - word.len();
    }
    from
}

static WORDS_THAT_CARRY_NOTHING: LazyLock<HashSet<&'static str>> = LazyLock::new(|| FILLERS.iter().copied().collect());

/// Maximum number of tokens read.
const MOST: usize = 400;

/// Reads a text.
pub(crate) fn read_sentence(text: &str) -> Reading {
    let mut split = tokens(text);
    split.truncate(MOST);
    let notes = corrected(&mut split);
    let looked = IndexedText::new(Text { text, tokens: split });
    let mut reading = walked(&looked);
    for (at, note) in notes {
        // Attach notes on corrected words to the span with the word.
        if let Some(found) = reading.found.iter_mut().find(|found| (found.from..found.to).contains(&at)) {
            found.is.notes.push(note);
        }
    }
    misspelt(&looked, &mut reading);
    reading
}

fn walked(looked: &IndexedText) -> Reading {
    let tokens = &looked.text.tokens;
    let mut reading = Reading::default();
    let (mut at, mut is_after_match) = (0, false);
    let mut open: Option<usize> = None;
    while let Some(token) = tokens.get(at) {
        let matched = looked.may_begin(at, is_after_match).then(|| looked.longest(at)).flatten();
        let is_within = open.is_some() && token.is_glued;
        let is_filler = matched.is_none() && !is_within && is_filler(looked, at);
        let is_quiet = token.sort == Sort::Sign && !token.is_sign("€£¥$%");
        if open.is_some() && (matched.is_some() || is_filler || token.is_after_break) {
            close(looked, &mut reading, &mut open, at);
        }
        if let Some(mut is) = matched {
            let next = is.next;
            derive_quantization(&mut is, looked.text.slice(at, next));
            let last = tokens.get(is.next.saturating_sub(1)).map_or(token.to, |last| last.to);
            at = is.next;
            reading.found.push(Finding { from: token.from, to: last, is });
            is_after_match = true;
            continue;
        }
        is_after_match = false;
        if is_filler {
            reading.fillers.push((token.from, token.to));
        } else if !is_quiet && open.is_none() {
            open = Some(at);
        }
        at += 1;
    }
    close(looked, &mut reading, &mut open, at);
    negated(looked.text.text, &mut reading);
    reading
}

/// Switches off the option after a negation. If the option cannot be switched off, both are
/// unknown.
fn negated(text: &str, reading: &mut Reading) {
    let words = text.split(|sign: char| !sign.is_alphabetic()).map(str::to_lowercase);
    let is_portuguese = words.into_iter().any(|word| PORTUGUESE.contains(&word.as_str()));
    let mut gaps = Vec::new();
    for mut gap in core::mem::take(&mut reading.gaps) {
        let last =
            text.get(gap.from..gap.to).and_then(|typed| typed.split_whitespace().next_back()).unwrap_or_default();
        let is_negation = NEGATIONS.contains(&last.to_lowercase().as_str());
        let follows = |found: &Finding| {
            text.get(gap.to..found.from)
                .is_some_and(|between| between.split_whitespace().all(|word| BETWEEN_NEGATIONS.contains(&word)))
        };
        let place = reading.found.iter().position(follows).filter(|_| is_negation);
        // The Portuguese “no” is “in the”: `no llama 3 8b`, `no meu PC`.
        let is_thing = |found: &Finding| found.value(&["model", "size", "hw", "cluster", "card"]).is_some();
        if is_portuguese
            && text.get(gap.from..gap.to).is_some_and(|typed| typed.eq_ignore_ascii_case("no"))
            && place.and_then(|place| reading.found.get(place)).is_none_or(is_thing)
        {
            reading.fillers.push((gap.from, gap.to));
            continue;
        }
        let typed = text.get(gap.from..gap.to).unwrap_or_default();
        if is_portuguese && typed.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("no ")) {
            reading.fillers.push((gap.from, gap.from + 2));
            gap.from += 3;
        }
        let Some(place) = place else {
            gaps.push(gap);
            continue;
        };
        let found = reading.found.remove(place);
        let off = |(key, value): &(String, String)| match (key.as_str(), value.as_str()) {
            (_, "yes") => Some("no"),
            ("recompute", "full" | "selective") => Some("none"),
            ("train", "lora") => Some("all"),
            _ => None,
        };
        if last.len() == gap.to - gap.from
            && !found.is.pairs.is_empty()
            && found.is.pairs.iter().all(|pair| off(pair).is_some())
        {
            let switched = |pair: (String, String)| off(&pair).map(|value| (pair.0.clone(), value.to_owned()));
            let pairs = found.is.pairs.into_iter().filter_map(switched).collect();
            let is = Match { pairs, ..found.is };
            reading.found.insert(place, Finding { from: gap.from, to: found.to, is });
        } else {
            gap.to = found.to;
            gaps.push(gap);
        }
    }
    let taken: Vec<(usize, usize)> = gaps.iter().map(|gap| (gap.from, gap.to)).collect();
    let found = reading.found.iter().map(|found| (found.from, found.to));
    let spans: Vec<(usize, usize)> = taken.into_iter().chain(found).collect();
    reading.fillers.retain(|(from, to)| !spans.iter().any(|(start, end)| start <= from && to <= end));
    reading.gaps = gaps;
}

/// Derives quantization from the name of a checkpoint.
fn derive_quantization(is: &mut Match, typed: &str) {
    let is_4bit = is.kind == Topic::Model && typed.contains('-') && typed.to_ascii_lowercase().contains("4bit");
    if is_4bit {
        is.pairs.push(("quantized".to_owned(), "nf4".to_owned()));
    }
}

/// Returns whether a word is a filler.
fn is_filler(looked: &IndexedText, at: usize) -> bool {
    let tokens = &looked.text.tokens;
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    let is_begun = looked.may_begin(at, false) || before.is_some_and(|before| before.sort == Sort::Sign);
    let is_whole = is_begun && tokens.get(at + 1).is_none_or(|next| !next.is_glued || next.sort == Sort::Sign);
    let of_apostrophe = tokens.get(at).is_some_and(|token| token.word.len() <= 2 && token.is_glued)
        && at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|before| before.is_sign("'\u{2019}"));
    let word = tokens.get(at).filter(|token| token.sort == Sort::Word).map_or("", |token| token.word.as_str());
    !word.is_empty() && (is_whole && WORDS_THAT_CARRY_NOTHING.contains(word) || of_apostrophe)
}

/// Ends an unknown span before a token.
fn close(looked: &IndexedText, reading: &mut Reading, open: &mut Option<usize>, before: usize) {
    let Some(first) = open.take() else { return };
    let tokens = &looked.text.tokens;
    // Trailing signs are not part of the span.
    let spoken = |token: &&Token| token.sort != Sort::Sign || token.is_sign("€£¥$%");
    let last = tokens.get(first..before).unwrap_or_default().iter().rev().find(spoken);
    if let Some((first, last)) = tokens.get(first).zip(last) {
        reading.gaps.push(Gap { from: first.from, to: last.to, near: Vec::new(), is_card: false });
    }
}

/// Minimum letters of a word for spelling correction.
const LEAST: usize = 5;

/// Replaces words that differ by a typo from a known word; returns positions and notes.
fn corrected(split: &mut [Token]) -> Vec<(usize, String)> {
    static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        let options = engine::params::every().filter_map(|param| param.choice());
        let options = options.flat_map(|choice| choice.options).flat_map(|option| option.key.split('-'));
        let models = MODELS.iter().flat_map(|entry| entry.name.split([' ', '-']));
        let numbers = NUMBERS.iter().map(|(word, _)| *word);
        let hardware = ACCELERATORS.iter().map(|entry| entry.name).chain(CLUSTERS.iter().map(|entry| entry.name));
        let hardware = hardware.flat_map(|name| name.split(|sign: char| !sign.is_alphabetic()));
        let own = vocabulary().chain(WORDS_THAT_CARRY_NOTHING.iter().copied());
        own.chain(numbers).chain(hardware).chain(options).chain(models).collect()
    });
    static WORDS: LazyLock<Names<'static>> =
        LazyLock::new(|| Names::new(vocabulary().filter(|word| word.len() >= LEAST)));
    let mut notes = Vec::new();
    for token in split.iter_mut() {
        let length = token.word.chars().count();
        let is_known = |word: &str| KNOWN.iter().any(|known| known.eq_ignore_ascii_case(word));
        if token.sort != Sort::Word || length < LEAST || is_known(&token.word) {
            continue;
        }
        let most = if length < 8 { 1 } else { 2 };
        let begins_alike = |word: &&&str| word.chars().next() == token.word.chars().next();
        let near = WORDS.nearest(&token.word);
        let Some(word) = near.iter().find(|word| begins_alike(word) && slips(word, &token.word) <= most) else {
            continue;
        };
        // Names of model families are not corrected.
        let is_name = MODELS.iter().any(|entry| family(entry.id) == token.word);
        if !is_name {
            notes.push((token.from, taken(&token.word, &format!("“{word}”"))));
            token.word = (*word).to_owned();
        }
    }
    notes
}

/// Searches unknown spans for misspelled names.
fn misspelt(looked: &IndexedText, reading: &mut Reading) {
    for mut gap in core::mem::take(&mut reading.gaps) {
        let text = looked.text.text;
        let typed = text.get(gap.from..gap.to).unwrap_or_default();
        if let Some((id, name, to)) = slip_of_a_model(looked, &gap) {
            let typed = text.get(gap.from..to).unwrap_or_default();
            let is = Match {
                kind: Topic::Model,
                pairs: vec![("model".into(), id.into())],
                notes: vec![taken(typed, name)],
                next: 0,
            };
            // Drop other matches inside the name, such as a size or a length.
            reading.found.retain(|found| found.from >= to || found.to <= gap.from);
            reading.found.push(Finding { from: gap.from, to, is });
            if to < gap.to {
                gap.from = to;
                reading.gaps.push(gap);
            }
            continue;
        }
        gap.near = near(typed);
        reading.gaps.push(gap);
    }
    reading.found.sort_by_key(|found| found.from);
    // A longer name may include unknown spans that follow.
    let found = reading.found.clone();
    reading.gaps.retain(|gap| !found.iter().any(|found| found.from <= gap.from && gap.to <= found.to));
    reading.fillers.retain(|(from, to)| !found.iter().any(|found| found.from <= *from && *to <= found.to));
}

/// Finds a model whose name is misspelled in its letters but not in its digits.
fn slip_of_a_model(looked: &IndexedText, gap: &Gap) -> Option<(&'static str, &'static str, usize)> {
    let tokens = &looked.text.tokens;
    let first = tokens.iter().position(|token| token.from == gap.from)?;
    let parts = |name: &str| {
        let name = letters(name);
        let digits: String = name.chars().filter(char::is_ascii_digit).collect();
        let letters: String = name.chars().filter(|sign| !sign.is_ascii_digit()).collect();
        (digits, letters)
    };
    for next in (first + 1..=tokens.len().min(first + 10)).rev() {
        let is_broken = tokens.get(first + 1..next).is_some_and(|inner| inner.iter().any(|token| token.is_after_break));
        if is_broken || !looked.text.is_edge(next) {
            continue;
        }
        let (digits, typed) = parts(looked.text.slice(first, next));
        let length = typed.chars().count();
        if digits.is_empty() || !(4..=40).contains(&length) {
            continue;
        }
        let found = MODELS.iter().find(|entry| {
            [entry.id, entry.name].into_iter().any(|name| {
                let (own_digits, own) = parts(name);
                own_digits == digits
                    && own.chars().next() == typed.chars().next()
                    && slips(&own, &typed) <= (length / 4).clamp(1, 2)
            })
        });
        // `mixtral 7b` starts with the name of another family, so it is no typo.
        let is_family = MODELS.iter().any(|entry| typed.starts_with(&family(entry.id)) && family(entry.id).len() > 3);
        let of_family = |next: usize| with_right_family(looked.text.slice(first, next));
        let by_family = of_family(next).filter(|_| found.is_none());
        // Words after the name are no part of it.
        let is_same =
            |end: &usize| of_family(*end).is_some_and(|own| by_family.is_some_and(|entry| entry.id == own.id));
        let next = (first + 1..next).filter(|end| looked.text.is_edge(*end)).find(is_same).unwrap_or(next);
        let found = found.or(by_family);
        if let Some(entry) = found.filter(|_| !is_family) {
            return tokens.get(next - 1).map(|last| (entry.id, entry.name, last.to));
        }
    }
    None
}

/// Least letters of a family's name that is corrected.
const LEAST_OF_FAMILY: usize = 4;

/// Returns the model of a name whose first word is one slip off that of a family, or has a letter
/// doubled that is single there: `lamma 8b`, `quen2.5 7b`.
fn with_right_family(typed: &str) -> Option<&'static ModelEntry> {
    static FAMILIES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        MODELS.iter().map(|entry| family(entry.id)).filter(|name| name.len() >= LEAST_OF_FAMILY).collect()
    });
    let single = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.dedup();
        letters
    };
    let at = typed.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(typed.len());
    let (word, rest) = typed.split_at_checked(at)?;
    let word = word.to_lowercase();
    let is_word = vocabulary().any(|known| known == word) || WORDS_THAT_CARRY_NOTHING.contains(word.as_str());
    if word.len() < LEAST_OF_FAMILY || is_word || FAMILIES.contains(&word) {
        return None;
    }
    let is_slip = |name: &&String| {
        let begins_alike = name.chars().next() == word.chars().next();
        begins_alike && (slips(name, &word) <= 1 || single(name) == single(&word))
    };
    let name = format!("{}{rest}", FAMILIES.iter().filter(is_slip).min()?);
    model_named(&name).filter(|found| !found.is_taken).map(|found| found.entry).or_else(|| newest(&name))
}

/// Returns known names and words near a text.
fn near(typed: &str) -> Vec<String> {
    static MODEL_NAMES: LazyLock<Names<'static>> = LazyLock::new(|| Names::new(MODELS.iter().map(|entry| entry.id)));
    static GPU_NAMES: LazyLock<Names<'static>> =
        LazyLock::new(|| Names::new(ACCELERATORS.iter().flat_map(|entry| [entry.id, entry.name])));
    static OTHERS: LazyLock<Names<'static>> =
        LazyLock::new(|| Names::new(vocabulary().filter(|word| word.len() > 3).chain(spelling::known_names())));
    let mut found: Vec<String> = Vec::new();
    if !typed.contains(char::is_alphabetic) {
        return found;
    }
    // An `o` in place of a zero: `h1oo`.
    let zeros = typed.replace(['o', 'O'], "0");
    found.extend(
        zeros.split_whitespace().filter(|_| zeros != typed).filter_map(gpu_named).map(|gpu| gpu.entry.id.to_owned()),
    );
    for names in [&*MODEL_NAMES, &*GPU_NAMES, &*OTHERS] {
        found.extend(names.nearest(typed).into_iter().map(str::to_owned));
    }
    // Try the words of the span: a count, and a name.
    let parts = typed.split_whitespace().filter(|part| letters(part).len() > 2 && part.len() < typed.len());
    if found.is_empty() {
        found.extend(
            parts.flat_map(|part| gpus_near(part).into_iter().chain(MODEL_NAMES.nearest(part))).map(str::to_owned),
        );
    }
    if found.is_empty() && letters(typed).len() > 2 {
        found.extend(gpus_near(typed).into_iter().map(str::to_owned));
    }
    // List models of a known family.
    if found.is_empty() {
        let word: String = letters(typed).chars().take_while(|sign| !sign.is_ascii_digit()).collect();
        let of_family = MODELS.iter().filter(|entry| word.len() > 2 && family(entry.id) == word);
        found.extend(of_family.rev().take(3).map(|entry| entry.id.to_owned()));
    }
    // A known word that says nothing here is no correction of itself.
    found.retain(|name| letters(name) != letters(typed));
    found.truncate(3);
    found
}

impl Gap {
    /// Returns the message about the span.
    pub(crate) fn sentence(&self, text: &str) -> String {
        let near: Vec<&str> = self.near.iter().map(String::as_str).collect();
        let typed = text.get(self.from..self.to).unwrap_or_default();
        // The name of a repository; a word of a sentence may mean something else.
        let is_repository = typed.contains(['-', '/']) && !typed.contains(char::is_whitespace);
        match is_repository.then(|| refusal(typed)).flatten() {
            Some(says) => format!("“{}” {says}", shorten(typed)),
            None if self.is_card => {
                let named: Vec<&str> = near.iter().filter_map(|id| accelerator(id)).map(|entry| entry.name).collect();
                format!("“{}” is not in the list of GPUs.{}", shorten(typed), did_you_mean(&named))
            }
            None => format!("“{}” was not understood.{}", shorten(typed), did_you_mean(&near)),
        }
    }
}
