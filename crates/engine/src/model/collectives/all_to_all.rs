//! The time of an all-to-all, whose messages become small and many as GPUs are added (arXiv
//! 2206.03382, appendix A).

use super::{Group, Topology, decay, fabric, inside_rate, torus};
use crate::fitted;
use crate::model::hardware::Network;
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// The algorithm of an all-to-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllToAll {
    /// Every GPU sends to every other.
    Linear,
    /// GPUs of a node first gather the messages for each GPU index of other nodes, then send them
    /// there (Tutel's 2DH, arXiv 2206.03382).
    TwoDimensional,
}

/// Time to post and complete one of many messages, apart from the transfer of its bytes: an
/// exchange of 128 MiB inside a node takes 0.6 ms as 7 messages and 5 ms as 1,792 (arXiv
/// 2206.03382, appendix A.2).
const MESSAGE: Seconds = Seconds::from_us(2.5);
/// Time that every other open message adds to a message between nodes, as NCCL's single proxy
/// thread per GPU polls all messages in turn (NCCL `src/proxy.cc`).
const POLL: Seconds = Seconds::from_us(fitted::MESSAGE_POLL_US);
/// Bytes that the proxy thread forwards at once, an eighth of a buffer of 4 MiB (NCCL's
/// `NCCL_STEPS` and `NCCL_BUFFSIZE`). Where GPUs of a node send together (PXN), smaller messages to
/// one GPU share a slice, so that fewer messages are polled.
const SLICE: Bytes = Bytes::new(524_288.0);
/// Hops before the first byte of a linear exchange between nodes arrives: the receiver's grant, and
/// the message.
const GRANTED: f64 = 2.0;
/// Share of a network card that messages to a single peer can fill: with one peer on one other
/// node, two-dimensional exchanges take more than twice the time of the linear one (Tutel, Table 6a
/// at 16 GPUs).
const ONE_PEER: f64 = 0.5;
/// Times that two strided copies read and write every byte.
const STRIDED_COPIES: f64 = 4.0;

/// Returns the time of an all-to-all in which every one of n ranks, r to a node on m nodes, sends
/// `size` bytes S in all, as messages of `S/n` or, in two dimensions, of `S/r` inside the node and
/// then of `S/m` between nodes.
///
/// A step between nodes takes `S' (1 + decay (m-1)) / B_nic` for the bytes S' that leave the node,
/// `x (2.5 us + 33 ns x)` for its x messages, and one latency, or two in the linear algorithm, for
/// the receiver's grant. A step inside the node takes `S'/B_intra + 2.5 us x`, longer on a torus
/// ([`torus::crossing`]). In the linear algorithm the two run concurrently. The copies that align
/// two-dimensional messages are counted separately ([`copied`]). A flat network charges all of S
/// and one latency per rank.
///
/// ```
/// # use catalog::{cluster, interconnect};
/// # use engine::model::collectives::{AllToAll, Group, all_to_all};
/// # use engine::units::Bytes;
/// // 128 MiB among the eight A100 of a node: about 600 us (arXiv 2206.03382, appendix A.2).
/// let network = cluster("azure-ndm-a100-v4").and_then(|entry| entry.network()).unwrap().values;
/// let group = Group::consecutive(8, 8, &network);
/// let time = all_to_all(&network, group, Bytes::new(134_217_728.0), AllToAll::Linear);
/// assert!((time.us() - 600.0).abs() < 0.1 * 600.0);
/// ```
pub fn all_to_all(network: &Network, group: Group, size: Bytes, algorithm: AllToAll) -> Seconds {
    if group.ranks <= 1.0 {
        return Seconds::ZERO;
    }
    match network.topology {
        Topology::Flat => {
            size / (network.inter_node * network.inter_node_efficiency) + group.ranks * network.inter_node_latency
        }
        Topology::Aware if is_two_dimensional(group, algorithm) => two_dimensional(network, group, size),
        Topology::Aware => linear(network, group, size),
    }
}

/// Returns the bytes read and written by the two strided copies of a two-dimensional all-to-all of
/// `size` bytes, `4 S`. Zero for a linear all-to-all, which also runs if there is only one node or
/// one rank per node.
pub fn copied(group: Group, size: Bytes, algorithm: AllToAll) -> Bytes {
    if is_two_dimensional(group, algorithm) { STRIDED_COPIES * size } else { Bytes::ZERO }
}

/// Whether the exchange has an inner and an outer step.
pub fn is_two_dimensional(group: Group, algorithm: AllToAll) -> bool {
    algorithm == AllToAll::TwoDimensional && group.crosses_nodes() && group.ranks_per_node > 1.0
}

fn linear(network: &Network, group: Group, size: Bytes) -> Seconds {
    let (ranks, here) = (group.ranks, group.ranks_per_node);
    let away = ranks - here;
    let middle = torus::crossing(here as u32, group.links, network.torus);
    let inside = size * ((here - 1.0) / ranks * middle) / inside_rate(network, group);
    if away <= 0.0 {
        return inside + (here - 1.0) * MESSAGE + network.intra_node_latency;
    }
    let outside = size * (away / ranks) / between_rate(network, group, away);
    outside.max(inside)
        + (here - 1.0) * MESSAGE
        + between_messages(away, slices(network, group, size))
        + GRANTED * network.inter_node_latency
}

fn two_dimensional(network: &Network, group: Group, size: Bytes) -> Seconds {
    let (here, nodes) = (group.ranks_per_node, group.nodes());
    let middle = torus::crossing(here as u32, group.links, network.torus);
    let inside = size * ((here - 1.0) / here * middle) / inside_rate(network, group);
    let outside = size * ((nodes - 1.0) / nodes) / between_rate(network, group, nodes - 1.0);
    inside
        + (here - 1.0) * MESSAGE
        + network.intra_node_latency
        + outside
        + between_messages(nodes - 1.0, 1.0)
        + network.inter_node_latency
}

/// Returns the time to post `messages` between nodes and to poll the messages, or the slices that
/// hold them, until all are done.
fn between_messages(messages: f64, slices: f64) -> Seconds {
    messages * (MESSAGE + messages * slices * POLL)
}

/// Slices that the messages of a linear exchange fill, as a share of the messages.
fn slices(network: &Network, group: Group, size: Bytes) -> f64 {
    let together = if network.relays { group.ranks_per_node } else { 1.0 };
    (size / group.ranks / SLICE).min(1.0).max(1.0 / together)
}

/// Returns the rate of one GPU to `peers` ranks on other nodes.
fn between_rate(network: &Network, group: Group, peers: f64) -> BytesPerSecond {
    let slower = fabric::exchange_slowdown(network, group) * decay(network, group);
    let card = network.inter_node * (network.inter_node_efficiency / slower);
    card.min(network.inter_node * (ONE_PEER * peers))
}
