//! Hosts of the clusters: how many of a node's GPUs one has, and its memory.

use crate::fitted;
use crate::model::hardware::Host;
use crate::units::{Bytes, BytesPerSecond};

/// How fast CPUs launch operators, one thread over one of an EPYC 7742: a Xeon 8480C and a Grace as fitted (`data/fitted.toml`),
/// the others taken to be as fast as the one of their years.
const EPYC_7742: f64 = 1.0;
const OLDER_XEON: f64 = 1.0;
const XEON_8480C: f64 = Host::USUAL.speed;
const GRACE: f64 = fitted::HOST_GRACE;

/// Cluster, GPUs of a host (0 where it has all of the node), its memory in GiB, and that memory's bandwidth in GB/s (channels of its
/// CPUs times their rate, by the makers' data sheets; 0 where the CPUs are not known), and their speed, by the pages that
/// the clusters' sources name; Azure's ND H100 v5 and ND GB200 v6 were looked up for this table, the
/// others are not verified.
/// Clouds list what they leave to the machine. A tray of a rack of 72 has two Grace with 480 GB each
/// for its four GPUs. Workstations and servers without a maker are assumed to have 64 GiB a GPU.
pub(crate) const HOSTS: &[(&str, u32, f64, f64, f64)] = &[
    ("dgx-1v", 0, 512.0, 153.6, OLDER_XEON),
    ("dgx-2", 0, 1536.0, 256.0, OLDER_XEON),
    ("dgx-a100-40", 0, 1024.0, 409.6, EPYC_7742),
    ("a100-40gb-200g", 0, 2048.0, 409.6, EPYC_7742),
    ("a100-40gb-100g", 0, 2048.0, 409.6, EPYC_7742),
    ("a800-200g", 0, 2048.0, 409.6, EPYC_7742),
    ("atorch-a100", 0, 2048.0, 409.6, EPYC_7742),
    ("dgx-a100-80", 0, 2048.0, 409.6, EPYC_7742),
    ("fsdp-a100", 0, 2048.0, 409.6, EPYC_7742),
    ("internlm-a100", 0, 2048.0, 409.6, EPYC_7742),
    ("mosaicml-a100-40", 0, 2048.0, 409.6, EPYC_7742),
    ("mosaicml-a100-80", 0, 2048.0, 409.6, EPYC_7742),
    ("oci-a100", 0, 2048.0, 409.6, EPYC_7742),
    ("selene", 0, 2048.0, 409.6, EPYC_7742),
    ("p5", 0, 2048.0, 409.6, EPYC_7742),
    ("p5e", 0, 2048.0, 409.6, EPYC_7742),
    ("edr-v100", 0, 2048.0, 0.0, OLDER_XEON),
    ("dgx-b200", 0, 2048.0, 716.8, XEON_8480C),
    ("dgx-b300", 0, 2048.0, 716.8, XEON_8480C),
    ("gb200-nvl72", 4, 960.0, 1024.0, GRACE),
    ("gb300-nvl72", 4, 960.0, 1024.0, GRACE),
    ("p4d", 0, 1152.0, 281.6, EPYC_7742),
    ("p4de", 0, 1152.0, 281.6, EPYC_7742),
    ("p6-b300", 0, 4096.0, 716.8, XEON_8480C),
    ("p6e-gb200", 4, 960.0, 1024.0, GRACE),
    ("g5", 0, 768.0, 0.0, EPYC_7742),
    ("azure-nd-a100-v4", 0, 900.0, 409.6, EPYC_7742),
    ("azure-ndm-a100-v4", 0, 1900.0, 409.6, EPYC_7742),
    ("azure-nd-h100-v5", 0, 1900.0, 614.4, XEON_8480C),
    ("azure-nd-h200-v5", 0, 1850.0, 614.4, XEON_8480C),
    ("azure-nd-mi300x-v5", 0, 1850.0, 614.4, XEON_8480C),
    ("azure-nd-gb200-v6", 4, 900.0, 1024.0, GRACE),
    ("gcp-a2-high", 0, 680.0, 281.6, EPYC_7742),
    ("gcp-a2-ultra", 0, 1360.0, 281.6, EPYC_7742),
    ("gcp-a3-high", 0, 1872.0, 614.4, XEON_8480C),
    ("gcp-a3-mega", 0, 1872.0, 614.4, XEON_8480C),
    ("gcp-a3-ultra", 0, 2952.0, 716.8, XEON_8480C),
    ("gcp-a4", 0, 3968.0, 716.8, XEON_8480C),
    ("gcp-a4x", 4, 884.0, 1024.0, GRACE),
    ("gcp-a4x-max", 4, 960.0, 1024.0, GRACE),
    ("juwels-booster", 0, 512.0, 409.6, EPYC_7742),
    ("leonardo-booster", 0, 512.0, 204.8, EPYC_7742),
    ("marenostrum-5", 0, 512.0, 614.4, XEON_8480C),
    ("jupiter-booster", 0, 480.0, 2048.0, GRACE),
    ("alps", 0, 512.0, 2048.0, GRACE),
    ("lumi-g", 0, 512.0, 204.8, EPYC_7742),
    ("frontier", 0, 512.0, 204.8, EPYC_7742),
    ("perlmutter", 0, 256.0, 204.8, EPYC_7742),
    ("jean-zay-v100", 0, 192.0, 281.6, OLDER_XEON),
    ("jean-zay-v100-16gb", 0, 192.0, 281.6, OLDER_XEON),
    ("jean-zay-a100", 0, 512.0, 409.6, EPYC_7742),
    ("workstation-2x-3090", 0, 128.0, 0.0, EPYC_7742),
    ("workstation-4x-4090", 0, 256.0, 0.0, XEON_8480C),
    ("server-8x-4090-10g", 0, 512.0, 0.0, XEON_8480C),
    ("server-8x-4090-25g", 0, 512.0, 0.0, XEON_8480C),
    ("server-8x-4090", 0, 512.0, 0.0, XEON_8480C),
    ("server-8x-l40s", 0, 512.0, 0.0, XEON_8480C),
    ("server-8x-pro-6000", 0, 512.0, 0.0, XEON_8480C),
    ("tpu-v4-pod", 4, 407.0, 0.0, EPYC_7742),
    ("tpu-v5e-pod", 4, 192.0, 0.0, EPYC_7742),
    ("tpu-v5p-pod", 4, 448.0, 0.0, EPYC_7742),
    ("tpu-v6e-pod", 4, 720.0, 0.0, EPYC_7742),
    ("tpu-7x-pod", 4, 960.0, 0.0, EPYC_7742),
    ("trn1", 0, 512.0, 0.0, EPYC_7742),
];

