//! Host memory bandwidth and drive bandwidth of one GPU.

use super::setup::Setup;
use crate::units::BytesPerSecond;

/// Share of a host's memory bandwidth that Adam reaches on its CPUs.
///
/// The author of DeepSpeed's `CPUAdam` measured 8.2 s for 11.6 billion parameters (github
/// deepspeedai/DeepSpeed, pull request 735; apparently on a DGX-2, of 256 GB/s): at 30 bytes each
/// 0.166 of that. Qwen 72B on four nodes of 8 A100 took 10 s (issue 6834): 0.133 of 409.6 GB/s.
const UPDATE: f64 = 0.15;

/// GPUs of the largest host, a DGX-2: an upper limit of the GPUs that share one memory, for racks
/// with an unknown number of hosts.
const MOST: u32 = 16;

/// Returns one GPU's share of its host's memory bandwidth while all GPUs of the run on that host
/// use it; `None` if the bandwidth is not a limit.
fn share(setup: &Setup) -> Option<BytesPerSecond> {
    let network = &setup.network;
    let bandwidth = network.host.bandwidth;
    let gpus = f64::from(setup.mesh.gpus().min(network.gpus_per_host()).clamp(1, MOST));
    (bandwidth > BytesPerSecond::from_gb_per_s(0.0)).then(|| bandwidth * (1.0 / gpus))
}

/// Returns the rate of one GPU to and from its host's memory, in one direction, while all GPUs of
/// the host transfer: the link's rate, limited by the GPU's share of the memory bandwidth.
pub fn transfer_rate(setup: &Setup) -> BytesPerSecond {
    let link = setup.accelerator.host_link;
    share(setup).map_or(link, |share| share.min(link))
}

/// Returns the rate at which one GPU's part of the data on its host's drives is read or written,
/// while all GPUs of the host do so (ZeRO-Infinity, arXiv 2104.07857: each process reads and writes
/// its own partition).
pub fn drive_rate(setup: &Setup) -> BytesPerSecond {
    let network = &setup.network;
    let gpus = f64::from(setup.mesh.gpus().min(network.gpus_per_host()).clamp(1, MOST));
    network.host.nvme * (1.0 / gpus)
}

/// Returns the rate at which the update of one GPU's shard reads and writes its host's memory: the
/// share of the bandwidth that Adam reaches there, limited by the rate of the link.
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
