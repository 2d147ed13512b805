//! The catalog of shardwise: accelerators, interconnects, clusters, models and named scenarios as
//! typed const tables, with a source for every number. The build generates the tables from the rows
//! of `data/`; a row without a source fails the build.
//!
//! The engine has no catalog entries: a scenario holds the values of the picked entries, and the
//! keys by which they were picked.
//!
//! | module | content | does not depend on |
//! |---|---|---|
//! | [`accelerators`], [`interconnects`], [`clusters`], [`models`], [`families`], [`low_precision`], [`expert_layers`] | entries, each number with its source | how they are shown |
//! | [`scenarios`], [`published`] | named scenarios, and numbers from papers to compare with them | the engine's results |
//! | [`pick`], [`preset`] | picking an entry for a scenario | the page |
//! | [`names`], [`hub`] | other names of the entries | where a name was typed |
//! | [`releases`], [`revisions`] | releases of programs, and corrections of data sheets | links |
//! | [`accuracy`] | error and range of predictions | the measured rows |
//!
//! Corrections of data sheets after the first release are rows of [`revisions`].

pub mod accelerators;
pub mod accuracy;
pub mod clusters;
pub mod expert_layers;
pub mod families;
mod field;
pub mod hub;
pub mod interconnects;
pub mod low_precision;
pub mod models;
pub mod names;
pub mod pick;
pub mod preset;
pub mod programs;
pub mod published;
pub mod releases;
pub mod revisions;
pub mod scenarios;
mod size;

use clusters::ClusterKind;

use engine::model::hardware::{Accelerator, Fabric, Host, Network, Topology};
use engine::model::transformer::Architecture;
use engine::scenario::{Id, Model, Picked, Scenario};
use engine::units::{BytesPerSecond, Seconds};

/// Current revision of the data sheets.
pub const REVISION: u32 = revisions::newest();

/// An on-demand list price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    /// US dollars for one accelerator and one hour.
    pub usd_per_hour: f64,
    /// Provider and product of the price.
    pub source: &'static str,
    /// Day on which the provider's page was read, as year-month-day; empty if the source has no
    /// date.
    pub date: &'static str,
}

impl Price {
    /// Returns the provider of the price: `Lambda`.
    pub fn provider(&self) -> &'static str {
        self.source.split([' ', ',']).next().unwrap_or_default()
    }
}

/// An accelerator of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct AcceleratorEntry {
    /// The key in links.
    pub id: Id,
    /// The name.
    pub name: &'static str,
    /// The manufacturer.
    pub maker: &'static str,
    /// The accelerator's numbers.
    pub values: Accelerator,
    /// On-demand list price of one accelerator-hour; `None` if no provider's list has a price.
    pub price: Option<Price>,
    /// The source of the numbers.
    pub source: &'static str,
}

/// An interconnect of the catalog: rates per GPU and per direction.
#[derive(Clone, Copy, Debug)]
pub struct InterconnectEntry {
    /// The key in links.
    pub id: Id,
    /// The name.
    pub name: &'static str,
    /// Whether it connects GPUs inside a node (NVLink, xGMI, PCIe) or nodes.
    pub intra_node: bool,
    /// Nominal rate of one GPU in one direction.
    pub bandwidth: BytesPerSecond,
    /// Latency of one hop.
    pub latency: Seconds,
    /// Fraction of the nominal rate that large collectives reach.
    pub efficiency: f64,
    /// Passes over the links in an all-reduce: 2 in a ring, fewer with in-switch reduction.
    pub all_reduce_passes: f64,
    /// Relative slow-down of a transfer between nodes for each node beyond the first.
    pub node_decay: f64,
    /// Axes of the torus that joins the GPUs; 0 if every GPU is connected to every other.
    pub torus: u32,
    /// The source of the numbers.
    pub source: &'static str,
}

impl InterconnectEntry {
    /// Builds a network of nodes with `gpus_per_node` GPUs, with this interconnect inside nodes and
    /// `between` as the interconnect of the nodes, priced along the topology.
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
            relays: true,
            torus: self.torus,
            topology: Topology::Aware,
            fabric: Fabric::NON_BLOCKING,
            host: Host::USUAL,
        }
    }
}