/// What a workstation's drive of PCIe 4 reads and writes: 7.0 and 5.0 GB/s (Samsung's 980 PRO, data sheet).
const ONE_DRIVE: BytesPerSecond = BytesPerSecond::from_gb_per_s(6.0);

/// Returns the hosts of a cluster; [`Host::USUAL`] where nothing is known of them.
pub fn host(cluster: &str) -> Host {
    let known = HOSTS.iter().find(|(id, ..)| *id == cluster);
    known.map_or(Host::USUAL, |&(_, gpus, memory, bandwidth, speed)| Host {
        speed,
        loader: 0.0,
        gpus,
        memory: Bytes::from_gib(memory),
        bandwidth: BytesPerSecond::from_gb_per_s(bandwidth),
        nvme: if cluster.starts_with("workstation") { ONE_DRIVE } else { Host::USUAL.nvme },
    })
}

#[cfg(test)]
mod tests {
    use super::{HOSTS, host};
    use crate::catalog::cluster;

    #[test]
    fn hosts_are_of_clusters_that_exist_each_once() {
        for (place, (id, gpus, ..)) in HOSTS.iter().enumerate() {
            let of = cluster(id).unwrap();
            assert!(*gpus < of.gpus_per_node, "{id}: 0 stands for all of the node");
            assert_eq!(HOSTS.iter().position(|(other, ..)| other == id), Some(place), "{id}");
            assert_eq!(of.network().unwrap().values.host, host(id));
        }
        assert_eq!(host("dgx-h100").memory.gib(), 2048.0);
        assert_eq!(cluster("gb200-nvl72").unwrap().network().unwrap().values.gpus_per_host(), 4);
        assert_eq!(cluster("dgx-h100").unwrap().network().unwrap().values.gpus_per_host(), 8);
    }
}
