//! Kinds of links that a sentence names without their rate: NVLink, PCIe, InfiniBand.

use catalog::{accelerator, cluster, interconnect};

use crate::said::StatedValues;
use crate::settle::SettledScenario;
use crate::words::BRIDGED;

/// Key of NVLink between the GPUs of a node.
pub(crate) const NVLINK: &str = "nvlink";
/// Key of InfiniBand between nodes.
pub(crate) const INFINIBAND: &str = "infiniband";
/// Rates of InfiniBand that a question offers.
pub(crate) const RATES: [&str; 2] = ["200 Gbit/s", "400 Gbit/s"];
/// The interconnect of two cards with a bridge.
const BRIDGE: &str = "nvlink3-bridge";
/// GPUs that a bridge joins.
const PAIR: u32 = 2;

impl SettledScenario {
    /// Compares the named kinds of links with those of the node. Two cards get the bridge that
    /// joins them; links that the node does not have are asked about.
    pub(crate) fn joins(&mut self, said: &StatedValues) {
        let Some(entry) = cluster(self.scenario.network.id) else { return };
        let wants = said.value(NVLINK).filter(|_| !said.has(&["intra"]));
        let has = entry.intra_node.starts_with(NVLINK);
        if let Some(wants) = wants.map(|wants| wants == "yes").filter(|wants| *wants != has) {
            let is_pair = BRIDGED.contains(&entry.accelerator) && self.scenario.gpus <= PAIR;
            if let Some(bridge) = interconnect(BRIDGE).filter(|_| wants && is_pair) {
                let network = &mut self.scenario.network.values;
                network.intra_node = bridge.bandwidth;
                network.intra_node_latency = bridge.latency;
                network.intra_node_efficiency = bridge.efficiency;
                self.chose("intra", bridge.name, "the text names NVLink, which joins two of these cards");
            } else {
                let name = accelerator(entry.accelerator).map_or("", |entry| entry.name);
                let own = interconnect(entry.intra_node).map_or("", |own| own.name);
                let says = if wants {
                    format!("does not join {name} in the catalog: {own} does")
                } else {
                    format!("is not so in the catalog: {own} joins {name}")
                };
                self.differing.push((NVLINK, says));
            }
        }
        let is_single = self.scenario.gpus <= self.scenario.network.values.gpus_per_node;
        if said.has(&[INFINIBAND]) && !said.has(&["link"]) && !is_single && !entry.inter_node.starts_with("ib-") {
            let own = interconnect(entry.inter_node).map_or("", |own| own.name);
            self.differing.push((INFINIBAND, format!("says no rate, and these nodes have {own}: name its rate")));
        }
    }
}
