//! Values of a sentence by key. The last value applies, and contradictions are reported.

use catalog::{cluster, model};
use engine::params::quantity::shorten;

use crate::finding::Finding;
use crate::means::number_of;
use crate::members::member_near;

/// Key of the replicas of the data, which the GPUs and the other degrees give.
pub(crate) const REPLICAS: &str = "dp";

/// A value with its position in the text.
#[derive(Clone, Debug)]
struct Given {
    key: String,
    value: String,
    from: usize,
    to: usize,
}

/// Two parts of a sentence that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    /// The contradiction, as a sentence.
    pub(crate) sentence: String,
    /// Offsets of the part that counts.
    pub(crate) kept: (usize, usize),
    /// Offsets of the part that does not count.
    pub(crate) dropped: (usize, usize),
}

/// All values of a sentence.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatedValues(Vec<Given>);

/// Maps keys of one subject to a common key.
fn thing(key: &str) -> &str {
    match key {
        "cluster" | "hw" | "gpu" => "hw",
        "batch" | "batchtokens" | "batchword" => "batch",
        "quantized" | "base" => "base",
        "model" | "size" => "model",
        "ask.days" | "ask.weeks" | "ask.months" | "ask.hours" => "ask.days",
        key => key,
    }
}

impl StatedValues {
    /// Collects the values of the understood spans, and the contradictions.
    pub(crate) fn collect(text: &str, found: &[Finding]) -> (Self, Vec<Contradiction>) {
        let mut said = Self::default();
        let mut conflicts = Vec::new();
        for Finding { from, to, is } in found {
            for (key, value) in &is.pairs {
                let new = Given { key: key.clone(), value: value.clone(), from: *from, to: *to };
                let same = said.0.iter().rposition(|old| thing(&old.key) == thing(key) && old.from != *from);
                if let Some(place) = same
                    && let Some(old) = said.0.get(place).cloned()
                    && !["release", "refuse"].contains(&key.as_str())
                {
                    if is_sized(&old, &new) {
                        // `8B` after `Llama 3.1 8B` is a repetition.
                        continue;
                    }
                    if old.key == "cluster" && key == "hw" && is_one(&old, &new) {
                        continue;
                    }
                    if is_unsized(text, &old) && key == "size" && is_near(&old, &new) {
                        // `gpt2 1.3B` is a GPT-2 of another size.
                        said.0.push(Given { key: SCALED.to_owned(), ..new });
                        continue;
                    }
                    if old.key == "size" && is_unsized(text, &new) && is_near(&new, &old) {
                        said.0.retain(|value| value.from != old.from);
                        said.0.push(new);
                        said.0.push(Given { key: SCALED.to_owned(), ..old });
                        continue;
                    }
                    // A model name takes precedence over a size.
                    let keeps_old = old.key == "model" && new.key == "size";
                    if !is_one(&old, &new) {
                        let [first, second] = [&old, &new].map(|value| (value.from, value.to));
                        let (kept, dropped) = if keeps_old { (first, second) } else { (second, first) };
                        let typed = |(from, to): (usize, usize)| shorten(text.get(from..to).unwrap_or_default());
                        let [first, second] = [first, second].map(typed);
                        let sentence = format!("“{first}” and “{second}” contradict each other.");
                        if !conflicts.iter().any(|conflict: &Contradiction| conflict.dropped == dropped) {
                            conflicts.push(Contradiction { sentence, kept, dropped });
                        }
                    }
                    if keeps_old {
                        continue;
                    }
                    let is_old = |value: &Given| thing(&value.key) == thing(key) && value.from != *from;
                    said.0.retain(|value| !is_old(value));
                }
                said.0.push(new);
            }
        }
        (said, conflicts)
    }

    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|value| value.key == key).map(|value| value.value.as_str())
    }

    /// Returns the text that contains the value of a key.
    pub(crate) fn text_of<'a>(&self, text: &'a str, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find(|value| value.key == key).and_then(|value| text.get(value.from..value.to))
    }

    /// Returns the number of a key.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        number_of(key, self.value(key)?)
    }

    /// Returns whether any of these keys has a value.
    pub(crate) fn has(&self, keys: &[&str]) -> bool {
        self.0.iter().any(|value| keys.contains(&value.key.as_str()))
    }

    /// Returns all values of a key, in order.
    pub(crate) fn all(&self, key: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |value| value.key == key).map(|value| value.value.as_str())
    }
}

/// Key of the size of a model whose name has none.
pub(crate) const SCALED: &str = "scaled";

/// Returns whether the family of a model has a member within a factor of a size.
fn is_near(old: &Given, new: &Given) -> bool {
    /// A family is scaled by less than this.
    const FACTOR: f64 = 2.5;
    let size = number_of("size", &new.value);
    let off = size.and_then(|size| Some(member_near(&old.value, size)?.params as f64 / size));
    off.is_some_and(|off| (FACTOR.recip()..FACTOR).contains(&off))
}

/// Returns whether a value is a model whose name in the text has no size.
fn is_unsized(text: &str, value: &Given) -> bool {
    let typed = text.get(value.from..value.to).unwrap_or_default().to_lowercase();
    let has_size = typed.split(|sign: char| !sign.is_alphanumeric() && sign != '.').any(|part| {
        part.strip_suffix(['b', 'm']).is_some_and(|size| size.ends_with(|sign: char| sign.is_ascii_digit()))
    });
    value.key == "model" && !has_size
}

/// Returns whether two values of one subject are equivalent.
fn is_one(old: &Given, new: &Given) -> bool {
    let node = |value: &Given| match value.key.as_str() {
        "cluster" => cluster(&value.value).map(|entry| entry.accelerator),
        _ => None,
    };
    match (old.key.as_str(), new.key.as_str()) {
        ("cluster", "hw") => node(old) == Some(new.value.as_str()),
        ("hw", "cluster") => node(new) == Some(old.value.as_str()),
        (one, other) if one != other => means_same(old, new),
        _ if old.value == new.value => true,
        (key, _) => number_of(key, &old.value).is_some_and(|number| Some(number) == number_of(key, &new.value)),
    }
}

/// Returns whether values under different keys of one subject are equal.
fn means_same(old: &Given, new: &Given) -> bool {
    old.value == new.value && thing(&old.key) == "base"
}

/// Returns whether a size belongs to the named model.
fn is_sized(old: &Given, new: &Given) -> bool {
    if old.key != "model" || new.key != "size" {
        return false;
    }
    let size = number_of("size", &new.value);
    let own = model(&old.value).map(|entry| entry.params as f64);
    size.zip(own).is_some_and(|(size, own)| (size / own - 1.0).abs() < 0.15)
}
