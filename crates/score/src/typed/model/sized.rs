//! Models known only by size: the nearest model of the most common families.

use super::name::Name;
use crate::row::Row;
use crate::text::has;
use crate::typed::stack::Stack;
use engine::model::transformer::Architecture;
use engine::scenario::Model;

/// Most commonly trained models by size.
const USUAL: [&str; 15] = [
    "qwen-2.5-0.5b",
    "llama-3.2-1b",
    "qwen-2.5-1.5b",
    "llama-3.2-3b",
    "qwen-3-4b",
    "llama-2-7b",
    "llama-3.1-8b",
    "llama-2-13b",
    "qwen-2.5-14b",
    "qwen-2.5-32b",
    "yi-34b",
    "llama-1-65b",
    "llama-3.1-70b",
    "qwen-2.5-72b",
    "llama-3.1-405b",
];
/// GPT's shapes by size (arXiv 2005.14165, table 2.1).
const GPT: [&str; 8] =
    ["gpt-3-125m", "gpt-3-350m", "gpt-3-760m", "gpt-3-1.3b", "gpt-3-2.7b", "gpt-3-6.7b", "gpt-3-13b", "gpt-3-175b"];

/// Returns the nearest model by size, and a note; `None` if the size is unknown.
pub(super) fn find(row: &Row, stack: Stack) -> Option<(Model, String)> {
    let size = row.params.or_else(|| Name::parse(&row.model).size).filter(|size| *size > 1e6)?;
    if has(&row.model, &["gpt"]) || stack.is_megatron() && !has(&row.model, &["llama", "qwen"]) {
        return gpt(size);
    }
    let distance =
        |id: &&&str| catalog::model(id).map_or(f64::INFINITY, |entry| (entry.params as f64 / size).ln().abs());
    let entry = USUAL.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).and_then(|id| catalog::model(id))?;
    Some((entry.pick(), format!("a guess: shape of {}, the nearest in size to {}", entry.name, row.model)))
}

/// Returns a GPT of any size: the widths of the nearest published GPT, with the number of layers
/// that gives the size.
fn gpt(size: f64) -> Option<(Model, String)> {
    let distance =
        |id: &&&str| catalog::model(id).map_or(f64::INFINITY, |entry| (entry.params as f64 / size).ln().abs());
    let entry = GPT.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).and_then(|id| catalog::model(id))?;
    let style = entry.architecture;
    let of = |layers: u32| Architecture { num_hidden_layers: layers, ..style }.params() as f64;
    let layer = of(2) - of(1);
    let layers = ((size - of(1)) / layer + 1.0).round().clamp(1.0, 1000.0) as u32;
    let note = format!("a guess: {layers} layers of {}'s width, by size", entry.name);
    Some((Model::Custom { architecture: Architecture { num_hidden_layers: layers, ..style } }, note))
}

/// Reads a shape from a text such as `GPT 12 layers, hidden 768, vocab 32777`.
pub(super) fn told(row: &Row) -> Option<(u32, u32, Option<u32>)> {
    let text = row.model.to_ascii_lowercase();
    let words: Vec<&str> = text.split([' ', ',', '=']).filter(|word| !word.is_empty()).collect();
    let pair = |fits: &dyn Fn(&str, &str) -> bool| {
        words.iter().zip(words.iter().skip(1)).find(|(first, second)| fits(first, second))
    };
    let before = |name: &str| pair(&|_, second| second.starts_with(name))?.0.parse().ok();
    let after = |name: &str| pair(&|first, _| first.starts_with(name))?.1.parse().ok();
    Some((before("layer")?, after("hidden")?, after("vocab")))
}
