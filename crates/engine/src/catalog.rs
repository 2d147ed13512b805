//! Accelerators, interconnects, clusters, models and named scenarios: typed const tables, a source on every number.
//!
//! A published revision never changes; corrections go into the next one, and [`revisions`] keeps what they replaced.

pub mod accelerators;
pub mod accuracy;
pub mod clusters;
pub mod expert_layers;
pub mod interconnects;
mod lists;
pub mod models;
pub mod pick;
pub mod preset;
pub mod revisions;
pub mod scenarios;

use crate::model::hardware::{Accelerator, Network, Topology};
use crate::model::transformer::Architecture;
use crate::scenario::{Id, Model, Picked, Scenario};
use crate::units::{BytesPerSecond, Seconds};

/// The number of this catalog, written into every link.
pub const REVISION: u32 = 2;

/// An accelerator of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct AcceleratorEntry {
    /// Its key in links.
    pub id: Id,
    /// Its name.
    pub name: &'static str,
    /// Its numbers.
    pub values: Accelerator,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// An interconnect of the catalog: rates per GPU and per direction.
#[derive(Clone, Copy, Debug)]
pub struct InterconnectEntry {
    /// Its key in links.
    pub id: Id,
    /// Its name.
    pub name: &'static str,
    /// Whether it joins GPUs inside a node (NVLink, xGMI, PCIe) or nodes.
    pub intra_node: bool,
    /// Nominal rate of one GPU in one direction.
    pub bandwidth: BytesPerSecond,
    /// Latency of one hop.
    pub latency: Seconds,
    /// Fraction of the nominal rate that large collectives reach.
    pub efficiency: f64,
    /// Passes over the links that an all-reduce takes: 2 in a ring, less where switches reduce.
    pub all_reduce_passes: f64,
    /// How much longer a byte takes between nodes for each node beyond the first, as a share.
    pub node_decay: f64,
    /// Where the numbers come from.
    pub source: &'static str,
}

impl InterconnectEntry {
    /// Nodes of `gpus_per_node` with this interconnect inside and `between` them, priced along the topology.
    pub fn nodes(&self, gpus_per_node: u32, between: &Self) -> Network {
        Network {
            gpus_per_node,
            intra_node: self.bandwidth,
            inter_node: between.bandwidth,
            intra_node_latency: self.latency,
            inter_node_latency: between.latency,
            intra_node_efficiency: self.efficiency,
            inter_node_efficiency: between.efficiency,
            all_reduce_passes: self.all_reduce_passes,
            node_decay: between.node_decay,
            topology: Topology::Aware,
        }
    }
}

/// A cluster of the catalog: a node design and a network.
#[derive(Clone, Copy, Debug)]
pub struct ClusterEntry {
    /// Its key in links.
    pub id: Id,
    /// Its name.
    pub name: &'static str,
    /// The accelerator's key.
    pub accelerator: Id,
    /// GPUs in a node.
    pub gpus_per_node: u32,
    /// The key of the interconnect inside a node.
    pub intra_node: Id,
    /// The key of the interconnect between nodes.
    pub inter_node: Id,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// A model of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// Its key in links.
    pub id: Id,
    /// Its name.
    pub name: &'static str,
    /// The family it is listed under.
    pub family: &'static str,
    /// Its shape.
    pub architecture: Architecture,
    /// Its exact parameter count as published or counted from the public implementation: a test holds the formula to it.
    pub params: u64,
    /// The longest sequence it was trained for.
    pub max_position_embeddings: u32,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// A scenario worth a link: what to notice in it.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioEntry {
    /// Its key.
    pub id: Id,
    /// Its title.
    pub name: &'static str,
    /// One sentence on what to notice.
    pub notice: &'static str,
    /// The fragment of its link, without the leading `#`; what it is compared to is pinned there.
    pub link: &'static str,
    /// The query of its link, with the leading `?`, where other axes show it best; else nothing.
    pub view: &'static str,
    /// Where the claim comes from.
    pub source: &'static str,
}

pub use accelerators::ACCELERATORS;
pub use clusters::CLUSTERS;
pub use interconnects::INTERCONNECTS;
pub use models::MODELS;
pub use scenarios::{CLAIMS, PLANS, SCENARIOS};

/// The accelerator with this key.
pub fn accelerator(id: &str) -> Option<&'static AcceleratorEntry> {
    ACCELERATORS.iter().find(|entry| entry.id == id)
}

/// The interconnect with this key.
pub fn interconnect(id: &str) -> Option<&'static InterconnectEntry> {
    INTERCONNECTS.iter().find(|entry| entry.id == id)
}

/// The cluster with this key.
pub fn cluster(id: &str) -> Option<&'static ClusterEntry> {
    CLUSTERS.iter().find(|entry| entry.id == id)
}

/// The model with this key.
pub fn model(id: &str) -> Option<&'static ModelEntry> {
    MODELS.iter().find(|entry| entry.id == id)
}

impl ModelEntry {
    /// The entry as a scenario's model.
    pub fn pick(&self) -> Model {
        Model::Preset { id: self.id, architecture: self.architecture }
    }
}

impl AcceleratorEntry {
    /// The entry as a scenario's accelerator.
    pub fn pick(&self) -> Picked<Accelerator> {
        Picked { id: self.id, values: self.values }
    }
}

/// The scenario of the first visit, where memory, network and compute are all close.
pub fn default_scenario() -> Scenario {
    scenarios::first_visit()
}
