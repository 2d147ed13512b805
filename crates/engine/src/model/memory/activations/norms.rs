//! Activations that norms keep, and inputs that they pass to blocks.

use super::FP32;
use crate::model::framework::Layers;
use crate::model::per_rank::sequence_share;
use crate::model::setup::Setup;
use crate::model::software::NormKernel;
use crate::model::transformer::{Norm, QkNorm};

/// Blocks of a layer: attention and an MLP.
const BLOCKS: f64 = 2.0;

/// Bytes of norms for each element of a token's residual stream, on one GPU.
pub(super) struct Norms {
    /// All norms of a layer, with the inputs of its blocks.
    pub all: f64,
    /// One norm with its output.
    pub one: f64,
    /// The normalised input of one norm, for its weight gradient.
    pub normalised: f64,
    /// The input of a block, which its products keep: a norm's output, or the residual stream.
    pub kept_output: f64,
    /// Number of block inputs in a layer.
    pub outputs: f64,
    /// Norms of queries and keys, over the bytes of queries and keys.
    pub of_heads: f64,
}

impl Norms {
    /// Returns the norms of a layer, with `element` bytes per activation.
    pub(super) fn new(setup: &Setup, element: f64) -> Self {
        let (arch, sequence) = (&setup.architecture, sequence_share(setup));
        // An upcasting norm keeps its input in fp32, and the normalised input in the format in
        // which it is scaled.
        let (input, normalised) = match (is_upcast(setup), scales_wide(setup)) {
            (false, _) => (element, 0.0),
            (true, true) => (FP32, FP32),
            (true, false) => (FP32, element),
        };
        // Products keep their input: with sequence parallelism the gathered one, unless the
        // backward pass gathers it again, as overlapping implementations also do.
        let keeps_gathered = setup.traits().keeps_gathered_input && !setup.tensor.asynchronous;
        let kept_output = element * if keeps_gathered { 1.0 } else { sequence };
        let norms = f64::from(arch.norms_per_layer);
        let outputs = if norms < BLOCKS { norms } else { BLOCKS };
        let keeps = (input + normalised) * sequence;
        let has_heads =
            arch.qk_norm != QkNorm::None && (setup.traits().layers != Layers::Own || arch.pattern.is_used());
        // A frozen norm keeps no normalised input.
        let of_heads = input + if setup.trained.has_adapters() { 0.0 } else { normalised };
        Self {
            all: norms * keeps + outputs * kept_output,
            one: keeps + kept_output,
            normalised: normalised * sequence,
            kept_output,
            outputs,
            of_heads: if has_heads { of_heads / element } else { 0.0 },
        }
    }
}

/// Whether norms are computed operator by operator in fp32: only `RMSNorm`s that no compiler fuses.
fn is_upcast(setup: &Setup) -> bool {
    let by_operators = setup.architecture.norm == Norm::Rms && !setup.kernels.compile;
    setup.kernels.norms == NormKernel::Upcast && by_operators
}

/// Whether upcasting norms scale in fp32, before the cast back: those of Gemma, with a norm after
/// each block, and of OLMo 2.
fn scales_wide(setup: &Setup) -> bool {
    let arch = &setup.architecture;
    setup.traits().layers == Layers::Transformers && (arch.norms_per_layer > 2 || arch.qk_norm == QkNorm::Full)
}
