//! Activations of MLPs: dense, shared experts, routed experts with their copies of tokens.

use super::FP32;
use crate::model::framework::Layers as OfFramework;
use crate::model::layer::{self, Block, Layers, Role};
use crate::model::parallel::Dispatcher;
use crate::model::per_rank::tokens;
use crate::model::routing;
use crate::model::setup::Setup;

/// Tensors of a router kept for each expert and token in fp32: logits and their softmax.
const ROUTER_TENSORS: f64 = 2.0;

/// Inputs of a gated activation.
const GATE_AND_UP: f64 = 2.0;
/// Bytes of an element in 8 bits.
const EIGHT_BIT: f64 = 1.0;

/// Tensors of the second blocks of layers, in bytes per token on one GPU.
pub(super) struct Mlps {
    /// One hidden tensor of dense MLPs, of shared experts, and of routed experts.
    pub(super) dense: f64,
    pub(super) shared: f64,
    pub(super) routed: f64,
    /// Number of hidden tensors of an MLP.
    wide: f64,
    /// Hidden tensors whose bytes are saved as the activation keeps its inputs in 8 bits.
    pub(super) saved_inputs: f64,
    /// One copy of the tokens at their experts.
    pub(super) copy: f64,
    /// Copies of tokens at their experts: the inputs of the products and, if probabilities are
    /// applied after the products, the outputs; and the router's scores.
    pub(super) around_routed: f64,
    /// Input of a kernel that applies the router's probabilities with the activation.
    scaled: f64,
    /// Share of an input's bytes that narrower products save.
    narrow: f64,
}

/// Returns the width of one hidden tensor of a block's MLP on one GPU.
fn width(setup: &Setup, block: Block) -> f64 {
    let products = layer::products(&setup.architecture, block, layer::degree(&setup.mesh, block));
    products.sum(|product| if product.role == Role::Down { product.inner } else { 0.0 })
}

/// Returns the number of matrices of an MLP.
pub(super) fn matrices(setup: &Setup) -> f64 {
    if setup.architecture.gated_mlp { 3.0 } else { 2.0 }
}

/// Returns the inputs of the activation that it keeps in 8 bits for the backward pass, in which
/// they are cast back (Megatron-Core's `SwiGLUFunction`, `fp8_input_store`).
pub(super) fn inputs_in_8_bits(setup: &Setup) -> f64 {
    let keeps = setup.kernels.activation_input_8 && setup.traits().fused_activation && setup.architecture.gated_mlp;
    if keeps { GATE_AND_UP } else { 0.0 }
}

impl Mlps {
    pub(super) fn new(setup: &Setup, element: f64, layers: &Layers, narrow: f64) -> Self {
        let dense = layers.blocks(Block::Mlp);
        let dense = if dense > 0.0 { dense * element * width(setup, Block::Mlp) } else { 0.0 };
        let saved_inputs = inputs_in_8_bits(setup) * (element - EIGHT_BIT) / element;
        let only_dense = Self {
            dense,
            shared: 0.0,
            routed: 0.0,
            wide: hidden_tensors(setup) - saved_inputs,
            saved_inputs,
            copy: 0.0,
            around_routed: 0.0,
            scaled: 0.0,
            narrow,
        };
        if !layers.have_experts() {
            return only_dense;
        }
        let (arch, share) = (&setup.architecture, layers.experts());
        let tp = f64::from(setup.mesh.tp.max(1));
        // Copies at this GPU's experts per token of its tensor-parallel group.
        let copies = share * routing::received(setup) / tokens(setup);
        let routed = copies * element * width(setup, Block::Routed);
        let copy = copies * f64::from(arch.expert_hidden_size()) * element;
        let router = share * ROUTER_TENSORS * FP32 * f64::from(arch.experts.num_experts) / tp;
        let copies_kept = match setup.experts.dispatcher {
            Dispatcher::AllToAll => 2.0,
            Dispatcher::Fused => 1.0,
        };
        // For a gated activation, one kernel also applies the router's probabilities and keeps its
        // input.
        let scales = setup.traits().scales_expert_activation && !arch.gated_mlp;
        Self {
            shared: share * element * width(setup, Block::Shared),
            routed,
            copy,
            around_routed: copies_kept * copy + router,
            scaled: if scales { routed } else { 0.0 },
            ..only_dense
        }
    }

    /// Returns one hidden tensor of all MLPs.
    pub(super) fn width(&self) -> f64 {
        self.dense + self.shared + self.routed
    }

    /// Returns one hidden tensor of the MLPs that every token passes.
    pub(super) fn unrouted(&self) -> f64 {
        self.dense + self.shared
    }

    /// Returns the hidden tensors of all MLPs.
    pub(super) fn hidden(&self) -> f64 {
        self.wide * self.width() + self.scaled
    }

    /// Returns all tensors.
    pub(super) fn all(&self) -> f64 {
        self.hidden() + self.around_routed
    }

    /// Returns the bytes of the hidden tensors that dense MLPs, shared experts and routed experts
    /// keep: the input of the last product is one of them, narrower where products keep narrower
    /// inputs, less `unread` bytes of inputs of frozen products.
    pub(super) fn kept(&self, [dense, shared, routed]: [f64; 3]) -> [f64; 3] {
        let kept = |hidden: f64, unread: f64| (self.wide - self.narrow) * hidden - unread;
        [kept(self.dense, dense), kept(self.shared, shared), kept(self.routed, routed)]
    }
}

/// Returns the number of hidden tensors of an MLP.
fn hidden_tensors(setup: &Setup) -> f64 {
    // Routed experts of PyTorch's models break the compiler's graph.
    let breaks = setup.architecture.has_experts() && setup.traits().layers != OfFramework::Own;
    let fused_activation = (setup.kernels.compile && !breaks) || setup.traits().fused_activation;
    // XLA computes the activation at the point where the next product reads it.
    let is_xla = setup.traits().is_one_program;
    match (setup.architecture.gated_mlp, fused_activation) {
        (true, _) if is_xla => 2.0,
        (false, _) if is_xla => 1.0,
        // Gate, up, the activation's output, and the product.
        (true, false) => 4.0,
        (true, true) => 3.0,
        // GPT-2's `gelu_new`, operator by operator: its input, half of the input, tanh, tanh plus
        // one, and the output.
        (false, _) if setup.has_new_gelu() => 5.0,
        (false, _) => 2.0,
    }
}
