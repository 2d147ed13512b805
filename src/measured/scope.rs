//! What the engine does not model: such rows are left out before anything is completed.

use super::LeftOut;
use super::row::Row;
use super::text::has;

/// Families that are mixtures of experts under every size, in lower case.
const MIXTURES: [&str; 21] = [
    "moe",
    "mixtral",
    "deepseekv",
    "deepseek-v",
    "deepseek v",
    "moonlight",
    "kimi",
    "gpt oss",
    "gpt-oss",
    "gpt_oss",
    "nemotron_3_",
    "nemotron 3 ",
    "nemotron v3",
    "qwen3_next",
    "qwen3 next",
    "qwen3-next",
    "grok",
    "dbrx",
    "arctic",
    "llama 4",
    "llama4",
];

/// `a3b`, `a22b`: the active parameters that mixtures carry in their names.
fn active_size(word: &str) -> bool {
    let inner = word.strip_prefix('a').and_then(|rest| rest.strip_suffix('b'));
    inner.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// `8x7b`: experts times their size.
fn experts_by_size(word: &str) -> bool {
    let by = |(experts, size): (&str, &str)| {
        !experts.is_empty() && experts.bytes().all(|byte| byte.is_ascii_digit()) && size.ends_with('b')
    };
    word.split_once('x').is_some_and(by)
}

/// Whether the row is about a mixture of experts.
pub fn is_mixture(row: &Row) -> bool {
    let name = row.model.to_ascii_lowercase();
    let mut words = name.split(|byte: char| !(byte.is_ascii_alphanumeric() || byte == '.'));
    row.n_experts.is_some_and(|experts| experts > 1)
        || row.ep.is_some_and(|degree| degree > 1)
        || MIXTURES.iter().any(|family| name.contains(family))
        || words.any(|word| active_size(word) || experts_by_size(word))
        || has(&row.framework, &["moe"])
}

/// Whether a row is about something else than a step of full training of a dense transformer.
///
/// # Errors
///
/// The reason for which the row is left out.
pub fn check(row: &Row) -> Result<(), LeftOut> {
    let left_out = |reason: &str| Err(LeftOut::because(reason));
    if is_mixture(row) {
        return left_out("mixture of experts: not modelled yet");
    }
    if has(&row.notes, &["not a full step"]) || has(&row.model, &["one transformer layer"]) {
        return left_out("one layer, not a training step");
    }
    if has(&row.notes, &["lora"]) || has(&row.model, &["lora"]) || has(&row.sharding, &["lora"]) {
        return left_out("low-rank adapters (LoRA): frozen weights are not modelled");
    }
    if has(&row.notes, &["multi-latent-attention=true"]) {
        return left_out("multi-latent attention: not modelled");
    }
    if has(&row.notes, &["hybrid-override-pattern", "mamba"]) || has(&row.model, &["mamba"]) {
        return left_out("state-space layers: not modelled");
    }
    if row.model.to_ascii_lowercase().starts_with("t5") || has(&row.model, &["bert", "vit"]) {
        return left_out("not a decoder-only transformer");
    }
    if row.notes.contains("CAUTION") {
        return left_out("the source contradicts itself");
    }
    Ok(())
}
