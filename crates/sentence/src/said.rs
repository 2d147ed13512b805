//! Values of a sentence by key. The last value applies, and contradictions are reported.

use catalog::{cluster, model};
use engine::params::quantity::shorten;

use crate::means::number_of;
use crate::reading::Finding;

/// A value with its position in the text.
#[derive(Clone, Debug)]
struct Given {
    key: String,
    value: String,
    from: usize,
    to: usize,
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
    /// Collects the values of the understood spans, and sentences about contradictions.
    pub(crate) fn collect(text: &str, found: &[Finding]) -> (Self, Vec<String>) {
        let mut said = Self::default();
        let mut conflicts = Vec::new();
        for Finding { from, to, is } in found {
            for (key, value) in &is.pairs {
                let new = Given { key: key.clone(), value: value.clone(), from: *from, to: *to };
                let same = said.0.iter().rposition(|old| thing(&old.key) == thing(key) && old.from != *from);
                if let Some(place) = same
                    && let Some(old) = said.0.get(place).cloned()
                    && key != "release"
                {
                    if is_sized(&old, &new) {
                        // `8B` after `Llama 3.1 8B` is a repetition.
                        continue;
                    }
                    if old.key == "cluster" && key == "hw" && is_one(&old, &new) {
                        continue;
                    }
                    // A model name takes precedence over a size.
                    let keeps_old = old.key == "model" && new.key == "size";
                    if !is_one(&old, &new) {
                        let [first, second] =
                            [&old, &new].map(|value| shorten(text.get(value.from..value.to).unwrap_or_default()));
                        let counts = if keeps_old { &first } else { &second };
                        let sentence = format!("“{first}” and “{second}” contradict each other: “{counts}” is used.");
                        if !conflicts.contains(&sentence) {
                            conflicts.push(sentence);
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
