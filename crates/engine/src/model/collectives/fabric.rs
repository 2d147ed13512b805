//! Oversubscribed fabrics: leaf switches with fewer uplinks than links to nodes.

use super::Group;
use crate::model::hardware::{Network, Rails};

/// Ports of a leaf switch that lead to nodes: half of the 64 of NVIDIA's Quantum-2 and Spectrum-4.
const PORTS_DOWN: u32 = 32;

/// Returns the nodes under one leaf: with rails each card of a node connects to a leaf of its own,
/// otherwise all cards share one.
fn nodes_of_a_leaf(network: &Network) -> f64 {
    match network.fabric.rails {
        Rails::Optimised => f64::from(PORTS_DOWN),
        Rails::TopOfRack => f64::from((PORTS_DOWN / network.gpus_per_node.max(1)).max(1)),
    }
}

/// Nodes of the group under one leaf, k.
fn nodes_per_leaf(network: &Network, group: Group) -> f64 {
    (nodes_of_a_leaf(network) / group.spacing).floor().max(1.0)
}

/// Returns the factor by which a byte of a ring or a tree takes longer with `f` downlinks for each
/// uplink, if all groups send at once: of k neighbours under a leaf one sends to the next leaf, so
/// `f/k`, and 1 if the whole group is under one leaf.
///
/// ```
/// # use catalog::cluster;
/// # use engine::model::collectives::{Group, fabric};
/// # use engine::model::hardware::{Fabric, Network, Rails};
/// let network = cluster("dgx-h100").and_then(|entry| entry.network()).unwrap().values;
/// let over = |oversubscription, rails| Network { fabric: Fabric { oversubscription, rails }, ..network };
/// // Replicas on every 32nd node of rails, four links down for each one up: all of them cross leaves.
/// let replicas = |network: &Network| fabric::slowdown(network, Group::strided(8, 256, 2048, network));
/// assert_eq!(replicas(&over(4.0, Rails::Optimised)), 4.0);
/// assert_eq!(replicas(&network), 1.0);
/// // A ring through neighbours enters each leaf once.
/// let ring = |network: &Network| fabric::slowdown(network, Group::consecutive(2048, 2048, network));
/// assert_eq!(ring(&over(4.0, Rails::Optimised)), 1.0);
/// assert_eq!(ring(&over(8.0, Rails::TopOfRack)), 2.0);
/// ```
pub fn slowdown(network: &Network, group: Group) -> f64 {
    if network.fabric.oversubscription <= 1.0 {
        return 1.0;
    }
    let here = nodes_per_leaf(network, group);
    if group.nodes() <= here { 1.0 } else { (network.fabric.oversubscription / here).max(1.0) }
}

/// Returns the factor by which an all-to-all exchange takes longer: of the bytes to the other `m -
/// 1` nodes, those to the `m - k` under other leaves share the uplinks.
pub fn exchange_slowdown(network: &Network, group: Group) -> f64 {
    if network.fabric.oversubscription <= 1.0 {
        return 1.0;
    }
    let (here, nodes) = (nodes_per_leaf(network, group), group.nodes());
    if nodes <= here { 1.0 } else { (network.fabric.oversubscription * (nodes - here) / (nodes - 1.0)).max(1.0) }
}
