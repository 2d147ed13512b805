//! Models outside the catalog that have the shape of a catalog entry or a published shape.

use crate::row::Row;
use crate::text::has;
use engine::model::transformer::Architecture;
use engine::scenario::Model;

/// Words of names with the catalog entry of equal shape. The first match applies, so names with a
/// size come first.
const SHAPES: [(&[&str], &str); 35] = [
    (&["vicuna", "7b"], "llama-1-7b"),
    (&["vicuna", "13b"], "llama-1-13b"),
    (&["vicuna", "33b"], "llama-1-33b"),
    (&["llava", "7b"], "llama-1-7b"),
    (&["llava", "13b"], "llama-1-13b"),
    (&["alpaca", "7b"], "llama-1-7b"),
    (&["wizardlm", "30b"], "llama-1-33b"),
    (&["wizardlm", "70b"], "llama-2-70b"),
    (&["wizardlm", "13b"], "llama-2-13b"),
    (&["guanaco", "33b"], "llama-1-33b"),
    (&["guanaco", "65b"], "llama-1-65b"),
    (&["llama", "30b"], "llama-1-33b"),
    (&["tulu-3", "405b"], "llama-3.1-405b"),
    (&["tulu", "70b"], "llama-3.1-70b"),
    (&["tulu", "8b"], "llama-3.1-8b"),
    (&["tulu", "7b"], "llama-2-7b"),
    (&["tulu", "13b"], "llama-2-13b"),
    (&["hermes", "8b"], "llama-3.1-8b"),
    (&["openlm", "7b"], "llama-1-7b"),
    (&["open_llama", "7b"], "llama-1-7b"),
    (&["galactica", "30b"], "opt-30b"),
    (&["galactica", "6.7b"], "opt-6.7b"),
    (&["openchat"], "mistral-7b"),
    (&["zephyr"], "mistral-7b"),
    (&["openhermes"], "mistral-7b"),
    (&["monkey"], "qwen-1-7b"),
    (&["minicpm-v 2.6"], "qwen-2-7b"),
    (&["internlm2", "7b"], "llama-3-8b"),
    (&["qwq"], "qwen-2.5-32b"),
    (&["deepseek", "67b"], "llama-2-70b"),
    (&["intellect-3"], "glm-4.5-air"),
    (&["mistral-nemo"], "mistral-nemo-12b"),
    (&["command r 7b"], "command-r7b"),
    (&["command-r", "7b"], "command-r7b"),
    (&["deepseek-v3 16b"], "deepseek-v2-lite"),
];

/// Vision-language models, whose language model has the name without the marker.
const VISUAL: [(&str, &str); 5] = [
    ("qwen2.5-vl", "qwen-2.5-"),
    ("qwen2-vl", "qwen-2-"),
    ("qwen3-vl", "qwen-3-"),
    ("qwen2.5-omni", "qwen-2.5-"),
    ("internvl2", "qwen-2.5-"),
];

/// A published shape without a catalog entry.
#[derive(Clone, Copy)]
struct Shape {
    /// Catalog entry that provides the style: norms, biases and MLP.
    style: &'static str,
    layers: u32,
    hidden: u32,
    heads: u32,
    kv_heads: u32,
    ffn: u32,
    vocab: u32,
    tied: bool,
}

/// Shapes of ibm/PowerLM-3b, bigcode/gpt_bigcode-santacoder and BAAI/Aquila2-* (config.json).
const PUBLISHED: [(&str, Shape); 4] = [
    ("powerlm-3b", shape("llama-2-7b", (40, 2304), (36, 36), 9216, 49_152, true)),
    ("santacoder", shape("gpt-3-1.3b", (24, 2048), (16, 1), 8192, 49_280, true)),
    ("aquila2 7b", shape("llama-2-7b", (32, 4096), (32, 32), 11_008, 100_008, false)),
    ("aquila2 34b", shape("llama-2-7b", (60, 6144), (48, 8), 24_576, 100_008, false)),
];

const fn shape(
    style: &'static str,
    (layers, hidden): (u32, u32),
    (heads, kv_heads): (u32, u32),
    ffn: u32,
    vocab: u32,
    tied: bool,
) -> Shape {
    Shape { style, layers, hidden, heads, kv_heads, ffn, vocab, tied }
}

/// Returns the model that shares its shape with the row's model, and a note.
pub(super) fn find(row: &Row) -> Option<(Model, String)> {
    let name = row.model.to_ascii_lowercase();
    if let Some((_, shape)) =
        PUBLISHED.iter().find(|(known, _)| name.replace('-', " ").contains(&known.replace('-', " ")))
    {
        let style = catalog::model(shape.style)?.architecture;
        let architecture = Architecture {
            num_hidden_layers: shape.layers,
            hidden_size: shape.hidden,
            num_attention_heads: shape.heads,
            num_key_value_heads: shape.kv_heads,
            head_dim: shape.hidden / shape.heads,
            intermediate_size: shape.ffn,
            vocab_size: shape.vocab,
            tie_word_embeddings: shape.tied,
            ..style
        };
        return Some((Model::Custom { architecture }, format!("shape of {} as its makers publish it", row.model)));
    }
    let like = |words: &&(&[&str], &str)| words.0.iter().all(|word| has(&name, &[word]));
    let entry = SHAPES.iter().find(like).and_then(|(_, id)| catalog::model(id)).or_else(|| visual(&name))?;
    Some((entry.pick(), format!("shape of {} taken for {}", entry.name, row.model)))
}

/// Returns the language model of a vision-language model, by the size in the name.
fn visual(name: &str) -> Option<&'static catalog::ModelEntry> {
    let (_, family) = VISUAL.iter().find(|(mark, _)| name.contains(mark))?;
    let size =
        name.split(['-', '/', '_', ' ']).find(|part| part.ends_with('b') && part.starts_with(char::is_numeric))?;
    let mixture = name.split(['-', '/']).find(|part| part.starts_with('a') && part.ends_with('b'));
    let id = mixture.map_or_else(|| format!("{family}{size}"), |active| format!("{family}{size}-{active}"));
    catalog::model(&id)
}
