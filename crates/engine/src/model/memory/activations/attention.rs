//! Activations of attention.

use super::{FP32, MASK};
use crate::model::framework::Layers;
use crate::model::setup::Setup;
use crate::model::transformer::FusedProjections;

/// Bytes per element of flash attention's log-sum-exp, in fp32 for each head and token.
const LOG_SUM_EXP_BYTES: f64 = 4.0;
/// Tensors of attention, in bytes per token on one GPU.
pub(super) struct Attention {
    /// Queries.
    pub(super) query: f64,
    /// Keys, or values, in the layout that attention keeps.
    pub(super) key: f64,
    /// Keys, or values, as produced by their projection.
    pub(super) key_value: f64,
    /// Tensors kept by the norms of queries and keys.
    norms_of_heads: f64,
    /// Extra bytes of one fused matrix for queries, keys and values compared with three.
    joined: f64,
    /// The output of attention, its log-sum-exp, the output projection's input if that is a copy,
    /// and the gate before its sigmoid with the gated output.
    pub(super) output: f64,
    /// Scores written to memory: softmax and dropout.
    pub(super) scores: f64,
    /// The low-rank queries, keys and values of latent attention, with the outputs of their norms.
    pub(super) latent: f64,
    /// Part of `latent` that is outputs of norms.
    pub(super) latent_outputs: f64,
}

impl Attention {
    /// Returns the tensors of `blocks` blocks a layer. Norms of queries and keys keep `of_heads`
    /// times the bytes of their inputs.
    pub(super) fn new(setup: &Setup, element: f64, of_heads: f64, blocks: f64) -> Self {
        let core = setup.architecture.core();
        let tp = f64::from(setup.mesh.tp.max(1));
        let by_heads = f64::from(setup.sequence_heads.max(1));
        let heads = core.heads / tp;
        let bytes = blocks * element;
        let query = bytes * (core.query() / tp);
        // Every GPU of an all-to-all over heads has at least one key and value head.
        let key_value = bytes * (core.key_value_over(tp * by_heads) * by_heads);
        let output = bytes * (core.output() / tp);
        let unfused = setup.writes_scores() > 0.0;
        // Transformer Engine prefers cuDNN's attention from Hopper on (`get_attention_backend`).
        let turned = setup.traits().turns_attention_output
            && setup.accelerator.generation.is_before_hopper()
            && setup.mesh.cp <= 1
            && !unfused;
        let outputs = if turned { 2.0 } else { 1.0 };
        let statistics = if unfused { 0.0 } else { blocks * LOG_SUM_EXP_BYTES * heads };
        let seq_len = f64::from(setup.batch.seq_len);
        let normed = bytes * core.normed_ranks;
        Self {
            query,
            key: if setup.repeats_key_values() { query } else { key_value },
            key_value,
            norms_of_heads: of_heads * (query + key_value),
            joined: joined_projections(setup, query, key_value),
            output: outputs * output + bytes * core.after / tp + statistics,
            scores: if unfused { blocks * heads * seq_len * bytes_per_score(setup, element) } else { 0.0 },
            latent: bytes * core.ranks + normed,
            latent_outputs: normed,
        }
    }

    /// Returns the bytes of all tensors.
    pub(super) fn whole(&self) -> f64 {
        self.query + 2.0 * self.key + self.joined + self.norms_of_heads + self.output + self.scores + self.latent
    }
}

/// Returns the bytes per score that attention without flash kernels keeps.
///
/// Softmax in the format of the scores keeps its output, and dropout keeps its output and a mask
/// (arXiv 2205.05198, section 4.1). The layers of transformers compute softmax in fp32 and cast the
/// result back (`eager_attention_forward`). A compiler also keeps the product, from which it
/// recomputes the softmax.
fn bytes_per_score(setup: &Setup, element: f64) -> f64 {
    let dropout = f64::from(u8::from(setup.kernels.dropout));
    // The tanh that caps scores keeps its output (Gemma 2).
    let capped = setup.architecture.logit_softcap && setup.traits().layers == Layers::Transformers;
    let capped = if capped && !setup.kernels.compile { element } else { 0.0 };
    let beside_output = match setup.traits().layers {
        _ if setup.kernels.compile => element,
        Layers::Transformers => FP32,
        Layers::Torchtitan | Layers::Own => dropout * element,
    };
    beside_output + element + capped + dropout * MASK
}

/// Returns the extra bytes of one matrix for queries, keys and values compared with three, in
/// layers of PyTorch: the values that attention keeps are a view of the fused output, and the
/// output of attention is copied head by head for the next product (`modeling_phi3.py`).
fn joined_projections(setup: &Setup, query: f64, key_value: f64) -> f64 {
    let layers = setup.traits().layers;
    if layers == Layers::Own || setup.architecture.fused_projections != FusedProjections::All {
        return 0.0;
    }
    let copied = if layers == Layers::Transformers && !setup.kernels.compile { query } else { 0.0 };
    // Repeated values are copies, not views of the fused output.
    let repeated = setup.repeats_key_values() && key_value < query;
    copied + if repeated { 0.0 } else { query + key_value }
}
