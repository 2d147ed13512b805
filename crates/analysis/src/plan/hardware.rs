//! Hardware that a plan tries: the scenario's own, and every cluster of the catalog.

use catalog::ClusterEntry;
use catalog::Price;
use catalog::accelerators::prices;
use engine::format;
use engine::model::hardware::{Accelerator, Network};
use engine::params::ParamId;
use engine::scenario::issue::Severity;
use engine::scenario::{CUSTOM, Id, Picked, Scenario};

/// GPUs with the links between them, and the price of a GPU-hour.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// The GPU.
    pub accelerator: Picked<Accelerator>,
    /// The links.
    pub network: Picked<Network>,
    /// Price of one GPU-hour in US dollars; `None` if no provider's list has a price, or the
    /// cluster cannot be rented.
    pub price: Option<f64>,
    /// Source of the price; `None` if the price is the scenario's own, or unknown.
    pub listed: Option<&'static Price>,
    /// Whether this is the scenario's own hardware, at the scenario's price.
    pub is_own: bool,
    /// The clusters of the catalog with equal numbers, and an equal price or no price of their own.
    pub clusters: Vec<Id>,
    /// Maximum number of GPUs.
    pub most_gpus: u32,
    /// Why this hardware cannot run the scenario in any layout, as a sentence; `None` if it can.
    pub refused: Option<String>,
}

impl Hardware {
    /// Returns the hardware of a scenario.
    pub fn own(scenario: &Scenario) -> Self {
        Self {
            accelerator: scenario.accelerator,
            network: scenario.network,
            price: prices::known(scenario),
            listed: None,
            is_own: true,
            clusters: Vec::new(),
            most_gpus: most(),
            refused: None,
        }
    }

    /// Returns the hardware of a cluster of the catalog at its list price; `None` if the catalog
    /// lacks one of its parts. A cloud's product has that cloud's price. If the cloud's price is
    /// unknown, the hardware has another provider's price, and not the product's name
    /// ([`Self::name`]).
    pub fn cluster(scenario: &Scenario, entry: &ClusterEntry) -> Option<Self> {
        let (accelerator, mut network) = (entry.accelerator()?, entry.network()?);
        if !has_own_price(entry) && !entry.is_of_a_centre() {
            // The hardware is listed at another provider's price.
            network.id = CUSTOM;
        }
        let listed = prices::listed_in(accelerator.id, entry.id).filter(|_| !entry.is_of_a_centre());
        let price = listed.map(|price| price.usd_per_hour);
        let most_gpus = if entry.is_single_machine() { entry.gpus_per_node } else { most() };
        let clusters = vec![entry.id];
        let mut hardware =
            Self { accelerator, network, price, listed, is_own: false, clusters, most_gpus, refused: None };
        hardware.refused = refusal(&hardware.holding(scenario, entry.gpus_per_node), scenario);
        Some(hardware)
    }

    /// Returns the names of the clusters: designs at this price, and products whose cloud asks this
    /// price.
    pub fn names(&self) -> Vec<&'static str> {
        let entries = self.clusters.iter().filter_map(|id| catalog::cluster(id));
        let is_priced = |entry: &&ClusterEntry| self.price.is_none() || self.is_own || has_own_price(entry);
        entries.filter(is_priced).map(|entry| entry.name).collect()
    }

    /// Returns the name of the cluster, or of the GPUs and links if no cluster has this price.
    pub fn name(&self) -> String {
        let names = self.names();
        let gpu = catalog::accelerator(self.accelerator.id).map_or("custom GPU", |entry| entry.name);
        match names.as_slice() {
            [first, ..] if self.is_own => format!("{first} (yours)"),
            [] if self.is_own => format!("{gpu} (yours)"),
            [] => {
                let network = &self.network.values;
                format!("{}x {gpu}, {}", network.gpus_per_node, format::gbit_per_s(network.inter_node))
            }
            [one] => (*one).to_owned(),
            [one, two] => format!("{one}, {two}"),
            [one, rest @ ..] => format!("{one} and {} more", rest.len()),
        }
    }

    /// Returns the scenario on `gpus` of these GPUs, at their price.
    pub fn holding(&self, scenario: &Scenario, gpus: u32) -> Scenario {
        let mut moved = Scenario { accelerator: self.accelerator, network: self.network, gpus, ..*scenario };
        moved.run.price_per_gpu_hour = self.price.unwrap_or(prices::UNLISTED);
        // A shard group of one node stays one node.
        if scenario.shard_size == scenario.network.values.gpus_per_node {
            moved.shard_size = self.network.values.gpus_per_node;
        }
        moved
    }

    /// Returns the numbers of GPUs to try, ascending: powers of two, doublings of a node, and
    /// [`is_tried`] between them. Beyond one node, no node is partly empty, except in racks, of
    /// which schedulers allocate parts.
    pub fn counts(&self) -> Vec<u32> {
        let network = &self.network.values;
        let node = network.gpus_per_node.max(1);
        let doubled = |from: u32| core::iter::successors(Some(from), |gpus| gpus.checked_mul(2));
        let up = |from| doubled(from).take_while(|gpus| *gpus <= self.most_gpus);
        let is_even = |gpus: &u32| *gpus <= node || network.is_rack() || gpus.is_multiple_of(node);
        let between = tried_nodes().filter_map(|nodes| node.checked_mul(nodes));
        let between = between.filter(|gpus| *gpus <= self.most_gpus && !network.is_rack());
        let mut counts: Vec<u32> = up(1).chain(up(node)).filter(is_even).chain(between).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// Whether two have equal GPUs and links. The memory of their hosts may differ, as neither time
    /// nor price depends on it.
    fn is_same(&self, other: &Self) -> bool {
        let mut network = other.network.values;
        network.host.memory = self.network.values.host.memory;
        self.accelerator.values == other.accelerator.values && self.network.values == network
    }
}

