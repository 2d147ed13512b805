//! Token exchanges of one expert layer, to the experts' GPUs and back, and the exposed part of
//! them.

use super::overlap::pipelined;
use crate::model::collectives::{self, Group};
use crate::model::compute::UnitTimes;
use crate::model::cost::{CollectiveKind, Cost, Traffic};
use crate::model::hardware::Network;
use crate::model::parallel::Dispatcher;
use crate::model::routing::{copies, local_tokens, parts_reached};
use crate::model::setup::Setup;
use crate::model::states;
use crate::units::{Bytes, Seconds};

/// Exchanges of one layer with experts, for one micro-batch on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpertExchange {
    /// Dispatch and combine, forward.
    pub forward: Seconds,
    /// Dispatch and combine of gradients, including exchanges repeated by recomputation.
    pub backward: Seconds,
    /// Exposed time of the forward pass.
    pub exposed_forward: Seconds,
    /// Exposed time of the backward pass.
    pub exposed_backward: Seconds,
    /// Whether the exchanges cross nodes.
    pub crosses: bool,
}

/// Exchanges of the experts in one pass: dispatch and combine.
const COLLECTIVES_PER_PASS: f64 = 2.0;

/// Returns the time of one dispatch, or of one combine, of one micro-batch's tokens in one layer,
/// in the activations' format.
pub fn dispatch_time(setup: &Setup) -> Seconds {
    dispatch_cost(setup)
}

/// Returns the time of dispatch and combine in one pass.
pub fn both_ways(setup: &Setup) -> Seconds {
    COLLECTIVES_PER_PASS * dispatch_time(setup)
}

/// Returns the cost of one dispatch, or of one combine, of one micro-batch's tokens in one layer.
///
/// An all-to-all of `k f T H e` bytes over the ep groups of GPUs; fused dispatchers, which send a
/// token once, transfer one copy per GPU and node reached. If etp GPUs share an expert, they gather
/// each other's tokens before the expert and reduce its partial results after it; the reported
/// traffic omits this, and includes the part of the buffer that a GPU sends to itself.
pub fn dispatch_cost<C: Cost<Traffic>>(setup: &Setup) -> C {
    let (mesh, network) = (&setup.mesh, &setup.network);
    if mesh.expert_group() <= 1 {
        return C::default();
    }
    let world = mesh.gpus();
    let element = states::recipe_bytes(setup.recipe).activation;
    let token = element * f64::from(setup.architecture.expert_hidden_size());
    let sent = Bytes::new(copies(setup) * token * setup.experts.imbalance);
    let group = Group::strided(mesh.ep, mesh.etp, world, network);
    // Each chunk is a separate message.
    let chunks = f64::from(setup.experts.chunks.max(1));
    let to_experts = match setup.experts.dispatcher {
        Dispatcher::AllToAll => {
            let (size, algorithm) = (sent * (1.0 / chunks), setup.experts.algorithm);
            let memory = setup.accelerator.memory_bandwidth * setup.accelerator.efficiency.memory;
            collectives::all_to_all(network, group, size, algorithm)
                + collectives::all_to_all::copied(group, size, algorithm) / memory
        }
        Dispatcher::Fused => fused(setup, group, local_tokens(setup) * token * setup.experts.capacity_factor / chunks),
    };
    let sharing = Group::consecutive(mesh.etp, world, network);
    let shared = collectives::all_gather(network, sharing, sent * (f64::from(mesh.etp.max(1)) / chunks));
    C::new(chunks * (to_experts + shared), || {
        let size = match setup.experts.dispatcher {
            Dispatcher::AllToAll => sent,
            Dispatcher::Fused => {
                let tokens = local_tokens(setup) * setup.experts.capacity_factor;
                let copies = tokens * parts_reached(&setup.architecture.experts, group.ranks);
                Bytes::new(copies * token * setup.experts.imbalance)
            }
        };
        Traffic::new(CollectiveKind::AllToAll, size, group.ranks)
    })
}

