//! Size and write time of checkpoints.

use crate::model::collectives::{self, Group};
use crate::model::per_rank::LocalParams;
use crate::model::setup::Setup;
use crate::model::stages::model_params;
use crate::model::states::optimizer_bytes;
use crate::model::states::recipe_bytes;
use crate::units::{Bytes, BytesPerSecond, Seconds};

/// Returns the size of one checkpoint, `P (weights + optimizer state)`: everything that a run needs
/// to resume, with every replica's part once.
///
/// P parameters; bytes a parameter by recipe and optimizer ([`optimizer_bytes`]). Without gradients
/// and the state of data loader and random numbers, and with weights shared by two pipeline stages
/// once. For adapters only their parameters, without the frozen model.
///
/// ```
/// # use links::decode;
/// # use engine::model::run::checkpoint::size;
/// // BLOOM: “2.3TB” with optimizer states, in units of 2⁴⁰ bytes as its “329GB” of weights are in 2³⁰ (BigScience's model
/// // page). Both end stages of its pipeline hold the embedding, which is the 2 % between 2.24 and 2.29.
/// let setup = decode("model=bloom-176b&recipe=zero-mixed").scenario.setup();
/// assert_eq!((size(&setup).gib() / 1024.0 * 100.0).round(), 224.0);
/// ```
pub fn size(setup: &Setup) -> Bytes {
    let arch = &setup.architecture;
    let (matrix, other) = optimizer_bytes(setup);
    let state = |params: f64, matrices: f64| matrix * matrices + other * (params - matrices);
    let weights = recipe_bytes(setup.recipe).weights;
    if setup.trained.is_all() {
        let (params, matrices) = (arch.params() as f64, arch.matrix_params() as f64);
        return Bytes::new(weights * params + state(params, matrices));
    }
    let Saved { params, updated, matrices } = saved(setup);
    Bytes::new(weights * params + state(updated, matrices))
}

/// Contents of a checkpoint of a partly trained model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Saved {
    /// Parameters: only adapters, or the whole model if some of its layers are trained.
    pub params: f64,
    /// Trained parameters, whose optimizer state is saved.
    pub updated: f64,
    /// Trained parameters that are matrices.
    pub matrices: f64,
}

/// Returns the parameters in a checkpoint of the whole model.
pub fn saved(setup: &Setup) -> Saved {
    let LocalParams { held, trained, .. } = model_params(setup);
    let matrices = trained.layers * trained.layer_matrices + trained.experts();
    let params = if setup.trained.has_adapters() { trained.all() } else { held.all() };
    Saved { params, updated: trained.all(), matrices }
}

/// Returns the time to write a checkpoint, during which training is paused:
/// `gather + S/(w B_host) + S/min(B_storage, w B_nic)`.
///
/// S bytes; w ranks that write: all N of a sharded checkpoint, one of a gathered one, which first
/// gathers the other ranks' shards; `B_host` link from GPU to host; `B_nic` network card of one
/// GPU; `B_storage` rate of the file system for all nodes together. With asynchronous checkpoints
/// only the copy to the host would pause training.
///
/// ```
/// # use engine::{model::run::checkpoint::write_time, units::{Bytes, BytesPerSecond}};
/// // 156 GB (13B parameters in fp32 with Adam's moments) at 10 GB/s: about 16 s, or 31 s by one rank's PCIe and network card.
/// let setup = catalog::default_scenario().setup();
/// let time = |sharded| write_time(&setup, Bytes::new(156e9), BytesPerSecond::from_gb_per_s(10.0), sharded).get();
/// assert_eq!(time(true).round(), 16.0);
/// assert!(time(false) > 20.0);
/// ```
pub fn write_time(setup: &Setup, size: Bytes, storage: BytesPerSecond, sharded: bool) -> Seconds {
    // If nothing is trained, there is nothing to write.
    if size <= Bytes::ZERO {
        return Seconds::ZERO;
    }
    let network = &setup.network;
    let gpus = setup.mesh.gpus();
    let writers = if sharded { f64::from(gpus) } else { 1.0 };
    let card = network.inter_node * network.inter_node_efficiency;
    let gather = if sharded {
        Seconds::ZERO
    } else {
        let parts = gpus / setup.mesh.dp_replicate.max(1);
        collectives::all_gather(network, Group::consecutive(parts, gpus, network), size)
    };
    gather + size / (setup.accelerator.host_link * writers) + size / storage.min(card * writers)
}
