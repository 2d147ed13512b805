//! Exchanges of tensor and context parallelism within one layer, and the exposed part of them.

use super::asynchronous::{Chunks, beside_products};
use crate::model::collectives::{self, AllToAll, Group};
use crate::model::flops::backward::recomputed;
use crate::model::layer::{Block, Layers};
use crate::model::parallel::ContextExchange;
use crate::model::per_rank;
use crate::model::policy::split_blocks;
use crate::model::setup::Setup;
use crate::units::{Bytes, Seconds};

/// Exposed communication of tensor and context parallelism in one micro-batch, on one GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TpCpComm {
    /// One layer, forward.
    pub layer_forward: Seconds,
    /// One layer, backward, including repeated exchanges of recomputation.
    pub layer_backward: Seconds,
    /// Tensor parallelism's part of one layer, forward and backward.
    pub layer_tensor: [Seconds; 2],
    /// Embedding, both passes.
    pub embedding: Seconds,
    /// Head and loss, forward and backward.
    pub head: Seconds,
    /// Part of one layer between nodes, both passes together.
    pub layer_between_nodes: Seconds,
    /// Part of embedding and head between nodes.
    pub ends_between_nodes: Seconds,
}

/// Bytes of the reduced statistics of one token's logits: maximum, sum and the target's logit, in
/// fp32.
const LOSS_STATISTICS: f64 = 12.0;

/// Compute times of one layer under which exchanges can be hidden.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hiding {
    /// The layer's matrix products, forward.
    pub matmul: Seconds,
    /// The layer's matrix products, backward.
    pub matmul_backward: Seconds,
    /// The layer's attention, forward.
    pub attention: Seconds,
    /// The layer's attention, backward.
    pub attention_backward: Seconds,
}

/// Returns the exposed time of context parallelism's exchanges of one layer, forward and backward,
/// where `sent` is tokens times bytes of an element.
///
/// All-to-all (arXiv 2309.14509, section 3.2): queries, keys and values of the GPU's tokens are
/// sent to the GPUs of their heads before attention, the output returns after it, and both
/// exchanges repeat for gradients; all of it is exposed. If a GPU of the exchange has no key head
/// of its own, keys and values are repeated. A ring of cp' GPUs sends keys and values cp' - 1 times
/// while attention runs, and `(cp' - 1)/cp'` of attention can hide them; backward their gradients
/// travel along, under a longer attention.
///
/// Averaged over these layers.
fn exchange_context(setup: &Setup, sent: f64, hiding: &Hiding, layers: &Layers) -> (Seconds, Seconds) {
    let (mesh, network, core) = (&setup.mesh, &setup.network, setup.architecture.core());
    if mesh.cp <= 1 {
        return (Seconds::ZERO, Seconds::ZERO);
    }
    let world = mesh.gpus();
    let attention = layers.blocks(Block::Attention);
    let tp = f64::from(mesh.tp.max(1));
    let inner = setup.sequence_heads.max(1);
    let by_heads = f64::from(inner);
    let keys_and_values = 2.0 * core.key_value_over(tp * by_heads) * by_heads;
    if setup.context == ContextExchange::AllGather {
        let context = Group::strided(mesh.cp, mesh.tp, world, network);
        let gathered = Bytes::new(keys_and_values * sent * f64::from(mesh.cp));
        let gather = attention * collectives::all_gather(network, context, gathered);
        let scatter = attention * collectives::reduce_scatter(network, context, gathered);
        return (gather, gather + scatter);
    }
    let heads = Group::strided(inner, mesh.tp, world, network);
    let exchange = |width: f64| collectives::all_to_all(network, heads, Bytes::new(width * sent), AllToAll::Linear);
    let exchanged = if inner > 1 {
        let there = exchange(core.query() / tp + keys_and_values);
        attention * (there + exchange(core.output() / tp))
    } else {
        Seconds::ZERO
    };
    let around = mesh.cp / inner;
    let ring = Group::strided(around, mesh.tp.saturating_mul(inner), world, network);
    let hops = f64::from(around) - 1.0;
    let part = hops / f64::from(around);
    let size = Bytes::new(keys_and_values * sent);
    let hop = attention * collectives::point_to_point(network, ring, ring.crosses_nodes(), size);
    let over = |hop: Seconds, attention: Seconds| (hops * hop - part * attention).max(Seconds::ZERO);
    (exchanged + over(hop, hiding.attention), exchanged + over(2.0 * hop, hiding.attention_backward))
}