/// Returns the share of a layer's forward dispatches and combines that the backward pass repeats:
/// that of fully recomputed layers, or all if the expert module is recomputed.
pub fn repeated(setup: &Setup) -> f64 {
    let policy = setup.policy();
    if policy.modules().moe { 1.0 } else { 1.0 - policy.kept_layers() }
}

/// Share of `NVLink`'s rate that fused dispatch kernels reach: `DeepEP` dispatches at 153 GB/s and
/// combines at 158 GB/s among the eight H800 of a node, of 200 (github deepseek-ai/DeepEP,
/// docs/legacy.md).
const FUSED_NVLINK: f64 = 0.78;
/// Share of a network card's rate that fused dispatch kernels reach: 43 to 51 GB/s when all copies
/// of a token are counted, 44.6 in bytes that cross at 64 GPUs, of 50 (same source).
const FUSED_CARD: f64 = 0.88;
/// Share of a card's rate that collectives reach on a healthy fabric: on slower fabrics fused
/// dispatch kernels slow down in proportion.
const COLLECTIVES: f64 = 0.70;

/// Returns the network with the rates of fused dispatch kernels.
fn fused_network(network: &Network) -> Network {
    let fabric = network.inter_node_efficiency / COLLECTIVES;
    Network {
        intra_node_efficiency: FUSED_NVLINK,
        inter_node_efficiency: FUSED_CARD * if fabric < 1.0 { fabric } else { 1.0 },
        ..*network
    }
}

/// Returns the time of an exchange that sends each token once to every GPU that it reaches and once
/// to every other node; `bytes` is one copy of all of a GPU's tokens.
fn fused(setup: &Setup, group: Group, bytes: f64) -> Seconds {
    let network = &fused_network(&setup.network);
    let experts = &setup.architecture.experts;
    let elsewhere = |parts: f64| parts_reached(experts, parts) * (1.0 - 1.0 / parts);
    let imbalance = setup.experts.imbalance;
    let inside = Bytes::new(imbalance * bytes * elsewhere(group.ranks));
    let outside = Bytes::new(imbalance * bytes * elsewhere(group.nodes()));
    collectives::forwarded(network, group, inside, outside)
}

impl ExpertExchange {
    /// Returns the exchanges of one layer, overlapped with its own compute in chunks of the tokens,
    /// or with the compute of another micro-batch.
    ///
    /// The backward pass sends as much as the forward pass, and full recomputation repeats the
    /// exchanges of the forward pass.
    pub fn new(setup: &Setup, units: &UnitTimes) -> Self {
        let forward = both_ways(setup);
        let backward = (1.0 + repeated(setup)) * forward;
        let (exposed_forward, exposed_backward) = if setup.experts.across_micro_batches {
            // While both run, contention slows compute.
            let slower = setup.overheads.contention - 1.0;
            let beside =
                |comm: Seconds, compute: Seconds| slower * comm.min(compute) + (comm - compute).max(Seconds::ZERO);
            (beside(forward, units.layer_forward), beside(backward, units.layer_backward))
        } else {
            let chunks = setup.experts.chunks;
            (in_chunks(forward, units.experts_forward, chunks), in_chunks(backward, units.experts_backward, chunks))
        };
        let group = Group::strided(setup.mesh.ep, setup.mesh.etp, setup.mesh.gpus(), &setup.network);
        Self {
            forward,
            backward,
            exposed_forward,
            exposed_backward,
            crosses: collectives::uses_inter_node(&setup.network, group),
        }
    }
}

/// Returns the exposed time of exchanges before and after compute in `chunks` chunks
/// ([`pipelined`]), without contention.
pub fn in_chunks(exchange: Seconds, compute: Seconds, chunks: u32) -> Seconds {
    pipelined(exchange / COLLECTIVES_PER_PASS, compute, chunks, 1.0) - compute
}
