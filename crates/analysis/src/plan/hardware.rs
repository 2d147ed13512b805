//! The hardware that a plan tries: the scenario's own, and every cluster of the catalog.

use catalog::ClusterEntry;
use catalog::accelerators::prices::{self, Price};
use engine::format;
use engine::model::hardware::{Accelerator, Network};
use engine::params::ParamId;
use engine::scenario::issue::Severity;
use engine::scenario::{CUSTOM, Id, Picked, Scenario};

/// GPUs with the links between them, and what an hour of one costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Hardware {
    /// The GPU.
    pub accelerator: Picked<Accelerator>,
    /// The links.
    pub network: Picked<Network>,
    /// Price of one GPU for one hour in US dollars; `None` where no provider's list has it, or
    /// nobody rents the cluster out.
    pub price: Option<f64>,
    /// Source of the price; `None` if the price is the scenario's own, or unknown.
    pub listed: Option<&'static Price>,
    /// Whether this is the scenario's own hardware, at the scenario's price.
    pub is_own: bool,
    /// The clusters of the catalog with these very numbers, and this price or none of their own.
    pub clusters: Vec<Id>,
    /// The most GPUs that it has.
    pub most_gpus: u32,
    /// Why it cannot run the scenario, in a sentence, where it cannot in any layout.
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

    /// Returns the hardware of a cluster of the catalog at its list price; `None` where the catalog
    /// lacks one of its parts. A cloud's product has that cloud's price. Where that is not known
    /// the hardware has another's, and not the product's name ([`Self::name`]).
    pub fn cluster(scenario: &Scenario, entry: &ClusterEntry) -> Option<Self> {
        let (accelerator, mut network) = (entry.accelerator()?, entry.network()?);
        if !has_own_price(entry) && !entry.is_of_a_centre() {
            // This row is the hardware, at another's price.
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

    /// Returns the names of its clusters: of the designs that have its price, and of the products
    /// whose cloud asks for it.
    pub fn names(&self) -> Vec<&'static str> {
        let entries = self.clusters.iter().filter_map(|id| catalog::cluster(id));
        let is_priced = |entry: &&ClusterEntry| self.price.is_none() || self.is_own || has_own_price(entry);
        entries.filter(is_priced).map(|entry| entry.name).collect()
    }

    /// Returns its name: of its cluster, or of its GPUs and links where no cluster has its price.
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
            [one, rest @ ..] => format!("{one} and {} alike", rest.len()),
        }
    }

    /// Returns the scenario on so many of these GPUs, at their price.
    pub fn holding(&self, scenario: &Scenario, gpus: u32) -> Scenario {
        let mut moved = Scenario { accelerator: self.accelerator, network: self.network, gpus, ..*scenario };
        moved.run.price_per_gpu_hour = self.price.unwrap_or(prices::UNLISTED);
        // A shard group of one node stays one node.
        if scenario.shard_size == scenario.network.values.gpus_per_node {
            moved.shard_size = self.network.values.gpus_per_node;
        }
        moved
    }

    /// Returns the numbers of GPUs that are tried, ascending: powers of two, of nodes, and
    /// [`NODES`] between them; no node is part empty, but in racks, of which schedulers hand out
    /// parts.
    pub fn counts(&self) -> Vec<u32> {
        let network = &self.network.values;
        let node = network.gpus_per_node.max(1);
        let doubled = |from: u32| core::iter::successors(Some(from), |gpus| gpus.checked_mul(2));
        let up = |from| doubled(from).take_while(|gpus| *gpus <= self.most_gpus);
        let is_even = |gpus: &u32| *gpus <= node || network.is_rack() || gpus.is_multiple_of(node);
        let between = NODES.into_iter().filter_map(|nodes| node.checked_mul(nodes));
        let between = between.filter(|gpus| *gpus <= self.most_gpus && !network.is_rack());
        let mut counts: Vec<u32> = up(1).chain(up(node)).filter(is_even).chain(between).collect();
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// Whether two have the same GPU and the same links; the memory of their hosts may differ,
    /// which no time or price follows from.
    fn is_same(&self, other: &Self) -> bool {
        let mut network = other.network.values;
        network.host.memory = self.network.values.host.memory;
        self.accelerator.values == other.accelerator.values && self.network.values == network
    }
}

/// Numbers of nodes that are tried between powers of two.
pub const NODES: [u32; 9] = [3, 5, 6, 7, 10, 12, 14, 24, 48];

/// The most GPUs of a run, the bound of the parameter.
fn most() -> u32 {
    ParamId::Gpus.number().map_or(1, |number| number.max as u32)
}

/// Whether a cluster's list price is its own: a cloud's for its product, any for a design, which
/// nobody sells under its name.
fn has_own_price(entry: &ClusterEntry) -> bool {
    !entry.is_of_a_centre() && (!entry.is_of_a_cloud() || prices::of_product(entry.id).is_some())
}

/// Returns the scenario's own hardware and every cluster of the catalog, one for those that have
/// the same numbers and price.
pub(super) fn all(scenario: &Scenario) -> Vec<Hardware> {
    let mut all = vec![Hardware::own(scenario)];
    // What has its own price comes first, so that a product without one shares the row of its like.
    let (own, borrowed): (Vec<_>, Vec<_>) = catalog::CLUSTERS.iter().partition(|entry| has_own_price(entry));
    for entry in own.into_iter().chain(borrowed) {
        let Some(cluster) = Hardware::cluster(scenario, entry) else { continue };
        let shares = |other: &Hardware| other.is_own || !has_own_price(entry) || other.price == cluster.price;
        // Under the same name the differences are fitted latencies and shares of rates.
        let is_named_alike =
            |other: &Hardware| !other.is_own && !has_own_price(entry) && other.name() == cluster.name();
        match all.iter_mut().find(|other| other.is_same(&cluster) && shares(other) || is_named_alike(other)) {
            Some(same) => {
                // A cluster has more than the one machine of the same numbers.
                same.most_gpus = same.most_gpus.max(cluster.most_gpus);
                same.clusters.extend(cluster.clusters);
            }
            None => all.push(cluster),
        }
    }
    all
}

/// The parameters that a layout or the number of GPUs decides: errors about them are the layout's,
/// not the hardware's.
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

/// Returns the error that a scenario has on other hardware and not on its own, whatever the layout:
/// a format that the GPU lacks.
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
