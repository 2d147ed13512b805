//! Work of the backward pass: gradients, and recomputation.

use super::layer::{MULTIPLY_ADD, layer_matmul, layer_matmul_params, layer_mixing};
use crate::model::layer::{Block, Operator, passed, products, weights_per_token};
use crate::model::policy::Policy;
use crate::model::setup::Setup;
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
    let scores = setup.writes_scores();
    let again = match setup.policy() {
        Policy::Layers(kept) => [1.0 - kept; 3],
        Policy::Scores => [0.0, scores, 0.0],
        // Products of modules are repeated one by one (`Policy::repeats`).
        Policy::Modules(modules) => [0.0, if modules.core_attn { scores } else { 0.0 }, 0.0],
        // The output of attention's kernel is not one of a product.
        Policy::Products => [0.0, 1.0, 1.0],
        Policy::EverySecond => {
            let arch = &setup.architecture;
            [every_second(arch) / layer_matmul_params(arch), scores, 1.0]
        }
    };
    let backward = Backward::new(setup).passed;
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

/// Returns the weights of one layer whose products selective recomputation repeats for a token,
/// averaged over layers: every second one, and all of routed experts.
fn every_second(arch: &Architecture) -> f64 {
    arch.layers().sum(|block| {
        let products = products(arch, block, 1.0);
        let again = match block {
            Block::Routed => products.weights(),
            _ => products.every_second().map(|product| product.weights).sum(),
        };
        passed(arch, block) * again
    })
}

/// Returns the FLOPs per token that recomputation adds to
/// [`model_per_token`](super::model_per_token), with attention over `keys`.
pub fn recomputed_per_token(setup: &Setup, keys: f64) -> Flops {
    let arch = &setup.architecture;
    let (share, policy) = (recomputed(setup), setup.policy());
    let again = |share: f64, of: fn(&Architecture, f64) -> Flops| {
        if share > 0.0 { share * of(arch, keys) } else { Flops::ZERO }
    };
    let module = |block, product: &Operator| {
        if setup.repeats(&policy, block, product.role) { product.weights } else { 0.0 }
    };
    let modules = if setup.repeats_products(&policy) { weights_per_token(arch, module) } else { 0.0 };
    f64::from(arch.num_hidden_layers)
        * (again(share.matmul, |arch, _| layer_matmul(arch))
            + again(share.attention, layer_mixing)
            + Flops::new(MULTIPLY_ADD * modules))
}
