//! The cost of compute: a roofline for each class of operator (model.md section 5).

mod adapters;
mod blocks;
mod head;
mod listed;
pub(super) mod modules;
mod optimizer;
pub mod parts;
mod products;
mod recurrent;
mod routed;

use super::cost::{Cost, Operations};
use super::flops::backward::recomputed;
use super::flops::layer;
use super::hardware::Accelerator;
use super::setup::Setup;
use super::software::{AttentionKernel, Graphs};
use super::training::{ComputeFormat, PrecisionPolicy};
use super::transformer::LayerShares;
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Seconds};

use blocks::{FORWARD_SHARE, Layer, Passes, Rates};
use head::heads;
use listed::{block_by_block, extra_products};
pub use optimizer::{optimizer, optimizer_cost};
use products::{mlp, projections, router_and_shared};
pub(super) use routed::TILE_PADDING;
pub use routed::experts_alone;
use routed::routed;

/// What the units of one micro-batch cost on one GPU, before communication slows them; layers on average over the layers with
/// experts and those without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCosts<C> {
    /// Embedding, forward; the same backward.
    pub embedding: C,
    /// One layer, forward.
    pub layer_forward: C,
    /// Output head and loss, forward and backward.
    pub head: C,
    /// One layer, backward with its recomputation.
    pub layer_backward: C,
    /// Of one layer's backward pass, its gradients of weights.
    pub layer_weight_gradient: C,
    /// One layer's matrix products, forward.
    pub layer_matmul: C,
    /// One layer's matrix products, backward, recomputation apart.
    pub layer_matmul_backward: C,
    /// One layer's attention, forward.
    pub layer_attention: C,
    /// The same, backward.
    pub layer_attention_backward: C,
    /// Routed experts of one layer that has some, forward: their products and what is between them.
    pub experts_forward: C,
    /// Routed experts of one layer that has some, backward with what is recomputed.
    pub experts_backward: C,
    /// Host time to launch one layer's kernels in one pass: a floor under the layer's time, exchanges included.
    pub launch: Seconds,
}

