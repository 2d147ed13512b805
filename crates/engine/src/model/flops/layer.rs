//! FLOPs of the layers and the head of a decoder-only transformer (docs/book/model/parameters.md).

use super::recurrent;
use crate::model::layer::{Block, weights_per_token};
use crate::model::setup::Setup;
use crate::model::software::AttentionKernel;
use crate::model::training::{AttentionMask, MfuConvention};
use crate::model::transformer::Architecture;
use crate::units::Flops;

/// A multiply and an add.
pub(super) const MULTIPLY_ADD: f64 = 2.0;
/// Matrix products over the score matrix in attention: queries by keys, and scores by values.
const SCORE_PRODUCTS: f64 = 2.0;
/// A matrix product's backward pass is two products of equal size: for its input and for its
/// weight.
pub(super) const BACKWARD_OVER_FORWARD: f64 = 2.0;
/// Share of the score matrix under a causal mask.
const CAUSAL_SHARE: f64 = 0.5;

/// Returns the weights of one layer that enter the matrix products of a token, averaged over
/// layers, without biases and norms: projections and MLP; in expert layers the experts that the
/// token is sent to, the shared experts and the router.
pub fn layer_matmul_params(arch: &Architecture) -> f64 {
    let extra = arch.extra_layer_params() as f64 / f64::from(arch.num_hidden_layers.max(1));
    weights_per_token(arch, |_, product| product.weights) + extra
}

/// Returns the forward FLOPs per token of one layer's matrix products, `2 P`, averaged over layers.
///
/// ```
/// # use engine::model::flops;
/// // 12 H² weights a layer in a GPT of width 12,288 (arXiv 2005.14165): 24 H² FLOPs.
/// let gpt3 = catalog::model("gpt-3-175b").unwrap().architecture;
/// assert_eq!(flops::layer_matmul(&gpt3).get(), 24.0 * 12_288.0 * 12_288.0);
/// ```
pub fn layer_matmul(arch: &Architecture) -> Flops {
    Flops::new(MULTIPLY_ADD * layer_matmul_params(arch))
}

/// Returns the forward FLOPs per token of one attention's scores over `s_kv` keys, `4 n_q d s_kv`,
/// with the mean of the widths of queries and values if the two differ.
pub fn layer_attention(arch: &Architecture, keys: f64) -> Flops {
    let width = f64::midpoint(arch.core().query(), arch.core().output());
    Flops::new(SCORE_PRODUCTS * MULTIPLY_ADD * width * keys)
}

/// Returns the forward FLOPs per token of the output head, `2 V H`. The embedding look-up costs
/// none.
pub fn head(arch: &Architecture) -> Flops {
    Flops::new(MULTIPLY_ADD * f64::from(arch.vocab_size) * f64::from(arch.hidden_size))
}

/// Returns the keys that a query of one layer attends to on average, as executed by kernels: all,
/// or under a causal mask half; with a window of w keys w, or under a causal mask `w - w²/(2 s)`,
/// as the first queries have fewer keys.
pub fn executed_keys(seq_len: f64, window: f64, mask: AttentionMask) -> f64 {
    let slides = window > 0.0 && window < seq_len;
    match mask {
        AttentionMask::Causal if slides => window - window * window / (2.0 * seq_len),
        AttentionMask::Causal => CAUSAL_SHARE * seq_len,
        AttentionMask::Full if slides => window,
        AttentionMask::Full => seq_len,
    }
}

/// Returns the mean of [`executed_keys`] over layers with attention. `global_every` or the list of
/// layers determines the layers that attend to the whole sequence. A chunk counts as a sequence.
///
/// ```
/// # use engine::model::{flops::mean_keys, training::AttentionMask};
/// let llama = catalog::model("llama-2-7b").unwrap().architecture;
/// assert_eq!(mean_keys(&llama, 4096.0, AttentionMask::Causal), 2048.0);
/// // Every second layer sees the last 4,096 of 8,192 tokens: 3,072 and 4,096 keys.
/// let sliding = engine::model::transformer::Architecture { sliding_window: 4096, global_every: 2, ..llama };
/// assert_eq!(mean_keys(&sliding, 8192.0, AttentionMask::Causal), 3584.0);
/// // Llama 4: three of four layers within chunks of 8,192 tokens, of which a query sees half.
/// let llama_4 = catalog::model("llama-4-scout").unwrap().architecture;
/// assert_eq!(mean_keys(&llama_4, 65_536.0, AttentionMask::Causal), 0.25 * 32_768.0 + 0.75 * 4096.0);
/// ```
pub fn mean_keys(arch: &Architecture, seq_len: f64, mask: AttentionMask) -> f64 {
    let whole = executed_keys(seq_len, 0.0, mask);
    if arch.sliding_window == 0 {
        return whole;
    }
    let window = f64::from(arch.sliding_window);
    let local = if !arch.attention_chunks {
        executed_keys(seq_len, window, mask)
    } else if window < seq_len {
        executed_keys(window, 0.0, mask)
    } else {
        whole
    };
    let global = if arch.pattern.is_used() {
        let blocks = arch.blocks();
        1.0 - f64::from(blocks.window) / f64::from(blocks.attention.max(1))
    } else if arch.global_every > 0 {
        1.0 / f64::from(arch.global_every)
    } else {
        0.0
    };
    global * whole + (1.0 - global) * local
}

