//! Host time to launch a layer's kernels, and the exposed part of it.

use super::{adapters, dtensor, recurrent};
use crate::model::flops::backward::Backward;
use crate::model::framework;
use crate::model::layer::{Block, Layers};
use crate::model::routing;
use crate::model::setup::Setup;
use crate::model::software::Graphs;
use crate::model::training::ComputeFormat;
use crate::units::Seconds;

/// Standard deviation of a host's launch time for a layer, as a share. A collective ends with the
/// slowest of the n GPUs of a tensor-parallel group, whose host takes `1 + s sqrt(2 ln n)` times
/// the mean: Megatron of 2021 on one node takes 3.4 ms a layer and micro-batch on one GPU, 3.5 on
/// two, 3.6 on four and 4.1 on eight, whatever the layer's width.
const SPREAD: f64 = 0.05;

/// Share of a layer's operators that remain under `torch.compile`, which fuses two to three
/// operators between products into one.
const COMPILED: f64 = 0.4;

/// Returns the host time of a layer's kernels in its forward pass, exchanges included, from the
/// number of operators relative to [`crate::model::hardware::Efficiency::launch_per_layer`].
pub fn forward(setup: &Setup, layers: &Layers) -> Seconds {
    let of_layer = setup.accelerator.efficiency.launch_per_layer;
    let Operators { layer, experts } = operators(setup, layers);
    let dtensors = setup.host_time(dtensor::forward(setup, layers));
    (setup.host_time(of_layer) * layer + of_layer * experts + dtensors) * slowest(setup.mesh.tp)
}

/// Returns the host time of a layer's kernels in its backward pass: autograd launches from C++, and
/// fully recomputed layers are launched again as in the forward pass.
pub fn backward(setup: &Setup, forward: Seconds) -> Seconds {
    forward * ((setup.overheads.launch_backward + 1.0 - setup.kept_layers()) * Backward::new(setup).passed)
}

/// Returns the launch time of the slowest of n hosts over the mean.
fn slowest(hosts: u32) -> f64 {
    let doublings = f64::from(hosts.max(1).ilog2());
    1.0 + SPREAD * (2.0 * core::f64::consts::LN_2 * doublings).sqrt()
}

/// Operators of a layer's forward pass by their host time, over
/// [`crate::model::hardware::Efficiency::launch_per_layer`].
struct Operators {
    layer: f64,
    /// Operators of routed experts. They depend on the token counts, so that a faster host gains
    /// nothing: on H100 they take as long as on A100 (docs/book/accuracy.md).
    experts: f64,
}

fn operators(setup: &Setup, layers: &Layers) -> Operators {
    let overheads = &setup.overheads;
    let tensor = if setup.mesh.tp > 1 { overheads.launch_exchange } else { 0.0 };
    let exchange = tensor + if setup.mesh.cp > 1 { overheads.launch_context } else { 0.0 };
    let latent = if setup.architecture.core().has_ranks() {
        layers.blocks(Block::Attention) * overheads.launch_latent
    } else {
        0.0
    };
    // A mixer launches about as many kernels as attention, which has half of a layer's kernels.
    let blocks = 0.5 * layers.count();
    // Inputs are cast in layers whose products are not in 16 bits.
    let narrow = if setup.compute_format == ComputeFormat::AsPolicy { 0.0 } else { 1.0 - setup.share_in_16_bits() };
    let casts = 1.0 + narrow * (overheads.launch_casts - 1.0);
    let loops = layers.blocks(Block::State) * (recurrent::kernels_in_loops(setup) / adapters::OF_A_LAYER);
    let fused = if setup.kernels.compile && setup.traits().layers != framework::Layers::Own { COMPILED } else { 1.0 };
    let layer = overheads.launch * fused * (blocks * casts + adapters::launches(setup, layers) + loops);
    let experts = layers.experts() * casts * expert_operators(setup);
    match setup.kernels.graphs {
        Graphs::None => Operators { layer: layer + exchange + latent, experts },
        Graphs::Layers => Operators { layer: 0.0, experts: overheads.launch_beside_graphs * experts },
        Graphs::Step => Operators { layer: 0.0, experts: 0.0 },
    }
}

/// Returns the operators that experts add to an expert layer: router and exchanges, and one set for
/// each expert if the experts run one by one.
fn expert_operators(setup: &Setup) -> f64 {
    let one_by_one = if setup.experts.grouped { 0.0 } else { routing::local_experts(setup) };
    setup.overheads.launch_experts + one_by_one * setup.overheads.launch_expert
}

/// Returns the launch time that exceeds the kernel time in each of a layer's two passes, if the
/// host synchronises with the GPU in each pass ([`Setup::host_waits_in_each_pass`]): each pass
/// takes the longer of `kernels` and `launches`. Otherwise the host runs ahead, and only the
/// micro-batch as a whole takes at least its launch time ([`crate::model::stage_plan::StagePlan`]).
pub fn floors(setup: &Setup, kernels: [Seconds; 2], launches: [Seconds; 2]) -> [Seconds; 2] {
    if !setup.host_waits_in_each_pass() {
        return [Seconds::ZERO; 2];
    }
    let [forward, backward] = launches;
    let [forward_kernels, backward_kernels] = kernels;
    [(forward - forward_kernels).max(Seconds::ZERO), (backward - backward_kernels).max(Seconds::ZERO)]
}