impl<C: Cost<Operations>> UnitCosts<C> {
    /// The mean over layers of which `share` are as the others'.
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

/// Flash attention's backward pass runs five products over the score matrix for the forward pass's two
/// (arXiv 2205.14135, appendix B).
const FLASH_BACKWARD: f64 = 2.5;
/// An unfused attention's backward pass runs four.
const UNFUSED_BACKWARD: f64 = 2.0;
/// What attention reads and writes in its backward pass over what it does forward: everything again, and its gradient.
const BACKWARD_TRAFFIC: f64 = 2.0;
/// Bytes read and written per score by an unfused attention, both passes, with its fused softmax: the product's write and the
/// softmax's read and write, the read by the product with the values, and about twice as much for the gradients.
const UNFUSED_SCORE_BYTES: f64 = 24.0;
/// Bytes read and written per element of the hidden state by the embedding look-up in 16 bits.
const EMBEDDING_BYTES: f64 = 4.0;
/// Columns of the product at which [`super::hardware::Efficiency::half_saturation_tokens`] holds.
pub(super) const REFERENCE_WIDTH: f64 = 4096.0;
/// The dense peak of the format in which the layers' matrix products run: what utilisation is counted against.
pub fn peak(setup: &Setup) -> FlopsPerSecond {
    let accelerator = &setup.accelerator;
    match setup.compute_format {
        ComputeFormat::AsPolicy => recipe_peak(accelerator, setup.recipe),
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => accelerator.peak_8bit,
        ComputeFormat::Fp4 => accelerator.peak_4bit,
    }
}

/// The dense peak of the recipe's format, in which attention and the output head run.
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

/// The rate of large matrix products in the layers.
pub fn matmul_rate(setup: &Setup) -> FlopsPerSecond {
    let efficiency = setup.accelerator.efficiency;
    let reached = match setup.compute_format {
        ComputeFormat::AsPolicy => efficiency.matmul,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => efficiency.matmul_8bit,
        ComputeFormat::Fp4 => efficiency.matmul_4bit,
    };
    peak(setup) * reached
}

/// What matrix products reach in the recipe's 16 or 32 bits, whatever the format of those in the layers.
pub(super) fn recipe_rate(setup: &Setup) -> FlopsPerSecond {
    recipe_peak(&setup.accelerator, setup.recipe) * setup.accelerator.efficiency.matmul
}

/// What the products that give the gradients of weights reach: one of the three that a matrix takes part in stays in 16 bits under
/// torchao's `rowwise_with_gw_hp` and `mxfp8_rceil_wgrad_with_hp` and without Megatron's `fp8_wgrad`.
///
/// ```
/// # use engine::{model::compute::{gradient_rate, matmul_rate}, share::decode};
/// let of = |link: &str| decode(&format!("cluster=dgx-h100&{link}")).scenario.setup();
/// assert_eq!(gradient_rate(&of("compute=fp8")), matmul_rate(&of("compute=fp8")));
/// assert_eq!(gradient_rate(&of("compute=fp8&wgrad16=yes")), matmul_rate(&of("compute=recipe")));
/// ```
pub fn gradient_rate(setup: &Setup) -> FlopsPerSecond {
    if setup.gradients_in_16_bits { recipe_rate(setup) } else { matmul_rate(setup) }
}

/// What attention gains from products in 8 bits: FlashAttention-3 reaches 1.2 PFLOP/s in them and 740 TFLOP/s in 16 on an H100
/// (arXiv 2407.08608, abstract). That is the forward pass; of the backward one no such figure is published, and it is taken to gain
/// nothing.
const EIGHT_BIT_ATTENTION: f64 = 1200.0 / 740.0;

/// The fraction of the 16-bit peak that attention's kernels reach, forward.
///
/// ```
/// # use engine::{model::compute::attention_efficiency, share::decode};
/// let reached = |kernel| attention_efficiency(&decode(&format!("cluster=dgx-h100&attnkernel={kernel}")).scenario.setup());
/// // FlashAttention-3: 1.2 PFLOP/s in 8 bits, 740 TFLOP/s in 16.
/// assert!((reached("flash-fp8") / reached("flash-tuned") - 1.62).abs() < 0.005);
/// ```
pub fn attention_efficiency(setup: &Setup) -> f64 {
    let efficiency = setup.accelerator.efficiency;
    match setup.kernels.attention {
        AttentionKernel::Unfused => efficiency.matmul,
        AttentionKernel::Flash => efficiency.attention,
        AttentionKernel::FlashTuned => efficiency.attention_tuned,
        AttentionKernel::Flash8bit => efficiency.attention_tuned * EIGHT_BIT_ATTENTION,
    }
}

/// The times of all units for one micro-batch on one GPU of a stage, `shares` of whose layers have each block.
pub fn unit_times(setup: &Setup, shares: &LayerShares) -> UnitTimes {
    unit_costs(setup, shares)
}

/// The costs of all units for one micro-batch on one GPU of a stage, `shares` of whose layers have each block.
pub fn unit_costs<C: Cost<Operations>>(setup: &Setup, shares: &LayerShares) -> UnitCosts<C> {
    let wide = setup.share_in_16_bits();
    if wide <= 0.0 {
        return costs_in_one_format(setup, shares);
    }
    let in_16_bits = Setup { compute_format: ComputeFormat::AsPolicy, ..*setup };
    costs_in_one_format::<C>(setup, shares).mixed_with(&costs_in_one_format(&in_16_bits, shares), wide)
}

fn costs_in_one_format<C: Cost<Operations>>(setup: &Setup, shares: &LayerShares) -> UnitCosts<C> {
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let rates = Rates::of(setup);

    let attention_block = projections(arch, tp);
    let attention_again = modules::of_attention(setup, tp);
    let beside_attention = adapters::beside_attention::<C>(&rates);
    let dense = || {
        let mlp = mlp(arch, f64::from(arch.intermediate_size) / tp);
        Layer::<C>::of_two(&rates, [&attention_block, &mlp])
            .repeating(&rates, &attention_again)
            .repeating(&rates, &modules::of_mlp(setup, tp))
            .plus(beside_attention)
            .plus(adapters::beside_mlp(&rates))
    };
    let again = recomputed(setup);
    let (layer, experts) = if !shares.is_uniform() {
        let experts = if shares.moe > 0.0 { routed(&rates) } else { Layer::default() };
        (block_by_block(&rates, shares, experts), experts.passes(&again))
    } else if shares.moe > 0.0 {
        let experts = routed(&rates);
        let moe = Layer::of_two(&rates, [&attention_block, &router_and_shared(arch, tp)])
            .repeating(&rates, &attention_again)
            .repeating(&rates, &modules::of_shared(setup, tp))
            .plus(beside_attention)
            .plus(adapters::beside_shared(&rates))
            .plus(experts);
        let layer = if shares.moe < 1.0 { moe.times(shares.moe).plus(dense().times(shares.dense())) } else { moe };
        (layer, experts.passes(&again))
    } else {
        (dense(), Passes::default())
    };
    let layer = layer.plus(extra_products(&rates));
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
        launch: setup.accelerator.efficiency.launch_per_layer * launches(setup, shares),
    }
}

