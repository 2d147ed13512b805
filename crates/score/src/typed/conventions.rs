//! FLOP conventions of publications: converts published TFLOP/s or MFU to the time of a step.

use crate::row::Row;
use crate::text::has;
use engine::model::flops;
use engine::model::training::AttentionMask;
use engine::model::transformer::Architecture;
use engine::model::transformer::recurrent::RecurrentKind;

/// FLOP convention of a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Convention {
    /// Three forward passes: `6 P + 12 L H s` per token.
    Model,
    /// Three forward passes with half of the attention term, as under a causal mask:
    /// Megatron-Bridge's summaries.
    CausalModel,
    /// Four forward passes, as with full recomputation (arXiv 2104.04473).
    FullRecompute,
    /// `8 N` per token.
    EightN,
    /// `6 N` per token.
    SixN,
}

impl Convention {
    /// Returns the convention of a row's TFLOP/s.
    pub(super) fn of_tflops(row: &Row) -> Self {
        let kind = row.tflops_kind.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| kind.contains(word));
        if says(&["*8*", "8*n", "8n"]) {
            Self::EightN
        } else if says(&["*6*", "6*n*t", "6nt"]) && !says(&["+12"]) {
            Self::SixN
        } else if says(&["hfu", "96b", "recompute", "x4", "hardware"]) {
            Self::FullRecompute
        } else if has(&row.framework, &["bridge"]) || says(&["causal"]) {
            Self::CausalModel
        } else {
            Self::Model
        }
    }

    /// Returns the FLOPs of one token.
    pub(super) fn flops_per_token(self, shape: &Architecture, seq_len: u32) -> f64 {
        let params = shape.active_params() as f64;
        let matmul = params
            - shape.position_params() as f64
            - if shape.tie_word_embeddings { 0.0 } else { shape.embedding_params() as f64 };
        let keys = f64::from(seq_len);
        let attention = if shape.has_experts() {
            let keys = flops::mean_keys(shape, keys, AttentionMask::Full);
            flops::layer_attention(shape, keys).get() * f64::from(shape.blocks().attention)
        } else {
            4.0 * shape.query_width() * keys * f64::from(shape.num_hidden_layers)
        };
        let forward = 2.0 * matmul + attention + recurrent(shape);
        match self {
            Self::Model => 3.0 * forward,
            Self::CausalModel => 3.0 * (forward - 0.5 * attention),
            Self::FullRecompute => 4.0 * forward,
            Self::EightN => 8.0 * params,
            Self::SixN => 6.0 * params,
        }
    }
}

/// Returns the FLOPs that Megatron's convention for hybrid models counts for Mamba-2 layers in
/// addition to the layers' actual products: an inner width of twice the hidden size
/// (`mamba_layer_flops`, Megatron-Bridge training/utils/flop_utils.py) regardless of the heads, and
/// the scan.
fn recurrent(shape: &Architecture) -> f64 {
    let mixer = &shape.recurrent;
    let layers = f64::from(shape.blocks().recurrent);
    if mixer.kind != RecurrentKind::Mamba2 || !mixer.is_used() {
        return layers * flops::recurrent::recurrence(mixer).get();
    }
    let hidden = f64::from(shape.hidden_size);
    let (inner, state) = (2.0 * hidden, f64::from(mixer.key_dim));
    let beyond = 3.0 * hidden * (inner - mixer.inner_width());
    layers * (2.0 * beyond + 7.0 * inner * state)
}
