//! Picks catalog entries into a scenario by their keys.

use crate::accelerators::prices;
use crate::names::usual_node;
use engine::model::hardware::{Accelerator, Network};
use engine::model::ladder;
use engine::scenario::{CUSTOM, Id, Model, Picked, Scenario};

/// Key of the models on the ladder of sizes.
pub const LADDER: Id = "ladder";

/// Sets the model: a catalog entry; [`LADDER`] for the ladder model nearest to the present size;
/// [`CUSTOM`] for the present shape as a custom model. Returns `false` and changes nothing if there
/// is no such model.
pub fn pick_model(scenario: &mut Scenario, id: &str) -> bool {
    let model = match id {
        LADDER => Some(Model::Ladder { size: scenario.model.size().max(ladder::SIZES.0).min(ladder::SIZES.1) }),
        CUSTOM => Some(Model::Custom { architecture: scenario.model.architecture() }),
        _ => crate::model(id).map(crate::ModelEntry::pick),
    };
    model.map(|model| scenario.model = model).is_some()
}

/// Sets the GPU with all its values and, unless the user has set a price, its list price.
/// [`CUSTOM`] keeps the present values as a custom GPU whose memory is usable in full, as no
/// driver's report of a custom GPU is known. Returns `false` and changes nothing if there is no
/// such GPU.
pub fn pick_accelerator(scenario: &mut Scenario, id: &str) -> bool {
    let accelerator = match id {
        CUSTOM => {
            let values = Accelerator { usable_percent: 100.0, unified: false, ..scenario.accelerator.values };
            Some(Picked { id: CUSTOM, values })
        }
        _ => crate::accelerator(id).map(crate::AcceleratorEntry::pick),
    };
    let cluster = scenario.network.id;
    accelerator.map(|accelerator| put_in(scenario, accelerator, cluster)).is_some()
}

/// Sets the GPU and, unless the user has set a price, its list price in a cluster.
fn put_in(scenario: &mut Scenario, accelerator: Picked<Accelerator>, cluster: Id) {
    let (gpu, before) = (scenario.accelerator.id, scenario.network.id);
    let price = &mut scenario.run.price_per_gpu_hour;
    // No list has the price of a custom GPU: the present price is kept.
    if accelerator.id != CUSTOM && prices::is_of_the_list(*price, gpu, before) {
        *price = prices::usd_per_hour_in(accelerator.id, cluster);
    }
    scenario.accelerator = accelerator;
}

/// Sets the network and the GPU of a cluster, and keeps the number of GPUs (and a shard group of
/// one node). [`CUSTOM`] keeps the GPU, and the present values as a custom network. Returns `false`
/// and changes nothing if there is no such cluster.
pub fn pick_cluster(scenario: &mut Scenario, id: &str) -> bool {
    if id == CUSTOM {
        scenario.network.id = CUSTOM;
        return true;
    }
    match cluster(id) {
        Some((accelerator, network)) => {
            // A shard group of one node stays one node.
            if scenario.shard_size == scenario.network.values.gpus_per_node {
                scenario.shard_size = network.values.gpus_per_node;
            }
            put_in(scenario, accelerator, network.id);
            scenario.network = network;
            true
        }
        None => false,
    }
}

/// Sets a cluster as a user's choice: its network, its GPU, and its usual number of GPUs
/// ([`crate::ClusterEntry::usual_gpus`]). Returns `false` and changes nothing if there is no such
/// cluster.
pub fn move_to_cluster(scenario: &mut Scenario, id: &str) -> bool {
    let picked = pick_cluster(scenario, id);
    if let Some(entry) = crate::cluster(id).filter(|_| picked) {
        scenario.gpus = entry.usual_gpus(scenario.gpus);
    }
    picked
}

