//! Activations of attention besides queries, keys, values and its output.

use super::{FP32, MASK};
use crate::model::framework::Layers;
use crate::model::setup::Setup;
use crate::model::transformer::FusedProjections;

/// Returns the bytes per score that attention without flash kernels keeps.
///
/// Softmax in the format of the scores keeps its output, and dropout keeps its output and a mask
/// (arXiv 2205.05198, section 4.1). The layers of transformers compute softmax in fp32 and cast the
/// result back (`eager_attention_forward`). A compiler also keeps the product, from which it
/// recomputes the softmax.
pub(super) fn bytes_per_score(setup: &Setup, element: f64) -> f64 {
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
pub(super) fn joined_projections(setup: &Setup, query: f64, key_value: f64) -> f64 {
    let layers = setup.traits().layers;
    if layers == Layers::Own || setup.architecture.fused_projections != FusedProjections::All {
        return 0.0;
    }
    let copied = if layers == Layers::Transformers && !setup.kernels.compile { query } else { 0.0 };
    // Repeated values are copies, not views of the fused output.
    let repeated = setup.repeats_key_values() && key_value < query;
    copied + if repeated { 0.0 } else { query + key_value }
}