/// Returns the time of the exchanges around a layer's recurrent mixer, in either pass, where `sent`
/// is tokens times bytes of an element; averaged over these layers.
///
/// A recurrent state passes from token to token, so that a ring would serialise: Megatron-Core
/// exchanges tokens for heads by all-to-all, the whole output of the input projection before the
/// convolution and the scan, and the scan's output after it (`MambaContextParallel.pre_conv_ssm`
/// and `post_conv_ssm`). If there are fewer groups of B and C than GPUs, the groups are repeated.
fn exchange_states(setup: &Setup, sent: f64, layers: &Layers) -> Seconds {
    let (mesh, network, mixer) = (&setup.mesh, &setup.network, &setup.architecture.recurrent);
    let states = layers.blocks(Block::State);
    if mesh.cp <= 1 || states <= 0.0 {
        return Seconds::ZERO;
    }
    let tp = f64::from(mesh.tp.max(1));
    let context = Group::strided(mesh.cp, mesh.tp, mesh.gpus(), network);
    let exchange = |width: f64| collectives::all_to_all(network, context, Bytes::new(width * sent), AllToAll::Linear);
    states * (exchange(mixer.columns_to_share(tp, mesh.cp)) + exchange(mixer.inner_width() / tp))
}

impl TpCpComm {
    /// Returns the communication of one micro-batch, averaged over these layers.
    ///
    /// Tensor parallelism: an all-reduce of `e T H` bytes after attention and after the MLP, in
    /// both passes (arXiv 1909.08053); with sequence parallelism an all-gather and a reduce-scatter
    /// instead (arXiv 2205.05198). Exposed, except for the part that asynchronous execution hides
    /// under the matrix products ([`super::asynchronous`]). Context parallelism: ring attention
    /// sends keys and values cp - 1 times while attention runs; the all-gather variant gathers them
    /// before attention and reduces their gradients after it. Backward passes send twice as much.
    pub fn new(setup: &Setup, element: f64, hiding: &Hiding, layers: &Layers) -> Self {
        let mesh = &setup.mesh;
        if mesh.tp <= 1 && mesh.cp <= 1 {
            return Self::default();
        }
        let arch = &setup.architecture;
        let network = &setup.network;
        let world = mesh.gpus();
        let tokens = per_rank::tokens(setup);
        let again = recomputed(setup);

        let tensor = Group::consecutive(mesh.tp, world, network);
        let activations = Bytes::new(element * tokens * f64::from(arch.hidden_size));
        let pair = if setup.tensor.sequence_parallel {
            collectives::all_gather(network, tensor, activations)
                + collectives::reduce_scatter(network, tensor, activations)
        } else {
            collectives::all_reduce(network, tensor, activations)
        };
        let [blocks, repeated] = split_blocks(setup, layers, &setup.policy());
        let asynchronous = setup.tensor.asynchronous && mesh.tp > 1;
        let chunks = if asynchronous {
            Chunks::new(setup, layers, blocks, activations, hiding.matmul)
        } else {
            Chunks::default()
        };
        let exposed = |pairs: f64, compute: Seconds, passes: f64| {
            let comm = pairs * pair;
            if asynchronous {
                let shown = beside_products(comm, compute, tensor.ranks, setup.overheads.contention);
                shown + pairs * chunks.pair + passes * chunks.tails
            } else {
                comm
            }
        };

        let context = Group::strided(mesh.cp, mesh.tp, world, network);
        let (context_forward, context_backward) = exchange_context(setup, element * tokens, hiding, layers);
        let states = exchange_states(setup, element * tokens, layers);
        let (context_forward, context_backward) = (context_forward + states, context_backward + states);
        let statistics = collectives::all_reduce(network, tensor, Bytes::new(LOSS_STATISTICS * tokens));
        let tensor_forward = exposed(blocks, hiding.matmul, 1.0);
        let hiding_backward = hiding.matmul_backward + again.matmul * hiding.matmul;
        let tensor_backward = exposed((1.0 + again.matmul) * blocks + repeated, hiding_backward, 1.0 + again.matmul);
        let context_backward = context_backward + again.attention * context_forward;
        let (embedding, head) = (pair, pair + statistics);
        let crossing = |group, time| if collectives::uses_inter_node(network, group) { time } else { Seconds::ZERO };
        Self {
            layer_forward: tensor_forward + context_forward,
            layer_backward: tensor_backward + context_backward,
            layer_tensor: [tensor_forward, tensor_backward],
            embedding,
            head,
            layer_between_nodes: crossing(tensor, tensor_forward + tensor_backward)
                + crossing(context, context_forward + context_backward),
            ends_between_nodes: crossing(tensor, embedding + head),
        }
    }
}
