//! The lists of texts that published runs were trained on.

use engine::model::lengths::Batching;
use engine::scenario::data::TextList;

use super::source::Source;
use crate::row::Row;
use crate::text::has;

/// Tokens of a sample of ms-swift's benchmark on average, before they are cut (`docs/source_en/LLM/Benchmark.md`: 3234.4±2547.5).
const SWIFT_MEAN: f64 = 3234.4;

/// Tokens of a sample of `SQuAD`, of which `NeMo`'s fine-tuning recipes pack sequences: a paragraph of 120 words, a question of ten,
/// an answer. Attention over them is small whatever they are.
const SQUAD_MEAN: f64 = 190.0;

/// Returns the texts of a row whose sequences are cut at so many tokens: full sequences where the source does not say that they are
/// texts of many lengths.
pub fn texts(row: &Row, seq_len: u32) -> TextList {
    match Source::of(row) {
        Some(Source::SwiftBenchmark) => {
            TextList { batching: Batching::Padded, mean_length: cut_mean(SWIFT_MEAN, seq_len), ..TextList::USUAL }
        }
        // `packed_sequence=true` in the launcher's examples/peft/llama; `SquadDataModule` with packed sequences in NeMo 2's recipes in
        // performance mode, which dgxc's ft_llama3 runs.
        Some(Source::Nemo) => packed(),
        Some(Source::Other) if has(&row.source, &["dgx cloud"]) && has(&row.framework, &["nemo"]) => packed(),
        _ => TextList::USUAL,
    }
}

fn packed() -> TextList {
    TextList { batching: Batching::Packed, mean_length: SQUAD_MEAN, ..TextList::USUAL }
}

/// Mean of lengths cut at so many tokens, as if they were exponential, whose deviation is as large as their mean.
fn cut_mean(mean: f64, longest: u32) -> f64 {
    mean * -(-f64::from(longest) / mean).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_cut() {
        assert!((cut_mean(SWIFT_MEAN, 512) - 473.0).abs() < 1.0);
        assert!((cut_mean(SWIFT_MEAN, 1 << 20) - SWIFT_MEAN).abs() < 1e-6);
    }
}
