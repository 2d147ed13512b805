//! Parts of a sentence that were understood, and GPUs among them that are alternatives.

use std::collections::HashSet;

use catalog::cluster;
use engine::scenario::pins::MOST_PINS;

use crate::patterns::Match;
use crate::words::ALTERNATIVES;

/// The interpretation of a span of the text.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// Offset of the first byte.
    pub(crate) from: usize,
    /// Offset after the last byte.
    pub(crate) to: usize,
    /// Interpretation of the span.
    pub(crate) is: Match,
}

impl Finding {
    /// Returns the value of the first of these keys.
    pub(crate) fn value(&self, keys: &[&str]) -> Option<&str> {
        let pair = self.is.pairs.iter().find(|(key, _)| keys.contains(&key.as_str()));
        pair.map(|(_, value)| value.as_str())
    }
}

/// Returns the accelerator that a part of a sentence names.
pub(crate) fn gpu_of(found: &Finding) -> Option<String> {
    found.is.pairs.iter().find_map(|(key, value)| match key.as_str() {
        "hw" => Some(value.clone()),
        "cluster" => cluster(value).map(|entry| entry.accelerator.to_owned()),
        _ => None,
    })
}

/// Returns whether a sentence compares its GPUs: it says so, or names them as alternatives.
pub(crate) fn is_comparison(text: &str, found: &[Finding]) -> bool {
    let has_name = found.iter().any(|found| gpu_of(found).is_some());
    let is_named = |found: &&Finding| if has_name { gpu_of(found).is_some() } else { has(found, &["gpus"]) };
    let named: Vec<&Finding> = found.iter().filter(is_named).collect();
    let mut pairs = named.windows(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
    found.iter().any(|found| has(found, &["ask.compare", "ask.money"]))
        || pairs.any(|(one, other)| {
            let between = text.get(one.to..other.from).unwrap_or_default();
            // A list of GPUs: `8x4090, 16 A100`. Two numbers of one GPU may be those of a node and
            // of all.
            are_alternatives(between) || between.trim() == "," && gpu_of(one) != gpu_of(other)
        })
}

/// Returns whether a sentence compares several GPUs, or several numbers of one.
pub(crate) fn has_several(text: &str, found: &[Finding]) -> bool {
    let gpus: HashSet<String> = found.iter().filter_map(gpu_of).collect();
    gpus.len() > 1 || !numbers_of_one(text, found).is_empty()
}

/// Returns the places of the parts that name one GPU, or none, with numbers to compare: `64 H100 vs
/// 128 H100`.
pub(crate) fn numbers_of_one(text: &str, found: &[Finding]) -> Vec<usize> {
    let gpus: HashSet<String> = found.iter().filter_map(gpu_of).collect();
    let is_named = |found: &Finding| gpu_of(found).is_some() || gpus.is_empty();
    let with_number = |place: &usize| found.get(*place).is_some_and(|found| is_named(found) && has(found, &["gpus"]));
    let places: Vec<usize> = (0..found.len()).filter(with_number).collect();
    let numbers: HashSet<&str> = places.iter().filter_map(|place| found.get(*place)?.value(&["gpus"])).collect();
    let is_compared = gpus.len() < 2 && numbers.len() == places.len() && (2..=MOST_PINS + 1).contains(&places.len());
    if is_compared && is_comparison(text, found) { places } else { Vec::new() }
}

/// Returns whether words between two GPUs say that these are alternatives to each other.
pub(crate) fn are_alternatives(between: &str) -> bool {
    let mut words = between.split_whitespace();
    words.clone().count() < 4 && words.any(|word| ALTERNATIVES.contains(&word.to_lowercase().as_str()))
}

pub(crate) fn has(found: &Finding, keys: &[&str]) -> bool {
    found.is.pairs.iter().any(|(key, _)| keys.contains(&key.as_str()))
}
