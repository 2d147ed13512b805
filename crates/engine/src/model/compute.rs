//! The cost of compute: a roofline for each class of operator (docs/book/model/compute.md).

mod adapters;
pub mod attention;
mod blocks;
mod head;
pub mod launches;
mod mixed_layers;
pub(super) mod modules;
mod optimizer;
pub mod parts;
mod products;
mod recurrent;
mod routed;

use super::cost::{Cost, Operations};
use super::flops::backward::recomputed;
use super::hardware::Accelerator;
use super::setup::Setup;
use super::training::{ComputeFormat, PrecisionPolicy};
use super::transformer::LayerShares;
use crate::model::choices::Choices;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

use attention::attention_core;
pub use attention::attention_efficiency;
use blocks::{Layer, Passes, Rates};
use head::heads;
use mixed_layers::{mean_layer, uncounted_matrices};
pub use optimizer::{optimizer, optimizer_cost};
pub use products::aligned;
use products::{mlp, projections, router_and_shared};
pub(super) use routed::TILE_PADDING;
pub use routed::experts_alone;
use routed::routed;

/// Costs of the units of one micro-batch on one GPU, before communication slows them. Layers are
/// averaged over those with experts and those without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCosts<C> {
    /// Embedding, forward; the backward cost is equal.
    pub embedding: C,
    /// One layer, forward.
    pub layer_forward: C,
    /// Output head and loss, forward and backward.
    pub head: C,
    /// One layer, backward, including recomputation.
    pub layer_backward: C,
    /// Weight gradients within one layer's backward pass.
    pub layer_weight_gradient: C,
    /// One layer's matrix products, forward.
    pub layer_matmul: C,
    /// One layer's matrix products, backward, without recomputation.
    pub layer_matmul_backward: C,
    /// One layer's attention, forward.
    pub layer_attention: C,
    /// One layer's attention, backward.
    pub layer_attention_backward: C,
    /// Routed experts of one expert layer, forward: their products and the work between them.
    pub experts_forward: C,
    /// Routed experts of one expert layer, backward, including recomputation.
    pub experts_backward: C,
    /// Host time to launch one layer's kernels in its forward pass ([`launches::forward`]).
    pub launch: Seconds,
}

impl<C: Cost<Operations>> UnitCosts<C> {
    /// Returns the mean over layers of which the share `share` has the costs `other`.
    fn mixed_with(self, other: &Self, share: f64) -> Self {
        let mix = |own: C, other: C| own * (1.0 - share) + other * share;
        Self {
            embedding: self.embedding,
            layer_forward: mix(self.layer_forward, other.layer_forward),
            head: self.head,
            layer_backward: mix(self.layer_backward, other.layer_backward),
            layer_weight_gradient: mix(self.layer_weight_gradient, other.layer_weight_gradient),
            layer_matmul: mix(self.layer_matmul, other.layer_matmul),
            layer_matmul_backward: mix(self.layer_matmul_backward, other.layer_matmul_backward),
            layer_attention: mix(self.layer_attention, other.layer_attention),
            layer_attention_backward: mix(self.layer_attention_backward, other.layer_attention_backward),
            experts_forward: mix(self.experts_forward, other.experts_forward),
            experts_backward: mix(self.experts_backward, other.experts_backward),
            launch: (1.0 - share) * self.launch + share * other.launch,
        }
    }
}

/// The compute times of the units of one micro-batch.
pub type UnitTimes = UnitCosts<Seconds>;

/// Bytes read and written per element of the hidden state by the embedding look-up in 16 bits.
const EMBEDDING_BYTES: f64 = 4.0;
/// Columns of a product for which [`super::hardware::Efficiency::half_saturation_tokens`] is
/// defined.
pub const REFERENCE_WIDTH: f64 = 4096.0;
/// Returns the dense peak of the format of the layers' matrix products, against which utilisation
/// is counted.
pub fn peak(setup: &Setup) -> FlopsPerSecond {
    let accelerator = &setup.accelerator;
    match setup.compute_format {
        ComputeFormat::AsPolicy => recipe_peak(accelerator, setup.recipe),
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => accelerator.peak_8bit,
        ComputeFormat::Fp4 => accelerator.peak_4bit,
    }
}

/// Returns the dense peak of the recipe's format, which attention and the output head use.
pub fn recipe_peak(accelerator: &Accelerator, recipe: PrecisionPolicy) -> FlopsPerSecond {
    match recipe {
        PrecisionPolicy::Fp32 => accelerator.peak_32bit,
        PrecisionPolicy::Fsdp2MixedBf16
        | PrecisionPolicy::Fsdp2MixedBf16Reduce16
        | PrecisionPolicy::ZeroMixed
        | PrecisionPolicy::MegatronMixed
        | PrecisionPolicy::PureBf16
        | PrecisionPolicy::PureBf16Reduce32
        | PrecisionPolicy::AutocastBf16 => accelerator.peak_16bit,
    }
}

/// Returns the rate of large matrix products in the layers.
pub fn matmul_rate(setup: &Setup) -> FlopsPerSecond {
    let efficiency = setup.accelerator.efficiency;
    let reached = match setup.compute_format {
        ComputeFormat::AsPolicy => efficiency.matmul,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => efficiency.matmul_8bit,
        ComputeFormat::Fp4 => efficiency.matmul_4bit,
    };
    peak(setup) * reached
}

