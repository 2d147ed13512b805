//! The network of a row: stated values override the cluster of the publisher or the usual cluster
//! of the GPU.

use super::rate::{ONE_CARD, rate};
use super::stack::Stack;
use crate::row::Row;
use crate::text::has;
use crate::{LeftOut, Notes};
use catalog::clusters::hosts::host;
use catalog::{AcceleratorEntry, CLUSTERS, ClusterEntry, INTERCONNECTS, InterconnectEntry};
use engine::model::hardware::{Host, Network};
use engine::scenario::{CUSTOM, Picked};
use engine::units::BytesPerSecond;

/// Words that identify a cluster, with the cluster's key or its prefix.
const NAMED: [(&str, &str); 12] = [
    ("leonardo", "leonardo-booster"),
    ("marenostrum", "marenostrum-5"),
    ("jean zay", "jean-zay-"),
    ("selene", "selene"),
    ("juwels", "juwels-booster"),
    ("jupiter", "jupiter-booster"),
    ("alps", "alps"),
    ("perlmutter", "perlmutter"),
    ("p4d", "p4d"),
    ("p5", "p5"),
    ("ndm a100", "azure-ndm-a100-v4"),
    ("aws", "p5"),
];

/// Default cluster of each GPU.
const USUAL: [(&str, &str); 8] = [
    ("a100-40gb", "dgx-a100-40"),
    ("a100-80gb", "dgx-a100-80"),
    ("h100-sxm", "dgx-h100"),
    ("h200", "dgx-h200"),
    ("b200", "dgx-b200"),
    ("gb200", "gb200-nvl72"),
    ("v100-16gb", "jean-zay-v100"),
    ("v100-32gb", "jean-zay-v100"),
];

/// Words that identify a fabric, with the prefix of its keys.
const FABRICS: [(&[&str], &str); 6] = [
    (&["omni"], "opa-"),
    (&["efa"], "efa-"),
    (&["slingshot"], "slingshot-"),
    (&["roce"], "roce-"),
    (&["tcp", "ethernet"], "ethernet-"),
    (&["infiniband", "ib", "hdr", "ndr", "edr", "rdma", "cx-7", "connectx"], "ib-"),
];

/// Default number of GPUs per machine.
const NODE: u32 = 8;

/// Network of the cluster that ran nanotron's sweep and the ultra-scale playbook's collectives; far
/// slower than other networks with these cards.
const PLAYBOOK: &str = "efa-playbook";

/// Returns the network of a run on `gpus` GPUs.
///
/// # Errors
///
/// Returns an error if neither the row nor the catalog has the interconnect of these GPUs.
pub(super) fn network(
    row: &Row,
    stack: Stack,
    entry: &AcceleratorEntry,
    gpus: u32,
    notes: &mut Notes,
) -> Result<Picked<Network>, LeftOut> {
    let cluster = cluster(row, stack, entry);
    let intra = intra(row, entry, cluster)
        .or_else(|| guessed("pcie4-x16", gpus, notes))
        .ok_or_else(|| LeftOut::missing("intra_node_link"))?;
    let node = gpus_per_node(row, cluster).unwrap_or(NODE);
    let crosses = gpus > node;
    let usual = if is_playbooks(row, stack) { Some(PLAYBOOK) } else { cluster.map(|cluster| cluster.inter_node) };
    let usual = usual.and_then(catalog::interconnect);
    let said = rate(&row.inter_node_bw, row.gpus_per_node.unwrap_or(node));
    let fabric = fabric(&row.inter_node_bw, said.map(|rate| rate.gbit_per_gpu), usual).or(usual);
    let Some(fabric) = fabric
        .or_else(|| if crosses { None } else { INTERCONNECTS.iter().find(|link| !link.intra_node) })
        .or_else(|| guessed("ib-hdr", gpus, notes))
    else {
        return Err(LeftOut::missing("inter_node_bw"));
    };
    let bandwidth = said.map_or(fabric.bandwidth, |rate| BytesPerSecond::from_gbit_per_s(rate.gbit_per_gpu));
    if crosses {
        match said {
            None => notes.add(format!("network of {} assumed: {}", place(cluster), fabric.name)),
            Some(rate) if rate.assumed => {
                notes.add(format!("{:.0} Gbit/s a GPU read from `{}`", rate.gbit_per_gpu, row.inter_node_bw));
            }
            Some(_) => {}
        }
    }
    // For nodes with another number of GPUs, only the CPU speed is taken from the cluster.
    let host = cluster.map_or(Host::USUAL, |cluster| {
        let of = host(cluster.id);
        if cluster.gpus_per_node == node { of } else { Host { speed: of.speed, ..Host::USUAL } }
    });
    let values = Network { inter_node: bandwidth, host, ..intra.nodes(node, fabric) };
    Ok(Picked { id: cluster.map_or(CUSTOM, |cluster| cluster.id), values })
}

/// Lower bound of an unstated network, as a share of the usual network.
const SLOW: f64 = 0.5;

/// Returns the slowest network per GPU that is consistent with the row: half of the usual network
/// if a run spans nodes and names no network, or the node's rate divided by its GPUs if a stated
/// rate may be per node.
pub(super) fn slowest(row: &Row, network: &Network, gpus: u32) -> Option<BytesPerSecond> {
    let node = network.gpus_per_node;
    let said = rate(&row.inter_node_bw, row.gpus_per_node.unwrap_or(node));
    let words = format!("{} {} {}", row.gpu, row.inter_node_bw, row.source);
    let share = match said {
        Some(rate) if rate.assumed && rate.gbit_per_gpu <= ONE_CARD => 1.0 / f64::from(node.max(1)),
        None if !NAMED.iter().any(|(word, _)| has(&words, &[word])) => SLOW,
        _ => return None,
    };
    (gpus > node).then(|| BytesPerSecond::from_gbit_per_s(network.inter_node.gbit_per_s() * share))
}