/// Attention's core in one layer that has it, on average over these. Fused kernels read queries, keys and values and write the
/// output, backward with their gradients; unfused kernels write and read the scores too.
fn attention_core<C: Cost<Operations>>(rates: &Rates) -> Passes<C> {
    let setup = rates.setup;
    let arch = &setup.architecture;
    let tp = f64::from(setup.mesh.tp.max(1));
    let rate = recipe_peak(&setup.accelerator, setup.recipe) * attention_efficiency(setup);
    let flops = rates.tokens * (layer::mean_executed_attention(setup) / tp);
    let widths = arch.query_width() / tp + arch.attention_output_width() / tp + 2.0 * arch.key_value_width_over(tp);
    // The rates of kernels that are not tuned, and of older GPUs, were fitted with it inside.
    let tuned = matches!(setup.kernels.attention, AttentionKernel::FlashTuned | AttentionKernel::Flash8bit);
    let bytes =
        if tuned && setup.accelerator.generation.is_from_hopper() { setup.overheads.attention_bytes } else { 0.0 };
    // Its inputs and their gradients are cast as those of the layers' products are.
    let casts = if setup.kernels.attention == AttentionKernel::Flash8bit { blocks::CAST_BYTES } else { 0.0 };
    let around: C = rates.streaming(Bytes::new((bytes + casts) * rates.tokens * widths));
    let products = |share: f64, slower: f64, streams: f64| {
        C::new(slower * share * (flops / rate), || {
            let keys = 2.0 * arch.key_value_width_over(tp) * f64::from(setup.mesh.cp.max(1));
            let width = arch.query_width() / tp + arch.attention_output_width() / tp + keys;
            Operations { flops: share * flops, bytes: Bytes::new(streams * rates.element() * rates.tokens * width) }
        })
    };
    if setup.kernels.attention != AttentionKernel::Unfused {
        let in_16_bits = if setup.kernels.attention == AttentionKernel::Flash8bit { EIGHT_BIT_ATTENTION } else { 1.0 };
        return Passes {
            forward: products(1.0, 1.0, 1.0) + around * FORWARD_SHARE,
            backward: products(FLASH_BACKWARD, in_16_bits, BACKWARD_TRAFFIC) + around * (1.0 - FORWARD_SHARE),
        };
    }
    let scores = rates.tokens * f64::from(arch.num_attention_heads) / tp * f64::from(setup.batch.seq_len);
    let traffic: C = rates.streaming(Bytes::new(UNFUSED_SCORE_BYTES * scores));
    Passes {
        forward: products(1.0, 1.0, 1.0) + traffic * FORWARD_SHARE,
        backward: products(UNFUSED_BACKWARD, 1.0, BACKWARD_TRAFFIC) + traffic * (1.0 - FORWARD_SHARE),
    }
}

/// The embedding's look-up in one pass.
fn embedding<C: Cost<Operations>>(rates: &Rates) -> C {
    let hidden = f64::from(rates.setup.architecture.hidden_size);
    rates.streaming(Bytes::new(EMBEDDING_BYTES * rates.tokens * hidden))
}

/// Launches of a layer's experts that are left where the rest of the layer is one CUDA graph, as a share: fitted to
/// Megatron-Bridge's steps of mixtures (docs/accuracy.md).
const BESIDE_GRAPHS: f64 = 0.6;
/// Launches of a layer with its inputs' casts to 8 or 4 bits, over those without: fitted to the same steps.
const CAST_LAUNCHES: f64 = 1.3;

/// Host time of a layer's launches over the accelerator's constant, exchanges included.
fn launches(setup: &Setup, shares: &LayerShares) -> f64 {
    let overheads = &setup.overheads;
    let tensor = if setup.mesh.tp > 1 { overheads.launch_exchange } else { 0.0 };
    let exchange = tensor + if setup.mesh.cp > 1 { overheads.launch_context } else { 0.0 };
    let latent = if setup.architecture.latent.is_used() { shares.attention * overheads.launch_latent } else { 0.0 };
    // A mixer launches about as many kernels as attention, which has half of a layer's.
    let blocks = 0.5 * (shares.attention + shares.recurrent + shares.mlp);
    let casts = if setup.compute_format == ComputeFormat::AsPolicy { 1.0 } else { CAST_LAUNCHES };
    let loops = shares.recurrent * (recurrent::kernels_in_loops(setup) / adapters::OF_A_LAYER);
    let layer = overheads.launch * (blocks * casts + adapters::launches(setup, shares) + loops);
    let experts = shares.moe * casts * overheads.launch_experts;
    match setup.kernels.graphs {
        Graphs::None => layer + exchange + latent + experts,
        Graphs::Layers => BESIDE_GRAPHS * experts,
        Graphs::Step => 0.0,
    }
}

/// Memory bandwidth that element-wise kernels reach.
pub fn memory_rate(setup: &Setup) -> BytesPerSecond {
    setup.accelerator.memory_bandwidth * setup.accelerator.efficiency.memory
}
