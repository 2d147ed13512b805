//! Bounds on a setup of the step model, and the setup under the simplifications of the bounds.

use super::{Bounds, Stage};
use crate::model::choices::Choices;
use crate::model::collectives::{Group, bus_bandwidth};
use crate::model::compute::{attention_efficiency, peak};
use crate::model::flops;
use crate::model::hardware::{Accelerator, Efficiency, Fabric, Network, Topology};
use crate::model::setup::{Overheads, Setup};
use crate::model::software::Cache;
use crate::model::states::recipe_bytes;
use crate::model::training::{AttentionMask, MfuConvention, PrecisionPolicy, Sharding};
use crate::model::transformer::{
    Architecture, AttentionBias, Experts, FusedProjections, LatentAttention, Norm, QkNorm,
};
use crate::units::{Bytes, BytesPerSecond, Seconds};

impl Bounds {
    /// Returns the bounds on a setup: its shape, mesh and formats, the nominal rate of a ring over
    /// all of its GPUs (one card's on a flat network), the mean efficiency of its kernels and no
    /// latency.
    ///
    /// No step that shards over all of its GPUs exceeds the bounds; a test checks this. Where
    /// gradients are reduced once a step instead of in each micro-batch, one transfer serves all
    /// micro-batches, which counts as a faster link. Hybrid sharding keeps most of its traffic
    /// inside the nodes and is not bounded.
    pub fn from_setup(setup: &Setup) -> Self {
        let network = Network {
            intra_node_efficiency: 1.0,
            inter_node_efficiency: 1.0,
            node_decay: 0.0,
            fabric: Fabric::NON_BLOCKING,
            ..setup.network
        };
        let gpus = setup.mesh.gpus().max(1);
        let group = Group::consecutive(gpus, gpus, &network);
        let bytes = recipe_bytes(setup.recipe);
        let (stage, served) = match setup.sharding {
            Sharding::Fsdp(_) => (Stage::Three, 1),
            Sharding::Zero2 => (Stage::OneOrTwo, 1),
            Sharding::Ddp | Sharding::Zero1 => (Stage::OneOrTwo, setup.batch.grad_accum_steps),
        };
        let bounds = Self {
            layers: f64::from(setup.architecture.num_hidden_layers),
            hidden: f64::from(setup.architecture.hidden_size),
            seq_len: f64::from(setup.batch.seq_len),
            element: bytes.gathered,
            weight: bytes.weights,
            states: bytes.weights + bytes.gradients + bytes.optimizer,
            gpus: f64::from(gpus),
            memory: setup.accelerator.usable_memory(),
            link: bus_bandwidth(&network, group) * f64::from(served),
            peak: peak(setup),
            efficiency: 1.0,
            latency: Seconds::ZERO,
            stage,
            kept: setup.kept_layers(),
            backward_transfers: 1.0,
        };
        Self { efficiency: kernel_efficiency(setup, &bounds), ..bounds }
    }
}

/// Returns the fraction of the peak that kernels reach, `a`: the efficiencies of matrix products
/// and attention, weighted by their shares of the counted FLOPs. Under a causal mask only half of
/// the counted attention is computed.
fn kernel_efficiency(setup: &Setup, bounds: &Bounds) -> f64 {
    let reached = setup.accelerator.efficiency;
    let attention = flops::executed_keys(1.0, 0.0, setup.mask);
    let all = bounds.forward_flops().get();
    let products = 2.0 * bounds.params();
    all / (products / reached.matmul + (all - products) * attention / attention_efficiency(setup))
}

/// Returns the setup under the simplifications of the bounds, for the step model: no vocabulary and
/// no biases (`φ = 12 L H²`), a flat network at its nominal rate without latency, kernels at their
/// peak, all of the memory, no element-wise traffic, no launches, no overheads, the full score
/// matrix, ZeRO's 16 bytes of states a parameter.
///
/// No report of a simplified setup that shards over all GPUs exceeds its [`Bounds::from_setup`]; a
/// test checks this.
pub fn simplified(setup: &Setup) -> Setup {
    let hidden = setup.architecture.hidden_size;
    Setup {
        architecture: Architecture {
            num_attention_heads: 1,
            num_key_value_heads: 1,
            head_dim: hidden,
            intermediate_size: MLP_WIDTHS * hidden,
            vocab_size: 0,
            gated_mlp: false,
            norm: Norm::Rms,
            qk_norm: QkNorm::None,
            attention_bias: AttentionBias::None,
            mlp_bias: false,
            head_bias: false,
            learned_positions: 0,
            attention_sinks: false,
            fused_projections: FusedProjections::None,
            logit_softcap: false,
            latent: LatentAttention::NONE,
            experts: Experts::NONE,
            ..setup.architecture
        },
        accelerator: Accelerator {
            usable_percent: 100.0,
            memory_bandwidth: BytesPerSecond::UNLIMITED,
            efficiency: Efficiency::IDEAL,
            ..setup.accelerator
        },
        network: setup.network.ideal(Topology::Flat),
        mask: AttentionMask::Full,
        overheads: Overheads {
            context: Bytes::ZERO,
            per_communicator: Bytes::ZERO,
            cache: Cache::Share(0.0),
            contention: 1.0,
            rate_beside: 1.0,
            launch: 0.0,
            launch_backward: 0.0,
            launch_expert: 0.0,
            launch_casts: 1.0,
            launch_beside_graphs: 0.0,
            launch_exchange: 0.0,
            launch_context: 0.0,
            between_steps: Seconds::ZERO,
            launch_experts: 0.0,
            launch_latent: 0.0,
            message: Seconds::ZERO,
            step: Seconds::ZERO,
            elementwise_bytes: 0.0,
        },
        choices: Choices {
            recipe: PrecisionPolicy::ZeroMixed,
            mfu_convention: MfuConvention::FullAttention,
            ..setup.choices
        },
        ..*setup
    }
}

/// Width of the MLP over H where `φ = 12 L H²`.
const MLP_WIDTHS: u32 = 4;
