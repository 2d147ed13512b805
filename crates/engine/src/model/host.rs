//! What the memory of a host gives one of its GPUs.

use super::setup::Setup;
use crate::units::BytesPerSecond;

/// Share of the bandwidth of a host's memory that Adam reaches on its CPUs.
///
/// The author of DeepSpeed's `CPUAdam` measured 8.2 s for 11.6 billion parameters (github
/// deepspeedai/DeepSpeed, pull request 735; on a DGX-2, it seems, of 256 GB/s): at 30 bytes each
/// 0.166 of that. Qwen 72B on four nodes of 8 A100 took 10 s (issue 6834): 0.133 of 409.6 GB/s.
const UPDATE: f64 = 0.15;

/// GPUs of the largest host, a DGX-2: where a node is a rack of many hosts that nobody counted, no
/// more share one memory.
const MOST: u32 = 16;

/// One GPU's share of the bandwidth of its host's memory, where all GPUs of it that run use it at
/// once; none where that is not a limit.
fn share(setup: &Setup) -> Option<BytesPerSecond> {
    let network = &setup.network;
    let bandwidth = network.host.bandwidth;
    let gpus = f64::from(setup.mesh.gpus().min(network.gpus_per_host()).clamp(1, MOST));
    (bandwidth > BytesPerSecond::from_gb_per_s(0.0)).then(|| bandwidth * (1.0 / gpus))
}

/// The rate of one GPU to and from its host's memory, in one direction, while all GPUs of the host
/// use theirs: the link's, and no more than its share of the memory's.
pub fn transfer_rate(setup: &Setup) -> BytesPerSecond {
    let link = setup.accelerator.host_link;
    share(setup).map_or(link, |share| share.min(link))
}

/// The rate at which one GPU's part of what lies on its host's drives is read or written, while all
/// GPUs of the host use theirs (ZeRO-Infinity, arXiv 2104.07857: each process reads and writes its
/// own partition).
pub fn drive_rate(setup: &Setup) -> BytesPerSecond {
    let network = &setup.network;
    let gpus = f64::from(setup.mesh.gpus().min(network.gpus_per_host()).clamp(1, MOST));
    network.host.nvme * (1.0 / gpus)
}

/// The rate at which the update of one GPU's shard reads and writes its host's memory: the share of
/// its bandwidth that Adam reaches there, and no more than the link's.
///
/// ```
/// # use links::decode;
/// # use engine::model::host::update_rate;
/// let seconds = |link: &str, params: f64| {
///     let setup = decode(link).scenario.setup();
///     // ZeRO's 2 x (2 + 12) + 2 bytes of traffic a parameter.
///     30.0 * params / f64::from(setup.mesh.gpus()) / update_rate(&setup).get()
/// };
/// // DeepSpeed: 8.2 s for 11.6 billion parameters on one DGX-2, 10 s for Qwen 72B on 32 A100.
/// assert!((seconds("cluster=dgx-2&gpus=16", 11.6e9) / 8.2 - 1.0).abs() < 0.15);
/// assert!((seconds("cluster=dgx-a100-80&gpus=32", 72.7e9) / 10.0 - 1.0).abs() < 0.15);
/// ```
pub fn update_rate(setup: &Setup) -> BytesPerSecond {
    let link = setup.accelerator.host_link;
    share(setup).map_or(link, |share| (share * UPDATE).min(link))
}
