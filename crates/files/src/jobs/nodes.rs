//! Resources that a job asks of each node.

use analysis::answer::Answer;
use catalog::AcceleratorEntry;
use engine::units::Bytes;

use crate::settings::context::ExportContext;

/// CPUs that are asked for with each GPU: one starts its kernels, the others load data. The catalog
/// does not know the cores of hosts; a note says that the number was taken.
const CPUS_OF_GPU: u32 = 8;
/// Memory that is asked for over what the run needs.
const MARGIN: f64 = 1.1;

/// Nodes of a job, and what it asks of each.
pub(super) struct Nodes {
    pub(super) number: u32,
    pub(super) gpus: u32,
    pub(super) cpus: u32,
    /// Host memory, in GiB.
    pub(super) memory: u32,
    /// The GPU's entry in the catalog; `None` for one of the user's own.
    pub(super) gpu: Option<&'static AcceleratorEntry>,
}

impl Nodes {
    /// Computes the nodes of a scenario.
    pub(super) fn new(context: &ExportContext, answer: &Answer) -> Result<Self, String> {
        let scenario = &context.scenario;
        let gpu = catalog::accelerator(scenario.accelerator.id);
        if let Some(AcceleratorEntry { name, maker, .. }) = gpu.filter(|gpu| !matches!(gpu.maker, "NVIDIA" | "AMD")) {
            return Err(format!(
                "{name} is {maker}’s: jobs are written for GPUs of NVIDIA and AMD, whose processes torchrun starts."
            ));
        }
        if scenario.objective.task.generates() {
            return Err("A step of this run generates its training data: a launcher of its own places rollout and \
                        training (Ray, for one), and no job is written for it."
                .into());
        }
        let all = context.setup.mesh.gpus();
        let host = context.setup.network.gpus_per_host();
        if all > host && !all.is_multiple_of(host) {
            return Err(format!("{all} GPUs do not fill nodes of {host}: give a multiple of {host}."));
        }
        let [number, gpus] = context.nodes();
        let memory = answer.run.host.needed() * MARGIN;
        Ok(Self { number, gpus, cpus: gpus * CPUS_OF_GPU, memory: gib(memory, answer.run.host.capacity), gpu })
    }
}

/// Returns whole GiB of a need, at most those of the host.
fn gib(needed: Bytes, capacity: Bytes) -> u32 {
    needed.gib().ceil().min(capacity.gib().floor()).max(1.0) as u32
}
