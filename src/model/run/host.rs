//! Host memory of one node.

use super::checkpoint::optimizer_state;
use crate::model::memory::{kept_bytes, recipe_bytes, shard_degrees};
use crate::model::setup::Setup;
use crate::units::Bytes;

/// Bytes of a parameter as it is initialised: fp32, whatever the recipe.
const INITIAL_BYTES: f64 = 4.0;

/// Ranks on one node.
fn ranks(setup: &Setup) -> f64 {
    f64::from(setup.mesh.gpus().min(setup.network.gpus_per_node.max(1)))
}

/// GPUs that tensor and pipeline parallelism split the model over, before any sharding.
fn parts(setup: &Setup) -> f64 {
    f64::from(setup.mesh.tp.max(1)) * f64::from(setup.mesh.pp.max(1))
}

/// Host memory of a node while the model is initialised: `4 P r / (tp pp)`, deferred `4 max(unit) r / tp`.
///
/// P parameters, r ranks on the node, of which each builds its part of the model in fp32 before it shards it; deferred
/// initialisation (the meta device) builds one unit at a time: a layer, or the root unit with embedding and head.
///
/// ```
/// # use shardwise::{catalog, model::run::host::initialisation, share::decode};
/// // Llama 2 70B on nodes of 8: about 2 TB (Hugging Face's blog, “Fine-tuning Llama 2 70B using PyTorch FSDP”).
/// let setup = decode("cluster=dgx-h100&model=llama-2-70b").scenario.setup();
/// assert_eq!((initialisation(&setup, false).tb() * 10.0).round(), 22.0);
/// assert!(initialisation(&setup, true).tb() < 0.03);
/// ```
pub fn initialisation(setup: &Setup, deferred: bool) -> Bytes {
    let params = setup.architecture.unit_params();
    let whole = params.model / parts(setup);
    let largest = if params.root > params.layer { params.root } else { params.layer };
    let unit = largest / f64::from(setup.mesh.tp.max(1));
    let built = if deferred && unit < whole { unit } else { whole };
    Bytes::new(INITIAL_BYTES * built * ranks(setup))
}

/// Host memory of the busiest node while a checkpoint of S bytes is written: all of it where one rank gathers it, else the
/// node's own share `S r / N`.
///
/// ```
/// # use shardwise::{catalog, model::run::host::checkpoint, units::Bytes};
/// let setup = catalog::default_scenario().setup(); // 64 GPUs, 4 to a node
/// let size = Bytes::new(12.0 * 13e9); // fp32 weights and Adam's moments: 12 of model.md's 4 to 16 bytes a parameter
/// assert_eq!(checkpoint(&setup, size, false).gb(), 156.0);
/// assert_eq!(checkpoint(&setup, size, true).gb(), 156.0 / 16.0);
/// ```
pub fn checkpoint(setup: &Setup, size: Bytes, sharded: bool) -> Bytes {
    if sharded { size * (ranks(setup) / f64::from(setup.mesh.gpus().max(1))) } else { size }
}

/// Host memory of a node that offloading takes all the time: optimizer state, weights and gradients, kept activations, each
/// where it is offloaded, each rank its own part.
///
/// ```
/// # use shardwise::{catalog, model::run::host::offload};
/// // ZeRO-Offload's 12 bytes of fp32 state a parameter (arXiv 2101.06840), 13B parameters over 64 GPUs, 4 to a node.
/// let mut setup = catalog::default_scenario().setup();
/// setup.recipe = shardwise::model::training::Recipe::ZeroMixed;
/// assert_eq!(offload(&setup).get(), 0.0);
/// setup.offload.optimizer = true;
/// let params = setup.architecture.params() as f64;
/// assert_eq!(offload(&setup).get(), 12.0 * params / 64.0 * 4.0);
/// ```
pub fn offload(setup: &Setup) -> Bytes {
    let (arch, choices) = (&setup.architecture, &setup.offload);
    let (bytes, degrees) = (recipe_bytes(setup.recipe), shard_degrees(setup));
    let params = arch.params() as f64;
    let where_chosen = |chosen: bool, bytes: f64| if chosen { bytes } else { 0.0 };

    let optimizer = optimizer_state(arch, setup.recipe, setup.optimizer).get() / degrees.optimizer;
    let parameters = (bytes.weights / degrees.weights + bytes.gradients / degrees.gradients) * params;
    // Activations of every micro-batch in flight through a stage.
    let in_flight = setup.mesh.pp.max(1).min(setup.batch.grad_accum_steps);
    let tokens =
        f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.seq_len) / f64::from(setup.mesh.cp.max(1));
    let kept = kept_bytes(arch, setup.recompute, bytes.activation) * f64::from(arch.num_hidden_layers);
    let activations = kept * tokens * f64::from(in_flight);

    let whole = where_chosen(choices.optimizer, optimizer)
        + where_chosen(choices.parameters, parameters)
        + where_chosen(choices.activations, activations);
    Bytes::new(whole / parts(setup) * ranks(setup))
}
