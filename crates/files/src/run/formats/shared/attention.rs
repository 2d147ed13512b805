//! The attention kernel, by the names that programs use.

use engine::model::hardware::Generation;
use engine::model::software::AttentionKernel;
use engine::params::ParamId;

use crate::run::draft::Draft;
use crate::run::keys::KeyedValue;

/// Sets the attention kernel by name. FlashAttention-2 uses Ampere's instructions, so it counts as
/// the tuned kernel only before Hopper.
pub(in crate::run::formats) fn attention(found: Option<KeyedValue<String>>, draft: &mut Draft) {
    let Some(found) = found else { return };
    refuse_missing_kernel(&found, draft);
    match named(&found.value, second_generation(draft)) {
        Some(kernel) => draft.set_option_from(&found, ParamId::AttentionKernel, kernel),
        None => draft.unknown(&found, ParamId::AttentionKernel),
    }
}

/// Reports a FlashAttention that does not run on this GPU: 2 needs compute capability 8.0, 3 needs
/// Hopper, 4 Hopper or a B200 (READMEs of Dao-AILab/flash-attention).
fn refuse_missing_kernel(found: &KeyedValue<String>, draft: &mut Draft) {
    let generation = draft.generation();
    let needs = match flash_version(&found.value.to_ascii_lowercase()) {
        Some(2) if generation.is_before_ampere() => "Ampere or newer (compute capability 8.0)",
        Some(3) if generation.has_cuda() && generation != Generation::Hopper => "Hopper",
        Some(4) if generation.is_before_hopper() || generation == Generation::BlackwellGddr => "Hopper or B200",
        _ => return,
    };
    let (instead, computed) = if generation.is_before_ampere() {
        ("sdpa", "PyTorch's memory-efficient kernel")
    } else {
        ("flash_attention_2 or sdpa", "the GPU's own kernel")
    };
    draft.contradict(format!(
        "{} = {} needs {needs}, and this GPU is another: the program would stop. Write {instead}. Computed with {computed}.",
        found.key, found.shown
    ));
}

/// Returns the option of links for a name; `second` is the option of FlashAttention-2.
fn named(name: &str, second: &'static str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let has = |word: &str| name.contains(word);
    Some(match (name.as_str(), flash_version(&name)) {
        ("eager" | "disabled" | "local" | "unfused" | "dot_product" | "naive" | "torch", _) => "unfused",
        (_, Some(1)) => "flash-1",
        (_, Some(2)) => second,
        (_, Some(3..)) | ("fused" | "te" | "transformer_engine", _) => "flash-tuned",
        _ if has("cudnn") => "flash-tuned",
        _ if has("triton") => "flash-1",
        ("sdpa" | "flex" | "flex_attention" | "auto" | "xformers" | "varlen", _) => second,
        _ if has("flash") => second,
        _ => return None,
    })
}

/// Returns the version of FlashAttention in a name: `flash_attention_3`, `vllm-flash-attn3`, `fa2`,
/// `FlashAttention v2`.
fn flash_version(name: &str) -> Option<u32> {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let behind = ["flashattention", "flashattn", "flash"]
        .into_iter()
        .find_map(|word| plain.split_once(word).map(|(_, behind)| behind))
        .or_else(|| plain.strip_prefix("fa"))?;
    behind.trim_start_matches('v').chars().next()?.to_digit(10)
}

/// Returns the option of FlashAttention-2 on the current GPU.
fn second_generation(draft: &Draft) -> &'static str {
    if draft.generation().is_from_hopper() { "flash" } else { "flash-tuned" }
}

/// Sets Transformer Engine's attention: cuDNN's from Hopper on.
pub(in crate::run::formats) fn tuned_attention(draft: &mut Draft) {
    draft.scenario.kernels.attention = AttentionKernel::FlashTuned;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_known_by_their_versions() {
        let of = |name| named(name, "flash");
        for name in ["fa1", "flash_attention_1", "FlashAttention-1", "flash_attn_v1", "triton", "flash_attn_triton"] {
            assert_eq!(of(name), Some("flash-1"), "{name}");
        }
        for name in
            ["fa2", "flash_attention_2", "flash-attn 2.8", "sdpa", "flash", "flash_attention", "vllm-flash-attn2"]
        {
            assert_eq!(of(name), Some("flash"), "{name}");
            assert_eq!(named(name, "flash-tuned"), Some("flash-tuned"), "{name}");
        }
        for name in ["fa3", "flash_attention_3", "vllm-flash-attn3", "FA4", "flash_attention_4", "cudnn_flash_te", "te"]
        {
            assert_eq!(of(name), Some("flash-tuned"), "{name}");
        }
        assert_eq!((of("eager"), of("torch")), (Some("unfused"), Some("unfused")));
        assert_eq!([of("fast"), of("paged"), of("fa")], [None; 3]);
    }
}