/// A cluster of the catalog: a node design and a network.
#[derive(Clone, Copy, Debug)]
pub struct ClusterEntry {
    /// The key in links.
    pub id: Id,
    /// The name.
    pub name: &'static str,
    /// The accelerator's key.
    pub accelerator: Id,
    /// GPUs in a node.
    pub gpus_per_node: u32,
    /// The key of the interconnect inside a node.
    pub intra_node: Id,
    /// The key of the interconnect between nodes.
    pub inter_node: Id,
    /// Kind of owner and offer.
    pub kind: ClusterKind,
    /// The hosts of its nodes.
    pub host: Host,
    /// On-demand price that a cloud asks for one accelerator-hour in this cluster; `None` if the
    /// price is unknown or the cluster is no product.
    pub price: Option<Price>,
    /// The source of the numbers.
    pub source: &'static str,
}

/// A model of the catalog.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The key in links.
    pub id: Id,
    /// The name.
    pub name: &'static str,
    /// The family under which the model is listed.
    pub family: &'static str,
    /// The model's shape.
    pub architecture: Architecture,
    /// The exact parameter count, published or counted from the public implementation; a test
    /// compares the formula with it.
    pub params: u64,
    /// The longest sequence that the model was trained with.
    pub max_position_embeddings: u32,
    /// The source of the numbers.
    pub source: &'static str,
}

/// A named scenario, with a sentence on what it shows.
#[derive(Clone, Copy, Debug)]
pub struct ScenarioEntry {
    /// The key.
    pub id: Id,
    /// The title.
    pub name: &'static str,
    /// One sentence on what to notice.
    pub notice: &'static str,
    /// The fragment of its link, without the leading `#`; scenarios to compare with are pinned in
    /// the link.
    pub link: &'static str,
    /// The query of its link, with the leading `?`, if other axes show the scenario best; else
    /// empty.
    pub view: &'static str,
    /// A description of the run in plain words, as the crate `sentence` reads them; empty if no
    /// words describe it.
    pub say: &'static str,
    /// The source of the claim.
    pub source: &'static str,
}

pub use accelerators::ACCELERATORS;
pub use clusters::CLUSTERS;
pub use field::{field_text, model_size};
pub use interconnects::INTERCONNECTS;
pub use models::MODELS;
pub use published::PUBLISHED;
pub use scenarios::{CLAIMS, PLANS, SCENARIOS};

/// Returns the accelerator with this key.
pub fn accelerator(id: &str) -> Option<&'static AcceleratorEntry> {
    ACCELERATORS.iter().find(|entry| entry.id == id)
}

/// Returns the interconnect with this key.
pub fn interconnect(id: &str) -> Option<&'static InterconnectEntry> {
    INTERCONNECTS.iter().find(|entry| entry.id == id)
}

/// Returns the cluster with this key.
pub fn cluster(id: &str) -> Option<&'static ClusterEntry> {
    CLUSTERS.iter().find(|entry| entry.id == id)
}

/// Returns the model with this key.
pub fn model(id: &str) -> Option<&'static ModelEntry> {
    MODELS.iter().find(|entry| entry.id == id)
}

impl ModelEntry {
    /// Returns the entry as a scenario's model.
    pub fn pick(&self) -> Model {
        Model::Preset { id: self.id, architecture: self.architecture, family: families::model_family(self.id) }
    }

    /// Returns the published size: the size in the name if the name has one, else the parameters
    /// with three digits.
    ///
    /// ```
    /// # use catalog::model;
    /// let size = |id: &str| model(id).unwrap().size();
    /// assert_eq!([size("llama-3.1-405b"), size("deepseek-v3"), size("mixtral-8x7b")], ["405B", "671B", "46.7B"]);
    /// ```
    pub fn size(&self) -> String {
        /// Tolerance, as a name may round or leave out embeddings.
        const NEAR: f64 = 0.06;
        let of_name = self.name.split([' ', '-']).find(|word| {
            let digits = word.strip_suffix(['B', 'M']).and_then(|digits| digits.parse::<f64>().ok());
            let unit = if word.ends_with('M') { 1e6 } else { 1e9 };
            digits.is_some_and(|digits| (digits * unit / self.params as f64 - 1.0).abs() < NEAR)
        });
        of_name.map_or_else(|| engine::format::params(self.params as f64), str::to_owned)
    }
}

impl AcceleratorEntry {
    /// Returns the entry as a scenario's accelerator.
    pub fn pick(&self) -> Picked<Accelerator> {
        Picked { id: self.id, values: self.values }
    }

    /// Returns the on-demand list price of one accelerator-hour; `None` if no provider's list has a
    /// price.
    pub fn price(&self) -> Option<&Price> {
        self.price.as_ref()
    }
}

/// Returns the scenario of the first visit, in which memory, network and compute are all near their
/// limits.
pub fn default_scenario() -> Scenario {
    scenarios::first_visit()
}