/// Sets a GPU as a user's choice: the GPU in its usual cluster, or in the present one if that has
/// it, is custom or was edited. Keeps the number of GPUs. Returns `false` and changes nothing if
/// there is no such GPU.
pub fn move_to_accelerator(scenario: &mut Scenario, id: &str) -> bool {
    let present = crate::cluster(scenario.network.id);
    let is_as_listed = present.and_then(crate::ClusterEntry::network) == Some(scenario.network);
    let has_it = present.is_some_and(|entry| entry.accelerator == id);
    match usual_node(id).filter(|_| is_as_listed && !has_it) {
        Some(node) => pick_cluster(scenario, node.id) && pick_accelerator(scenario, id),
        None => pick_accelerator(scenario, id),
    }
}

/// The most cards that one host takes.
const MOST_CARDS: u32 = 8;

/// Puts the GPUs of a run into one host, or into hosts of eight, if their usual node is a single
/// machine with fewer: eight of a card that is sold in pairs. Returns the GPUs of a host if
/// they changed.
pub fn fill_hosts(scenario: &mut Scenario) -> Option<u32> {
    // A bridge between cards joins no more of them.
    let is_of_cards = |entry: &&crate::ClusterEntry| entry.is_single_machine() && entry.is_of_pcie_cards();
    let entry = crate::cluster(scenario.network.id).filter(is_of_cards)?;
    let node = scenario.network.values.gpus_per_node;
    let gpus = scenario.gpus;
    let cards = (1..=MOST_CARDS).rev().find(|cards| gpus.is_multiple_of(*cards)).unwrap_or(gpus);
    if node != entry.gpus_per_node || !(node + 1..=MOST_CARDS).contains(&cards) {
        return None;
    }
    if scenario.shard_size == node && scenario.strategy.uses_shard_size() {
        scenario.shard_size = cards;
    }
    scenario.network.values.gpus_per_node = cards;
    Some(cards)
}