/// Returns the rate of matrix products in the recipe's 16 or 32 bits, whatever the format of the
/// layers' products.
pub(super) fn recipe_rate(setup: &Setup) -> FlopsPerSecond {
    recipe_peak(&setup.accelerator, setup.recipe) * setup.accelerator.efficiency.matmul
}

/// Returns the rate of weight-gradient products: one of the three products of a matrix, which stays
/// in 16 bits under torchao's `rowwise_with_gw_hp` and `mxfp8_rceil_wgrad_with_hp` and without
/// Megatron's `fp8_wgrad`.
///
/// ```
/// # use links::decode;
/// # use engine::model::compute::{gradient_rate, matmul_rate};
/// let of = |link: &str| decode(&format!("cluster=dgx-h100&{link}")).scenario.setup();
/// assert_eq!(gradient_rate(&of("compute=fp8")), matmul_rate(&of("compute=fp8")));
/// assert_eq!(gradient_rate(&of("compute=fp8&wgrad16=yes")), matmul_rate(&of("compute=recipe")));
/// ```
pub fn gradient_rate(setup: &Setup) -> FlopsPerSecond {
    if setup.gradients_in_16_bits { recipe_rate(setup) } else { matmul_rate(setup) }
}

/// Returns the times of all units for one micro-batch on one GPU of a stage with the block shares
/// `shares`.
pub fn unit_times(setup: &Setup, shares: &LayerShares) -> UnitTimes {
    unit_costs(setup, shares)
}

/// Returns the costs of all units for one micro-batch on one GPU of a stage with the block shares
/// `shares`.
pub fn unit_costs<C: Cost<Operations>>(setup: &Setup, shares: &LayerShares) -> UnitCosts<C> {
    let wide = setup.share_in_16_bits();
    if wide <= 0.0 {
        return costs_in_one_format(setup, shares);
    }
    let in_16_bits = Setup { choices: Choices { compute_format: ComputeFormat::AsPolicy, ..setup.choices }, ..*setup };
    costs_in_one_format::<C>(setup, shares).mixed_with(&costs_in_one_format(&in_16_bits, shares), wide)
}

fn costs_in_one_format<C: Cost<Operations>>(setup: &Setup, shares: &LayerShares) -> UnitCosts<C> {
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let rates = Rates::new(setup);

    let attention_block = projections(arch, tp);
    let attention_again = modules::recomputed_attention(setup, tp);
    let beside_attention = adapters::beside_attention::<C>(&rates);
    let dense = || {
        let mlp = mlp(arch, f64::from(arch.intermediate_size) / tp);
        Layer::<C>::from_two_blocks(&rates, [&attention_block, &mlp])
            .repeating(&rates, &attention_again)
            .repeating(&rates, &modules::recomputed_mlp(setup, tp))
            .plus(beside_attention)
            .plus(adapters::beside_mlp(&rates))
    };
    let again = recomputed(setup);
    let (layer, experts) = if !shares.is_uniform() {
        let experts = if shares.moe > 0.0 { routed(&rates) } else { Layer::default() };
        (mean_layer(&rates, shares, experts), experts.passes(&again))
    } else if shares.moe > 0.0 {
        let experts = routed(&rates);
        let moe = Layer::from_two_blocks(&rates, [&attention_block, &router_and_shared(arch, tp)])
            .repeating(&rates, &attention_again)
            .repeating(&rates, &modules::recomputed_shared_experts(setup, tp))
            .plus(beside_attention)
            .plus(adapters::beside_shared(&rates))
            .plus(experts);
        let layer = if shares.moe < 1.0 { moe.times(shares.moe).plus(dense().times(shares.dense())) } else { moe };
        (layer, experts.passes(&again))
    } else {
        (dense(), Passes::default())
    };
    let layer = layer.plus(uncounted_matrices(&rates));
    let attention = attention_core::<C>(&rates);
    let attention =
        Passes { forward: attention.forward * shares.attention, backward: attention.backward * shares.attention };
    let state = if shares.recurrent > 0.0 { recurrent::core::<C>(&rates) } else { Passes::default() };
    let state = Passes { forward: state.forward * shares.recurrent, backward: state.backward * shares.recurrent };
    let passes = layer.passes(&again);

    UnitCosts {
        embedding: embedding(&rates),
        layer_forward: passes.forward + attention.forward + state.forward,
        head: heads(&rates),
        layer_backward: passes.backward
            + attention.backward * again.backward
            + attention.forward * again.attention
            + state.backward * again.backward
            + state.forward * again.matmul,
        layer_weight_gradient: layer.weight_gradient,
        layer_matmul: layer.matmul,
        layer_matmul_backward: layer.input_gradient + layer.weight_gradient,
        layer_attention: attention.forward,
        layer_attention_backward: attention.backward,
        experts_forward: experts.forward,
        experts_backward: experts.backward,
        launch: launches::forward(setup, shares),
    }
}

/// Returns the cost of the embedding's look-up in one pass.
fn embedding<C: Cost<Operations>>(rates: &Rates) -> C {
    let hidden = f64::from(rates.setup.architecture.hidden_size);
    rates.streaming(Bytes::new(EMBEDDING_BYTES * rates.tokens * hidden))
}

/// Returns the memory bandwidth that element-wise kernels reach.
pub fn memory_rate(setup: &Setup) -> BytesPerSecond {
    setup.accelerator.memory_bandwidth * setup.accelerator.efficiency.memory
}