/// Returns a default link. Memory does not depend on the link.
fn guessed(id: &str, gpus: u32, notes: &mut Notes) -> Option<&'static InterconnectEntry> {
    let link = catalog::interconnect(id).or_else(|| INTERCONNECTS.iter().find(|link| link.id.starts_with(id)))?;
    if gpus > 1 {
        notes.add(format!("a guess: {} between GPUs, on which the time hangs and memory does not", link.name));
    }
    Some(link)
}

fn place(cluster: Option<&ClusterEntry>) -> &'static str {
    cluster.map_or("the catalog", |cluster| cluster.name)
}

/// Returns the cluster named by the row, used by its publisher, or usual for its GPU.
fn cluster(row: &Row, stack: Stack, entry: &AcceleratorEntry) -> Option<&'static ClusterEntry> {
    let joins = |cluster: &&ClusterEntry| cluster.accelerator == entry.id;
    let words = format!("{} {} {}", row.gpu, row.inter_node_bw, row.source);
    let named = NAMED.iter().filter(|(word, _)| has(&words, &[word]));
    let named = named.flat_map(|(_, id)| CLUSTERS.iter().filter(move |cluster| cluster.id.starts_with(id)));
    let mut named = named.filter(joins);
    if let Some(cluster) = named.next() {
        return Some(cluster);
    }
    if stack == Stack::Composer
        && let Some(cluster) = CLUSTERS.iter().filter(joins).find(|cluster| cluster.id.starts_with("mosaicml"))
    {
        return Some(cluster);
    }
    let usual = USUAL.iter().find(|(id, _)| *id == entry.id).and_then(|(_, cluster)| catalog::cluster(cluster));
    let chip = |id: &'static str| id.split('-').next().unwrap_or(id);
    usual
        .or_else(|| CLUSTERS.iter().find(joins))
        .or_else(|| CLUSTERS.iter().find(|cluster| chip(cluster.accelerator) == chip(entry.id)))
        .or_else(|| match chip(entry.id) {
            "mi250" => catalog::cluster("lumi-g"),
            "h800" | "h20" | "gh200" => catalog::cluster("dgx-h100"),
            "b300" => catalog::cluster("dgx-b200"),
            "gb300" => catalog::cluster("gb200-nvl72"),
            _ => None,
        })
}

fn intra(
    row: &Row,
    entry: &AcceleratorEntry,
    cluster: Option<&'static ClusterEntry>,
) -> Option<&'static InterconnectEntry> {
    if row.intra_node_link.to_ascii_lowercase().starts_with("pcie") {
        let usual = cluster.map(|cluster| cluster.intra_node).filter(|link| link.starts_with("pcie"));
        return catalog::interconnect(usual.unwrap_or("pcie4-x16"));
    }
    if entry.id == "h800" {
        return catalog::interconnect("nvlink4-h800");
    }
    cluster.and_then(|cluster| catalog::interconnect(cluster.intra_node))
}

/// Returns the GPUs per node. A rack-scale NVLink domain is one node, although each tray holds four
/// GPUs.
fn gpus_per_node(row: &Row, cluster: Option<&ClusterEntry>) -> Option<u32> {
    let usual = cluster.map(|cluster| cluster.gpus_per_node);
    // A TPU slice is as large as its run; a host of Trainium has 32 cores.
    let is_slice = cluster.is_some_and(|cluster| cluster.accelerator.starts_with("tpu"));
    let by_nodes = || row.num_gpus?.checked_div(row.num_nodes?);
    let domain = usual.filter(|domain| *domain > 8 && (!is_slice || row.gpus_per_node.is_none()));
    domain.or(row.gpus_per_node).or_else(by_nodes).or(usual)
}

/// Returns whether the row comes from the ultra-scale playbook's cluster.
fn is_playbooks(row: &Row, stack: Stack) -> bool {
    has(&row.inter_node_bw, &["efa", "aws"]) && (stack == Stack::Nanotron || has(&row.source, &["playbook"]))
}

/// Returns the interconnect of the named fabric with the nearest rate, or of the usual
/// interconnect's fabric if none is named.
fn fabric(
    text: &str,
    gbit: Option<f64>,
    usual: Option<&'static InterconnectEntry>,
) -> Option<&'static InterconnectEntry> {
    let text = text.to_ascii_lowercase();
    let words: Vec<&str> = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-')).collect();
    let says = |name: &&str| words.iter().any(|word| word.starts_with(*name) && (name.len() > 2 || word == name));
    let named = FABRICS.iter().find(|(names, _)| names.iter().any(says)).map(|(_, start)| *start);
    if let Some(usual) = usual.filter(|usual| gbit.is_none() && named.is_none_or(|start| usual.id.starts_with(start))) {
        return Some(usual);
    }
    let start = named.or_else(|| usual.and_then(|usual| usual.id.split_inclusive('-').next()))?;
    let wanted = gbit.or_else(|| usual.map(|usual| usual.bandwidth.gbit_per_s()))?;
    let distance = |link: &InterconnectEntry| {
        let ratio = link.bandwidth.gbit_per_s() / wanted;
        ratio.max(1.0 / ratio)
    };
    let links = INTERCONNECTS.iter().filter(|link| !link.intra_node && link.id.starts_with(start));
    links.min_by(|a, b| distance(a).total_cmp(&distance(b)))
}
