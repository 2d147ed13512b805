//! Styles of model families for rows that specify sizes: gated or plain MLP, norms, biases, tied
//! embeddings, positions.
//!
//! Styles are taken from catalog entries with replaced sizes.

use crate::row::Row;
use crate::text::has;
use crate::typed::stack::Stack;
use engine::model::transformer::Architecture;

/// Ratio of MLP width to H above which an MLP counts as plain; gated MLPs have `8/3` to 3.5, with
/// exceptions by family.
const PLAIN_RATIO: f64 = 3.9;
/// Relative difference below which a parameter count equals the row's.
const EXACT: f64 = 1e-6;
/// Relative difference below which a rounded parameter count cannot distinguish two styles.
const ALIKE: f64 = 0.01;
/// GPT-2's vocabulary padded to a multiple of 64, the default of code without a stated vocabulary.
const PADDED_GPT2: u32 = 50_304;
/// Vocabulary of Megatron's papers.
const MEGATRON: u32 = 51_200;

fn entry(id: &str) -> Option<Architecture> {
    catalog::model(id).map(|entry| entry.architecture)
}

/// Returns the possible styles of a row's model, most likely first.
pub(super) fn candidates(row: &Row, stack: Stack) -> Vec<Architecture> {
    let plain = || {
        let gpt = entry("gpt-3-175b").map(|style| Architecture { vocab_size: MEGATRON, ..style });
        let untied = gpt.map(|style| Architecture { tie_word_embeddings: false, ..style });
        let rotary = gpt.map(|style| Architecture { learned_positions: 0, ..style });
        let rotary_untied = rotary.map(|style| Architecture { tie_word_embeddings: false, ..style });
        [gpt, rotary, untied, rotary_untied]
    };
    let gated = || {
        let llama = entry("llama-2-7b");
        [llama, llama.map(|style| Architecture { tie_word_embeddings: true, ..style })]
    };
    let styles: Vec<Option<Architecture>> = if stack == Stack::Modalities {
        let mpt = entry("mpt-7b").map(|style| Architecture { vocab_size: PADDED_GPT2, ..style });
        vec![mpt.map(|style| Architecture { tie_word_embeddings: false, ..style })]
    } else if stack == Stack::Composer || has(&row.model, &["mpt", "mosaic"]) {
        vec![entry("mpt-bench-7b"), entry("mpt-7b"), entry("gpt-3-175b")]
    } else if stack == Stack::InternEvo || has(&row.model, &["internlm"]) {
        vec![entry("internlm-7b"), entry("llama-2-7b")]
    } else if has(&row.model, &["qwen3", "qwen 3", "qwen-3"]) {
        vec![entry("qwen-3-8b"), entry("qwen-3-4b")]
    } else if has(&row.model, &["qwen"]) {
        vec![entry("qwen-2.5-7b"), entry("qwen-2.5-3b")]
    } else if has(&row.model, &["bloom"]) {
        vec![entry("bloom-176b")]
    } else if has(&row.model, &["nemotron"]) {
        nemotron()
    } else if is_gated(row) {
        gated().into_iter().chain(plain()).collect()
    } else {
        let of_row = |style: Architecture| Architecture { gated_mlp: is_gated(row), ..style };
        let plain = plain().into_iter().flatten().map(of_row).map(Some);
        plain.chain(if row.params.is_some() { gated().to_vec() } else { Vec::new() }).collect()
    };
    // Code without a stated vocabulary pads the vocabulary of its tokenizer.
    let padded = |style: Architecture| Architecture { vocab_size: style.vocab_size.next_multiple_of(64), ..style };
    styles.into_iter().flatten().map(padded).collect()
}

/// Returns the style with squared-ReLU MLP, layer norms, rotary positions, no biases and an untied
/// output head (arXiv 2402.16819).
fn nemotron() -> Vec<Option<Architecture>> {
    let style = entry("gpt-3-175b").zip(entry("llama-2-7b")).map(|(gpt, llama)| Architecture {
        norm: gpt.norm,
        gated_mlp: false,
        vocab_size: 256_000,
        ..llama
    });
    vec![style]
}

/// Returns whether the columns suggest a gated MLP.
fn is_gated(row: &Row) -> bool {
    if has(&row.model, &["llama", "mistral", "gemma", "yi", "deepseek", "olmo"]) {
        return true;
    }
    let grouped = row.kv_heads.zip(row.heads).is_some_and(|(kv, heads)| kv < heads);
    let ratio = row.ffn_hidden.zip(row.hidden).map(|(width, hidden)| f64::from(width) / f64::from(hidden));
    ratio.map_or(grouped, |ratio| ratio < PLAIN_RATIO)
}

/// Returns the shape whose parameter count equals the row's, or else the most likely shape that is
/// about as close as the closest one. `shapes` are ordered by likelihood.
pub(super) fn nearest(shapes: &[Architecture], params: Option<f64>) -> Option<Architecture> {
    let Some(params) = params else { return shapes.first().copied() };
    let error = |shape: &Architecture| (shape.params() as f64 / params - 1.0).abs();
    if let Some(exact) = shapes.iter().find(|shape| error(shape) < EXACT) {
        return Some(*exact);
    }
    let best = shapes.iter().map(error).fold(f64::INFINITY, f64::min);
    shapes.iter().find(|shape| error(shape) <= best + ALIKE).copied()
}