/// Whether a number of nodes is tried: powers of two, three times a power of two, and 5, 7, 10, 14.
pub fn is_tried(nodes: u32) -> bool {
    matches!(nodes.checked_shr(nodes.trailing_zeros()), Some(1 | 3)) || matches!(nodes, 5 | 7 | 10 | 14)
}

/// Lists the numbers of nodes that are tried.
fn tried_nodes() -> impl Iterator<Item = u32> {
    let doubled = |from: u32| core::iter::successors(Some(from), |nodes| nodes.checked_mul(2));
    doubled(1).chain(doubled(3)).chain([5, 7, 10, 14])
}

/// Returns the maximum number of GPUs of a run, the bound of the parameter.
fn most() -> u32 {
    ParamId::Gpus.number().map_or(1, |number| number.max as u32)
}

/// Whether a cluster's list price is its own: the cloud's price for a product, any price for a
/// design, which no cloud sells under its name.
fn has_own_price(entry: &ClusterEntry) -> bool {
    !entry.is_of_a_centre() && (!entry.is_of_a_cloud() || prices::product_price(entry.id).is_some())
}

/// Returns the scenario's own hardware and every cluster of the catalog; clusters with equal
/// numbers and price are merged.
pub(super) fn all(scenario: &Scenario) -> Vec<Hardware> {
    let mut all = vec![Hardware::own(scenario)];
    // Clusters with a price of their own come first, so that a product without one joins the row of
    // equal hardware.
    let (own, borrowed): (Vec<_>, Vec<_>) = catalog::CLUSTERS.iter().partition(|entry| has_own_price(entry));
    for entry in own.into_iter().chain(borrowed) {
        let Some(cluster) = Hardware::cluster(scenario, entry) else { continue };
        let shares = |other: &Hardware| other.is_own || !has_own_price(entry) || other.price == cluster.price;
        // Rows of one name differ only in fitted latencies and shares of rates.
        let is_named_alike =
            |other: &Hardware| !other.is_own && !has_own_price(entry) && other.name() == cluster.name();
        match all.iter_mut().find(|other| other.is_same(&cluster) && shares(other) || is_named_alike(other)) {
            Some(same) => {
                // A cluster has more GPUs than a single machine with equal numbers.
                same.most_gpus = same.most_gpus.max(cluster.most_gpus);
                same.clusters.extend(cluster.clusters);
            }
            None => all.push(cluster),
        }
    }
    all
}

/// Parameters that depend on the layout or the number of GPUs: errors about them are errors of the
/// layout, not of the hardware.
const OF_THE_LAYOUT: [ParamId; 11] = [
    ParamId::Gpus,
    ParamId::MicroBatchSize,
    ParamId::GradAccumSteps,
    ParamId::Tp,
    ParamId::Cp,
    ParamId::Pp,
    ParamId::Ep,
    ParamId::Etp,
    ParamId::ShardSize,
    ParamId::Strategy,
    ParamId::Recompute,
];

/// Returns an error that a scenario has on other hardware but not on its own, in any layout, such
/// as a format that the GPU lacks.
fn refusal(moved: &Scenario, own: &Scenario) -> Option<String> {
    let of = |scenario: &Scenario| {
        let mut issues = engine::validate::issues(&super::plain(scenario));
        let is_of_the_layout = |key: Option<&str>| OF_THE_LAYOUT.iter().any(|id| key == Some(id.key()));
        issues.retain(|issue| issue.severity == Severity::Error && !is_of_the_layout(issue.key));
        issues
    };
    let (before, after) = (of(own), of(moved));
    let is_new = |key: Option<&str>| before.iter().all(|issue| issue.key != key);
    after.into_iter().find(|issue| is_new(issue.key)).map(|issue| issue.message)
}
