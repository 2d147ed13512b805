//! Parses the attention kernel of a row.

use super::gpu;
use super::stack::Stack;
use crate::Notes;
use crate::row::Row;
use crate::text::has;
use engine::model::software::AttentionKernel;

/// Names of the kernels of Tri Dao's package; a version may follow, with or without separators.
const FLASH: [&str; 3] = ["flash", "fa", "attn"];
/// Words between the name and the version.
const BETWEEN: [&str; 4] = ["attention", "attn", "version", "v"];

/// Returns the version after any spelling of `flash`: `flash 3`, `FA3`, `flash_attention_3`,
/// `flash-attn 2.0.4`.
pub(super) fn flash_version(text: &str) -> Option<u32> {
    let text = text.to_ascii_lowercase();
    let starts = FLASH.iter().flat_map(|name| text.match_indices(name).map(|(at, name)| (at, at + name.len())));
    let starts = starts.filter(|(at, _)| {
        let before = text.get(..*at).and_then(|before| before.chars().last());
        !before.is_some_and(|sign| sign.is_ascii_alphanumeric())
    });
    starts.filter_map(|(_, end)| version(text.get(end..)?)).max()
}

/// Returns the version at the start of the text after a name.
fn version(text: &str) -> Option<u32> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '-', '_', '/', ':', '=', '>']);
        match BETWEEN.iter().find_map(|word| rest.strip_prefix(word)) {
            Some(shorter) => rest = shorter,
            None => break,
        }
    }
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|version| (1..=9).contains(version))
}

/// Returns the kernel of a row, or else the default of its stack.
pub(super) fn kernel(row: &Row, stack: Stack, notes: &mut Notes) -> AttentionKernel {
    let attention = row.attention.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| attention.contains(word));
    let names = |word: &str| attention.split(|sign: char| !sign.is_ascii_alphanumeric()).any(|part| part == word);
    // FlashAttention-2, and therefore PyTorch's SDPA, uses the instructions of Ampere.
    let is_before = gpu::find(row).map_or(true, |entry| !entry.values.generation.is_from_hopper());
    let by_silicon = if is_before { AttentionKernel::FlashTuned } else { AttentionKernel::Flash };
    let version = flash_version(&attention);
    let sdpa = says(&["sdpa"]);
    let second = version == Some(2) || sdpa;
    if says(&["unfused", "local", "eager", "math"]) {
        AttentionKernel::Unfused
    } else if says(&["triton"]) || version == Some(1) {
        AttentionKernel::FlashFirst
    } else if version.is_some_and(|version| version >= 3) {
        notes.add(format!("`{}` understood as FlashAttention-{}", row.attention, version.unwrap_or_default()));
        AttentionKernel::FlashTuned
    } else if says(&["cudnn", "fused"]) || has(&row.compile, &["cudnn"]) || names("te") || second && is_before {
        AttentionKernel::FlashTuned
    } else if second {
        AttentionKernel::Flash
    } else {
        match stack.habits().attention {
            Some(AttentionKernel::Unfused) if says(&["flash"]) => by_silicon,
            Some(kernel) => kernel,
            None => by_silicon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_flash_with_a_version_behind_it_is_that_version() {
        for text in
            ["flash 3", "FA3", "fa-3", "flash_attention_3", "FlashAttention-3", "flash-attn v3", "flash attn 3.0b"]
        {
            assert_eq!(flash_version(text), Some(3), "{text}");
        }
        for text in ["flash-attn2", "FlashAttention-2 (ROCm 5.7)", "flash-attn 2.0.4", "fa2", "flash 2 (TE)"] {
            assert_eq!(flash_version(text), Some(2), "{text}");
        }
        assert_eq!(flash_version("flash-attention 4 (CuTe)"), Some(4));
        for text in ["flash", "sdpa", "TE", "flash (splash)", "eager (no flash)", "fast, 3 kernels", "alfa 3"] {
            assert_eq!(flash_version(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_understood_is_said() {
        let row = Row { attention: "flash 3".into(), gpu: "H100".into(), ..Row::default() };
        let mut notes = Notes::default();
        assert_eq!(kernel(&row, Stack::Fsdp, &mut notes), AttentionKernel::FlashTuned);
        assert_eq!(notes.iter().next(), Some("`flash 3` understood as FlashAttention-3"));
        let second = Row { attention: "flash 2".into(), ..row };
        assert_eq!(kernel(&second, Stack::Fsdp, &mut notes), AttentionKernel::Flash);
    }
}
