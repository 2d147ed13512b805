//! What the experts of one layer exchange: tokens to their GPUs and back, and how much of it compute hides.

use super::overlap::pipelined;
use super::{Dispatcher, copies, local_tokens, parts_reached};
use crate::model::collectives::{self, Group};
use crate::model::compute::UnitTimes;
use crate::model::cost::{CollectiveKind, Cost, Traffic};
use crate::model::memory::states;
use crate::model::setup::Setup;
use crate::units::{Bytes, Seconds};

/// Exchanges of one layer with experts, for one micro-batch on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpertExchange {
    /// Dispatch and combine, forward.
    pub forward: Seconds,
    /// Their gradients' way back, with what recomputation repeats.
    pub backward: Seconds,
    /// Of the forward pass, what compute does not hide.
    pub exposed_forward: Seconds,
    /// Of the backward pass.
    pub exposed_backward: Seconds,
    /// Whether they cross nodes.
    pub crosses: bool,
}

/// Collectives of the experts in one pass: dispatch and combine.
const COLLECTIVES_PER_PASS: f64 = 2.0;

/// Time of one dispatch, or of one combine, of one micro-batch's tokens in one layer.
pub fn dispatch_time(setup: &Setup) -> Seconds {
    dispatch_cost(setup)
}

/// The cost of one dispatch, or of one combine, of one micro-batch's tokens in one layer.
///
/// An all-to-all of `k f T H e` bytes over the ep groups of GPUs; kernels that send a token once take the bytes of the GPUs and
/// nodes that it reaches. Where etp GPUs share an expert they gather each other's tokens before it, and reduce its partial results
/// after it; the traffic leaves that out, and counts what a GPU sends to itself in the buffer.
pub fn dispatch_cost<C: Cost<Traffic>>(setup: &Setup) -> C {
    let (mesh, network) = (&setup.mesh, &setup.network);
    if mesh.expert_group() <= 1 {
        return C::default();
    }
    let world = mesh.gpus();
    let token = states::recipe_bytes(setup.recipe).activation * f64::from(setup.architecture.hidden_size);
    let sent = Bytes::new(copies(setup) * token * setup.experts.imbalance);
    let group = Group::strided(mesh.ep, mesh.etp, world, network);
    // Each chunk is a message of its own.
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

/// Share of a layer's dispatches and combines that the backward pass repeats: with what is recomputed in full, or with all of its
/// experts, those of the forward pass.
pub fn repeated(setup: &Setup) -> f64 {
    if setup.modules().moe { 1.0 } else { 1.0 - setup.kept_layers() }
}

/// Time of a byte over `NVLink` in kernels that send tokens, over that in collectives: fitted to Megatron-Bridge's steps of mixtures
/// (docs/accuracy.md).
const FUSED_NVLINK: f64 = 0.7;

/// Time of an exchange that sends each token once to every GPU that it reaches and once to every other node, `bytes` being
/// one copy of all of a GPU's tokens.
fn fused(setup: &Setup, group: Group, bytes: f64) -> Seconds {
    let network = &setup.network;
    let experts = &setup.architecture.experts;
    let elsewhere = |parts: f64| parts_reached(experts, parts) * (1.0 - 1.0 / parts);
    let imbalance = setup.experts.imbalance;
    let inside = Bytes::new(FUSED_NVLINK * imbalance * bytes * elsewhere(group.ranks));
    let outside = Bytes::new(imbalance * bytes * elsewhere(group.nodes()));
    collectives::forwarded(network, group, inside, outside)
}

impl ExpertExchange {
    /// The exchanges of one layer beside its compute: in chunks of the tokens, or beside the compute of another micro-batch.
    ///
    /// The backward pass sends as much as the forward pass, and what is recomputed in full repeats the forward pass's.
    pub fn of(setup: &Setup, units: &UnitTimes) -> Self {
        let forward = COLLECTIVES_PER_PASS * dispatch_time(setup);
        let backward = (1.0 + repeated(setup)) * forward;
        let (exposed_forward, exposed_backward) = if setup.experts.across_micro_batches {
            // Where both run, compute is slower by the contention.
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

/// Of an exchange before and after compute, in `chunks` chunks, what shows ([`pipelined`]), contention apart.
pub fn in_chunks(exchange: Seconds, compute: Seconds, chunks: u32) -> Seconds {
    pipelined(exchange / COLLECTIVES_PER_PASS, compute, chunks, 1.0) - compute
}
