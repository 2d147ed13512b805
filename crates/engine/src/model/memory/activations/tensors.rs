//! The tensors of one layer, by block.

use super::mlp::Mlps;
use super::norms::Norms;
use super::recurrent::{self, StateBytes};
use super::{MASK, attention::Attention};
use crate::model::layer::{Block, Layers};
use crate::model::per_rank::sequence_share;
use crate::model::setup::Setup;
use crate::model::states::product_bytes;

/// Extra elements of width H per token and layer that asynchronous tensor parallelism keeps, each
/// GPU its part of the sequence. In nanotron and Transformer Engine, which Megatron uses
/// (`initialize_ub`), all layers share buffers for them.
const ASYNCHRONOUS_COPIES: f64 = 4.0;

/// The tensors of one layer, averaged over some layers, in bytes per token on one GPU.
pub(super) struct Tensors {
    pub(super) residual: Residual,
    pub(super) attention: Attention,
    /// MLPs, dense and of experts.
    pub(super) mlps: Mlps,
    /// Recurrent mixers.
    pub(super) state: StateBytes,
    /// Share of an input's bytes that narrower products save.
    pub(super) narrow: f64,
    /// Bytes of an element.
    pub(super) element: f64,
}

/// The residual stream and the norms on it.
pub(super) struct Residual {
    /// The layer's input.
    pub(super) input: f64,
    /// Inputs and outputs of the norms, and other tensors that norms keep.
    pub(super) norms: f64,
    /// Part of `norms` that belongs to one norm.
    pub(super) norm: f64,
    /// Tensors that one norm keeps besides its input.
    pub(super) norm_output: f64,
    /// The normalised inputs of all norms, for their weights' gradients, and that of the final
    /// norm.
    pub(super) normalised: f64,
    pub(super) normalised_last: f64,
    /// Output of a norm, which the products after it keep.
    pub(super) output: f64,
    /// Number of norms whose outputs products keep.
    pub(super) outputs: f64,
    /// Masks of the two dropouts on the residual stream.
    pub(super) masks: f64,
}

impl Tensors {
    /// Returns the tensors of these layers, with `element` bytes per activation.
    pub(super) fn new(setup: &Setup, element: f64, layers: &Layers) -> Self {
        let (norms, narrow) = (Norms::new(setup, element), narrow(setup, element));
        let state = layers.blocks(Block::State);
        let state = if state > 0.0 { recurrent::mixer_bytes(setup, element).times(state) } else { StateBytes::NONE };
        Self {
            residual: Residual::new(setup, element, &norms, narrow),
            attention: Attention::new(setup, element, norms.of_heads, layers.blocks(Block::Attention)),
            mlps: Mlps::new(setup, element, layers, narrow),
            state,
            narrow,
            element,
        }
    }

    /// Returns the bytes of all tensors, without recomputation and frozen matrices. Products keep
    /// narrower inputs, where they do: outputs of norms, queries, hidden tensors and copies.
    pub(super) fn whole(&self) -> f64 {
        let Self { residual, attention, mlps, state, narrow, .. } = self;
        let inputs = residual.outputs * residual.input + attention.query + mlps.width() + mlps.copy;
        residual.norms + residual.masks + attention.whole() + mlps.all() + state.kept - narrow * inputs
    }
}

impl Residual {
    fn new(setup: &Setup, element: f64, norms: &Norms, narrow: f64) -> Self {
        let (hidden, sequence) = (f64::from(setup.architecture.hidden_size), sequence_share(setup));
        let input = hidden * element * sequence;
        let beside = setup.tensor.asynchronous && !setup.traits().asynchronous_in_shared_buffers;
        let copies = if setup.mesh.tp > 1 && beside { ASYNCHRONOUS_COPIES * input } else { 0.0 };
        let dropout = f64::from(u8::from(setup.kernels.dropout));
        Self {
            input,
            norms: norms.all * hidden + copies,
            norm: norms.one * hidden,
            norm_output: norms.one * hidden - (1.0 + narrow) * input,
            normalised: f64::from(setup.architecture.norms_per_layer) * norms.normalised * hidden,
            normalised_last: norms.normalised * hidden,
            output: norms.kept_output * hidden - narrow * input,
            outputs: norms.outputs,
            masks: dropout * 2.0 * MASK * hidden * sequence,
        }
    }
}

/// Returns the share of bytes that is saved because products keep their inputs narrower than
/// computed: Transformer Engine keeps inputs in the products' format, 8 or 4 bits, for the weight
/// gradients (github NVIDIA/TransformerEngine v2.9, `layernorm_linear.py`: of the two layouts of a
/// quantized input, the backward pass keeps only the column-wise one). If weight gradients are
/// computed in 16 bits, inputs are kept in 16 bits.
fn narrow(setup: &Setup, element: f64) -> f64 {
    let keeps_narrow = setup.traits().keeps_narrow_inputs && !setup.gradients_in_16_bits;
    let product = if keeps_narrow { product_bytes(setup.compute_format) } else { None };
    product.map_or(0.0, |bytes| (element - bytes) / element) * (1.0 - setup.share_in_16_bits())
}