/// Returns the GPU and the network of a cluster.
fn cluster(id: &str) -> Option<(Picked<Accelerator>, Picked<Network>)> {
    let entry = crate::cluster(id)?;
    Some((entry.accelerator()?, entry.network()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::model::hardware::Generation;
    use engine::units::Bytes;
    use links::{decode, decode_json, encode, to_json, v1};

    #[test]
    fn every_entry_of_the_catalog_can_be_picked() {
        let mut scenario = v1::start();
        for entry in crate::MODELS {
            assert!(pick_model(&mut scenario, entry.id), "{}", entry.id);
            assert_eq!(scenario.model.architecture(), entry.architecture);
        }
        for entry in crate::ACCELERATORS {
            assert!(pick_accelerator(&mut scenario, entry.id), "{}", entry.id);
            assert_eq!(scenario.accelerator.id, entry.id);
        }
        for entry in crate::CLUSTERS {
            assert!(pick_cluster(&mut scenario, entry.id), "{}", entry.id);
            assert_eq!((scenario.network.id, scenario.accelerator.id), (entry.id, entry.accelerator));
        }
        assert_eq!(scenario.gpus, v1::start().gpus);
    }

    /// Eight RTX 6000 Ada have no NVLink, whatever they replace.
    #[test]
    fn a_gpu_brings_its_own_links_unless_the_present_ones_were_edited() {
        let mut scenario = decode("cluster=dgx-a100-80&gpus=8").scenario;
        assert!(move_to_accelerator(&mut scenario, "rtx-6000-ada"));
        assert_eq!((scenario.network.id, scenario.gpus), ("server-8x-6000-ada", 8));
        let mut edited = decode("cluster=dgx-a100-80&gpus=8&link=100").scenario;
        assert!(move_to_accelerator(&mut edited, "rtx-6000-ada"));
        assert_eq!((edited.network.id, edited.accelerator.id), ("dgx-a100-80", "rtx-6000-ada"));
        // A cluster with this GPU is kept.
        let mut own = decode("cluster=p5&gpus=8").scenario;
        assert!(move_to_accelerator(&mut own, "h100-sxm") && own.network.id == "p5");
        assert!(!move_to_accelerator(&mut own, "no such thing") && own.network.id == "p5");
    }

    #[test]
    fn an_unknown_entry_changes_nothing() {
        let mut scenario = v1::start();
        for pick in [pick_model, pick_accelerator, pick_cluster] {
            assert!(!pick(&mut scenario, "no such thing"));
        }
        assert_eq!(scenario, v1::start());
    }

    #[test]
    fn a_single_machine_brings_its_gpus_and_a_cluster_full_nodes() {
        let moved = |id: &str, gpus: u32| {
            let mut scenario = Scenario { gpus, ..v1::start() };
            assert!(move_to_cluster(&mut scenario, id));
            scenario.gpus
        };
        assert_eq!((moved("server-8x-4090", 64), moved("workstation-2x-3090", 64)), (8, 2));
        assert_eq!((moved("dgx-h100", 64), moved("dgx-h100", 2), moved("dgx-h100", 12)), (64, 8, 8));
        assert_eq!(moved(CUSTOM, 12), 12);
    }

    #[test]
    fn picking_custom_keeps_the_values() {
        let mut scenario = v1::start();
        for pick in [pick_model, pick_accelerator, pick_cluster] {
            assert!(pick(&mut scenario, CUSTOM));
        }
        assert_eq!(scenario.model.architecture(), v1::start().model.architecture());
        assert_eq!(
            scenario.accelerator.values,
            Accelerator { usable_percent: 100.0, unified: false, ..v1::start().accelerator.values }
        );
        assert_eq!(scenario.network.values, v1::start().network.values);
    }

    #[test]
    fn the_price_follows_the_gpu_until_it_is_set() {
        let mut scenario = v1::start();
        let price = |scenario: &Scenario| scenario.run.price_per_gpu_hour;
        assert_eq!(price(&scenario), 1.99);
        for (cluster, usd) in [("dgx-h100", 3.99), ("server-8x-4090", 0.74), ("dgx-b200", 6.69)] {
            assert!(pick_cluster(&mut scenario, cluster));
            assert_eq!(price(&scenario), usd, "{cluster}");
        }
        // No list has a price of the H800, and a custom GPU keeps the present price.
        assert!(pick_accelerator(&mut scenario, "h800"));
        assert_eq!(price(&scenario), prices::UNLISTED);
        assert!(pick_accelerator(&mut scenario, "h200") && pick_accelerator(&mut scenario, CUSTOM));
        assert_eq!(price(&scenario), 4.59);
        assert!(pick_cluster(&mut scenario, "dgx-h100"));
        assert_eq!(price(&scenario), 3.99);
        scenario.run.price_per_gpu_hour = 1.5;
        assert!(pick_accelerator(&mut scenario, "h100-sxm") && pick_cluster(&mut scenario, "dgx-b200"));
        assert_eq!(price(&scenario), 1.5);
    }

    /// A V100 with edited numbers still has no bf16: as a custom GPU, under its catalog name, and
    /// after a round trip through its link.
    #[test]
    fn a_gpu_of_ones_own_keeps_the_generation_it_was_made_from() {
        let mut scenario = v1::start();
        assert!(pick_accelerator(&mut scenario, "v100-32gb"));
        for id in ["v100-32gb", CUSTOM] {
            assert!(pick_accelerator(&mut scenario, id));
            scenario.accelerator.values.memory = Bytes::from_gib(48.0);
            assert_eq!(scenario.accelerator.values.generation, Generation::Volta);
            let read = decode(&encode(&scenario));
            assert_eq!((read.scenario, read.issues), (scenario, vec![]), "{id}");
            assert_eq!(decode_json(&to_json(&scenario)).scenario, scenario, "{id}");
        }
        assert!(encode(&scenario).contains("gpu=custom&generation=volta&"), "{}", encode(&scenario));
        // The link of a GPU on its own cluster omits the generation.
        assert!(pick_cluster(&mut scenario, "edr-v100") && pick_accelerator(&mut scenario, CUSTOM));
        assert_eq!(encode(&scenario), "v=1&cluster=edr-v100&gpu=custom");
        let said = |link: &str| decode(link).issues.into_iter().map(|issue| issue.message).collect::<Vec<_>>();
        let unknown = said("v=1&gpu=custom&generation=tesla");
        assert_eq!(unknown, ["The catalog has no generation of GPUs “tesla”."]);
        assert_eq!(said("v=1&gpu=h100-sxm&generation=volta").len(), 1);
    }
}
