//! Hosts of the clusters: GPUs per host, and host memory.

use crate::cluster;
use engine::model::hardware::Host;

/// Returns the hosts of a cluster; [`Host::USUAL`] if the catalog has no host for it.
pub fn host(of: &str) -> Host {
    cluster(of).map_or(Host::USUAL, |entry| entry.host)
}

#[cfg(test)]
mod tests {
    use super::host;
    use crate::{CLUSTERS, cluster};

    #[test]
    fn a_host_has_a_part_of_a_nodes_gpus() {
        for entry in CLUSTERS {
            assert!(entry.host.gpus < entry.gpus_per_node, "{}: 0 stands for all of the node", entry.id);
            assert_eq!(entry.network().unwrap().values.host, host(entry.id));
        }
        assert_eq!(host("dgx-h100").memory.gib(), 2048.0);
        assert_eq!(cluster("gb200-nvl72").unwrap().network().unwrap().values.gpus_per_host(), 4);
        assert_eq!(cluster("dgx-h100").unwrap().network().unwrap().values.gpus_per_host(), 8);
    }
}
