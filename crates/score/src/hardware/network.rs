//! The network of a row: what the row says, on top of the cluster of the publisher or the usual
//! cluster of the GPU.

use super::rate::rate;
use crate::row::Row;
use crate::stack::Stack;
use crate::text::has;
use crate::{LeftOut, Notes};
use engine::catalog::{self, AcceleratorEntry, CLUSTERS, ClusterEntry, INTERCONNECTS, InterconnectEntry};
use engine::model::hardware::Network;
use engine::scenario::{CUSTOM, Picked};
use engine::units::BytesPerSecond;

/// Words that name a cluster, with the key of the cluster or its prefix.
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

/// The usual cluster of each GPU, if the row names none.
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

/// Words that name a fabric, with the prefix of its keys.
const FABRICS: [(&[&str], &str); 6] = [
    (&["omni"], "opa-"),
    (&["efa"], "efa-"),
    (&["slingshot"], "slingshot-"),
    (&["roce"], "roce-"),
    (&["tcp", "ethernet"], "ethernet-"),
    (&["infiniband", "ib", "hdr", "ndr", "edr", "rdma", "cx-7", "connectx"], "ib-"),
];

/// GPUs of an NVL72 rack that are used by runs whose size is a power of two.
const NVL72_USED: u32 = 64;

/// Returns the network of a run of `gpus`.
///
/// # Errors
///
/// Neither the row nor the catalog names the interconnect of these GPUs.
pub fn network(
    row: &Row,
    stack: Stack,
    entry: &AcceleratorEntry,
    gpus: u32,
    notes: &mut Notes,
) -> Result<Picked<Network>, LeftOut> {
    let cluster = cluster(row, stack, entry);
    let intra = intra(row, entry, cluster).ok_or_else(|| LeftOut::missing("intra_node_link"))?;
    let node = gpus_per_node(row, cluster, gpus, notes).ok_or_else(|| LeftOut::missing("gpus_per_node"))?;
    let crosses = gpus > node;
    let usual = cluster.and_then(|cluster| catalog::interconnect(cluster.inter_node));
    let said = rate(&row.inter_node_bw, row.gpus_per_node.unwrap_or(node));
    let fabric = fabric(&row.inter_node_bw, said.map(|rate| rate.gbit_per_gpu), usual).or(usual);
    let Some(fabric) =
        fabric.or_else(|| if crosses { None } else { INTERCONNECTS.iter().find(|link| !link.intra_node) })
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
    let links = intra.nodes(node, fabric);
    let host = cluster.and_then(ClusterEntry::network).map_or(links.host, |network| network.values.host);
    let values = Network { inter_node: bandwidth, host, ..links };
    Ok(Picked { id: cluster.map_or(CUSTOM, |cluster| cluster.id), values })
}

fn place(cluster: Option<&ClusterEntry>) -> &'static str {
    cluster.map_or("the catalog", |cluster| cluster.name)
}

/// Returns the cluster that the row names, that its publisher used, or that is usual for its GPU.
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
        return catalog::interconnect("pcie4-x16");
    }
    if entry.id == "h800" {
        return catalog::interconnect("nvlink4-h800");
    }
    cluster.and_then(|cluster| catalog::interconnect(cluster.intra_node))
}

/// Returns the GPUs per node. In a rack-scale NVLink domain these are all GPUs of the run within
/// it, although its trays hold four.
fn gpus_per_node(row: &Row, cluster: Option<&ClusterEntry>, gpus: u32, notes: &mut Notes) -> Option<u32> {
    let usual = cluster.map(|cluster| cluster.gpus_per_node);
    if let Some(domain) = usual.filter(|domain| *domain > 8) {
        if gpus <= domain {
            return Some(domain);
        }
        let used = if gpus.is_multiple_of(domain) { domain } else { NVL72_USED.min(domain) };
        notes.add(format!("NVLink domains of {used} GPUs"));
        return Some(used);
    }
    let by_nodes = || row.num_gpus?.checked_div(row.num_nodes?);
    row.gpus_per_node.or_else(by_nodes).or(usual)
}

/// Returns the interconnect of the named fabric with the nearest rate; of the usual interconnect's
/// fabric if none is named.
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
