//! Work of the backward pass: gradients, and recomputation.

use super::layer::{
    MULTIPLY_ADD, layer_matmul, layer_matmul_params, layer_mixing, matrices, routed_width, unrouted_width,
};
use super::modules;
use crate::model::setup::Setup;
use crate::model::software::AttentionKernel;
use crate::model::training::Recompute;
use crate::model::transformer::Architecture;
use crate::units::Flops;

/// Shares of one layer's forward work that the backward pass recomputes, apart from single modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recomputed {
    /// Share of the layers that have a backward pass.
    pub backward: f64,
    /// Share of the matrix products.
    pub matmul: f64,
    /// Share of the attention core.
    pub attention: f64,
    /// Share of the element-wise work.
    pub elementwise: f64,
}

/// Returns the shares of the forward work that a recomputation mode executes again.
///
/// Selective is torchtitan's per-operator mode: attention and every second matrix product are kept,
/// so that the key projection, the output projection and (if gated) the MLP's second input
/// projection are recomputed, with all grouped products of routed experts and all element-wise
/// work. The attention core (Megatron) is recomputed if its scores were written to memory.
pub fn recomputed(setup: &Setup) -> Recomputed {
    let arch = &setup.architecture;
    // Scores that were written to memory are dropped and recomputed.
    let scores = f64::from(u8::from(setup.kernels.attention == AttentionKernel::Unfused));
    let backward = Backward::new(setup).passed;
    let again = match setup.recompute {
        Recompute::None | Recompute::Full | Recompute::Fraction => {
            let again = 1.0 - setup.kept_layers();
            [again, again, again]
        }
        Recompute::AttentionCore => [0.0, scores, 0.0],
        // The blocks of a layer count their own modules (compute::modules).
        Recompute::Modules => {
            let attention = if setup.modules().core_attn { scores } else { 0.0 };
            [0.0, attention, 0.0]
        }
        // `MaxText`'s `minimal` keeps the outputs of all products, but not that of attention's
        // kernel.
        Recompute::Selective if setup.traits().selective_keeps_products => [0.0, 1.0, 1.0],
        Recompute::Selective => {
            let hidden = f64::from(arch.hidden_size);
            let second_input = if arch.gated_mlp { hidden * unrouted_width(arch) } else { 0.0 };
            let routed = matrices(arch) * hidden * routed_width(arch);
            let again = arch.shares().attention * second_projections(arch) + second_input + routed;
            [again / layer_matmul_params(arch), scores, 1.0]
        }
    };
    let [matmul, attention, elementwise] = again.map(|share| share * backward);
    Recomputed { backward, matmul, attention, elementwise }
}

/// Shares of the layers, by the gradients that the backward pass computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backward {
    /// Layers with input gradients.
    pub passed: f64,
    /// Layers with gradients of the model's own weights.
    pub trained: f64,
    /// Layers with gradients of adapter weights.
    pub adapters: f64,
    /// Gradients of the output head's weights: 1 or 0.
    pub head: f64,
}

impl Backward {
    /// Returns the shares of a setup.
    pub fn new(setup: &Setup) -> Self {
        let trained = &setup.trained;
        if trained.is_all() {
            return Self { passed: 1.0, trained: 1.0, adapters: 0.0, head: 1.0 };
        }
        let layers = f64::from(setup.architecture.num_hidden_layers.max(1));
        let frozen = f64::from(trained.frozen_layers);
        let above = if frozen < layers { 1.0 - frozen / layers } else { 0.0 };
        Self {
            passed: if trained.embeddings || setup.gradients_reach_images() { 1.0 } else { above },
            trained: if trained.has_adapters() { 0.0 } else { above },
            adapters: if trained.has_adapters() { above } else { 0.0 },
            head: f64::from(u8::from(trained.embeddings)),
        }
    }
}

/// Returns the weights of every second one of attention's projections: key and output. Under latent
/// attention those are the up-projections, or, if queries have no rank, the down-projection of keys
/// and values and the output projection.
fn second_projections(arch: &Architecture) -> f64 {
    let hidden = f64::from(arch.hidden_size);
    let latent = arch.latent;
    if !latent.is_used() {
        return hidden * (arch.key_value_width() + arch.attention_output_width());
    }
    let rank = f64::from(latent.kv_lora_rank);
    if latent.q_lora_rank > 0 {
        let per_head = f64::from(latent.qk_nope_head_dim) + f64::from(latent.v_head_dim);
        f64::from(latent.q_lora_rank) * arch.query_width() + rank * f64::from(arch.num_attention_heads) * per_head
    } else {
        hidden * (rank + f64::from(latent.qk_rope_head_dim) + arch.attention_output_width())
    }
}

/// Returns the FLOPs per token that recomputation adds to
/// [`model_per_token`](super::model_per_token), with attention over `keys`.
pub fn recomputed_per_token(setup: &Setup, keys: f64) -> Flops {
    let arch = &setup.architecture;
    let share = recomputed(setup);
    f64::from(arch.num_hidden_layers)
        * (share.matmul * layer_matmul(arch)
            + share.attention * layer_mixing(arch, keys)
            + Flops::new(MULTIPLY_ADD * modules::weights_again(setup)))
}
