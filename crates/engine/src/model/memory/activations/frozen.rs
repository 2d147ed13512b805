//! Differences in a layer's activations when its matrices are frozen and adapters are trained.

use super::tensors::Tensors;
use crate::model::adapters::{self, Input, Module, Modules};
use crate::model::layer::{Block, Layers};
use crate::model::per_rank::{self, tokens};
use crate::model::routing;
use crate::model::setup::Setup;
use crate::model::trained::{Method, ProductsKeep};
use crate::model::training::PrecisionPolicy;

/// Bytes of one element of a dropout mask.
const MASK: f64 = 1.0;
/// Tensors of a matrix's output that DoRA keeps: the outputs of the base and of the adapter, for
/// the gradient of the magnitude.
const DORA_OUTPUTS: f64 = 2.0;

/// Bytes per token by which a layer's activations shrink and grow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AdapterActivations {
    pub(super) saved: f64,
    pub(super) added: f64,
    /// Parts of `saved` that are inputs of the last products of dense MLPs, shared experts and
    /// routed experts.
    pub(super) mlp_inputs: [f64; 3],
    /// Part of `saved` that is copies of tokens at their experts.
    pub(super) copies: f64,
}

impl AdapterActivations {
    /// Returns the difference for a layer with frozen matrices and norms.
    ///
    /// A product keeps its input only for its weight gradient, a norm its normalised input, so that
    /// a frozen product or norm keeps neither. An adapter keeps its input and the r elements
    /// between its two matrices. With dropout, or if the adapter's weights are wider than compute,
    /// that input is a separate copy (PEFT's `lora.Linear.forward`). Some kernels of quantized
    /// matrices keep more ([`ProductsKeep`]).
    pub(super) fn new(setup: &Setup, t: &Tensors, layers: &Layers) -> Self {
        if !setup.trained.has_adapters() {
            return Self::default();
        }
        let of = |block| adapters::modules(setup, block);
        let [attention, dense, shared, routed] =
            [of(Block::Attention), of(Block::Mlp), of(Block::Shared), of(Block::Routed)];
        let (reads_same, keeps) = (!copies_inputs(setup), setup.trained.kept_by_products());
        let kept = |is_kept: bool, bytes: f64| if is_kept { 0.0 } else { bytes };
        let direct = |modules: &Modules, input| keeps == ProductsKeep::Inputs || reads_same && modules.read(input);
        let norms_read = f64::from(u8::from(direct(&attention, Input::AttentionNorm)))
            + f64::from(u8::from(direct(&dense, Input::MlpNorm) || direct(&shared, Input::MlpNorm)));
        let unread = (t.residual.outputs - norms_read).max(0.0);
        let of_mlp = direct(&dense, Input::Activation) || direct(&shared, Input::Activation);
        // XLA recomputes the activation, so that no last product keeps its input.
        let of_hidden = if setup.traits().is_one_program { 0.0 } else { 1.0 - t.narrow };
        let mlp_inputs = [
            kept(of_mlp, of_hidden * t.mlps.dense),
            kept(of_mlp, of_hidden * t.mlps.shared),
            kept(direct(&routed, Input::Activation), of_hidden * t.mlps.routed),
        ];
        let copies = kept(direct(&routed, Input::MlpNorm), (1.0 - t.narrow) * t.mlps.copy);
        let saved = t.residual.normalised
            + unread * t.residual.output
            + mlp_inputs.iter().sum::<f64>()
            + copies
            + kept(direct(&attention, Input::Latent), t.attention.latent_outputs);
        let added = layers.sum(|block| {
            let copies = if block == Block::Routed { routing::received(setup) / tokens(setup) } else { 1.0 };
            copies * of(block).sum(|module| adapter_bytes(setup, module, t.element))
        });
        let matrices = if keeps == ProductsKeep::Matrices { matrices(setup, layers) / tokens(setup) } else { 0.0 };
        Self { saved, added: added + matrices, mlp_inputs, copies }
    }

    /// Returns what layers keep around the products of routed experts: copies of tokens and the
    /// router's tensors, less what narrower products and frozen matrices do not keep.
    pub(super) fn around_experts(&self, t: &Tensors) -> f64 {
        t.mlps.around_routed - t.narrow * t.mlps.copy - self.copies
    }
}

/// Returns the bytes of a layer's frozen matrices in 16 bits.
fn matrices(setup: &Setup, layers: &Layers) -> f64 {
    const HALF: f64 = 2.0;
    let frozen = per_rank::params(setup, 1, layers, false, false).frozen();
    HALF * (frozen.layer_matrices + frozen.expert)
}

/// Whether each adapter keeps a copy of its input.
fn copies_inputs(setup: &Setup) -> bool {
    setup.trained.dropout || casts_inputs(setup)
}

/// Whether PEFT casts the inputs of adapters to fp32, which autocast casts back to 16 bits; it does
/// not for quantized matrices (`lora.bnb.Linear4bit.forward`).
fn casts_inputs(setup: &Setup) -> bool {
    setup.recipe == PrecisionPolicy::AutocastBf16 && !setup.trained.base.is_quantized()
}

/// Returns the bytes per token that a frozen final norm saves: its normalised input, and its output
/// if the head is frozen too.
pub(super) fn final_norm_bytes(setup: &Setup, t: &Tensors) -> f64 {
    match (setup.trained.is_all(), setup.trained.embeddings) {
        (true, _) => 0.0,
        (false, true) => t.residual.normalised_last,
        (false, false) => t.residual.normalised_last + t.residual.output,
    }
}

/// Whether the MLP's last product keeps its input, the activation of a dense MLP, for its own
/// weight gradient or an adapter's.
pub(super) fn keeps_activation(setup: &Setup) -> bool {
    !setup.trained.has_adapters()
        || setup.trained.kept_by_products() == ProductsKeep::Inputs
        || !copies_inputs(setup) && setup.trained.targets.modules().mlp
}

/// Returns the bytes per token that an adapter keeps in addition to its matrix.
fn adapter_bytes(setup: &Setup, module: &Module, element: f64) -> f64 {
    let copy = if copies_inputs(setup) { element * module.inner } else { 0.0 };
    let mask = if setup.trained.dropout { MASK * module.inner } else { 0.0 };
    let outputs = if setup.trained.method == Method::Dora { DORA_OUTPUTS * element * module.outer } else { 0.0 };
    copy + mask + outputs + f64::from(setup.trained.rank) * element
}
