//! The cost of compute: a roofline for each class of operator (docs/book/model/compute.md).

mod adapters;
pub mod attention;
mod blocks;
pub mod copies;
pub mod dtensor;
pub mod head;
pub mod launches;
mod optimizer;
mod products;
mod recurrent;
pub mod roofline;
mod routed;

use super::cost::{Cost, Operations};
use super::flops::backward::{Recomputed, recomputed};
use super::hardware::Accelerator;
use super::layer::{self, Block, Layers};
use super::setup::Setup;
use super::training::{ComputeFormat, PrecisionPolicy};
use crate::model::choices::Choices;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

use attention::attention_core;
pub use attention::attention_efficiency;
use blocks::{Layer, Passes, Rates, Repeated};
use head::heads;
pub use optimizer::{optimizer, optimizer_cost};
use products::Sums;
pub use products::aligned;
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

/// Costs of the blocks of a model's layers and of its ends, from which the costs of any number of
/// its layers follow.
#[derive(Clone, Copy)]
pub struct BlockCosts<C> {
    /// Products and element-wise work of each block, in the order of [`Block::ALL`].
    blocks: [Layer<C>; Block::ALL.len()],
    /// Attention between its projections.
    attention: Passes<C>,
    /// The kernels of a recurrent mixer between its products.
    state: Passes<C>,
    /// Products of matrices that no field of the architecture describes, in one layer.
    uncounted: Layer<C>,
    embedding: C,
    head: C,
    again: Recomputed,
}

impl<C: Cost<Operations>> BlockCosts<C> {
    /// Returns the costs for one micro-batch on one GPU. Layers whose products stay in 16 bits are
    /// averaged with the others.
    pub fn new(setup: &Setup) -> Self {
        let costs = Self::in_one_format(setup);
        let wide = setup.share_in_16_bits();
        if wide <= 0.0 {
            return costs;
        }
        let choices = Choices { compute_format: ComputeFormat::AsPolicy, ..setup.choices };
        let in_16_bits = Self::in_one_format(&Setup { choices, ..*setup });
        let mix = |one: Layer<C>, other: Layer<C>| one * (1.0 - wide) + other * wide;
        let mut blocks = costs.blocks;
        for (block, other) in blocks.iter_mut().zip(in_16_bits.blocks) {
            *block = mix(*block, other);
        }
        Self { blocks, uncounted: mix(costs.uncounted, in_16_bits.uncounted), ..costs }
    }

    fn in_one_format(setup: &Setup) -> Self {
        let rates = Rates::new(setup);
        let layers = setup.architecture.layers_and_mtp(setup.mtp);
        let some = |block| layers.blocks(block) > 0.0;
        Self {
            blocks: Block::ALL.map(|block| if some(block) { block_cost(&rates, block) } else { Layer::default() }),
            attention: attention_core(&rates),
            state: if some(Block::State) { recurrent::core(&rates) } else { Passes::default() },
            uncounted: uncounted_matrices(&rates),
            embedding: embedding(&rates),
            head: heads(&rates),
            again: recomputed(setup),
        }
    }

    /// Returns the cost of one block.
    const fn of(&self, block: Block) -> Layer<C> {
        let [attention, state, mlp, shared, routed] = self.blocks;
        match block {
            Block::Attention => attention,
            Block::State => state,
            Block::Mlp => mlp,
            Block::Shared => shared,
            Block::Routed => routed,
        }
    }

    /// Returns the costs of all units of a stage of these layers.
    pub fn of_layers(&self, setup: &Setup, layers: &Layers) -> UnitCosts<C> {
        let again = &self.again;
        let layer = self.uncounted + layers.sum(|block| self.of(block));
        let attention = self.attention * layers.blocks(Block::Attention);
        let state = self.state * layers.blocks(Block::State);
        let (passes, experts) = (layer.passes(again), self.of(Block::Routed).passes(again));
        UnitCosts {
            embedding: self.embedding,
            layer_forward: passes.forward + attention.forward + state.forward,
            head: self.head,
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
            launch: launches::forward(setup, layers),
        }
    }
}

/// Returns the times of all units for one micro-batch on one GPU of a stage of these layers.
pub fn unit_times(setup: &Setup, layers: &Layers) -> UnitTimes {
    unit_costs(setup, layers)
}

/// Returns the costs of all units for one micro-batch on one GPU of a stage of these layers.
pub fn unit_costs<C: Cost<Operations>>(setup: &Setup, layers: &Layers) -> UnitCosts<C> {
    BlockCosts::new(setup).of_layers(setup, layers)
}

/// Returns the cost of one block of a layer: its products, each limited by the reads of its own
/// operands, its element-wise work, its adapters, and what the backward pass repeats of it.
fn block_cost<C: Cost<Operations>>(rates: &Rates, block: Block) -> Layer<C> {
    if block == Block::Routed {
        return routed(rates);
    }
    let (setup, policy) = (rates.setup, rates.setup.policy());
    let list = layer::products(&setup.architecture, block, layer::degree(&setup.mesh, block));
    let sums = Sums::of(&list, |_| true);
    let own = Layer { elementwise: rates.elementwise(block, &sums), ..Layer::products_only(rates, &sums) };
    let own = own + adapters::of_block(rates, block);
    if !setup.repeats_products(&policy) {
        return own;
    }
    let again = Sums::of(&list, |product| setup.repeats(&policy, block, product.role));
    own.repeating(rates, &Repeated { products: again, norms: setup.recomputed_norms(policy.modules(), block) })
}

/// Returns the products of matrices that no field of the architecture describes, averaged over
/// layers; none if the model has fewer parameters than its fields add up to.
fn uncounted_matrices<C: Cost<Operations>>(rates: &Rates) -> Layer<C> {
    let arch = &rates.setup.architecture;
    let matrices = arch.extra_layer_params();
    if matrices <= 0 {
        return Layer::default();
    }
    let hidden = f64::from(arch.hidden_size);
    let matrices = matrices as f64 / f64::from(arch.num_hidden_layers.max(1));
    let weights = matrices / f64::from(rates.setup.mesh.tp.max(1));
    let sums = Sums { weights, inner: hidden, outer: weights / hidden, count: 1.0, ..Sums::NONE };
    Layer::products_only(rates, &sums)
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