/// Returns the forward FLOPs per token of one attention's scores as executed, averaged over layers
/// with attention. Unfused kernels compute the whole matrix and mask it.
pub fn mean_executed_attention(setup: &Setup) -> Flops {
    let arch = &setup.architecture;
    let keys = if setup.kernels.attention == AttentionKernel::Unfused {
        unfused_keys(setup)
    } else {
        mean_keys(arch, setup.attended(), setup.mask)
    };
    layer_attention(arch, keys)
}

/// Returns the keys for which an unfused attention computes the scores of a query: the whole
/// sequence, on average over the tokens of sequences of varying length (`E[l²] / E[l]`).
///
/// ```
/// # use links::decode;
/// # use engine::model::flops::unfused_keys;
/// let keys = |texts: &str| unfused_keys(&decode(&format!("seq=2048&meanlen=512&texts={texts}")).scenario.setup());
/// // Packed texts are masked after the product. Texts of u³ of 2,048 tokens: 2048² / 7 over 2048 / 4.
/// assert_eq!([keys("full"), keys("packed")], [2048.0, 2048.0]);
/// assert!((keys("grouped") - 2048.0 * 4.0 / 7.0).abs() < 1e-9);
/// ```
pub fn unfused_keys(setup: &Setup) -> f64 {
    setup.attended().max(f64::from(setup.batch.seq_len))
}

/// Returns the keys that a query attends to on average under an MFU convention, averaged over
/// layers.
pub fn counted_keys(arch: &Architecture, seq_len: f64, convention: MfuConvention) -> f64 {
    match convention {
        MfuConvention::FullAttention => mean_keys(arch, seq_len, AttentionMask::Full),
        MfuConvention::CausalAttention => mean_keys(arch, seq_len, AttentionMask::Causal),
        MfuConvention::ParametersOnly => 0.0,
    }
}

/// Returns the forward FLOPs per token of token mixing in one layer besides its projections,
/// averaged over layers: attention's scores over `s_kv` keys, and recurrences.
pub fn layer_mixing(arch: &Architecture, keys: f64) -> Flops {
    let layers = arch.layers();
    layers.blocks(Block::Attention) * layer_attention(arch, keys)
        + layers.blocks(Block::State) * recurrent::recurrence(&arch.recurrent)
}

/// Returns the forward model FLOPs per token, `2 P + 4 L n_q d s_kv`, P with the output head and
/// without the embedding.
pub fn forward_per_token(arch: &Architecture, keys: f64) -> Flops {
    f64::from(arch.num_hidden_layers) * (layer_matmul(arch) + layer_mixing(arch, keys)) + head(arch)
}

/// Returns the model FLOPs per token of one step, three times the forward pass: recomputation is
/// not counted.
///
/// Source: PaLM (arXiv 2204.02311, appendix B) for the full-attention convention.
///
/// ```
/// # use engine::model::{flops, training::MfuConvention};
/// // MosaicML prints 6 N + 12 L H s for MPT-7B at 2,048 tokens: 6 * 6.65e9 + 12 * 32 * 4096 * 2048 = 43.1 GFLOP.
/// let mpt = catalog::model("mpt-7b").unwrap().architecture;
/// let per_token = flops::model_per_token(&mpt, 2048.0, MfuConvention::FullAttention).get();
/// assert!((per_token / 43.1e9 - 1.0).abs() < 0.005, "{per_token}");
/// ```
pub fn model_per_token(arch: &Architecture, seq_len: f64, convention: MfuConvention) -> Flops {
    (1.0 + BACKWARD_OVER_FORWARD) * forward_per_token(arch, counted_keys(arch, seq_len, convention))
}
